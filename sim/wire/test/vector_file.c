/* SPDX-License-Identifier: Apache-2.0 */
#include "vector_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool add_digits(const char *line, vector_t *vector) {
    for (const char *at = line; *at != '\0' && *at != '\n';) {
        unsigned byte;
        if (*at == ' ') {
            at += 1;
            continue;
        }
        if (vector->bytes == VECTOR_BYTES || sscanf(at, "%2x", &byte) != 1 || at[1] == '\n') {
            return false;
        }
        vector->frame[vector->bytes++] = (uint8_t)byte;
        at += 2;
    }
    return true;
}

static bool add_field(const char *line, vector_t *vector) {
    const char *equals = strchr(line, '=');
    size_t length = !equals ? 0 : (size_t)(equals - line);
    char *end = NULL;
    if (length == 0 || length >= VECTOR_NAME || vector->fields == VECTOR_FIELDS) {
        return false;
    }
    memcpy(vector->name[vector->fields], line, length);
    vector->name[vector->fields][length] = '\0';
    vector->value[vector->fields] =
        equals[1] == '-' ? (uint64_t)strtoll(equals + 1, &end, 0) : strtoull(equals + 1, &end, 0);
    vector->fields += 1;
    return *end == '\n';
}

bool vector_read(const char *path, vector_t *vector) {
    char line[256];
    unsigned number = 0;
    enum { COMMENT, FRAME, FIELDS } part = COMMENT;
    bool fine = true;
    FILE *file = fopen(path, "r");
    memset(vector, 0, sizeof *vector);
    if (!file) {
        perror(path);
        return false;
    }
    while (fine && fgets(line, sizeof line, file)) {
        number += 1;
        if (strcmp(line, "frame\n") == 0) {
            part = FRAME;
        } else if (strcmp(line, "fields\n") == 0) {
            part = FIELDS;
        } else if (part == FRAME) {
            fine = add_digits(line, vector);
        } else if (part == FIELDS) {
            fine = add_field(line, vector);
        } else {
            fine = line[0] == '#';
        }
    }
    (void)fclose(file);
    fine = fine && vector->bytes != 0 && vector->fields != 0;
    if (!fine) {
        (void)fprintf(stderr, "%s:%u: not of a vector's form\n", path, number);
    }
    return fine;
}

size_t vector_find(const vector_t *vector, const char *name) {
    size_t i = 0;
    while (i < vector->fields && strcmp(vector->name[i], name) != 0) {
        i += 1;
    }
    return i;
}
