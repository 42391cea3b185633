/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file of tests/wire: a comment, the line "frame", the frame in hexadecimal digits, the line
 * "fields", then one name=value a line, numbers as in C, negative ones with a sign.
 */
#ifndef VECTOR_FILE_H
#define VECTOR_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VECTOR_FIELDS = 64, VECTOR_NAME = 40, VECTOR_BYTES = 2048 };

typedef struct {
    uint8_t frame[VECTOR_BYTES];
    size_t bytes;
    size_t fields;
    char name[VECTOR_FIELDS][VECTOR_NAME];
    uint64_t value[VECTOR_FIELDS];
} vector_t;

/* False, with a line on stderr, for a file that is not of that form. */
bool vector_read(const char *path, vector_t *vector);

/* The index of a field, or `fields` when the file has none of that name. */
size_t vector_find(const vector_t *vector, const char *name);

#endif
