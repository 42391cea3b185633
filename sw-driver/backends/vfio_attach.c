/* SPDX-License-Identifier: Apache-2.0 */
#include "vfio_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "pci_unit.h"

#define CONTAINER "/dev/vfio/vfio"
#define PATH_BYTES 64
/* Last address that every IOMMU has, where Linux is too old to say; below the range that x86 takes
 * for interrupts. */
#define LAST_ALWAYS 0xfedfffffu

static tmu_result_t failed(const vfio_files_t *files, const char *what) {
    return tmu_error_set(TMU_ERR_DEVICE, "%s: VFIO refused %s: %s", files->function.address, what,
                         strerror(errno));
}

/* ---- container and group -------------------------------------------------------------------- */

static tmu_result_t open_container(vfio_files_t *files) {
    files->container = open(CONTAINER, O_RDWR | O_CLOEXEC);
    if (files->container < 0 && errno == EACCES) {
        return tmu_error_set(TMU_ERR_URI, "no permission for " CONTAINER "; type as root: "
                                          "chmod a+rw " CONTAINER);
    }
    if (files->container < 0) {
        return tmu_error_set(TMU_ERR_URI,
                             CONTAINER " cannot be opened: %s; Linux has VFIO after, as root: "
                                       "modprobe vfio-pci",
                             strerror(errno));
    }
    int version = ioctl(files->container, VFIO_GET_API_VERSION);
    if (version != VFIO_API_VERSION) {
        return tmu_error_set(TMU_ERR_VERSION, "Linux speaks VFIO %d, this driver %d", version,
                             VFIO_API_VERSION);
    }
    if (ioctl(files->container, VFIO_CHECK_EXTENSION, VFIO_TYPE1v2_IOMMU) != 1) {
        return tmu_error_set(TMU_ERR_URI, "this Linux has no VFIO for IOMMUs of type 1; as root: "
                                          "modprobe vfio_iommu_type1");
    }
    return TMU_OK;
}

static tmu_result_t open_group(vfio_files_t *files) {
    struct vfio_group_status status = {.argsz = sizeof status};
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/dev/vfio/%u", files->function.group);
    files->group = open(path, O_RDWR | O_CLOEXEC);
    if (files->group < 0 && errno == EBUSY) {
        return tmu_error_set(TMU_ERR_BUSY,
                             "another process has %s, and one at a time; wait for it, or see who: "
                             "fuser -v %s",
                             files->function.address, path);
    }
    if (files->group < 0 && errno == EACCES) {
        return tmu_error_set(TMU_ERR_URI,
                             "no permission for %s, the IOMMU group of %s; type as root: "
                             "chown %u %s",
                             path, files->function.address, (unsigned)getuid(), path);
    }
    if (files->group < 0) {
        return tmu_error_set(TMU_ERR_URI, "%s, the IOMMU group of %s, cannot be opened: %s", path,
                             files->function.address, strerror(errno));
    }
    if (ioctl(files->group, VFIO_GROUP_GET_STATUS, &status) != 0) {
        return failed(files, "to say whether its group can be used");
    }
    if ((status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0) {
        return tmu_error_set(TMU_ERR_URI,
                             "IOMMU group %u of %s has devices that are with other drivers; bind "
                             "each of them to vfio-pci or to no driver: "
                             "ls /sys/kernel/iommu_groups/%u/devices",
                             files->function.group, files->function.address, files->function.group);
    }
    return TMU_OK;
}

/* Puts the group behind the container's IOMMU, and opens the function. */
static tmu_result_t join(vfio_files_t *files) {
    if (ioctl(files->group, VFIO_GROUP_SET_CONTAINER, &files->container) != 0) {
        return failed(files, "its group in a container");
    }
    if (ioctl(files->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0) {
        if (errno == EPERM) {
            return tmu_error_set(TMU_ERR_URI,
                                 "%s: this IOMMU does not remap interrupts, so that a device could "
                                 "raise any; if that is accepted, type as root: echo 1 >"
                                 "/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts",
                                 files->function.address);
        }
        return failed(files, "its IOMMU");
    }
    files->device = ioctl(files->group, VFIO_GROUP_GET_DEVICE_FD, files->function.address);
    return files->device < 0 ? failed(files, "the device itself") : TMU_OK;
}

tmu_result_t vfio_attach(vfio_files_t *files) {
    files->container = files->group = files->device = -1;
    tmu_result_t result = open_container(files);
    if (result == TMU_OK) {
        result = open_group(files);
    }
    return result == TMU_OK ? join(files) : result;
}

void vfio_detach(vfio_files_t *files) {
    const int all[] = {files->device, files->group, files->container};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i] >= 0) {
            (void)close(all[i]);
        }
    }
    files->container = files->group = files->device = -1;
}

/* ---- the function --------------------------------------------------------------------------- */

static tmu_result_t region_find(const vfio_files_t *files, unsigned index,
                                struct vfio_region_info *info_p) {
    *info_p = (struct vfio_region_info){.argsz = sizeof *info_p, .index = index};
    return ioctl(files->device, VFIO_DEVICE_GET_REGION_INFO, info_p) == 0
               ? TMU_OK
               : failed(files, "the size of a window");
}

tmu_result_t vfio_enable(const vfio_files_t *files) {
    struct vfio_region_info info;
    uint16_t ids[2] = {0};
    uint16_t command = PCI_COMMAND_MEMORY_AND_MASTER;
    tmu_result_t result = region_find(files, VFIO_PCI_CONFIG_REGION_INDEX, &info);
    if (result != TMU_OK) {
        return result;
    }
    if (pread(files->device, ids, sizeof ids, (off_t)(info.offset + PCI_CONFIG_IDS)) !=
        (ssize_t)sizeof ids) {
        return failed(files, "to read its configuration");
    }
    result = pci_ids_check(files->function.address, ids[0], ids[1]);
    if (result == TMU_OK && pwrite(files->device, &command, sizeof command,
                                   (off_t)(info.offset + PCI_CONFIG_COMMAND)) != sizeof command) {
        return failed(files, "to enable it");
    }
    return result;
}

tmu_result_t vfio_window_map(const vfio_files_t *files, unsigned bar, uint64_t least,
                             vfio_window_t *window_p) {
    struct vfio_region_info info;
    tmu_result_t result = region_find(files, bar, &info);
    if (result != TMU_OK) {
        return result;
    }
    if (info.size < least) {
        return tmu_error_set(TMU_ERR_DEVICE, "%s: BAR %u has %llu bytes, expected %llu at least",
                             files->function.address, bar, (unsigned long long)info.size,
                             (unsigned long long)least);
    }
    if ((info.flags & VFIO_REGION_INFO_FLAG_MMAP) == 0) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "%s: VFIO does not map BAR %u: it shares a page with another device; "
                             "give pci=resource_alignment=%s on Linux' command line",
                             files->function.address, bar, files->function.address);
    }
    void *memory = mmap(NULL, info.size, PROT_READ | PROT_WRITE, MAP_SHARED, files->device,
                        (off_t)info.offset);
    if (memory == MAP_FAILED) {
        return failed(files, "to map a window");
    }
    if (madvise(memory, info.size, MADV_DONTFORK) != 0) { /* a child must not ring doorbells */
        result = failed(files, "to keep a window from children");
        (void)munmap(memory, info.size);
        return result;
    }
    *window_p = (vfio_window_t){.memory = memory, .bytes = info.size};
    return TMU_OK;
}

void vfio_window_unmap(vfio_window_t *window) {
    if (window->memory) {
        (void)munmap((void *)(uintptr_t)window->memory, window->bytes);
        window->memory = NULL;
    }
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Adds the ranges of a capability; false without memory. */
static bool allow_all(vfio_iova_t *iova, const struct vfio_iommu_type1_info *info) {
    uint32_t offset = (info->flags & VFIO_IOMMU_INFO_CAPS) != 0 ? info->cap_offset : 0;
    while (offset != 0) {
        const char *at = (const char *)info + offset;
        struct vfio_info_cap_header header;
        memcpy(&header, at, sizeof header);
        if (header.id == VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE) {
            const struct vfio_iommu_type1_info_cap_iova_range *list = (const void *)at;
            for (uint32_t i = 0; i < list->nr_iovas; i++) {
                if (!vfio_iova_allow(iova, list->iova_ranges[i].start, list->iova_ranges[i].end)) {
                    return false;
                }
            }
            return true;
        }
        offset = header.next;
    }
    return vfio_iova_allow(iova, 0, LAST_ALWAYS);
}

tmu_result_t vfio_ranges_find(const vfio_files_t *files, vfio_iova_t *iova) {
    struct vfio_iommu_type1_info small = {.argsz = sizeof small};
    if (ioctl(files->container, VFIO_IOMMU_GET_INFO, &small) != 0) {
        return failed(files, "to describe its IOMMU");
    }
    /* A description longer than the structure is cut, and argsz says its length. */
    size_t bytes = small.argsz > sizeof small ? small.argsz : sizeof small;
    struct vfio_iommu_type1_info *info = calloc(1, bytes);
    bool well = false;
    if (info) {
        info->argsz = (uint32_t)bytes;
        if (ioctl(files->container, VFIO_IOMMU_GET_INFO, info) != 0) {
            tmu_result_t result = failed(files, "to describe its IOMMU");
            free(info);
            return result;
        }
        well = allow_all(iova, info);
    }
    free(info);
    return well ? TMU_OK
                : tmu_error_set(TMU_ERR_MEMORY, "no memory for the addresses of %s",
                                files->function.address);
}

/* ---- vectors -------------------------------------------------------------------------------- */

tmu_result_t vfio_vectors_count(const vfio_files_t *files, uint32_t *count_p) {
    struct vfio_irq_info info = {.argsz = sizeof info, .index = VFIO_PCI_MSIX_IRQ_INDEX};
    if (ioctl(files->device, VFIO_DEVICE_GET_IRQ_INFO, &info) != 0) {
        return failed(files, "the number of its interrupts");
    }
    *count_p = info.count;
    return TMU_OK;
}

tmu_result_t vfio_vectors_set(const vfio_files_t *files, uint32_t first, const int *event_fds,
                              uint32_t count, uint32_t *granted_p) {
    size_t bytes = sizeof(struct vfio_irq_set) + count * sizeof *event_fds;
    struct vfio_irq_set *request = calloc(1, bytes);
    if (!request) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u interrupts", count);
    }
    request->argsz = (uint32_t)bytes;
    request->flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
    request->index = VFIO_PCI_MSIX_IRQ_INDEX;
    request->start = first;
    request->count = count;
    memcpy(request->data, event_fds, count * sizeof *event_fds);
    int answer = ioctl(files->device, VFIO_DEVICE_SET_IRQS, request);
    tmu_result_t result = answer < 0 ? failed(files, "its interrupts") : TMU_OK;
    free(request);
    *granted_p = answer > 0 ? (uint32_t)answer : count;
    return result;
}
