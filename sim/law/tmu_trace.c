/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_trace.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace_input.h"
#include "trace_line.h"

static const char first_line[] = "# tmu-trace v1";

typedef struct {
    char *name; /* one allocation holds name and value */
    char *value;
} metadata_t;

struct tmu_trace {
    tmu_trace_op_t *op;
    size_t ops;
    size_t op_room;
    metadata_t *metadata;
    size_t metadatas;
    size_t metadata_room;
};

/* The numbers seen so far with the operation that had each: open addressing, at most half full. */
typedef struct {
    size_t *slot; /* 1 + index of an operation, 0 = free */
    size_t slots; /* a power of two, 0 before the first number */
    size_t used;
} id_set_t;

/* Everything that is only needed while reading. */
typedef struct {
    tmu_trace_t *trace;
    id_set_t reqs;
    id_set_t msgs;
    uint64_t line;
    trace_fault_t fault;
} reader_t;

static int fault(reader_t *reader, const char *found, const char *expected) {
    (void)snprintf(reader->fault.found, sizeof reader->fault.found, "%s", found);
    (void)snprintf(reader->fault.expected, sizeof reader->fault.expected, "%s", expected);
    return -1;
}

static int no_memory(reader_t *reader) {
    return fault(reader, "no memory", "enough memory for the whole trace");
}

/* The array with room for one more element, perhaps moved; NULL if the host has no memory, and then
 * the array is as it was. */
static void *grow(void *array, size_t *room, size_t used, size_t element) {
    if (used < *room) {
        return array;
    }
    size_t wanted = *room == 0 ? 256 : *room * 2;
    void *larger = wanted > SIZE_MAX / element ? NULL : realloc(array, wanted * element);
    if (larger) {
        *room = wanted;
    }
    return larger;
}

static size_t slot_of(uint64_t id, size_t slots) {
    return (size_t)((id * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (slots - 1);
}

/* The slot that holds `id`, or the free one where it belongs. */
static size_t find_slot(const id_set_t *set, const tmu_trace_op_t *op, uint64_t id) {
    size_t at = slot_of(id, set->slots);
    while (set->slot[at] != 0 && op[set->slot[at] - 1].id != id) {
        at = (at + 1) & (set->slots - 1);
    }
    return at;
}

static bool grow_set(id_set_t *set, const tmu_trace_op_t *op) {
    id_set_t larger = {.slots = set->slots == 0 ? 1024 : set->slots * 2, .used = set->used};
    larger.slot = calloc(larger.slots, sizeof *larger.slot);
    if (!larger.slot) {
        return false;
    }
    for (size_t i = 0; i < set->slots; i++) {
        if (set->slot[i] != 0) {
            larger.slot[find_slot(&larger, op, op[set->slot[i] - 1].id)] = set->slot[i];
        }
    }
    free(set->slot);
    *set = larger;
    return true;
}

/* Refuses a number that an earlier operation of the same numbering has; remembers it otherwise. */
static int remember_id(reader_t *reader, size_t index) {
    const tmu_trace_op_t *op = reader->trace->op;
    bool arrival = op[index].kind == TMU_TRACE_ARRIVE;
    id_set_t *set = arrival ? &reader->msgs : &reader->reqs;
    if (set->used * 2 >= set->slots && !grow_set(set, op)) {
        return no_memory(reader);
    }
    size_t at = find_slot(set, op, op[index].id);
    if (set->slot[at] != 0) {
        const char *name = arrival ? "msg" : "req";
        unsigned long long id = op[index].id;
        unsigned long long first = op[set->slot[at] - 1].line;
        trace_fault_t *text = &reader->fault;
        (void)snprintf(text->found, sizeof text->found, "%s %llu again (first on line %llu)", name,
                       id, first);
        (void)snprintf(text->expected, sizeof text->expected, "a %s that no earlier %s has", name,
                       arrival ? "arrival" : "operation");
        return -1;
    }
    set->slot[at] = index + 1;
    set->used += 1;
    return 0;
}

static int read_operation(reader_t *reader, char *line) {
    tmu_trace_t *trace = reader->trace;
    tmu_trace_op_t *ops = grow(trace->op, &trace->op_room, trace->ops, sizeof *trace->op);
    if (!ops) {
        return no_memory(reader);
    }
    trace->op = ops;
    tmu_trace_op_t *op = &ops[trace->ops];
    if (trace_line_parse(line, op, &reader->fault) != 0) {
        return -1;
    }
    op->line = reader->line;
    if (remember_id(reader, trace->ops) != 0) {
        return -1;
    }
    trace->ops += 1;
    return 0;
}

/* Appends one `# name: value`; the two texts need not end with a NUL. */
static int add_metadata(reader_t *reader, const char *name, size_t name_length, const char *value,
                        size_t value_length) {
    tmu_trace_t *trace = reader->trace;
    metadata_t *all = grow(trace->metadata, &trace->metadata_room, trace->metadatas, sizeof *all);
    if (!all) {
        return no_memory(reader);
    }
    trace->metadata = all;
    char *text = calloc(1, name_length + 1 + value_length + 1);
    if (!text) {
        return no_memory(reader);
    }
    memcpy(text, name, name_length);
    memcpy(text + name_length + 1, value, value_length);
    all[trace->metadatas++] = (metadata_t){text, text + name_length + 1};
    return 0;
}

/* `# name: value` is metadata; any other # line is a comment. */
static int read_hash_line(reader_t *reader, const char *line) {
    static const char blanks[] = " \t";
    static const char name_characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";
    const char *name = line + 1 + strspn(line + 1, blanks);
    size_t name_length = strspn(name, name_characters);
    if (name_length == 0 || name[name_length] != ':') {
        return 0;
    }
    const char *value = name + name_length + 1;
    value += strspn(value, blanks);
    size_t value_length = strlen(value);
    while (value_length > 0 && strchr(blanks, value[value_length - 1])) {
        value_length -= 1;
    }
    return add_metadata(reader, name, name_length, value, value_length);
}

static int read_first_line(reader_t *reader, const char *line) {
    if (strcmp(line, first_line) == 0) {
        return 0;
    }
    char quoted[64];
    trace_quote(quoted, sizeof quoted, line);
    (void)fault(reader, quoted, "");
    (void)snprintf(reader->fault.expected, sizeof reader->fault.expected, "the first line \"%s\"",
                   first_line);
    return -1;
}

/* Reads all lines into the trace; -1 with line and fault set. */
static int read_lines(reader_t *reader, trace_input_t *input) {
    for (;;) {
        char *line = NULL;
        trace_input_error_t error;
        int result = trace_input_line(input, &line, &error);
        reader->line += 1;
        if (result < 0) {
            return fault(reader, error.found, error.expected);
        }
        if (result == 0) {
            return reader->line > 1
                       ? 0
                       : fault(reader, "an empty file", "the first line \"# tmu-trace v1\"");
        }
        int refused = reader->line == 1 ? read_first_line(reader, line)
                      : line[0] == '#'  ? read_hash_line(reader, line)
                                        : read_operation(reader, line);
        if (refused != 0) {
            return -1;
        }
    }
}

/* Opens and reads the file into reader->trace. */
static int read_file(reader_t *reader, const char *path) {
    trace_input_error_t error;
    trace_input_t *input = trace_input_open(path, &error);
    if (!input) {
        return fault(reader, error.found, error.expected);
    }
    int result = read_lines(reader, input);
    trace_input_close(input);
    return result;
}

int tmu_trace_read(const char *path, tmu_trace_t **trace_p, char *error, size_t error_size) {
    reader_t reader = {.trace = calloc(1, sizeof *reader.trace)};
    int result = !reader.trace ? no_memory(&reader) : read_file(&reader, path);
    free(reader.reqs.slot);
    free(reader.msgs.slot);
    if (result == 0) {
        *trace_p = reader.trace;
        return 0;
    }
    tmu_trace_free(reader.trace);
    if (error && error_size > 0) {
        (void)snprintf(error, error_size, "%s:%llu: found %s, expected %s", path,
                       (unsigned long long)reader.line, reader.fault.found, reader.fault.expected);
    }
    return -1;
}

void tmu_trace_free(tmu_trace_t *trace) {
    if (!trace) {
        return;
    }
    for (size_t i = 0; i < trace->metadatas; i++) {
        free(trace->metadata[i].name);
    }
    free(trace->metadata);
    free(trace->op);
    free(trace);
}

size_t tmu_trace_count(const tmu_trace_t *trace) { return trace->ops; }

const tmu_trace_op_t *tmu_trace_ops(const tmu_trace_t *trace) { return trace->op; }

uint64_t tmu_trace_endpoints(const tmu_trace_t *trace) {
    uint64_t needed = 0;
    for (size_t i = 0; i < trace->ops; i++) {
        const uint64_t own = UINT64_C(1) + trace->op[i].endpoint;
        needed = own > needed ? own : needed;
    }
    return needed;
}

size_t tmu_trace_metadata_count(const tmu_trace_t *trace) { return trace->metadatas; }

const char *tmu_trace_metadata_name(const tmu_trace_t *trace, size_t index) {
    return index < trace->metadatas ? trace->metadata[index].name : NULL;
}

const char *tmu_trace_metadata_value(const tmu_trace_t *trace, size_t index) {
    return index < trace->metadatas ? trace->metadata[index].value : NULL;
}

const char *tmu_trace_kind_name(unsigned kind) {
    static const char *const name[] = {
        [TMU_TRACE_POST] = "post",   [TMU_TRACE_ARRIVE] = "arrive", [TMU_TRACE_PROBE] = "probe",
        [TMU_TRACE_CLAIM] = "claim", [TMU_TRACE_CANCEL] = "cancel", [TMU_TRACE_FLUSH] = "flush",
    };
    return kind < sizeof name / sizeof name[0] ? name[kind] : NULL;
}
