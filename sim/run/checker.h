/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Judges every completion of a queue by the reference model.
 *
 * Completions are taken in the order of their serial numbers, stalled attempts included, and each
 * operation is given to the model at that point (R7): what the model says must be what the unit
 * said, in every field, serialisation number included.
 * All operations came by one queue, so that order must be the trace's in each endpoint, but for
 * arrivals that were held back (R11).
 */
#ifndef TMU_REPLAY_CHECKER_H
#define TMU_REPLAY_CHECKER_H

#include "tally.h"
#include "workload.h"

#include <stdio.h>

typedef struct checker checker_t;

/* The limits of a unit's queues. */
typedef struct {
    uint32_t quota;   /* of each endpoint and queue; 0 = none */
    uint32_t reserve; /* of each endpoint and queue */
    uint64_t chunks;  /* of memory in which queues go on beyond the tables */
} checker_limits_t;

/*
 * Judges the operations of `workload` on a unit that has just been reset.
 * `report` gets the words about the first difference.  NULL when memory is short.
 */
checker_t *checker_create(const tmu_info_t *info, const checker_limits_t *limits,
                          const workload_t *workload, FILE *report);
void checker_destroy(checker_t *checker);

/* For tmu_queue_observe: `user` is the checker. */
void checker_observe(void *user, const tmu_completion_t *completion);

/* While nothing is in flight: an endpoint has other quotas from now on (R11). */
void checker_set_quota(checker_t *checker, uint32_t endpoint, tmu_depth_t quota);

/* As well: it has other reserves. */
void checker_set_reserve(checker_t *checker, uint32_t endpoint, tmu_depth_t reserve);

/* After checker_finish: the unit was reset (R14), and only quotas and reserves are as they were.
 * False when memory is short. */
bool checker_restart(checker_t *checker);

/* Counts that the model expects of the unit since the last reset (tally_counters). */
size_t checker_counters(const checker_t *checker, tmu_counter_t counters[TALLY_COUNTERS]);

/* The greatest depths that one endpoint had since the last reset: receives, messages. */
void checker_endpoint_depths(const checker_t *checker, uint64_t depths[2]);

/* At the end, or before a reset: no completion may still wait for one with a smaller serial number.
 */
void checker_finish(checker_t *checker);

/*
 * At the end, or before a reset: each of the unit's counters against the model's of the same name.
 * The greatest depths over all endpoints are left out, here and from then on, when commands waited
 * for memory: then the unit had the endpoints' operations in another order than the model.
 */
void checker_compare_counters(checker_t *checker, const tmu_counter_t *counters, size_t count);

/* Differences so far. */
uint64_t checker_mismatches(const checker_t *checker);

#endif
