/* SPDX-License-Identifier: Apache-2.0
 *
 * `vfu:SOCKET`: a device in another process, over vfio-user; tmu-device serves one.
 *
 * Doorbell writes are posted, as they are on a bus.  Register accesses wait for their answer, so
 * that one that fails is heard of.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dma_memory.h"
#include "pci_unit.h"
#include "tmu_look.h"
#include "vfu_client.h"

typedef struct vfu_device {
    pthread_mutex_t lock; /* one command at a time is on its way */
    vfu_client_t client;
    char *path;
    bool has_time;  /* the region of simulated time is there */
    uint64_t clock; /* when it was last asked: time does not go back when a device goes away */
    pci_vectors_t vectors;
    _Atomic int64_t looked_ns; /* whether it is there */
} vfu_device_t;

/* ---- opening -------------------------------------------------------------------------------- */

static tmu_result_t check_identity(vfu_device_t *device) {
    uint16_t ids[2] = {0};
    uint32_t error = 0;
    tmu_result_t result = vfu_client_read(&device->client, VFU_REGION_CONFIG, PCI_CONFIG_IDS, ids,
                                          sizeof ids, &error);
    return result == TMU_OK ? pci_ids_check(device->path, ids[0], ids[1]) : result;
}

/* Lets the device answer to register accesses and reach memory. */
static tmu_result_t enable(vfu_device_t *device) {
    uint16_t command = PCI_COMMAND_MEMORY_AND_MASTER;
    uint32_t error = 0;
    tmu_result_t result = vfu_client_write(&device->client, VFU_REGION_CONFIG, PCI_CONFIG_COMMAND,
                                           &command, sizeof command, &error);
    if (result == TMU_OK && error != 0) {
        return tmu_error_set(TMU_ERR_DEVICE, "the device at %s cannot be enabled: %s", device->path,
                             strerror((int)error));
    }
    return result;
}

/* A simulated unit has a region of its own that no device has to have. */
static tmu_result_t find_time(vfu_device_t *device) {
    vfu_region_info_t info = {.argsz = sizeof info + sizeof(vfu_region_type_t),
                              .index = VFU_REGION_TIME};
    struct {
        vfu_region_info_t info;
        vfu_region_type_t type;
    } answer = {0};
    vfu_call_t call = {
        .command = VFU_DEVICE_GET_REGION_INFO,
        .name = "the size of a region",
        .request = &info,
        .request_bytes = sizeof info,
        .file = -1,
        .answer = &answer,
        .answer_least = sizeof info,
        .answer_most = sizeof answer,
    };
    tmu_result_t result = vfu_client_call(&device->client, &call);
    device->has_time = result == TMU_OK && call.error == 0 && call.answer_bytes == sizeof answer &&
                       answer.info.size >= VFU_TIME_BYTES &&
                       answer.type.id == VFU_CAPABILITY_TYPE &&
                       answer.type.type == (VFU_REGION_OF_VENDOR | TMU_PCI_VENDOR) &&
                       answer.type.subtype == VFU_TIME_SUBTYPE;
    return result;
}

static tmu_result_t find_vectors(vfu_device_t *device) {
    vfu_irq_info_t info = {.argsz = sizeof info, .index = VFU_IRQ_MSIX};
    vfu_irq_info_t answer = {0};
    vfu_call_t call = {
        .command = VFU_DEVICE_GET_IRQ_INFO,
        .name = "the number of interrupts",
        .request = &info,
        .request_bytes = sizeof info,
        .file = -1,
        .answer = &answer,
        .answer_least = sizeof answer,
        .answer_most = sizeof answer,
    };
    tmu_result_t result = vfu_client_must(&device->client, &call);
    return result == TMU_OK ? pci_vectors_open(&device->vectors, answer.count) : result;
}

static void vfu_close(void *backend) {
    vfu_device_t *device = backend;
    vfu_client_close(&device->client);
    pci_vectors_close(&device->vectors);
    pthread_mutex_destroy(&device->lock);
    free(device->path);
    free(device);
}

static tmu_result_t vfu_open(const char *rest, void **backend_p) {
    vfu_device_t *device = calloc(1, sizeof *device);
    char *path = strdup(rest);
    if (!device || !path) {
        free(device);
        free(path);
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    pthread_mutex_init(&device->lock, NULL);
    device->path = path;
    tmu_result_t result = vfu_client_open(&device->client, path);
    if (result == TMU_OK) {
        result = check_identity(device);
    }
    if (result == TMU_OK) {
        result = enable(device);
    }
    if (result == TMU_OK) {
        result = find_time(device);
    }
    if (result == TMU_OK) {
        result = find_vectors(device);
    }
    if (result != TMU_OK) {
        vfu_close(device);
        return result;
    }
    *backend_p = device;
    return TMU_OK;
}

/* ---- registers and doorbells ---------------------------------------------------------------- */

/* The sentence of a register access that the device answered with an error. */
static tmu_result_t register_answer(tmu_result_t result, uint32_t error, const char *access,
                                    uint32_t offset) {
    if (result != TMU_OK || error == 0) {
        return result;
    }
    return error == EIO
               ? tmu_error_set(TMU_ERR_DEVICE, "register %s at 0x%03x was answered with an error",
                               access, offset)
               : tmu_error_set(TMU_ERR_DEVICE, "register %s at 0x%03x was refused: %s", access,
                               offset, strerror((int)error));
}

static tmu_result_t vfu_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    vfu_device_t *device = backend;
    uint32_t error = 0;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = vfu_client_read(&device->client, TMU_PCI_BAR_REGISTERS, offset, value_p,
                                          sizeof *value_p, &error);
    pthread_mutex_unlock(&device->lock);
    return register_answer(result, error, "read", offset);
}

static tmu_result_t vfu_write32(void *backend, uint32_t offset, uint32_t value) {
    vfu_device_t *device = backend;
    uint32_t error = 0;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = vfu_client_write(&device->client, TMU_PCI_BAR_REGISTERS, offset, &value,
                                           sizeof value, &error);
    pthread_mutex_unlock(&device->lock);
    return register_answer(result, error, "write", offset);
}

static tmu_result_t vfu_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    vfu_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result =
        vfu_client_post(&device->client, TMU_PCI_BAR_DOORBELLS, offset, data, (uint32_t)size);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t vfu_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    vfu_device_t *device = backend;
    uint32_t error = 0;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = vfu_client_read(&device->client, TMU_PCI_BAR_DOORBELLS, offset, value_p,
                                          sizeof *value_p, &error);
    pthread_mutex_unlock(&device->lock);
    return result == TMU_OK && error != 0
               ? tmu_error_set(TMU_ERR_DEVICE, "page read at 0x%llx was refused: %s",
                               (unsigned long long)offset, strerror((int)error))
               : result;
}

/* ---- memory --------------------------------------------------------------------------------- */

/* Bus addresses are those of this process: they are different for all memory that is mapped. */
static tmu_result_t map_memory(vfu_device_t *device, void *memory, size_t bytes, int file) {
    vfu_dma_map_t request = {
        .argsz = sizeof request,
        .flags = VFU_MAY_READ | VFU_MAY_WRITE,
        .address = (uintptr_t)memory,
        .size = bytes,
    };
    vfu_call_t call = {
        .command = VFU_DMA_MAP,
        .name = "memory",
        .request = &request,
        .request_bytes = sizeof request,
        .file = file,
    };
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = vfu_client_must(&device->client, &call);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t vfu_dma_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    size_t whole = dma_memory_whole(bytes);
    int file = -1;
    void *memory = bytes == 0 ? NULL : dma_memory_map(whole, &file);
    if (!memory) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %zu bytes of shared memory", bytes);
    }
    tmu_result_t result = map_memory(backend, memory, whole, file);
    (void)close(file); /* the device has it as well now */
    if (result != TMU_OK) {
        dma_memory_unmap(memory, whole);
        return result;
    }
    *dma_p = (tmu_dma_t){.memory = memory, .bus_address = (uintptr_t)memory, .bytes = whole};
    return TMU_OK;
}

/* Memory is returned to the system even if the device is gone: then nobody writes there. */
static void vfu_dma_free(void *backend, tmu_dma_t *dma) {
    vfu_device_t *device = backend;
    vfu_dma_unmap_t request = {
        .argsz = sizeof request, .address = dma->bus_address, .size = dma->bytes};
    vfu_dma_unmap_t answer;
    vfu_call_t call = {
        .command = VFU_DMA_UNMAP,
        .name = "memory to be returned",
        .request = &request,
        .request_bytes = sizeof request,
        .file = -1,
        .answer = &answer,
        .answer_least = sizeof answer,
        .answer_most = sizeof answer,
    };
    pthread_mutex_lock(&device->lock);
    (void)vfu_client_must(&device->client, &call);
    pthread_mutex_unlock(&device->lock);
    dma_memory_unmap(dma->memory, dma->bytes);
    *dma = (tmu_dma_t){0};
}

/* ---- time and interrupts -------------------------------------------------------------------- */

/* The device's process may have ended with commands in flight, of which nothing else tells. */
static tmu_result_t vfu_alive(void *backend) {
    vfu_device_t *device = backend;
    tmu_result_t result = TMU_OK;
    if (tmu_look_is_due(&device->looked_ns)) {
        pthread_mutex_lock(&device->lock);
        result = vfu_client_alive(&device->client);
        pthread_mutex_unlock(&device->lock);
    }
    return result;
}

static tmu_result_t vfu_progress(void *backend, unsigned max_clocks) {
    vfu_device_t *device = backend;
    if (!device->has_time) {
        (void)sched_yield();
        return vfu_alive(backend);
    }
    uint32_t clocks = max_clocks < VFU_TIME_RUN_MAX ? max_clocks : VFU_TIME_RUN_MAX;
    uint32_t error = 0;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = vfu_client_write(&device->client, VFU_REGION_TIME, VFU_TIME_RUN, &clocks,
                                           sizeof clocks, &error);
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK && error != 0) {
        return tmu_error_set(TMU_ERR_DEVICE, "the device at %s does not run: %s", device->path,
                             strerror((int)error));
    }
    return result;
}

static void vfu_forsake(void *backend) {
    vfu_device_t *device = backend;
    vfu_client_close(&device->client);
}

static uint64_t vfu_clock(void *backend) {
    vfu_device_t *device = backend;
    uint64_t clock = 0;
    uint32_t error = 0;
    if (!device->has_time) {
        return 0;
    }
    pthread_mutex_lock(&device->lock);
    if (vfu_client_read(&device->client, VFU_REGION_TIME, VFU_TIME_CLOCK, &clock, sizeof clock,
                        &error) == TMU_OK &&
        error == 0) {
        device->clock = clock;
    }
    clock = device->clock;
    pthread_mutex_unlock(&device->lock);
    return clock;
}

static tmu_result_t assign(void *backend, uint32_t vector, int fd) {
    vfu_device_t *device = backend;
    vfu_irq_set_t request = {
        .argsz = sizeof request,
        .flags = VFU_IRQ_DATA_EVENTFD | VFU_IRQ_TRIGGER,
        .index = VFU_IRQ_MSIX,
        .start = vector,
        .count = 1,
    };
    vfu_call_t call = {
        .command = VFU_DEVICE_SET_IRQS,
        .name = "an interrupt",
        .request = &request,
        .request_bytes = sizeof request,
        .file = fd,
    };
    return vfu_client_must(&device->client, &call);
}

static tmu_result_t vfu_event_fd(void *backend, uint32_t page, int *fd_p) {
    vfu_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = pci_vectors_get(&device->vectors, page, assign, device, fd_p);
    pthread_mutex_unlock(&device->lock);
    return result;
}

const tmu_backend_ops_t tmu_backend_vfu = {
    .scheme = "vfu",
    .open = vfu_open,
    .close = vfu_close,
    .read32 = vfu_read32,
    .write32 = vfu_write32,
    .doorbell_write = vfu_doorbell_write,
    .page_read64 = vfu_page_read64,
    .dma_alloc = vfu_dma_alloc,
    .dma_free = vfu_dma_free,
    .progress = vfu_progress,
    .clock = vfu_clock,
    .event_fd = vfu_event_fd,
    .alive = vfu_alive,
    .forsake = vfu_forsake,
};
