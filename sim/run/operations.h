/* SPDX-License-Identifier: Apache-2.0 */
/* Address of a trace's operation, the same for the driver and for the model. */
#ifndef TMU_REPLAY_OPERATIONS_H
#define TMU_REPLAY_OPERATIONS_H

#include "workload.h"

/*
 * Traces have no buffers; each receive and message gets an address of its own, so that a unit that
 * mixes addresses up is found out.
 */
static inline uint64_t operation_address(const workload_t *workload, const tmu_trace_op_t *op) {
    const uint64_t address =
        (op->kind == TMU_TRACE_ARRIVE ? 0x8000000000000000u : 0x4000000000000000u) ^
        (op->id * 0x9e3779b97f4a7c15u);
    return address & workload->address_mask;
}

#endif
