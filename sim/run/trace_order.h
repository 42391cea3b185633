/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the operations of a trace were matched in its order (R7).
 *
 * All came by one queue, so each endpoint must have had them in the order of the trace, but for
 * arrivals that were held back (R11).
 */
#ifndef TMU_REPLAY_TRACE_ORDER_H
#define TMU_REPLAY_TRACE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct trace_order trace_order_t;

typedef struct {
    uint32_t endpoint;
    size_t index; /* in the trace */
    bool arrival;
    bool stalled; /* held back: from here on the endpoint's arrivals may come late */
} trace_step_t;

/* NULL when memory is short. */
trace_order_t *trace_order_create(uint32_t endpoints);
void trace_order_destroy(trace_order_t *order);

/* The endpoint's next operation in the order of serial numbers; false if it should have come
 * before.  True for an endpoint that is not there: it has no order. */
bool trace_order_step(trace_order_t *order, const trace_step_t *step);

#endif
