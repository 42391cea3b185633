/* SPDX-License-Identifier: Apache-2.0 */
#include "result.h"

#include <string.h>

uint64_t replay_counter(const tmu_counter_t *counters, size_t count, const char *name) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(counters[i].name, name) == 0) {
            return counters[i].value;
        }
    }
    return 0;
}

replay_latency_t result_latency(const uint64_t *seen) {
    uint64_t total = 0;
    for (size_t i = 0; i < RESULT_LATENCIES; ++i) {
        total += seen[i];
    }
    replay_latency_t latency = {0};
    uint64_t passed = 0;
    for (size_t i = 0; i < RESULT_LATENCIES; ++i) {
        if (seen[i] == 0) {
            continue;
        }
        if (passed < (total + 1) / 2) {
            latency.p50 = i;
        }
        if (passed < total - total / 100) {
            latency.p99 = i;
        }
        latency.max = i;
        passed += seen[i];
    }
    return latency;
}

/* Counters add up, high-water marks and points in time do not. */
static void add_counters(tmu_counter_t *sum, const tmu_counter_t *before, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const char *name = sum[i].name;
        const bool adds = !strstr(name, "_max") && strcmp(name, "first_accept") != 0 &&
                          strcmp(name, "last_verdict") != 0;
        if (adds) {
            sum[i].value += before[i].value;
        } else if (before[i].value > sum[i].value) {
            sum[i].value = before[i].value;
        }
    }
}

static void add_latency(replay_latency_t *sum, const replay_latency_t *before) {
    sum->p50 = sum->p50 > before->p50 ? sum->p50 : before->p50;
    sum->p99 = sum->p99 > before->p99 ? sum->p99 : before->p99;
    sum->max = sum->max > before->max ? sum->max : before->max;
}

static void add_ledger(ledger_counts_t *sum, const ledger_counts_t *before) {
    sum->answered += before->answered;
    sum->queued += before->queued;
    sum->returned += before->returned;
    sum->forgotten += before->forgotten;
    sum->let_go += before->let_go;
    sum->left += before->left;
}

void result_add(replay_result_t *sum, const replay_result_t *part) {
    const replay_result_t before = *sum;
    *sum = *part;
    sum->operations += before.operations;
    sum->matches += before.matches;
    sum->refused += before.refused;
    sum->refused_endpoint += before.refused_endpoint;
    for (int i = 0; i < 2; ++i) {
        if (before.endpoint_depth_max[i] > sum->endpoint_depth_max[i]) {
            sum->endpoint_depth_max[i] = before.endpoint_depth_max[i];
        }
    }
    sum->held += before.held;
    sum->mismatches += before.mismatches;
    sum->clocks += before.clocks;
    sum->skipped_clocks += before.skipped_clocks;
    if (before.first_difference != 0) {
        sum->first_difference = before.first_difference;
    }
    sum->resets += before.resets;
    sum->quota_changes += before.quota_changes;
    sum->reserve_changes += before.reserve_changes;
    add_ledger(&sum->ledger, &before.ledger);
    sum->flow.stalls += before.flow.stalls;
    sum->flow.resumes += before.flow.resumes;
    if (before.flow.held_max > sum->flow.held_max) {
        sum->flow.held_max = before.flow.held_max;
    }
    add_latency(&sum->unit_latency, &before.unit_latency);
    add_latency(&sum->host_latency, &before.host_latency);
    add_counters(sum->counters, before.counters, sum->counter_count);
    add_counters(sum->model_counters, before.model_counters, sum->model_counter_count);
}
