/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <errno.h>
#include <inttypes.h>

static FILE *make(const char *folder, const char *name, const char *end) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    return fopen(path, "wx");
}

int journal_open(journal_t *journal, const char *folder, const char *name) {
    *journal = (journal_t){.trace = make(folder, name, "trace")};
    if (journal->trace != NULL)
        journal->verdicts = make(folder, name, "verdicts");
    if (journal->verdicts == NULL) {
        const int why = errno;
        (void)journal_close(journal);
        errno = why;
        return -1;
    }
    (void)fputs("# tmu-trace v1\n# application: libfabric provider tmu\n", journal->trace);
    return 0;
}

static void write_source(FILE *out, const tmu_key_t *key) {
    if (key->source_ignore != 0)
        (void)fputs(" any", out);
    else
        (void)fprintf(out, " %" PRIu32, key->source);
}

static void write_operation(FILE *out, const journal_operation_t *op) {
    static const char *const names[] = {
        [TMU_OPCODE_POST] = "raw-post",   [TMU_OPCODE_ARRIVE] = "raw-arrive",
        [TMU_OPCODE_PROBE] = "raw-probe", [TMU_OPCODE_CLAIM] = "raw-claim",
        [TMU_OPCODE_CANCEL] = "cancel",   [TMU_OPCODE_FLUSH] = "flush",
    };
    (void)fprintf(out, "%s %" PRIu32 " %" PRIu64, names[op->opcode], op->endpoint, op->number);
    switch (op->opcode) {
    case TMU_OPCODE_ARRIVE:
        (void)fprintf(out, " 0x%" PRIx64 " %" PRIu32, op->key.match, op->key.source);
        break;
    case TMU_OPCODE_CANCEL:
        (void)fprintf(out, " %" PRIu64, op->target);
        break;
    case TMU_OPCODE_FLUSH:
        break;
    default:
        (void)fprintf(out, " 0x%" PRIx64 " 0x%" PRIx64, op->key.match, op->key.ignore);
        write_source(out, &op->key);
        break;
    }
    if (op->opcode == TMU_OPCODE_POST || op->opcode == TMU_OPCODE_ARRIVE)
        (void)fprintf(out, " %" PRIu64, op->length);
    (void)fputc('\n', out);
}

static void write_verdict(FILE *out, const journal_operation_t *op, const tmu_completion_t *c,
                          uint64_t other) {
    static const char *const names[] = {
        [TMU_OPCODE_POST] = "post",   [TMU_OPCODE_ARRIVE] = "arrive", [TMU_OPCODE_PROBE] = "probe",
        [TMU_OPCODE_CLAIM] = "claim", [TMU_OPCODE_CANCEL] = "cancel", [TMU_OPCODE_FLUSH] = "flush",
    };
    (void)fprintf(out, "%s %" PRIu64, names[op->opcode], op->number);
    switch (c->status) {
    case TMU_STATUS_MATCHED:
        (void)fprintf(out, " matched %" PRIu64 "%s\n", other, c->truncated ? " truncated" : "");
        break;
    case TMU_STATUS_QUEUED:
        (void)fputs(" queued\n", out);
        break;
    case TMU_STATUS_FOUND:
        (void)fprintf(out, " found %" PRIu64 "\n", other);
        break;
    case TMU_STATUS_NONE:
        (void)fputs(" none\n", out);
        break;
    case TMU_STATUS_CANCELLED:
        (void)fprintf(out, " cancelled %" PRIu64 "\n", other);
        break;
    case TMU_STATUS_LATE:
        (void)fprintf(out, " late %" PRIu64 "\n", op->target);
        break;
    case TMU_STATUS_FLUSHED:
        (void)fprintf(out, " removed %" PRIu32 " %" PRIu32 "\n", c->removed_posted,
                      c->removed_unexpected);
        break;
    case TMU_STATUS_REFUSED_QUOTA:
        (void)fputs(" refused quota\n", out);
        break;
    default: /* nothing that the model answers: the logs will differ */
        (void)fprintf(out, " status %u\n", c->status);
        break;
    }
}

void journal_write(journal_t *journal, const journal_operation_t *operation,
                   const tmu_completion_t *completion, uint64_t other) {
    if (journal->trace == NULL || completion->status == TMU_STATUS_STALLED ||
        completion->status == TMU_STATUS_REMOVED ||
        (journal->lent && completion->status == TMU_STATUS_REFUSED_QUOTA))
        return;
    write_operation(journal->trace, operation);
    write_verdict(journal->verdicts, operation, completion, other);
}

int journal_close(journal_t *journal) {
    int result = 0;
    if (journal->trace != NULL && (ferror(journal->trace) != 0 || fclose(journal->trace) != 0))
        result = -1;
    if (journal->verdicts != NULL &&
        (ferror(journal->verdicts) != 0 || fclose(journal->verdicts) != 0))
        result = -1;
    *journal = (journal_t){0};
    return result;
}
