/* SPDX-License-Identifier: Apache-2.0 */
/* State of one replay, shared by its parts. */
#ifndef TMU_REPLAY_RUN_H
#define TMU_REPLAY_RUN_H

#include "log_line.h"
#include "operation_ledger.h"
#include "queue_set.h"
#include "replay.h"

#include <time.h>

typedef struct run {
    tmu_t *device;
    queue_set_t set;
    checker_t *checker;
    ledger_t *ledger;
    const workload_t *workload;
    const replay_options_t *options;
    replay_result_t *result;
    uint64_t held;              /* arrivals that never had a verdict, by the driver's count */
    tmu_log_record_t *outcomes; /* by index in the workload; verdict 0 = not answered yet */
    tmu_receive_id_t *receives; /* by index */
    uint64_t *unit_latencies;   /* how often each was seen */
    uint64_t *host_latencies;
    uint64_t answered; /* operations */
    uint64_t polled;   /* completions, reports of flushes included */
    uint32_t endpoints;
    uint64_t ids; /* of receives, at most */
    uint64_t skipped_clocks;
    uint64_t lead; /* of the skipped clocks: before the first operation */
    uint64_t start_clock;
    uint64_t last_verdict_clock; /* of a verdict or a stall, or with nothing in flight */
    uint64_t stalls;             /* stalled attempts until then */
    bool offering;               /* an operation has not been accepted yet */
    uint64_t last_answer_clock;  /* of the last answer while it waits, or of its first offer */
    time_t progress_time;        /* second of the last line of progress */
    char *error;
    size_t error_size;
} run_t;

/* Takes what the last call of the driver said as the reason of a failure; -1. */
int run_fails(run_t *run, const char *what);

/* Differences from the law, and complaints of the ledger. */
uint64_t run_mismatches(const run_t *run);

/* replay_collect.c: takes what is there; advances a simulated device when nothing is.  -1 and a
 * sentence when the device fails, is silent, or accepts nothing for far too long. */
int run_collect(run_t *run);

/* Until nothing is in flight.  Held arrivals that nothing can admit stay held (R11). */
int run_drain(run_t *run);

/* replay_log.c: counts the verdicts and writes the log.  A unit that is known to be wrong may have
 * given one that its operation cannot have; it has no line then. */
int run_log(run_t *run);

#endif
