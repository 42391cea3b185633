/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters, as whoever has the registers reads them, or from a queue's page.
 */
#include "tmu_internal.h"

/* A snapshot that does not come is a fault; one that is replaced while it is read is read again. */
#define LOOKS_MAX 100000
#define LOOKS_TO_ASK_AGAIN 1000
#define LOOK_CLOCKS 256
#define READS_MAX 8

/* The first interface whose pages show counters. */
#define MINOR_LEAST 6

static const char *const names[] = {
#define ROW(name, offset) #name,
    TMU_COUNTER_TABLE(ROW)
#undef ROW
};

#define COUNTERS (sizeof names / sizeof names[0])

tmu_result_t tmu_counters(tmu_t *device, tmu_counter_t *counters, size_t max, size_t *count_p) {
    uint64_t values[COUNTERS] = {0};
    const size_t wanted = max < COUNTERS ? max : COUNTERS;
    if (!device || !count_p || (max > 0 && !counters)) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = device->control->counters(device, values, wanted);
    pthread_mutex_unlock(&device->lock);
    for (size_t i = 0; result == TMU_OK && i < wanted; i++) {
        counters[i] = (tmu_counter_t){.name = names[i], .value = values[i]};
    }
    if (result == TMU_OK) {
        *count_p = COUNTERS;
    }
    return result;
}

static tmu_result_t page_read(const tmu_queue_t *queue, uint64_t inside, uint64_t *value_p) {
    const tmu_t *device = queue->device;
    uint64_t page = (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES;
    return device->ops->page_read64(device->backend, page + inside, value_p);
}

/* The number of the snapshot: `*whole_p`, and how many whole snapshots there were. */
static tmu_result_t snapshot_number(const tmu_queue_t *queue, bool *whole_p, uint32_t *number_p) {
    uint64_t word = 0;
    tmu_result_t result = page_read(queue, TMU_DOORBELL_PICTURE_OFFSET, &word);
    *whole_p = (word & 1) == 0;
    *number_p = (uint32_t)word >> 1;
    return result;
}

/* Whether a snapshot's number, which has 31 bits, is not before another one. */
static bool is_since(uint32_t number, uint32_t other) {
    return ((number - other) & UINT32_C(0x40000000)) == 0;
}

/* TMU_AGAIN: not now. */
static tmu_result_t ask(const tmu_queue_t *queue) {
    const tmu_t *device = queue->device;
    const uint32_t any = 0;
    uint64_t page = (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES;
    return device->ops->doorbell_write(device->backend, page + TMU_DOORBELL_ASK_OFFSET, &any,
                                       sizeof any);
}

/* Asks for a snapshot; `*number_p` is the first one that is of a later clock than this call. */
static tmu_result_t snapshot_ask(const tmu_queue_t *queue, uint32_t *number_p) {
    tmu_t *device = queue->device;
    bool whole = false;
    tmu_result_t result = snapshot_number(queue, &whole, number_p);
    *number_p += whole ? 1 : 2; /* one that is being made is of an earlier clock */
    if (result == TMU_OK) {
        result = TMU_AGAIN;
    }
    for (unsigned tries = 0; tries < LOOKS_MAX && result == TMU_AGAIN; tries++) {
        result = ask(queue);
        if (result == TMU_AGAIN) {
            tmu_result_t ran = tmu_progress(device, LOOK_CLOCKS);
            result = ran == TMU_OK ? TMU_AGAIN : ran;
        }
    }
    return result;
}

/*
 * Waits for a whole snapshot not before `*number_p`, which becomes its number.
 * A reset of the device by another thread forgets who has asked, so it asks again now and then.
 */
static tmu_result_t snapshot_wait(const tmu_queue_t *queue, uint32_t *number_p) {
    for (unsigned looks = 0; looks < LOOKS_MAX; looks++) {
        bool whole = false;
        uint32_t number = 0;
        tmu_result_t result = snapshot_number(queue, &whole, &number);
        if (result == TMU_OK && whole && is_since(number, *number_p)) {
            *number_p = number;
            return TMU_OK;
        }
        if (result == TMU_OK && looks % LOOKS_TO_ASK_AGAIN == LOOKS_TO_ASK_AGAIN - 1) {
            result = ask(queue);
        }
        if (result == TMU_OK || result == TMU_AGAIN) {
            result = tmu_progress(queue->device, LOOK_CLOCKS);
        }
        if (result != TMU_OK) {
            return result;
        }
    }
    return tmu_error_set(TMU_ERR_DEVICE, "page %u: no snapshot of the counters came in %d looks",
                         queue->page.number, LOOKS_MAX);
}

/* Reads the snapshot that stands there; TMU_AGAIN when it was not the same from end to end. */
static tmu_result_t snapshot_read(const tmu_queue_t *queue, uint32_t number,
                                  tmu_counter_t *counters, size_t count) {
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; i < count && result == TMU_OK; i++) {
        counters[i].name = names[i];
        result = page_read(queue, TMU_DOORBELL_COUNTERS_OFFSET + TMU_DOORBELL_COUNTER_BYTES * i,
                           &counters[i].value);
    }
    bool whole = false;
    uint32_t now = 0;
    if (result == TMU_OK) {
        result = snapshot_number(queue, &whole, &now);
    }
    return result == TMU_OK && !(whole && now == number) ? TMU_AGAIN : result;
}

tmu_result_t tmu_queue_counters(tmu_queue_t *queue, tmu_counter_t *counters, size_t max,
                                size_t *count_p) {
    if (!queue || !count_p || (max > 0 && !counters)) {
        return TMU_ERR_INVALID;
    }
    const tmu_info_t *info = &queue->device->info;
    if (info->interface_minor < MINOR_LEAST) {
        return tmu_error_set(
            TMU_ERR_VERSION, "the device speaks interface %u.%u; pages show counters from %d.%d on",
            info->interface_major, info->interface_minor, TMU_INTERFACE_MAJOR, MINOR_LEAST);
    }
    uint32_t number = 0;
    tmu_result_t result = tmu_device_check(queue->device);
    if (result == TMU_OK) {
        result = snapshot_ask(queue, &number);
    }
    if (result == TMU_OK) {
        result = TMU_AGAIN;
    }
    for (unsigned reads = 0; reads < READS_MAX && result == TMU_AGAIN; reads++) {
        result = snapshot_wait(queue, &number);
        if (result == TMU_OK) {
            result = snapshot_read(queue, number, counters, max < COUNTERS ? max : COUNTERS);
        }
    }
    if (result == TMU_OK) {
        *count_p = COUNTERS;
    }
    return result;
}
