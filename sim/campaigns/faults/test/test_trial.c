/* SPDX-License-Identifier: Apache-2.0 */
/* Reach of a flipped bit, and the outcome of a trial in which it reached further. */
#include "trial.h"

/* Widths are made up; the endpoints are those of the preset tiny. */
enum { LANE = 224, STORE = 400, ENDPOINTS = 4 };

/* Outcome of a trial whose unit withholds answers of so many endpoints. */
static trial_outcome_t decided(uint32_t endpoints, uint32_t limit) {
    const judge_result_t judged = {.withheld = 10 * endpoints, .endpoints = endpoints};
    return trial_decide(&judged, limit, true, true);
}

static void a_unit_that_withholds_two_endpoints_for_a_lane_is_noticed_R13(void) {
    for (uint32_t bit = 2; bit < LANE - 2; bit++) { /* its key and what it ignores, id and slot */
        const uint32_t limit = reach_limit(ENDPOINTS, TMU_FAULT_POSTED_LANES, bit, LANE);
        EXPECT_NUMBER(decided(1, limit), TRIAL_WITHHELD);
        EXPECT_NUMBER(decided(2, limit), TRIAL_UNCONTAINED);
        EXPECT_NUMBER(decided(JUDGE_ENDPOINTS, limit), TRIAL_UNCONTAINED);
    }
}

static void a_flipped_endpoint_may_be_anybodys(void) {
    static const uint32_t bits[] = {1, LANE - 2, LANE - 1};
    for (size_t i = 0; i < sizeof bits / sizeof bits[0]; i++) {
        const uint32_t limit = reach_limit(ENDPOINTS, TMU_FAULT_UNEXPECTED_LANES, bits[i], LANE);
        EXPECT_NUMBER(decided(1, limit), TRIAL_WITHHELD);
        EXPECT_NUMBER(decided(JUDGE_ENDPOINTS, limit), TRIAL_SPREAD);
    }
    EXPECT_NUMBER(reach_limit(ENDPOINTS, TMU_FAULT_POSTED_STORE, 0, STORE), 1);
    EXPECT_NUMBER(reach_limit(ENDPOINTS, TMU_FAULT_POSTED_STORE, 1, STORE), REACH_ALL);
    EXPECT_NUMBER(reach_limit(ENDPOINTS, TMU_FAULT_POSTED_STORE, 2, STORE), 1);
    EXPECT_NUMBER(reach_limit(ENDPOINTS, TMU_FAULT_UNEXPECTED_STORE, STORE - 3, STORE), 1);
    EXPECT_NUMBER(reach_limit(ENDPOINTS, TMU_FAULT_UNEXPECTED_STORE, STORE - 2, STORE), REACH_ALL);
}

/* Of a bit that is not an endpoint's.  0 where a flip is made up for. */
static void every_place_has_its_limit(void) {
    static const uint32_t limits[] = {
        [TMU_FAULT_POSTED_LANES] = 1,
        [TMU_FAULT_UNEXPECTED_LANES] = 1,
        [TMU_FAULT_POSTED_STORE] = 1,
        [TMU_FAULT_UNEXPECTED_STORE] = 1,
        [TMU_FAULT_POST_TALLIES] = 1,
        [TMU_FAULT_ARRIVAL_TALLIES] = 1,
        [TMU_FAULT_POSTED_QUOTAS] = 1,
        [TMU_FAULT_UNEXPECTED_QUOTAS] = 1,
        [TMU_FAULT_MARKS] = 1,
        [TMU_FAULT_ENTRIES] = 1,
        [TMU_FAULT_LISTS] = REACH_ALL,
        [TMU_FAULT_CHUNK_LINKS] = REACH_ALL,
        [TMU_FAULT_ANSWERED] = REACH_ALL,
        [TMU_FAULT_CHUNK_LIVES] = REACH_ALL,
        [TMU_FAULT_WORD_TAGS] = 0,
    };
    for (uint32_t place = 1; place <= TMU_FAULT_WORD_TAGS; place++) {
        EXPECT_NUMBER(reach_limit(ENDPOINTS, (tmu_fault_t)place, 12, 40), limits[place]);
    }
}

static void what_is_made_up_for_withholds_nothing(void) {
    const uint32_t limit = reach_limit(ENDPOINTS, TMU_FAULT_WORDS, 3, 40);
    EXPECT_NUMBER(decided(0, limit), TRIAL_MADE_UP);
    EXPECT_NUMBER(decided(1, limit), TRIAL_UNCONTAINED);
}

static void wrong_answers_are_silent_whoever_is_withheld(void) {
    const judge_result_t wrong = {.withheld = 5, .endpoints = 3, .differences = 1};
    const judge_result_t withheld = {.withheld = 5, .endpoints = 1};
    const judge_result_t none = {0};
    EXPECT_NUMBER(trial_decide(&wrong, 1, true, true), TRIAL_SILENT);
    EXPECT_NUMBER(trial_decide(&withheld, 1, false, true), TRIAL_SILENT);
    EXPECT_NUMBER(trial_decide(&none, 1, true, false), TRIAL_SILENT);
    EXPECT_NUMBER(trial_decide(&none, 1, false, true), TRIAL_UNREAD);
    EXPECT_NUMBER(trial_decide(&none, 1, false, false), TRIAL_NOT_STORED);
}

int main(void) {
    RUN(a_unit_that_withholds_two_endpoints_for_a_lane_is_noticed_R13);
    RUN(a_flipped_endpoint_may_be_anybodys);
    RUN(every_place_has_its_limit);
    RUN(what_is_made_up_for_withholds_nothing);
    RUN(wrong_answers_are_silent_whoever_is_withheld);
    return expect_summary();
}
