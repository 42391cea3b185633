/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tmu_internal.h"

/* A register that waits for the unit answers within a few clocks; this many steps are a fault. */
#define WAIT_STEPS 100000
#define WAIT_CLOCKS 16

static const tmu_backend_ops_t *const backends[] = {&tmu_backend_ref, &tmu_backend_sim};

/* Why this thread's last tmu_open failed: there is no device yet that could keep it. */
static _Thread_local tmu_error_t open_error;

tmu_result_t tmu_device_read(tmu_t *device, uint32_t offset, uint32_t *value_p) {
    return device->ops->read32(device->backend, offset, value_p);
}

tmu_result_t tmu_device_write(tmu_t *device, uint32_t offset, uint32_t value) {
    return device->ops->write32(device->backend, offset, value);
}

static tmu_result_t progress(tmu_t *device, unsigned max_clocks) {
    return device->ops->progress ? device->ops->progress(device->backend, max_clocks) : TMU_OK;
}

tmu_result_t tmu_device_wait(tmu_t *device, uint32_t offset, uint32_t mask, uint32_t value) {
    for (unsigned step = 0; step < WAIT_STEPS; step++) {
        uint32_t now = 0;
        tmu_result_t result = tmu_device_read(device, offset, &now);
        if (result == TMU_OK && (now & mask) == value) {
            return TMU_OK;
        }
        if (result == TMU_OK) {
            result = progress(device, WAIT_CLOCKS);
        }
        if (result != TMU_OK) {
            return result;
        }
    }
    return tmu_error_set(&device->error, TMU_ERR_DEVICE,
                         "register 0x%03x did not become 0x%x in the bits 0x%x", offset, value,
                         mask);
}

static tmu_result_t version_check(tmu_t *device) {
    uint32_t magic = 0;
    uint32_t version = 0;
    tmu_result_t result = tmu_device_read(device, TMU_REG_MAGIC, &magic);
    if (result != TMU_OK) {
        return result;
    }
    if (magic != TMU_MAGIC) {
        return tmu_error_set(&device->error, TMU_ERR_DEVICE,
                             "no tag-matching unit: magic is 0x%08x, expected 0x%08x", magic,
                             (unsigned)TMU_MAGIC);
    }
    result = tmu_device_read(device, TMU_REG_INTERFACE_VERSION, &version);
    if (result != TMU_OK) {
        return result;
    }
    device->info.interface_major = (uint16_t)TMU_REGISTER_GET(version, TMU_INTERFACE_VERSION_MAJOR);
    device->info.interface_minor = (uint16_t)TMU_REGISTER_GET(version, TMU_INTERFACE_VERSION_MINOR);
    if (device->info.interface_major != TMU_INTERFACE_MAJOR) {
        return tmu_error_set(&device->error, TMU_ERR_VERSION,
                             "the device speaks interface %u.%u, this driver %d.%d: the major "
                             "versions must be equal",
                             device->info.interface_major, device->info.interface_minor,
                             TMU_INTERFACE_MAJOR, TMU_INTERFACE_MINOR);
    }
    return TMU_OK;
}

static tmu_result_t info_read(tmu_t *device) {
    tmu_info_t *info = &device->info;
    const struct {
        uint32_t offset;
        uint32_t *value;
    } fields[] = {
        {TMU_REG_PRESET, &info->preset},
        {TMU_REG_ENDPOINTS, &info->endpoints},
        {TMU_REG_POSTED_ENTRIES, &info->posted_entries},
        {TMU_REG_UNEXPECTED_ENTRIES, &info->unexpected_entries},
        {TMU_REG_LANES, &info->lanes},
        {TMU_REG_MATCH_BITS, &info->match_bits},
        {TMU_REG_SOURCE_BITS, &info->source_bits},
        {TMU_REG_HANDLE_BITS, &info->handle_bits},
        {TMU_REG_ADDRESS_BITS, &info->address_bits},
        {TMU_REG_LENGTH_BITS, &info->length_bits},
        {TMU_REG_ID_BITS, &info->id_bits},
        {TMU_REG_COMMAND_QUEUE, &info->command_queue},
        {TMU_REG_CAPABILITIES, &info->capabilities},
        {TMU_REG_ARRAY_ENTRIES, &info->array_entries},
        {TMU_REG_FILTER_LANES, &info->filter_lanes},
        {TMU_REG_FILTER_BITS, &info->filter_bits},
    };
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        tmu_result_t result = tmu_device_read(device, fields[i].offset, fields[i].value);
        if (result != TMU_OK) {
            return result;
        }
    }
    bool sane = info->endpoints >= 1 && info->endpoints < TMU_PAGE_PRIVILEGED &&
                info->id_bits >= 1 && info->id_bits <= 31 && info->handle_bits >= info->id_bits;
    return sane ? TMU_OK
                : tmu_error_set(&device->error, TMU_ERR_DEVICE,
                                "the discovery block makes no sense: %u endpoints, %u id bits, "
                                "%u handle bits",
                                info->endpoints, info->id_bits, info->handle_bits);
}

/** Empties the unit and sets up again what its reset cleared: quotas and rings. */
static tmu_result_t reset_locked(tmu_t *device) {
    tmu_result_t result =
        tmu_device_write(device, TMU_REG_CONTROL, TMU_REGISTER_BITS(TMU_CONTROL_RESET, 1));
    if (result != TMU_OK) {
        return result;
    }
    uint32_t ready = TMU_REGISTER_BITS(TMU_STATUS_READY, 1);
    result = tmu_device_wait(device, TMU_REG_STATUS, ready, ready);
    if (result != TMU_OK) {
        return result;
    }
    tmu_receives_clear(&device->receives);
    tmu_flow_clear(&device->flow);
    for (uint32_t i = 0; i < device->info.endpoints; i++) {
        tmu_depth_t quota = device->flow.endpoints[i].quota;
        if (quota.posted != 0 || quota.unexpected != 0) {
            result = tmu_quota_write(device, i, quota);
            if (result != TMU_OK) {
                return result;
            }
        }
    }
    for (tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        queue->done_head = 0;
        queue->done_count = 0;
        result = tmu_queue_configure(queue, true);
        if (result != TMU_OK) {
            return result;
        }
    }
    return TMU_OK;
}

tmu_result_t tmu_open_backend(const tmu_backend_ops_t *ops, const char *rest, tmu_t **device_p) {
    tmu_t *device = calloc(1, sizeof *device);
    if (!device) {
        return tmu_error_set(&open_error, TMU_ERR_MEMORY, "no memory for a device");
    }
    device->ops = ops;
    device->info.scheme = ops->scheme;
    pthread_mutex_init(&device->lock, NULL);
    tmu_result_t result = ops->open(rest, &device->error, &device->backend);
    if (result != TMU_OK || (result = version_check(device)) != TMU_OK ||
        (result = info_read(device)) != TMU_OK) {
        goto close_device;
    }
    tmu_receives_init(&device->receives, device->info.id_bits, device->info.handle_bits);
    result = tmu_flow_init(&device->flow, device->info.endpoints, device->info.unexpected_entries);
    if (result != TMU_OK) {
        tmu_error_set(&device->error, result, "no memory for %u endpoints", device->info.endpoints);
        goto close_device;
    }
    result = reset_locked(device);
    if (result == TMU_OK) {
        /* No reset of the unit clears the windows, and another program may have set some. */
        result = tmu_filter_write(device, &tmu_filter_default);
    }
    if (result != TMU_OK) {
        goto close_device;
    }
    *device_p = device;
    return TMU_OK;

close_device:
    open_error = device->error;
    tmu_close(device);
    return result;
}

tmu_result_t tmu_open(const char *uri, tmu_t **device_p) {
    const char *colon = uri ? strchr(uri, ':') : NULL;
    if (!uri || !device_p) {
        return tmu_error_set(&open_error, TMU_ERR_INVALID, "uri and device_p must not be NULL");
    }
    size_t length = colon ? (size_t)(colon - uri) : 0;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++) {
        const char *scheme = backends[i]->scheme;
        if (colon && strlen(scheme) == length && strncmp(uri, scheme, length) == 0) {
            return tmu_open_backend(backends[i], colon + 1, device_p);
        }
    }
    return tmu_error_set(&open_error, TMU_ERR_URI,
                         "unknown scheme in '%s'; known: ref:PRESET, sim:LIBRARY", uri);
}

void tmu_close(tmu_t *device) {
    if (!device) {
        return;
    }
    device->broken = true; /* what is in flight is not waited for */
    tmu_flow_free(&device->flow);
    while (device->queues) {
        (void)tmu_queue_close(device->queues);
    }
    tmu_receives_free(&device->receives);
    if (device->backend) {
        device->ops->close(device->backend);
    }
    pthread_mutex_destroy(&device->lock);
    free(device);
}

const char *tmu_error_text(const tmu_t *device) {
    return device ? device->error.text : open_error.text;
}

tmu_result_t tmu_query(tmu_t *device, tmu_info_t *info_p) {
    if (!device || !info_p) {
        return TMU_ERR_INVALID;
    }
    *info_p = device->info;
    return TMU_OK;
}

tmu_result_t tmu_reset(tmu_t *device) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    bool busy = !device->broken && device->in_flight > 0;
    tmu_result_t result = busy ? TMU_AGAIN : TMU_OK;
    if (device->broken) {
        result = TMU_ERR_DEVICE;
    } else if (!busy) {
        result = reset_locked(device);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_progress(tmu_t *device, unsigned max_clocks) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = progress(device, max_clocks);
    pthread_mutex_unlock(&device->lock);
    return result;
}

uint64_t tmu_clock(tmu_t *device) {
    if (!device) {
        return 0;
    }
    pthread_mutex_lock(&device->lock);
    uint64_t clock = device->ops->clock ? device->ops->clock(device->backend) : 0;
    pthread_mutex_unlock(&device->lock);
    return clock;
}
