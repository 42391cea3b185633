/* SPDX-License-Identifier: Apache-2.0
 *
 * Structures that cross the library's edge with the caller's size of them (tmu/tmu_sizes.h).
 */
#ifndef TMU_SIZED_H
#define TMU_SIZED_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Copies a structure of ours into one of the caller's; what ours does not have becomes 0. */
static inline void tmu_sized_give(void *theirs, size_t their_size, const void *ours,
                                  size_t our_size) {
    size_t common = their_size < our_size ? their_size : our_size;
    memcpy(theirs, ours, common);
    memset((char *)theirs + common, 0, their_size - common);
}

/* The reverse; false if the caller's has something other than 0 where ours ends. */
static inline bool tmu_sized_take(void *ours, size_t our_size, const void *theirs,
                                  size_t their_size) {
    for (size_t at = our_size; at < their_size; at++) {
        if (((const char *)theirs)[at] != 0) {
            return false;
        }
    }
    tmu_sized_give(ours, our_size, theirs, their_size);
    return true;
}

#endif
