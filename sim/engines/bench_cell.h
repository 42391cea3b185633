/* SPDX-License-Identifier: Apache-2.0 */
/* One cell of the benchmark: one engine under one workload. */
#ifndef TMU_BENCH_CELL_H
#define TMU_BENCH_CELL_H

#include "bench_workload.h"

typedef struct {
    double median; /* nanoseconds a pair (two verdicts), over the batches */
    double p10;
    double p90;
    double least;
    uint64_t checked; /* verdicts compared with the model's */
    uint64_t wrong;   /* of those: differ */
    engine_stats_t stats;
} bench_result_t;

/* Times every batch and checks every verdict: 0, or -1 for want of memory. */
int bench_cell(const engine_ops_t *engine, const bench_workload_t *workload,
               bench_result_t *result_p);

/* Clock of this core in GHz, from a chain of additions; what the processor really does now. */
double bench_core_ghz(void);

#endif
