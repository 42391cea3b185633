/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger of handles: every operation is answered once, every entry comes back once (R15).
 *
 * It knows nothing of the law.  An operation is in it from the time that it is sent to its answer,
 * and if it became an entry, until that is returned.  What a reset or the end of an owner takes
 * away is counted, so that at the end the sums tell whether anything is missing.
 */
#ifndef SOAK_LEDGER_H
#define SOAK_LEDGER_H

#include "operation.h"

#include <stdio.h>

typedef struct ledger ledger_t;

typedef struct ledger_counts {
    uint64_t sent;
    uint64_t answered;  /* = sent, less those let go, dropped and waiting */
    uint64_t let_go;    /* by a reset, before an answer came */
    uint64_t dropped;   /* with their owner, before they had begun */
    uint64_t waiting;   /* now */
    uint64_t queued;    /* became entries */
    uint64_t returned;  /* = queued, less those forgotten and left */
    uint64_t forgotten; /* entries, by a reset */
    uint64_t left;      /* entries now */
} ledger_counts_t;

/* Complaints go to `report`; NULL without memory. */
ledger_t *ledger_create(uint32_t endpoints, FILE *report);
void ledger_destroy(ledger_t *ledger);

/* A handle is given out; false without room. */
bool ledger_sent(ledger_t *ledger, const operation_t *op);

/* The operation that waits for an answer with this handle; NULL if there is none.  It stays there
 * until the ledger changes. */
const operation_t *ledger_find(const ledger_t *ledger, uint64_t handle);

/* A stalled operation is asked again, with another order; false while its answer has not had its
 * turn. */
bool ledger_again(ledger_t *ledger, uint64_t handle, uint64_t order);

/* An answer of an operation that was sent; one that stalled goes on waiting (R11). */
void ledger_take(ledger_t *ledger, const tmu_completion_t *answer);

/* Its owner has ended, and the unit had not begun it. */
void ledger_drop(ledger_t *ledger, uint64_t handle);

/* A reset: nothing of before may come any more (R14). */
void ledger_reset(ledger_t *ledger);

/* Entries that an endpoint has; with `arrived` messages, otherwise receives. */
uint32_t ledger_entries(const ledger_t *ledger, uint32_t endpoint, bool arrived);

ledger_counts_t ledger_counts(const ledger_t *ledger);
uint64_t ledger_complaints(const ledger_t *ledger);

#endif
