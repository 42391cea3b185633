/* SPDX-License-Identifier: Apache-2.0
 *
 * The unit that is shared: opened by the driver, below whose calls all sessions go on, and its
 * privileged page, which empties endpoints by command.
 */
#include <stdlib.h>
#include <time.h>

#include "share.h"
#include "tmu_barrier.h"

/* A power of 2; the ring is emptied whenever the unit has run. */
#define RING_LOG2 10
#define RUN_CLOCKS 256
/* For the next completion of a flush, while the unit runs. */
#define PATIENCE_NS INT64_C(30000000000)

int64_t share_now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- the device's own functions, and others that have sessions go on ------------------------- */

static tmu_result_t below_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    const share_t *share = backend;
    return share->ops->read32(share->backend, offset, value_p);
}

static tmu_result_t below_write32(void *backend, uint32_t offset, uint32_t value) {
    const share_t *share = backend;
    return share->ops->write32(share->backend, offset, value);
}

static tmu_result_t below_doorbell_write(void *backend, uint64_t offset, const void *data,
                                         size_t size) {
    const share_t *share = backend;
    return share->ops->doorbell_write(share->backend, offset, data, size);
}

static tmu_result_t below_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    const share_t *share = backend;
    return share->ops->page_read64(share->backend, offset, value_p);
}

static tmu_result_t below_dma_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    const share_t *share = backend;
    return share->ops->dma_alloc(share->backend, bytes, dma_p);
}

static void below_dma_free(void *backend, tmu_dma_t *dma) {
    const share_t *share = backend;
    share->ops->dma_free(share->backend, dma);
}

static void below_close(void *backend) {
    const share_t *share = backend;
    share->ops->close(share->backend);
}

/* The one that matters: whoever waits for the unit lets all sessions go on. */
static tmu_result_t below_progress(void *backend, unsigned max_clocks) {
    share_t *share = backend;
    tmu_result_t result = share_move(share);
    if (result == TMU_OK) {
        result = share->ops->progress(share->backend, max_clocks);
    }
    return result == TMU_OK ? share_move(share) : result;
}

static const tmu_backend_ops_t below = {
    .close = below_close,
    .read32 = below_read32,
    .write32 = below_write32,
    .doorbell_write = below_doorbell_write,
    .page_read64 = below_page_read64,
    .dma_alloc = below_dma_alloc,
    .dma_free = below_dma_free,
    .progress = below_progress,
};

/* ---- opening --------------------------------------------------------------------------------- */

/* Endpoints for sessions, the privileged page with few slots, and memory. */
static tmu_result_t set_up(share_t *share, uint32_t segments) {
    const tmu_queue_attr_t attr = {
        .endpoint = TMU_ENDPOINT_ANY, .ring_log2 = RING_LOG2, .commands_log2 = 1};
    const tmu_info_t *info = &share->device->info;
    tmu_result_t result = tmu_queue_open(share->device, &attr, &share->privileged);
    if (result == TMU_OK) {
        result = tmu_spill_add(share->device,
                               segments < info->spill_segments ? segments : info->spill_segments);
    }
    share->endpoints = calloc(info->endpoints, sizeof *share->endpoints);
    return result == TMU_OK && !share->endpoints
               ? tmu_error_set(TMU_ERR_MEMORY, "no memory for %u endpoints", info->endpoints)
               : result;
}

tmu_result_t share_unit_open(share_t *share, const char *uri, uint32_t segments) {
    tmu_result_t result = tmu_open(uri, &share->device);
    if (result != TMU_OK) {
        return result;
    }
    if (share->device->info.shared) {
        tmu_close(share->device);
        share->device = NULL;
        return tmu_error_set(TMU_ERR_URI, "%s is a session of a unit that is shared already", uri);
    }
    share->ops = share->device->ops;
    share->backend = share->device->backend;
    share->device->ops = &below;
    share->device->backend = share;
    result = set_up(share, segments);
    if (result != TMU_OK) {
        share_unit_close(share);
    }
    return result;
}

void share_unit_close(share_t *share) {
    /* After a failure some are left: nothing is moved for them any more. */
    share->sessions = NULL;
    share->session_count = 0;
    tmu_close(share->device);
    free(share->endpoints);
    share->device = NULL;
    share->endpoints = NULL;
}

/* ---- the privileged page --------------------------------------------------------------------- */

static tmu_result_t privileged_write(const share_t *share, uint32_t offset, const void *data,
                                     size_t size) {
    uint64_t page = (uint64_t)share->privileged->page.number * TMU_DOORBELL_PAGE_BYTES;
    tmu_result_t result = TMU_AGAIN;
    while (result == TMU_AGAIN) {
        result = share->ops->doorbell_write(share->backend, page + offset, data, size);
        if (result == TMU_AGAIN) { /* below the sessions, which would fill the path again */
            tmu_result_t ran = share->ops->progress(share->backend, RUN_CLOCKS);
            result = ran == TMU_OK ? TMU_AGAIN : ran;
        }
    }
    return result;
}

/* The next completion, if it comes in time; its entry of the ring is free again. */
static tmu_result_t next(share_t *share, tmu_record_t *record_p) {
    int64_t end = share_now_ns() + PATIENCE_NS;
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK && !share_take(share->privileged, &share->read, record_p)) {
        if (share_now_ns() > end) {
            return tmu_error_set(TMU_ERR_DEVICE, "a flush of the unit does not end");
        }
        result = tmu_progress(share->device, RUN_CLOCKS);
    }
    uint32_t index = tmu_le32(share->read);
    return result == TMU_OK
               ? privileged_write(share, TMU_DOORBELL_CONSUMER_OFFSET, &index, sizeof index)
               : result;
}

tmu_result_t share_unit_flush(share_t *share, uint32_t endpoint, uint32_t *serial_p,
                              bool *empty_p) {
    tmu_record_t record = {0};
    uint64_t status = TMU_STATUS_REMOVED;
    tmu_wire_everything(&record, &share->device->info);
    TMU_FIELD_SET(&record, TMU_COMMAND_OPCODE, TMU_OPCODE_FLUSH);
    TMU_FIELD_SET(&record, TMU_COMMAND_ENDPOINT, endpoint);
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        record.word[i] = tmu_le64(record.word[i]);
    }
    tmu_result_t result = privileged_write(share, 0, &record, sizeof record);
    while (result == TMU_OK && status == TMU_STATUS_REMOVED) {
        result = next(share, &record);
        status = TMU_FIELD_GET(&record, TMU_COMPLETION_STATUS);
    }
    if (result != TMU_OK) {
        return result;
    }
    *empty_p = status == TMU_STATUS_FLUSHED;
    if (!*empty_p && status != TMU_STATUS_SPILL_FAILED && status != TMU_STATUS_TABLE_FAULT) {
        return tmu_error_set(TMU_ERR_DEVICE, "a flush of the unit was answered with status %llu",
                             (unsigned long long)status);
    }
    *serial_p = (uint32_t)TMU_FIELD_GET(&record, TMU_COMPLETION_SERIAL) + 1;
    return TMU_OK;
}
