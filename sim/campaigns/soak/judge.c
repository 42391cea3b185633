/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include "removals.h"
#include "serial_order.h"
#include "tmu_model_completion.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 400
/* Verdicts of an endpoint that wait for one before them: more than can ever be in flight. */
#define WAITING_MOST 64

typedef struct bench {
    tmu_depth_t quota;
    tmu_depth_t coming; /* that follow, if `between` */
    uint64_t orders[2]; /* from which on they surely hold */
    bool between;
    uint64_t last[2]; /* orders of the last verdicts, and 1 */
    removals_t removals;
} bench_t;

struct judge {
    bench_t *benches; /* by endpoint */
    uint32_t endpoints;
    ledger_t *ledger;
    FILE *report;
    tmu_model_t *model;
    serial_order_t *order;
    judge_counts_t counts;
    const operation_t *flush; /* that is being judged */
    size_t next[2];           /* its reports that come next, of receives and of messages */
    bool agrees;              /* of what was removed so far */
    bool done;                /* the next verdict has been carried out */
    bool no_memory;
};

static void take(void *user, const tmu_completion_t *found);

static void set_quota(judge_t *judge, uint32_t endpoint, tmu_depth_t quota) {
    judge->benches[endpoint].quota = quota;
    (void)tmu_model_set_quota(judge->model, endpoint, quota.posted, quota.unexpected);
}

static bool start(judge_t *judge) {
    const tmu_model_config_t config = {.endpoints = judge->endpoints};
    judge->order = serial_order_create(judge->endpoints, take, judge);
    if (tmu_model_create(&config, &judge->model) != TMU_MODEL_OK || !judge->order) {
        return false;
    }
    for (uint32_t i = 0; i < judge->endpoints; i++) {
        bench_t *bench = &judge->benches[i];
        set_quota(judge, i, bench->between ? bench->coming : bench->quota);
        bench->between = false;
        bench->removals.count = 0;
        memset(bench->last, 0, sizeof bench->last);
    }
    return true;
}

static void stop(judge_t *judge) {
    serial_order_destroy(judge->order);
    tmu_model_destroy(judge->model);
    judge->order = NULL;
    judge->model = NULL;
}

judge_t *judge_create(uint32_t endpoints, ledger_t *ledger, FILE *report) {
    judge_t *judge = calloc(1, sizeof *judge);
    if (!judge) {
        return NULL;
    }
    *judge = (judge_t){.endpoints = endpoints, .ledger = ledger, .report = report};
    judge->benches = calloc(endpoints, sizeof *judge->benches);
    if (judge->benches && start(judge)) {
        return judge;
    }
    judge_destroy(judge);
    return NULL;
}

void judge_destroy(judge_t *judge) {
    if (!judge) {
        return;
    }
    stop(judge);
    for (uint32_t i = 0; judge->benches && i < judge->endpoints; i++) {
        removals_free(&judge->benches[i].removals);
    }
    free(judge->benches);
    free(judge);
}

/* ---- differences ----------------------------------------------------------------------------- */

static void differ(judge_t *judge, const operation_t *op, const tmu_completion_t *found,
                   const tmu_model_verdict_t *expected, const char *what) {
    char text[TEXT] = "none";
    if (judge->counts.differences++ != 0) {
        return;
    }
    if (op) {
        operation_text(op, text, sizeof text);
    }
    (void)fprintf(judge->report, "first difference: %s\n  operation: %s\n", what, text);
    (void)fprintf(judge->report,
                  "  found:     opcode %u status %u at endpoint %" PRIu32 ", serial %" PRIu32
                  ", handle 0x%" PRIx64 ", other 0x%" PRIx64 ", removed %" PRIu32 " and %" PRIu32
                  "\n",
                  found->opcode, found->status, found->endpoint, found->serial, found->handle,
                  found->other, found->removed_posted, found->removed_unexpected);
    if (expected) {
        (void)fprintf(judge->report,
                      "  expected:  %s, serial %" PRIu32 ", other 0x%" PRIx64 ", removed %" PRIu64
                      " and %" PRIu64 "\n",
                      tmu_model_status_text(expected->status), expected->serial, expected->other,
                      (uint64_t)expected->removed_posted, (uint64_t)expected->removed_unexpected);
    }
}

/* ---- quotas that change under way ------------------------------------------------------------ */

static bool fits(uint32_t quota, uint64_t depth) { return quota == 0 || depth < quota; }

/* Takes the coming quotas over when the operation was asked after the change, or when its answer
 * is that of the new ones and not of the old. */
static void settle(judge_t *judge, const operation_t *op, const tmu_completion_t *found) {
    bench_t *bench = &judge->benches[op->endpoint];
    const bool arrival = op->opcode == TMU_OPCODE_ARRIVE;
    const uint32_t old = arrival ? bench->quota.unexpected : bench->quota.posted;
    const uint32_t coming = arrival ? bench->coming.unexpected : bench->coming.posted;
    const uint64_t depth = tmu_model_depth(judge->model, op->endpoint,
                                           arrival ? TMU_MODEL_UNEXPECTED : TMU_MODEL_POSTED);
    const bool queued = found->status == TMU_STATUS_QUEUED;
    const bool appends =
        queued || found->status == TMU_STATUS_STALLED || found->status == TMU_STATUS_REFUSED_QUOTA;
    const bool new_answer = appends && fits(old, depth) != queued && fits(coming, depth) == queued;
    if (op->order < bench->orders[op->privileged] && !new_answer) {
        return;
    }
    bench->between = false;
    set_quota(judge, op->endpoint, bench->coming);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

static void compare_removed(void *context, const tmu_model_entry_t *entry) {
    judge_t *judge = context;
    const operation_t *flush = judge->flush;
    judge->agrees &= removals_next_is(&judge->benches[flush->endpoint].removals, flush->handle,
                                      judge->next, entry);
}

static void count(judge_t *judge, const operation_t *op, const tmu_model_verdict_t *v) {
    judge_counts_t *counts = &judge->counts;
    counts->verdicts++;
    counts->stalls += v->status == TMU_MODEL_STALLED;
    counts->refused += v->status == TMU_MODEL_REFUSED_QUOTA;
    counts->flushes += v->status == TMU_MODEL_FLUSHED;
    counts->cancelled += v->status == TMU_MODEL_CANCELLED;
    counts->late += v->status == TMU_MODEL_LATE;
    counts->matched += v->status == TMU_MODEL_MATCHED;
    if (v->status == TMU_MODEL_FLUSHED) {
        counts->removed += v->removed_posted + v->removed_unexpected;
    }
    if (v->status == TMU_MODEL_QUEUED) {
        const uint64_t depth = tmu_model_depth(
            judge->model, op->endpoint,
            op->opcode == TMU_OPCODE_ARRIVE ? TMU_MODEL_UNEXPECTED : TMU_MODEL_POSTED);
        counts->deepest = depth > counts->deepest ? depth : counts->deepest;
    }
}

static void compare(judge_t *judge, const operation_t *op, const tmu_completion_t *found) {
    const bool flushes = op->opcode == TMU_OPCODE_FLUSH && op->endpoint < judge->endpoints;
    judge->flush = op;
    judge->next[0] = judge->next[1] = 0;
    judge->agrees = true;
    const tmu_model_verdict_t expected = operation_law(op, judge->model, compare_removed, judge);
    judge->no_memory |= expected.status == TMU_MODEL_NO_MEMORY;
    count(judge, op, &expected);
    if (flushes) {
        judge->agrees &= removals_forget(&judge->benches[op->endpoint].removals, op->handle) ==
                         (size_t)expected.removed_posted + (size_t)expected.removed_unexpected;
    }
    if (!tmu_model_agrees(&expected, found) || found->opcode != op->opcode) {
        differ(judge, op, found, &expected, "the verdict is not the law's");
    } else if (!judge->agrees) {
        differ(judge, op, found, &expected, "a flush removed something else than the law (R14)");
    }
}

/* R7: a page's operations keep their order in each endpoint. */
static void compare_order(judge_t *judge, const operation_t *op, const tmu_completion_t *found) {
    uint64_t *last = &judge->benches[op->endpoint].last[op->privileged];
    if (op->order < *last) {
        differ(judge, op, found, NULL, "a later operation of its page came before it (R7)");
    }
    *last = op->order + 1;
}

/* A verdict whose turn has come. */
static void take(void *user, const tmu_completion_t *found) {
    judge_t *judge = user;
    if (judge->done) {
        judge->done = false;
        return;
    }
    const operation_t *asked = ledger_find(judge->ledger, found->handle);
    if (!asked) {
        differ(judge, NULL, found, NULL, "the handle was answered before (R15)");
        return;
    }
    const operation_t op = *asked; /* the ledger changes */
    if (op.endpoint < judge->endpoints) {
        if (judge->benches[op.endpoint].between) {
            settle(judge, &op, found);
        }
        compare_order(judge, &op, found);
        if (op.opcode == TMU_OPCODE_FLUSH) { /* whose own verdict the ledger gets only then */
            removals_tell(&judge->benches[op.endpoint].removals, op.handle, judge->ledger);
        }
    }
    ledger_take(judge->ledger, found);
    compare(judge, &op, found);
}

bool judge_put(judge_t *judge, const tmu_completion_t *found) {
    const operation_t *op = ledger_find(judge->ledger, found->handle);
    if (!op || op->endpoint != found->endpoint) {
        differ(judge, op, found, NULL, "nobody asked for this (R13, R15)");
        return false;
    }
    if (found->unit_latency > found->host_latency) {
        differ(judge, op, found, NULL, "it was in the unit for longer than it took altogether");
    }
    if (found->status == TMU_STATUS_REMOVED) {
        judge->no_memory |= !removals_keep(&judge->benches[found->endpoint].removals, found);
        return true;
    }
    uint32_t serial = 0;
    if (!serial_order_put(judge->order, found)) {
        judge->no_memory = true;
    } else if (found->endpoint < judge->endpoints &&
               serial_order_gap(judge->order, found->endpoint, &serial) > WAITING_MOST) {
        differ(judge, NULL, found, NULL, "a verdict before it has not come for very long (R7)");
    }
    return true;
}

/* ---- what nobody was told -------------------------------------------------------------------- */

static void removed_unseen(void *context, const tmu_model_entry_t *entry) {
    const judge_t *judge = context;
    const tmu_completion_t c = {.opcode = TMU_OPCODE_FLUSH,
                                .status = TMU_STATUS_REMOVED,
                                .handle = judge->flush->handle,
                                .other = entry->handle,
                                .unexpected = entry->queue == TMU_MODEL_UNEXPECTED};
    ledger_take(judge->ledger, &c);
}

static void carry_out(judge_t *judge, const operation_t *op, uint32_t serial) {
    tmu_completion_t c = {
        .opcode = op->opcode, .handle = op->handle, .endpoint = op->endpoint, .serial = serial};
    judge->flush = op;
    (void)removals_forget(&judge->benches[op->endpoint].removals, op->handle);
    const tmu_model_verdict_t verdict = operation_law(op, judge->model, removed_unseen, judge);
    c.status = tmu_model_unit_status(verdict.status);
    c.other = verdict.other;
    count(judge, op, &verdict);
    compare_order(judge, op, &c);
    ledger_take(judge->ledger, &c);
    judge->counts.unseen++;
    judge->done = true;
    judge->no_memory |= !serial_order_put(judge->order, &c);
}

uint32_t judge_unseen(judge_t *judge, uint32_t endpoint, const uint64_t *handles, uint32_t count) {
    uint32_t executed = 0;
    uint32_t serial = 0;
    while (serial_order_gap(judge->order, endpoint, &serial) > 0) {
        const operation_t *asked =
            executed < count ? ledger_find(judge->ledger, handles[executed]) : NULL;
        if (!asked) {
            const tmu_completion_t none = {.endpoint = endpoint, .serial = serial};
            differ(judge, NULL, &none, NULL, "nobody can have had this serial number (R7)");
            break;
        }
        const operation_t op = *asked; /* the ledger changes */
        carry_out(judge, &op, serial);
        executed++;
    }
    return executed;
}

void judge_quota(judge_t *judge, uint32_t endpoint, tmu_depth_t quota, const uint64_t orders[2]) {
    bench_t *bench = &judge->benches[endpoint];
    if (bench->between) {
        set_quota(judge, endpoint, bench->coming);
    }
    bench->coming = quota;
    bench->between = true;
    memcpy(bench->orders, orders, sizeof bench->orders);
}

uint32_t judge_waiting(const judge_t *judge, uint32_t endpoint) {
    uint32_t serial = 0;
    return (uint32_t)serial_order_gap(judge->order, endpoint, &serial);
}

bool judge_is_between(const judge_t *judge, uint32_t endpoint) {
    return judge->benches[endpoint].between;
}

bool judge_reset(judge_t *judge) {
    uint32_t endpoint = 0;
    uint32_t serial = 0;
    judge->counts.unjudged += serial_order_waiting(judge->order, &endpoint, &serial);
    stop(judge);
    return start(judge);
}

void judge_finish(judge_t *judge) {
    uint32_t endpoint = 0;
    uint32_t serial = 0;
    const size_t waiting = serial_order_waiting(judge->order, &endpoint, &serial);
    if (judge->no_memory && judge->counts.differences++ == 0) {
        (void)fprintf(judge->report, "no memory to judge every answer\n");
    }
    if (waiting > 0 && judge->counts.differences++ == 0) {
        (void)fprintf(judge->report,
                      "first difference: %zu verdicts wait for others; endpoint %" PRIu32
                      " never had serial number %" PRIu32 " (R7)\n",
                      waiting, endpoint, serial);
    }
}

judge_counts_t judge_counts(const judge_t *judge) { return judge->counts; }
