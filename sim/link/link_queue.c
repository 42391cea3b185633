/* SPDX-License-Identifier: Apache-2.0 */
#include "link_queue.h"

#include <stdlib.h>
#include <string.h>

bool link_queue_push(link_queue_t *queue, const uint8_t *frame, size_t bytes, uint64_t leaves_ns,
                     size_t limit) {
    if (bytes > limit || queue->bytes > limit - bytes) {
        return false;
    }
    link_queued_t *queued = malloc(sizeof *queued + bytes);
    if (!queued) {
        return false;
    }
    queued->next = NULL;
    queued->leaves_ns = leaves_ns;
    queued->bytes = bytes;
    memcpy(queued->frame, frame, bytes);
    if (queue->last) {
        queue->last->next = queued;
    } else {
        queue->first = queued;
    }
    queue->last = queued;
    queue->bytes += bytes;
    return true;
}

void link_queue_pop(link_queue_t *queue) {
    link_queued_t *first = queue->first;
    queue->first = first->next;
    queue->bytes -= first->bytes;
    if (!queue->first) {
        queue->last = NULL;
    }
    free(first);
}

uint64_t link_queue_clear(link_queue_t *queue) {
    uint64_t count = 0;
    for (; queue->first; count++) {
        link_queue_pop(queue);
    }
    return count;
}
