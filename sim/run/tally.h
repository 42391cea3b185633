/* SPDX-License-Identifier: Apache-2.0 */
/* The model's verdicts, counted as the unit counts its own. */
#ifndef TMU_REPLAY_TALLY_H
#define TMU_REPLAY_TALLY_H

#include "tmu/tmu.h"
#include "tmu_model.h"
#include "tmu_trace.h"

#include <stdbool.h>

#define TALLY_COUNTERS 32

typedef struct {
    uint64_t verdicts[TMU_TRACE_FLUSH + 1][TMU_MODEL_HELD + 1]; /* by kind and status */
    uint64_t truncated;
    uint64_t removed_posted;
    uint64_t removed_unexpected;
} tally_t;

void tally_add(tally_t *tally, unsigned kind, const tmu_model_verdict_t *verdict);

/*
 * Counts that the unit must have, by the names of its counters; returns their number.
 * The greatest depths over all endpoints are left out on demand: these have no order among each
 * other, so they are the same only where no operation waited for memory.
 */
size_t tally_counters(const tally_t *tally, const tmu_model_stats_t *stats, bool depths,
                      tmu_counter_t counters[TALLY_COUNTERS]);

#endif
