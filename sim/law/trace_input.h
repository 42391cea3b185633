/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a plain or gzipped file: private to the trace reader. */
#ifndef TRACE_INPUT_H
#define TRACE_INPUT_H

#include <stddef.h>
#include <stdint.h>

typedef struct trace_input trace_input_t;

/* Reason of a failed read; `found` and `expected` complete the reader's error sentence. */
typedef struct {
    char found[256];
    const char *expected;
} trace_input_error_t;

/* NULL, with the reason, if the file cannot be opened or there is no memory. */
trace_input_t *trace_input_open(const char *path, trace_input_error_t *error);

/*
 * Gives the next line without its newline; it ends with a NUL and stays valid until the next call,
 * and may be written to.  Returns 1, 0 at the end of the file, or -1 with the reason: a line that
 * is too long or has no newline or a NUL byte or a carriage return at its end, a failed read,
 * damaged gzip data.
 */
int trace_input_line(trace_input_t *input, char **line_p, trace_input_error_t *error);

void trace_input_close(trace_input_t *input); /* NULL is allowed */

#endif
