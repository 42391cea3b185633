/* SPDX-License-Identifier: Apache-2.0 */
#include "card_memory.h"

#include <stdlib.h>

#define REGION_BYTES (UINT32_C(1) << 21)

static uint32_t log2_of(size_t bytes) {
    uint32_t log2 = CARD_BUFFER_LOG2;
    while ((size_t)1 << log2 < bytes) {
        ++log2;
    }
    return log2;
}

static bool region_add(card_memory_t *memory) {
    tmu_net_memory_t *grown =
        realloc(memory->regions, (memory->region_count + 1) * sizeof *memory->regions);
    if (!grown) {
        return false;
    }
    memory->regions = grown;
    if (tmu_net_memory_new(memory->device, memory->endpoint, REGION_BYTES,
                           &grown[memory->region_count]) != TMU_OK) {
        return false;
    }
    ++memory->region_count;
    memory->left = REGION_BYTES;
    return true;
}

/* Room to put every buffer of a size back. */
static bool spares_grow(card_memory_t *memory, uint32_t class) {
    const size_t count = memory->buffers[class];
    if ((count & (count - 1)) != 0) {
        return true; /* between powers of two */
    }
    const size_t room = count != 0 ? 2 * count : 1;
    card_bytes_t *grown = realloc(memory->spare[class], room * sizeof *grown);
    if (grown) {
        memory->spare[class] = grown;
    }
    return grown;
}

card_bytes_t card_memory_take(card_memory_t *memory, size_t bytes) {
    const uint32_t log2 = log2_of(bytes);
    const uint32_t class = log2 - CARD_BUFFER_LOG2;
    const size_t size = (size_t)1 << log2;
    if (memory->spares[class] != 0) {
        return memory->spare[class][--memory->spares[class]];
    }
    if (!spares_grow(memory, class) || (memory->left < size && !region_add(memory))) {
        return (card_bytes_t){0};
    }
    const tmu_net_memory_t *region = &memory->regions[memory->region_count - 1];
    const size_t at = REGION_BYTES - memory->left;
    memory->left -= size;
    ++memory->buffers[class];
    return (card_bytes_t){(uint8_t *)region->memory + at, region->address + at, log2};
}

void card_memory_put(card_memory_t *memory, const card_bytes_t *bytes) {
    if (bytes->memory) {
        const uint32_t class = bytes->log2 - CARD_BUFFER_LOG2;
        memory->spare[class][memory->spares[class]++] = *bytes;
    }
}

void card_memory_close(card_memory_t *memory) {
    for (size_t i = 0; i < memory->region_count; ++i) {
        (void)tmu_net_memory_free(memory->device, &memory->regions[i]);
    }
    for (uint32_t class = 0; class < CARD_CLASSES; ++class) {
        free(memory->spare[class]);
    }
    free(memory->regions);
    *memory = (card_memory_t){0};
}
