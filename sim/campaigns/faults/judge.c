/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include <inttypes.h>
#include <stdlib.h>

void judge_observe(void *user, const tmu_completion_t *completion) {
    judge_t *judge = user;
    uint64_t handle = completion->handle;
    if (handle >= JUDGE_OPERATIONS) {
        (void)fprintf(stderr, "tmu-faults: a completion has handle 0x%" PRIx64 "\n", handle);
        abort(); /* the driver has found it to be a command's in flight */
    }
    if (completion->status == TMU_STATUS_REMOVED) {
        judge->reported[handle]++;
    } else {
        judge->answers[handle] = *completion;
        judge->answered[handle]++;
    }
}

static bool withheld(const tmu_completion_t *c) {
    return c->status == TMU_STATUS_TABLE_FAULT || c->status == TMU_STATUS_SPILL_FAILED;
}

/* Whether the model says the same of an operation. */
static bool right(const judge_t *judge, const tmu_completion_t *c, const tmu_model_verdict_t *v) {
    return tmu_model_unit_status(v->status) == c->status && v->other == c->other &&
           TMU_KEY_SAME_VALUES(*v, *c) && v->serial == c->serial &&
           v->removed_posted == c->removed_posted &&
           v->removed_unexpected == c->removed_unexpected &&
           judge->reported[c->handle] == v->removed_posted + v->removed_unexpected;
}

/* A cancel comes too late for a receive whose own answer was withheld: it may be nowhere. */
static bool too_late(const judge_t *judge, const tmu_completion_t *c) {
    const oracle_question_t *q = &judge->questions[c->handle];
    return c->opcode == TMU_OPCODE_CANCEL && c->status == TMU_STATUS_LATE &&
           withheld(&judge->answers[q->target]);
}

/* By endpoint and serial number: the handle of the operation that has it, or -1. */
typedef struct order {
    int32_t handles[JUDGE_ENDPOINTS][JUDGE_OPERATIONS];
} order_t;

/* An answer that is withheld may have lost its number with the rest: it is left out then. */
static uint32_t arrange(const judge_t *judge, order_t *order) {
    uint32_t differences = 0;
    memset(order, 0xff, sizeof *order);
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t h = 0; h < judge->count; h++) {
            const tmu_completion_t *c = &judge->answers[h];
            bool fits = c->endpoint < JUDGE_ENDPOINTS && c->serial < JUDGE_OPERATIONS &&
                        order->handles[c->endpoint][c->serial] < 0;
            if (judge->answered[h] != 1) {
                differences += pass == 0;
            } else if (withheld(c) == (pass == 1) && fits) {
                order->handles[c->endpoint][c->serial] = (int32_t)h;
            } else if (pass == 0 && !withheld(c)) {
                differences++;
            }
        }
    }
    return differences;
}

/* Counts withheld answers by the endpoint that was asked: the answer may have lost its own. */
static judge_result_t count(const judge_t *judge) {
    bool has[JUDGE_ENDPOINTS] = {false};
    judge_result_t result = {0};
    for (uint32_t h = 0; h < judge->count; h++) {
        bool *mine = &has[judge->questions[h].endpoint];
        if (judge->answered[h] > 0 && withheld(&judge->answers[h])) {
            result.withheld++;
            result.endpoints += !*mine;
            *mine = true;
        }
    }
    return result;
}

static void report(const tmu_completion_t *c, const tmu_model_verdict_t *v) {
    (void)fprintf(stderr,
                  "tmu-faults: operation %" PRIu64 " (opcode %u) at endpoint %" PRIu32
                  ": the unit says status %u, other %" PRIu64 ", serial %" PRIu32
                  "; the model status %u, other %" PRIu64 ", serial %" PRIu32 "\n",
                  c->handle, c->opcode, c->endpoint, c->status, c->other, c->serial,
                  tmu_model_unit_status(v->status), v->other, v->serial);
}

judge_result_t judge_decide(const judge_t *judge) {
    const tmu_model_config_t config = {.endpoints = JUDGE_ENDPOINTS};
    tmu_model_t *model = NULL;
    judge_result_t result = count(judge);
    order_t order;
    if (tmu_model_create(&config, &model) != TMU_MODEL_OK) {
        (void)fprintf(stderr, "tmu-faults: no memory for the model\n");
        abort();
    }
    result.differences = arrange(judge, &order);
    for (uint32_t e = 0; e < JUDGE_ENDPOINTS; e++) {
        bool gap = false;
        for (uint32_t s = 0; s < JUDGE_OPERATIONS; s++) {
            int32_t handle = order.handles[e][s];
            gap = gap || handle < 0;
            if (handle < 0) {
                continue;
            }
            const tmu_completion_t *c = &judge->answers[handle];
            if (!withheld(c) && gap) {
                result.differences++; /* an answer behind one that nobody gave */
            } else if (!gap) {
                oracle_question_t q = judge->questions[handle];
                q.target = too_late(judge, c) ? UINT64_MAX : q.target;
                const tmu_model_verdict_t v = oracle_ask(model, &q);
                if (!withheld(c) && !right(judge, c, &v) && result.differences++ == 0) {
                    report(c, &v);
                }
            }
        }
    }
    tmu_model_destroy(model);
    return result;
}
