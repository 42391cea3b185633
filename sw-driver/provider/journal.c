/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROOM 65536u
#define LINE_MAX_BYTES 512u /* of one line, at most */

/* Not stdio's: what a child of fork has copied of that it writes once more when it ends. */
struct journal_file {
    int file;
    int error; /* the first that there was, or 0; nothing is written behind it */
    size_t used;
    char bytes[ROOM];
};

static journal_file_t *make(const char *folder, const char *name, const char *end) {
    char path[4096];
    const int length = snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
    if (length < 0 || (size_t)length >= sizeof path) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    journal_file_t *made = malloc(sizeof *made);
    if (!made) {
        return NULL;
    }
    made->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    made->error = 0;
    made->used = 0;
    if (made->file >= 0) {
        return made;
    }
    const int why = errno;
    free(made);
    errno = why;
    return NULL;
}

static void flush(journal_file_t *out) {
    size_t done = 0;
    while (out->error == 0 && done < out->used) {
        const ssize_t wrote = write(out->file, out->bytes + done, out->used - done);
        if (wrote > 0) {
            done += (size_t)wrote;
        } else if (wrote == 0 || errno != EINTR) {
            out->error = wrote == 0 ? EIO : errno;
        }
    }
    out->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(journal_file_t *out, const char *format,
                                                      ...) {
    va_list arguments;
    if (out->used > ROOM - LINE_MAX_BYTES) {
        flush(out);
    }
    va_start(arguments, format);
    const int length = vsnprintf(out->bytes + out->used, LINE_MAX_BYTES, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < LINE_MAX_BYTES) {
        out->used += (size_t)length;
    }
}

/* 0, or the error. */
static int shut(journal_file_t *out) {
    if (!out) {
        return 0;
    }
    flush(out);
    const int error = close(out->file) != 0 && out->error == 0 ? errno : out->error;
    free(out);
    return error;
}

int journal_open(journal_t *journal, const char *folder, const char *name) {
    *journal = (journal_t){.trace = make(folder, name, "trace")};
    if (journal->trace) {
        journal->verdicts = make(folder, name, "verdicts");
    }
    if (!journal->verdicts) {
        const int why = errno;
        (void)journal_close(journal);
        errno = why;
        return -1;
    }
    put(journal->trace, "# tmu-trace v1\n# application: libfabric provider tmu\n");
    return 0;
}

static void write_source(journal_file_t *out, const tmu_key_t *key) {
    if (key->source_ignore != 0) {
        put(out, " any");
    } else {
        put(out, " %" PRIu32, key->source);
    }
}

static void write_operation(journal_file_t *out, const journal_operation_t *op) {
    static const char *const names[] = {
        [TMU_OPCODE_POST] = "raw-post",   [TMU_OPCODE_ARRIVE] = "raw-arrive",
        [TMU_OPCODE_PROBE] = "raw-probe", [TMU_OPCODE_CLAIM] = "raw-claim",
        [TMU_OPCODE_CANCEL] = "cancel",   [TMU_OPCODE_FLUSH] = "flush",
    };
    put(out, "%s %" PRIu32 " %" PRIu64, names[op->opcode], op->endpoint, op->number);
    switch (op->opcode) {
    case TMU_OPCODE_ARRIVE:
        put(out, " 0x%" PRIx64 " %" PRIu32, op->key.match, op->key.source);
        break;
    case TMU_OPCODE_CANCEL:
        put(out, " %" PRIu64, op->target);
        break;
    case TMU_OPCODE_FLUSH:
        break;
    default:
        put(out, " 0x%" PRIx64 " 0x%" PRIx64, op->key.match, op->key.ignore);
        write_source(out, &op->key);
        break;
    }
    if (op->opcode == TMU_OPCODE_POST || op->opcode == TMU_OPCODE_ARRIVE) {
        put(out, " %" PRIu64, op->length);
    }
    put(out, "\n");
}

static void write_verdict(journal_file_t *out, const journal_operation_t *op,
                          const tmu_completion_t *c, uint64_t other) {
    static const char *const names[] = {
        [TMU_OPCODE_POST] = "post",   [TMU_OPCODE_ARRIVE] = "arrive", [TMU_OPCODE_PROBE] = "probe",
        [TMU_OPCODE_CLAIM] = "claim", [TMU_OPCODE_CANCEL] = "cancel", [TMU_OPCODE_FLUSH] = "flush",
    };
    put(out, "%s %" PRIu64, names[op->opcode], op->number);
    switch (c->status) {
    case TMU_STATUS_MATCHED:
        put(out, " matched %" PRIu64 "%s\n", other, c->truncated ? " truncated" : "");
        break;
    case TMU_STATUS_QUEUED:
        put(out, " queued\n");
        break;
    case TMU_STATUS_FOUND:
        put(out, " found %" PRIu64 "\n", other);
        break;
    case TMU_STATUS_NONE:
        put(out, " none\n");
        break;
    case TMU_STATUS_CANCELLED:
        put(out, " cancelled %" PRIu64 "\n", other);
        break;
    case TMU_STATUS_LATE:
        put(out, " late %" PRIu64 "\n", op->target);
        break;
    case TMU_STATUS_FLUSHED:
        put(out, " removed %" PRIu32 " %" PRIu32 "\n", c->removed_posted, c->removed_unexpected);
        break;
    case TMU_STATUS_REFUSED_QUOTA:
        put(out, " refused quota\n");
        break;
    default: /* nothing that the model answers: the logs will differ */
        put(out, " status %u\n", c->status);
        break;
    }
}

void journal_write(journal_t *journal, const journal_operation_t *operation,
                   const tmu_completion_t *completion, uint64_t other) {
    if (!journal->trace || completion->status == TMU_STATUS_STALLED ||
        completion->status == TMU_STATUS_REMOVED ||
        (journal->spills && completion->status == TMU_STATUS_REFUSED_QUOTA)) {
        return;
    }
    write_operation(journal->trace, operation);
    write_verdict(journal->verdicts, operation, completion, other);
}

int journal_close(journal_t *journal) {
    const int trace = shut(journal->trace);
    const int verdicts = shut(journal->verdicts);
    *journal = (journal_t){0};
    errno = trace != 0 ? trace : verdicts;
    return errno == 0 ? 0 : -1;
}
