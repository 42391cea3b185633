/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who has which handle, without asking the law.
 *
 * Every operation is answered once, every entry that was queued is returned once at most, by an
 * operation of its own endpoint, and nothing comes back from before a reset (R11, R13, R14, R15).
 * What the ledger says remains queued must be the depths that the unit tells.
 */
#ifndef TMU_REPLAY_LEDGER_H
#define TMU_REPLAY_LEDGER_H

#include "tmu/tmu.h"
#include "workload.h"

#include <stdio.h>

typedef struct ledger ledger_t;

typedef struct {
    uint64_t answered;  /* operations */
    uint64_t queued;    /* entries */
    uint64_t returned;  /* of these: matched, cancelled or removed */
    uint64_t forgotten; /* of these: by a reset */
    uint64_t let_go;    /* arrivals that were held back when a reset came */
    uint64_t left;      /* entries that are queued still */
} ledger_counts_t;

/* For the operations of `workload` on so many endpoints; `report` gets the first complaint.
 * NULL when memory is short. */
ledger_t *ledger_create(const workload_t *workload, uint32_t endpoints, FILE *report);
void ledger_destroy(ledger_t *ledger);

/* The driver has accepted the operation at this place of the workload. */
void ledger_sent(ledger_t *ledger, size_t place);

/* The driver has returned a completion. */
void ledger_take(ledger_t *ledger, const tmu_completion_t *completion);

/* Nothing is in flight, and the driver says that it holds so many arrivals back. */
void ledger_still(ledger_t *ledger, uint64_t held);

/* Whether an operation has named the endpoint. */
bool ledger_knows(const ledger_t *ledger, uint32_t endpoint);

/* Nothing is in flight, and the unit says how deep an endpoint's queues are. */
void ledger_depth(ledger_t *ledger, uint32_t endpoint, const tmu_depth_t *depth);

/* The unit was reset while nothing was in flight: all that it had is forgotten. */
void ledger_reset(ledger_t *ledger);

ledger_counts_t ledger_counts(const ledger_t *ledger);

/* Complaints so far. */
uint64_t ledger_complaints(const ledger_t *ledger);

#endif
