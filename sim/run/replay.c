/* SPDX-License-Identifier: Apache-2.0 */
#include "replay.h"

#include "replay_run.h"
#include "submit.h"
#include "tmu/tmu_regs.h"

#include <inttypes.h>
#include <stdlib.h>

/* Waits until the trace's time for this operation; idle time is skipped, not simulated. */
static int wait_for_time(run_t *run, const tmu_trace_op_t *op) {
    if (!run->options->timed || op->time_ns == TMU_TRACE_NO_TIME) {
        return 0;
    }
    const uint64_t due = (uint64_t)((double)op->time_ns * run->options->clock_mhz / 1000.0);
    for (;;) {
        const uint64_t now = tmu_clock(run->device) - run->start_clock + run->skipped_clocks;
        if (now >= due) {
            return 0;
        }
        if (queue_set_in_flight(&run->set) == 0) {
            run->skipped_clocks += due - now;
            return 0;
        }
        if (run_collect(run) != 0) {
            return -1;
        }
    }
}

static void tell_progress(run_t *run) {
    const time_t now = time(NULL);
    if (!run->options->progress || now == run->progress_time) {
        return;
    }
    run->progress_time = now;
    (void)fprintf(stderr, "progress %" PRIu64 " %zu\n", run->answered, run->workload->count);
}

/* R14: what the ledger says is left must be what the unit says that it has.  Only for soaks: asking
 * an endpoint takes as long as many operations. */
static int check_depths(run_t *run) {
    for (uint32_t i = 0; i < run->endpoints; ++i) {
        tmu_depth_t depth;
        if (!ledger_knows(run->ledger, i)) {
            continue;
        }
        if (tmu_depth(run->device, i, &depth) != TMU_OK) {
            return run_fails(run, "depth");
        }
        ledger_depth(run->ledger, i, &depth);
    }
    return 0;
}

/* Judges what the unit has done since its last reset, and adds it to the result; nothing is in
 * flight. */
static int end_life(run_t *run) {
    replay_result_t life = {0};
    checker_finish(run->checker);
    if (tmu_counters(run->device, life.counters, REPLAY_COUNTERS_MAX, &life.counter_count) !=
            TMU_OK ||
        tmu_flow_stats(run->device, &life.flow) != TMU_OK ||
        tmu_spill_stats(run->device, &life.spill) != TMU_OK) {
        return run_fails(run, "counters");
    }
    run->held += life.flow.held_now;
    ledger_still(run->ledger, life.flow.held_now);
    if (run->workload->event_count > 0 && check_depths(run) != 0) {
        return -1;
    }
    if (!run->set.shared) { /* the unit counts for all sessions */
        checker_compare_counters(run->checker, life.counters, life.counter_count);
    }
    life.model_counter_count = checker_counters(run->checker, life.model_counters);
    checker_endpoint_depths(run->checker, life.endpoint_depth_max);
    life.clocks = replay_counter(life.counters, life.counter_count, "last_verdict") -
                  replay_counter(life.counters, life.counter_count, "first_accept");
    result_add(run->result, &life);
    return 0;
}

/* Resets the unit, or gives an endpoint other quotas or reserves. */
static int apply_event(run_t *run, const workload_event_t *event) {
    const uint32_t endpoint = event->endpoint;
    if (run_drain(run) != 0) {
        return -1;
    }
    if (event->kind == WORKLOAD_QUOTA) {
        if (tmu_quota_set(run->device, endpoint, event->posted, event->unexpected) != TMU_OK) {
            return run_fails(run, "quota");
        }
        checker_set_quota(run->checker, endpoint, (tmu_depth_t){event->posted, event->unexpected});
        ++run->result->quota_changes;
        return 0;
    }
    if (event->kind == WORKLOAD_RESERVE) {
        if (tmu_reserve_set(run->device, endpoint, event->posted, event->unexpected) != TMU_OK) {
            return run_fails(run, "reserve");
        }
        checker_set_reserve(run->checker, endpoint,
                            (tmu_depth_t){event->posted, event->unexpected});
        ++run->result->reserve_changes;
        return 0;
    }
    if (end_life(run) != 0) {
        return -1;
    }
    if (tmu_reset(run->device) != TMU_OK) {
        return run_fails(run, "reset");
    }
    ++run->result->resets;
    run->last_verdict_clock = tmu_clock(run->device);
    ledger_reset(run->ledger);
    if (checker_restart(run->checker)) {
        return 0;
    }
    (void)snprintf(run->error, run->error_size, "no memory for a model after a reset");
    return -1;
}

static int report_missing_queue(run_t *run, const tmu_trace_op_t *op) {
    (void)snprintf(run->error, run->error_size,
                   "line %" PRIu64 ": found endpoint %" PRIu32
                   ", expected one below %zu: more of them by ?endpoints=NUMBER",
                   op->line, op->endpoint, run->set.count);
    return -1;
}

static int offer_all(run_t *run) {
    const workload_t *workload = run->workload;
    size_t next = 0; /* event */
    for (size_t i = 0; i < workload->count; ++i) {
        for (; next < workload->event_count && workload->events[next].before == i; ++next) {
            if (apply_event(run, &workload->events[next]) != 0) {
                return -1;
            }
        }
        if (wait_for_time(run, &workload->ops[i]) != 0) {
            return -1;
        }
        if (i == 0) {
            run->lead = run->skipped_clocks;
        }
        tmu_queue_t *queue = queue_set_find(&run->set, workload->ops[i].endpoint);
        if (!queue) {
            return report_missing_queue(run, &workload->ops[i]);
        }
        for (;;) {
            const tmu_result_t result = submit_operation(queue, workload, i, run->receives);
            if (result == TMU_OK) {
                break;
            }
            if (result != TMU_AGAIN) {
                return run_fails(run, "submit");
            }
            if (run_collect(run) != 0) {
                return -1;
            }
            run->offering = true;
        }
        run->offering = false;
        operation_ledger_sent(run->ledger, workload, i);
        tell_progress(run);
    }
    return run_drain(run);
}

static int finish(run_t *run) {
    replay_result_t *result = run->result;
    if (end_life(run) != 0) {
        return -1;
    }
    result->operations = run->workload->count;
    if (run_log(run) != 0) {
        return -1;
    }
    if (result->held != run->held && run_mismatches(run) == 0) {
        (void)snprintf(run->error, run->error_size,
                       "%" PRIu64 " operations have no verdict and %" PRIu64 " are held back",
                       result->held, run->held);
        return -1;
    }
    result->ledger = ledger_counts(run->ledger);
    result->mismatches = run_mismatches(run);
    if (result->first_difference == 0 && result->mismatches > 0) {
        result->first_difference = tmu_clock(run->device); /* by what was counted, at the end */
    }
    result->skipped_clocks = run->skipped_clocks - run->lead;
    result->clocks += result->skipped_clocks;
    result->unit_latency = result_latency(run->unit_latencies);
    result->host_latency = result_latency(run->host_latencies);
    return 0;
}

/* A session's reserves are those that it was granted. */
static int set_limits(run_t *run, const tmu_info_t *info, uint32_t quota, uint32_t reserve) {
    for (uint32_t endpoint = 0; endpoint < info->endpoints; ++endpoint) {
        if (tmu_quota_set(run->device, endpoint, quota, quota) != TMU_OK ||
            (!info->shared && tmu_reserve_set(run->device, endpoint, reserve, reserve) != TMU_OK)) {
            return run_fails(run, "quota and reserve");
        }
    }
    return 0;
}

static int open_queues(run_t *run, const tmu_info_t *info) {
    if (tmu_reset(run->device) != TMU_OK) {
        return run_fails(run, "reset");
    }
    if (run->options->quota != 0 &&
        set_limits(run, info, run->options->quota, run->options->reserve) != 0) {
        return -1;
    }
    if (queue_set_open(&run->set, run->device, checker_observe, run->checker) != TMU_OK) {
        return run_fails(run, "queue");
    }
    run->start_clock = run->last_verdict_clock = tmu_clock(run->device);
    return 0;
}

int replay_spill(tmu_t *device, const replay_options_t *options, char *error, size_t error_size) {
    tmu_info_t info;
    run_t run = {.device = device, .error = error, .error_size = error_size};
    if (tmu_query(device, &info) != TMU_OK) {
        return run_fails(&run, "query");
    }
    if (info.shared && options->spill == REPLAY_SPILL_MOST) {
        return 0; /* whoever shares the unit has registered it */
    }
    const uint64_t segments =
        options->spill == REPLAY_SPILL_MOST ? info.spill_segments : options->spill;
    return tmu_spill_add(device, (uint32_t)segments) == TMU_OK ? 0
                                                               : run_fails(&run, "spill memory");
}

int replay_run(tmu_t *device, const workload_t *workload, const replay_options_t *options,
               replay_result_t *result, char *error, size_t error_size) {
    *result = (replay_result_t){0};
    run_t run = {.device = device, .workload = workload, .options = options, .result = result};
    run.error = error;
    run.error_size = error_size;
    tmu_info_t info;
    if (tmu_query(device, &info) != TMU_OK) {
        return run_fails(&run, "query");
    }
    tmu_spill_stats_t spill;
    if (tmu_spill_stats(device, &spill) != TMU_OK) {
        return run_fails(&run, "spill memory");
    }
    const checker_limits_t limits = {.quota = options->quota,
                                     .reserve = options->reserve,
                                     .chunks = spill.segments *
                                               (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)};
    run.checker = checker_create(&info, &limits, workload, stderr);
    run.ledger = operation_ledger_create(workload, info.endpoints, stderr);
    run.endpoints = info.endpoints;
    run.ids = (UINT64_C(1) << info.id_bits) - 1;
    run.receives = calloc(workload->count + 1, sizeof *run.receives);
    run.outcomes = calloc(workload->count + 1, sizeof *run.outcomes);
    run.unit_latencies = calloc(RESULT_LATENCIES, sizeof *run.unit_latencies);
    run.host_latencies = calloc(RESULT_LATENCIES, sizeof *run.host_latencies);
    int outcome = -1;
    if (!run.checker || !run.ledger || !run.outcomes || !run.receives || !run.unit_latencies ||
        !run.host_latencies) {
        (void)snprintf(error, error_size, "no memory for %zu operations", workload->count);
    } else if (open_queues(&run, &info) == 0 && offer_all(&run) == 0) {
        outcome = finish(&run);
    }
    if (run.checker && run.ledger && run_mismatches(&run) > result->mismatches) {
        result->mismatches = run_mismatches(&run);
    }
    if (run.set.count > 0) {
        (void)tmu_reset(device); /* lets go of arrivals that are still held back */
        if (options->quota != 0 && outcome == 0) {
            outcome = set_limits(&run, &info, 0, 0);
        }
    }
    queue_set_close(&run.set);
    checker_destroy(run.checker);
    ledger_destroy(run.ledger);
    free(run.outcomes);
    free(run.receives);
    free(run.unit_latencies);
    free(run.host_latencies);
    return outcome;
}
