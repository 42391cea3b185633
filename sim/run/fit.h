/* SPDX-License-Identifier: Apache-2.0 */
/* Operations in the widths of a unit that keeps fewer bits than the formats have. */
#ifndef TMU_REPLAY_FIT_H
#define TMU_REPLAY_FIT_H

#include "tmu/tmu.h"
#include "workload.h"

/*
 * Puts the operations of a trace into the unit's widths: context and tag as tmu_key_mpi_for has
 * them; the ANY_TAG of the trace ignores the unit's tag but its sign (R2).
 * 0, or -1 and a sentence in `error` when an operation has no room there.
 */
int fit_trace(workload_t *workload, const char *path, const tmu_info_t *unit, char *error,
              size_t error_size);

/* The same for a random operation, of which only bits that have room are kept. */
void fit_random(tmu_trace_op_t *op, const tmu_info_t *unit);

/* A number for each index below 2^bits that no other one has, spread over these bits. */
uint64_t fit_spread(uint64_t index, uint32_t bits);

#endif
