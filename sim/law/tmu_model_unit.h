/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model's statuses in the words of the unit's interface, for whoever compares the two.
 * The model itself knows none of the interface's numbers.
 */
#ifndef TMU_MODEL_UNIT_H
#define TMU_MODEL_UNIT_H

#include "tmu/tmu_regs.h"
#include "tmu_model.h"

#include <stddef.h>

/* What the unit has to say where the model says `status`; 0 when no unit can say that. */
static inline uint8_t tmu_model_unit_status(tmu_model_status_t status) {
    static const uint8_t unit[] = {
        [TMU_MODEL_MATCHED] = TMU_STATUS_MATCHED,
        [TMU_MODEL_QUEUED] = TMU_STATUS_QUEUED,
        [TMU_MODEL_FOUND] = TMU_STATUS_FOUND,
        [TMU_MODEL_NONE] = TMU_STATUS_NONE,
        [TMU_MODEL_CANCELLED] = TMU_STATUS_CANCELLED,
        [TMU_MODEL_LATE] = TMU_STATUS_LATE,
        [TMU_MODEL_FLUSHED] = TMU_STATUS_FLUSHED,
        [TMU_MODEL_REFUSED_QUOTA] = TMU_STATUS_REFUSED_QUOTA,
        [TMU_MODEL_REFUSED_ENDPOINT] = TMU_STATUS_REFUSED_ENDPOINT,
        [TMU_MODEL_STALLED] = TMU_STATUS_STALLED,
    };
    const size_t place = (size_t)status;
    return place < sizeof unit / sizeof unit[0] ? unit[place] : 0;
}

#endif
