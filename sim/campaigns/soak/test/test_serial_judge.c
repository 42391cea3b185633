/* SPDX-License-Identifier: Apache-2.0 */
/* Judge and ledger: what is right passes, and each kind of wrong answer is told in words. */
#include "expect.h"
#include "judge.h"

#define ENDPOINTS 2
/* Times a small number: keys that all have the first line of the ledger as home. */
#define ONE_HOME UINT64_C(0xf1de83e19937733d)
#define HANDLE(number) ((uint64_t)(number) << 48 | (number))

static ledger_t *ledger;
static judge_t *judge;
static FILE *report;
static uint32_t serials[ENDPOINTS];
static uint64_t order;

static void begin(void) {
    report = tmpfile();
    ledger = ledger_create(&(ledger_shape_t){
        .endpoints = ENDPOINTS, .room = 32768, .op_bytes = sizeof(operation_t), .report = report});
    judge = judge_create(ENDPOINTS, ledger, report);
    serials[0] = serials[1] = 0;
    order = 0;
}

/* Ends a test in which this was all that there was to complain of. */
static void end(uint64_t differences, uint64_t complaints, const char *words) {
    char said[4096] = "";
    judge_finish(judge);
    EXPECT_NUMBER(judge_counts(judge).differences, differences);
    EXPECT_NUMBER(ledger_complaints(ledger), complaints);
    rewind(report);
    said[fread(said, 1, sizeof said - 1, report)] = '\0';
    if (!strstr(said, words) || (differences + complaints == 0) != (said[0] == '\0')) {
        EXPECT_TEXT(said, words);
    }
    (void)fclose(report);
    judge_destroy(judge);
    ledger_destroy(ledger);
}

static operation_t send(uint8_t opcode, uint32_t number, uint32_t endpoint) {
    operation_t op = {.handle = HANDLE(number),
                      .endpoint = endpoint,
                      .opcode = opcode,
                      .order = order++,
                      .receive_id = number,
                      .length = 8};
    if (opcode == TMU_OPCODE_FLUSH) {
        op.key.ignore = UINT64_MAX;
        op.key.source_ignore = UINT32_MAX;
    }
    EXPECT(ledger_sent(ledger, op.handle, endpoint, opcode == TMU_OPCODE_ARRIVE, &op));
    return op;
}

/* An answer as the unit gives it; of a match, `other` is the operation that queued. */
static tmu_completion_t answer(const operation_t *op, uint8_t status, const operation_t *other) {
    tmu_completion_t c = {.opcode = op->opcode,
                          .status = status,
                          .handle = op->handle,
                          .endpoint = op->endpoint,
                          .serial = serials[op->endpoint]++};
    if (other) {
        const tmu_record_t command = operation_command(other);
        c.other = other->handle;
        c.address = TMU_FIELD_GET(&command, TMU_COMMAND_ADDRESS);
        c.message_length = 8;
        c.receive_length = op->opcode == TMU_OPCODE_POST || op->opcode == TMU_OPCODE_ARRIVE ? 8 : 0;
    }
    return c;
}

static void put(tmu_completion_t c) { EXPECT(judge_put(judge, &c)); }

/* A flush reports an entry. */
static void removed(const operation_t *flush, const operation_t *entry) {
    tmu_completion_t c = answer(flush, TMU_STATUS_REMOVED, entry);
    serials[flush->endpoint]--;
    c.unexpected = entry->opcode == TMU_OPCODE_ARRIVE;
    c.message_length = c.unexpected ? 8 : 0;
    c.receive_length = c.unexpected ? 0 : 8;
    put(c);
}

static tmu_completion_t flushed(const operation_t *flush, uint32_t posted, uint32_t unexpected) {
    tmu_completion_t c = answer(flush, TMU_STATUS_FLUSHED, NULL);
    c.removed_posted = posted;
    c.removed_unexpected = unexpected;
    return c;
}

static void right_answers_pass_in_any_order_R7(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t message = send(TMU_OPCODE_ARRIVE, 2, 0);
    const tmu_completion_t first = answer(&post, TMU_STATUS_QUEUED, NULL);
    put(answer(&message, TMU_STATUS_MATCHED, &post));
    EXPECT_NUMBER(judge_counts(judge).verdicts, 0);
    put(first);
    EXPECT_NUMBER(judge_counts(judge).verdicts, 2);
    const ledger_counts_t counts = ledger_counts(ledger);
    EXPECT_NUMBER(counts.answered, 2);
    EXPECT_NUMBER(counts.returned, 1);
    EXPECT_NUMBER(counts.left, 0);
    end(0, 0, "");
}

static void a_wrong_verdict_is_noticed(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    put(answer(&post, TMU_STATUS_REFUSED_QUOTA, NULL));
    end(1, 0, "the verdict is not the law's");
}

static void a_lost_answer_is_noticed_R7(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 1);
    const operation_t message = send(TMU_OPCODE_ARRIVE, 2, 1);
    (void)answer(&post, TMU_STATUS_QUEUED, NULL);
    put(answer(&message, TMU_STATUS_MATCHED, &post));
    EXPECT_NUMBER(ledger_counts(ledger).waiting, 2);
    end(1, 0, "endpoint 1 never had serial number 0 (R7)");
}

static void an_answer_that_comes_twice_is_noticed_R15(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const tmu_completion_t c = answer(&post, TMU_STATUS_QUEUED, NULL);
    put(c);
    EXPECT(!judge_put(judge, &c));
    end(1, 0, "nobody asked for this (R13, R15)");
}

static void a_handle_that_comes_back_twice_is_noticed_R15(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t first = send(TMU_OPCODE_ARRIVE, 2, 0);
    const operation_t second = send(TMU_OPCODE_ARRIVE, 3, 0);
    put(answer(&post, TMU_STATUS_QUEUED, NULL));
    put(answer(&first, TMU_STATUS_MATCHED, &post));
    put(answer(&second, TMU_STATUS_MATCHED, &post));
    end(1, 1, "is of no entry: it came back before, or nobody gave it (R15)");
}

static void an_entry_of_another_endpoint_is_noticed_R13(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t message = send(TMU_OPCODE_ARRIVE, 2, 1);
    put(answer(&post, TMU_STATUS_QUEUED, NULL));
    put(answer(&message, TMU_STATUS_MATCHED, &post));
    end(1, 1, "is of another endpoint (R13)");
}

static void operations_of_a_page_that_overtake_each_other_are_noticed_R7(void) {
    begin();
    const operation_t first = send(TMU_OPCODE_PROBE, 1, 0);
    const operation_t second = send(TMU_OPCODE_PROBE, 2, 0);
    put(answer(&second, TMU_STATUS_NONE, NULL));
    put(answer(&first, TMU_STATUS_NONE, NULL));
    end(1, 0, "a later operation of its page came before it (R7)");
}

static void a_flush_is_judged_with_its_reports_R14(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t flush = send(TMU_OPCODE_FLUSH, 2, 0);
    put(answer(&post, TMU_STATUS_QUEUED, NULL));
    removed(&flush, &post);
    put(flushed(&flush, 1, 0));
    EXPECT_NUMBER(ledger_counts(ledger).left, 0);
    end(0, 0, "");
}

static void a_flush_that_reports_too_little_is_noticed_R14(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t flush = send(TMU_OPCODE_FLUSH, 2, 0);
    put(answer(&post, TMU_STATUS_QUEUED, NULL));
    put(flushed(&flush, 1, 0));
    EXPECT_NUMBER(ledger_counts(ledger).left, 1);
    end(1, 0, "a flush removed something else than the law (R14)");
}

static void a_quota_may_be_met_early_but_not_taken_back_R11(void) {
    begin();
    const operation_t first = send(TMU_OPCODE_ARRIVE, 1, 0);
    const operation_t second = send(TMU_OPCODE_ARRIVE, 2, 0);
    const operation_t third = send(TMU_OPCODE_ARRIVE, 3, 0);
    const tmu_depth_t quota = {.unexpected = 1};
    put(answer(&first, TMU_STATUS_QUEUED, NULL));
    judge_quota(judge, 0, quota, (const uint64_t[2]){order, order});
    EXPECT(judge_is_between(judge, 0));
    put(answer(&second, TMU_STATUS_STALLED, NULL));
    EXPECT(!judge_is_between(judge, 0));
    put(answer(&third, TMU_STATUS_QUEUED, NULL));
    EXPECT_NUMBER(judge_counts(judge).stalls, 2);
    end(1, 0, "the verdict is not the law's");
}

static void a_quota_holds_for_what_is_asked_after_it_R11(void) {
    begin();
    const operation_t first = send(TMU_OPCODE_POST, 1, 0);
    put(answer(&first, TMU_STATUS_QUEUED, NULL));
    judge_quota(judge, 0, (tmu_depth_t){.posted = 1}, (const uint64_t[2]){order, order});
    const operation_t second = send(TMU_OPCODE_POST, 2, 0);
    put(answer(&second, TMU_STATUS_QUEUED, NULL));
    end(1, 0, "the verdict is not the law's");
}

static void a_stalled_arrival_is_asked_again_R11(void) {
    begin();
    judge_quota(judge, 0, (tmu_depth_t){.unexpected = 1}, (const uint64_t[2]){0, 0});
    const operation_t first = send(TMU_OPCODE_ARRIVE, 1, 0);
    const operation_t second = send(TMU_OPCODE_ARRIVE, 2, 0);
    put(answer(&first, TMU_STATUS_QUEUED, NULL));
    EXPECT(!ledger_again(ledger, second.handle));
    put(answer(&second, TMU_STATUS_STALLED, NULL));
    operation_t *kept = ledger_again(ledger, second.handle);
    EXPECT(kept);
    kept->order = order;
    const operation_t post = send(TMU_OPCODE_POST, 3, 0);
    put(answer(&post, TMU_STATUS_MATCHED, &first));
    EXPECT(ledger_find(ledger, second.handle));
    end(0, 0, "");
}

static void a_reset_forgets_and_nothing_of_before_may_come_R14(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t late = send(TMU_OPCODE_PROBE, 2, 0);
    put(answer(&post, TMU_STATUS_QUEUED, NULL));
    ledger_reset(ledger);
    EXPECT(judge_reset(judge));
    EXPECT_NUMBER(ledger_counts(ledger).forgotten, 1);
    EXPECT_NUMBER(ledger_counts(ledger).let_go, 1);
    const tmu_completion_t c = answer(&late, TMU_STATUS_NONE, NULL);
    EXPECT(!judge_put(judge, &c));
    end(1, 0, "nobody asked for this (R13, R15)");
}

static void what_a_dead_owner_asked_is_dropped_once(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    ledger_drop(ledger, post.handle);
    EXPECT_NUMBER(ledger_counts(ledger).dropped, 1);
    ledger_drop(ledger, post.handle);
    end(0, 1, "is dropped, and does not wait");
}

/* A killed owner's command was executed and nobody was told; the flush has what it left. */
static void what_nobody_was_told_is_carried_out_R14(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t never = send(TMU_OPCODE_POST, 2, 0);
    const operation_t flush = send(TMU_OPCODE_FLUSH, 3, 0);
    const uint64_t handles[] = {post.handle, never.handle};
    (void)answer(&post, TMU_STATUS_QUEUED, NULL);
    removed(&flush, &post);
    put(flushed(&flush, 1, 0));
    EXPECT_NUMBER(judge_counts(judge).verdicts, 0);
    EXPECT_NUMBER(judge_unseen(judge, 0, handles, 2), 1);
    EXPECT_NUMBER(judge_counts(judge).unseen, 1);
    EXPECT_NUMBER(ledger_counts(ledger).left, 0);
    EXPECT(ledger_find(ledger, never.handle));
    end(0, 0, "");
}

static void a_flush_that_contradicts_what_nobody_was_told_is_noticed_R14(void) {
    begin();
    const operation_t post = send(TMU_OPCODE_POST, 1, 0);
    const operation_t flush = send(TMU_OPCODE_FLUSH, 2, 0);
    (void)answer(&post, TMU_STATUS_QUEUED, NULL);
    put(flushed(&flush, 0, 0));
    EXPECT_NUMBER(judge_unseen(judge, 0, &post.handle, 1), 1);
    end(1, 0, "the verdict is not the law's");
}

static void a_serial_number_that_nobody_had_is_noticed_R7(void) {
    begin();
    const operation_t flush = send(TMU_OPCODE_FLUSH, 1, 0);
    serials[0] = 1;
    put(flushed(&flush, 0, 0));
    EXPECT_NUMBER(judge_unseen(judge, 0, NULL, 0), 0);
    end(2, 0, "nobody can have had this serial number (R7)");
}

static void many_handles_find_their_lines(void) {
    enum { MANY = 3000 };
    begin();
    /* All of one home, so that each is in the way of all others. */
    for (uint32_t i = 1; i <= MANY; i++) {
        const operation_t op = {.handle = i * ONE_HOME, .order = i};
        EXPECT(ledger_sent(ledger, op.handle, 0, false, &op));
    }
    for (uint32_t i = MANY; i >= 1; i -= 2) {
        ledger_drop(ledger, i * ONE_HOME);
    }
    for (uint32_t i = 1; i <= MANY; i++) {
        const operation_t *op = ledger_find(ledger, i * ONE_HOME);
        EXPECT(i % 2 == 0 ? !op : op && op->order == i);
    }
    end(0, 0, "");
}

int main(void) {
    RUN(right_answers_pass_in_any_order_R7);
    RUN(a_wrong_verdict_is_noticed);
    RUN(a_lost_answer_is_noticed_R7);
    RUN(an_answer_that_comes_twice_is_noticed_R15);
    RUN(a_handle_that_comes_back_twice_is_noticed_R15);
    RUN(an_entry_of_another_endpoint_is_noticed_R13);
    RUN(operations_of_a_page_that_overtake_each_other_are_noticed_R7);
    RUN(a_flush_is_judged_with_its_reports_R14);
    RUN(a_flush_that_reports_too_little_is_noticed_R14);
    RUN(a_quota_may_be_met_early_but_not_taken_back_R11);
    RUN(a_quota_holds_for_what_is_asked_after_it_R11);
    RUN(a_stalled_arrival_is_asked_again_R11);
    RUN(a_reset_forgets_and_nothing_of_before_may_come_R14);
    RUN(what_a_dead_owner_asked_is_dropped_once);
    RUN(what_nobody_was_told_is_carried_out_R14);
    RUN(a_flush_that_contradicts_what_nobody_was_told_is_noticed_R14);
    RUN(a_serial_number_that_nobody_had_is_noticed_R7);
    RUN(many_handles_find_their_lines);
    return expect_summary();
}
