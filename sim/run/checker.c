/* SPDX-License-Identifier: Apache-2.0 */
#include "checker.h"

#include "describe.h"
#include "operations.h"
#include "serial_order.h"
#include "tmu_model_completion.h"
#include "trace_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HISTORY_MAX 24

/* The quotas and reserves of an endpoint, which a reset leaves as they are. */
typedef struct {
    tmu_depth_t quota;
    tmu_depth_t reserve;
} limits_t;

struct checker {
    const workload_t *workload;
    tmu_model_config_t config;
    uint64_t chunks;  /* of registered memory */
    limits_t *limits; /* by endpoint */
    tmu_model_t *model;
    FILE *report;
    uint64_t mismatches;
    serial_order_t *order;
    trace_order_t *trace_order;
    /* Entries that flushes reported whose own verdict has not had its turn. */
    tmu_completion_t *reports;
    size_t report_count;
    size_t report_room;
    /* Entries that the model removed in the flush at hand. */
    tmu_model_entry_t *removed;
    size_t removed_count;
    size_t removed_room;
    bool no_memory;
    tally_t tally;
    bool deferred; /* the unit overtook commands of one endpoint with those of others */
};

static void judge(void *user, const tmu_completion_t *found);

/* A model and orders that know nothing yet, with the limits as they are. */
static bool start(checker_t *checker) {
    const uint32_t endpoints = checker->config.endpoints;
    checker->tally = (tally_t){0};
    checker->order = serial_order_create(endpoints, judge, checker);
    checker->trace_order = trace_order_create(endpoints);
    if (tmu_model_create(&checker->config, &checker->model) != TMU_MODEL_OK || !checker->order ||
        !checker->trace_order) {
        return false;
    }
    tmu_model_add_chunks(checker->model, checker->chunks);
    for (uint32_t i = 0; i < endpoints; ++i) {
        checker_set_quota(checker, i, checker->limits[i].quota);
        checker_set_reserve(checker, i, checker->limits[i].reserve);
    }
    return true;
}

static void stop(checker_t *checker) {
    tmu_model_destroy(checker->model);
    serial_order_destroy(checker->order);
    trace_order_destroy(checker->trace_order);
    checker->model = NULL;
    checker->order = NULL;
    checker->trace_order = NULL;
}

checker_t *checker_create(const tmu_info_t *info, const checker_limits_t *limits,
                          const workload_t *workload, FILE *report) {
    checker_t *checker = calloc(1, sizeof *checker);
    if (!checker) {
        return NULL;
    }
    checker->config = (tmu_model_config_t){
        .endpoints = info->endpoints,
        .posted_capacity = info->posted_entries,
        .unexpected_capacity = info->unexpected_entries,
    };
    checker->chunks = limits->chunks;
    checker->workload = workload;
    checker->report = report;
    checker->limits = calloc(info->endpoints, sizeof *checker->limits);
    for (uint32_t i = 0; checker->limits && i < info->endpoints; ++i) {
        checker->limits[i] =
            (limits_t){{limits->quota, limits->quota}, {limits->reserve, limits->reserve}};
    }
    if (!checker->limits || !start(checker)) {
        checker_destroy(checker);
        return NULL;
    }
    return checker;
}

void checker_destroy(checker_t *checker) {
    if (!checker) {
        return;
    }
    stop(checker);
    free(checker->limits);
    free(checker->reports);
    free(checker->removed);
    free(checker);
}

uint64_t checker_mismatches(const checker_t *checker) { return checker->mismatches; }

void checker_set_quota(checker_t *checker, uint32_t endpoint, tmu_depth_t quota) {
    checker->limits[endpoint].quota = quota;
    (void)tmu_model_set_quota(checker->model, endpoint, quota.posted, quota.unexpected);
}

void checker_set_reserve(checker_t *checker, uint32_t endpoint, tmu_depth_t reserve) {
    checker->limits[endpoint].reserve = reserve;
    (void)tmu_model_set_reserve(checker->model, endpoint, reserve.posted, reserve.unexpected);
}

bool checker_restart(checker_t *checker) {
    stop(checker);
    checker->report_count = 0;
    return start(checker);
}

static void keep_removed(void *context, const tmu_model_entry_t *entry) {
    checker_t *checker = context;
    if (checker->removed_count == checker->removed_room) {
        const size_t room = checker->removed_room == 0 ? 64 : 2 * checker->removed_room;
        tmu_model_entry_t *grown = realloc(checker->removed, room * sizeof *grown);
        if (!grown) {
            checker->no_memory = true;
            return;
        }
        checker->removed = grown;
        checker->removed_room = room;
    }
    checker->removed[checker->removed_count++] = *entry;
}

/* R11: of memory that may be full only the unit knows whether it is, by how its entries lie there.
 */
static void take_its_word(checker_t *checker, const tmu_trace_op_t *op,
                          const tmu_completion_t *found) {
    tmu_model_t *model = checker->model;
    const bool post = found->status == TMU_STATUS_REFUSED_QUOTA &&
                      tmu_model_may_be_full(model, op->endpoint, TMU_MODEL_POSTED);
    const bool arrival = found->status == TMU_STATUS_STALLED &&
                         tmu_model_may_be_full(model, op->endpoint, TMU_MODEL_UNEXPECTED);
    tmu_model_set_full(model, post, arrival);
}

/* Carries the operation out in the model. */
static tmu_model_verdict_t expect(checker_t *checker, const tmu_trace_op_t *op) {
    tmu_model_question_t question = {.operation = op->kind,
                                     .endpoint = op->endpoint,
                                     .handle = op->id,
                                     .target = op->target,
                                     .receive_id = TMU_MODEL_NO_RECEIVE_ID,
                                     .address = operation_address(checker->workload, op),
                                     .length = op->bytes};
    TMU_MODEL_COPY_KEY(question.key, *op);
    if (op->kind == TMU_TRACE_FLUSH) {
        question.key = TMU_MODEL_EVERYTHING;
        checker->removed_count = 0;
    }
    const tmu_model_verdict_t verdict =
        tmu_model_ask(checker->model, &question, keep_removed, checker);
    tally_add(&checker->tally, op->kind, &verdict);
    return verdict;
}

/* An entry's number: those of arrivals and of all other operations are counted apart. */
typedef struct {
    uint64_t id;
    bool arrival;
} number_t;

static bool concerns(const tmu_trace_op_t *op, const number_t *numbers, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const bool arrival = op->kind == TMU_TRACE_ARRIVE;
        const bool named = op->kind == TMU_TRACE_CANCEL && op->target == numbers[i].id;
        if ((op->id == numbers[i].id && arrival == numbers[i].arrival) ||
            (named && !numbers[i].arrival)) {
            return true;
        }
    }
    return false;
}

/* The first difference in words, with every operation that names one of the entries concerned. */
static void report_difference(checker_t *checker, const tmu_trace_op_t *op,
                              const tmu_model_verdict_t *expected, const tmu_completion_t *found) {
    FILE *out = checker->report;
    if (checker->mismatches++ != 0) {
        return;
    }
    (void)fprintf(out, "first difference\n  operation: ");
    describe_op(out, op);
    (void)fprintf(out, "\n  expected:  ");
    describe_expected(out, expected);
    (void)fprintf(out, "\n  found:     ");
    describe_completion(out, found);
    (void)fprintf(out, "\n  history of the entries concerned:\n");
    const bool messages = op->kind == TMU_TRACE_POST || op->kind == TMU_TRACE_PROBE ||
                          op->kind == TMU_TRACE_CLAIM || found->unexpected;
    const number_t numbers[] = {
        {op->id, op->kind == TMU_TRACE_ARRIVE},
        {found->other, messages},
        {expected->other, messages},
    };
    size_t shown = 0;
    for (size_t i = 0; i < checker->workload->count && shown < HISTORY_MAX; ++i) {
        if (!concerns(&checker->workload->ops[i], numbers, sizeof numbers / sizeof numbers[0])) {
            continue;
        }
        (void)fprintf(out, "    ");
        describe_op(out, &checker->workload->ops[i]);
        (void)fprintf(out, "\n");
        ++shown;
    }
}

static void keep_report(checker_t *checker, const tmu_completion_t *found) {
    if (checker->report_count == checker->report_room) {
        const size_t room = checker->report_room == 0 ? 64 : 2 * checker->report_room;
        tmu_completion_t *grown = realloc(checker->reports, room * sizeof *grown);
        if (!grown) {
            checker->no_memory = true;
            return;
        }
        checker->reports = grown;
        checker->report_room = room;
    }
    checker->reports[checker->report_count++] = *found;
}

/*
 * Compares a flush's next report of a queue with what the model removed from it.
 * Each queue's reports come oldest first; with entries in memory those on chip come first, of both
 * queues, so between the queues there is no order.
 */
static void judge_removed(checker_t *checker, const tmu_trace_op_t *op, size_t *next_p,
                          const tmu_completion_t *found) {
    const tmu_model_queue_t queue = found->unexpected ? TMU_MODEL_UNEXPECTED : TMU_MODEL_POSTED;
    tmu_model_verdict_t expected = {.status = TMU_MODEL_NONE};
    size_t index = *next_p;
    while (index < checker->removed_count && checker->removed[index].queue != queue) {
        ++index;
    }
    *next_p = index + 1;
    if (index < checker->removed_count) {
        const tmu_model_entry_t *entry = &checker->removed[index];
        const uint64_t length = found->unexpected ? found->message_length : found->receive_length;
        if (found->other == entry->handle && TMU_KEY_SAME_VALUES(*found, entry->key) &&
            found->address == entry->address && length == entry->length) {
            return;
        }
        expected.other = entry->handle;
        TMU_MODEL_COPY_VALUES(expected, entry->key);
        expected.address = entry->address;
    }
    report_difference(checker, op, &expected, found);
}

/* A flush at its turn in the order: first what it reported, then its verdict (R14). */
static void judge_flush(checker_t *checker, const tmu_trace_op_t *op,
                        const tmu_completion_t *found) {
    const tmu_model_verdict_t verdict = expect(checker, op);
    size_t next[2] = {0, 0}; /* by queue */
    size_t mine = 0;
    size_t left = 0;
    for (size_t i = 0; i < checker->report_count; ++i) {
        const tmu_completion_t report = checker->reports[i];
        if (report.handle != found->handle) {
            checker->reports[left++] = report;
            continue;
        }
        ++mine;
        judge_removed(checker, op, &next[report.unexpected], &report);
    }
    checker->report_count = left;
    const bool all_reported = verdict.status != TMU_MODEL_FLUSHED || mine == checker->removed_count;
    if (checker->no_memory || !all_reported || !tmu_model_agrees(&verdict, found)) {
        report_difference(checker, op, &verdict, found);
    }
}

/* One queue's operations keep their order in each endpoint (R7). */
static void judge_order(checker_t *checker, size_t index, const tmu_completion_t *found) {
    const tmu_trace_op_t *op = &checker->workload->ops[index];
    const trace_step_t step = {op->endpoint, index, op->kind == TMU_TRACE_ARRIVE,
                               found->status == TMU_STATUS_STALLED};
    if (trace_order_step(checker->trace_order, &step) || checker->mismatches++ != 0) {
        return;
    }
    (void)fprintf(checker->report, "first difference\n  operation: ");
    describe_op(checker->report, op);
    (void)fprintf(checker->report,
                  "\n  has serial number %" PRIu32
                  ", after a later operation of its endpoint (R7)\n",
                  found->serial);
}

/* A verdict whose turn has come. */
static void judge(void *user, const tmu_completion_t *found) {
    checker_t *checker = user;
    const size_t index =
        workload_find(checker->workload, found->opcode == TMU_OPCODE_ARRIVE, found->handle);
    const tmu_trace_op_t *op = &checker->workload->ops[index];
    if (op->kind == TMU_TRACE_FLUSH) {
        judge_flush(checker, op, found);
    } else {
        take_its_word(checker, op, found);
        const tmu_model_verdict_t expected = expect(checker, op);
        if (!tmu_model_agrees(&expected, found)) {
            report_difference(checker, op, &expected, found);
        }
    }
    judge_order(checker, index, found);
}

void checker_observe(void *user, const tmu_completion_t *found) {
    checker_t *checker = user;
    const bool arrival = found->opcode == TMU_OPCODE_ARRIVE;
    if (workload_find(checker->workload, arrival, found->handle) == ID_MAP_NONE) {
        if (checker->mismatches++ == 0) {
            (void)fprintf(checker->report,
                          "first difference\n  a completion has the handle %" PRIu64
                          ", which no operation has (R15)\n",
                          found->handle);
        }
    } else if (found->status == TMU_STATUS_REMOVED) {
        keep_report(checker, found);
    } else if (found->status == TMU_STATUS_REFUSED_ENDPOINT) {
        judge(checker, found); /* no queue, no number */
    } else if (!serial_order_put(checker->order, found)) {
        checker->no_memory = true;
    }
}

void checker_finish(checker_t *checker) {
    uint32_t endpoint = 0;
    uint32_t serial = 0;
    const size_t waiting = serial_order_waiting(checker->order, &endpoint, &serial);
    if (checker->no_memory && checker->mismatches++ == 0) {
        (void)fprintf(checker->report, "no memory to check every completion\n");
    }
    if ((waiting > 0 || checker->report_count > 0) && checker->mismatches++ == 0) {
        (void)fprintf(
            checker->report,
            "first difference\n  %zu verdicts and %zu reports of a flush wait for others; "
            "endpoint %" PRIu32 " never had serial number %" PRIu32 " (R7)\n",
            waiting, checker->report_count, endpoint, serial);
    }
}

size_t checker_counters(const checker_t *checker, tmu_counter_t counters[TALLY_COUNTERS]) {
    tmu_model_stats_t stats;
    tmu_model_stats(checker->model, &stats);
    return tally_counters(&checker->tally, &stats, !checker->deferred, counters);
}

void checker_endpoint_depths(const checker_t *checker, uint64_t depths[2]) {
    tmu_model_stats_t stats;
    tmu_model_stats(checker->model, &stats);
    depths[0] = stats.endpoint_posted_max;
    depths[1] = stats.endpoint_unexpected_max;
}

void checker_compare_counters(checker_t *checker, const tmu_counter_t *counters, size_t count) {
    tmu_counter_t expected[TALLY_COUNTERS];
    for (size_t i = 0; i < count; ++i) {
        checker->deferred = checker->deferred || (strcmp(counters[i].name, "spill_deferred") == 0 &&
                                                  counters[i].value > 0);
    }
    const size_t expected_count = checker_counters(checker, expected);
    for (size_t i = 0; i < expected_count; ++i) {
        size_t j = 0;
        while (j < count && strcmp(counters[j].name, expected[i].name) != 0) {
            ++j;
        }
        if (j < count && counters[j].value == expected[i].value) {
            continue;
        }
        if (checker->mismatches++ == 0) {
            (void)fprintf(checker->report,
                          "first difference\n  the unit's counter %s is %" PRIu64
                          ", the model counted %" PRIu64 "\n",
                          expected[i].name, j < count ? counters[j].value : 0, expected[i].value);
        }
    }
}
