/* SPDX-License-Identifier: Apache-2.0
 *
 * Opening and closing queues: a doorbell page, its share of the command slots and its ring.
 */
#include <stdlib.h>

#include "tmu_internal.h"
#include "tmu_sized.h"

/* Operations in flight unless the caller says otherwise: enough for the unit's whole pipeline at
 * one command every clock or two. */
#define COMMANDS_LOG2 5

tmu_result_t tmu_queue_configure(tmu_queue_t *queue, bool enable) {
    tmu_result_t result = queue->device->control->queue_set(queue, enable);
    if (result == TMU_OK) {
        queue->consumed = 0;
        queue->announced = 0;
    }
    return result;
}

/* Frees what queue_create made and returns what it took. */
static void queue_free(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    tmu_flow_free(&queue->flow);
    tmu_receive_cache_empty(&device->receives, &queue->ids);
    device->control->queue_give(device, &queue->page, &queue->ring);
    pthread_mutex_destroy(&queue->lock);
    tmu_pendings_free(&queue->pendings);
    free(queue->done);
    free(queue);
}

static tmu_result_t attr_check(const tmu_t *device, const tmu_queue_attr_t *attr) {
    tmu_result_t result = attr->endpoint == TMU_ENDPOINT_ANY
                              ? tmu_control_check(device, "the privileged queue")
                              : tmu_endpoint_check(device, attr->endpoint);
    if (result != TMU_OK) {
        return result;
    }
    if (attr->ring_log2 < TMU_RING_LOG2_MIN || attr->ring_log2 > TMU_RING_LOG2_MAX) {
        return tmu_error_set(TMU_ERR_INVALID, "ring_log2 is %u; it must lie between %d and %d",
                             attr->ring_log2, TMU_RING_LOG2_MIN, TMU_RING_LOG2_MAX);
    }
    return TMU_OK;
}

/* The memory of a queue, all zero, with what does not change filled in. */
static tmu_queue_t *queue_allocate(tmu_t *device, const tmu_queue_attr_t *attr, tmu_page_t page,
                                   tmu_dma_t ring) {
    tmu_queue_t *queue = aligned_alloc(_Alignof(tmu_queue_t), sizeof *queue);
    if (!queue) {
        return NULL;
    }
    *queue = (tmu_queue_t){
        .device = device,
        .page = page,
        .ring = ring,
        .endpoint = attr->endpoint,
        .entries = UINT32_C(1) << attr->ring_log2,
        .ring_log2 = attr->ring_log2,
    };
    pthread_mutex_init(&queue->lock, NULL);
    tmu_flow_init(&queue->flow, &device->bounds);
    (void)tmu_pendings_init(&queue->pendings, UINT32_C(1) << page.commands_log2);
    queue->done = calloc(queue->entries, sizeof *queue->done);
    return queue;
}

static tmu_result_t queue_create(tmu_t *device, const tmu_queue_attr_t *attr,
                                 tmu_queue_t **queue_p) {
    tmu_page_t page = {0};
    tmu_dma_t ring = {0};
    tmu_result_t result = attr_check(device, attr);
    if (result != TMU_OK) {
        return result;
    }
    uint32_t most = attr->ring_log2 < COMMANDS_LOG2 ? attr->ring_log2 : COMMANDS_LOG2;
    result = device->control->queue_take(device, attr, most, &page, &ring);
    if (result != TMU_OK) {
        return result;
    }
    tmu_queue_t *queue = queue_allocate(device, attr, page, ring);
    if (!queue) {
        device->control->queue_give(device, &page, &ring);
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a queue");
    }
    if (!queue->pendings.slots || !queue->done) {
        result =
            tmu_error_set(TMU_ERR_MEMORY, "no memory for a queue of %u entries", queue->entries);
        goto free_queue;
    }
    result = tmu_queue_configure(queue, true);
    if (result != TMU_OK) {
        goto free_queue;
    }
    *queue_p = queue;
    return TMU_OK;

free_queue:
    queue_free(queue);
    return result;
}

tmu_result_t tmu_queue_open_sized(tmu_t *device, const tmu_queue_attr_t *attr, size_t size,
                                  tmu_queue_t **queue_p) {
    tmu_queue_attr_t known = {0};
    if (!device) {
        return TMU_ERR_INVALID;
    }
    if (!attr || !queue_p) {
        return tmu_error_set(TMU_ERR_INVALID, "attr and queue_p must not be NULL");
    }
    if (size == 0) {
        return tmu_error_set(TMU_ERR_INVALID, "attr has 0 bytes, expected its size");
    }
    if (!tmu_sized_take(&known, sizeof known, attr, size)) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "the program asks for what this library does not know: its attr has "
                             "%zu bytes, expected %zu or only zeros behind them",
                             size, sizeof known);
    }
    tmu_result_t result = tmu_process_check(device);
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    tmu_queue_t *queue = NULL;
    result = queue_create(device, &known, &queue);
    if (result == TMU_OK) {
        queue->keeper = (uint64_t)++device->opened << 32 | queue->page.number;
        queue->next = device->queues;
        device->queues = queue;
        *queue_p = queue;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_queue_remove(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    tmu_result_t result = tmu_queue_configure(queue, false);
    for (tmu_queue_t **link = &device->queues; *link; link = &(*link)->next) {
        if (*link == queue) {
            *link = queue->next;
            break;
        }
    }
    tmu_network_forget(device, queue);
    queue_free(queue);
    return result;
}

tmu_result_t tmu_queue_close(tmu_queue_t *queue) {
    if (!queue) {
        return TMU_OK;
    }
    tmu_t *device = queue->device;
    tmu_result_t result = tmu_process_check(device);
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&device->lock);
    pthread_mutex_lock(&queue->lock);
    uint32_t in_flight = queue->pendings.count;
    uint32_t held = queue->flow.held_now;
    pthread_mutex_unlock(&queue->lock);
    if (!atomic_load(&device->broken) && (in_flight > 0 || held > 0)) {
        result =
            tmu_error_set(TMU_ERR_BUSY, "page %u has %u operations in flight and %u held arrivals",
                          queue->page.number, in_flight, held);
    } else {
        result = tmu_queue_remove(queue);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_queue_observe(tmu_queue_t *queue, tmu_observe_fn observe, void *user) {
    if (!queue) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&queue->lock);
    queue->observe = observe;
    queue->observe_user = user;
    pthread_mutex_unlock(&queue->lock);
    return TMU_OK;
}

size_t tmu_queue_in_flight(tmu_queue_t *queue) {
    if (!queue) {
        return 0;
    }
    pthread_mutex_lock(&queue->lock);
    size_t count = queue->pendings.count;
    pthread_mutex_unlock(&queue->lock);
    return count;
}

tmu_result_t tmu_queue_event_fd(tmu_queue_t *queue, int *fd_p) {
    if (!queue || !fd_p) {
        return tmu_error_set(TMU_ERR_INVALID, "queue and fd_p must not be NULL");
    }
    tmu_t *device = queue->device;
    if (!device->ops->event_fd) {
        return tmu_error_set(TMU_ERR_INVALID, "a device '%s:' has no interrupts; poll the queue",
                             device->ops->scheme);
    }
    tmu_result_t result = tmu_process_check(device);
    return result == TMU_OK ? device->ops->event_fd(device->backend, queue->page.number, fd_p)
                            : result;
}
