/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that the unit borrows for queues that outgrow its tables (R11).
 *
 * Segments are registered until the device is closed.  A reset takes them away from the unit, so
 * they are added again, in the same order, before anything else can be queued.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "tmu_internal.h"
#include "tmu_sized.h"

#define LOOK_AGAIN_NS 1000000
#define LOOKS_BETWEEN_ATTEMPTS 1024 /* a register is read at each, unless others do */
#define CHUNKS_PER_SEGMENT (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)

/* Adds a segment to those that the unit has, and sees whether it took it as number `index`. */
static tmu_result_t commit(tmu_t *device, const tmu_dma_t *segment, uint32_t index) {
    uint32_t status = 0;
    tmu_result_t result =
        tmu_device_write(device, TMU_REG_SPILL_BASE_LO, (uint32_t)segment->bus_address);
    if (result == TMU_OK) {
        result =
            tmu_device_write(device, TMU_REG_SPILL_BASE_HI, (uint32_t)(segment->bus_address >> 32));
    }
    if (result == TMU_OK) {
        result = tmu_device_write(device, TMU_REG_SPILL_COMMIT,
                                  TMU_REGISTER_BITS(TMU_SPILL_COMMIT_ADD, 1));
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_SPILL_STATUS, &status);
    }
    if (result == TMU_OK && (TMU_REGISTER_GET(status, TMU_SPILL_STATUS_ERROR) != 0 ||
                             TMU_REGISTER_GET(status, TMU_SPILL_STATUS_SEGMENTS) != index + 1)) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the device did not take segment %" PRIu32 " of spill memory: "
                             "SPILL_STATUS is 0x%" PRIx32,
                             index, status);
    }
    return result;
}

tmu_result_t tmu_spill_restore(tmu_t *device) {
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < device->segment_count && result == TMU_OK; i++) {
        result = commit(device, &device->segments[i], i);
    }
    return result;
}

/* Gets memory for segments behind those that are registered; all of it or none. */
static tmu_result_t allocate(tmu_t *device, uint32_t count) {
    uint32_t first = device->segment_count;
    if (!device->segments) {
        device->segments = calloc(device->info.spill_segments, sizeof *device->segments);
    }
    tmu_result_t result =
        device->segments ? TMU_OK : tmu_error_set(TMU_ERR_MEMORY, "no memory for spill segments");
    uint32_t got = 0;
    while (result == TMU_OK && got < count) {
        result = device->ops->dma_alloc(device->backend, TMU_SPILL_SEGMENT_BYTES,
                                        &device->segments[first + got]);
        got += result == TMU_OK;
    }
    while (result != TMU_OK && got > 0) {
        got--;
        device->ops->dma_free(device->backend, &device->segments[first + got]);
    }
    return result;
}

static tmu_result_t add_stopped(tmu_t *device, uint32_t count) {
    uint32_t most = device->info.spill_segments;
    tmu_result_t result = tmu_control_check(device, "spill memory");
    if (result == TMU_OK) {
        result = tmu_device_check(device);
    }
    if (result != TMU_OK || count == 0) {
        return result;
    }
    if (count > most - device->segment_count) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "%" PRIu32 " segments of spill memory and %" PRIu32
                             " more: the device takes %" PRIu32 " at most",
                             device->segment_count, count, most);
    }
    result = allocate(device, count);
    if (result != TMU_OK) {
        return result;
    }
    for (uint32_t i = 0; i < count && result == TMU_OK; i++) {
        uint32_t index = device->segment_count++; /* from here on the unit may know its address */
        result = commit(device, &device->segments[index], index);
    }
    if (result != TMU_OK) {
        return tmu_device_break(device);
    }
    tmu_bounds_add_memory(&device->bounds);
    tmu_bounds_room_came(&device->bounds);
    return TMU_OK;
}

tmu_result_t tmu_spill_add(tmu_t *device, uint32_t segments) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_device_stop(device);
    tmu_result_t result = add_stopped(device, segments);
    tmu_device_go(device);
    return result;
}

tmu_result_t tmu_spill_stats_sized(tmu_t *device, tmu_spill_stats_t *stats_p, size_t size) {
    if (!device || !stats_p || size == 0) {
        return TMU_ERR_INVALID;
    }
    tmu_spill_stats_t stats = {0};
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = device->control->spill_stats(device, &stats);
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        stats.chunks = stats.segments * CHUNKS_PER_SEGMENT;
        tmu_sized_give(stats_p, size, &stats, sizeof stats);
    }
    return result;
}

/* Reads how much memory is free, unless another queue is at the registers. */
static tmu_result_t measure(tmu_t *device, uint32_t *free_chunks_p) {
    if (pthread_mutex_trylock(&device->lock) != 0) {
        return TMU_OK;
    }
    int64_t before = tmu_bounds_room(&device->bounds);
    tmu_result_t result = tmu_device_read(device, TMU_REG_SPILL_FREE, free_chunks_p);
    if (result == TMU_OK) {
        tmu_bounds_measured(&device->bounds, *free_chunks_p, before);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_spill_measure(tmu_t *device) {
    uint32_t free_chunks = 0;
    return tmu_bounds_is_short(&device->bounds) ? measure(device, &free_chunks) : TMU_OK;
}

bool tmu_spill_has_room(tmu_t *device) {
    return device && tmu_spill_measure(device) == TMU_OK && tmu_bounds_room(&device->bounds) > 0;
}

/* Other sessions make room, and nothing tells: once in a while held arrivals are tried again. */
static tmu_result_t look_again(tmu_queue_t *queue) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (ns - queue->looked_ns >= LOOK_AGAIN_NS) {
        queue->looked_ns = ns;
        tmu_bounds_room_came(&queue->device->bounds);
    }
    return TMU_OK;
}

tmu_result_t tmu_spill_look(tmu_queue_t *queue) {
    uint32_t free_chunks = 0;
    if (queue->flow.pass || queue->pendings.count > 0 || !tmu_flow_wants_memory(&queue->flow)) {
        return TMU_OK;
    }
    if (queue->device->granted) {
        return look_again(queue);
    }
    tmu_result_t result = measure(queue->device, &free_chunks);
    /* Without a free chunk there may be room on chip all the same: an arrival stalls behind what
     * its endpoint has in memory, and when that has ended nothing tells.  Looks are counted, not
     * timed as in a session, so that a simulation does the same each time. */
    if (result == TMU_OK && (free_chunks > 0 || ++queue->looks == LOOKS_BETWEEN_ATTEMPTS)) {
        queue->looks = 0;
        tmu_bounds_room_came(&queue->device->bounds);
    }
    return result;
}

void tmu_spill_free(tmu_t *device) {
    if (device->segment_count > 0) {
        /* The unit must have let go of the memory before it is anybody else's. */
        uint32_t ready = TMU_REGISTER_BITS(TMU_STATUS_READY, 1);
        (void)tmu_device_write(device, TMU_REG_CONTROL, TMU_REGISTER_BITS(TMU_CONTROL_RESET, 1));
        (void)tmu_device_wait(device, TMU_REG_STATUS, ready, ready);
    }
    for (uint32_t i = 0; device->segments && i < device->info.spill_segments; i++) {
        if (device->segments[i].memory) {
            device->ops->dma_free(device->backend, &device->segments[i]);
        }
    }
    free(device->segments);
    device->segments = NULL;
    device->segment_count = 0;
}
