/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The verdict log: one line an operation, in trace order, the same from every engine.
 */
#ifndef TMU_VERDICT_LOG_H
#define TMU_VERDICT_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tmu_trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    TMU_LOG_MATCHED = 1,          /* post 5 matched 12 [truncated] */
    TMU_LOG_QUEUED = 2,           /* post 6 queued */
    TMU_LOG_FOUND = 3,            /* probe 7 found 14 */
    TMU_LOG_NONE = 4,             /* claim 8 none */
    TMU_LOG_CANCELLED = 5,        /* cancel 9 cancelled 6 */
    TMU_LOG_LATE = 6,             /* cancel 9 late 6 */
    TMU_LOG_REMOVED = 7,          /* flush 9 removed 3 2 */
    TMU_LOG_REFUSED_QUOTA = 8,    /* post 6 refused quota */
    TMU_LOG_REFUSED_ENDPOINT = 9, /* flush 9 refused endpoint */
    TMU_LOG_HELD = 10             /* arrive 14 held */
} tmu_log_verdict_t;

typedef struct {
    tmu_log_verdict_t verdict;
    bool truncated;              /* matched only; a post or an arrival */
    uint64_t other;              /* matched, found, cancelled: the other entry's number */
    uint64_t removed_posted;     /* removed */
    uint64_t removed_unexpected; /* removed */
} tmu_log_record_t;

#define TMU_LOG_LINE_MAX 96 /* holds every line with its newline and the closing NUL */

/*
 * Writes the line with its newline and returns its length.  A late cancel names the target that
 * the operation names.  Returns -1 where the operation cannot have that verdict (a post that was
 * "found", a cancel of one receive that removed another) or the line does not fit.
 */
int tmu_log_format(char *line, size_t size, const tmu_trace_op_t *op,
                   const tmu_log_record_t *record);

/* The same into a stream: 0, or -1 for a wrong verdict or a failed write. */
int tmu_log_write(FILE *stream, const tmu_trace_op_t *op, const tmu_log_record_t *record);

#ifdef __cplusplus
}
#endif

#endif
