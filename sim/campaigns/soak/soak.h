/* SPDX-License-Identifier: Apache-2.0 */
/* A soak: all owners at once, and what happens to them. */
#ifndef SOAK_SOAK_H
#define SOAK_SOAK_H

#include "counter_set.h"
#include "owner.h"

typedef struct soak_shape {
    uint64_t operations;
    uint64_t seed;
    uint32_t segments; /* of memory, registered */
    uint64_t canary;   /* answer that is changed, or 0 */
    uint32_t canary_kind;
    uint64_t kill_every; /* operations, on average; 0: never */
    uint64_t reset_every;
    uint64_t limit_every;
    bool flood; /* queues are deep all the time, rather than now and then */
} soak_shape_t;

/* Counters of the unit that a soak reports. */
extern const counter_row_t soak_counters[];

typedef struct soak {
    market_t market;
    tmu_info_t info;
    soak_shape_t shape;
    lot_t lot;
    uint32_t turn;
    uint64_t next_kill; /* at these operations */
    uint64_t next_reset;
    uint64_t next_limit;
    uint64_t next_tide;
    uint64_t answered; /* last clock with an answer */
    uint64_t seen;     /* answers then */
    uint64_t kills;
    uint64_t kills_in_flight; /* operations of theirs that were in flight or held */
    uint64_t kill_removed;    /* entries of theirs that the unit had */
    uint64_t resets;
    uint64_t reset_in_flight;
    uint64_t quota_changes;
    uint64_t quota_under_way; /* of these, with operations in flight there */
    uint64_t reserve_changes;
    uint64_t tides;
    uint32_t ebbing; /* turns of the ebb so far */
    uint64_t paced;  /* operations at the last look at the pace */
    uint32_t ebbs;
    uint64_t turns;
    uint64_t entries;       /* sum of those that the unit had at each turn */
    counter_set_t counters; /* over all lives of the unit */
    char error[400];
} soak_t;

/* false and a sentence in `error`. */
bool soak_open(soak_t *soak, tmu_t *device, const soak_shape_t *shape, FILE *report);
void soak_close(soak_t *soak);

/* All operations, and at the end every queue is emptied; false and a sentence in `error`. */
bool soak_run(soak_t *soak);

/* One turn of everybody, and some clocks. */
tmu_result_t soak_turn(soak_t *soak);

/* events.c */

/* Steps that follow an owner's end. */
tmu_result_t events_turn(soak_t *soak);

/* Events that are due: other limits, an owner's end, a reset. */
tmu_result_t events_due(soak_t *soak);

/* A new owner, with limits of its own. */
tmu_result_t events_welcome(soak_t *soak, owner_t *owner);

/* Lifts all quotas. */
tmu_result_t events_lift(soak_t *soak);

/* Whether every endpoint has an owner that lives. */
bool events_done(const soak_t *soak);

/* Adds what the unit has counted since its last reset. */
tmu_result_t events_count(soak_t *soak);

#endif
