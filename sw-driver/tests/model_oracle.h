/* SPDX-License-Identifier: Apache-2.0
 *
 * For tests with random operations: numbers to choose them by, and what the reference model answers
 * to one of them, in the words of the wire.
 */
#ifndef MODEL_ORACLE_H
#define MODEL_ORACLE_H

#include "expect.h"
#include "tmu/tmu.h"
#include "tmu_model_unit.h"

/* An operation as the model needs it; receives are known by their handles. */
typedef struct oracle_question {
    uint8_t opcode;
    uint32_t endpoint;
    tmu_key_t key;
    uint64_t handle;
    uint64_t target; /* cancel: the receive's handle */
} oracle_question_t;

/* The next number below a bound; the state is the seed at first. */
static inline uint32_t oracle_pick(uint64_t *state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* The model's verdict on one attempt. */
static inline tmu_model_verdict_t oracle_ask(tmu_model_t *model, const oracle_question_t *q) {
    tmu_model_question_t question = {.operation = q->opcode,
                                     .endpoint = q->endpoint,
                                     .handle = q->handle,
                                     .target = q->target,
                                     .receive_id = (uint32_t)q->handle};
    TMU_KEY_COPY(question.key, q->key);
    return tmu_model_ask(model, &question, NULL, NULL);
}

/* Expects a completion to say what the model's verdict says. */
static inline void oracle_expect(const tmu_completion_t *c, const tmu_model_verdict_t *v) {
    EXPECT_NUMBER(c->status, tmu_model_unit_status(v->status));
    EXPECT_NUMBER(c->other, v->other);
    EXPECT_NUMBER(c->serial, v->serial);
    EXPECT_NUMBER(c->removed_posted, v->removed_posted);
    EXPECT_NUMBER(c->removed_unexpected, v->removed_unexpected);
}

#endif
