/* SPDX-License-Identifier: Apache-2.0 */
/* One run: a workload through the driver and a device, every verdict checked. */
#ifndef TMU_REPLAY_REPLAY_H
#define TMU_REPLAY_REPLAY_H

#include "checker.h"

#include <stdio.h>

#define REPLAY_SPILL_MOST UINT64_MAX

typedef struct {
    uint64_t quota;   /* per endpoint and queue; 0 = none */
    uint64_t spill;   /* segments of memory to lend; REPLAY_SPILL_MOST = all that the unit takes */
    bool timed;       /* keep the trace's times */
    double clock_mhz; /* what a clock is worth when times are kept */
    bool progress;    /* `progress DONE TOTAL` lines on stderr */
    FILE *verdicts;   /* where the log goes, or NULL */
} replay_options_t;

typedef struct {
    uint64_t p50;
    uint64_t p99;
    uint64_t max;
} replay_latency_t;

#define REPLAY_COUNTERS_MAX 128

typedef struct {
    uint64_t operations;
    uint64_t matches; /* lines of the log that say `matched` */
    uint64_t refused;
    uint64_t held; /* arrivals that were never admitted */
    uint64_t mismatches;
    uint64_t clocks;         /* 0 on a device without a clock */
    uint64_t skipped_clocks; /* idle time of a timed run that was not simulated */
    replay_latency_t unit_latency;
    replay_latency_t host_latency;
    tmu_flow_stats_t flow;
    tmu_spill_stats_t spill;
    tmu_counter_t counters[REPLAY_COUNTERS_MAX]; /* the unit's */
    size_t counter_count;
    tmu_counter_t model_counters[CHECKER_COUNTERS]; /* the model's, by the same names */
    size_t model_counter_count;
} replay_result_t;

/* Value of the counter with this name, 0 if there is none. */
uint64_t replay_counter(const tmu_counter_t *counters, size_t count, const char *name);

/*
 * Lends the device the memory that the options ask for; it stays lent for all later runs.
 * 0, or -1 and a sentence in `error`.
 */
int replay_lend(tmu_t *device, const replay_options_t *options, char *error, size_t error_size);

/*
 * Runs the workload on the device, which it resets first.
 * 0, or -1 and a sentence in `error` when the device or the machine fails; differences are no
 * failure but are counted in the result.
 */
int replay_run(tmu_t *device, const workload_t *workload, const replay_options_t *options,
               replay_result_t *result, char *error, size_t error_size);

#endif
