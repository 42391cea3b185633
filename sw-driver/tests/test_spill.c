/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory registered with the unit: queues go on in it when a table is full (R11).
 */
#include "spill_fixture.h"
#include "tmu_internal.h"

static void memory_is_registered_up_to_what_the_unit_takes(void) {
    bench_t b = bench_open(1, 4);
    tmu_info_t info;
    must(tmu_query(b.device, &info), b.device);
    EXPECT_NUMBER(info.spill_segments, 4);
    EXPECT_NUMBER(stats_of(&b).chunks, 0);
    EXPECT_NUMBER(stats_of(&b).chunks_free, 0);
    EXPECT_NUMBER(tmu_spill_add(b.device, 5), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "0 segments of spill memory and 5 more: the device takes 4 at most");
    must(tmu_spill_add(b.device, 0), b.device);
    must(tmu_spill_add(b.device, 3), b.device);
    EXPECT_NUMBER(tmu_spill_add(b.device, 2), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "3 segments of spill memory and 2 more: the device takes 4 at most");
    EXPECT_NUMBER(stats_of(&b).segments, 3);
    must(tmu_spill_add(b.device, 1), b.device);
    EXPECT_NUMBER(stats_of(&b).segments, 4);
    EXPECT_NUMBER(stats_of(&b).chunks, 4 * SEGMENT_CHUNKS);
    EXPECT_NUMBER(stats_of(&b).chunks_free, 4 * SEGMENT_CHUNKS);
    EXPECT_NUMBER(tmu_spill_add(NULL, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_spill_stats(b.device, NULL), TMU_ERR_INVALID);
    bench_close(&b);
}

static void receives_go_on_in_memory_and_all_match_R11(void) {
    enum { N = 3 * TABLE };
    bench_t b = spill_open(1, 6, 1);
    tmu_depth_t depth;
    for (uint32_t i = 0; i < N; i++) {
        (void)bench_post(&b, 1, 1, i, i);
    }
    bench_settle(&b);
    must(tmu_depth(b.device, 1, &depth), b.device);
    EXPECT_NUMBER(depth.posted, N);
    EXPECT(stats_of(&b).chunks_free < SEGMENT_CHUNKS);
    for (uint32_t i = N; i-- > 0;) {
        bench_arrive(&b, 1, 1, (int32_t)i, 1000 + i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < N; i++) {
        EXPECT_ANSWER(&b, POST, i, QUEUED, 0);
        EXPECT_ANSWER(&b, ARRIVE, 1000 + i, MATCHED, i);
    }
    EXPECT_NUMBER(stats_of(&b).chunks_free, SEGMENT_CHUNKS);
    bench_close(&b);
}

/* Queues so many messages; behind them two more are on their way at once. */
static void queue_messages(bench_t *b, uint32_t count) {
    const tmu_message_t message = {.handle = 5000};
    for (uint32_t i = 0; i < count; i++) {
        bench_arrive(b, 1, 1, (int32_t)i, i);
    }
    bench_settle(b);
    must(tmu_arrive(b->queue, 1, &message), b->device);
    must(tmu_arrive(b->queue, 1, &message), b->device);
    EXPECT_NUMBER(tmu_queue_in_flight(b->queue), 2);
}

static void messages_beyond_the_table_are_pipelined_R11(void) {
    enum { N = 3 * TABLE };
    bench_t b = spill_open(1, 6, 1);
    queue_messages(&b, N);
    for (uint32_t i = N; i-- > 0;) {
        bench_claim(&b, 1, 1, i, 1000 + i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < N; i++) {
        EXPECT_ANSWER(&b, ARRIVE, i, QUEUED, 0);
        EXPECT_ANSWER(&b, CLAIM, 1000 + i, MATCHED, i);
    }
    EXPECT_NUMBER(held(&b), 0);
    bench_close(&b);
}

/* More entries than chunks: the driver reads now and then how many are free. */
static void messages_beyond_the_chunks_are_pipelined_R11(void) {
    enum { N = TABLE + 2 * SEGMENT_CHUNKS };
    bench_t b = spill_open(1, 6, 1);
    queue_messages(&b, N);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, N - 1, QUEUED, 0);
    EXPECT_NUMBER(held(&b), 0);
    bench_close(&b);
}

static void cancels_and_a_flush_reach_memory_R10_R14(void) {
    enum { N = 2 * TABLE };
    bench_t b = spill_open(TMU_ENDPOINT_ANY, 5, 1);
    tmu_receive_id_t id[N];
    for (uint32_t i = 0; i < N; i++) {
        id[i] = bench_post(&b, 1, 1, i, i);
        bench_arrive(&b, 1, 2, (int32_t)i, i);
        (void)bench_post(&b, 2, 1, i, 1000 + i); /* another's: stays */
    }
    for (uint32_t i = 0; i < N; i += 4) {
        SUBMIT(&b, tmu_cancel(b.queue, 1, id[i], 2000 + i));
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < N; i += 4) {
        EXPECT_ANSWER(&b, CANCEL, 2000 + i, CANCELLED, i);
    }
    const size_t before = b.count;
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 3000));
    bench_settle(&b);
    const tmu_completion_t flushed = bench_answer(&b, TMU_OPCODE_FLUSH, 3000);
    EXPECT_NUMBER(flushed.status, TMU_STATUS_FLUSHED);
    EXPECT_NUMBER(flushed.removed_posted, N - N / 4);
    EXPECT_NUMBER(flushed.removed_unexpected, N);
    EXPECT_NUMBER(b.count - before, N - N / 4 + N + 1);
    uint64_t next[2] = {0, 0};
    for (size_t i = before; i + 1 < b.count; i++) { /* of each queue oldest first */
        const tmu_completion_t *c = &b.log[i];
        EXPECT_NUMBER(c->status, TMU_STATUS_REMOVED);
        EXPECT(c->other >= next[c->unexpected]);
        next[c->unexpected] = c->other + 1;
    }
    tmu_depth_t depth;
    must(tmu_depth(b.device, 2, &depth), b.device);
    EXPECT_NUMBER(depth.posted, N);
    bench_close(&b);
}

static void a_quota_may_be_larger_than_the_table_R11(void) {
    enum { QUOTA = TABLE + 40 };
    bench_t b = spill_open(1, 6, 1);
    must(tmu_quota_set(b.device, 1, QUOTA, QUOTA), b.device);
    for (uint32_t i = 0; i <= QUOTA; i++) {
        (void)bench_post(&b, 1, 1, i, i);
        bench_arrive(&b, 1, 2, (int32_t)i, i);
    }
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, QUOTA - 1, QUEUED, 0);
    EXPECT_ANSWER(&b, POST, QUOTA, REFUSED_QUOTA, 0);
    EXPECT_ANSWER(&b, ARRIVE, QUOTA - 1, QUEUED, 0);
    EXPECT_NUMBER(held(&b), 1);
    EXPECT_NUMBER(bench_counter(&b, "spill_refused"), 0);
    bench_claim(&b, 1, 2, 50, 900);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, QUOTA, QUEUED, 0);
    EXPECT_NUMBER(tmu_quota_set(b.device, 1, 0, TMU_QUOTA_MAX + 1), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "quota 1048577 is too large; 1048576 entries are the most");
    must(tmu_quota_set(b.device, 1, TMU_QUOTA_MAX, TMU_QUOTA_MAX), b.device);
    bench_close(&b);
}

static void a_reset_registers_the_memory_again_R14(void) {
    bench_t b = spill_open(1, 6, 2);
    for (unsigned lap = 0; lap < 3; lap++) {
        b.count = 0;
        for (uint32_t i = 0; i < 2 * TABLE; i++) {
            (void)bench_post(&b, 1, 1, i, i);
        }
        bench_settle(&b);
        EXPECT_ANSWER(&b, POST, 2 * TABLE - 1, QUEUED, 0);
        EXPECT_NUMBER(stats_of(&b).segments, 2);
        must(tmu_reset(b.device), b.device);
        EXPECT_NUMBER(stats_of(&b).chunks_free, 2 * SEGMENT_CHUNKS);
    }
    bench_close(&b);
}

static void memory_may_be_registered_when_a_table_is_full_R11(void) {
    bench_t b = bench_open(1, 6);
    for (uint32_t i = 0; i < TABLE + 10; i++) {
        bench_arrive(&b, 1, i, 1, i);
        (void)bench_post(&b, 1, 1000, i, i);
    }
    bench_settle(&b);
    EXPECT_NUMBER(held(&b), 10);
    EXPECT_ANSWER(&b, POST, TABLE, REFUSED_QUOTA, 0);
    must(tmu_spill_add(b.device, 1), b.device);
    bench_settle(&b);
    EXPECT_NUMBER(held(&b), 0);
    EXPECT_ANSWER(&b, ARRIVE, TABLE + 9, QUEUED, 0);
    (void)bench_post(&b, 1, 1000, 1, 500);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 500, QUEUED, 0);
    bench_close(&b);
}

/* Fills the table of receives and all memory. */
static bench_t exhausted(tmu_receive_id_t *last_p) {
    bench_t b = spill_open(1, 12, 1);
    for (uint32_t i = 0; i < TABLE + SEGMENT_ENTRIES; i++) {
        *last_p = bench_post(&b, 1, 1, i, i);
    }
    for (uint32_t i = 0; i < TABLE; i++) { /* on chip */
        bench_arrive(&b, 1, 2, (int32_t)i, i);
    }
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, TABLE + SEGMENT_ENTRIES - 1, QUEUED, 0);
    EXPECT_NUMBER(stats_of(&b).chunks_free, 0);
    EXPECT_NUMBER(bench_counter(&b, "spill_refused"), 0);
    return b;
}

static void without_a_free_chunk_posts_are_refused_and_arrivals_held_R11(void) {
    tmu_receive_id_t last = TMU_RECEIVE_NONE;
    bench_t b = exhausted(&last);
    (void)bench_post(&b, 1, 1, 1, 500000);
    bench_arrive(&b, 1, 2, 100, 500001);
    bench_arrive(&b, 1, 2, 101, 500002);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 500000, REFUSED_QUOTA, 0);
    EXPECT_NUMBER(held(&b), 2);
    EXPECT_NUMBER(bench_counter(&b, "spill_refused"), 2);
    for (uint32_t i = 0; i < TMU_SPILL_CHUNK_ENTRIES; i++) { /* room for as many */
        bench_arrive(&b, 1, 1, (int32_t)i, 600000 + i);
    }
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 500001, QUEUED, 0);
    EXPECT_ANSWER(&b, ARRIVE, 500002, QUEUED, 0);
    EXPECT_NUMBER(held(&b), 0);
    bench_close(&b);
}

static void a_receive_meets_its_message_without_a_free_chunk_R11(void) {
    tmu_receive_id_t last = TMU_RECEIVE_NONE;
    bench_t b = exhausted(&last);
    bench_arrive(&b, 1, 3, 100, 500001);
    bench_settle(&b);
    EXPECT_NUMBER(held(&b), 1);
    for (uint32_t i = 0; i < TMU_SPILL_CHUNK_ENTRIES; i++) { /* receives and their room are taken */
        bench_arrive(&b, 1, 1, (int32_t)i, 600000 + i);
    }
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 600007, MATCHED, 7);
    EXPECT_ANSWER(&b, ARRIVE, 500001, QUEUED, 0);
    bench_close(&b);
}

static void a_chunk_that_is_free_without_a_completion_is_seen_R11(void) {
    tmu_receive_id_t last = TMU_RECEIVE_NONE;
    bench_t b = exhausted(&last);
    bench_arrive(&b, 1, 2, 100, 500001);
    bench_settle(&b);
    EXPECT_NUMBER(held(&b), 1);
    tmu_device_stop(b.device); /* behind the driver's back: nothing but SPILL_FREE tells */
    must(tmu_device_write(b.device, TMU_REG_SPILL_COMMIT, 1), b.device);
    tmu_device_go(b.device);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 500001, QUEUED, 0);
    EXPECT_NUMBER(held(&b), 0);
    bench_close(&b);
}

/* The hardware itself: the memory goes away behind the unit's back. */
static void memory_that_goes_away_fails_and_a_reset_mends_it_R13(void) {
    bench_t b = spill_open(TMU_ENDPOINT_ANY, 6, 1);
    /* So many that the oldest of those in memory do not lie on chip as well. */
    for (uint32_t i = 0; i < TABLE + 7 * TMU_SPILL_CHUNK_ENTRIES; i++) {
        (void)bench_post(&b, 1, 1, i, i);
    }
    bench_settle(&b);
    if (keeps_memory(&b)) {
        b.device->ops->dma_free(b.device->backend, &b.device->segments[0]);
        bench_arrive(&b, 1, 1, TABLE + 1, 1001);
        bench_arrive(&b, 1, 1, 3, 1002); /* on chip */
        bench_settle(&b);
        EXPECT_ANSWER(&b, ARRIVE, 1001, SPILL_FAILED, 0);
        EXPECT_ANSWER(&b, ARRIVE, 1002, MATCHED, 3);
        EXPECT(bench_counter(&b, "spill_errors") > 0);
        must(b.device->ops->dma_alloc(b.device->backend, TMU_SPILL_SEGMENT_BYTES,
                                      &b.device->segments[0]),
             b.device);
    }
    must(tmu_reset(b.device), b.device);
    (void)bench_post(&b, 1, 1, 1, 2000);
    bench_arrive(&b, 1, 1, 1, 2001);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 2001, MATCHED, 2000);
    bench_close(&b);
}

static void all(void) {
    RUN(memory_is_registered_up_to_what_the_unit_takes);
    RUN(receives_go_on_in_memory_and_all_match_R11);
    RUN(messages_beyond_the_table_are_pipelined_R11);
    RUN(messages_beyond_the_chunks_are_pipelined_R11);
    RUN(cancels_and_a_flush_reach_memory_R10_R14);
    RUN(a_quota_may_be_larger_than_the_table_R11);
    RUN(a_reset_registers_the_memory_again_R14);
    RUN(memory_may_be_registered_when_a_table_is_full_R11);
    RUN(memory_that_goes_away_fails_and_a_reset_mends_it_R13);
}

int main(void) {
    RUN(without_a_free_chunk_posts_are_refused_and_arrivals_held_R11);
    RUN(a_receive_meets_its_message_without_a_free_chunk_R11);
    RUN(a_chunk_that_is_free_without_a_completion_is_seen_R11);
    return on_every_device(all);
}
