/* SPDX-License-Identifier: Apache-2.0
 *
 * Bus addresses behind an IOMMU: which ranges may be used, and which are taken.
 *
 * The lowest free ones are given out: they fit into the few bits of address that some IOMMUs have,
 * which this process's own addresses would not.  Not thread-safe.
 */
#ifndef VFIO_IOVA_H
#define VFIO_IOVA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct vfio_range {
    uint64_t first;
    uint64_t last; /* the last address itself: a range may end where addresses do */
} vfio_range_t;

typedef struct vfio_iova {
    vfio_range_t *usable; /* by address, apart from each other */
    size_t usable_count;
    vfio_range_t *taken; /* by address */
    size_t taken_count;
    size_t taken_room;
} vfio_iova_t;

/* Adds a range that may be used, behind those added before; false without memory. */
bool vfio_iova_allow(vfio_iova_t *iova, uint64_t first, uint64_t last);

/* Takes `bytes`, which are whole pages, at a page's start; false if there is no room. */
bool vfio_iova_take(vfio_iova_t *iova, uint64_t bytes, uint64_t *address_p);

/* Frees what was taken at that address. */
void vfio_iova_give(vfio_iova_t *iova, uint64_t address);

void vfio_iova_free(vfio_iova_t *iova);

#endif
