/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a completion of the driver says what the model says, in every field. */
#ifndef TMU_MODEL_COMPLETION_H
#define TMU_MODEL_COMPLETION_H

#include "tmu/tmu.h"
#include "tmu_model_unit.h"

static inline bool tmu_model_agrees(const tmu_model_verdict_t *v, const tmu_completion_t *c) {
    const uint8_t status = tmu_model_unit_status(v->status);
    return status != 0 && status == c->status && v->serial == c->serial &&
           v->endpoint == c->endpoint && v->handle == c->handle && v->other == c->other &&
           TMU_KEY_SAME_VALUES(*v, *c) && v->message_length == c->message_length &&
           v->receive_length == c->receive_length && v->address == c->address &&
           v->truncated == c->truncated && v->removed_posted == c->removed_posted &&
           v->removed_unexpected == c->removed_unexpected;
}

#endif
