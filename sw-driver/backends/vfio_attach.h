/* SPDX-License-Identifier: Apache-2.0
 *
 * A PCI function by Linux' VFIO: its container, group and device, and what is asked of them.
 *
 * Not thread-safe, but for functions that say so.
 */
#ifndef VFIO_ATTACH_H
#define VFIO_ATTACH_H

#include "vfio_function.h"
#include "vfio_iova.h"

typedef struct vfio_files {
    vfio_function_t function;
    int container;
    int group;
    int device;
} vfio_files_t;

/* A window of the function in this process. */
typedef struct vfio_window {
    volatile void *memory;
    uint64_t bytes;
} vfio_window_t;

/*
 * Has the function of `files->function` for this process.  Linux resets it on the way, where it
 * can. Errors: TMU_ERR_URI when Linux is not set up for it, TMU_ERR_BUSY when another process has
 * it, TMU_ERR_VERSION, TMU_ERR_DEVICE; the caller closes what was opened.
 */
tmu_result_t vfio_attach(vfio_files_t *files);

/* Gives it back; Linux resets it, and nothing of this process's memory can be reached any more. */
void vfio_detach(vfio_files_t *files);

/* Checks who it is, and lets it answer to accesses and reach memory.  Errors: TMU_ERR_DEVICE. */
tmu_result_t vfio_enable(const vfio_files_t *files);

/* Maps a window that has at least so many bytes.  Errors: TMU_ERR_DEVICE. */
tmu_result_t vfio_window_map(const vfio_files_t *files, unsigned bar, uint64_t least,
                             vfio_window_t *window_p);
void vfio_window_unmap(vfio_window_t *window);

/* Learns which bus addresses the IOMMU has room for.  Errors: TMU_ERR_DEVICE, TMU_ERR_MEMORY. */
tmu_result_t vfio_ranges_find(const vfio_files_t *files, vfio_iova_t *iova);

/* Number of vectors of the function.  Errors: TMU_ERR_DEVICE. */
tmu_result_t vfio_vectors_count(const vfio_files_t *files, uint32_t *count_p);

/*
 * Gives vectors from `first` on their eventfds, -1 for none; the first call says how many there are
 * at all.  `*granted_p` is less than `count` where Linux has not so many, and then nothing changed.
 * Errors: TMU_ERR_DEVICE.
 */
tmu_result_t vfio_vectors_set(const vfio_files_t *files, uint32_t first, const int *event_fds,
                              uint32_t count, uint32_t *granted_p);

#endif
