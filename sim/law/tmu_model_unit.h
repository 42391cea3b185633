/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's statuses in the words of the unit's interface, for whoever compares the two.
 * The model itself knows none of the interface's numbers.
 */
#ifndef TMU_MODEL_UNIT_H
#define TMU_MODEL_UNIT_H

#include "tmu/tmu_regs.h"
#include "tmu_model_ask.h"

#ifndef __cplusplus
_Static_assert((int)TMU_OPCODE_POST == TMU_MODEL_POST &&
                   (int)TMU_OPCODE_ARRIVE == TMU_MODEL_ARRIVE &&
                   (int)TMU_OPCODE_PROBE == TMU_MODEL_PROBE &&
                   (int)TMU_OPCODE_CLAIM == TMU_MODEL_CLAIM &&
                   (int)TMU_OPCODE_CANCEL == TMU_MODEL_CANCEL &&
                   (int)TMU_OPCODE_FLUSH == TMU_MODEL_FLUSH,
               "the model's operations have the numbers of opcodes");
#endif

/* Status that the unit must give for the model's `status`; 0 when no unit can give it. */
static inline uint8_t tmu_model_unit_status(tmu_model_status_t status) {
    switch (status) {
    case TMU_MODEL_MATCHED:
        return TMU_STATUS_MATCHED;
    case TMU_MODEL_QUEUED:
        return TMU_STATUS_QUEUED;
    case TMU_MODEL_FOUND:
        return TMU_STATUS_FOUND;
    case TMU_MODEL_NONE:
        return TMU_STATUS_NONE;
    case TMU_MODEL_CANCELLED:
        return TMU_STATUS_CANCELLED;
    case TMU_MODEL_LATE:
        return TMU_STATUS_LATE;
    case TMU_MODEL_FLUSHED:
        return TMU_STATUS_FLUSHED;
    case TMU_MODEL_REFUSED_QUOTA:
        return TMU_STATUS_REFUSED_QUOTA;
    case TMU_MODEL_REFUSED_ENDPOINT:
        return TMU_STATUS_REFUSED_ENDPOINT;
    case TMU_MODEL_STALLED:
        return TMU_STATUS_STALLED;
    default:
        return 0;
    }
}

#endif
