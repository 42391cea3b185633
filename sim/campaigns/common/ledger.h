/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger of handles: a record of who has which one, without asking the law.
 *
 * Every operation is answered once, every entry that was queued is returned once at most, by an
 * operation of its own endpoint, and nothing comes back from before a reset (R11, R13, R14, R15).
 * Handles that a reset or the end of an owner takes away are counted: the sums at the end tell
 * whether any is missing.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include "tmu/tmu.h"

#include <stdio.h>

typedef struct ledger ledger_t;

#define LEDGER_NO_KEY UINT64_MAX

typedef struct ledger_shape {
    uint32_t endpoints;
    uint32_t room;     /* operations that wait and entries, at a time; of all with `keeps` */
    uint32_t op_bytes; /* that a line carries for the caller */
    bool keeps;   /* lines stay when their entry has left: keys are below `room`, and complaints
                     tell apart what was returned, forgotten and never there */
    FILE *report; /* gets the first complaint */
    /* With `keeps`: the key of the operation with a handle, or LEDGER_NO_KEY; and words for people.
     * Otherwise the handle is the key. */
    uint64_t (*key)(const void *user, bool message, uint64_t handle);
    void (*describe)(const void *user, FILE *report, uint64_t key);
    const void *user;
} ledger_shape_t;

typedef struct ledger_counts {
    uint64_t sent;      /* operations */
    uint64_t answered;  /* = sent, less those let go, dropped and waiting */
    uint64_t let_go;    /* by a reset, before an answer came */
    uint64_t dropped;   /* with their owner, before they had begun */
    uint64_t waiting;   /* without an answer */
    uint64_t queued;    /* became entries */
    uint64_t returned;  /* matched, cancelled or removed: = queued, less those forgotten and left */
    uint64_t forgotten; /* entries, by a reset */
    uint64_t left;      /* entries that are queued still */
} ledger_counts_t;

/* NULL when memory is short. */
ledger_t *ledger_create(const ledger_shape_t *shape);
void ledger_destroy(ledger_t *ledger);

/* An operation is sent, with the caller's bytes; false without room. */
bool ledger_sent(ledger_t *ledger, uint64_t key, uint32_t endpoint, bool message, const void *op);

/* The caller's bytes of the operation that waits for an answer; NULL if there is none.  They stay
 * there until the ledger changes. */
void *ledger_find(const ledger_t *ledger, uint64_t key);

/* A stalled operation is asked again; NULL while its answer has not had its turn, else the caller's
 * bytes. */
void *ledger_again(ledger_t *ledger, uint64_t key);

/* An answer of an operation that was sent; one that stalled goes on waiting (R11). */
void ledger_take(ledger_t *ledger, const tmu_completion_t *answer);

/* Its owner has ended, and the unit had not begun it. */
void ledger_drop(ledger_t *ledger, uint64_t key);

/* A reset: nothing of before may come any more (R14). */
void ledger_reset(ledger_t *ledger);

/* Nothing is in flight, and the driver says that it holds so many arrivals back. */
void ledger_still(ledger_t *ledger, uint64_t held);

/* Whether an operation has named the endpoint. */
bool ledger_knows(const ledger_t *ledger, uint32_t endpoint);

/* Entries that an endpoint has. */
tmu_depth_t ledger_entries(const ledger_t *ledger, uint32_t endpoint);

/* Nothing is in flight, and the unit says how deep an endpoint's queues are. */
void ledger_depth(ledger_t *ledger, uint32_t endpoint, const tmu_depth_t *depth);

ledger_counts_t ledger_counts(const ledger_t *ledger);
uint64_t ledger_complaints(const ledger_t *ledger);

#endif
