/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues of sessions: a page, slots and a ring of the unit, and memory that the session has mapped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dma_memory.h"
#include "share.h"

share_queue_t *share_queue_find(const share_session_t *session, uint64_t name) {
    share_queue_t *queue = session->queues;
    while (queue && queue->name != name) {
        queue = queue->next;
    }
    return queue;
}

static void queue_free(share_queue_t *queue) {
    if (queue->memory) {
        dma_memory_unmap(queue->memory, queue->bytes);
    }
    share_backlog_free(&queue->backlog);
    free(queue);
}

/* A queue with its memory, or NULL; the file is the caller's to close. */
static share_queue_t *queue_allocate(share_session_t *session, uint32_t ring_log2, int *file_p) {
    share_queue_t *queue = calloc(1, sizeof *queue);
    if (!queue) {
        return NULL;
    }
    queue->session = session;
    queue->bytes = dma_memory_whole(TMU_SHARE_RING_OFFSET + (sizeof(tmu_record_t) << ring_log2));
    queue->memory = dma_memory_map(queue->bytes, file_p);
    if (!queue->memory) {
        free(queue);
        return NULL;
    }
    return queue;
}

/* A session's errno where the driver did not open a queue; 0 is a failure of the unit. */
static int errno_of(tmu_result_t result) {
    switch (result) {
    case TMU_ERR_BUSY:
        return ENOSPC;
    case TMU_ERR_MEMORY:
        return ENOMEM;
    case TMU_ERR_INVALID:
        return EINVAL;
    default:
        return 0;
    }
}

tmu_result_t share_queue_open(share_t *share, share_session_t *session, struct tmu_ioctl_open *open,
                              int *file_p, int *error_p) {
    const tmu_queue_attr_t attr = {.endpoint = open->endpoint,
                                   .ring_log2 = open->ring_log2,
                                   .commands_log2 = open->commands_log2};
    int file = -1;
    share_queue_t *queue = queue_allocate(session, open->ring_log2, &file);
    if (!queue) {
        *error_p = ENOMEM;
        return TMU_OK;
    }
    tmu_result_t result = tmu_queue_open(share->device, &attr, &queue->unit);
    if (result != TMU_OK) {
        *error_p = errno_of(result);
        (void)close(file);
        queue_free(queue);
        return *error_p != 0 ? TMU_OK : result;
    }
    queue->name = ++share->queue_name;
    queue->next = session->queues;
    session->queues = queue;
    open->commands_log2 = queue->unit->page.commands_log2;
    open->page = queue->unit->page.number;
    open->queue = queue->name;
    *file_p = file;
    return TMU_OK;
}

tmu_result_t share_queue_enable(share_queue_t *queue, bool enable) {
    uint32_t rung = atomic_load_explicit(&queue->memory->rung, memory_order_acquire);
    queue->closing = true; /* until it is enabled again */
    tmu_result_t result = tmu_queue_configure(queue->unit, enable);
    if (enable) {
        memset((char *)queue->memory + TMU_SHARE_RING_OFFSET, 0,
               queue->bytes - TMU_SHARE_RING_OFFSET);
        share_backlog_free(&queue->backlog);
        queue->session->owed -= queue->owed;
        queue->owed = 0;
        queue->taken = rung;
        queue->in_flight = 0;
        queue->read = 0;
        queue->announced = 0;
        queue->given = 0;
        queue->freed = 0;
        atomic_store_explicit(&queue->memory->taken, rung, memory_order_release);
        queue->closing = false;
    }
    return result;
}

tmu_result_t share_queue_close(share_t *share, share_queue_t *queue) {
    const uint64_t page = (uint64_t)queue->unit->page.number * TMU_DOORBELL_PAGE_BYTES;
    uint64_t number = 0;
    queue->closing = true;
    /* A read comes after all writes before it. */
    tmu_result_t result =
        share->ops->page_read64(share->backend, page + TMU_DOORBELL_PICTURE_OFFSET, &number);
    tmu_result_t closed = tmu_queue_close(queue->unit);
    result = result == TMU_OK ? closed : result;
    for (share_queue_t **link = &queue->session->queues; *link; link = &(*link)->next) {
        if (*link == queue) {
            *link = queue->next;
            break;
        }
    }
    queue->session->owed -= queue->owed;
    queue_free(queue);
    return result;
}
