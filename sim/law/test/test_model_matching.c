/* SPDX-License-Identifier: Apache-2.0 */
/* Entries that match, and the choice among several: R1 to R9, R12, R15. */
#include "fixture.h"
#include "model_state.h"

static void r1_compares_endpoint_context_source_and_tag(void) {
    tmu_model_t *model = new_model(2, 0);
    EXPECT_VERDICT(post(model, 0, 1, mpi_key(7, 3, 9)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 1, 100, mpi_key(7, 3, 9)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 101, mpi_key(8, 3, 9)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 102, mpi_key(7, 4, 9)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 103, mpi_key(7, 3, 8)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 104, mpi_key(7, 3, 9)), TMU_MODEL_MATCHED, 1);
    tmu_model_destroy(model);
}

static void r1_compares_each_key_bit(void) {
    tmu_model_t *model = new_model(1, 0);
    for (unsigned bit = 0; bit < 96; bit++) {
        tmu_model_key_t one = {.match = bit < 64 ? UINT64_C(1) << bit : 0,
                               .source = bit < 64 ? 0 : 1U << (bit - 64)};
        tmu_model_key_t ignored = {.ignore = one.match, .source_ignore = one.source};
        EXPECT_VERDICT(arrive(model, 0, 5, one), TMU_MODEL_QUEUED, 0);
        EXPECT_STATUS(probe(model, 0, 6, (tmu_model_key_t){0}), TMU_MODEL_NONE);
        EXPECT_VERDICT(probe(model, 0, 7, ignored), TMU_MODEL_FOUND, 5);
        EXPECT_VERDICT(claim(model, 0, 8, one), TMU_MODEL_MATCHED, 5);
    }
    tmu_model_destroy(model);
}

static void r2_any_source_ignores_all_of_source(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, ANY_SOURCE, 5));
    post(model, 0, 2, mpi_key(0, ANY_SOURCE, 5));
    EXPECT_VERDICT(arrive(model, 0, 10, mpi_key(0, UINT32_MAX, 5)), TMU_MODEL_MATCHED, 1);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 0, 6)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 12, mpi_key(0, 0, 5)), TMU_MODEL_MATCHED, 2);
    tmu_model_destroy(model);
}

static void r2_any_tag_never_matches_a_negative_tag(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, 1, ANY_TAG));
    EXPECT_VERDICT(arrive(model, 0, 10, mpi_key(0, 1, -1)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, INT32_MIN)), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 12, mpi_key(0, 1, INT32_MAX)), TMU_MODEL_MATCHED, 1);
    EXPECT_STATUS(probe(model, 0, 2, mpi_key(0, 1, ANY_TAG)), TMU_MODEL_NONE);
    EXPECT_VERDICT(post(model, 0, 3, mpi_key(0, 1, -1)), TMU_MODEL_MATCHED, 10);
    EXPECT_VERDICT(post(model, 0, 4, mpi_key(0, 1, INT32_MIN)), TMU_MODEL_MATCHED, 11);
    tmu_model_destroy(model);
}

static void r2_takes_arbitrary_ignore_masks(void) {
    tmu_model_t *model = new_model(1, 0);
    tmu_model_key_t masked = {.match = 0xff00ff00aa55aa55,
                              .ignore = 0x00ffffffffff00ff,
                              .source = 0x12340000,
                              .source_ignore = 0x0000ffff};
    post(model, 0, 1, masked);
    tmu_model_key_t wrong_low = {.match = 0xff0000000000ab00, .source = 0x12345678};
    tmu_model_key_t wrong_source = {.match = 0xff0000000000aa00, .source = 0x12355678};
    tmu_model_key_t right = {.match = 0xff1234567890aaff, .source = 0x1234ffff};
    EXPECT_VERDICT(arrive(model, 0, 10, wrong_low), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 11, wrong_source), TMU_MODEL_QUEUED, 0);
    EXPECT_VERDICT(arrive(model, 0, 12, right), TMU_MODEL_MATCHED, 1);
    tmu_model_destroy(model);
}

static void r2_a_raw_mask_may_ignore_the_context(void) {
    tmu_model_t *model = new_model(1, 0);
    arrive(model, 0, 10, mpi_key(77, 1, 5));
    tmu_model_key_t no_context = {.match = 5, .ignore = UINT64_C(0xffffffff) << 32, .source = 1};
    EXPECT_VERDICT(post(model, 0, 1, no_context), TMU_MODEL_MATCHED, 10);
    tmu_model_destroy(model);
}

static void r3_an_arrival_takes_the_oldest_receive(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, 9, 9)); /* does not match */
    post(model, 0, 2, mpi_key(0, ANY_SOURCE, ANY_TAG));
    post(model, 0, 3, mpi_key(0, 1, 5));
    post(model, 0, 4, mpi_key(0, ANY_SOURCE, 5));
    tmu_model_verdict_t first = arrive(model, 0, 10, mpi_key(0, 1, 5));
    EXPECT_VERDICT(first, TMU_MODEL_MATCHED, 2);
    EXPECT_NUMBER(first.visited, 2);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 3);
    EXPECT_VERDICT(arrive(model, 0, 12, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 4);
    tmu_model_verdict_t miss = arrive(model, 0, 13, mpi_key(0, 1, 5));
    EXPECT_VERDICT(miss, TMU_MODEL_QUEUED, 0);
    EXPECT_NUMBER(miss.visited, 1);
    tmu_model_destroy(model);
}

static void r4_a_post_takes_the_oldest_message(void) {
    tmu_model_t *model = new_model(1, 0);
    arrive(model, 0, 10, mpi_key(0, 2, 6));
    arrive(model, 0, 11, mpi_key(0, 1, 5));
    arrive(model, 0, 12, mpi_key(0, 1, 5));
    EXPECT_VERDICT(post(model, 0, 1, mpi_key(0, 1, ANY_TAG)), TMU_MODEL_MATCHED, 11);
    EXPECT_VERDICT(post(model, 0, 2, mpi_key(0, ANY_SOURCE, ANY_TAG)), TMU_MODEL_MATCHED, 10);
    EXPECT_VERDICT(post(model, 0, 3, mpi_key(0, ANY_SOURCE, 5)), TMU_MODEL_MATCHED, 12);
    tmu_model_destroy(model);
}

static void r5_r6_search_before_append(void) {
    tmu_model_t *model = new_model(1, 0);
    arrive(model, 0, 10, mpi_key(0, 1, 5));
    EXPECT_VERDICT(post(model, 0, 1, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 10);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 0);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), 0);
    EXPECT_VERDICT(post(model, 0, 2, mpi_key(0, 1, 5)), TMU_MODEL_QUEUED, 0);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 1);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 2);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 0);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), 0);
    tmu_model_destroy(model);
}

static void r7_messages_of_one_source_keep_their_order(void) {
    tmu_model_t *model = new_model(1, 0);
    for (uint64_t i = 0; i < 50; i++) {
        arrive(model, 0, 100 + i, mpi_key(0, i % 2, 5));
    }
    for (uint64_t i = 0; i < 25; i++) {
        EXPECT_VERDICT(post(model, 0, i, mpi_key(0, 1, ANY_TAG)), TMU_MODEL_MATCHED, 101 + 2 * i);
    }
    tmu_model_destroy(model);
}

static void r7_serial_numbers_count_per_endpoint(void) {
    tmu_model_t *model = new_model(2, 1);
    EXPECT_NUMBER(post(model, 0, 1, mpi_key(0, 1, 5)).serial, 0);
    EXPECT_NUMBER(post(model, 1, 2, mpi_key(0, 1, 5)).serial, 0);
    EXPECT_NUMBER(post(model, 0, 3, mpi_key(0, 1, 6)).serial, 1); /* refused */
    EXPECT_NUMBER(probe(model, 0, 4, everything).serial, 2);
    EXPECT_NUMBER(claim(model, 0, 5, everything).serial, 3);
    EXPECT_NUMBER(arrive(model, 0, 6, mpi_key(0, 9, 9)).serial, 4);
    EXPECT_NUMBER(arrive(model, 0, 7, mpi_key(0, 9, 9)).serial, 5); /* stalled */
    EXPECT_NUMBER(post(model, 2, 8, mpi_key(0, 1, 5)).serial, 0);   /* no such endpoint */
    EXPECT_NUMBER(cancel(model, 0, 9, 77).serial, 6);
    EXPECT_NUMBER(flush(model, 0, 10, everything, NULL, NULL).serial, 7);
    tmu_model_entry_t entry;
    EXPECT_NUMBER(tmu_model_inspect(model, 0, TMU_MODEL_POSTED, 0, &entry), TMU_MODEL_NONE);
    EXPECT_NUMBER(probe(model, 0, 11, everything).serial, 8);
    EXPECT_NUMBER(probe(model, 1, 12, everything).serial, 1);
    tmu_model_destroy(model);
}

static void r7_serial_numbers_go_on_with_0_after_their_last(void) {
    tmu_model_t *model = new_model(2, 0);
    model->endpoint[1].next_serial = UINT32_MAX - 1;
    EXPECT_NUMBER(post(model, 1, 1, mpi_key(0, 1, 5)).serial, UINT32_MAX - 1);
    EXPECT_NUMBER(post(model, 1, 2, mpi_key(0, 1, 5)).serial, UINT32_MAX);
    EXPECT_NUMBER(arrive(model, 1, 3, mpi_key(0, 1, 5)).serial, 0);
    EXPECT_NUMBER(flush(model, 1, 4, everything, NULL, NULL).serial, 1);
    EXPECT_NUMBER(probe(model, 0, 5, everything).serial, 0);
    tmu_model_destroy(model);
}

static void r8_a_probe_changes_nothing(void) {
    tmu_model_t *model = new_model(1, 0);
    EXPECT_STATUS(probe(model, 0, 1, mpi_key(0, 1, 5)), TMU_MODEL_NONE);
    arrive(model, 0, 10, mpi_key(0, 1, 5));
    arrive(model, 0, 11, mpi_key(0, 1, 5));
    for (uint64_t i = 0; i < 3; i++) {
        tmu_model_verdict_t verdict = probe(model, 0, 2 + i, mpi_key(0, 1, 5));
        EXPECT_VERDICT(verdict, TMU_MODEL_FOUND, 10);
        EXPECT_NUMBER(verdict.message_length, 8);
        EXPECT_NUMBER(verdict.receive_length, 0);
        EXPECT_NUMBER(verdict.address, 10 << 16);
    }
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_UNEXPECTED), 2);
    EXPECT_VERDICT(post(model, 0, 9, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 10);
    tmu_model_destroy(model);
}

static void r8_a_probe_does_not_see_receives(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    EXPECT_STATUS(probe(model, 0, 2, everything), TMU_MODEL_NONE);
    EXPECT_STATUS(claim(model, 0, 3, everything), TMU_MODEL_NONE);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 1);
    tmu_model_destroy(model);
}

static void r9_a_claimed_message_is_the_claimers_alone(void) {
    tmu_model_t *model = new_model(1, 0);
    arrive_sized(model, 0, 10, mpi_key(4, 1, 5), 1000);
    tmu_model_verdict_t verdict = claim(model, 0, 1, mpi_key(4, ANY_SOURCE, ANY_TAG));
    EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, 10);
    EXPECT_NUMBER(verdict.match, mpi_key(4, 1, 5).match);
    EXPECT_NUMBER(verdict.source, 1);
    EXPECT_NUMBER(verdict.message_length, 1000);
    EXPECT_NUMBER(verdict.receive_length, 0);
    EXPECT_NUMBER(verdict.truncated, false); /* there is no receive yet */
    EXPECT_STATUS(claim(model, 0, 2, everything), TMU_MODEL_NONE);
    EXPECT_STATUS(probe(model, 0, 3, everything), TMU_MODEL_NONE);
    EXPECT_STATUS(post(model, 0, 4, mpi_key(4, 1, 5)), TMU_MODEL_QUEUED);
    tmu_model_destroy(model);
}

static void r12_a_longer_message_is_truncated_and_consumes(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    tmu_model_verdict_t verdict = arrive_sized(model, 0, 10, mpi_key(0, 1, 5), 101);
    EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, 1);
    EXPECT_NUMBER(verdict.truncated, true);
    EXPECT_NUMBER(verdict.message_length, 101);
    EXPECT_NUMBER(verdict.receive_length, 100);
    EXPECT_NUMBER(verdict.address, 1 << 12);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 0);
    arrive_sized(model, 0, 11, mpi_key(0, 1, 5), (UINT64_C(1) << 48) - 1);
    verdict = post(model, 0, 2, mpi_key(0, 1, 5));
    EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, 11);
    EXPECT_NUMBER(verdict.truncated, true);
    EXPECT_NUMBER(verdict.message_length, (UINT64_C(1) << 48) - 1);
    EXPECT_NUMBER(verdict.receive_length, 100);
    EXPECT_NUMBER(verdict.address, 11 << 16);
    post(model, 0, 3, mpi_key(0, 1, 5));
    EXPECT_NUMBER(arrive_sized(model, 0, 12, mpi_key(0, 1, 5), 100).truncated, false);
    tmu_model_destroy(model);
}

static void r15_handles_come_back_unchanged(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, UINT64_MAX, mpi_key(0, 1, 5));
    tmu_model_verdict_t verdict = arrive(model, 0, UINT64_MAX - 1, mpi_key(0, 1, 5));
    EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, UINT64_MAX);
    EXPECT_NUMBER(verdict.handle, UINT64_MAX - 1);
    arrive(model, 0, 0, mpi_key(0, 2, 5));
    verdict = post(model, 0, 0x123456789abcdef0, mpi_key(0, 2, 5));
    EXPECT_VERDICT(verdict, TMU_MODEL_MATCHED, 0);
    EXPECT_NUMBER(verdict.handle, 0x123456789abcdef0);
    tmu_model_destroy(model);
}

int main(void) {
    RUN(r1_compares_endpoint_context_source_and_tag);
    RUN(r1_compares_each_key_bit);
    RUN(r2_any_source_ignores_all_of_source);
    RUN(r2_any_tag_never_matches_a_negative_tag);
    RUN(r2_takes_arbitrary_ignore_masks);
    RUN(r2_a_raw_mask_may_ignore_the_context);
    RUN(r3_an_arrival_takes_the_oldest_receive);
    RUN(r4_a_post_takes_the_oldest_message);
    RUN(r5_r6_search_before_append);
    RUN(r7_messages_of_one_source_keep_their_order);
    RUN(r7_serial_numbers_count_per_endpoint);
    RUN(r7_serial_numbers_go_on_with_0_after_their_last);
    RUN(r8_a_probe_changes_nothing);
    RUN(r8_a_probe_does_not_see_receives);
    RUN(r9_a_claimed_message_is_the_claimers_alone);
    RUN(r12_a_longer_message_is_truncated_and_consumes);
    RUN(r15_handles_come_back_unchanged);
    return expect_summary();
}
