/* SPDX-License-Identifier: Apache-2.0
 *
 * Judges what a unit answered while one of its stored words had lost a bit.
 *
 * Answers may be withheld (TMU_STATUS_TABLE_FAULT, TMU_STATUS_SPILL_FAILED); every other one has to
 * be what the reference model says to the same operations in the order of serial numbers.  Of how
 * many endpoints they were withheld is told; how many those may be depends on the bit (reach.h).
 */
#ifndef TMU_FAULTS_JUDGE_H
#define TMU_FAULTS_JUDGE_H

#include "model_oracle.h"

#define JUDGE_ENDPOINTS 4
#define JUDGE_OPERATIONS 256

typedef struct judge {
    oracle_question_t questions[JUDGE_OPERATIONS]; /* by handle */
    tmu_completion_t answers[JUDGE_OPERATIONS];
    unsigned answered[JUDGE_OPERATIONS];
    uint32_t reported[JUDGE_OPERATIONS]; /* a flush's reports */
    uint32_t count;                      /* operations that were asked */
} judge_t;

/* Findings of one trial. */
typedef struct judge_result {
    uint32_t withheld;    /* answers, those that have lost their numbers too */
    uint32_t endpoints;   /* of which at least one answer was withheld */
    uint32_t differences; /* wrong answers, and operations without an answer or with two */
} judge_result_t;

/* For tmu_queue_observe: `user` is the judge. */
void judge_observe(void *user, const tmu_completion_t *completion);

/* Compares; the first difference is written to standard error. */
judge_result_t judge_decide(const judge_t *judge);

#endif
