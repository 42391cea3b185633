/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workload of one cell of the benchmark: a queue of posted receives that stays `depth` deep
 * while pairs of a post and an arrival go through, with the verdicts that the model gives.
 *
 * A round is one post and then one arrival; in the hole workload 16 posts and then 16 arrivals, of
 * which 15 take receives of that round in random order and the last one the oldest receive of all.
 */
#ifndef TMU_BENCH_WORKLOAD_H
#define TMU_BENCH_WORKLOAD_H

#include "engine.h"

typedef enum {
    BENCH_EXACT,
    BENCH_ANY_SOURCE,
    BENCH_ANY_TAG,
    BENCH_BOTH,     /* any source and any tag */
    BENCH_MIXED,    /* the four above in turn */
    BENCH_MOD256,   /* tags equal modulo 256, one source */
    BENCH_MOD65536, /* tags equal modulo 65,536, one source */
    BENCH_FIFO,     /* all keys equal */
    BENCH_HOLES,
    BENCH_PAIRED, /* as many unexpected messages, which every post searches without a hit */
    BENCH_KINDS
} bench_kind_t;

/* Which receive the arrival takes: of those that were there and the one just posted. */
typedef enum { BENCH_OLDEST, BENCH_YOUNGEST, BENCH_RANDOM, BENCH_POSITIONS } bench_position_t;

extern const char *const bench_kind_names[BENCH_KINDS];
extern const char *const bench_position_names[BENCH_POSITIONS];

#define BENCH_DEPTH_MAX 65536
/* More tags that are equal modulo 65,536 there are not below 2^31. */
#define BENCH_DEPTH_MAX_MOD65536 32000

typedef struct {
    bench_kind_t kind;
    bench_position_t position;
    unsigned depth;   /* receives that are there before each round */
    unsigned batch;   /* pairs that are timed together; a multiple of 16 */
    unsigned batches; /* at least 1 */
} bench_shape_t;

typedef struct {
    engine_key_t key;
    uint64_t handle;
} bench_post_t;

typedef struct {
    engine_key_t key;
    uint64_t handle;
} bench_arrival_t;

typedef struct {
    bench_shape_t shape;
    unsigned group;           /* posts of a round, and arrivals */
    size_t pairs;             /* batch * batches */
    bench_arrival_t *fill;    /* messages that come first: depth of them, or NULL */
    bench_post_t *resident;   /* then depth receives */
    bench_post_t *post;       /* [pairs]; all are queued */
    bench_arrival_t *arrival; /* [pairs]; all match */
    uint64_t *expected;       /* [pairs]; the handle of the receive that each arrival takes */
} bench_workload_t;

/* Whether there is such a cell: fifo, holes and paired have one position each. */
int bench_exists(bench_kind_t kind, bench_position_t position);

/* 0; -1 for want of memory, or if the model answers what the workload does not intend. */
int bench_workload_make(const bench_shape_t *shape, bench_workload_t *workload);
void bench_workload_free(bench_workload_t *workload);

#endif
