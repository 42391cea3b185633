/* SPDX-License-Identifier: Apache-2.0
 *
 * Structures that may grow at their end, with the size that they had when a program was compiled; a
 * part of tmu/tmu.h.
 *
 * The library exports functions that take the size, and a program calls the inline ones below.
 * A structure that is read: a shorter one in the library leaves the rest of the program's 0, of a
 * longer one the library writes as many bytes as the program has room for.
 * A structure that is given (tmu_queue_attr_t): members that a program lacks count as 0, which asks
 * for nothing; a library refuses unknown bytes with TMU_ERR_INVALID, unless they are 0.
 * A size of 0 is TMU_ERR_INVALID.
 * All other structures of the interface stay as they are for as long as the library's SONAME does.
 */
#ifndef TMU_TMU_SIZES_H
#define TMU_TMU_SIZES_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

static inline tmu_result_t tmu_query(tmu_t *device, tmu_info_t *info_p) {
    return tmu_query_sized(device, info_p, sizeof *info_p);
}

static inline tmu_result_t tmu_flow_stats(tmu_t *device, tmu_flow_stats_t *stats_p) {
    return tmu_flow_stats_sized(device, stats_p, sizeof *stats_p);
}

static inline tmu_result_t tmu_fault_stats(tmu_t *device, tmu_fault_stats_t *stats_p) {
    return tmu_fault_stats_sized(device, stats_p, sizeof *stats_p);
}

static inline tmu_result_t tmu_spill_stats(tmu_t *device, tmu_spill_stats_t *stats_p) {
    return tmu_spill_stats_sized(device, stats_p, sizeof *stats_p);
}

static inline tmu_result_t tmu_queue_open(tmu_t *device, const tmu_queue_attr_t *attr,
                                          tmu_queue_t **queue_p) {
    return tmu_queue_open_sized(device, attr, sizeof *attr, queue_p);
}

#ifdef __cplusplus
}
#endif

#endif
