/* SPDX-License-Identifier: Apache-2.0 */
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
    return !name ? "unknown" : name;
}

/* A field of the key, with a digit for every four bits that it has. */
static void put_bits(FILE *out, const char *name, uint64_t bits, size_t bytes) {
    (void)fprintf(out, "%s 0x%0*" PRIx64, name, (int)(2 * bytes), bits);
}

void describe_op(FILE *out, const tmu_trace_op_t *op) {
    (void)fprintf(out, "line %" PRIu64 ": %s endpoint %" PRIu32 " id %" PRIu64, op->line,
                  tmu_trace_kind_name(op->kind), op->endpoint, op->id);
    if (op->kind == TMU_TRACE_CANCEL) {
        (void)fprintf(out, " target %" PRIu64, op->target);
    } else if (op->kind != TMU_TRACE_FLUSH) {
#define FIELD(value, mask, VALUE, MASK, type, kept, signal)                                        \
    put_bits(out, " " #value, op->value, sizeof op->value);                                        \
    put_bits(out, " ignore", op->mask, sizeof op->mask);
        TMU_KEY_TABLE(FIELD)
#undef FIELD
        (void)fprintf(out, " bytes %" PRIu64, op->bytes);
    }
}

/* The values of a key that `of` has as members. */
#define PUT_VALUE(value, mask, VALUE, MASK, type, kept, signal)                                    \
    put_bits(out, ", " #value, of->value, sizeof of->value);

/* Text of a verdict, the model's and the unit's alike. */
#define PUT_VERDICT(text)                                                                          \
    (void)fprintf(out, "%s, serial %" PRIu32 ", other %" PRIu64, text, of->serial, of->other);     \
    TMU_KEY_TABLE(PUT_VALUE)                                                                       \
    (void)fprintf(                                                                                 \
        out, ", message %" PRIu64 " bytes, receive %" PRIu64 " bytes, address 0x%" PRIx64 "%s",    \
        of->message_length, of->receive_length, of->address, of->truncated ? ", truncated" : "");

void describe_completion(FILE *out, const tmu_completion_t *of) {
    PUT_VERDICT(describe_status(of->status))
    if (of->status == TMU_STATUS_FLUSHED) {
        (void)fprintf(out, ", removed %" PRIu32 " posted and %" PRIu32 " unexpected",
                      of->removed_posted, of->removed_unexpected);
    }
}

void describe_expected(FILE *out, const tmu_model_verdict_t *of) {
    PUT_VERDICT(tmu_model_status_text(of->status))
    if (of->status == TMU_MODEL_FLUSHED) {
        (void)fprintf(out, ", removed %" PRIu64 " posted and %" PRIu64 " unexpected",
                      of->removed_posted, of->removed_unexpected);
    }
}
