/* SPDX-License-Identifier: Apache-2.0
 *
 * `vfio:0000:03:00.0`: a PCI function by Linux' VFIO, of a card or in a virtual machine.
 *
 * Registers and doorbells are loads and stores into the function's windows, so that nothing there
 * needs a lock.  VFIO maps windows without caching and without write combining: a command goes out
 * in pieces of 8 bytes, in their order, as a virtual machine passes them on.
 */
#include <errno.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "dma_memory.h"
#include "page_store.h"
#include "pci_unit.h"
#include "tmu_look.h"
#include "vfio_attach.h"

typedef struct vfio_device {
    pthread_mutex_t lock; /* for addresses and vectors */
    vfio_files_t files;
    vfio_window_t registers;
    vfio_window_t doorbells;
    vfio_iova_t iova;
    pci_vectors_t vectors;
    bool vectors_on;
    _Atomic int64_t looked_ns; /* whether it is there */
} vfio_device_t;

/* ---- opening -------------------------------------------------------------------------------- */

/* In this order: nothing may reach memory when its addresses are freed. */
static void vfio_close(void *backend) {
    vfio_device_t *device = backend;
    vfio_window_unmap(&device->registers);
    vfio_window_unmap(&device->doorbells);
    vfio_detach(&device->files);
    pci_vectors_close(&device->vectors);
    vfio_iova_free(&device->iova);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static tmu_result_t set_up(vfio_device_t *device) {
    uint32_t vectors = 0;
    tmu_result_t result = vfio_attach(&device->files);
    if (result == TMU_OK) {
        result = vfio_enable(&device->files);
    }
    if (result == TMU_OK) {
        result = vfio_window_map(&device->files, TMU_PCI_BAR_REGISTERS, TMU_REGISTER_BYTES,
                                 &device->registers);
    }
    if (result == TMU_OK) {
        result = vfio_window_map(&device->files, TMU_PCI_BAR_DOORBELLS, 2 * TMU_DOORBELL_PAGE_BYTES,
                                 &device->doorbells);
    }
    if (result == TMU_OK) {
        result = vfio_ranges_find(&device->files, &device->iova);
    }
    if (result == TMU_OK) {
        result = vfio_vectors_count(&device->files, &vectors);
    }
    return result == TMU_OK ? pci_vectors_open(&device->vectors, vectors) : result;
}

static tmu_result_t vfio_open(const char *rest, void **backend_p) {
    vfio_function_t function;
    tmu_result_t result = vfio_function_find(VFIO_FUNCTION_SYSFS, rest, &function);
    if (result != TMU_OK) {
        return result;
    }
    vfio_device_t *device = calloc(1, sizeof *device);
    if (!device) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    pthread_mutex_init(&device->lock, NULL);
    device->files.function = function;
    result = set_up(device);
    if (result != TMU_OK) {
        vfio_close(device);
        return result;
    }
    *backend_p = device;
    return TMU_OK;
}

/* ---- registers and doorbells ---------------------------------------------------------------- */

static volatile uint32_t *register_at(vfio_device_t *device, uint32_t offset) {
    return offset % sizeof(uint32_t) == 0 && offset < device->registers.bytes
               ? (volatile uint32_t *)device->registers.memory + offset / sizeof(uint32_t)
               : NULL;
}

static tmu_result_t no_register(const vfio_device_t *device, uint32_t offset) {
    return tmu_error_set(TMU_ERR_DEVICE, "%s has no register at 0x%03x",
                         device->files.function.address, offset);
}

/* A function that is gone or in its reset answers with ones everywhere, also where none can be. */
static tmu_result_t magic_check(vfio_device_t *device) {
    return *register_at(device, TMU_REG_MAGIC) != UINT32_MAX
               ? TMU_OK
               : tmu_error_set(TMU_ERR_DEVICE,
                               "%s does not answer: register reads are all ones; see what Linux "
                               "says about it: dmesg",
                               device->files.function.address);
}

static tmu_result_t vfio_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    vfio_device_t *device = backend;
    volatile uint32_t *at = register_at(device, offset);
    if (!at) {
        return no_register(device, offset);
    }
    *value_p = *at;
    return *value_p == UINT32_MAX ? magic_check(device) : TMU_OK;
}

static tmu_result_t vfio_write32(void *backend, uint32_t offset, uint32_t value) {
    volatile uint32_t *at = register_at(backend, offset);
    if (!at) {
        return no_register(backend, offset);
    }
    *at = value;
    return TMU_OK;
}

/* Whether the pages' window has so many bytes there; sets the sentence if not. */
static tmu_result_t page_check(const vfio_device_t *device, uint64_t offset, size_t size) {
    return size <= device->doorbells.bytes && offset <= device->doorbells.bytes - size
               ? TMU_OK
               : tmu_error_set(
                     TMU_ERR_DEVICE, "%s: BAR %d has %llu bytes, and a doorbell is at 0x%llx",
                     device->files.function.address, TMU_PCI_BAR_DOORBELLS,
                     (unsigned long long)device->doorbells.bytes, (unsigned long long)offset);
}

static tmu_result_t vfio_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    vfio_device_t *device = backend;
    tmu_result_t result = page_check(device, offset, sizeof *value_p);
    if (result == TMU_OK) {
        *value_p = *(volatile uint64_t *)((volatile char *)device->doorbells.memory + offset);
    }
    return result;
}

static tmu_result_t vfio_doorbell_write(void *backend, uint64_t offset, const void *data,
                                        size_t size) {
    vfio_device_t *device = backend;
    volatile char *at = (volatile char *)device->doorbells.memory + offset;
    tmu_result_t result = page_check(device, offset, size);
    if (result != TMU_OK) {
        return result;
    }
    page_store(at, data, size);
    return TMU_OK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static tmu_result_t map_memory(vfio_device_t *device, void *memory, size_t bytes,
                               uint64_t *address_p) {
    if (!vfio_iova_take(&device->iova, bytes, address_p)) {
        return tmu_error_set(TMU_ERR_MEMORY, "%s: the IOMMU has no addresses for %zu bytes",
                             device->files.function.address, bytes);
    }
    struct vfio_iommu_type1_dma_map request = {
        .argsz = sizeof request,
        .flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
        .vaddr = (uintptr_t)memory,
        .iova = *address_p,
        .size = bytes,
    };
    if (ioctl(device->files.container, VFIO_IOMMU_MAP_DMA, &request) == 0) {
        return TMU_OK;
    }
    int error = errno;
    vfio_iova_give(&device->iova, *address_p);
    if (error == ENOMEM) {
        return tmu_error_set(TMU_ERR_MEMORY,
                             "%s: Linux does not lock %zu more bytes in memory for this user; "
                             "raise the limit: ulimit -l",
                             device->files.function.address, bytes);
    }
    return tmu_error_set(TMU_ERR_DEVICE, "%s: VFIO refused %zu bytes of memory at 0x%llx: %s",
                         device->files.function.address, bytes, (unsigned long long)*address_p,
                         strerror(error));
}

static tmu_result_t vfio_dma_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    vfio_device_t *device = backend;
    size_t whole = dma_memory_whole(bytes);
    int file = -1;
    uint64_t address = 0;
    void *memory = bytes == 0 ? NULL : dma_memory_map(whole, &file);
    if (!memory) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %zu bytes of shared memory", bytes);
    }
    (void)close(file); /* it stays mapped */
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = map_memory(device, memory, whole, &address);
    pthread_mutex_unlock(&device->lock);
    if (result != TMU_OK) {
        dma_memory_unmap(memory, whole);
        return result;
    }
    *dma_p = (tmu_dma_t){.memory = memory, .bus_address = address, .bytes = whole};
    return TMU_OK;
}

/* An address that Linux did not take back stays taken: the function may still write there. */
static void vfio_dma_free(void *backend, tmu_dma_t *dma) {
    vfio_device_t *device = backend;
    struct vfio_iommu_type1_dma_unmap request = {
        .argsz = sizeof request, .iova = dma->bus_address, .size = dma->bytes};
    pthread_mutex_lock(&device->lock);
    if (ioctl(device->files.container, VFIO_IOMMU_UNMAP_DMA, &request) == 0) {
        vfio_iova_give(&device->iova, dma->bus_address);
    }
    pthread_mutex_unlock(&device->lock);
    dma_memory_unmap(dma->memory, dma->bytes);
    *dma = (tmu_dma_t){0};
}

/* ---- interrupts ----------------------------------------------------------------------------- */

/* Has Linux set up vectors, once, for as many pages as it has; they are quiet until assigned. */
static tmu_result_t vectors_start(vfio_device_t *device) {
    uint32_t wanted = device->vectors.count;
    uint32_t granted = wanted;
    tmu_result_t result = TMU_OK;
    do {
        wanted = granted;
        result = vfio_vectors_set(&device->files, 0, device->vectors.event_fds, wanted, &granted);
    } while (result == TMU_OK && granted < wanted);
    if (result == TMU_OK) {
        device->vectors.count = wanted;
        device->vectors_on = true;
    }
    return result;
}

static tmu_result_t assign(void *backend, uint32_t vector, int fd) {
    vfio_device_t *device = backend;
    uint32_t granted = 0;
    return vfio_vectors_set(&device->files, vector, &fd, 1, &granted);
}

static tmu_result_t vfio_event_fd(void *backend, uint32_t page, int *fd_p) {
    vfio_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result =
        device->vectors_on || page >= device->vectors.count ? TMU_OK : vectors_start(device);
    if (result == TMU_OK) {
        result = pci_vectors_get(&device->vectors, page, assign, device, fd_p);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* A read waits for the function's answer, so there is one in 10 ms at most. */
static tmu_result_t vfio_alive(void *backend) {
    vfio_device_t *device = backend;
    return tmu_look_is_due(&device->looked_ns) ? magic_check(device) : TMU_OK;
}

/* The device runs by itself; who waits for it in a loop lets others have the processor. */
static tmu_result_t vfio_progress(void *backend, unsigned max_clocks) {
    (void)max_clocks;
    (void)sched_yield();
    return vfio_alive(backend);
}

static void vfio_forsake(void *backend) {
    vfio_device_t *device = backend;
    vfio_detach(&device->files);
}

const tmu_backend_ops_t tmu_backend_vfio = {
    .scheme = "vfio",
    .open = vfio_open,
    .close = vfio_close,
    .read32 = vfio_read32,
    .write32 = vfio_write32,
    .doorbell_write = vfio_doorbell_write,
    .page_read64 = vfio_page_read64,
    .dma_alloc = vfio_dma_alloc,
    .dma_free = vfio_dma_free,
    .progress = vfio_progress,
    .event_fd = vfio_event_fd,
    .alive = vfio_alive,
    .forsake = vfio_forsake,
};
