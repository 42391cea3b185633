/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports of the unit on stored words that have lost a bit, and bits that it flips for tests.
 */
#include "tmu_internal.h"
#include "tmu_sized.h"

/* The unit answers what it is asked to flip a few clocks later, and a look takes one at least. */
#define ANSWER_LOOKS 32

/* The interface that has FAULT_MORE, for the places that FAULT_STATUS has no room for: its
 * SEEN ends where WIDTH begins. */
#define MORE_MINOR 7
#define MORE_SHIFT TMU_FAULT_STATUS_WIDTH_SHIFT

static tmu_result_t status_read(tmu_t *device, uint32_t offset, uint32_t *status_p) {
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_device_read(device, offset, status_p);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t stats_read(tmu_t *device, tmu_fault_stats_t *stats_p) {
    uint32_t status = 0, more = 0;
    tmu_result_t result = tmu_control_check(device, "flipped bits");
    if (result != TMU_OK) {
        return result;
    }
    if (TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_PARITY) == 0) {
        return TMU_OK;
    }
    result = status_read(device, TMU_REG_FAULT_STATUS, &status);
    if (result == TMU_OK && device->info.interface_minor >= MORE_MINOR) {
        result = status_read(device, TMU_REG_FAULT_MORE, &more);
    }
    stats_p->places = (uint32_t)TMU_REGISTER_GET(status, TMU_FAULT_STATUS_SEEN) |
                      (uint32_t)TMU_REGISTER_GET(more, TMU_FAULT_MORE_SEEN) << MORE_SHIFT;
    stats_p->flipped = TMU_REGISTER_GET(status, TMU_FAULT_STATUS_FLIPPED) != 0;
    return result;
}

tmu_result_t tmu_fault_stats_sized(tmu_t *device, tmu_fault_stats_t *stats_p, size_t size) {
    tmu_fault_stats_t stats = {0};
    if (!device || !stats_p || size == 0) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = stats_read(device, &stats);
    if (result == TMU_OK) {
        tmu_sized_give(stats_p, size, &stats, sizeof stats);
    }
    return result;
}

static tmu_result_t inject(tmu_t *device, tmu_fault_t place, uint32_t bit) {
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_device_write(device, TMU_REG_FAULT_SELECT,
                                           TMU_REGISTER_BITS(TMU_FAULT_SELECT_PLACE, place) |
                                               TMU_REGISTER_BITS(TMU_FAULT_SELECT_BIT, bit));
    if (result == TMU_OK) {
        result = tmu_device_write(device, TMU_REG_FAULT_INJECT,
                                  TMU_REGISTER_BITS(TMU_FAULT_INJECT_FLIP, 1));
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_fault_inject(tmu_t *device, tmu_fault_t place, uint32_t bit, uint32_t *bits_p) {
    uint32_t status = 0;
    if (!device || !bits_p) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = tmu_control_check(device, "flipped bits");
    if (result != TMU_OK) {
        return result;
    }
    if (TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_PARITY) == 0) {
        return tmu_error_set(TMU_ERR_INVALID, "the device does not check stored words");
    }
    if (bit > TMU_FAULT_SELECT_BIT_MASK) {
        return tmu_error_set(TMU_ERR_INVALID, "bit %u of a stored word; the last one is %u", bit,
                             TMU_FAULT_SELECT_BIT_MASK);
    }
    *bits_p = 0;
    result = inject(device, place, bit);
    for (uint32_t i = 0; i < ANSWER_LOOKS && result == TMU_OK && *bits_p == 0; i++) {
        result = tmu_progress(device, 1);
        if (result == TMU_OK) {
            result = status_read(device, TMU_REG_FAULT_STATUS, &status);
        }
        *bits_p = (uint32_t)TMU_REGISTER_GET(status, TMU_FAULT_STATUS_WIDTH);
    }
    if (result == TMU_OK && *bits_p == 0) {
        return tmu_error_set(TMU_ERR_INVALID, "place %u: the device checks nothing there",
                             (unsigned)place);
    }
    return result;
}
