/* SPDX-License-Identifier: Apache-2.0
 *
 * Several queues that act for one endpoint, in one thread: who is polled when is chosen so that
 * each race between them comes out in the awkward way.
 */
#include "fixture.h"

/* Two queues of endpoint 1, whose unexpected messages have a quota. */
typedef struct pair {
    bench_t a;
    bench_t b;
} pair_t;

static pair_t pair_open(uint32_t quota) {
    pair_t p = {.a = bench_open(1, 4)};
    p.b = bench_another(&p.a, 1);
    must(tmu_quota_set(p.a.device, 1, 0, quota), p.a.device);
    return p;
}

static void pair_close(pair_t *p) {
    free(p->b.log);
    bench_close(&p->a);
}

/* Runs the device until its queues have nothing to do, and polls none. */
static void run_unit(const bench_t *b) {
    for (unsigned i = 0; i < 50; i++) {
        run_device(b->device, 64);
    }
}

static void a_receive_belongs_to_its_endpoint_not_to_its_queue_R10(void) {
    bench_t b = bench_open(1, 4);
    bench_t second = b;
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    must(tmu_queue_open(b.device, &attr, &second.queue), b.device);
    tmu_receive_id_t cancelled = bench_post(&b, 1, 1, 1, 1);
    (void)bench_post(&b, 1, 1, 2, 2);
    bench_settle(&b);
    second.count = b.count; /* they share the log */
    bench_arrive(&second, 1, 1, 2, 12);
    SUBMIT(&second, tmu_cancel(second.queue, 1, cancelled, 3));
    bench_settle(&second);
    EXPECT_ANSWER(&second, ARRIVE, 12, MATCHED, 2);
    EXPECT_ANSWER(&second, CANCEL, 3, CANCELLED, 1);
    must(tmu_queue_close(b.queue), b.device);
    (void)bench_post(&second, 1, 1, 4, 4);
    bench_settle(&second);
    EXPECT_ANSWER(&second, POST, 4, QUEUED, 0);
    bench_close(&b);
}

static void room_made_by_another_queue_lets_held_arrivals_in(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    bench_t own = b;
    must(tmu_queue_open(b.device, &attr, &own.queue), b.device);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 1, 2, 12);
    bench_settle(&b);
    own.count = b.count;
    bench_claim(&own, 1, 1, 1, 1);
    bench_settle(&own);
    EXPECT_ANSWER(&own, CLAIM, 1, MATCHED, 11);
    EXPECT(tmu_endpoint_stalled(own.queue, 1)); /* until the queue that holds it is polled */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 12, QUEUED, 0);
    EXPECT(!tmu_endpoint_stalled(own.queue, 1));
    bench_close(&b);
}

static void a_promised_slot_is_not_taken_R11(void) {
    pair_t p = pair_open(1);
    const tmu_message_t late = {.source = 2, .handle = 21};
    bench_arrive(&p.a, 1, 1, 1, 11); /* not run yet: the one slot is promised to it */
    EXPECT_NUMBER(tmu_arrive(p.b.queue, 1, &late), TMU_AGAIN);
    EXPECT_NUMBER(tmu_queue_in_flight(p.b.queue), 0);
    run_unit(&p.a);
    SUBMIT(&p.b, tmu_arrive(p.b.queue, 1, &late)); /* polls only its own queue meanwhile */
    bench_settle(&p.b);
    EXPECT(tmu_endpoint_stalled(p.b.queue, 1));
    bench_settle(&p.a);
    EXPECT_ANSWER(&p.a, ARRIVE, 11, QUEUED, 0);
    bench_claim(&p.a, 1, 1, 1, 12);
    bench_settle(&p.a);
    bench_settle(&p.b);
    EXPECT_ANSWER(&p.b, ARRIVE, 21, QUEUED, 0);
    pair_close(&p);
}

static void a_promise_at_another_endpoint_holds_nobody_up_R13(void) {
    pair_t p = pair_open(1);
    bench_t other = bench_another(&p.a, 2);
    bench_arrive(&p.b, 1, 2, 2, 21);
    bench_settle(&p.b);
    bench_arrive(&other, 2, 1, 1, 31); /* in flight, and not run */
    const tmu_message_t late = {.source = 3, .handle = 22};
    EXPECT_NUMBER(tmu_arrive(p.b.queue, 1, &late), TMU_OK);
    bench_settle(&p.b);
    EXPECT(tmu_endpoint_stalled(p.b.queue, 1));
    free(other.log);
    pair_close(&p);
}

static void room_made_before_an_arrival_is_held_is_seen_R11(void) {
    pair_t p = pair_open(1);
    bench_arrive(&p.a, 1, 1, 1, 11);
    bench_settle(&p.a);
    bench_arrive(&p.a, 1, 1, 2, 12);
    run_unit(&p.a); /* the unit answers `stalled`; the driver does not know */
    bench_claim(&p.b, 1, 1, 1, 21);
    run_unit(&p.b);
    size_t count = 0;
    tmu_completion_t c;
    must(tmu_poll(p.b.queue, &c, 1, &count), p.b.device); /* nobody holds anything yet */
    EXPECT_NUMBER(count, 1);
    bench_settle(&p.a);
    EXPECT_ANSWER(&p.a, ARRIVE, 12, QUEUED, 0);
    pair_close(&p);
}

static void a_receive_posted_before_an_arrival_is_held_is_seen_R11(void) {
    pair_t p = pair_open(1);
    bench_arrive(&p.a, 1, 1, 1, 11);
    bench_settle(&p.a);
    bench_arrive(&p.a, 1, 1, 2, 12);
    run_unit(&p.a);
    (void)bench_post(&p.b, 1, 1, 2, 21);
    bench_settle(&p.b);
    bench_settle(&p.a);
    EXPECT_ANSWER(&p.a, ARRIVE, 12, MATCHED, 21);
    pair_close(&p);
}

static void a_receive_posted_while_an_attempt_fails_is_seen_R11(void) {
    pair_t p = pair_open(1);
    size_t count = 0;
    bench_arrive(&p.a, 1, 1, 1, 11);
    bench_arrive(&p.a, 1, 1, 2, 12);
    bench_settle(&p.a); /* 12 is held */
    (void)bench_post(&p.b, 1, 5, 5, 21);
    bench_settle(&p.b);
    must(tmu_poll(p.a.queue, NULL, 0, &count), p.a.device); /* tries 12 again */
    EXPECT_NUMBER(tmu_queue_in_flight(p.a.queue), 1);
    run_unit(&p.a);
    (void)bench_post(&p.b, 1, 1, 2, 22);
    bench_settle(&p.b);
    bench_settle(&p.a);
    EXPECT_ANSWER(&p.a, ARRIVE, 12, MATCHED, 22);
    pair_close(&p);
}

static void a_flush_may_meet_more_than_its_queue_knew_of_R14(void) {
    bench_t a = bench_open(1, 4);
    bench_t b = bench_another(&a, 1);
    SUBMIT(&a, tmu_flush(a.queue, 1, NULL, 1)); /* of nothing, as far as anybody knows */
    for (uint32_t i = 0; i < 10; i++) {
        (void)bench_post(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    bench_settle(&a);
    for (uint32_t i = 10; i < 40; i++) {
        (void)bench_post(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    a.count = 0;
    SUBMIT(&a, tmu_flush(a.queue, 1, NULL, 2));
    bench_settle(&a);
    tmu_completion_t c = bench_answer(&a, TMU_OPCODE_FLUSH, 2);
    EXPECT_NUMBER(c.status, TMU_STATUS_FLUSHED);
    EXPECT_NUMBER(a.count, c.removed_posted + 1);
    EXPECT(c.removed_posted >= 30);
    free(b.log);
    bench_close(&a);
}

static void all(void) {
    RUN(a_receive_belongs_to_its_endpoint_not_to_its_queue_R10);
    RUN(room_made_by_another_queue_lets_held_arrivals_in);
    RUN(a_promised_slot_is_not_taken_R11);
    RUN(a_promise_at_another_endpoint_holds_nobody_up_R13);
    RUN(room_made_before_an_arrival_is_held_is_seen_R11);
    RUN(a_receive_posted_before_an_arrival_is_held_is_seen_R11);
    RUN(a_receive_posted_while_an_attempt_fails_is_seen_R11);
    RUN(a_flush_may_meet_more_than_its_queue_knew_of_R14);
}

int main(void) { return on_every_device(all); }
