/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_order.h"

#include <stdlib.h>

/* Progress of an endpoint: one more than the last operation's index. */
typedef struct {
    size_t any;
    size_t other; /* than arrivals */
    bool stalled;
} progress_t;

struct trace_order {
    uint32_t endpoints;
    progress_t *progress; /* by endpoint */
};

trace_order_t *trace_order_create(uint32_t endpoints) {
    trace_order_t *order = calloc(1, sizeof *order);
    if (!order) {
        return NULL;
    }
    order->endpoints = endpoints;
    order->progress = calloc(endpoints, sizeof *order->progress);
    if (!order->progress) {
        free(order);
        return NULL;
    }
    return order;
}

void trace_order_destroy(trace_order_t *order) {
    if (!order) {
        return;
    }
    free(order->progress);
    free(order);
}

bool trace_order_step(trace_order_t *order, const trace_step_t *step) {
    if (step->endpoint >= order->endpoints) {
        return true;
    }
    progress_t *last = &order->progress[step->endpoint];
    const size_t arrivals_from = last->stalled ? 0 : last->any;
    /* A held arrival does not move the others' mark, so that they are held to theirs. */
    const bool right = step->index >= (step->arrival ? arrivals_from : last->other);
    last->stalled = last->stalled || step->stalled;
    if (step->index + 1 > last->any) {
        last->any = step->index + 1;
    }
    if (!step->arrival && step->index + 1 > last->other) {
        last->other = step->index + 1;
    }
    return right;
}
