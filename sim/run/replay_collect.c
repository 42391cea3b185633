/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_run.h"

#include <inttypes.h>

#define POLL_MAX 64
#define PROGRESS_CLOCKS 256
/* Far above what the slowest command takes: a flush reports an entry each 2,048 clocks at least. */
#define SILENCE_CLOCKS (1u << 20)

int run_fails(run_t *run, const char *what) {
    (void)snprintf(run->error, run->error_size, "%s: %s", what, tmu_error_text(run->device));
    return -1;
}

uint64_t run_mismatches(const run_t *run) {
    return checker_mismatches(run->checker) + ledger_complaints(run->ledger);
}

static void record_completion(run_t *run, const tmu_completion_t *c) {
    if (c->status == TMU_STATUS_REMOVED) {
        return; /* a report of a flush, whose verdict follows */
    }
    ++run->unit_latencies[c->unit_latency];
    ++run->host_latencies[c->host_latency];
    const size_t index = workload_find(run->workload, c->opcode == TMU_OPCODE_ARRIVE, c->handle);
    if (index == ID_MAP_NONE) {
        return; /* the checker has counted it */
    }
    run->outcomes[index] = log_line_of(c);
    ++run->answered;
}

/* Whether a device with operations in flight has given no verdict for far too long. */
static bool is_silent(run_t *run, size_t count) {
    tmu_flow_stats_t flow = {0};
    (void)tmu_flow_stats(run->device, &flow);
    const uint64_t now = tmu_clock(run->device);
    if (count != 0 || flow.stalls != run->stalls || queue_set_in_flight(&run->set) == 0) {
        run->last_verdict_clock = now;
        run->stalls = flow.stalls;
    }
    return now - run->last_verdict_clock > SILENCE_CLOCKS;
}

/* Whether nothing was answered for far too long while an operation waits to be accepted. */
static bool is_stuck(run_t *run, size_t count) {
    const uint64_t now = tmu_clock(run->device);
    if (count != 0 || !run->offering) {
        run->last_answer_clock = now;
    }
    return now - run->last_answer_clock > SILENCE_CLOCKS;
}

int run_collect(run_t *run) {
    tmu_completion_t completions[POLL_MAX];
    size_t count = 0;
    for (size_t q = 0; q < run->set.count; ++q) {
        size_t some = 0;
        if (tmu_poll(run->set.queues[q], completions, POLL_MAX, &some) != TMU_OK) {
            return run_fails(run, "poll");
        }
        count += some;
        for (size_t i = 0; i < some; ++i) {
            ledger_take(run->ledger, &completions[i]);
            record_completion(run, &completions[i]);
        }
    }
    run->polled += count;
    if (run->result->first_difference == 0 && run_mismatches(run) > 0) {
        run->result->first_difference = tmu_clock(run->device);
    }
    if (is_silent(run, count)) {
        (void)snprintf(run->error, run->error_size,
                       "found no verdict in %u clocks with %zu operations in flight, expected one "
                       "each",
                       SILENCE_CLOCKS, queue_set_in_flight(&run->set));
        return -1;
    }
    if (is_stuck(run, count)) {
        (void)snprintf(run->error, run->error_size,
                       "found no answer in %u clocks, and an operation that the driver does not "
                       "accept, expected fewer receives at a time: at most %" PRIu64 " have ids",
                       SILENCE_CLOCKS, run->ids);
        return -1;
    }
    if (count == 0 && tmu_progress(run->device, PROGRESS_CLOCKS) != TMU_OK) {
        return run_fails(run, "device");
    }
    return 0;
}

int run_drain(run_t *run) {
    uint64_t before;
    do {
        before = run->polled;
        if (run_collect(run) != 0) {
            return -1;
        }
    } while (run->polled != before || queue_set_in_flight(&run->set) != 0);
    return 0;
}
