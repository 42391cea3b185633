/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tmu_barrier.h"
#include "tmu_internal.h"

/* ---- pending commands and decoded completions: two circular buffers ------------------------ */

tmu_pending_t *tmu_queue_pending_oldest(tmu_queue_t *queue) {
    return queue->pending_count ? &queue->pending[queue->pending_head] : NULL;
}

void tmu_queue_pending_pop(tmu_queue_t *queue) {
    queue->credits -= queue->pending[queue->pending_head].credits;
    queue->pending_head = (queue->pending_head + 1) & (queue->entries - 1);
    queue->pending_count--;
    queue->device->in_flight--;
}

void tmu_queue_done_push(tmu_queue_t *queue, const tmu_completion_t *completion) {
    uint32_t tail = (queue->done_head + queue->done_count) & (queue->entries - 1);
    queue->done[tail] = *completion;
    queue->done_count++;
}

uint32_t tmu_queue_credits_free(const tmu_queue_t *queue) {
    uint32_t used = queue->consumed - queue->announced + queue->credits;
    return used < queue->entries ? queue->entries - used : 0;
}

tmu_result_t tmu_queue_announce(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    if (queue->announced == queue->consumed) {
        return TMU_OK;
    }
    uint32_t index = tmu_le32(queue->consumed);
    uint64_t offset =
        (uint64_t)queue->page * TMU_DOORBELL_PAGE_BYTES + TMU_DOORBELL_CONSUMER_OFFSET;
    tmu_order_reads_before_consumer();
    tmu_result_t result =
        device->ops->doorbell_write(device->backend, offset, &index, sizeof index);
    if (result == TMU_OK) {
        queue->announced = queue->consumed;
    }
    return result;
}

tmu_result_t tmu_queue_configure(tmu_queue_t *queue, bool enable) {
    const struct {
        uint32_t offset;
        uint32_t value;
    } writes[] = {
        {TMU_REG_PAGE_SELECT, queue->page},
        {TMU_REG_RING_BASE_LO, (uint32_t)queue->ring.bus_address},
        {TMU_REG_RING_BASE_HI, (uint32_t)(queue->ring.bus_address >> 32)},
        {TMU_REG_RING_CONFIG, TMU_REGISTER_BITS(TMU_RING_CONFIG_LOG2, queue->ring_log2) |
                                  TMU_REGISTER_BITS(TMU_RING_CONFIG_ENABLE, enable)},
        {TMU_REG_PAGE_COMMIT, TMU_REGISTER_BITS(TMU_PAGE_COMMIT_COMMIT, 1)},
    };
    /* The first lap's phase is 1: what an earlier lap left must not look like a completion. */
    memset(queue->ring.memory, 0, queue->ring.bytes);
    tmu_order_memory_before_doorbell();
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        tmu_result_t result = tmu_device_write(queue->device, writes[i].offset, writes[i].value);
        if (result != TMU_OK) {
            return result;
        }
    }
    queue->consumed = 0;
    queue->announced = 0;
    return TMU_OK;
}

static void queue_free(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    if (queue->ring.memory) {
        device->ops->dma_free(device->backend, &queue->ring);
    }
    free(queue->pending);
    free(queue->done);
    free(queue);
}

/** Checks the arguments of tmu_queue_open and finds the page's number. */
static tmu_result_t attr_check(tmu_t *device, const tmu_queue_attr_t *attr, uint32_t *page_p) {
    uint32_t endpoints = device->info.endpoints;
    if (attr->page != TMU_PAGE_PRIVILEGED && attr->page >= endpoints) {
        return tmu_error_set(&device->error, TMU_ERR_INVALID,
                             "page %u is out of range: the device has endpoints 0 to %u and the "
                             "privileged page",
                             attr->page, endpoints - 1);
    }
    if (attr->ring_log2 < TMU_RING_LOG2_MIN || attr->ring_log2 > TMU_RING_LOG2_MAX) {
        return tmu_error_set(&device->error, TMU_ERR_INVALID,
                             "ring_log2 is %u; it must lie between %d and %d", attr->ring_log2,
                             TMU_RING_LOG2_MIN, TMU_RING_LOG2_MAX);
    }
    uint32_t page = attr->page == TMU_PAGE_PRIVILEGED ? endpoints : attr->page;
    for (const tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        if (queue->page == page) {
            return tmu_error_set(&device->error, TMU_ERR_BUSY, "page %u is open already", page);
        }
    }
    *page_p = page;
    return TMU_OK;
}

static tmu_result_t queue_create(tmu_t *device, const tmu_queue_attr_t *attr,
                                 tmu_queue_t **queue_p) {
    uint32_t page = 0;
    tmu_result_t result = attr_check(device, attr, &page);
    if (result != TMU_OK) {
        return result;
    }
    tmu_queue_t *queue = calloc(1, sizeof *queue);
    if (!queue) {
        return tmu_error_set(&device->error, TMU_ERR_MEMORY, "no memory for a queue");
    }
    queue->device = device;
    queue->page = page;
    queue->ring_log2 = attr->ring_log2;
    queue->entries = UINT32_C(1) << attr->ring_log2;
    queue->pending = calloc(queue->entries, sizeof *queue->pending);
    queue->done = calloc(queue->entries, sizeof *queue->done);
    if (!queue->pending || !queue->done) {
        result = tmu_error_set(&device->error, TMU_ERR_MEMORY,
                               "no memory for a queue of %u entries", queue->entries);
        goto free_queue;
    }
    size_t bytes = (size_t)queue->entries * sizeof(tmu_record_t);
    result = device->ops->dma_alloc(device->backend, bytes, &queue->ring);
    if (result != TMU_OK) {
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

tmu_result_t tmu_queue_open(tmu_t *device, const tmu_queue_attr_t *attr, tmu_queue_t **queue_p) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    tmu_queue_t *queue = NULL;
    tmu_result_t result = attr && queue_p ? queue_create(device, attr, &queue)
                                          : tmu_error_set(&device->error, TMU_ERR_INVALID,
                                                          "attr and queue_p must not be NULL");
    if (result == TMU_OK) {
        queue->next = device->queues;
        device->queues = queue;
        *queue_p = queue;
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_queue_close(tmu_queue_t *queue) {
    if (!queue) {
        return TMU_OK;
    }
    tmu_t *device = queue->device;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = TMU_OK;
    if (!device->broken && (queue->pending_count > 0 || queue->held > 0)) {
        result = tmu_error_set(&device->error, TMU_ERR_BUSY,
                               "page %u has %u operations in flight and %u held arrivals",
                               queue->page, queue->pending_count, queue->held);
    } else {
        result = tmu_queue_configure(queue, false);
        for (tmu_queue_t **link = &device->queues; *link; link = &(*link)->next) {
            if (*link == queue) {
                *link = queue->next;
                break;
            }
        }
        queue_free(queue);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_queue_observe(tmu_queue_t *queue, tmu_observe_fn observe, void *user) {
    if (!queue) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&queue->device->lock);
    queue->observe = observe;
    queue->observe_user = user;
    pthread_mutex_unlock(&queue->device->lock);
    return TMU_OK;
}

size_t tmu_queue_in_flight(tmu_queue_t *queue) {
    if (!queue) {
        return 0;
    }
    pthread_mutex_lock(&queue->device->lock);
    size_t count = queue->pending_count;
    pthread_mutex_unlock(&queue->device->lock);
    return count;
}
