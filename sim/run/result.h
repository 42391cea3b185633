/* SPDX-License-Identifier: Apache-2.0 */
/* Result of a run, and the sum of several. */
#ifndef TMU_REPLAY_RESULT_H
#define TMU_REPLAY_RESULT_H

#include "checker.h"
#include "ledger.h"

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
    uint64_t refused_endpoint; /* of these: at an endpoint that the device lacks (R13) */
    uint64_t held;             /* arrivals that were never admitted */
    uint64_t mismatches;
    uint64_t first_difference; /* the device's clock when it was seen; 0 if there is none */
    uint64_t clocks;           /* 0 on a device without a clock */
    uint64_t skipped_clocks;   /* idle time of a timed run that was not simulated */
    replay_latency_t unit_latency;
    replay_latency_t host_latency;
    uint64_t endpoint_depth_max[2]; /* of one endpoint, by the model: receives, messages */
    uint64_t resets;                /* of a soak, in the middle */
    uint64_t quota_changes;
    uint64_t reserve_changes;
    ledger_counts_t ledger;
    tmu_flow_stats_t flow;
    tmu_spill_stats_t spill;
    tmu_counter_t counters[REPLAY_COUNTERS_MAX]; /* the unit's */
    size_t counter_count;
    tmu_counter_t model_counters[TALLY_COUNTERS]; /* the model's, by the same names */
    size_t model_counter_count;
} replay_result_t;

/* Value of the counter with this name, 0 if there is none. */
uint64_t replay_counter(const tmu_counter_t *counters, size_t count, const char *name);

/* Adds a run, or a part of one between two resets, to a sum that begins with zeros.  Of latencies
 * the worst one's is kept. */
void result_add(replay_result_t *sum, const replay_result_t *part);

/* Of how often each latency was seen, from 0 to RESULT_LATENCIES - 1. */
#define RESULT_LATENCIES 65536
replay_latency_t result_latency(const uint64_t *seen);

#endif
