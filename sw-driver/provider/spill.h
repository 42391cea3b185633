/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory registered with the unit for queues that outgrow its tables (R11), and for which receives
 * there is room for certain.
 *
 * The setting is segments of TMU_SPILL_SEGMENT_BYTES, 0 = none; all that the unit takes if not set.
 *
 * In a session of a shared unit the sharing process registers memory, and room is never certain:
 * others use the rest, and nothing tells when they make some.
 */
#ifndef TMU_PROVIDER_SPILL_H
#define TMU_PROVIDER_SPILL_H

#include "tmu/tmu.h"

typedef struct {
    tmu_t *device;
    uint32_t segments; /* registered */
    uint64_t posted;   /* entries of the tables */
    uint64_t unexpected;
    uint64_t receives; /* upper bounds of what is in the unit */
    uint64_t messages;
    bool used;   /* something may have gone to memory */
    bool shared; /* others use tables and memory as well */
} spill_t;

/* Registers what the environment says.  0, or -1 and a sentence for the user. */
int spill_open(spill_t *spill, tmu_t *device, const tmu_info_t *info, char *error,
               size_t error_size);

/* One more receive or message is on its way to the unit. */
void spill_count(spill_t *spill, uint8_t opcode);
/* A receive or message has left the unit; false for other operations. */
bool spill_uncount(spill_t *spill, uint8_t opcode);

/* Whether the next receive cannot be refused for want of room. */
bool spill_takes_receive(const spill_t *spill);

/* Whether a refused receive may find room in memory by now, although nothing left the unit:
 * entries that move from memory back into the tables free some as well, and so do others. */
bool spill_has_free(const spill_t *spill);

#endif
