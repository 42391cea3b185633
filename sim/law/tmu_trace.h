/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one reader of traces (format v1, plain or gzip).
 *
 * A trace is read whole or refused with one sentence: FILE:LINE: found ..., expected ...
 * Nothing of a refused trace is handed out.
 */
#ifndef TMU_TRACE_H
#define TMU_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Kinds of operation; a raw form has the kind of its MPI form. */
enum {
    TMU_TRACE_POST = 1,
    TMU_TRACE_ARRIVE = 2,
    TMU_TRACE_PROBE = 3,
    TMU_TRACE_CLAIM = 4,
    TMU_TRACE_CANCEL = 5,
    TMU_TRACE_FLUSH = 6
};

#define TMU_TRACE_NO_TIME UINT64_MAX
#define TMU_TRACE_LINE_MAX 4096  /* bytes in a line, without its newline */
#define TMU_TRACE_ERROR_MAX 8192 /* a buffer of this size holds every error sentence */

/*
 * One operation in a fixed layout of 72 bytes without holes, which other languages may view
 * without a copy.  Fields that a kind does not have are 0; wildcards and MPI keys are in bits:
 * match = context << 32 | tag (two's complement); any tag = tag bits 0 and ignore 0x7fffffff (R2);
 * any source = source 0 and source_ignore 0xffffffff.
 */
typedef struct {
    uint64_t id;     /* msg of an arrival, req of every other kind */
    uint64_t target; /* cancel: the receive's req */
    uint64_t match;
    uint64_t ignore;
    uint64_t bytes;
    uint64_t time_ns; /* TMU_TRACE_NO_TIME where the line has none */
    uint64_t line;    /* in the file, from 1 */
    uint32_t endpoint;
    uint32_t source;
    uint32_t source_ignore;
    uint8_t kind;
    uint8_t raw; /* 1 = written in the raw form */
    uint8_t reserved[2];
} tmu_trace_op_t;
#ifndef __cplusplus
_Static_assert(sizeof(tmu_trace_op_t) == 72, "the layout of tmu_trace_op_t is a contract");
#endif

typedef struct tmu_trace tmu_trace_t;

/*
 * Returns 0 and sets *trace_p, or returns -1, leaves *trace_p alone and writes one sentence
 * (without a newline, cut to error_size) to `error`.
 */
int tmu_trace_read(const char *path, tmu_trace_t **trace_p, char *error, size_t error_size);

void tmu_trace_free(tmu_trace_t *trace); /* NULL is allowed */

/* The operations in file order; they live until tmu_trace_free. */
size_t tmu_trace_count(const tmu_trace_t *trace);
const tmu_trace_op_t *tmu_trace_ops(const tmu_trace_t *trace);

/* Number of endpoints that the operations need: one more than the greatest that is named; 0 of a
 * trace without operations. */
uint64_t tmu_trace_endpoints(const tmu_trace_t *trace);

/* The `# name: value` lines in file order; a repeated name is kept each time. */
size_t tmu_trace_metadata_count(const tmu_trace_t *trace);
const char *tmu_trace_metadata_name(const tmu_trace_t *trace, size_t index);
const char *tmu_trace_metadata_value(const tmu_trace_t *trace, size_t index);

/* "post", "arrive", ...; NULL for a number that is no kind. */
const char *tmu_trace_kind_name(unsigned kind);

#ifdef __cplusplus
}
#endif

#endif
