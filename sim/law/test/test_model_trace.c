/* SPDX-License-Identifier: Apache-2.0 */
/* The law on whole traces, held-back arrivals included: R7, R11, and the log made from it. */
#include <stdlib.h>

#include "expect.h"
#include "temporary_file.h"
#include "tmu_model_trace.h"

static const char path[] = "test_model_trace.tmp";

static tmu_trace_t *read_text(const char *operations) {
    char text[4096];
    char error[TMU_TRACE_ERROR_MAX];
    tmu_trace_t *trace = NULL;
    (void)snprintf(text, sizeof text, "# tmu-trace v1\n%s", operations);
    write_file(path, text, strlen(text));
    if (tmu_trace_read(path, &trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        abort();
    }
    (void)remove(path);
    return trace;
}

/* Replays the operations and expects this log. */
static void expect_log(const tmu_model_config_t *config, const char *operations,
                       const char *expected) {
    tmu_trace_t *trace = read_text(operations);
    size_t count = tmu_trace_count(trace);
    tmu_model_verdict_t *verdicts = calloc(count, sizeof *verdicts);
    char log[4096] = "";
    size_t used = 0;
    EXPECT_NUMBER(tmu_model_replay(config, trace, NULL, verdicts, NULL), TMU_MODEL_OK);
    for (size_t i = 0; verdicts && i < count; i++) {
        tmu_log_record_t record;
        EXPECT(tmu_model_log_record(&verdicts[i], &record));
        int length =
            tmu_log_format(log + used, sizeof log - used, &tmu_trace_ops(trace)[i], &record);
        EXPECT(length > 0);
        used += length > 0 ? (size_t)length : 0;
    }
    EXPECT_TEXT(log, expected);
    free(verdicts);
    tmu_trace_free(trace);
}

static const tmu_model_config_t unlimited = {.endpoints = 4};
static const tmu_model_config_t quota_1 = {
    .endpoints = 4, .quota_posted = 1, .quota_unexpected = 1};
static const tmu_model_config_t quota_2 = {
    .endpoints = 4, .quota_posted = 2, .quota_unexpected = 2};

static void logs_every_kind_of_verdict(void) {
    expect_log(&unlimited,
               "arrive 0 12 0 1 5 8\n"
               "post 0 5 0 any any 8\n"
               "post 0 6 0 1 5 8\n"
               "arrive 0 13 0 1 5 9\n"
               "arrive 0 14 0 2 -5 0\n"
               "probe 0 7 0 2 any\n"
               "probe 0 17 0 2 -5\n"
               "claim 0 8 0 any -5\n"
               "claim 0 18 0 any -5\n"
               "cancel 0 9 6\n"
               "post 0 10 0 1 5 8\n"
               "cancel 0 19 10\n"
               "post 0 11 0 1 5 8\n"
               "arrive 0 15 0 3 3 8\n"
               "flush 0 20\n"
               "post 4 21 0 1 5 8\n"
               "arrive 4 16 0 1 5 8\n"
               "flush 4 22\n",
               "arrive 12 queued\n"
               "post 5 matched 12\n"
               "post 6 queued\n"
               "arrive 13 matched 6 truncated\n"
               "arrive 14 queued\n"
               "probe 7 none\n"
               "probe 17 found 14\n"
               "claim 8 matched 14\n"
               "claim 18 none\n"
               "cancel 9 late 6\n"
               "post 10 queued\n"
               "cancel 19 cancelled 10\n"
               "post 11 queued\n"
               "arrive 15 queued\n"
               "flush 20 removed 1 1\n"
               "post 21 refused endpoint\n"
               "arrive 16 refused endpoint\n"
               "flush 22 refused endpoint\n");
}

static void raw_and_mpi_forms_meet_in_the_same_queues(void) {
    expect_log(&unlimited,
               "raw-arrive 0 1 0x00000007fffffffe 3 8\n"
               "post 0 2 7 3 -2 8\n"
               "post 0 3 7 any any 8\n"
               "raw-arrive 0 4 0x0000000700000009 5 8\n"
               "arrive 0 5 1 1 1 8\n"
               "raw-probe 0 6 0x0 0xffffffffffffffff 1\n"
               "raw-claim 0 7 0x0 0xffffffffffffffff any\n"
               "raw-post 0 8 0x1 0x0 any 8\n",
               "arrive 1 queued\n"
               "post 2 matched 1\n"
               "post 3 queued\n"
               "arrive 4 matched 3\n"
               "arrive 5 queued\n"
               "probe 6 found 5\n"
               "claim 7 matched 5\n"
               "post 8 queued\n");
}

static void r11_refuses_a_post_and_goes_on(void) {
    expect_log(&quota_1,
               "post 0 1 0 1 1 8\n"
               "post 0 2 0 1 2 8\n"
               "post 1 3 0 1 2 8\n"
               "arrive 0 4 0 1 2 8\n"
               "arrive 0 5 0 1 1 8\n",
               "post 1 queued\n"
               "post 2 refused quota\n"
               "post 3 queued\n"
               "arrive 4 queued\n"
               "arrive 5 matched 1\n");
}

static void r11_an_arrival_never_admitted_is_held(void) {
    expect_log(&quota_1,
               "arrive 0 10 0 1 1 8\n"
               "arrive 0 11 0 1 2 8\n"
               "arrive 1 12 0 1 2 8\n"
               "probe 0 1 0 1 2\n",
               "arrive 10 queued\n"
               "arrive 11 held\n"
               "arrive 12 queued\n"
               "probe 1 none\n");
}

static void r11_a_held_arrival_takes_its_turn_when_admitted(void) {
    /* 11 and 13 are held; the claim makes room for 11, whose turn is then behind 10. */
    expect_log(&quota_2,
               "arrive 0 9 0 1 9 8\n"
               "arrive 0 10 0 1 1 8\n"
               "arrive 0 11 0 2 1 8\n"
               "arrive 0 13 0 3 1 8\n"
               "claim 0 1 0 1 9\n"
               "post 0 2 0 any 1 8\n"
               "post 0 3 0 any 1 8\n"
               "post 0 4 0 any 1 8\n",
               "arrive 9 queued\n"
               "arrive 10 queued\n"
               "arrive 11 queued\n"
               "arrive 13 queued\n"
               "claim 1 matched 9\n"
               "post 2 matched 10\n"
               "post 3 matched 11\n"
               "post 4 matched 13\n");
}

static void r11_a_post_lets_a_held_arrival_match(void) {
    expect_log(&quota_1,
               "arrive 0 10 0 1 1 8\n"
               "arrive 0 11 0 1 2 9\n"
               "post 0 1 0 1 2 8\n"
               "post 0 2 0 1 3 8\n",
               "arrive 10 queued\n"
               "arrive 11 matched 1 truncated\n"
               "post 1 queued\n"
               "post 2 queued\n");
}

static void r11_a_claim_makes_room_at_once(void) {
    expect_log(&quota_1,
               "arrive 0 10 0 1 1 8\n"
               "arrive 0 11 0 1 2 8\n"
               "claim 0 1 0 1 1\n"
               "probe 0 2 0 1 2\n",
               "arrive 10 queued\n"
               "arrive 11 queued\n"
               "claim 1 matched 10\n"
               "probe 2 found 11\n");
}

static void r7_a_later_arrival_waits_behind_its_source(void) {
    /* 12 has its receive waiting, but its source's 11 is held; 13 of another source goes on. */
    expect_log(&quota_1,
               "arrive 0 10 0 1 1 8\n"
               "post 0 1 0 any 7 8\n"
               "arrive 0 11 0 1 2 8\n"
               "arrive 0 12 0 1 7 8\n"
               "arrive 0 13 0 2 7 8\n"
               "arrive 1 14 0 1 7 8\n",
               "arrive 10 queued\n"
               "post 1 queued\n"
               "arrive 11 held\n"
               "arrive 12 held\n"
               "arrive 13 matched 1\n"
               "arrive 14 queued\n");
}

static void r11_one_pass_frees_a_whole_source_in_order(void) {
    /* The flush makes room: 11, then 20 of another source, then 12 in order of age. */
    expect_log(&quota_2,
               "arrive 0 1 0 9 9 8\n"
               "arrive 0 2 0 9 9 8\n"
               "arrive 0 11 0 1 1 8\n"
               "arrive 0 20 0 2 2 8\n"
               "arrive 0 12 0 1 1 8\n"
               "flush 0 5\n"
               "post 0 6 0 any any 8\n"
               "post 0 7 0 any any 8\n"
               "post 0 8 0 any any 8\n"
               "post 0 9 0 any any 8\n",
               "arrive 1 queued\n"
               "arrive 2 queued\n"
               "arrive 11 queued\n"
               "arrive 20 queued\n"
               "arrive 12 queued\n"
               "flush 5 removed 0 2\n"
               "post 6 matched 11\n"
               "post 7 matched 20\n"
               "post 8 matched 12\n"
               "post 9 queued\n");
}

static void r11_shared_capacity_is_freed_by_another_endpoint(void) {
    const tmu_model_config_t config = {.endpoints = 2, .unexpected_capacity = 1};
    expect_log(&config,
               "arrive 0 10 0 1 1 8\n"
               "arrive 1 11 0 1 1 8\n"
               "post 0 1 0 1 1 8\n"
               "probe 1 2 0 1 1\n",
               "arrive 10 queued\n"
               "arrive 11 queued\n"
               "post 1 matched 10\n"
               "probe 2 found 11\n");
}

typedef struct {
    size_t count;
    size_t operation[8];
    size_t removed;
} told_t;

static void note_verdict(void *context, size_t operation, const tmu_model_verdict_t *verdict) {
    told_t *told = context;
    EXPECT(verdict->status != TMU_MODEL_HELD && verdict->status != TMU_MODEL_STALLED);
    told->operation[told->count++ % 8] = operation;
}

static void note_removed(void *context, const tmu_model_entry_t *entry) {
    told_t *told = context;
    EXPECT_NUMBER(entry->queue, TMU_MODEL_UNEXPECTED);
    told->removed += 1;
}

static void tells_of_verdicts_in_the_order_of_the_law(void) {
    tmu_trace_t *trace = read_text("arrive 0 10 0 1 1 8\n"
                                   "arrive 0 11 0 1 2 8\n"
                                   "arrive 0 12 0 1 3 8\n"
                                   "probe 0 1 0 1 1\n"
                                   "flush 0 2\n");
    told_t told = {0};
    const tmu_model_replay_options_t options = {note_verdict, note_removed, &told};
    tmu_model_verdict_t verdicts[5];
    tmu_model_stats_t stats;
    EXPECT_NUMBER(tmu_model_replay(&quota_1, trace, &options, verdicts, &stats), TMU_MODEL_OK);
    const size_t order[] = {0, 3, 4, 1};
    EXPECT_NUMBER(told.count, 4);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_NUMBER(told.operation[i], order[i]);
    }
    EXPECT_NUMBER(told.removed, 1);
    EXPECT_NUMBER(verdicts[2].status, TMU_MODEL_HELD);
    EXPECT_NUMBER(verdicts[2].handle, 12);
    EXPECT_NUMBER(stats.flushes, 1);
    EXPECT_NUMBER(stats.unexpected_depth, 1);
    tmu_trace_free(trace);
}

static void an_empty_trace_has_no_verdicts(void) {
    tmu_trace_t *trace = read_text("# nothing happens\n");
    tmu_model_stats_t stats = {.posts = 9};
    EXPECT_NUMBER(tmu_model_replay(&unlimited, trace, NULL, NULL, &stats), TMU_MODEL_OK);
    EXPECT_NUMBER(stats.posts, 0);
    tmu_trace_free(trace);
}

static void refuses_missing_arguments(void) {
    tmu_trace_t *trace = read_text("flush 0 1\n");
    tmu_model_verdict_t verdict;
    const tmu_model_config_t no_endpoints = {0};
    EXPECT_NUMBER(tmu_model_replay(NULL, trace, NULL, &verdict, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_replay(&unlimited, NULL, NULL, &verdict, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_replay(&unlimited, trace, NULL, NULL, NULL), TMU_MODEL_BAD_ARGUMENT);
    EXPECT_NUMBER(tmu_model_replay(&no_endpoints, trace, NULL, &verdict, NULL),
                  TMU_MODEL_BAD_ARGUMENT);
    tmu_trace_free(trace);
}

static void a_stalled_verdict_has_no_log_record(void) {
    tmu_log_record_t record;
    EXPECT(!tmu_model_log_record(&(tmu_model_verdict_t){.status = TMU_MODEL_STALLED}, &record));
    EXPECT(!tmu_model_log_record(&(tmu_model_verdict_t){.status = TMU_MODEL_NO_MEMORY}, &record));
    EXPECT(tmu_model_log_record(&(tmu_model_verdict_t){.status = TMU_MODEL_HELD}, &record));
    EXPECT_NUMBER(record.verdict, TMU_LOG_HELD);
}

int main(void) {
    RUN(logs_every_kind_of_verdict);
    RUN(raw_and_mpi_forms_meet_in_the_same_queues);
    RUN(r11_refuses_a_post_and_goes_on);
    RUN(r11_an_arrival_never_admitted_is_held);
    RUN(r11_a_held_arrival_takes_its_turn_when_admitted);
    RUN(r11_a_post_lets_a_held_arrival_match);
    RUN(r11_a_claim_makes_room_at_once);
    RUN(r7_a_later_arrival_waits_behind_its_source);
    RUN(r11_one_pass_frees_a_whole_source_in_order);
    RUN(r11_shared_capacity_is_freed_by_another_endpoint);
    RUN(tells_of_verdicts_in_the_order_of_the_law);
    RUN(an_empty_trace_has_no_verdicts);
    RUN(refuses_missing_arguments);
    RUN(a_stalled_verdict_has_no_log_record);
    return expect_summary();
}
