/* SPDX-License-Identifier: Apache-2.0 */
#include "unit_record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmu/tmu_regs.h"

#define PATH_BYTES 4096

/* Numbers in the trace, by handles or ids that are used again and again. */
typedef struct numbers {
    uint64_t *number;
    size_t room;
} numbers_t;

struct unit_record {
    FILE *trace;
    FILE *verdicts;
    uint64_t next;
    bool lost;  /* memory was short */
    bool ended; /* by a reset */
    numbers_t receives;
    numbers_t messages;
    numbers_t ids; /* of receives */
};

static FILE *make(const char *stem, const char *end, char *error, size_t error_size) {
    char path[PATH_BYTES];
    FILE *file = NULL;
    errno = ENAMETOOLONG;
    if (snprintf(path, sizeof path, "%s.%s", stem, end) < PATH_BYTES) {
        file = fopen(path, "wx");
    }
    if (!file) {
        (void)snprintf(error, error_size, "record: %s.%s: %s", stem, end, strerror(errno));
    }
    return file;
}

unit_record_t *unit_record_open(const char *stem, char *error, size_t error_size) {
    unit_record_t *record = calloc(1, sizeof *record);
    if (!record) {
        (void)snprintf(error, error_size, "no memory for a record");
        return NULL;
    }
    record->trace = make(stem, "trace", error, error_size);
    record->verdicts = record->trace ? make(stem, "verdicts", error, error_size) : NULL;
    if (!record->verdicts) {
        (void)unit_record_close(record);
        return NULL;
    }
    (void)fputs("# tmu-trace v1\n# application: card\n", record->trace);
    return record;
}

static bool shut(FILE *file) {
    if (!file) {
        return false;
    }
    const bool well = ferror(file) == 0;
    return fclose(file) == 0 && well;
}

bool unit_record_close(unit_record_t *record) {
    if (!record) {
        return true;
    }
    const bool trace = shut(record->trace);
    const bool well = shut(record->verdicts) && trace && !record->lost;
    free(record->receives.number);
    free(record->messages.number);
    free(record->ids.number);
    free(record);
    return well;
}

void unit_record_reset(unit_record_t *record) {
    if (record) {
        record->ended = record->ended || record->next != 0;
    }
}

/* ---- numbers ------------------------------------------------------------------------------- */

static void set(unit_record_t *record, numbers_t *numbers, uint64_t handle, uint64_t number) {
    if (handle >= numbers->room) {
        size_t room = numbers->room != 0 ? numbers->room : 256;
        while (room <= handle) {
            room *= 2;
        }
        uint64_t *grown = realloc(numbers->number, room * sizeof *grown);
        if (!grown) {
            record->lost = true;
            return;
        }
        memset(grown + numbers->room, 0, (room - numbers->room) * sizeof *grown);
        numbers->number = grown;
        numbers->room = room;
    }
    numbers->number[handle] = number;
}

/* 0, which no operation has, for one that was never set. */
static uint64_t get(const numbers_t *numbers, uint64_t handle) {
    return handle < numbers->room ? numbers->number[handle] : 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

static bool is_left_out(const unit_record_t *record, const tmu_model_verdict_t *verdict) {
    return !record || record->ended || verdict->status == TMU_MODEL_STALLED ||
           verdict->status == TMU_MODEL_REFUSED_QUOTA || verdict->status == TMU_MODEL_NO_MEMORY;
}

static void write_key(FILE *trace, const tmu_model_key_t *key) {
    (void)fprintf(trace, " 0x%" PRIx64 " 0x%" PRIx64, key->match, key->ignore);
    if (key->source_ignore != 0) {
        (void)fputs(" any", trace);
    } else {
        (void)fprintf(trace, " %" PRIu32, key->source);
    }
}

static void write_verdict(unit_record_t *record, const char *kind, const numbers_t *others,
                          const tmu_model_verdict_t *verdict) {
    FILE *out = record->verdicts;
    (void)fprintf(out, "%s %" PRIu64, kind, record->next);
    switch (verdict->status) {
    case TMU_MODEL_MATCHED:
        (void)fprintf(out, " matched %" PRIu64 "%s\n", get(others, verdict->other),
                      verdict->truncated ? " truncated" : "");
        break;
    case TMU_MODEL_QUEUED:
        (void)fputs(" queued\n", out);
        break;
    case TMU_MODEL_FOUND:
        (void)fprintf(out, " found %" PRIu64 "\n", get(others, verdict->other));
        break;
    case TMU_MODEL_NONE:
        (void)fputs(" none\n", out);
        break;
    default: /* flushed */
        (void)fprintf(out, " removed %" PRIu64 " %" PRIu64 "\n", verdict->removed_posted,
                      verdict->removed_unexpected);
        break;
    }
}

void unit_record_post(unit_record_t *record, const tmu_model_receive_t *receive,
                      const tmu_model_verdict_t *verdict) {
    if (is_left_out(record, verdict)) {
        return;
    }
    record->next++;
    set(record, &record->receives, receive->handle, record->next);
    set(record, &record->ids, receive->receive_id, record->next);
    (void)fprintf(record->trace, "raw-post %" PRIu32 " %" PRIu64, receive->endpoint, record->next);
    write_key(record->trace, &receive->key);
    (void)fprintf(record->trace, " %" PRIu64 "\n", receive->length);
    write_verdict(record, "post", &record->messages, verdict);
}

void unit_record_arrive(unit_record_t *record, const tmu_model_message_t *message,
                        const tmu_model_verdict_t *verdict) {
    if (is_left_out(record, verdict)) {
        return;
    }
    record->next++;
    set(record, &record->messages, message->handle, record->next);
    (void)fprintf(
        record->trace, "raw-arrive %" PRIu32 " %" PRIu64 " 0x%" PRIx64 " %" PRIu32 " %" PRIu64 "\n",
        message->endpoint, record->next, message->match, message->source, message->length);
    write_verdict(record, "arrive", &record->receives, verdict);
}

void unit_record_search(unit_record_t *record, const tmu_model_search_t *search, unsigned opcode,
                        const tmu_model_verdict_t *verdict) {
    const char *kind = opcode == TMU_OPCODE_PROBE ? "probe" : "claim";
    if (is_left_out(record, verdict)) {
        return;
    }
    record->next++;
    if (opcode == TMU_OPCODE_FLUSH) {
        (void)fprintf(record->trace, "flush %" PRIu32 " %" PRIu64 "\n", search->endpoint,
                      record->next);
        write_verdict(record, "flush", &record->messages, verdict);
        return;
    }
    (void)fprintf(record->trace, "raw-%s %" PRIu32 " %" PRIu64, kind, search->endpoint,
                  record->next);
    write_key(record->trace, &search->key);
    (void)fputs("\n", record->trace);
    write_verdict(record, kind, &record->messages, verdict);
}

void unit_record_cancel(unit_record_t *record, uint32_t endpoint, uint32_t receive_id,
                        const tmu_model_verdict_t *verdict) {
    const bool late = verdict->status == TMU_MODEL_LATE;
    if (is_left_out(record, verdict)) {
        return;
    }
    const uint64_t target = get(&record->ids, receive_id);
    record->next++;
    (void)fprintf(record->trace, "cancel %" PRIu32 " %" PRIu64 " %" PRIu64 "\n", endpoint,
                  record->next, target);
    (void)fprintf(record->verdicts, "cancel %" PRIu64 " %s %" PRIu64 "\n", record->next,
                  late ? "late" : "cancelled",
                  late ? target : get(&record->receives, verdict->other));
}
