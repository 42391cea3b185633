/* SPDX-License-Identifier: Apache-2.0 */
/* One operation, whoever asks it, as the call of the model that answers it. */
#ifndef TMU_MODEL_ASK_H
#define TMU_MODEL_ASK_H

#include "tmu_model.h"

#include <string.h>

/* The operations, by the numbers that opcodes of the unit and kinds of a trace have as well. */
enum {
    TMU_MODEL_POST = 1,
    TMU_MODEL_ARRIVE = 2,
    TMU_MODEL_PROBE = 3,
    TMU_MODEL_CLAIM = 4,
    TMU_MODEL_CANCEL = 5,
    TMU_MODEL_FLUSH = 6
};

/* A member that an operation has no use for is not read. */
typedef struct {
    uint8_t operation;
    bool by_id; /* a cancel names its receive by the driver's id, else by the caller's handle */
    uint32_t endpoint;
    tmu_model_key_t key;
    uint64_t handle;
    uint64_t target;     /* of a cancel by handle */
    uint32_t receive_id; /* of a post, and of a cancel by id */
    uint64_t address;    /* of a receive's buffer, or where a message lies */
    uint64_t length;
} tmu_model_question_t;

/* Carries it out; a flush's entries go to `report`, which may be NULL.  BAD_ARGUMENT where it is no
 * operation. */
static inline tmu_model_verdict_t tmu_model_ask(tmu_model_t *model, const tmu_model_question_t *q,
                                                tmu_model_report_t report, void *context) {
    const tmu_model_search_t search = {q->key, q->endpoint, q->handle};
    const tmu_model_receive_t receive = {q->key,    q->endpoint, q->receive_id,
                                         q->handle, q->address,  q->length};
    tmu_model_message_t message;
    memset(&message, 0, sizeof message);
    TMU_MODEL_COPY_VALUES(message, q->key);
    message.endpoint = q->endpoint;
    message.handle = q->handle;
    message.place = q->address;
    message.length = q->length;
    tmu_model_verdict_t verdict;
    memset(&verdict, 0, sizeof verdict);
    switch (q->operation) {
    case TMU_MODEL_POST:
        (void)tmu_model_post(model, &receive, &verdict);
        break;
    case TMU_MODEL_ARRIVE:
        (void)tmu_model_arrive(model, &message, &verdict);
        break;
    case TMU_MODEL_PROBE:
        (void)tmu_model_probe(model, &search, &verdict);
        break;
    case TMU_MODEL_CLAIM:
        (void)tmu_model_claim(model, &search, &verdict);
        break;
    case TMU_MODEL_CANCEL:
        (void)(q->by_id
                   ? tmu_model_cancel_id(model, q->endpoint, q->handle, q->receive_id, &verdict)
                   : tmu_model_cancel(model, q->endpoint, q->handle, q->target, &verdict));
        break;
    case TMU_MODEL_FLUSH:
        (void)tmu_model_flush(model, &search, report, context, &verdict);
        break;
    default:
        verdict.status = TMU_MODEL_BAD_ARGUMENT;
        break;
    }
    return verdict;
}

#endif
