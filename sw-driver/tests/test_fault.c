/* SPDX-License-Identifier: Apache-2.0
 *
 * Stored words that have lost a bit, as a program sees them.
 */
#include "fixture.h"

static bool checks(bench_t *b) {
    tmu_info_t info;
    must(tmu_query(b->device, &info), b->device);
    return (info.capabilities >> TMU_CAPABILITIES_PARITY_SHIFT & TMU_CAPABILITIES_PARITY_MASK) != 0;
}

static void arguments_are_checked(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    tmu_fault_stats_t stats;
    uint32_t bits = 0;
    EXPECT_NUMBER(tmu_fault_stats(NULL, &stats), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_fault_stats(b.device, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_fault_inject(b.device, TMU_FAULT_POSTED_STORE, 0, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_fault_inject(NULL, TMU_FAULT_POSTED_STORE, 0, &bits), TMU_ERR_INVALID);
    if (checks(&b)) {
        EXPECT_NUMBER(tmu_fault_inject(b.device, 31, 0, &bits), TMU_ERR_INVALID);
        EXPECT_TEXT(tmu_error_text(b.device), "place 31: the device checks nothing there");
        EXPECT_NUMBER(tmu_fault_inject(b.device, TMU_FAULT_MARKS, 1024, &bits), TMU_ERR_INVALID);
        EXPECT_TEXT(tmu_error_text(b.device), "bit 1024 of a stored word; the last one is 1023");
    } else {
        EXPECT_NUMBER(tmu_fault_inject(b.device, TMU_FAULT_MARKS, 0, &bits), TMU_ERR_INVALID);
        EXPECT_TEXT(tmu_error_text(b.device), "the device does not check stored words");
        must(tmu_fault_stats(b.device, &stats), b.device);
        EXPECT_NUMBER(stats.places, 0);
    }
    bench_close(&b);
}

static void a_flipped_bit_is_answered_and_a_reset_mends_it_R13(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    tmu_fault_stats_t stats;
    uint32_t bits = 0;
    if (checks(&b)) {
        must(tmu_fault_inject(b.device, TMU_FAULT_POSTED_STORE, 1, &bits), b.device);
        EXPECT(bits > 64);
        (void)bench_post(&b, 1, 1, 1, 100);
        (void)bench_post(&b, 2, 1, 1, 200);
        bench_settle(&b);
        EXPECT_ANSWER(&b, POST, 100, QUEUED, 0);
        must(tmu_fault_stats(b.device, &stats), b.device);
        EXPECT(stats.flipped);
        EXPECT_NUMBER(stats.places, 0); /* nobody has looked */
        bench_arrive(&b, 1, 1, 1, 101);
        bench_arrive(&b, 2, 1, 1, 201);
        bench_arrive(&b, 1, 2, 2, 102); /* the endpoint is not trusted any more */
        bench_settle(&b);
        EXPECT_ANSWER(&b, ARRIVE, 101, TABLE_FAULT, 0);
        EXPECT_ANSWER(&b, ARRIVE, 102, TABLE_FAULT, 0);
        EXPECT_ANSWER(&b, ARRIVE, 201, MATCHED, 200);
        must(tmu_fault_stats(b.device, &stats), b.device);
        EXPECT_NUMBER(stats.places, UINT32_C(1) << TMU_FAULT_POSTED_STORE);
        EXPECT_NUMBER(bench_counter(&b, "table_faults"), 2);
        must(tmu_reset(b.device), b.device);
        must(tmu_fault_stats(b.device, &stats), b.device);
        EXPECT_NUMBER(stats.places, 0);
        (void)bench_post(&b, 1, 1, 1, 300);
        bench_arrive(&b, 1, 1, 1, 301);
        bench_settle(&b);
        EXPECT_ANSWER(&b, ARRIVE, 301, MATCHED, 300);
    }
    bench_close(&b);
}

static void all(void) {
    RUN(arguments_are_checked);
    RUN(a_flipped_bit_is_answered_and_a_reset_mends_it_R13);
}

int main(void) { return on_every_device(all); }
