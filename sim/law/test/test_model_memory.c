/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A host without memory: each allocation in turn fails, and the model answers so and changes
 * nothing.  The linker puts the functions below where the program calls the allocator's.
 */
#include <stdlib.h>

#include "fixture.h"
#include "temporary_file.h"
#include "tmu_model_trace.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static long allocations_left = -1; /* negative = no limit */

static bool may_allocate(void) {
    if (allocations_left == 0) {
        return false;
    }
    allocations_left -= allocations_left > 0 ? 1 : 0;
    return true;
}

void *__wrap_malloc(size_t size) { return may_allocate() ? __real_malloc(size) : NULL; }

void *__wrap_calloc(size_t count, size_t size) {
    return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size) {
    return may_allocate() ? __real_realloc(old, size) : NULL;
}

static void create_answers_no_memory(void) {
    const tmu_model_config_t config = {.endpoints = 3};
    for (long allowed = 0; allowed < 2; allowed++) {
        tmu_model_t *model = NULL;
        allocations_left = allowed;
        tmu_model_status_t status = tmu_model_create(&config, &model);
        allocations_left = -1;
        EXPECT_NUMBER(status, TMU_MODEL_NO_MEMORY);
        EXPECT(!model);
    }
}

static void post_and_arrive_change_nothing_without_memory(void) {
    tmu_model_t *model = new_model(1, 0);
    allocations_left = 0;
    tmu_model_verdict_t posted = post(model, 0, 1, mpi_key(0, 1, 5));
    tmu_model_verdict_t arrived = arrive(model, 0, 10, mpi_key(0, 1, 5));
    allocations_left = -1;
    EXPECT_STATUS(posted, TMU_MODEL_NO_MEMORY);
    EXPECT_STATUS(arrived, TMU_MODEL_NO_MEMORY);
    tmu_model_stats_t stats;
    tmu_model_stats(model, &stats);
    EXPECT_NUMBER(stats.posts + stats.arrivals, 0);
    EXPECT_NUMBER(stats.posted_max + stats.unexpected_max, 0);
    EXPECT_NUMBER(post(model, 0, 2, mpi_key(0, 1, 5)).serial, 0);
    tmu_model_destroy(model);
}

static const char path[] = "test_model_memory.tmp";

static void write_trace(void) {
    static const char text[] = "# tmu-trace v1\n"
                               "# ranks: 2\n"
                               "arrive 0 1 0 1 1 8\n"
                               "arrive 0 2 0 1 1 8\n"
                               "arrive 0 3 0 1 1 8\n"
                               "post 0 1 0 2 2 8\n"
                               "flush 0 2\n";
    write_file(path, text, sizeof text - 1);
}

static void the_trace_reader_says_so_without_memory(void) {
    tmu_trace_t *trace = NULL;
    long allowed = 0;
    write_trace();
    for (; allowed < 100 && !trace; allowed++) {
        char error[TMU_TRACE_ERROR_MAX] = "";
        allocations_left = allowed;
        int result = tmu_trace_read(path, &trace, error, sizeof error);
        allocations_left = -1;
        EXPECT_NUMBER(result != 0, !trace);
        EXPECT(result == 0 || strstr(error, ": found no memory, expected enough memory"));
    }
    EXPECT(allowed > 5 && trace);
    (void)remove(path);
    tmu_trace_free(trace);
}

static void a_replay_answers_no_memory(void) {
    const tmu_model_config_t config = {.endpoints = 1, .quota_unexpected = 1};
    tmu_model_verdict_t verdicts[5];
    tmu_trace_t *trace = NULL;
    tmu_model_status_t status = TMU_MODEL_NO_MEMORY;
    long allowed = 0;
    write_trace();
    EXPECT_NUMBER(tmu_trace_read(path, &trace, NULL, 0), 0);
    (void)remove(path);
    for (; trace && allowed < 100 && status != TMU_MODEL_OK; allowed++) {
        allocations_left = allowed;
        status = tmu_model_replay(&config, trace, NULL, verdicts, NULL);
        allocations_left = -1;
        EXPECT(status == TMU_MODEL_NO_MEMORY || status == TMU_MODEL_OK);
    }
    /* the model, its endpoints, message 1, held 2 and 3, receive 1, message 2 once admitted */
    EXPECT_NUMBER(allowed, 7 + 1);
    EXPECT_NUMBER(status, TMU_MODEL_OK);
    tmu_trace_free(trace);
}

int main(void) {
    RUN(create_answers_no_memory);
    RUN(post_and_arrive_change_nothing_without_memory);
    RUN(the_trace_reader_says_so_without_memory);
    RUN(a_replay_answers_no_memory);
    return expect_summary();
}
