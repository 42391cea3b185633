/* SPDX-License-Identifier: Apache-2.0 */
#include "vfio_iova.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096u
/* An address of zero, or near it, is more often a mistake than an address. */
#define LOWEST 0x100000u
#define TAKEN_STEP 16

bool vfio_iova_allow(vfio_iova_t *iova, uint64_t first, uint64_t last) {
    uint64_t start = first < LOWEST ? LOWEST : (first + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (start < first || start > last) {
        return true; /* nothing of it can be used */
    }
    vfio_range_t *more = realloc(iova->usable, (iova->usable_count + 1) * sizeof *more);
    if (!more) {
        return false;
    }
    iova->usable = more;
    iova->usable[iova->usable_count++] = (vfio_range_t){.first = start, .last = last};
    return true;
}

/* Finds the lowest gap; `*before_p` is how many of those taken lie before it. */
static bool find(const vfio_iova_t *iova, uint64_t bytes, uint64_t *address_p, size_t *before_p) {
    size_t next = 0;
    for (size_t i = 0; i < iova->usable_count; i++) {
        uint64_t start = iova->usable[i].first;
        uint64_t last = iova->usable[i].last;
        for (;;) {
            while (next < iova->taken_count && iova->taken[next].last < start) {
                next++;
            }
            uint64_t end = start + (bytes - 1);
            bool fits = end >= start && end <= last;
            if (!fits) {
                break;
            }
            if (next == iova->taken_count || iova->taken[next].first > end) {
                *address_p = start;
                *before_p = next;
                return true;
            }
            start = iova->taken[next].last + 1;
        }
    }
    return false;
}

bool vfio_iova_take(vfio_iova_t *iova, uint64_t bytes, uint64_t *address_p) {
    size_t before = 0;
    if (bytes == 0 || !find(iova, bytes, address_p, &before)) {
        return false;
    }
    if (iova->taken_count == iova->taken_room) {
        size_t room = iova->taken_room + TAKEN_STEP;
        vfio_range_t *more = realloc(iova->taken, room * sizeof *more);
        if (!more) {
            return false;
        }
        iova->taken = more;
        iova->taken_room = room;
    }
    memmove(iova->taken + before + 1, iova->taken + before,
            (iova->taken_count - before) * sizeof *iova->taken);
    iova->taken[before] = (vfio_range_t){.first = *address_p, .last = *address_p + (bytes - 1)};
    iova->taken_count++;
    return true;
}

void vfio_iova_give(vfio_iova_t *iova, uint64_t address) {
    for (size_t i = 0; i < iova->taken_count; i++) {
        if (iova->taken[i].first == address) {
            iova->taken_count--;
            memmove(iova->taken + i, iova->taken + i + 1,
                    (iova->taken_count - i) * sizeof *iova->taken);
            return;
        }
    }
}

void vfio_iova_free(vfio_iova_t *iova) {
    free(iova->usable);
    free(iova->taken);
    *iova = (vfio_iova_t){0};
}
