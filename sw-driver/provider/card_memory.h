/* SPDX-License-Identifier: Apache-2.0 */
/* Registered memory of one endpoint of a card, in buffers of a power of two bytes. */
#ifndef TMU_PROVIDER_CARD_MEMORY_H
#define TMU_PROVIDER_CARD_MEMORY_H

#include "tmu/tmu_net.h"
#include "unit.h"

#define CARD_MESSAGE_LOG2 UNIT_MESSAGE_LOG2 /* of the longest buffer */
#define CARD_BUFFER_LOG2 6u                 /* of the shortest buffer */
#define CARD_CLASSES (CARD_MESSAGE_LOG2 - CARD_BUFFER_LOG2 + 1u)

typedef struct {
    uint8_t *memory; /* NULL: none */
    uint64_t address;
    uint32_t log2;
} card_bytes_t;

typedef struct {
    tmu_t *device;
    uint32_t endpoint;
    tmu_net_memory_t *regions;
    size_t region_count;
    size_t left;                       /* bytes of the last one that no buffer has had */
    card_bytes_t *spare[CARD_CLASSES]; /* buffers that are free, by their size */
    size_t spares[CARD_CLASSES];
    size_t buffers[CARD_CLASSES]; /* that there are */
} card_memory_t;

/* A buffer for so many bytes, at most 2^CARD_MESSAGE_LOG2; one without memory when that is short,
 * or the card has no room for more registrations. */
card_bytes_t card_memory_take(card_memory_t *memory, size_t bytes);
/* Frees a buffer that the card has nothing to do with any more; one without memory is left alone.
 */
void card_memory_put(card_memory_t *memory, const card_bytes_t *bytes);
void card_memory_close(card_memory_t *memory);

#endif
