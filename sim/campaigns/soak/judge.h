/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges every answer by the reference model, in the order of its endpoint's serial numbers (R7).
 *
 * Answers are put in as they are read from rings.  Each has its turn when all before it at its
 * endpoint had theirs; then it goes to the ledger and to the model.
 */
#ifndef SOAK_JUDGE_H
#define SOAK_JUDGE_H

#include "ledger.h"
#include "operation.h"

typedef struct judge judge_t;

typedef struct judge_counts {
    uint64_t verdicts; /* judged, with those that say stalled */
    uint64_t differences;
    uint64_t stalls;
    uint64_t refused;
    uint64_t flushes;
    uint64_t removed;
    uint64_t cancelled;
    uint64_t late;
    uint64_t matched;
    uint64_t unseen;   /* executed for an owner that had ended */
    uint64_t unjudged; /* answers that came before a reset, and one before them did not */
    uint64_t deepest;  /* queue */
} judge_counts_t;

/* NULL without memory. */
judge_t *judge_create(uint32_t endpoints, ledger_t *ledger, FILE *report);
void judge_destroy(judge_t *judge);

/* Any completion; false if nobody asked for it (R15). */
bool judge_put(judge_t *judge, const tmu_completion_t *found);

/*
 * The quotas of an endpoint have changed while operations were in flight: of those on the own page
 * and on the privileged one that have at least these orders, all were asked after it; of the others
 * some may have met the old quotas, and once one has met the new ones so have all after it.
 */
void judge_quota(judge_t *judge, uint32_t endpoint, tmu_depth_t quota, const uint64_t orders[2]);

/* Whether operations may meet old quotas still; while any are in flight, nobody may change them
 * again then. */
bool judge_is_between(const judge_t *judge, uint32_t endpoint);

/*
 * An owner has ended, and so has the flush that emptied its endpoint: all verdicts before that are
 * there but those of commands that had begun when the page was taken away.  They were executed and
 * nobody was told; which they are, the serial numbers that are missing say, for `handles` has all
 * that had no answer in the order in which they were asked.  What the law says of them is taken for
 * done, and the flush has to agree.  Returns how many were executed.
 */
uint32_t judge_unseen(judge_t *judge, uint32_t endpoint, const uint64_t *handles, uint32_t count);

/* Verdicts of an endpoint that have not had their turn. */
uint32_t judge_waiting(const judge_t *judge, uint32_t endpoint);

/* The unit was reset: models and orders begin anew, quotas stay. */
bool judge_reset(judge_t *judge);

/* Answers wait at no endpoint for one before them; otherwise a difference. */
void judge_finish(judge_t *judge);

judge_counts_t judge_counts(const judge_t *judge);

#endif
