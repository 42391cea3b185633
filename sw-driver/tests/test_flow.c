/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow control (R11): quotas, a full table, held arrivals and their order.
 */
#include "fixture.h"

static tmu_flow_stats_t stats_of(const bench_t *b) {
    tmu_flow_stats_t stats;
    must(tmu_flow_stats(b->device, &stats), b->device);
    return stats;
}

static void a_post_beyond_the_quota_is_refused(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 2, 0), b.device);
    for (uint64_t i = 1; i <= 3; i++) {
        bench_post(&b, 1, 1, (int64_t)i, i);
    }
    bench_arrive(&b, 1, 1, 1, 11);
    bench_post(&b, 1, 1, 4, 4);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 2, QUEUED, 0);
    EXPECT_ANSWER(&b, POST, 3, REFUSED_QUOTA, 0);
    EXPECT_ANSWER(&b, POST, 4, QUEUED, 0);
    bench_close(&b);
}

static void an_arrival_beyond_the_quota_is_held_and_resumes(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 2, 2, 12);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 1);
    EXPECT(tmu_endpoint_stalled(b.queue, 1));
    EXPECT(!tmu_endpoint_stalled(b.queue, 2));
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_claim(&b, 1, 1, 1, 1);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CLAIM, 1, MATCHED, 11);
    EXPECT_ANSWER(&b, ARRIVE, 12, QUEUED, 0);
    EXPECT(!tmu_endpoint_stalled(b.queue, 1));
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    EXPECT_NUMBER(stats_of(&b).held_max, 1);
    EXPECT_NUMBER(stats_of(&b).stalls, 1);
    EXPECT_NUMBER(stats_of(&b).resumes, 1);
    bench_close(&b);
}

static void later_arrivals_of_a_held_source_wait_behind_it(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_post(&b, 1, 2, 9, 1);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 2, 2, 12); /* held */
    bench_arrive(&b, 1, 2, 9, 13); /* would match, but its source has an older one held */
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).held_now, 2);
    EXPECT_NUMBER(stats_of(&b).stalls, 1);
    bench_claim(&b, 1, 1, 1, 2);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 12, QUEUED, 0);
    EXPECT_ANSWER(&b, ARRIVE, 13, MATCHED, 1);
    EXPECT(bench_position(&b, TMU_OPCODE_ARRIVE, 12) < bench_position(&b, TMU_OPCODE_ARRIVE, 13));
    bench_close(&b);
}

static void other_sources_pass_a_held_arrival(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_post(&b, 1, 3, 3, 1);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 2, 2, 12); /* held */
    bench_arrive(&b, 1, 3, 3, 13); /* another source, matches */
    bench_arrive(&b, 2, 2, 2, 14); /* the same source at another endpoint */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 13, MATCHED, 1);
    EXPECT_ANSWER(&b, ARRIVE, 14, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_close(&b);
}

static void held_arrivals_are_tried_oldest_first(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    for (uint32_t i = 0; i < 5; i++) {
        bench_arrive(&b, 1, i, 1, i);
    }
    for (uint32_t i = 0; i < 5; i++) {
        bench_claim(&b, 1, i, 1, 100 + i);
        bench_settle(&b);
        EXPECT_ANSWER(&b, CLAIM, 100 + i, MATCHED, i);
        EXPECT_NUMBER(stats_of(&b).held_now, i < 4 ? 3 - i : 0);
    }
    bench_close(&b);
}

static void a_receive_posted_for_a_held_arrival_meets_it(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_arrive(&b, 1, 1, 2, 12);
    bench_post(&b, 1, 1, 2, 1); /* no deadlock: the message wanted is behind a full queue */
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 1, QUEUED, 0);
    EXPECT_ANSWER(&b, ARRIVE, 12, MATCHED, 1);
    bench_close(&b);
}

static void a_source_follows_its_admitted_arrival_in_order_of_age(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 2), b.device);
    bench_arrive(&b, 1, 9, 1, 10);
    bench_arrive(&b, 1, 9, 1, 11);
    bench_arrive(&b, 1, 1, 1, 12); /* held, as are the rest */
    bench_arrive(&b, 1, 2, 1, 13);
    bench_arrive(&b, 1, 1, 1, 14);
    bench_arrive(&b, 1, 3, 1, 15);
    bench_arrive(&b, 1, 2, 1, 16);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).held_now, 5);
    EXPECT_NUMBER(stats_of(&b).stalls, 3);
    must(tmu_quota_set(b.device, 1, 0, 6), b.device);
    bench_settle(&b);
    for (uint32_t i = 12; i < 15; i++) {
        EXPECT(bench_position(&b, TMU_OPCODE_ARRIVE, i) <
               bench_position(&b, TMU_OPCODE_ARRIVE, i + 1));
    }
    EXPECT_NUMBER(stats_of(&b).held_now, 1); /* one pass, and it went by age, not by source */
    bench_claim(&b, 1, 3, 1, 1);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CLAIM, 1, MATCHED, 15);
    EXPECT_ANSWER(&b, ARRIVE, 16, QUEUED, 0);
    bench_close(&b);
}

static void held_arrivals_that_must_stall_again_are_not_tried(void) {
    enum { N = 40 };
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 99, 1, 99);
    for (uint32_t i = 0; i < N; i++) {
        bench_arrive(&b, 1, i, 1, i);
    }
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, N); /* each was tried when it came */
    bench_arrive(&b, 2, 1, 1, 100);
    bench_post(&b, 2, 5, 5, 101);
    bench_claim(&b, 1, 5, 5, 102);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, N); /* nothing that could admit one */
    bench_post(&b, 1, N - 1, 1, 103);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, N - 1, MATCHED, 103);
    EXPECT_NUMBER(stats_of(&b).stalls, 2 * N - 1);
    bench_claim(&b, 1, 99, 1, 104);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 0, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).stalls, 2 * N - 1); /* the one that took the room */
    bench_close(&b);
}

static void messages_in_reverse_order_all_match(void) {
    enum { N = 300 }; /* more than the table's 64 */
    bench_t b = bench_open(1, 6);
    for (uint32_t i = 0; i < N; i++) {
        bench_arrive(&b, 1, i, 1, 1000 + i);
    }
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).held_now, N - 64);
    for (uint32_t i = N; i-- > 0;) {
        bench_post(&b, 1, i, 1, i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < N; i++) {
        tmu_completion_t posted = bench_answer(&b, TMU_OPCODE_POST, i);
        tmu_completion_t arrived = bench_answer(&b, TMU_OPCODE_ARRIVE, 1000 + i);
        EXPECT(posted.status == TMU_STATUS_MATCHED ? posted.other == 1000 + i : arrived.other == i);
    }
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    EXPECT_NUMBER(b.count, 2 * N);
    bench_close(&b);
}

static void a_full_table_stalls_every_endpoint(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    for (uint32_t i = 0; i < 64; i++) {
        bench_arrive(&b, 0, 1, 1, i);
    }
    bench_arrive(&b, 3, 1, 1, 100);
    bench_settle(&b);
    EXPECT(tmu_endpoint_stalled(b.queue, 3));
    bench_claim(&b, 0, 1, 1, 200);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 100, QUEUED, 0);
    bench_close(&b);
}

static void a_flush_lets_held_arrivals_in(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 2), b.device);
    for (uint32_t i = 0; i < 5; i++) {
        bench_arrive(&b, 1, 1, 1, i);
    }
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 50));
    bench_settle(&b);
    EXPECT_NUMBER(bench_answer(&b, TMU_OPCODE_FLUSH, 50).removed_unexpected, 2);
    EXPECT_ANSWER(&b, ARRIVE, 2, QUEUED, 0);
    EXPECT_ANSWER(&b, ARRIVE, 3, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_close(&b);
}

static void a_larger_quota_lets_held_arrivals_in(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 1, 1, 2);
    bench_settle(&b);
    EXPECT_NUMBER(tmu_queue_close(b.queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(b.device), "page 0 has 0 operations in flight and 1 held arrivals");
    must(tmu_quota_set(b.device, 1, 0, 2), b.device);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 2, QUEUED, 0);
    bench_close(&b);
}

typedef struct raw_log {
    uint8_t status[32];
    size_t count;
} raw_log_t;

static void observe(void *user, const tmu_completion_t *completion) {
    raw_log_t *raw = user;
    if (raw->count < sizeof raw->status) {
        raw->status[raw->count++] = completion->status;
    }
}

static void an_observer_sees_the_stalled_attempts(void) {
    static const uint8_t expected[] = {
        TMU_STATUS_QUEUED,  TMU_STATUS_STALLED, /* the first and the held one */
        TMU_STATUS_NONE,                        /* changes nothing: no attempt */
        TMU_STATUS_QUEUED,  TMU_STATUS_STALLED, /* a receive for another */
        TMU_STATUS_NONE,                        /* no new receive: no attempt */
        TMU_STATUS_MATCHED, TMU_STATUS_QUEUED}; /* room */
    bench_t b = bench_open(1, 6);
    raw_log_t raw = {.count = 0};
    must(tmu_queue_observe(b.queue, observe, &raw), b.device);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    bench_arrive(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 1, 1, 2);
    bench_claim(&b, 1, 5, 5, 3);
    bench_post(&b, 1, 7, 7, 6);
    bench_claim(&b, 1, 5, 5, 7);
    bench_claim(&b, 1, 1, 1, 4);
    bench_settle(&b);
    EXPECT_NUMBER(raw.count, sizeof expected);
    for (size_t i = 0; i < sizeof expected; i++) {
        EXPECT_NUMBER(raw.status[i], expected[i]);
    }
    must(tmu_queue_observe(b.queue, NULL, NULL), b.device);
    bench_claim(&b, 1, 5, 5, 5);
    bench_settle(&b);
    EXPECT_NUMBER(raw.count, sizeof expected);
    bench_close(&b);
}

static void without_danger_commands_are_pipelined(void) {
    bench_t b = bench_open(1, 6);
    tmu_message_t message = {.handle = 1};
    must(tmu_arrive(b.queue, 1, &message), b.device);
    must(tmu_arrive(b.queue, 1, &message), b.device);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 2);
    bench_settle(&b);
    must(tmu_quota_set(b.device, 1, 0, 2), b.device);
    must(tmu_arrive(b.queue, 1, &message), b.device);
    EXPECT_NUMBER(tmu_arrive(b.queue, 1, &message), TMU_AGAIN); /* the first may be held */
    EXPECT_NUMBER(tmu_quota_set(b.device, 1, 0, 3), TMU_AGAIN);
    EXPECT_NUMBER(tmu_reset(b.device), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    must(tmu_reset(b.device), b.device);
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    bench_close(&b);
}

static void all(void) {
    RUN(a_post_beyond_the_quota_is_refused);
    RUN(an_arrival_beyond_the_quota_is_held_and_resumes);
    RUN(later_arrivals_of_a_held_source_wait_behind_it);
    RUN(other_sources_pass_a_held_arrival);
    RUN(held_arrivals_are_tried_oldest_first);
    RUN(a_receive_posted_for_a_held_arrival_meets_it);
    RUN(a_source_follows_its_admitted_arrival_in_order_of_age);
    RUN(held_arrivals_that_must_stall_again_are_not_tried);
    RUN(messages_in_reverse_order_all_match);
    RUN(a_full_table_stalls_every_endpoint);
    RUN(a_flush_lets_held_arrivals_in);
    RUN(a_larger_quota_lets_held_arrivals_in);
    RUN(an_observer_sees_the_stalled_attempts);
    RUN(without_danger_commands_are_pipelined);
}

int main(void) { return on_every_device(all); }
