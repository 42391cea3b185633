/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of handles: what is right passes, and each kind of wrong answer is told in words. */
#include "expect.h"
#include "operation_ledger.h"
#include "temporary_file.h"

#include <string.h>

static const char path[] = "test_ledger.tmp";
static const char trace[] = "# tmu-trace v1\n"
                            "post 1 10 0 any any 8\n"
                            "arrive 1 10 0 0 0 8\n"
                            "post 1 11 0 any any 8\n"
                            "cancel 1 12 11\n"
                            "arrive 1 13 0 0 1 8\n"
                            "probe 1 14 0 any any\n"
                            "flush 1 15\n"
                            "post 0 16 0 any any 8\n";
enum { POST, ARRIVE, POST_2, CANCEL, ARRIVE_2, PROBE, FLUSH, ELSEWHERE, OPERATIONS };

static workload_t workload;
static ledger_t *ledger;
static FILE *report;
static char said[4096];

/* All operations have been sent. */
static void begin(void) {
    char error[TMU_TRACE_ERROR_MAX] = "";
    write_file(path, trace, strlen(trace));
    EXPECT_NUMBER(workload_read(&workload, path, error, sizeof error), 0);
    EXPECT_TEXT(error, "");
    (void)remove(path);
    memset(said, 0, sizeof said);
    report = tmpfile();
    ledger = operation_ledger_create(&workload, 2, report);
    for (size_t i = 0; i < OPERATIONS; ++i) {
        operation_ledger_sent(ledger, &workload, i);
    }
}

static void answer(size_t index, uint8_t status, uint64_t other) {
    const tmu_trace_op_t *op = &workload.ops[index];
    const tmu_completion_t c = {
        .opcode = op->kind == TMU_TRACE_ARRIVE ? TMU_OPCODE_ARRIVE : TMU_OPCODE_POST,
        .status = status,
        .handle = op->id,
        .other = other,
    };
    ledger_take(ledger, &c);
}

/* A flush reports an entry. */
static void removed(bool message, uint64_t other) {
    const tmu_completion_t c = {.opcode = TMU_OPCODE_FLUSH,
                                .status = TMU_STATUS_REMOVED,
                                .unexpected = message,
                                .handle = workload.ops[FLUSH].id,
                                .other = other};
    ledger_take(ledger, &c);
}

/* Ends a test in which there was nothing to complain of but this. */
static void end(uint64_t complaints, const char *words) {
    EXPECT_NUMBER(ledger_complaints(ledger), complaints);
    rewind(report);
    said[fread(said, 1, sizeof said - 1, report)] = '\0';
    if (!strstr(said, words) || (complaints == 0) != (said[0] == '\0')) {
        EXPECT_TEXT(said, words);
    }
    (void)fclose(report);
    ledger_destroy(ledger);
    workload_free(&workload);
}

static void right_answers_pass_and_are_counted_R15(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    answer(ARRIVE, TMU_STATUS_MATCHED, 10);
    answer(POST_2, TMU_STATUS_QUEUED, 0);
    answer(CANCEL, TMU_STATUS_CANCELLED, 11);
    answer(ARRIVE_2, TMU_STATUS_QUEUED, 0);
    answer(PROBE, TMU_STATUS_FOUND, 13);
    ledger_depth(ledger, 1, &(tmu_depth_t){.unexpected = 1});
    removed(true, 13);
    answer(FLUSH, TMU_STATUS_FLUSHED, 0);
    ledger_still(ledger, 1);
    answer(ELSEWHERE, TMU_STATUS_QUEUED, 0);
    ledger_still(ledger, 0);
    ledger_depth(ledger, 0, &(tmu_depth_t){.posted = 1});
    ledger_depth(ledger, 1, &(tmu_depth_t){.posted = 0});
    EXPECT(ledger_knows(ledger, 0));
    const ledger_counts_t counts = ledger_counts(ledger);
    EXPECT_NUMBER(counts.answered, OPERATIONS);
    EXPECT_NUMBER(counts.queued, 4);
    EXPECT_NUMBER(counts.returned, 3);
    EXPECT_NUMBER(counts.left, 1);
    end(0, "");
}

static void a_reset_forgets_what_is_queued_and_held_R14(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    ledger_reset(ledger);
    ledger_still(ledger, 0);
    ledger_depth(ledger, 1, &(tmu_depth_t){.posted = 0});
    const ledger_counts_t counts = ledger_counts(ledger);
    EXPECT_NUMBER(counts.forgotten, 1);
    EXPECT_NUMBER(counts.let_go, OPERATIONS - 1);
    EXPECT_NUMBER(counts.left, 0);
    end(0, "");
}

static void an_answer_from_before_a_reset_is_noticed_R14(void) {
    begin();
    ledger_reset(ledger);
    answer(POST, TMU_STATUS_QUEUED, 0);
    end(1, "handle 10 was not sent since the last reset (R14)");
}

static void an_entry_from_before_a_reset_is_noticed_R14(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    ledger_destroy(ledger);
    ledger = operation_ledger_create(&workload, 2, report);
    operation_ledger_sent(ledger, &workload, POST);
    answer(POST, TMU_STATUS_QUEUED, 0);
    ledger_reset(ledger);
    operation_ledger_sent(ledger, &workload, ARRIVE);
    answer(ARRIVE, TMU_STATUS_MATCHED, 10);
    end(1, "handle 10 is from before a reset (R14)");
}

static void two_answers_are_noticed(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    answer(POST, TMU_STATUS_MATCHED, 13);
    end(1, "handle 10 was answered before");
}

static void an_entry_returned_twice_is_noticed(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    answer(ARRIVE, TMU_STATUS_MATCHED, 10);
    answer(ARRIVE_2, TMU_STATUS_MATCHED, 10);
    end(1, "handle 10 was returned before");
}

static void a_report_after_a_match_is_noticed(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    answer(ARRIVE, TMU_STATUS_MATCHED, 10);
    removed(false, 10);
    end(1, "flush");
}

static void what_was_never_queued_is_noticed(void) {
    begin();
    answer(ARRIVE, TMU_STATUS_MATCHED, 10);
    end(1, "handle 10 was never queued");
}

static void an_entry_of_nobody_is_noticed_R15(void) {
    begin();
    answer(PROBE, TMU_STATUS_FOUND, 99);
    end(1, "handle 99 is of no entry (R15)");
}

static void an_entry_of_another_endpoint_is_noticed_R13(void) {
    begin();
    answer(ELSEWHERE, TMU_STATUS_QUEUED, 0);
    answer(ARRIVE, TMU_STATUS_MATCHED, 16);
    end(1, "handle 16 is of another endpoint (R13)");
}

static void an_endpoint_that_is_not_there_queues_nothing_R13(void) {
    begin();
    ledger_destroy(ledger);
    ledger = operation_ledger_create(&workload, 1, report);
    operation_ledger_sent(ledger, &workload, POST);
    answer(POST, TMU_STATUS_QUEUED, 0);
    end(1, "handle 10 is queued at an endpoint that is not there (R13)");
}

static void a_handle_of_nobody_is_noticed_R15(void) {
    begin();
    const tmu_completion_t c = {
        .opcode = TMU_OPCODE_POST, .status = TMU_STATUS_QUEUED, .handle = 12345};
    ledger_take(ledger, &c);
    end(1, "handle 12345 is of no operation (R15)");
}

static void an_operation_sent_twice_is_noticed(void) {
    begin();
    operation_ledger_sent(ledger, &workload, POST);
    end(1, "post endpoint 1 id 10");
    EXPECT(strstr(said, "it was sent before"));
}

static void missing_answers_are_noticed_R11(void) {
    begin();
    ledger_still(ledger, 2);
    end(1, "8 operations have no answer, and 2 are held back (R11)");
}

static void a_depth_that_is_not_so_is_noticed(void) {
    begin();
    answer(POST, TMU_STATUS_QUEUED, 0);
    ledger_depth(ledger, 1, &(tmu_depth_t){.unexpected = 1});
    end(1, "endpoint 1 has 1 receives and 0 messages left, its depths are 0 and 1");
}

static void only_the_first_complaint_is_told(void) {
    begin();
    ledger_still(ledger, 2);
    operation_ledger_sent(ledger, &workload, POST);
    ledger_depth(ledger, 1, &(tmu_depth_t){.unexpected = 1});
    end(3, "8 operations have no answer");
    EXPECT(!strstr(said, "sent before"));
}

int main(void) {
    RUN(right_answers_pass_and_are_counted_R15);
    RUN(a_reset_forgets_what_is_queued_and_held_R14);
    RUN(an_answer_from_before_a_reset_is_noticed_R14);
    RUN(an_entry_from_before_a_reset_is_noticed_R14);
    RUN(two_answers_are_noticed);
    RUN(an_entry_returned_twice_is_noticed);
    RUN(a_report_after_a_match_is_noticed);
    RUN(what_was_never_queued_is_noticed);
    RUN(an_entry_of_nobody_is_noticed_R15);
    RUN(an_entry_of_another_endpoint_is_noticed_R13);
    RUN(an_endpoint_that_is_not_there_queues_nothing_R13);
    RUN(a_handle_of_nobody_is_noticed_R15);
    RUN(an_operation_sent_twice_is_noticed);
    RUN(missing_answers_are_noticed_R11);
    RUN(a_depth_that_is_not_so_is_noticed);
    RUN(only_the_first_complaint_is_told);
    return expect_summary();
}
