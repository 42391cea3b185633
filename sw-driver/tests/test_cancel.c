/* SPDX-License-Identifier: Apache-2.0
 *
 * Cancel through the driver: exactly one of cancelled and late, always by the unit (R10).
 */
#include "fixture.h"

static void cancel(bench_t *b, uint32_t endpoint, tmu_receive_id_t target, uint64_t handle) {
    SUBMIT(b, tmu_cancel(b->queue, endpoint, target, handle));
}

static void a_queued_receive_is_cancelled_once(void) {
    bench_t b = bench_open(1, 6);
    tmu_receive_id_t id = bench_post(&b, 1, 1, 1, 1);
    cancel(&b, 1, id, 2);
    cancel(&b, 1, id, 3);
    bench_settle(&b);
    cancel(&b, 1, id, 4);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CANCEL, 2, CANCELLED, 1);
    EXPECT_ANSWER(&b, CANCEL, 3, LATE, 0);
    EXPECT_ANSWER(&b, CANCEL, 4, LATE, 0);
    EXPECT_ANSWER(&b, ARRIVE, 11, QUEUED, 0);
    bench_close(&b);
}

static void stale_and_foreign_ids_are_late_by_the_unit(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_receive_id_t other = bench_post(&b, 2, 1, 1, 1);
    tmu_receive_id_t matched = bench_post(&b, 1, 1, 1, 2);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_settle(&b);
    cancel(&b, 1, other, 3);
    cancel(&b, 1, matched, 4);
    cancel(&b, 1, TMU_RECEIVE_NONE, 5);
    cancel(&b, 1, 0, 6);
    bench_settle(&b);
    for (uint64_t handle = 3; handle <= 6; handle++) {
        EXPECT_ANSWER(&b, CANCEL, handle, LATE, 0);
    }
    EXPECT_NUMBER(bench_counter(&b, "cancel_late"), 4);
    cancel(&b, 2, other, 7);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CANCEL, 7, CANCELLED, 1);
    bench_close(&b);
}

static void a_cancel_races_with_a_match(void) {
    bench_t b = bench_open(1, 6);
    tmu_receive_id_t id = bench_post(&b, 1, 1, 1, 1);
    bench_arrive(&b, 1, 1, 1, 11);
    cancel(&b, 1, id, 2);       /* the arrival is ahead of it in the same queue */
    bench_post(&b, 1, 2, 2, 3); /* must not get the index that the cancel names */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 11, MATCHED, 1);
    EXPECT_ANSWER(&b, CANCEL, 2, LATE, 0);
    EXPECT_ANSWER(&b, POST, 3, QUEUED, 0);
    tmu_depth_t depth;
    must(tmu_depth(b.device, 1, &depth), b.device);
    EXPECT_NUMBER(depth.posted, 1);
    bench_close(&b);
}

static void an_old_id_never_meets_a_younger_receive(void) {
    bench_t b = bench_open(1, 6);
    tmu_receive_id_t ids[200];
    for (uint32_t i = 0; i < 200; i++) { /* more than the id table's first size */
        ids[i] = bench_post(&b, 1, 1, i, i);
        bench_arrive(&b, 1, 1, (int32_t)i, 1000 + i);
    }
    bench_settle(&b);
    tmu_receive_id_t live = bench_post(&b, 1, 1, 1, 500);
    bench_settle(&b);
    for (uint32_t i = 0; i < 200; i++) {
        EXPECT(ids[i] != live);
        cancel(&b, 1, ids[i], 2000 + i);
        bench_settle(&b);
        EXPECT_ANSWER(&b, CANCEL, 2000 + i, LATE, 0);
    }
    cancel(&b, 1, live, 3000);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CANCEL, 3000, CANCELLED, 500);
    bench_close(&b);
}

static void ids_of_refused_and_flushed_receives_end(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_quota_set(b.device, 1, 1, 0), b.device);
    tmu_receive_id_t queued = bench_post(&b, 1, 1, 1, 1);
    tmu_receive_id_t refused = bench_post(&b, 1, 1, 2, 2);
    bench_settle(&b);
    cancel(&b, 1, refused, 3);
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 4));
    cancel(&b, 1, queued, 5);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 2, REFUSED_QUOTA, 0);
    EXPECT_ANSWER(&b, CANCEL, 3, LATE, 0);
    EXPECT_ANSWER(&b, CANCEL, 5, LATE, 0);
    bench_close(&b);
}

static void ids_die_with_a_reset(void) {
    bench_t b = bench_open(1, 6);
    tmu_receive_id_t id = bench_post(&b, 1, 1, 1, 1);
    bench_settle(&b);
    must(tmu_reset(b.device), b.device);
    bench_post(&b, 1, 1, 1, 2);
    cancel(&b, 1, id, 3);
    bench_arrive(&b, 1, 1, 1, 11);
    bench_settle(&b);
    EXPECT_ANSWER(&b, CANCEL, 3, LATE, 0);
    EXPECT_ANSWER(&b, ARRIVE, 11, MATCHED, 2);
    bench_close(&b);
}

static void all(void) {
    RUN(a_queued_receive_is_cancelled_once);
    RUN(stale_and_foreign_ids_are_late_by_the_unit);
    RUN(a_cancel_races_with_a_match);
    RUN(an_old_id_never_meets_a_younger_receive);
    RUN(ids_of_refused_and_flushed_receives_end);
    RUN(ids_die_with_a_reset);
}

int main(void) { return on_every_device(all); }
