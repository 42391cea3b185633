/* SPDX-License-Identifier: Apache-2.0 */
#include "link_switch.h"
#include "link_queue.h"
#include "link_table.h"

#include <stdlib.h>
#include <string.h>

/* On the wire a frame has a check sequence, a preamble and a gap as well. */
#define WIRE_BYTES 24u
/* At most LINK_PASSED_MAX and the one that has just come are held, of successive numbers. */
#define HELD_MAX 8u
_Static_assert(HELD_MAX > LINK_PASSED_MAX, "held frames have a slot each");

/* A reordered frame. */
typedef struct held {
    uint8_t *frame; /* NULL: free */
    size_t bytes;
    bool duplicated;
    uint64_t behind; /* the number of the last frame that it lets pass */
    uint64_t until_ns;
} held_t;

typedef struct port {
    bool open;
    uint64_t free_ns; /* when the last bit of what is queued has left */
    link_queue_t queue;
    held_t held[HELD_MAX]; /* by number */
    link_counts_t counts;
} port_t;

struct link_switch {
    link_shape_t shape;
    link_table_t table;
    port_t port[LINK_PORTS_MAX];
};

link_switch_t *link_switch_new(const link_shape_t *shape) {
    link_switch_t *sw = calloc(1, sizeof *sw);
    if (sw) {
        sw->shape = *shape;
    }
    return sw;
}

void link_switch_free(link_switch_t *sw) {
    for (unsigned port = 0; sw && port < LINK_PORTS_MAX; port++) {
        (void)link_queue_clear(&sw->port[port].queue);
        for (unsigned slot = 0; slot < HELD_MAX; slot++) {
            free(sw->port[port].held[slot].frame);
        }
    }
    free(sw);
}

void link_switch_open(link_switch_t *sw, unsigned port) { sw->port[port].open = true; }

static void enqueue(link_switch_t *sw, port_t *to, const uint8_t *frame, size_t bytes,
                    uint64_t now_ns) {
    uint64_t leaves = now_ns + sw->shape.delay_ns;
    if (sw->shape.gbps > 0) {
        leaves = leaves > to->free_ns ? leaves : to->free_ns;
        leaves += (uint64_t)((double)(bytes + WIRE_BYTES) * 8 / sw->shape.gbps);
    }
    if (link_queue_push(&to->queue, frame, bytes, leaves, LINK_PORT_BYTES)) {
        to->counts.waiting++;
        to->free_ns = leaves;
    } else {
        to->counts.overflowed++;
    }
}

static uint64_t flood(link_switch_t *sw, unsigned from, const uint8_t *frame, size_t bytes,
                      uint64_t now_ns) {
    uint64_t copies = 0;
    for (unsigned port = 0; port < sw->shape.ports; port++) {
        if (port != from && sw->port[port].open) {
            enqueue(sw, &sw->port[port], frame, bytes, now_ns);
            copies++;
        }
    }
    return copies;
}

/* Sends a frame where it belongs, twice if it is duplicated, and counts it once. */
static void forward(link_switch_t *sw, unsigned from, const uint8_t *frame, size_t bytes,
                    bool duplicated, uint64_t now_ns) {
    link_counts_t *counts = &sw->port[from].counts;
    const unsigned times = duplicated ? 2 : 1;
    const uint32_t to = link_table_find(&sw->table, link_table_address(frame), now_ns);
    uint64_t copies = 0;
    for (unsigned time = 0; time < times; time++) {
        if (to == LINK_NO_PORT) {
            copies += flood(sw, from, frame, bytes, now_ns);
        } else if (to != from) {
            enqueue(sw, &sw->port[to], frame, bytes, now_ns);
            copies++;
        }
    }
    counts->copies += copies;
    if (copies == 0) {
        counts->filtered++;
    } else if (to == LINK_NO_PORT) {
        counts->flooded++;
    } else {
        counts->forwarded++;
    }
}

static void release(link_switch_t *sw, unsigned port, held_t *held, uint64_t now_ns) {
    sw->port[port].counts.held--;
    forward(sw, port, held->frame, held->bytes, held->duplicated, now_ns);
    free(held->frame);
    held->frame = NULL;
}

/* Keeps a reordered frame; false when memory is used up, and it then keeps its turn. */
static bool hold(port_t *port, const uint8_t *frame, size_t bytes, const link_fate_t *fate,
                 uint64_t now_ns) {
    const uint64_t number = port->counts.received;
    held_t *held = &port->held[number % HELD_MAX];
    uint8_t *copy = malloc(bytes);
    if (!copy) {
        return false;
    }
    memcpy(copy, frame, bytes);
    *held = (held_t){copy, bytes, fate->duplicated, number + fate->passed, now_ns + LINK_HELD_NS};
    port->counts.held++;
    return true;
}

/* Releases, oldest first, the held frames that enough later ones have passed. */
static void pass(link_switch_t *sw, unsigned port, uint64_t now_ns) {
    const uint64_t number = sw->port[port].counts.received;
    for (unsigned back = HELD_MAX - 1; back > 0; back--) {
        held_t *held = &sw->port[port].held[(number + HELD_MAX - back) % HELD_MAX];
        if (held->frame && held->behind <= number) {
            release(sw, port, held, now_ns);
        }
    }
}

static void arrive(link_switch_t *sw, unsigned port, const uint8_t *frame, size_t bytes,
                   const link_fate_t *fate, uint64_t now_ns) {
    uint8_t copy[LINK_FRAME_MAX];
    port_t *from = &sw->port[port];
    from->counts.duplicated += fate->duplicated;
    from->counts.corrupted += fate->corrupted;
    if (fate->corrupted) {
        memcpy(copy, frame, bytes);
        copy[fate->corrupted_bit / 8] ^= (uint8_t)(1u << fate->corrupted_bit % 8);
        frame = copy;
    }
    link_table_learn(&sw->table, link_table_address(frame + 6), port, now_ns);
    if (fate->passed > 0 && hold(from, frame, bytes, fate, now_ns)) {
        from->counts.reordered++;
    } else {
        forward(sw, port, frame, bytes, fate->duplicated, now_ns);
    }
}

link_fate_t link_switch_receive(link_switch_t *sw, unsigned port, const uint8_t *frame,
                                size_t bytes, uint64_t now_ns) {
    link_counts_t *counts = &sw->port[port].counts;
    const link_fate_t fate = link_fate(&sw->shape.impairments, port, counts->received, bytes);
    counts->received++;
    counts->received_bytes += bytes;
    if (fate.dropped) {
        counts->dropped++;
    } else if (bytes < LINK_HEADER_BYTES) {
        counts->runts++;
    } else {
        arrive(sw, port, frame, bytes, &fate, now_ns);
    }
    pass(sw, port, now_ns);
    return fate;
}

const uint8_t *link_switch_ready(const link_switch_t *sw, unsigned port, uint64_t now_ns,
                                 size_t *bytes_p) {
    const link_queued_t *first = sw->port[port].queue.first;
    if (!first || first->leaves_ns > now_ns) {
        return NULL;
    }
    *bytes_p = first->bytes;
    return first->frame;
}

void link_switch_sent(link_switch_t *sw, unsigned port) {
    port_t *to = &sw->port[port];
    to->counts.waiting--;
    to->counts.sent++;
    to->counts.sent_bytes += to->queue.first->bytes;
    link_queue_pop(&to->queue);
}

uint64_t link_switch_leaves(const link_switch_t *sw, unsigned port) {
    const link_queued_t *first = sw->port[port].queue.first;
    return first ? first->leaves_ns : LINK_NEVER;
}

/* Releases frames that one port holds; returns the time of the next release. */
static uint64_t release_port(link_switch_t *sw, unsigned port, uint64_t now_ns, bool all) {
    const uint64_t number = sw->port[port].counts.received;
    uint64_t next = LINK_NEVER;
    for (unsigned back = HELD_MAX; back > 0; back--) {
        held_t *held = &sw->port[port].held[(number + HELD_MAX + 1 - back) % HELD_MAX];
        if (held->frame && (all || held->until_ns <= now_ns)) {
            release(sw, port, held, now_ns);
        } else if (held->frame && held->until_ns < next) {
            next = held->until_ns;
        }
    }
    return next;
}

uint64_t link_switch_release(link_switch_t *sw, uint64_t now_ns, bool all) {
    uint64_t next = LINK_NEVER;
    for (unsigned port = 0; port < sw->shape.ports; port++) {
        const uint64_t of_port = release_port(sw, port, now_ns, all);
        next = of_port < next ? of_port : next;
    }
    return next;
}

void link_switch_close(link_switch_t *sw, unsigned port, uint64_t now_ns) {
    port_t *closed = &sw->port[port];
    (void)release_port(sw, port, now_ns, true); /* these had come in */
    closed->open = false;
    closed->free_ns = 0;
    closed->counts.lost += link_queue_clear(&closed->queue);
    closed->counts.waiting = 0;
    link_table_forget(&sw->table, port);
}

const link_counts_t *link_switch_counts(const link_switch_t *sw, unsigned port) {
    return &sw->port[port].counts;
}
