/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory registered with the unit for queues that outgrow its tables (R11); a part of tmu/tmu.h.
 */
#ifndef TMU_TMU_SPILL_H
#define TMU_TMU_SPILL_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Memory that the unit has. */
typedef struct tmu_spill_stats {
    uint32_t segments;    /**< that the unit has, of TMU_SPILL_SEGMENT_BYTES each */
    uint32_t chunks;      /**< in these, each for TMU_SPILL_CHUNK_ENTRIES entries of one queue */
    uint32_t chunks_free; /**< in which nothing lies now */
} tmu_spill_stats_t;

/**
 * Registers more segments of memory with the unit; its queues continue there when a table is full.
 * Without any, a full table refuses posts and stalls arrivals; with some, this happens only when a
 * quota is used up, or memory is and the table has no room either: of C chunks with the entries of
 * Q queues in them, 30 * (C - Q) entries surely have room.
 * The memory is allocated here and stays registered until the device is closed.
 * 0 segments are allowed and change nothing.
 * Errors: TMU_ERR_INVALID when the unit takes fewer, TMU_ERR_MEMORY, and then nothing was
 * registered; TMU_ERR_DEVICE.
 */
tmu_result_t tmu_spill_add(tmu_t *device, uint32_t segments);

/** tmu_spill_stats(device, stats_p) reads what of this memory is in use.  Errors: TMU_ERR_DEVICE.
 */
tmu_result_t tmu_spill_stats_sized(tmu_t *device, tmu_spill_stats_t *stats_p, size_t size);

/**
 * Whether memory surely has room for another entry, receive or message: true until something is
 * submitted.  Asks the unit now and then how much is free.  False is no proof that there is none.
 */
bool tmu_spill_has_room(tmu_t *device);

#ifdef __cplusplus
}
#endif

#endif
