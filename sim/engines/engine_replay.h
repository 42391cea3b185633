/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace through an engine, in trace order.
 *
 * A stalled arrival is held back and keeps its source's later arrivals behind it (R7, R11).  After
 * each operation that can make room, one pass tries the held ones, oldest first.
 */
#ifndef TMU_ENGINE_REPLAY_H
#define TMU_ENGINE_REPLAY_H

#include "engine.h"
#include "tmu_trace.h"
#include "tmu_verdict_log.h"

typedef struct {
    double ns;         /* of all operations together */
    uint64_t held;     /* at the end: they have no verdict */
    uint64_t held_max; /* most at once */
    engine_stats_t stats;
} engine_replay_t;

/* Fills records[0 .. tmu_trace_count(trace)-1] and *result_p: 0, or -1 for want of memory. */
int engine_replay(const engine_ops_t *engine, const engine_config_t *config,
                  const tmu_trace_t *trace, tmu_log_record_t *records, engine_replay_t *result_p);

#endif
