/* SPDX-License-Identifier: Apache-2.0 */
/* A cell: queues that outgrow the tables, worked on at steady depth, measured in clocks. */
#ifndef TMU_SPILL_CELL_H
#define TMU_SPILL_CELL_H

#include "counter_set.h"
#include "spread.h"
#include "stream.h"

typedef enum cell_kind {
    CELL_POSTED,     /* receives of one endpoint */
    CELL_UNEXPECTED, /* messages of one endpoint */
    CELL_ALONE,      /* few receives of another endpoint, beside a deep queue that rests */
    CELL_BESIDE,     /* the same, beside a deep queue at work */
} cell_kind_t;

typedef struct cell {
    const char *name;
    cell_kind_t kind;
    const char *position_name;
    position_t position; /* of the deep queue */
    uint64_t depth;      /* of the deep queue */
    uint64_t steps;
} cell_t;

/* Latencies of the operations that take and of those that append. */
typedef struct cell_latency {
    spread_t take_host;
    spread_t take_unit;
    spread_t append_host;
    spread_t append_unit;
} cell_latency_t;

typedef struct cell_result {
    uint64_t verdicts;
    uint64_t clocks;
    uint64_t rival_verdicts; /* of the deep queue beside the one that is measured */
    uint64_t mismatches;
    counter_set_t counts; /* with the run-in and what was in flight at the end */
    cell_latency_t busy;  /* with a window of operations in flight */
    cell_latency_t one;   /* with one at a time */
    counter_set_t lone_counts;
    uint64_t lone_verdicts; /* one at a time */
    uint64_t lone_clocks;
} cell_result_t;

/* Counters of the unit over a measurement, of all endpoints. */
extern const counter_row_t cell_counters[];

typedef struct session session_t;

/* Registers all the memory that the device takes; NULL and a sentence in `error` on failure. */
session_t *session_open(tmu_t *device, uint32_t window, char *error, size_t error_size);
void session_close(session_t *session);

/*
 * Runs a cell; -1 and a sentence in the session's `error` on failure.
 * A queue that the cell before left no deeper is filled up; otherwise the device is reset first.
 */
int session_run(session_t *session, const cell_t *cell, cell_result_t *result);

#endif
