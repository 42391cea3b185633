/* SPDX-License-Identifier: Apache-2.0 */
#include "order.h"

#include <stdlib.h>

#define FIRST_ROOM 16u

int order_open(order_t *order, uint32_t endpoints) {
    *order = (order_t){.lines = calloc(endpoints, sizeof *order->lines), .endpoints = endpoints};
    return order->lines ? 0 : -1;
}

static void write_down(journal_t *journal, const order_entry_t *entry) {
    journal_write(journal, &entry->operation, &entry->completion, entry->other);
}

/* Writes the verdict that waits with the next number; false if there is none. */
static bool take_next(order_line_t *line, journal_t *journal) {
    for (size_t i = 0; i < line->count; ++i) {
        if (line->waiting[i].completion.serial != line->next) {
            continue;
        }
        write_down(journal, &line->waiting[i]);
        line->waiting[i] = line->waiting[--line->count];
        ++line->next;
        return true;
    }
    return false;
}

static bool keep(order_line_t *line, const order_entry_t *entry) {
    if (line->count == line->room) {
        const size_t room = line->room == 0 ? FIRST_ROOM : 2 * line->room;
        order_entry_t *grown = realloc(line->waiting, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        line->waiting = grown;
        line->room = room;
    }
    line->waiting[line->count++] = *entry;
    return true;
}

void order_put(order_t *order, journal_t *journal, const order_entry_t *entry) {
    order_line_t *line = &order->lines[entry->operation.endpoint];
    if (entry->completion.serial != line->next) {
        ++order->early;
        order->lost = !keep(line, entry) || order->lost;
        return;
    }
    ++line->next;
    write_down(journal, entry);
    while (take_next(line, journal)) {
    }
}

size_t order_waiting(const order_t *order, uint32_t *endpoint_p, uint32_t *serial_p) {
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

void order_close(order_t *order) {
    for (uint32_t i = 0; i < order->endpoints; ++i) {
        free(order->lines[i].waiting);
    }
    free(order->lines);
    *order = (order_t){0};
}
