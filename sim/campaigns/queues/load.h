/* SPDX-License-Identifier: Apache-2.0 */
/* Many submission queues of one device at work at once, measured in clocks. */
#ifndef TMU_QUEUES_LOAD_H
#define TMU_QUEUES_LOAD_H

#include "counter_set.h"
#include "spread.h"
#include "worker.h"

typedef struct load_cell {
    const char *name;     /* of `rivals`, for the report */
    worker_kind_t rivals; /* what all queues do, but for the first, which does pairs */
    bool watched;         /* the first queue alone is measured, one operation at a time */
    uint32_t queues;
    uint32_t window; /* operations of a queue in flight */
} load_cell_t;

typedef struct load_result {
    uint64_t verdicts; /* of the measured queues */
    uint64_t clocks;
    uint64_t least; /* verdicts of the queue with fewest, and with most */
    uint64_t most;
    uint64_t wrong;
    counter_set_t counters; /* load_counters */
    spread_t latency;       /* with the host interface, clocks */
} load_result_t;

/* Commands dropped because their share was full, and commands answered as malformed. */
extern const counter_row_t load_counters[];

/*
 * Measures `operations` after a run-in; -1 and a sentence in `error` on failure.
 * The device is reset first.  After a failure its queues stay open: end the process.
 */
int load_run(tmu_t *device, const load_cell_t *cell, uint64_t operations, load_result_t *result,
             char *error, size_t error_size);

#endif
