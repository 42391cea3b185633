/* SPDX-License-Identifier: Apache-2.0 */
/* One line of a trace to one operation: private to the trace reader. */
#ifndef TRACE_LINE_H
#define TRACE_LINE_H

#include <stddef.h>

#include "tmu_trace.h"

#define TRACE_TEXT_MAX 512 /* bytes for either half of an error sentence */

/* Halves of an error sentence. */
typedef struct {
    char found[TRACE_TEXT_MAX];
    char expected[TRACE_TEXT_MAX];
} trace_fault_t;

/*
 * Fills *op_p (all but `line`) from a line that is neither a comment nor checked in any way.
 * Cuts the line into words in place.  Returns 0, or -1 with the fault.
 */
int trace_line_parse(char *line, tmu_trace_op_t *op_p, trace_fault_t *fault);

/* Writes text in double quotes: unprintable bytes as \xNN, long text shortened with "...". */
void trace_quote(char *quoted, size_t size, const char *text);

#endif
