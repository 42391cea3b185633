/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Puts completions into the order of the law (R7): that of the serial numbers of each endpoint.
 *
 * A unit that looks into memory for one command may answer later ones before it, so the order of a
 * ring is not that in which operations were matched.
 */
#ifndef TMU_REPLAY_SERIAL_ORDER_H
#define TMU_REPLAY_SERIAL_ORDER_H

#include "tmu/tmu.h"

typedef struct serial_order serial_order_t;

/* Called once for each completion that was put, when its turn has come. */
typedef void (*serial_order_take_t)(void *user, const tmu_completion_t *completion);

/* Numbers of all endpoints start at 0, and are counted modulo 2^32.  NULL when memory is short. */
serial_order_t *serial_order_create(uint32_t endpoints, serial_order_take_t take, void *user);
void serial_order_destroy(serial_order_t *order);

/* Before anything is put: numbers of all endpoints go on with this one. */
void serial_order_start(serial_order_t *order, uint32_t first);

/*
 * Takes a completion at once if its number is the next of its endpoint, or one that was there
 * already, and then those that waited for it; otherwise it waits.
 * Reports of a flush and answers that refuse an endpoint have no number and must not be put.
 * False when memory is short, and then the completion is lost.
 */
bool serial_order_put(serial_order_t *order, const tmu_completion_t *completion);

/* Those of one endpoint that wait; `*serial_p` is the number that it has not had. */
size_t serial_order_gap(const serial_order_t *order, uint32_t endpoint, uint32_t *serial_p);

/* Completions that still wait; then `*endpoint_p` and `*serial_p` are a verdict that never came. */
size_t serial_order_waiting(const serial_order_t *order, uint32_t *endpoint_p, uint32_t *serial_p);

#endif
