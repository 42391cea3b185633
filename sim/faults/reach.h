/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a flipped bit may reach: of how many endpoints answers may be withheld for it (R13).
 *
 * Words lie as FaultFlip flips them: their endpoint on top, bits of parity below.
 */
#ifndef TMU_FAULTS_REACH_H
#define TMU_FAULTS_REACH_H

#include "tmu/tmu.h"

#define REACH_ALL UINT32_MAX

/** What has to be known of a unit. */
typedef struct reach {
    uint32_t endpoint_bits;
    uint32_t posted_slot_bits;
    uint32_t unexpected_slot_bits;
} reach_t;

/** Asks a device; nothing is flipped. */
tmu_result_t reach_query(tmu_t *device, const tmu_info_t *info, reach_t *reach);

/** The most endpoints that may be withheld when `bit` of a word of `width` bits is flipped. */
uint32_t reach_limit(const reach_t *reach, tmu_fault_t place, uint32_t bit, uint32_t width);

#endif
