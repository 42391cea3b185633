/* SPDX-License-Identifier: Apache-2.0 */
/* Frames that wait at a port of the switch, oldest first, with the time when each may leave. */
#ifndef LINK_QUEUE_H
#define LINK_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct link_queued {
    struct link_queued *next;
    uint64_t leaves_ns;
    size_t bytes;
    uint8_t frame[];
} link_queued_t;

typedef struct link_queue {
    link_queued_t *first;
    link_queued_t *last;
    size_t bytes; /* of all frames */
} link_queue_t;

/* Adds a frame; false when the queue would have more than `limit` bytes, or memory is used up. */
bool link_queue_push(link_queue_t *queue, const uint8_t *frame, size_t bytes, uint64_t leaves_ns,
                     size_t limit);

/* Takes the first frame away; there has to be one. */
void link_queue_pop(link_queue_t *queue);

/* Takes all away; how many there were. */
uint64_t link_queue_clear(link_queue_t *queue);

#endif
