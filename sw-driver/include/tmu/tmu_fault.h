/* SPDX-License-Identifier: Apache-2.0
 *
 * Stored words of the unit that have lost a bit; a part of tmu/tmu.h.
 *
 * The unit keeps a parity bit with what it stores.  What depends on a word that has lost a bit is
 * answered TMU_STATUS_TABLE_FAULT, for the endpoint alone and until a reset; whatever else is
 * answered is right.  Some words are made up for, and cost nobody an answer (docs/registers.md).
 */
#ifndef TMU_TMU_FAULT_H
#define TMU_TMU_FAULT_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Stored words that lost a bit, as the unit has seen them since the last reset. */
typedef struct tmu_fault_stats {
    uint32_t places; /**< bit n: the place with number n (tmu_fault_t) has given such a word */
    bool flipped;    /**< the last tmu_fault_inject has flipped a bit */
} tmu_fault_stats_t;

/**
 * tmu_fault_stats(device, stats_p) reads what the unit has seen of stored words that lost a bit; a
 * unit that does not check them has seen none.  What depends on one is answered
 * TMU_STATUS_TABLE_FAULT, until a reset; whatever else is answered is right.  Errors:
 * TMU_ERR_DEVICE.
 */
tmu_result_t tmu_fault_stats_sized(tmu_t *device, tmu_fault_stats_t *stats_p, size_t size);

/**
 * For tests: flips a bit of the next word that is written to a place, once.  `*bits_p` gets the
 * number of bits that words have there; beyond its last bit nothing is flipped.
 * Errors: TMU_ERR_INVALID for a unit that does not check words there, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_fault_inject(tmu_t *device, tmu_fault_t place, uint32_t bit, uint32_t *bits_p);

#ifdef __cplusplus
}
#endif

#endif
