/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts verdicts into the order of the law (R7), that of each endpoint's serial numbers, on their
 * way to the journal: an operation that needs a look into memory is overtaken by later ones.
 */
#ifndef TMU_PROVIDER_ORDER_H
#define TMU_PROVIDER_ORDER_H

#include "journal.h"

/* Entry of the journal for one verdict. */
typedef struct {
    journal_operation_t operation;
    tmu_completion_t completion;
    uint64_t other; /* number of the partner */
} order_entry_t;

typedef struct {
    uint32_t next; /* serial number whose verdict has not come */
    order_entry_t *waiting;
    size_t count;
    size_t room;
} order_line_t;

typedef struct {
    order_line_t *lines; /* by endpoint */
    uint32_t endpoints;
    uint64_t early; /* verdicts that came before their turn */
    bool lost;      /* memory was short for a verdict */
} order_t;

/* 0, or -1 when memory is short.  Numbers of all endpoints start at 0. */
int order_open(order_t *order, uint32_t endpoints);

/* Writes the verdict, and those that waited for it, or keeps it until it is its turn. Entries that
 * a flush reports have no number and must not be put. */
void order_put(order_t *order, journal_t *journal, const order_entry_t *entry);

/* Verdicts that wait; then `*endpoint_p` and `*serial_p` are one that never came. */
size_t order_waiting(const order_t *order, uint32_t *endpoint_p, uint32_t *serial_p);

/* Verdicts that wait are let go.  A zeroed order_t may be closed. */
void order_close(order_t *order);

#endif
