/* SPDX-License-Identifier: Apache-2.0
 *
 * One trial: random operations on a unit in which a bit of one stored word is flipped.
 */
#ifndef TMU_FAULTS_TRIAL_H
#define TMU_FAULTS_TRIAL_H

#include "judge.h"

typedef enum trial_outcome {
    TRIAL_NOT_STORED, /* no word was written there any more */
    TRIAL_UNREAD,     /* the word was not looked at again; every answer is right */
    TRIAL_MADE_UP,    /* it was seen; every answer is given, and right */
    TRIAL_WITHHELD,   /* it was seen; answers were withheld, and the others are right */
    TRIAL_SILENT,     /* an answer is wrong, or withheld although nothing was seen */
    TRIAL_OUTCOMES
} trial_outcome_t;

typedef struct trial {
    trial_outcome_t outcome;
    judge_result_t judged;
} trial_t;

/** Runs a trial on a device that has memory lent to it; it is reset first. */
trial_t trial_run(tmu_t *device, tmu_queue_t *queue, tmu_fault_t place, uint64_t seed);

#endif
