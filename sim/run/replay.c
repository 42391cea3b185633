// SPDX-License-Identifier: Apache-2.0
#include "replay.h"

#include "log_line.h"
#include "operation_ledger.h"
#include "queue_set.h"
#include "submit.h"
#include "tmu/tmu_regs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#define POLL_MAX 64
#define PROGRESS_CLOCKS 256
/* Far above what the slowest command takes: a flush reports an entry each 2,048 clocks at least. */
#define SILENCE_CLOCKS (1u << 20)

typedef struct {
    tmu_t *device;
    queue_set_t set;
    checker_t *checker;
    ledger_t *ledger;
    const workload_t *workload;
    const replay_options_t *options;
    replay_result_t *result;
    uint64_t held;              /* arrivals that never had a verdict, by the driver's count */
    tmu_log_record_t *outcomes; /* by place in the workload; verdict 0 = not answered yet */
    tmu_receive_id_t *receives; /* by place */
    uint64_t *unit_latencies;   /* how often each was seen */
    uint64_t *host_latencies;
    uint64_t answered; /* operations */
    uint64_t polled;   /* completions, reports of flushes included */
    uint32_t endpoints;
    uint64_t ids; /* of receives, at most */
    uint64_t skipped_clocks;
    uint64_t lead; /* of the skipped clocks: before the first operation */
    uint64_t start_clock;
    uint64_t heard;  /* clock at which the device last gave a verdict */
    uint64_t stalls; /* stalled attempts until then */
    bool offering;   /* an operation has not been accepted yet */
    uint64_t moved;  /* clock at which it was offered first, or an operation was answered since */
    time_t told;
    char *error;
    size_t error_size;
} run_t;

static int fail(run_t *run, const char *what) {
    (void)snprintf(run->error, run->error_size, "%s: %s", what, tmu_error_text(run->device));
    return -1;
}

/* Differences from the law, and complaints of the ledger. */
static uint64_t mismatches(const run_t *run) {
    return checker_mismatches(run->checker) + ledger_complaints(run->ledger);
}

static void record(run_t *run, const tmu_completion_t *c) {
    if (c->status == TMU_STATUS_REMOVED)
        return; /* a report of a flush, whose verdict follows */
    ++run->unit_latencies[c->unit_latency];
    ++run->host_latencies[c->host_latency];
    const size_t place = workload_find(run->workload, c->opcode == TMU_OPCODE_ARRIVE, c->handle);
    if (place == ID_MAP_NONE)
        return; /* the checker has counted it */
    run->outcomes[place] = log_line_of(c);
    ++run->answered;
}

/* Whether a device with operations in flight has given no verdict for far too long. */
static bool is_silent(run_t *run, size_t count) {
    tmu_flow_stats_t flow = {0};
    (void)tmu_flow_stats(run->device, &flow);
    const uint64_t now = tmu_clock(run->device);
    if (count != 0 || flow.stalls != run->stalls || queue_set_in_flight(&run->set) == 0) {
        run->heard = now;
        run->stalls = flow.stalls;
    }
    return now - run->heard > SILENCE_CLOCKS;
}

/* Whether nothing was answered for far too long while an operation waits to be accepted. */
static bool is_stuck(run_t *run, size_t count) {
    const uint64_t now = tmu_clock(run->device);
    if (count != 0 || !run->offering)
        run->moved = now;
    return now - run->moved > SILENCE_CLOCKS;
}

/* Takes what is there; advances a simulated device when nothing is. */
static int collect(run_t *run) {
    tmu_completion_t completions[POLL_MAX];
    size_t count = 0;
    for (size_t q = 0; q < run->set.count; ++q) {
        size_t some = 0;
        if (tmu_poll(run->set.queues[q], completions, POLL_MAX, &some) != TMU_OK)
            return fail(run, "poll");
        count += some;
        for (size_t i = 0; i < some; ++i) {
            ledger_take(run->ledger, &completions[i]);
            record(run, &completions[i]);
        }
    }
    run->polled += count;
    if (run->result->first_difference == 0 && mismatches(run) > 0)
        run->result->first_difference = tmu_clock(run->device);
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
    if (count == 0 && tmu_progress(run->device, PROGRESS_CLOCKS) != TMU_OK)
        return fail(run, "device");
    return 0;
}

/* Waits until the trace's time for this operation; idle time is skipped, not simulated. */
static int wait_for_time(run_t *run, const tmu_trace_op_t *op) {
    if (!run->options->timed || op->time_ns == TMU_TRACE_NO_TIME)
        return 0;
    const uint64_t due = (uint64_t)((double)op->time_ns * run->options->clock_mhz / 1000.0);
    for (;;) {
        const uint64_t now = tmu_clock(run->device) - run->start_clock + run->skipped_clocks;
        if (now >= due)
            return 0;
        if (queue_set_in_flight(&run->set) == 0) {
            run->skipped_clocks += due - now;
            return 0;
        }
        if (collect(run) != 0)
            return -1;
    }
}

static void tell_progress(run_t *run) {
    const time_t now = time(NULL);
    if (!run->options->progress || now == run->told)
        return;
    run->told = now;
    (void)fprintf(stderr, "progress %" PRIu64 " %zu\n", run->answered, run->workload->count);
}

/* Until nothing is in flight.  Held arrivals that nothing can admit stay held (R11). */
static int drain(run_t *run) {
    uint64_t before;
    do {
        before = run->polled;
        if (collect(run) != 0)
            return -1;
    } while (run->polled != before || queue_set_in_flight(&run->set) != 0);
    return 0;
}

/* R14: what the ledger says is left must be what the unit says that it has.  Only for soaks: asking
 * an endpoint takes as long as many operations. */
static int check_depths(run_t *run) {
    for (uint32_t i = 0; i < run->endpoints; ++i) {
        tmu_depth_t depth;
        if (!ledger_knows(run->ledger, i))
            continue;
        if (tmu_depth(run->device, i, &depth) != TMU_OK)
            return fail(run, "depth");
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
        tmu_spill_stats(run->device, &life.spill) != TMU_OK)
        return fail(run, "counters");
    run->held += life.flow.held_now;
    ledger_still(run->ledger, life.flow.held_now);
    if (run->workload->event_count > 0 && check_depths(run) != 0)
        return -1;
    if (!run->set.shared) /* the unit counts for all sessions */
        checker_compare_counters(run->checker, life.counters, life.counter_count);
    life.model_counter_count = checker_counters(run->checker, life.model_counters);
    checker_endpoint_depths(run->checker, life.endpoint_depth_max);
    life.clocks = replay_counter(life.counters, life.counter_count, "last_verdict") -
                  replay_counter(life.counters, life.counter_count, "first_accept");
    result_add(run->result, &life);
    return 0;
}

/* Resets the unit, or gives an endpoint other quotas or reserves. */
static int happen(run_t *run, const workload_event_t *event) {
    const uint32_t endpoint = event->endpoint;
    if (drain(run) != 0)
        return -1;
    if (event->kind == WORKLOAD_QUOTA) {
        if (tmu_quota_set(run->device, endpoint, event->posted, event->unexpected) != TMU_OK)
            return fail(run, "quota");
        checker_set_quota(run->checker, endpoint, (tmu_depth_t){event->posted, event->unexpected});
        ++run->result->quota_changes;
        return 0;
    }
    if (event->kind == WORKLOAD_RESERVE) {
        if (tmu_reserve_set(run->device, endpoint, event->posted, event->unexpected) != TMU_OK)
            return fail(run, "reserve");
        checker_set_reserve(run->checker, endpoint,
                            (tmu_depth_t){event->posted, event->unexpected});
        ++run->result->reserve_changes;
        return 0;
    }
    if (end_life(run) != 0)
        return -1;
    if (tmu_reset(run->device) != TMU_OK)
        return fail(run, "reset");
    ++run->result->resets;
    run->heard = tmu_clock(run->device);
    ledger_reset(run->ledger);
    if (checker_restart(run->checker))
        return 0;
    (void)snprintf(run->error, run->error_size, "no memory for a model after a reset");
    return -1;
}

static int no_queue(run_t *run, const tmu_trace_op_t *op) {
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
        for (; next < workload->event_count && workload->events[next].before == i; ++next)
            if (happen(run, &workload->events[next]) != 0)
                return -1;
        if (wait_for_time(run, &workload->ops[i]) != 0)
            return -1;
        if (i == 0)
            run->lead = run->skipped_clocks;
        tmu_queue_t *queue = queue_set_find(&run->set, workload->ops[i].endpoint);
        if (queue == NULL)
            return no_queue(run, &workload->ops[i]);
        for (;;) {
            const tmu_result_t result = submit_operation(queue, workload, i, run->receives);
            if (result == TMU_OK)
                break;
            if (result != TMU_AGAIN)
                return fail(run, "submit");
            if (collect(run) != 0)
                return -1;
            run->offering = true;
        }
        run->offering = false;
        operation_ledger_sent(run->ledger, workload, i);
        tell_progress(run);
    }
    return drain(run);
}

/* Counts the verdicts and writes the log.  A unit that is known to be wrong may have given one that
 * its operation cannot have; it has no line then. */
static int write_log(run_t *run) {
    replay_result_t *result = run->result;
    const bool right = mismatches(run) == 0;
    for (size_t i = 0; i < run->workload->count; ++i) {
        const tmu_trace_op_t *op = &run->workload->ops[i];
        tmu_log_record_t *log = &run->outcomes[i];
        if (log->verdict == 0 && op->kind == TMU_TRACE_ARRIVE) {
            log->verdict = TMU_LOG_HELD;
            ++result->held;
        }
        result->matches += log->verdict == TMU_LOG_MATCHED;
        result->refused +=
            log->verdict == TMU_LOG_REFUSED_QUOTA || log->verdict == TMU_LOG_REFUSED_ENDPOINT;
        result->refused_endpoint += log->verdict == TMU_LOG_REFUSED_ENDPOINT;
        if (run->options->verdicts != NULL && tmu_log_write(run->options->verdicts, op, log) != 0 &&
            right) {
            (void)snprintf(run->error, run->error_size,
                           "cannot write the verdict of line %" PRIu64 " to the log", op->line);
            return -1;
        }
    }
    return 0;
}

static int finish(run_t *run) {
    replay_result_t *result = run->result;
    if (end_life(run) != 0)
        return -1;
    result->operations = run->workload->count;
    if (write_log(run) != 0)
        return -1;
    if (result->held != run->held && mismatches(run) == 0) {
        (void)snprintf(run->error, run->error_size,
                       "%" PRIu64 " operations have no verdict and %" PRIu64 " are held back",
                       result->held, run->held);
        return -1;
    }
    result->ledger = ledger_counts(run->ledger);
    result->mismatches = mismatches(run);
    if (result->first_difference == 0 && result->mismatches > 0)
        result->first_difference = tmu_clock(run->device); /* by what was counted, at the end */
    result->skipped_clocks = run->skipped_clocks - run->lead;
    result->clocks += result->skipped_clocks;
    result->unit_latency = result_latency(run->unit_latencies);
    result->host_latency = result_latency(run->host_latencies);
    return 0;
}

/* A session's reserves are those that it was granted. */
static int set_limits(run_t *run, const tmu_info_t *info, uint32_t quota, uint32_t reserve) {
    for (uint32_t endpoint = 0; endpoint < info->endpoints; ++endpoint)
        if (tmu_quota_set(run->device, endpoint, quota, quota) != TMU_OK ||
            (!info->shared && tmu_reserve_set(run->device, endpoint, reserve, reserve) != TMU_OK))
            return fail(run, "quota and reserve");
    return 0;
}

static int open_queues(run_t *run, const tmu_info_t *info) {
    if (tmu_reset(run->device) != TMU_OK)
        return fail(run, "reset");
    if (run->options->quota != 0 &&
        set_limits(run, info, run->options->quota, run->options->reserve) != 0)
        return -1;
    if (queue_set_open(&run->set, run->device, checker_observe, run->checker) != TMU_OK)
        return fail(run, "queue");
    run->start_clock = run->heard = tmu_clock(run->device);
    return 0;
}

int replay_spill(tmu_t *device, const replay_options_t *options, char *error, size_t error_size) {
    tmu_info_t info;
    run_t run = {.device = device, .error = error, .error_size = error_size};
    if (tmu_query(device, &info) != TMU_OK)
        return fail(&run, "query");
    if (info.shared && options->spill == REPLAY_SPILL_MOST)
        return 0; /* whoever shares the unit has registered it */
    const uint64_t segments =
        options->spill == REPLAY_SPILL_MOST ? info.spill_segments : options->spill;
    return tmu_spill_add(device, (uint32_t)segments) == TMU_OK ? 0 : fail(&run, "spill memory");
}

int replay_run(tmu_t *device, const workload_t *workload, const replay_options_t *options,
               replay_result_t *result, char *error, size_t error_size) {
    *result = (replay_result_t){0};
    run_t run = {.device = device, .workload = workload, .options = options, .result = result};
    run.error = error;
    run.error_size = error_size;
    tmu_info_t info;
    if (tmu_query(device, &info) != TMU_OK)
        return fail(&run, "query");
    tmu_spill_stats_t spill;
    if (tmu_spill_stats(device, &spill) != TMU_OK)
        return fail(&run, "spill memory");
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
    if (run.checker == NULL || run.ledger == NULL || run.outcomes == NULL || run.receives == NULL ||
        run.unit_latencies == NULL || run.host_latencies == NULL)
        (void)snprintf(error, error_size, "no memory for %zu operations", workload->count);
    else if (open_queues(&run, &info) == 0 && offer_all(&run) == 0)
        outcome = finish(&run);
    if (run.checker != NULL && run.ledger != NULL && mismatches(&run) > result->mismatches)
        result->mismatches = mismatches(&run);
    if (run.set.count > 0) {
        (void)tmu_reset(device); /* lets go of arrivals that are still held back */
        if (options->quota != 0 && outcome == 0)
            outcome = set_limits(&run, &info, 0, 0);
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
