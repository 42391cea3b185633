/* SPDX-License-Identifier: Apache-2.0 */
#include "operation.h"

#include "tmu_model_ask.h"
#include "tmu_raw.h"

#include <inttypes.h>
#include <stdio.h>

#define ODD UINT64_C(0xd1342543de82ef95)

/* Buffer or address of the message: all 64 bits are used, and it tells one operation from another.
 */
static uint64_t address_of(const operation_t *op) { return op->handle * ODD; }

tmu_record_t operation_command(const operation_t *op) {
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMMAND_OPCODE, op->opcode);
    TMU_FIELD_SET(&record, TMU_COMMAND_ENDPOINT, op->privileged ? op->endpoint : 0);
    TMU_FIELD_SET(&record, TMU_COMMAND_HANDLE, op->handle);
    if (op->opcode != TMU_OPCODE_CANCEL) {
        tmu_raw_key(&record, &op->key);
    }
    if (op->opcode == TMU_OPCODE_POST || op->opcode == TMU_OPCODE_ARRIVE) {
        TMU_FIELD_SET(&record, TMU_COMMAND_ADDRESS, address_of(op));
        TMU_FIELD_SET(&record, TMU_COMMAND_LENGTH, op->length);
    }
    if (op->opcode == TMU_OPCODE_POST || op->opcode == TMU_OPCODE_CANCEL) {
        TMU_FIELD_SET(&record, TMU_COMMAND_RECEIVE_ID, op->receive_id);
    }
    return record;
}

tmu_model_verdict_t operation_law(const operation_t *op, tmu_model_t *model,
                                  tmu_model_report_t report, void *context) {
    tmu_model_question_t question = {.operation = op->opcode,
                                     .by_id = true,
                                     .endpoint = op->endpoint,
                                     .handle = op->handle,
                                     .receive_id = op->receive_id,
                                     .address = address_of(op),
                                     .length = op->length};
    TMU_KEY_COPY(question.key, op->key);
    return tmu_model_ask(model, &question, report, context);
}

void operation_text(const operation_t *op, char *text, size_t size) {
#define FORMAT(value, mask, VALUE, MASK, type, kept, signal)                                       \
    ", " #value " 0x%" PRIx64 " ignore 0x%" PRIx64
#define BITS(value, mask, VALUE, MASK, type, kept, signal)                                         \
    , (uint64_t)op->key.value, (uint64_t)op->key.mask
    (void)snprintf(text, size,
                   "opcode %u at endpoint %" PRIu32 "%s, handle 0x%" PRIx64 ", receive id %" PRIu32
                   ", length %" PRIu64 TMU_KEY_TABLE(FORMAT),
                   op->opcode, op->endpoint, op->privileged ? " (privileged)" : "", op->handle,
                   op->receive_id, op->length TMU_KEY_TABLE(BITS));
#undef FORMAT
#undef BITS
}
