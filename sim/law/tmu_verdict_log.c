/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_verdict_log.h"

#include <inttypes.h>

/* Kinds of operation as bits, to say which verdicts a kind can have. */
enum {
    POST = 1 << TMU_TRACE_POST,
    ARRIVE = 1 << TMU_TRACE_ARRIVE,
    PROBE = 1 << TMU_TRACE_PROBE,
    CLAIM = 1 << TMU_TRACE_CLAIM,
    CANCEL = 1 << TMU_TRACE_CANCEL,
    FLUSH = 1 << TMU_TRACE_FLUSH,
    ALL = POST | ARRIVE | PROBE | CLAIM | CANCEL | FLUSH
};

/* Text after the operation's number: a word, then the numbers that the verdict has. */
static const struct {
    const char *word;
    int kinds;
    enum { ALONE, WITH_OTHER, WITH_TARGET, WITH_COUNTS } form;
} about[] = {
    [TMU_LOG_MATCHED] = {"matched", POST | ARRIVE | CLAIM, WITH_OTHER},
    [TMU_LOG_QUEUED] = {"queued", POST | ARRIVE, ALONE},
    [TMU_LOG_FOUND] = {"found", PROBE, WITH_OTHER},
    [TMU_LOG_NONE] = {"none", PROBE | CLAIM, ALONE},
    [TMU_LOG_CANCELLED] = {"cancelled", CANCEL, WITH_TARGET},
    [TMU_LOG_LATE] = {"late", CANCEL, WITH_TARGET},
    [TMU_LOG_REMOVED] = {"removed", FLUSH, WITH_COUNTS},
    [TMU_LOG_REFUSED_QUOTA] = {"refused quota", POST, ALONE},
    [TMU_LOG_REFUSED_ENDPOINT] = {"refused endpoint", ALL, ALONE},
    [TMU_LOG_HELD] = {"held", ARRIVE, ALONE},
};

/* Whether the verdict is one that this operation can have. */
static bool fits(const tmu_trace_op_t *op, const tmu_log_record_t *record) {
    size_t verdict = (size_t)record->verdict;
    if (verdict == 0 || verdict >= sizeof about / sizeof about[0] ||
        !tmu_trace_kind_name(op->kind) || (about[verdict].kinds & 1 << op->kind) == 0) {
        return false;
    }
    if (record->truncated && (record->verdict != TMU_LOG_MATCHED || op->kind == TMU_TRACE_CLAIM)) {
        return false; /* R12 speaks of posts and arrivals */
    }
    return record->verdict != TMU_LOG_CANCELLED || record->other == op->target;
}

int tmu_log_format(char *line, size_t size, const tmu_trace_op_t *op,
                   const tmu_log_record_t *record) {
    if (!fits(op, record)) {
        return -1;
    }
    const char *kind = tmu_trace_kind_name(op->kind);
    const char *word = about[record->verdict].word;
    int length = -1;
    switch (about[record->verdict].form) {
    case ALONE:
        length = snprintf(line, size, "%s %" PRIu64 " %s\n", kind, op->id, word);
        break;
    case WITH_OTHER:
        length = snprintf(line, size, "%s %" PRIu64 " %s %" PRIu64 "%s\n", kind, op->id, word,
                          record->other, record->truncated ? " truncated" : "");
        break;
    case WITH_TARGET:
        length =
            snprintf(line, size, "%s %" PRIu64 " %s %" PRIu64 "\n", kind, op->id, word, op->target);
        break;
    case WITH_COUNTS:
        length = snprintf(line, size, "%s %" PRIu64 " %s %" PRIu64 " %" PRIu64 "\n", kind, op->id,
                          word, record->removed_posted, record->removed_unexpected);
        break;
    }
    return length >= 0 && (size_t)length < size ? length : -1;
}

int tmu_log_write(FILE *stream, const tmu_trace_op_t *op, const tmu_log_record_t *record) {
    char line[TMU_LOG_LINE_MAX];
    int length = tmu_log_format(line, sizeof line, op, record);
    if (length < 0) {
        return -1;
    }
    return fwrite(line, 1, (size_t)length, stream) == (size_t)length ? 0 : -1;
}
