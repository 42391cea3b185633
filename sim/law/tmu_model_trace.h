/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The law on a whole trace: the expected verdict of each of its operations.
 *
 * Operations reach the model in trace order, one at a time.  An arrival that the model stalls is
 * held back (R11): after each later operation the held arrivals are tried again, oldest first, in
 * one pass.  An arrival with an older one of its endpoint and source still held waits behind it,
 * untried; those of other sources go on (R7).
 */
#ifndef TMU_MODEL_TRACE_H
#define TMU_MODEL_TRACE_H

#include <stddef.h>

#include "tmu_model.h"
#include "tmu_trace.h"
#include "tmu_verdict_log.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    /* Told of each verdict in the order in which the law executed the operations, which is trace
     * order except for arrivals that were held back; may be NULL. */
    void (*on_verdict)(void *context, size_t operation, const tmu_model_verdict_t *verdict);
    /* Told of each entry that a flush removes; may be NULL. */
    tmu_model_report_t on_removed;
    void *context; /* handed to both */
} tmu_model_replay_options_t;

/*
 * Fills verdicts[0 .. tmu_trace_count(trace)-1] in trace order, and *stats_p unless it is NULL.
 * An arrival that is still held when the trace ends has the status TMU_MODEL_HELD.
 * Receives carry their request number as handle and no receive id; addresses are 0.
 * `options` may be NULL.  Returns OK, NO_MEMORY or BAD_ARGUMENT; the array is meaningless unless
 * OK.
 *
 * A pass over the held arrivals is left out where it cannot admit any, so with arrivals held back
 * serial numbers and the count of stalled attempts are this replay's own; all else is the law.
 */
tmu_model_status_t tmu_model_replay(const tmu_model_config_t *config, const tmu_trace_t *trace,
                                    const tmu_model_replay_options_t *options,
                                    tmu_model_verdict_t *verdicts, tmu_model_stats_t *stats_p);

/* The verdict-log record of one replayed operation.  False where a verdict has none (stalled). */
bool tmu_model_log_record(const tmu_model_verdict_t *verdict, tmu_log_record_t *record_p);

#ifdef __cplusplus
}
#endif

#endif
