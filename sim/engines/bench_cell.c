/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_cell.h"

#include <stdlib.h>
#include <time.h>

static double now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Reads a batch once, so that its operations are in the cache when the clock starts: in life they
 * come from the caller's registers. */
static void warm(const bench_workload_t *workload, size_t start) {
    volatile uint64_t sink = 0;
    for (size_t i = start; i < start + workload->shape.batch; i++) {
        sink += workload->post[i].handle + workload->arrival[i].key.match;
    }
}

/* The timed part: nothing but calls; verdicts are kept for the check. */
static double run_batch(const engine_ops_t *ops, engine_t *engine, const bench_workload_t *workload,
                        size_t start, engine_verdict_t *posted, engine_verdict_t *arrived) {
    const unsigned group = workload->group;
    const bench_post_t *post = workload->post + start;
    const bench_arrival_t *arrival = workload->arrival + start;
    const double begin = now_ns();
    for (unsigned i = 0; i < workload->shape.batch; i += group) {
        for (unsigned g = i; g < i + group; g++) {
            posted[g] = ops->post(engine, 0, &post[g].key, post[g].handle, 8);
        }
        for (unsigned g = i; g < i + group; g++) {
            arrived[g] = ops->arrive(engine, 0, &arrival[g].key, arrival[g].handle, 8);
        }
    }
    return now_ns() - begin;
}

static uint64_t wrong_verdicts(const bench_workload_t *workload, size_t start,
                               const engine_verdict_t *posted, const engine_verdict_t *arrived) {
    uint64_t wrong = 0;
    for (unsigned i = 0; i < workload->shape.batch; i++) {
        wrong += posted[i].status != ENGINE_QUEUED;
        wrong += arrived[i].status != ENGINE_MATCHED || arrived[i].truncated != 0 ||
                 arrived[i].other != workload->expected[start + i];
    }
    return wrong;
}

static void fill(const engine_ops_t *ops, engine_t *engine, const bench_workload_t *workload,
                 bench_result_t *result) {
    for (unsigned i = 0; i < workload->shape.depth && workload->fill; i++) {
        const bench_arrival_t *arrival = &workload->fill[i];
        const engine_verdict_t verdict = ops->arrive(engine, 0, &arrival->key, arrival->handle, 8);
        result->wrong += verdict.status != ENGINE_QUEUED;
        result->checked += 1;
    }
    for (unsigned i = 0; i < workload->shape.depth; i++) {
        const bench_post_t *post = &workload->resident[i];
        const engine_verdict_t verdict = ops->post(engine, 0, &post->key, post->handle, 8);
        result->wrong += verdict.status != ENGINE_QUEUED;
        result->checked += 1;
    }
}

int bench_cell(const engine_ops_t *ops, const bench_workload_t *workload,
               bench_result_t *result_p) {
    const bench_shape_t *shape = &workload->shape;
    engine_t *engine = ops->create(&(engine_config_t){.endpoints = 1});
    double *ns = calloc(shape->batches, sizeof *ns);
    engine_verdict_t *posted = calloc(shape->batch, sizeof *posted);
    engine_verdict_t *arrived = calloc(shape->batch, sizeof *arrived);
    int outcome = -1;
    *result_p = (bench_result_t){0};
    if (engine && ns && posted && arrived) {
        fill(ops, engine, workload, result_p);
        for (unsigned i = 0; i < shape->batches; i++) {
            const size_t start = (size_t)i * shape->batch;
            warm(workload, start);
            ns[i] = run_batch(ops, engine, workload, start, posted, arrived) / shape->batch;
            result_p->wrong += wrong_verdicts(workload, start, posted, arrived);
            result_p->checked += 2u * shape->batch;
        }
        qsort(ns, shape->batches, sizeof *ns, compare);
        result_p->median = ns[shape->batches / 2];
        result_p->p10 = ns[shape->batches / 10];
        result_p->p90 = ns[shape->batches - 1 - shape->batches / 10];
        result_p->least = ns[0];
        ops->stats(engine, &result_p->stats);
        outcome = 0;
    }
    if (engine) {
        ops->destroy(engine);
    }
    free(ns);
    free(posted);
    free(arrived);
    return outcome;
}

double bench_core_ghz(void) {
    enum { ROUNDS = 20, STEPS = 100000 };
    double best = 0.0;
    for (int round = 0; round < ROUNDS; round++) {
        const double begin = now_ns();
        uint64_t x = 1;
        for (int i = 0; i < STEPS; i++) {
            /* Each addition waits for the one before: one clock. */
            x += x >> 63;
#if defined(__GNUC__)
            __asm__ volatile("" : "+r"(x));
#endif
        }
        const double ghz = 2.0 * STEPS / (now_ns() - begin); /* a shift and an addition */
        best = ghz > best ? ghz : best;
    }
    return best;
}
