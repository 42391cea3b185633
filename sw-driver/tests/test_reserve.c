/* SPDX-License-Identifier: Apache-2.0
 *
 * Reserves: slots on chip that are kept for an endpoint while others fill the rest (R11, R13), and
 * what flow control makes of arrivals that may or may not have one.
 */
#include "fixture.h"
#include "tmu_internal.h"

#define TABLE 64 /* entries of a queue on chip, preset tiny */

static tmu_flow_stats_t stats_of(const bench_t *b) {
    tmu_flow_stats_t stats;
    must(tmu_flow_stats(b->device, &stats), b->device);
    return stats;
}

static tmu_depth_t depth_of(const bench_t *b, uint32_t endpoint) {
    tmu_depth_t depth;
    must(tmu_depth(b->device, endpoint, &depth), b->device);
    return depth;
}

/* So many messages for an endpoint, each of a source of its own; handles and tags count on. */
static void arrive_many(bench_t *b, uint32_t endpoint, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        bench_arrive(b, endpoint, i, 1, i);
    }
    bench_settle(b);
}

static void post_many(bench_t *b, uint32_t endpoint, uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        (void)bench_post(b, endpoint, i, 2, i);
    }
    bench_settle(b);
}

static void a_reserve_is_kept_while_another_endpoint_floods_R11_R13(void) {
    enum { POSTED = 20, UNEXPECTED = 10 };
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_reserve_set(b.device, 2, POSTED, UNEXPECTED), b.device);
    post_many(&b, 1, 0, TABLE);
    arrive_many(&b, 1, 1000, TABLE);
    EXPECT_NUMBER(depth_of(&b, 1).posted, TABLE - POSTED);
    EXPECT_NUMBER(depth_of(&b, 1).unexpected, TABLE - UNEXPECTED);
    EXPECT_ANSWER(&b, POST, TABLE - POSTED, REFUSED_QUOTA, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, UNEXPECTED);
    post_many(&b, 2, 2000, POSTED + 1);
    arrive_many(&b, 2, 3000, UNEXPECTED + 1);
    EXPECT_NUMBER(depth_of(&b, 2).posted, POSTED);
    EXPECT_NUMBER(depth_of(&b, 2).unexpected, UNEXPECTED);
    EXPECT_NUMBER(stats_of(&b).held_now, UNEXPECTED + 1);
    bench_arrive(&b, 1, 5, 2, 4000); /* hits need no room */
    (void)bench_post(&b, 1, 1005, 1, 4001);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 4000, MATCHED, 5);
    EXPECT_ANSWER(&b, POST, 4001, MATCHED, 1005);
    bench_close(&b);
}

static void what_surely_fits_beside_the_reserves_is_pipelined_R11(void) {
    const tmu_message_t message = {.handle = 1};
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_reserve_set(b.device, 2, 0, TABLE - 2), b.device);
    must(tmu_arrive(b.queue, 1, &message), b.device);
    must(tmu_arrive(b.queue, 1, &message), b.device);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 2);
    EXPECT_NUMBER(tmu_arrive(b.queue, 1, &message), TMU_AGAIN); /* it may find no slot */
    EXPECT_NUMBER(tmu_reserve_set(b.device, 2, 0, 0), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, 0);
    bench_close(&b);
}

/* More messages than surely fit, so that the driver's bound is full from here on: two of endpoint
 * 1, which may have four, and of endpoint 2 half of its reserve. */
static bench_t full_by_bound(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_reserve_set(b.device, 2, 0, TABLE - 4), b.device);
    arrive_many(&b, 2, 200, TABLE / 2 - 2);
    arrive_many(&b, 1, 100, 2);
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    return b;
}

static void an_arrival_is_admitted_though_the_bound_is_full_R11(void) {
    bench_t b = full_by_bound();
    arrive_many(&b, 1, 102, 2);
    EXPECT_ANSWER(&b, ARRIVE, 103, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).stalls, 0);
    arrive_many(&b, 1, 104, 1);
    EXPECT_NUMBER(stats_of(&b).stalls, 1);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_close(&b);
}

static void a_held_arrival_resumes_while_the_bound_is_full_R11(void) {
    bench_t b = full_by_bound();
    arrive_many(&b, 1, 102, 3); /* the last one is held */
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_claim(&b, 2, 200, 1, 1); /* a slot of the reserve comes back to its owner */
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_claim(&b, 1, 100, 1, 2);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 104, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    bench_close(&b);
}

static void held_arrivals_are_not_tried_before_an_entry_leaves_R11(void) {
    bench_t b = full_by_bound();
    arrive_many(&b, 1, 102, 6); /* four of these are held */
    EXPECT_NUMBER(stats_of(&b).stalls, 4);
    arrive_many(&b, 2, 300, 1);
    (void)bench_post(&b, 2, 5, 5, 400);
    bench_claim(&b, 1, 5, 5, 401);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, 4);
    EXPECT_NUMBER(stats_of(&b).held_now, 4);
    bench_claim(&b, 2, 200, 1, 402); /* its owner's slot: the first one that stalls tells it all */
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, 5);
    bench_claim(&b, 1, 100, 1, 403);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).stalls, 6);
    EXPECT_NUMBER(stats_of(&b).held_now, 3);
    bench_close(&b);
}

/* Polls only the queue that makes room, then only the one that waits for it. */
static void room_made_by_another_queue_while_the_bound_is_full_R11(void) {
    bench_t b = full_by_bound();
    bench_t own = bench_another(&b, 1);
    arrive_many(&b, 1, 102, 3);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_claim(&own, 1, 100, 1, 1);
    bench_settle(&own);
    EXPECT_ANSWER(&own, CLAIM, 1, MATCHED, 100);
    EXPECT(tmu_endpoint_stalled(own.queue, 1));
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 104, QUEUED, 0);
    free(own.log);
    bench_close(&b);
}

static void room_made_before_an_arrival_is_held_is_seen_R11(void) {
    bench_t b = full_by_bound();
    bench_t own = bench_another(&b, 1);
    arrive_many(&b, 1, 102, 2);
    bench_arrive(&b, 1, 104, 1, 104);
    for (unsigned i = 0; i < 50; i++) { /* the unit answers `stalled`; the driver does not know */
        must(tmu_progress(b.device, 64), b.device);
    }
    bench_claim(&own, 1, 100, 1, 1);
    bench_settle(&own);
    EXPECT_ANSWER(&own, CLAIM, 1, MATCHED, 100);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 104, QUEUED, 0);
    free(own.log);
    bench_close(&b);
}

static void another_limit_lets_held_arrivals_in_R11(void) {
    bench_t b = full_by_bound();
    arrive_many(&b, 1, 102, 4);
    EXPECT_NUMBER(stats_of(&b).held_now, 2);
    must(tmu_reserve_set(b.device, 2, 0, TABLE - 5), b.device); /* one slot less is kept */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 104, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    must(tmu_quota_set(b.device, 3, 0, 1), b.device);
    bench_settle(&b);
    arrive_many(&b, 3, 500, 2); /* no slot */
    EXPECT_NUMBER(stats_of(&b).held_now, 3);
    must(tmu_reserve_set(b.device, 3, 0, 5), b.device); /* both might, but for the quota */
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 500, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 2);
    must(tmu_quota_set(b.device, 3, 0, 2), b.device);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 501, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).held_now, 1);
    bench_close(&b);
}

static void more_is_promised_than_is_free_until_enough_has_left_R11(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    arrive_many(&b, 1, 0, TABLE);
    must(tmu_reserve_set(b.device, 2, 0, 2), b.device);
    EXPECT_NUMBER(depth_of(&b, 1).unexpected, TABLE);
    arrive_many(&b, 1, 100, 1);
    for (uint32_t i = 0; i < 2; i++) {
        bench_claim(&b, 1, i, 1, i);
        bench_settle(&b);
        EXPECT_NUMBER(stats_of(&b).held_now, 1);
    }
    bench_claim(&b, 1, 2, 1, 2);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 100, QUEUED, 0);
    bench_close(&b);
}

static void reserves_that_no_table_has_are_refused(void) {
    bench_t b = bench_open(1, 6);
    must(tmu_reserve_set(b.device, 1, 40, 30), b.device);
    EXPECT_NUMBER(tmu_reserve_set(b.device, 2, TABLE - 39, 0), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device), "a reserve of 25 receives and 40 of other endpoints: the "
                                          "table has 64 slots");
    EXPECT_NUMBER(tmu_reserve_set(b.device, 2, 0, UINT32_MAX), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device), "a reserve of 4294967295 messages and 30 of other "
                                          "endpoints: the table has 64 slots");
    must(tmu_reserve_set(b.device, 2, TABLE - 40, TABLE - 30), b.device);
    EXPECT_NUMBER(tmu_reserve_set(b.device, 1, 41, 30), TMU_ERR_INVALID);
    must(tmu_reserve_set(b.device, 2, 0, 0), b.device);
    must(tmu_reserve_set(b.device, 1, TABLE, TABLE), b.device);
    EXPECT_NUMBER(tmu_reserve_set(b.device, 4, 0, 0), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "endpoint 4 is out of range: the device has endpoints 0 to 3");
    EXPECT_NUMBER(tmu_reserve_set(NULL, 1, 1, 1), TMU_ERR_INVALID);
    bench_close(&b);
}

static void quota_and_reserve_leave_each_other_alone_R11(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_reserve_set(b.device, 2, 3, 0), b.device);
    must(tmu_quota_set(b.device, 2, 2, 0), b.device);
    post_many(&b, 1, 0, TABLE);
    post_many(&b, 2, 1000, 3);
    EXPECT_NUMBER(depth_of(&b, 1).posted, TABLE - 3);
    EXPECT_NUMBER(depth_of(&b, 2).posted, 2);
    must(tmu_reserve_set(b.device, 2, 2, 0), b.device);
    post_many(&b, 1, 2000, 2);
    post_many(&b, 2, 3000, 1); /* the quota is what it was */
    EXPECT_NUMBER(depth_of(&b, 1).posted, TABLE - 2);
    EXPECT_NUMBER(depth_of(&b, 2).posted, 2);
    bench_close(&b);
}

static void a_reset_keeps_reserves_R14(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    must(tmu_reserve_set(b.device, 2, 8, 8), b.device);
    for (unsigned lap = 0; lap < 3; lap++) {
        post_many(&b, 1, 0, TABLE);
        arrive_many(&b, 1, 1000, TABLE);
        EXPECT_NUMBER(depth_of(&b, 1).posted, TABLE - 8);
        EXPECT_NUMBER(depth_of(&b, 1).unexpected, TABLE - 8);
        EXPECT_NUMBER(stats_of(&b).held_now, 8);
        must(tmu_reset(b.device), b.device);
        EXPECT_NUMBER(depth_of(&b, 1).posted, 0);
    }
    bench_close(&b);
}

/* An endpoint that another one's reserve leaves no slot on chip has all of memory, and nothing
 * more; what was sure to have room has it. */
static void a_reserve_is_kept_beside_memory_that_is_used_up_R11(void) {
    enum {
        CHUNK = TMU_SPILL_CHUNK_ENTRIES,
        ALL = TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES * CHUNK
    };
    for (unsigned lap = 0; lap < 2; lap++) {
        bench_t b = bench_open(TMU_ENDPOINT_ANY, 12);
        if (lap == 0) {
            must(tmu_reserve_set(b.device, 2, TABLE, TABLE), b.device);
        }
        must(tmu_spill_add(b.device, 1), b.device);
        if (lap == 1) {
            must(tmu_reserve_set(b.device, 2, TABLE, TABLE), b.device);
        }
        for (uint32_t i = 0; i < ALL + CHUNK; i++) {
            bench_arrive(&b, 1, i, 1, i);
        }
        bench_settle(&b);
        EXPECT_NUMBER(depth_of(&b, 1).unexpected, ALL);
        EXPECT_NUMBER(stats_of(&b).held_now, CHUNK);
        for (uint32_t i = 0; i < TABLE; i++) {
            bench_arrive(&b, 2, i, 1, ALL + CHUNK + i);
        }
        bench_settle(&b);
        EXPECT_NUMBER(depth_of(&b, 2).unexpected, TABLE);
        for (uint32_t i = 0; i < CHUNK; i++) {
            bench_claim(&b, 1, i, 1, i);
        }
        bench_settle(&b);
        EXPECT_NUMBER(stats_of(&b).held_now, 0);
        EXPECT_NUMBER(depth_of(&b, 1).unexpected, ALL);
        bench_close(&b);
    }
}

static bool count_entry(void *user, const tmu_entry_t *entry) {
    unsigned *count = user;
    *count += !entry->spilled;
    return true;
}

/* With registered memory nobody is refused, and the slots that are kept are on chip, where a dump
 * sees what lies in them. */
static void with_registered_memory_a_reserve_keeps_slots_on_chip_R11(void) {
    enum { N = 2 * TABLE, RESERVE = 8 };
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    unsigned on_chip = 0;
    must(tmu_reserve_set(b.device, 2, RESERVE, RESERVE), b.device);
    must(tmu_spill_add(b.device, 1), b.device);
    post_many(&b, 1, 0, N);
    arrive_many(&b, 1, 1000, N);
    post_many(&b, 2, 2000, RESERVE);
    arrive_many(&b, 2, 3000, RESERVE);
    EXPECT_NUMBER(depth_of(&b, 1).posted, N);
    EXPECT_NUMBER(depth_of(&b, 1).unexpected, N);
    EXPECT_NUMBER(stats_of(&b).held_now, 0);
    must(tmu_dump(b.queue, 2, count_entry, &on_chip), b.device);
    EXPECT_NUMBER(on_chip, 2 * RESERVE);
    for (uint32_t i = N; i-- > 0;) {
        bench_arrive(&b, 1, i, 2, 5000 + i);
        bench_claim(&b, 1, 1000 + i, 1, i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < N; i++) {
        EXPECT_ANSWER(&b, ARRIVE, 5000 + i, MATCHED, i);
        EXPECT_ANSWER(&b, CLAIM, i, MATCHED, 1000 + i);
    }
    must(tmu_reset(b.device), b.device); /* registers the memory again, and restores the reserve */
    post_many(&b, 1, 0, N);
    EXPECT_NUMBER(depth_of(&b, 1).posted, N);
    bench_close(&b);
}

static void a_device_without_reserves_is_given_none(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    b.device->info.capabilities &= ~(1U << TMU_CAPABILITIES_RESERVE_SHIFT);
    EXPECT_NUMBER(tmu_reserve_set(b.device, 1, 0, 1), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device), "the device was built without reserves");
    must(tmu_reserve_set(b.device, 1, 0, 0), b.device);
    bench_close(&b);
}

static void all(void) {
    RUN(a_reserve_is_kept_while_another_endpoint_floods_R11_R13);
    RUN(what_surely_fits_beside_the_reserves_is_pipelined_R11);
    RUN(an_arrival_is_admitted_though_the_bound_is_full_R11);
    RUN(a_held_arrival_resumes_while_the_bound_is_full_R11);
    RUN(held_arrivals_are_not_tried_before_an_entry_leaves_R11);
    RUN(room_made_by_another_queue_while_the_bound_is_full_R11);
    RUN(room_made_before_an_arrival_is_held_is_seen_R11);
    RUN(another_limit_lets_held_arrivals_in_R11);
    RUN(more_is_promised_than_is_free_until_enough_has_left_R11);
    RUN(reserves_that_no_table_has_are_refused);
    RUN(a_device_without_reserves_is_given_none);
    RUN(quota_and_reserve_leave_each_other_alone_R11);
    RUN(a_reset_keeps_reserves_R14);
    RUN(with_registered_memory_a_reserve_keeps_slots_on_chip_R11);
}

int main(void) {
    RUN(a_reserve_is_kept_beside_memory_that_is_used_up_R11);
    return on_every_device(all);
}
