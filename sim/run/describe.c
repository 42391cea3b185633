// SPDX-License-Identifier: Apache-2.0
#include "describe.h"

#include <inttypes.h>

const char *describe_status(unsigned status) {
    static const char *const names[] = {
        [TMU_STATUS_MATCHED] = "matched",
        [TMU_STATUS_QUEUED] = "queued",
        [TMU_STATUS_FOUND] = "found",
        [TMU_STATUS_NONE] = "none",
        [TMU_STATUS_CANCELLED] = "cancelled",
        [TMU_STATUS_LATE] = "late",
        [TMU_STATUS_REMOVED] = "removed",
        [TMU_STATUS_FLUSHED] = "flushed",
        [TMU_STATUS_REFUSED_QUOTA] = "refused quota",
        [TMU_STATUS_REFUSED_ENDPOINT] = "refused endpoint",
        [TMU_STATUS_STALLED] = "stalled",
        [TMU_STATUS_MALFORMED] = "malformed",
        [TMU_STATUS_REFUSED_PRIVILEGE] = "refused privilege",
        [TMU_STATUS_ENTRY] = "entry",
        [TMU_STATUS_EMPTY] = "empty",
        [TMU_STATUS_VACANT] = "vacant",
        [TMU_STATUS_SPILL_FAILED] = "spill failed",
        [TMU_STATUS_TABLE_FAULT] = "table fault",
    };
    const char *name = status < sizeof names / sizeof names[0] ? names[status] : NULL;
    return name == NULL ? "unknown" : name;
}

void describe_op(FILE *out, const tmu_trace_op_t *op) {
    (void)fprintf(out, "line %" PRIu64 ": %s endpoint %" PRIu32 " id %" PRIu64, op->line,
                  tmu_trace_kind_name(op->kind), op->endpoint, op->id);
    if (op->kind == TMU_TRACE_CANCEL)
        (void)fprintf(out, " target %" PRIu64, op->target);
    else if (op->kind != TMU_TRACE_FLUSH)
        (void)fprintf(out,
                      " match 0x%016" PRIx64 " ignore 0x%016" PRIx64 " source 0x%08" PRIx32
                      " ignore 0x%08" PRIx32 " bytes %" PRIu64,
                      op->match, op->ignore, op->source, op->source_ignore, op->bytes);
}

void describe_completion(FILE *out, const tmu_completion_t *c) {
    (void)fprintf(
        out,
        "%s, serial %" PRIu32 ", other %" PRIu64 ", match 0x%016" PRIx64 ", source 0x%08" PRIx32
        ", message %" PRIu64 " bytes, receive %" PRIu64 " bytes, address 0x%" PRIx64 "%s",
        describe_status(c->status), c->serial, c->other, c->match, c->source, c->message_length,
        c->receive_length, c->address, c->truncated ? ", truncated" : "");
    if (c->status == TMU_STATUS_FLUSHED)
        (void)fprintf(out, ", removed %" PRIu32 " posted and %" PRIu32 " unexpected",
                      c->removed_posted, c->removed_unexpected);
}

void describe_expected(FILE *out, const tmu_model_verdict_t *v) {
    (void)fprintf(
        out,
        "%s, serial %" PRIu32 ", other %" PRIu64 ", match 0x%016" PRIx64 ", source 0x%08" PRIx32
        ", message %" PRIu64 " bytes, receive %" PRIu64 " bytes, address 0x%" PRIx64 "%s",
        tmu_model_status_text(v->status), v->serial, v->other, v->match, v->source,
        v->message_length, v->receive_length, v->address, v->truncated ? ", truncated" : "");
    if (v->status == TMU_MODEL_FLUSHED)
        (void)fprintf(out, ", removed %" PRIu64 " posted and %" PRIu64 " unexpected",
                      v->removed_posted, v->removed_unexpected);
}
