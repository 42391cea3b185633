/* SPDX-License-Identifier: Apache-2.0
 *
 * Reach of a flipped bit: the most endpoints whose answers may be withheld for it (R13).
 *
 * Words lie as FaultFlip flips them: their endpoint on top, bits of parity below.
 */
#ifndef TMU_FAULTS_REACH_H
#define TMU_FAULTS_REACH_H

#include "tmu/tmu.h"

#define REACH_ALL UINT32_MAX

/* The most endpoints that may be withheld when `bit` of a word of `width` bits is flipped, in a
 * unit with so many endpoints. */
uint32_t reach_limit(uint32_t endpoints, tmu_fault_t place, uint32_t bit, uint32_t width);

#endif
