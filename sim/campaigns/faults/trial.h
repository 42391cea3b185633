/* SPDX-License-Identifier: Apache-2.0
 *
 * One trial: random operations on a unit in which a bit of one stored word is flipped.
 */
#ifndef TMU_FAULTS_TRIAL_H
#define TMU_FAULTS_TRIAL_H

#include "judge.h"
#include "reach.h"

typedef enum trial_outcome {
    TRIAL_NOT_STORED,  /* no word was written there any more */
    TRIAL_UNREAD,      /* the word was not looked at again; every answer is right */
    TRIAL_MADE_UP,     /* it was seen; every answer is given, and right */
    TRIAL_WITHHELD,    /* it was seen; one endpoint's answers were withheld, all others are right */
    TRIAL_SPREAD,      /* the same of more endpoints, as many as the bit may reach */
    TRIAL_UNCONTAINED, /* the same of more endpoints than the bit may reach */
    TRIAL_SILENT,      /* an answer is wrong, or withheld although nothing was seen */
    TRIAL_OUTCOMES
} trial_outcome_t;

typedef struct trial {
    trial_outcome_t outcome;
    judge_result_t judged;
    uint32_t limit; /* endpoints that may be withheld, REACH_ALL = any number */
} trial_t;

/* The outcome, of a trial in which the place gave a flipped word or not. */
trial_outcome_t trial_decide(const judge_result_t *judged, uint32_t limit, bool seen, bool flipped);

/* Runs a trial on a device with memory registered; it is reset first. */
trial_t trial_run(tmu_t *device, tmu_queue_t *queue, uint32_t endpoints, tmu_fault_t place,
                  uint64_t seed);

#endif
