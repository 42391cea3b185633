/* SPDX-License-Identifier: Apache-2.0 */
#include "trace_line.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The words that a form consists of after its name. */
typedef enum {
    FIELD_END = 0,
    FIELD_ENDPOINT,
    FIELD_REQ,
    FIELD_MSG,
    FIELD_TARGET,
    FIELD_CONTEXT,
    FIELD_SOURCE,
    FIELD_SOURCE_OR_ANY,
    FIELD_TAG,
    FIELD_TAG_OR_ANY,
    FIELD_MATCH,
    FIELD_IGNORE,
    FIELD_BYTES
} field_t;

#define FIELDS_MAX 6
#define WORDS_MAX (1 + FIELDS_MAX + 1) /* name, fields, time */

typedef struct {
    const char *name;
    uint8_t kind;
    uint8_t raw;
    field_t field[FIELDS_MAX + 1];
} form_t;

static const form_t forms[] = {
    {"post",
     TMU_TRACE_POST,
     0,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_CONTEXT, FIELD_SOURCE_OR_ANY, FIELD_TAG_OR_ANY,
      FIELD_BYTES}},
    {"arrive",
     TMU_TRACE_ARRIVE,
     0,
     {FIELD_ENDPOINT, FIELD_MSG, FIELD_CONTEXT, FIELD_SOURCE, FIELD_TAG, FIELD_BYTES}},
    {"probe",
     TMU_TRACE_PROBE,
     0,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_CONTEXT, FIELD_SOURCE_OR_ANY, FIELD_TAG_OR_ANY}},
    {"claim",
     TMU_TRACE_CLAIM,
     0,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_CONTEXT, FIELD_SOURCE_OR_ANY, FIELD_TAG_OR_ANY}},
    {"cancel", TMU_TRACE_CANCEL, 0, {FIELD_ENDPOINT, FIELD_REQ, FIELD_TARGET}},
    {"flush", TMU_TRACE_FLUSH, 0, {FIELD_ENDPOINT, FIELD_REQ}},
    {"raw-post",
     TMU_TRACE_POST,
     1,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_MATCH, FIELD_IGNORE, FIELD_SOURCE_OR_ANY, FIELD_BYTES}},
    {"raw-arrive",
     TMU_TRACE_ARRIVE,
     1,
     {FIELD_ENDPOINT, FIELD_MSG, FIELD_MATCH, FIELD_SOURCE, FIELD_BYTES}},
    {"raw-probe",
     TMU_TRACE_PROBE,
     1,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_MATCH, FIELD_IGNORE, FIELD_SOURCE_OR_ANY}},
    {"raw-claim",
     TMU_TRACE_CLAIM,
     1,
     {FIELD_ENDPOINT, FIELD_REQ, FIELD_MATCH, FIELD_IGNORE, FIELD_SOURCE_OR_ANY}},
};
#define FORMS (sizeof forms / sizeof forms[0])

/* Name of a field in a sentence, its text in the form, and its allowed values. */
static const struct {
    const char *name;
    const char *in_form;
    const char *allowed;
} about[] = {
    [FIELD_ENDPOINT] = {"endpoint", "<endpoint>", "a decimal number from 0 to 4294967295"},
    [FIELD_REQ] = {"req", "<req>", "a decimal number from 0 to 18446744073709551615"},
    [FIELD_MSG] = {"msg", "<msg>", "a decimal number from 0 to 18446744073709551615"},
    [FIELD_TARGET] = {"target-req", "<target-req>",
                      "a decimal number from 0 to 18446744073709551615"},
    [FIELD_CONTEXT] = {"context", "<context>", "a decimal number from 0 to 4294967295"},
    [FIELD_SOURCE] = {"source", "<source>", "a decimal number from 0 to 4294967295"},
    [FIELD_SOURCE_OR_ANY] = {"source", "<source|any>",
                             "any or a decimal number from 0 to 4294967295"},
    [FIELD_TAG] = {"tag", "<tag>", "a decimal number from -2147483648 to 2147483647"},
    [FIELD_TAG_OR_ANY] = {"tag", "<tag|any>",
                          "any or a decimal number from -2147483648 to 2147483647"},
    [FIELD_MATCH] = {"match", "<match>", "0x and 1 to 16 hexadecimal digits"},
    [FIELD_IGNORE] = {"ignore", "<ignore>", "0x and 1 to 16 hexadecimal digits"},
    [FIELD_BYTES] = {"bytes", "<bytes>", "a decimal number from 0 to 281474976710655"},
};
static const char time_allowed[] = "@ and a decimal number from 0 to 18446744073709551614";

#define BYTES_MAX ((UINT64_C(1) << 48) - 1)
#define ANY_TAG_IGNORE UINT64_C(0x7fffffff) /* R2: all tag bits but the sign */

#define QUOTED_MAX 64 /* bytes that a quoted word takes at most, its NUL included */

void trace_quote(char *quoted, size_t size, const char *text) {
    static const char dots[] = "...\"";
    size_t used = 0;
    quoted[used++] = '"';
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;
        bool plain = byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
        size_t width = plain ? 1 : 4;
        if (used + width + sizeof dots > size) {
            memcpy(quoted + used, dots, sizeof dots);
            return;
        }
        if (plain) {
            quoted[used] = (char)byte;
        } else {
            (void)snprintf(quoted + used, 5, "\\x%02x", byte);
        }
        used += width;
    }
    memcpy(quoted + used, "\"", 2);
}

/* `found NAME "WORD", expected ALLOWED`. */
static int bad_word(trace_fault_t *fault, const char *name, const char *word, const char *allowed) {
    char quoted[QUOTED_MAX];
    trace_quote(quoted, sizeof quoted, word);
    (void)snprintf(fault->found, sizeof fault->found, "%s %s", name, quoted);
    (void)snprintf(fault->expected, sizeof fault->expected, "%s", allowed);
    return -1;
}

/* Digits and nothing else, at most `limit`. */
static bool read_decimal(const char *word, uint64_t limit, uint64_t *value_p) {
    uint64_t value = 0;
    if (*word == '\0') {
        return false;
    }
    for (; *word != '\0'; word++) {
        if (*word < '0' || *word > '9') {
            return false;
        }
        uint64_t digit = (uint64_t)(*word - '0');
        if (value > (limit - digit) / 10) { /* value * 10 + digit > limit */
            return false;
        }
        value = value * 10 + digit;
    }
    *value_p = value;
    return true;
}

static bool read_u32(const char *word, uint32_t *value_p) {
    uint64_t value;
    if (!read_decimal(word, UINT32_MAX, &value)) {
        return false;
    }
    *value_p = (uint32_t)value;
    return true;
}

/* A tag as its 32 bits in two's complement. */
static bool read_tag(const char *word, uint32_t *bits_p) {
    uint64_t value;
    bool negative = word[0] == '-';
    if (!read_decimal(word + negative, (uint64_t)INT32_MAX + negative, &value)) {
        return false;
    }
    *bits_p = (uint32_t)(negative ? 0 - value : value);
    return true;
}

static bool read_hex(const char *word, uint64_t *value_p) {
    size_t digits = strlen(word);
    uint64_t value = 0;
    if (digits < 3 || digits > 18 || word[0] != '0' || word[1] != 'x') {
        return false;
    }
    for (word += 2; *word != '\0'; word++) {
        uint64_t digit;
        if (*word >= '0' && *word <= '9') {
            digit = (uint64_t)(*word - '0');
        } else if (*word >= 'a' && *word <= 'f') {
            digit = (uint64_t)(*word - 'a') + 10;
        } else if (*word >= 'A' && *word <= 'F') {
            digit = (uint64_t)(*word - 'A') + 10;
        } else {
            return false;
        }
        value = value << 4 | digit;
    }
    *value_p = value;
    return true;
}

/* One field into the operation; false if the word is not what the field may be. */
static bool read_field(field_t field, const char *word, tmu_trace_op_t *op) {
    uint32_t bits = 0;
    bool good = true;
    bool any = strcmp(word, "any") == 0;
    switch (field) {
    case FIELD_ENDPOINT:
        return read_u32(word, &op->endpoint);
    case FIELD_REQ:
    case FIELD_MSG:
        return read_decimal(word, UINT64_MAX, &op->id);
    case FIELD_TARGET:
        return read_decimal(word, UINT64_MAX, &op->target);
    case FIELD_CONTEXT: /* MPI's forms never ignore context bits (R1) */
        good = read_u32(word, &bits);
        op->match |= (uint64_t)bits << 32;
        return good;
    case FIELD_SOURCE_OR_ANY:
        if (any) { /* R2 */
            op->source_ignore = UINT32_MAX;
            return true;
        }
        return read_u32(word, &op->source);
    case FIELD_SOURCE:
        return read_u32(word, &op->source);
    case FIELD_TAG_OR_ANY:
        if (any) { /* R2 */
            op->ignore = ANY_TAG_IGNORE;
            return true;
        }
        good = read_tag(word, &bits);
        op->match |= bits;
        return good;
    case FIELD_TAG:
        good = read_tag(word, &bits);
        op->match |= bits;
        return good;
    case FIELD_MATCH:
        return read_hex(word, &op->match);
    case FIELD_IGNORE:
        return read_hex(word, &op->ignore);
    case FIELD_BYTES:
        return read_decimal(word, BYTES_MAX, &op->bytes);
    case FIELD_END:
        break;
    }
    return false;
}

/* Cuts at runs of blanks and tabs, keeps up to WORDS_MAX words and counts them all. */
static size_t split(char *line, char *word[WORDS_MAX]) {
    static const char blanks[] = " \t";
    size_t count = 0;
    for (char *at = line + strspn(line, blanks); *at != '\0'; at += strspn(at, blanks)) {
        if (count < WORDS_MAX) {
            word[count] = at;
        }
        count += 1;
        at += strcspn(at, blanks);
        if (*at != '\0') {
            *at++ = '\0';
        }
    }
    return count;
}

static int unknown_operation(trace_fault_t *fault, const char *word) {
    char names[TRACE_TEXT_MAX];
    size_t used = 0;
    for (size_t i = 0; i < FORMS; i++) {
        const char *separator = i == 0 ? "" : i + 1 == FORMS ? " or " : ", ";
        used +=
            (size_t)snprintf(names + used, sizeof names - used, "%s%s", separator, forms[i].name);
    }
    return bad_word(fault, "operation", word, names);
}

static int wrong_field_count(trace_fault_t *fault, const form_t *form, size_t found) {
    size_t used = (size_t)snprintf(fault->expected, sizeof fault->expected, "%s", form->name);
    for (const field_t *field = form->field; *field != FIELD_END; field++) {
        used += (size_t)snprintf(fault->expected + used, sizeof fault->expected - used, " %s",
                                 about[*field].in_form);
    }
    (void)snprintf(fault->expected + used, sizeof fault->expected - used, " [@<ns>]");
    (void)snprintf(fault->found, sizeof fault->found, "%zu field%s after %s", found,
                   found == 1 ? "" : "s", form->name);
    return -1;
}

static const form_t *find_form(const char *name) {
    for (size_t i = 0; i < FORMS; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            return &forms[i];
        }
    }
    return NULL;
}

int trace_line_parse(char *line, tmu_trace_op_t *op_p, trace_fault_t *fault) {
    char *word[WORDS_MAX];
    tmu_trace_op_t op = {.time_ns = TMU_TRACE_NO_TIME};
    size_t words = split(line, word);
    if (words == 0) {
        (void)snprintf(fault->found, sizeof fault->found, "a blank line");
        (void)snprintf(fault->expected, sizeof fault->expected, "an operation or a # line");
        return -1;
    }
    const form_t *form = find_form(word[0]);
    if (!form) {
        return unknown_operation(fault, word[0]);
    }
    op.kind = form->kind;
    op.raw = form->raw;
    size_t fields = words - 1;
    size_t wanted = 0;
    while (form->field[wanted] != FIELD_END) {
        wanted += 1;
    }
    bool timed = fields > 0 && words <= WORDS_MAX && word[words - 1][0] == '@';
    if (fields != wanted + timed) {
        return wrong_field_count(fault, form, fields - timed);
    }
    for (size_t i = 0; i < wanted; i++) {
        if (!read_field(form->field[i], word[1 + i], &op)) {
            return bad_word(fault, about[form->field[i]].name, word[1 + i],
                            about[form->field[i]].allowed);
        }
    }
    if (timed && !read_decimal(word[words - 1] + 1, TMU_TRACE_NO_TIME - 1, &op.time_ns)) {
        return bad_word(fault, "time", word[words - 1], time_allowed);
    }
    *op_p = op;
    return 0;
}
