/* SPDX-License-Identifier: Apache-2.0
 *
 * The unit's counters; a part of tmu/tmu.h.  What each of them counts: docs/registers.md.
 */
#ifndef TMU_TMU_COUNTERS_H
#define TMU_TMU_COUNTERS_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** One hardware counter of a snapshot. */
typedef struct tmu_counter {
    const char *name; /**< lives as long as the library */
    uint64_t value;
} tmu_counter_t;

/**
 * Takes a snapshot of all hardware counters and copies up to `max` of them in register order;
 * `*count_p` is how many there are, so that max = 0 asks for the size.
 * Errors: TMU_ERR_DEVICE.
 */
tmu_result_t tmu_counters(tmu_t *device, tmu_counter_t *counters, size_t max, size_t *count_p);

/**
 * The same without a register: reads the snapshot of the unit's counters that the queue's doorbell
 * page shows.  All of them are of one clock, later than the call.
 * A new snapshot is taken when the last one is TMU_DOORBELL_PICTURE_CLOCKS clocks old, so this
 * takes so long where another queue asks as well; other calls, on this queue too, do not wait.
 * A simulated device is run until the snapshot is there.
 * TMU_AGAIN when reading took so long that new snapshots came in between, several times.
 * Errors: TMU_ERR_VERSION for a unit whose pages show none, TMU_ERR_INVALID, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_queue_counters(tmu_queue_t *queue, tmu_counter_t *counters, size_t max,
                                size_t *count_p);

#ifdef __cplusplus
}
#endif

#endif
