/* SPDX-License-Identifier: Apache-2.0 */
/* Victims beside one attacker, measured in clocks. */
#ifndef TMU_ISOLATION_CELL_H
#define TMU_ISOLATION_CELL_H

#include "attack.h"
#include "counter_set.h"
#include "spread.h"
#include "victim.h"

/* Clocks that a full ring may hold up all others, in `stuck`: the usual quarter of a second would
 * be long to simulate. */
#define CELL_RING_PATIENCE 4096

typedef struct cell {
    attack_kind_t kind;
    uint64_t entries;    /* of the attacker in each queue; 0 where it fills none */
    uint64_t operations; /* of all victims, measured */
} cell_t;

typedef struct cell_result {
    uint64_t verdicts; /* of the victims */
    uint64_t clocks;
    uint64_t mismatches;
    uint64_t longest; /* clocks from a victim's submission to its answer, bus and host included */
    spread_t host;
    spread_t unit;
    uint64_t attempts; /* writes past the driver */
    attack_times_t times;
    counter_set_t counts; /* while the victims were measured, of all endpoints: cell_counters */
} cell_result_t;

extern const counter_row_t cell_counters[];

typedef struct session session_t;

/*
 * Victims at both ends of the device's endpoints, the attacker in the middle; with `memory` the
 * device has all of it registered that it takes.  NULL and a sentence in `error` on failure.
 */
session_t *session_open(tmu_t *device, uint32_t victims, bool memory, char *error,
                        size_t error_size);
void session_close(session_t *session);

/*
 * Measures a cell; -1 and a sentence in the session's `error` on failure.
 * The device is reset first.  After a failure its queues stay open: end the process.
 */
int session_run(session_t *session, const cell_t *cell, cell_result_t *result);

#endif
