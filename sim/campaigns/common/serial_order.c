/* SPDX-License-Identifier: Apache-2.0 */
#include "serial_order.h"

#include <stdlib.h>

typedef struct {
    uint32_t next;
    tmu_completion_t *waiting; /* in no order */
    size_t count;
    size_t room;
} line_t;

struct serial_order {
    line_t *lines; /* by endpoint */
    uint32_t endpoints;
    serial_order_take_t take;
    void *user;
};

serial_order_t *serial_order_create(uint32_t endpoints, serial_order_take_t take, void *user) {
    serial_order_t *order = calloc(1, sizeof *order);
    if (!order) {
        return NULL;
    }
    order->lines = calloc(endpoints, sizeof *order->lines);
    if (!order->lines) {
        free(order);
        return NULL;
    }
    order->endpoints = endpoints;
    order->take = take;
    order->user = user;
    return order;
}

void serial_order_start(serial_order_t *order, uint32_t first) {
    for (uint32_t i = 0; i < order->endpoints; ++i) {
        order->lines[i].next = first;
    }
}

void serial_order_destroy(serial_order_t *order) {
    if (!order) {
        return;
    }
    for (uint32_t i = 0; i < order->endpoints; ++i) {
        free(order->lines[i].waiting);
    }
    free(order->lines);
    free(order);
}

/* Takes the completion that waits with the next number; false if there is none. */
static bool take_next(const serial_order_t *order, line_t *line) {
    for (size_t i = 0; i < line->count; ++i) {
        if (line->waiting[i].serial != line->next) {
            continue;
        }
        const tmu_completion_t found = line->waiting[i];
        line->waiting[i] = line->waiting[--line->count];
        ++line->next;
        order->take(order->user, &found);
        return true;
    }
    return false;
}

static bool keep(line_t *line, const tmu_completion_t *completion) {
    if (line->count == line->room) {
        const size_t room = line->room == 0 ? 16 : 2 * line->room;
        tmu_completion_t *grown = realloc(line->waiting, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        line->waiting = grown;
        line->room = room;
    }
    line->waiting[line->count++] = *completion;
    return true;
}

bool serial_order_put(serial_order_t *order, const tmu_completion_t *completion) {
    if (completion->endpoint >= order->endpoints) {
        order->take(order->user, completion);
        return true;
    }
    line_t *line = &order->lines[completion->endpoint];
    /* Modulo 2^32: far fewer are ever on their way. */
    const uint32_t ahead = completion->serial - line->next;
    if (ahead > 0 && ahead <= INT32_MAX) {
        return keep(line, completion);
    }
    line->next += completion->serial == line->next;
    order->take(order->user, completion);
    while (take_next(order, line)) {
    }
    return true;
}

size_t serial_order_gap(const serial_order_t *order, uint32_t endpoint, uint32_t *serial_p) {
    *serial_p = order->lines[endpoint].next;
    return order->lines[endpoint].count;
}

size_t serial_order_waiting(const serial_order_t *order, uint32_t *endpoint_p, uint32_t *serial_p) {
    size_t sum = 0;
    for (uint32_t i = 0; i < order->endpoints; ++i) {
        if (sum == 0 && order->lines[i].count > 0) {
            *endpoint_p = i;
            *serial_p = order->lines[i].next;
        }
        sum += order->lines[i].count;
    }
    return sum;
}
