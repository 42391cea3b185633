/* SPDX-License-Identifier: Apache-2.0
 *
 * Stores into a doorbell page that is mapped, for backends whose pages lie behind a bus.
 */
#ifndef PAGE_STORE_H
#define PAGE_STORE_H

#include <stdint.h>
#include <string.h>

#include "tmu/tmu_regs.h"

/* Writes a word of 4 bytes or a whole command, by stores of 8, lowest address first. */
static inline void page_store(volatile void *at, const void *data, size_t size) {
    if (size == sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, data, sizeof word);
        *(volatile uint32_t *)at = word;
        return;
    }
    uint64_t pieces[TMU_DOORBELL_COMMAND_BYTES / sizeof(uint64_t)];
    memcpy(pieces, data, sizeof pieces);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        ((volatile uint64_t *)at)[i] = pieces[i];
    }
}

#endif
