/* SPDX-License-Identifier: Apache-2.0 */
/* Cancel, flush, reset, inspect: R10, R14. */
#include "fixture.h"

static void r10_cancels_by_the_callers_handle(void) {
    tmu_model_t *model = new_model(1, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    post(model, 0, 2, mpi_key(3, ANY_SOURCE, 7));
    tmu_model_verdict_t verdict = cancel(model, 0, 50, 2);
    EXPECT_VERDICT(verdict, TMU_MODEL_CANCELLED, 2);
    EXPECT_NUMBER(verdict.handle, 50);
    EXPECT_NUMBER(verdict.match, mpi_key(3, 0, 7).match);
    EXPECT_NUMBER(verdict.receive_length, 100);
    EXPECT_NUMBER(verdict.address, 2 << 12);
    EXPECT_NUMBER(verdict.visited, 2);
    EXPECT_STATUS(arrive(model, 0, 10, mpi_key(3, 1, 7)), TMU_MODEL_QUEUED);
    EXPECT_VERDICT(arrive(model, 0, 11, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 1);
    tmu_model_destroy(model);
}

static void r10_cancels_by_the_drivers_id(void) {
    tmu_model_t *model = new_model(1, 0);
    tmu_model_receive_t receive = {
        .key = mpi_key(0, 1, 5), .receive_id = 17, .handle = 1, .length = 1};
    tmu_model_verdict_t verdict;
    tmu_model_post(model, &receive, &verdict);
    receive.receive_id = 0;
    receive.handle = 2;
    tmu_model_post(model, &receive, &verdict);
    EXPECT_STATUS(cancel_id(model, 0, 50, 1), TMU_MODEL_LATE);
    EXPECT_VERDICT(cancel_id(model, 0, 51, 0), TMU_MODEL_CANCELLED, 2);
    EXPECT_VERDICT(cancel_id(model, 0, 52, 17), TMU_MODEL_CANCELLED, 1);
    EXPECT_STATUS(cancel_id(model, 0, 53, 17), TMU_MODEL_LATE);
    tmu_model_destroy(model);
}

static void r10_the_id_that_means_none_is_always_late(void) {
    tmu_model_t *model = new_model(1, 0);
    const tmu_model_receive_t receive = {.receive_id = TMU_MODEL_NO_RECEIVE_ID, .handle = 1};
    tmu_model_verdict_t verdict;
    tmu_model_post(model, &receive, &verdict);
    EXPECT_STATUS(cancel_id(model, 0, 50, TMU_MODEL_NO_RECEIVE_ID), TMU_MODEL_LATE);
    EXPECT_VERDICT(cancel(model, 0, 51, 1), TMU_MODEL_CANCELLED, 1);
    tmu_model_destroy(model);
}

static void r10_late_when_matched_cancelled_or_never_posted(void) {
    tmu_model_t *model = new_model(2, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    arrive(model, 0, 10, mpi_key(0, 1, 5));
    EXPECT_VERDICT(cancel(model, 0, 50, 1), TMU_MODEL_LATE, 0); /* matched on arrival */
    arrive(model, 0, 11, mpi_key(0, 1, 6));
    post(model, 0, 2, mpi_key(0, 1, 6));
    EXPECT_VERDICT(cancel(model, 0, 51, 2), TMU_MODEL_LATE, 0); /* matched when posted */
    post(model, 0, 3, mpi_key(0, 1, 5));
    EXPECT_VERDICT(cancel(model, 0, 52, 3), TMU_MODEL_CANCELLED, 3);
    for (uint64_t i = 0; i < 3; i++) {
        EXPECT_VERDICT(cancel(model, 0, 53 + i, 3), TMU_MODEL_LATE, 0); /* cancelled */
    }
    EXPECT_VERDICT(cancel(model, 0, 60, 999), TMU_MODEL_LATE, 0); /* never posted */
    arrive(model, 0, 12, mpi_key(0, 1, 7));
    EXPECT_VERDICT(cancel(model, 0, 61, 12), TMU_MODEL_LATE, 0); /* a message */
    tmu_model_destroy(model);
}

static void r10_r13_cancel_looks_at_its_endpoint_only(void) {
    tmu_model_t *model = new_model(2, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    EXPECT_STATUS(cancel(model, 1, 50, 1), TMU_MODEL_LATE);
    EXPECT_STATUS(cancel_id(model, 1, 51, 1), TMU_MODEL_LATE);
    EXPECT_VERDICT(cancel(model, 0, 52, 1), TMU_MODEL_CANCELLED, 1);
    tmu_model_destroy(model);
}

static void r3_order_survives_removal_anywhere(void) {
    tmu_model_t *model = new_model(1, 0);
    for (uint64_t i = 1; i <= 6; i++) {
        post(model, 0, i, mpi_key(0, 1, 5));
    }
    cancel(model, 0, 50, 1); /* the oldest */
    cancel(model, 0, 51, 4); /* one in the middle */
    cancel(model, 0, 52, 6); /* the youngest */
    post(model, 0, 7, mpi_key(0, 1, 5));
    const uint64_t order[] = {2, 3, 5, 7};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        EXPECT_VERDICT(arrive(model, 0, 10 + i, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, order[i]);
    }
    tmu_model_destroy(model);
}

typedef struct {
    size_t count;
    tmu_model_entry_t entry[16];
} reports_t;

static void collect(void *context, const tmu_model_entry_t *entry) {
    reports_t *reports = context;
    EXPECT(reports->count < 16);
    reports->entry[reports->count++ % 16] = *entry;
}

/* Receives 1, 2 and messages 10, 11 in context 0, receive 3 and message 12 in context 1, and
 * receive 4 at endpoint 1. */
static tmu_model_t *model_to_flush(void) {
    tmu_model_t *model = new_model(2, 0);
    post(model, 0, 1, mpi_key(0, 1, 5));
    post(model, 0, 3, mpi_key(1, ANY_SOURCE, ANY_TAG));
    post(model, 0, 2, mpi_key(0, 1, 5));
    post(model, 1, 4, mpi_key(0, 1, 5));
    arrive(model, 0, 10, mpi_key(0, 2, 5));
    arrive(model, 0, 12, mpi_key(1, 2, -5));
    arrive(model, 0, 11, mpi_key(0, 2, 5));
    return model;
}

static void expect_reports(const reports_t *reports, size_t count, const uint64_t *handles) {
    EXPECT_NUMBER(reports->count, count);
    for (size_t i = 0; i < count && i < reports->count; i++) {
        EXPECT_NUMBER(reports->entry[i].handle, handles[i]);
    }
}

static void r14_flush_of_an_endpoint_reports_each_entry_once(void) {
    tmu_model_t *model = model_to_flush();
    reports_t reports = {0};
    tmu_model_verdict_t verdict = flush(model, 0, 50, everything, collect, &reports);
    EXPECT_STATUS(verdict, TMU_MODEL_FLUSHED);
    EXPECT_NUMBER(verdict.handle, 50);
    EXPECT_NUMBER(verdict.removed_posted, 3);
    EXPECT_NUMBER(verdict.removed_unexpected, 3);
    EXPECT_NUMBER(verdict.visited, 6);
    expect_reports(&reports, 6, (const uint64_t[]){1, 3, 2, 10, 12, 11});
    EXPECT_NUMBER(reports.entry[1].key.source_ignore, UINT32_MAX);
    EXPECT_NUMBER(reports.entry[1].key.ignore, 0x7fffffff);
    EXPECT_NUMBER(reports.entry[1].address, 3 << 12);
    EXPECT_NUMBER(reports.entry[1].length, 100);
    EXPECT_NUMBER(reports.entry[1].receive_id, 3);
    EXPECT_NUMBER(reports.entry[2].queue, TMU_MODEL_POSTED);
    EXPECT_NUMBER(reports.entry[3].queue, TMU_MODEL_UNEXPECTED);
    EXPECT_NUMBER(reports.entry[3].address, 10 << 16);
    EXPECT_NUMBER(reports.entry[3].length, 8);
    verdict = flush(model, 0, 51, everything, collect, &reports);
    EXPECT_NUMBER(verdict.removed_posted + verdict.removed_unexpected, 0);
    EXPECT_NUMBER(reports.count, 6);
    EXPECT_NUMBER(tmu_model_depth(model, 1, TMU_MODEL_POSTED), 1); /* R13 */
    tmu_model_destroy(model);
}

static void r14_flush_of_a_context_leaves_the_others(void) {
    tmu_model_t *model = model_to_flush();
    reports_t reports = {0};
    tmu_model_key_t context_1 = {
        .match = UINT64_C(1) << 32, .ignore = UINT32_MAX, .source_ignore = UINT32_MAX};
    tmu_model_verdict_t verdict = flush(model, 0, 50, context_1, collect, &reports);
    EXPECT_NUMBER(verdict.removed_posted, 1);
    EXPECT_NUMBER(verdict.removed_unexpected, 1);
    expect_reports(&reports, 2, (const uint64_t[]){3, 12});
    EXPECT_VERDICT(arrive(model, 0, 20, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 1);
    EXPECT_VERDICT(arrive(model, 0, 21, mpi_key(0, 1, 5)), TMU_MODEL_MATCHED, 2);
    EXPECT_VERDICT(post(model, 0, 22, mpi_key(0, 2, 5)), TMU_MODEL_MATCHED, 10);
    EXPECT_VERDICT(post(model, 0, 23, mpi_key(0, 2, 5)), TMU_MODEL_MATCHED, 11);
    tmu_model_destroy(model);
}

static void r14_flush_skips_bits_that_either_side_ignores(void) {
    tmu_model_t *model = model_to_flush();
    reports_t reports = {0};
    tmu_model_key_t source_2 = {.ignore = UINT64_MAX, .source = 2};
    flush(model, 0, 50, source_2, collect, &reports);
    expect_reports(&reports, 4, (const uint64_t[]){3, 10, 12, 11}); /* 3 is of any source */
    tmu_model_destroy(model);
}

static void r14_flush_without_a_listener_removes_all_the_same(void) {
    tmu_model_t *model = model_to_flush();
    EXPECT_NUMBER(flush(model, 0, 50, everything, NULL, NULL).removed_posted, 3);
    EXPECT_NUMBER(tmu_model_depth(model, 0, TMU_MODEL_POSTED), 0);
    EXPECT_STATUS(cancel(model, 0, 51, 1), TMU_MODEL_LATE); /* R10 */
    tmu_model_destroy(model);
}

static void r14_reset_leaves_empty_queues(void) {
    tmu_model_t *model = model_to_flush();
    uint32_t serial = probe(model, 0, 50, everything).serial;
    tmu_model_reset(model);
    tmu_model_stats_t stats;
    tmu_model_stats(model, &stats);
    EXPECT_NUMBER(stats.posted_depth, 0);
    EXPECT_NUMBER(stats.unexpected_depth, 0);
    EXPECT_NUMBER(stats.posts, 4);
    tmu_model_entry_t entry;
    EXPECT_NUMBER(tmu_model_inspect(model, 1, TMU_MODEL_POSTED, 0, &entry), TMU_MODEL_NONE);
    EXPECT_NUMBER(post(model, 0, 51, mpi_key(0, 2, 5)).serial, serial + 1);
    tmu_model_destroy(model);
}

static void inspect_reads_each_entry_in_order(void) {
    tmu_model_t *model = model_to_flush();
    const uint64_t posted[] = {1, 3, 2};
    const uint64_t unexpected[] = {10, 12, 11};
    tmu_model_entry_t entry = {.handle = 99};
    for (uint64_t i = 0; i < 3; i++) {
        EXPECT_NUMBER(tmu_model_inspect(model, 0, TMU_MODEL_POSTED, i, &entry), TMU_MODEL_OK);
        EXPECT_NUMBER(entry.handle, posted[i]);
        EXPECT_NUMBER(entry.queue, TMU_MODEL_POSTED);
        EXPECT_NUMBER(tmu_model_inspect(model, 0, TMU_MODEL_UNEXPECTED, i, &entry), TMU_MODEL_OK);
        EXPECT_NUMBER(entry.handle, unexpected[i]);
        EXPECT_NUMBER(entry.queue, TMU_MODEL_UNEXPECTED);
    }
    EXPECT_NUMBER(tmu_model_inspect(model, 0, TMU_MODEL_POSTED, 3, &entry), TMU_MODEL_NONE);
    EXPECT_NUMBER(entry.handle, 11); /* untouched */
    EXPECT_NUMBER(tmu_model_inspect(model, 2, TMU_MODEL_POSTED, 0, &entry),
                  TMU_MODEL_REFUSED_ENDPOINT);
    EXPECT_NUMBER(tmu_model_inspect(model, 0, (tmu_model_queue_t)2, 0, &entry),
                  TMU_MODEL_BAD_ARGUMENT);
    tmu_model_destroy(model);
}

int main(void) {
    RUN(r10_cancels_by_the_callers_handle);
    RUN(r10_cancels_by_the_drivers_id);
    RUN(r10_the_id_that_means_none_is_always_late);
    RUN(r10_late_when_matched_cancelled_or_never_posted);
    RUN(r10_r13_cancel_looks_at_its_endpoint_only);
    RUN(r3_order_survives_removal_anywhere);
    RUN(r14_flush_of_an_endpoint_reports_each_entry_once);
    RUN(r14_flush_of_a_context_leaves_the_others);
    RUN(r14_flush_skips_bits_that_either_side_ignores);
    RUN(r14_flush_without_a_listener_removes_all_the_same);
    RUN(r14_reset_leaves_empty_queues);
    RUN(inspect_reads_each_entry_in_order);
    return expect_summary();
}
