/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzy engine without vector instructions: four ids of a 64-bit word at a time. */
#include <string.h>

#include "fuzzy_queue.h"

#define CORE_NAME "fuzzy-portable"
#define CORE_VARIANT "portable C"
#define CORE_FUNCTION fuzzy_portable
#define CORE_USABLE true

#define EACH UINT64_C(0x0001000100010001)
#define TOPS UINT64_C(0x8000800080008000)

static inline void set_id(uint16_t *column, size_t index, uint16_t id) { column[index] = id; }

/* Whether one of four ids is the wanted one; exact about that, not about which. */
static inline bool holds(const uint16_t *column, uint64_t wanted) {
    uint64_t word;
    memcpy(&word, column, sizeof word);
    word ^= wanted;
    return ((word - EACH) & ~word & TOPS) != 0;
}

static inline size_t scan_one(const uint16_t *column, size_t from, size_t end, uint16_t id) {
    const uint64_t wanted = id * EACH;
    while (from < end) {
        if (from % 4 == 0 && !holds(column + from, wanted)) {
            from += 4;
        } else if (column[from] == id) {
            return from;
        } else {
            from += 1;
        }
    }
    return SIZE_MAX;
}

static inline size_t scan_any(const uint16_t *column, size_t from, size_t end, const uint16_t *id,
                              unsigned count) {
    for (; from < end; from++) {
        for (unsigned i = 0; i < count; i++) {
            if (column[from] == id[i]) {
                return from;
            }
        }
    }
    return SIZE_MAX;
}

#include "fuzzy_core.h"
