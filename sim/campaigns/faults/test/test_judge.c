/* SPDX-License-Identifier: Apache-2.0 */
/* The judge notices every kind of wrong answer, and counts whose were withheld. */
#include "judge.h"

/* Two receives and their messages at endpoint 1, answered as the law wants it. */
static judge_t answered(void) {
    static const uint8_t opcodes[] = {TMU_OPCODE_POST, TMU_OPCODE_POST, TMU_OPCODE_ARRIVE,
                                      TMU_OPCODE_ARRIVE};
    judge_t judge = {.count = 4};
    for (uint32_t h = 0; h < 4; h++) {
        const bool arrives = h >= 2;
        const tmu_key_t key = {.match = 7, .source = 3};
        judge.questions[h] = (oracle_question_t){opcodes[h], 1, key, h, 0};
        const tmu_completion_t c = {.opcode = opcodes[h],
                                    .status = arrives ? TMU_STATUS_MATCHED : TMU_STATUS_QUEUED,
                                    .endpoint = 1,
                                    .serial = h,
                                    .handle = h,
                                    .other = arrives ? h - 2 : 0,
                                    .match = arrives ? 7 : 0,
                                    .source = arrives ? 3 : 0};
        judge_observe(&judge, &c);
    }
    return judge;
}

static void right_answers_are_right(void) {
    const judge_t judge = answered();
    const judge_result_t result = judge_decide(&judge);
    EXPECT_NUMBER(result.differences, 0);
    EXPECT_NUMBER(result.withheld, 0);
}

static void a_wrong_partner_is_a_difference(void) {
    judge_t judge = answered();
    judge.answers[2].other = 1; /* the younger receive */
    EXPECT(judge_decide(&judge).differences > 0);
}

static void a_wrong_status_is_a_difference(void) {
    judge_t judge = answered();
    judge.answers[3].status = TMU_STATUS_QUEUED;
    EXPECT(judge_decide(&judge).differences > 0);
}

static void a_wrong_serial_number_is_a_difference(void) {
    judge_t judge = answered();
    judge.answers[3].serial = 5;
    EXPECT(judge_decide(&judge).differences > 0);
}

static void no_answer_and_two_are_differences(void) {
    judge_t judge = answered();
    judge.answered[1] = 0;
    EXPECT(judge_decide(&judge).differences > 0);
    judge.answered[1] = 2;
    EXPECT(judge_decide(&judge).differences > 0);
}

static void reports_are_counted(void) {
    judge_t judge = answered();
    judge.reported[2] = 1;
    EXPECT(judge_decide(&judge).differences > 0);
}

static void what_is_withheld_still_happened(void) {
    judge_t judge = answered();
    judge.answers[2].status = TMU_STATUS_TABLE_FAULT; /* it took the older receive */
    judge.answers[2].other = 0;
    const judge_result_t result = judge_decide(&judge);
    EXPECT_NUMBER(result.differences, 0);
    EXPECT_NUMBER(result.withheld, 1);
    judge.answers[3].other = 0; /* what the withheld one has taken */
    EXPECT(judge_decide(&judge).differences > 0);
}

/* The same, and a probe at endpoint 2 that finds nothing. */
static judge_t answered_at_two(void) {
    judge_t judge = answered();
    const tmu_key_t key = {.match = 7, .source = 3};
    const tmu_completion_t c = {
        .opcode = TMU_OPCODE_PROBE, .status = TMU_STATUS_NONE, .endpoint = 2, .handle = 4};
    judge.questions[judge.count++] = (oracle_question_t){TMU_OPCODE_PROBE, 2, key, 4, 0};
    judge_observe(&judge, &c);
    return judge;
}

static void endpoints_with_withheld_answers_are_counted_R13(void) {
    judge_t judge = answered_at_two();
    EXPECT_NUMBER(judge_decide(&judge).differences, 0);
    EXPECT_NUMBER(judge_decide(&judge).endpoints, 0);
    judge.answers[2].status = TMU_STATUS_TABLE_FAULT;
    judge.answers[3].status = TMU_STATUS_TABLE_FAULT;
    EXPECT_NUMBER(judge_decide(&judge).endpoints, 1);
    judge.answers[4].status = TMU_STATUS_SPILL_FAILED;
    EXPECT_NUMBER(judge_decide(&judge).endpoints, 2);
    EXPECT_NUMBER(judge_decide(&judge).withheld, 3);
    EXPECT_NUMBER(judge_decide(&judge).differences, 0);
    judge.answers[4].endpoint = 1; /* an answer can not pass for another endpoint's */
    EXPECT_NUMBER(judge_decide(&judge).endpoints, 2);
}

static void a_withheld_answer_may_have_lost_its_number(void) {
    judge_t judge = answered();
    judge.answers[3].status = TMU_STATUS_SPILL_FAILED;
    judge.answers[3].serial = 77;
    EXPECT_NUMBER(judge_decide(&judge).differences, 0);
    EXPECT_NUMBER(judge_decide(&judge).withheld, 1);
    judge.answers[2].status = TMU_STATUS_TABLE_FAULT;
    judge.answers[2].serial = 99; /* but nobody else's may be missing */
    judge.answers[3] = answered().answers[3];
    EXPECT(judge_decide(&judge).differences > 0);
}

int main(void) {
    RUN(right_answers_are_right);
    RUN(a_wrong_partner_is_a_difference);
    RUN(a_wrong_status_is_a_difference);
    RUN(a_wrong_serial_number_is_a_difference);
    RUN(no_answer_and_two_are_differences);
    RUN(reports_are_counted);
    RUN(what_is_withheld_still_happened);
    RUN(endpoints_with_withheld_answers_are_counted_R13);
    RUN(a_withheld_answer_may_have_lost_its_number);
    return expect_summary();
}
