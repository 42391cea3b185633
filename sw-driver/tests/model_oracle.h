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

/** An operation as the model needs it; receives are known by their handles. */
typedef struct oracle_question {
    uint8_t opcode;
    uint32_t endpoint;
    tmu_key_t key;
    uint64_t handle;
    uint64_t target; /* cancel: the receive's handle */
} oracle_question_t;

/** The next number below a bound; the state is the seed at first. */
static inline uint32_t oracle_pick(uint64_t *state, uint32_t below) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/** What the model answers to one attempt. */
static inline tmu_model_verdict_t oracle_ask(tmu_model_t *model, const oracle_question_t *q) {
    tmu_model_verdict_t v = {.status = TMU_MODEL_BAD_ARGUMENT};
    const tmu_model_search_t search = {
        {q->key.match, q->key.ignore, q->key.source, q->key.source_ignore}, q->endpoint, q->handle};
    const tmu_model_receive_t receive = {.key = search.key,
                                         .endpoint = q->endpoint,
                                         .receive_id = (uint32_t)q->handle,
                                         .handle = q->handle};
    const tmu_model_message_t message = {.match = q->key.match,
                                         .source = q->key.source,
                                         .endpoint = q->endpoint,
                                         .handle = q->handle};
    switch (q->opcode) {
    case TMU_OPCODE_POST:
        (void)tmu_model_post(model, &receive, &v);
        break;
    case TMU_OPCODE_ARRIVE:
        (void)tmu_model_arrive(model, &message, &v);
        break;
    case TMU_OPCODE_PROBE:
        (void)tmu_model_probe(model, &search, &v);
        break;
    case TMU_OPCODE_CLAIM:
        (void)tmu_model_claim(model, &search, &v);
        break;
    case TMU_OPCODE_CANCEL:
        (void)tmu_model_cancel(model, q->endpoint, q->handle, q->target, &v);
        break;
    default:
        (void)tmu_model_flush(model, &search, NULL, NULL, &v);
        break;
    }
    return v;
}

/** Expects a completion to say what the model's verdict says. */
static inline void oracle_expect(const tmu_completion_t *c, const tmu_model_verdict_t *v) {
    EXPECT_NUMBER(c->status, tmu_model_unit_status(v->status));
    EXPECT_NUMBER(c->other, v->other);
    EXPECT_NUMBER(c->serial, v->serial);
    EXPECT_NUMBER(c->removed_posted, v->removed_posted);
    EXPECT_NUMBER(c->removed_unexpected, v->removed_unexpected);
}

#endif
