/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmu_internal.h"
#include "tmu_sized.h"

/* A register that waits for the unit answers within a few clocks; this many steps are a fault. */
#define WAIT_STEPS 100000
#define WAIT_CLOCKS 16

static const tmu_backend_ops_t *const backends[] = {&tmu_backend_ref,
                                                    &tmu_backend_sim,
                                                    &tmu_backend_vfu,
                                                    &tmu_backend_vfio,
                                                    &tmu_backend_dev,
                                                    &tmu_backend_share,
                                                    NULL};

const tmu_backend_ops_t *const *tmu_backends(void) { return backends; }

tmu_result_t tmu_device_read(tmu_t *device, uint32_t offset, uint32_t *value_p) {
    tmu_result_t result = tmu_process_check(device);
    return result == TMU_OK ? device->ops->read32(device->backend, offset, value_p) : result;
}

tmu_result_t tmu_device_write(tmu_t *device, uint32_t offset, uint32_t value) {
    tmu_result_t result = tmu_process_check(device);
    return result == TMU_OK ? device->ops->write32(device->backend, offset, value) : result;
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
    return tmu_error_set(TMU_ERR_DEVICE, "register 0x%03x did not become 0x%x in the bits 0x%x",
                         offset, value, mask);
}

tmu_result_t tmu_control_version(tmu_t *device, uint32_t version) {
    tmu_info_t *info = &device->info;
    info->interface_major = (uint16_t)TMU_REGISTER_GET(version, TMU_INTERFACE_VERSION_MAJOR);
    info->interface_minor = (uint16_t)TMU_REGISTER_GET(version, TMU_INTERFACE_VERSION_MINOR);
    return info->interface_major == TMU_INTERFACE_MAJOR
               ? TMU_OK
               : tmu_error_set(TMU_ERR_VERSION,
                               "the device speaks interface %u.%u, this driver %d.%d: the major "
                               "versions must be equal; use the driver that came with the device",
                               info->interface_major, info->interface_minor, TMU_INTERFACE_MAJOR,
                               TMU_INTERFACE_MINOR);
}

tmu_result_t tmu_control_check(const tmu_t *device, const char *what) {
    return !device->granted ? TMU_OK
                            : tmu_error_set(TMU_ERR_INVALID,
                                            "%s: this is a session of a unit that others share; "
                                            "that is for who has a unit alone, as by vfio:",
                                            what);
}

tmu_result_t tmu_device_break(tmu_t *device) {
    if (!atomic_flag_test_and_set(&device->breaking)) {
        (void)snprintf(device->broken_text, sizeof device->broken_text, "%s", tmu_error_text(NULL));
        atomic_store(&device->broken, true);
    }
    return TMU_ERR_DEVICE;
}

tmu_result_t tmu_device_broke(tmu_t *device, tmu_result_t result) {
    return result == TMU_ERR_DEVICE ? tmu_device_break(device) : result;
}

tmu_result_t tmu_device_check(tmu_t *device) {
    return atomic_load(&device->broken) ? tmu_error_set(TMU_ERR_DEVICE, "%s", device->broken_text)
                                        : tmu_process_check(device);
}

void tmu_device_stop(tmu_t *device) {
    pthread_mutex_lock(&device->lock);
    for (tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        pthread_mutex_lock(&queue->lock);
    }
}

void tmu_device_go(tmu_t *device) {
    for (tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        pthread_mutex_unlock(&queue->lock);
    }
    pthread_mutex_unlock(&device->lock);
}

bool tmu_device_still(const tmu_t *device) {
    for (const tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        if (queue->pendings.count > 0 || queue->flow.pass) {
            return false;
        }
    }
    return true;
}

/* Empties the device and sets up again what its reset cleared: memory, limits and pages.  Stopped.
 */
static tmu_result_t reset_stopped(tmu_t *device) {
    tmu_result_t result = device->control->reset(device);
    if (result != TMU_OK) {
        return result;
    }
    tmu_receives_clear(&device->receives);
    tmu_bounds_clear(&device->bounds);
    tmu_bounds_network(&device->bounds, 0);
    tmu_network_clear(device);
    for (tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
        tmu_flow_clear(&queue->flow);
        queue->lists = (tmu_net_memory_t){0};
        queue->credits = 0;
        queue->done_head = 0;
        queue->done_count = 0;
        result = tmu_queue_configure(queue, true);
        if (result != TMU_OK) {
            return result;
        }
    }
    return TMU_OK;
}

/* Everything that needs the discovery block. */
static tmu_result_t device_create(tmu_t *device) {
    const tmu_info_t *info = &device->info;
    tmu_receives_init(&device->receives, info->id_bits, info->handle_bits);
    tmu_result_t result = tmu_bounds_init(&device->bounds, info);
    return result == TMU_OK ? TMU_OK
                            : tmu_error_set(result, "no memory for %u endpoints", info->endpoints);
}

tmu_result_t tmu_open_backend(const tmu_backend_ops_t *ops, const char *rest, tmu_t **device_p) {
    tmu_t *device = aligned_alloc(_Alignof(tmu_t), sizeof *device);
    if (!device) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    *device = (tmu_t){.ops = ops,
                      .control = ops->control ? ops->control : &tmu_control_registers,
                      .info = {.scheme = ops->scheme},
                      .breaking = ATOMIC_FLAG_INIT};
    pthread_mutex_init(&device->lock, NULL);
    tmu_network_init(&device->network);
    tmu_process_own(device);
    tmu_result_t result = ops->open(rest, &device->backend);
    if (result == TMU_OK) {
        result = device->control->discover(device);
    }
    if (result == TMU_OK) {
        result = device_create(device);
    }
    if (result == TMU_OK) {
        result = device->control->start(device);
    }
    if (result != TMU_OK) {
        tmu_close(device);
        return result;
    }
    *device_p = device;
    return TMU_OK;
}

tmu_result_t tmu_open(const char *uri, tmu_t **device_p) {
    const char *colon = uri ? strchr(uri, ':') : NULL;
    if (!uri || !device_p) {
        return tmu_error_set(TMU_ERR_INVALID, "uri and device_p must not be NULL");
    }
    size_t length = colon ? (size_t)(colon - uri) : 0;
    for (size_t i = 0; backends[i]; i++) {
        const char *scheme = backends[i]->scheme;
        if (colon && strlen(scheme) == length && strncmp(uri, scheme, length) == 0) {
            return tmu_open_backend(backends[i], colon + 1, device_p);
        }
    }
    return tmu_error_set(TMU_ERR_URI,
                         "unknown scheme in '%s'; known: ref:PRESET, sim:LIBRARY, vfu:SOCKET, "
                         "vfio:PCI_ADDRESS, dev:FILE, share:SOCKET",
                         uri);
}

void tmu_close(tmu_t *device) {
    if (!device) {
        return;
    }
    if (!tmu_process_owns(device)) { /* what is in memory stays: other threads had locks there */
        if (device->backend && device->ops->forsake) {
            device->ops->forsake(device->backend);
        }
        return;
    }
    while (device->queues) {
        (void)tmu_queue_remove(device->queues); /* what is in flight is not waited for */
    }
    tmu_spill_free(device);
    tmu_network_clear(device);
    pthread_mutex_destroy(&device->network.lock);
    tmu_pages_free(&device->pages);
    tmu_bounds_free(&device->bounds);
    tmu_receives_free(&device->receives);
    free(device->granted);
    if (device->backend) {
        device->ops->close(device->backend);
    }
    pthread_mutex_destroy(&device->lock);
    free(device);
}

tmu_result_t tmu_query_sized(tmu_t *device, tmu_info_t *info_p, size_t size) {
    if (!device || !info_p || size == 0) {
        return TMU_ERR_INVALID;
    }
    tmu_sized_give(info_p, size, &device->info, sizeof device->info);
    return TMU_OK;
}

tmu_result_t tmu_reset(tmu_t *device) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_device_stop(device);
    tmu_result_t result = tmu_device_check(device);
    for (const tmu_queue_t *queue = device->queues; queue && result == TMU_OK;
         queue = queue->next) {
        result = queue->pendings.count > 0 ? TMU_AGAIN : TMU_OK;
    }
    if (result == TMU_OK) {
        result = reset_stopped(device);
    }
    tmu_device_go(device);
    return result;
}

/* A simulated machine has a lock of its own. */

tmu_result_t tmu_progress(tmu_t *device, unsigned max_clocks) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = tmu_device_check(device);
    return result == TMU_OK ? tmu_device_broke(device, progress(device, max_clocks)) : result;
}

uint64_t tmu_clock(tmu_t *device) {
    return device && device->ops->clock && tmu_process_check(device) == TMU_OK
               ? device->ops->clock(device->backend)
               : 0;
}
