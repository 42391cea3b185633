/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_model_trace.h"

#include <stdlib.h>

#include "tmu_model_ask.h"

_Static_assert((int)TMU_TRACE_POST == TMU_MODEL_POST && (int)TMU_TRACE_ARRIVE == TMU_MODEL_ARRIVE &&
                   (int)TMU_TRACE_PROBE == TMU_MODEL_PROBE &&
                   (int)TMU_TRACE_CLAIM == TMU_MODEL_CLAIM &&
                   (int)TMU_TRACE_CANCEL == TMU_MODEL_CANCEL &&
                   (int)TMU_TRACE_FLUSH == TMU_MODEL_FLUSH,
               "the model's operations have the numbers of a trace's kinds");

/* An arrival held back (R11).  The oldest of each endpoint and source is a head: heads form a list
 * by age, and each head has its followers, by age, behind it. */
typedef struct held {
    struct held *next_head;
    struct held *follower;
    struct held *last; /* head only: its youngest follower, or itself */
    size_t operation;
} held_t;

typedef struct {
    tmu_model_t *model;
    const tmu_trace_op_t *op;
    const tmu_model_replay_options_t *options;
    tmu_model_verdict_t *verdicts;
    held_t *heads;
} replay_t;

/* Gives one operation to the model and notes its verdict. */
static tmu_model_status_t execute(replay_t *replay, size_t operation) {
    const tmu_trace_op_t *op = &replay->op[operation];
    const tmu_model_replay_options_t *options = replay->options;
    tmu_model_question_t question = {
        .operation = op->kind,
        .endpoint = op->endpoint,
        .handle = op->id,
        .target = op->target,
        .receive_id = TMU_MODEL_NO_RECEIVE_ID,
        .length = op->bytes,
    };
    TMU_MODEL_COPY_KEY(question.key, *op);
    if (op->kind == TMU_TRACE_FLUSH) {
        question.key = TMU_MODEL_EVERYTHING;
    }
    replay->verdicts[operation] =
        tmu_model_ask(replay->model, &question, options->on_removed, options->context);
    return replay->verdicts[operation].status;
}

static void announce(const replay_t *replay, size_t operation) {
    if (replay->options->on_verdict) {
        replay->options->on_verdict(replay->options->context, operation,
                                    &replay->verdicts[operation]);
    }
}

/* The head that holds back this arrival's endpoint and source, NULL if none does. */
static held_t *head_of(const replay_t *replay, const tmu_trace_op_t *arrival) {
    for (held_t *head = replay->heads; head; head = head->next_head) {
        const tmu_trace_op_t *op = &replay->op[head->operation];
        if (op->endpoint == arrival->endpoint && op->source == arrival->source) {
            return head;
        }
    }
    return NULL;
}

/* Holds an arrival back, behind `head` or as the youngest head if that is NULL. */
static tmu_model_status_t hold(replay_t *replay, held_t *head, size_t operation) {
    held_t *held = calloc(1, sizeof *held);
    if (!held) {
        return TMU_MODEL_NO_MEMORY;
    }
    held->operation = operation;
    held->last = held;
    if (head) {
        head->last->follower = held;
        head->last = held;
    } else {
        held_t **end = &replay->heads;
        while (*end) {
            end = &(*end)->next_head;
        }
        *end = held;
    }
    replay->verdicts[operation] = (tmu_model_verdict_t){
        .status = TMU_MODEL_HELD,
        .endpoint = replay->op[operation].endpoint,
        .handle = replay->op[operation].id,
    };
    return TMU_MODEL_OK;
}

/* Takes the head at *link off and puts its first follower, now a head, where its age belongs. */
static void release_head(held_t **link) {
    held_t *head = *link;
    held_t *follower = head->follower;
    *link = head->next_head;
    if (follower) {
        follower->last = head->last;
        while (*link && (*link)->operation < follower->operation) {
            link = &(*link)->next_head;
        }
        follower->next_head = *link;
        *link = follower;
    }
    free(head);
}

/* R11: one pass over the held arrivals, oldest first.  A follower that becomes a head on the way
 * is younger than it was, so the same pass reaches it. */
static tmu_model_status_t retry_held(replay_t *replay) {
    held_t **link = &replay->heads;
    while (*link) {
        size_t operation = (*link)->operation;
        tmu_model_verdict_t before = replay->verdicts[operation];
        tmu_model_status_t status = execute(replay, operation);
        if (status == TMU_MODEL_NO_MEMORY) {
            return status;
        }
        if (status == TMU_MODEL_STALLED) {
            replay->verdicts[operation] = before;
            link = &(*link)->next_head;
        } else {
            announce(replay, operation);
            release_head(link);
        }
    }
    return TMU_MODEL_OK;
}

/* A held arrival found neither a receive nor room; only a new receive or a message less can change
 * that. */
static bool may_admit(const tmu_trace_op_t *op, const tmu_model_verdict_t *verdict) {
    switch (verdict->status) {
    case TMU_MODEL_QUEUED:
    case TMU_MODEL_MATCHED:
        return op->kind != TMU_TRACE_ARRIVE;
    case TMU_MODEL_FLUSHED:
        return verdict->removed_unexpected > 0;
    default:
        return false;
    }
}

static tmu_model_status_t step(replay_t *replay, size_t operation) {
    const tmu_trace_op_t *op = &replay->op[operation];
    if (op->kind == TMU_TRACE_ARRIVE && replay->heads) {
        held_t *head = head_of(replay, op);
        if (head) {
            return hold(replay, head, operation); /* R7: its source's order */
        }
    }
    tmu_model_status_t status = execute(replay, operation);
    if (status == TMU_MODEL_NO_MEMORY || status == TMU_MODEL_BAD_ARGUMENT) {
        return status;
    }
    if (status == TMU_MODEL_STALLED) {
        return hold(replay, NULL, operation);
    }
    announce(replay, operation);
    return may_admit(op, &replay->verdicts[operation]) ? retry_held(replay) : TMU_MODEL_OK;
}

tmu_model_status_t tmu_model_replay(const tmu_model_config_t *config, const tmu_trace_t *trace,
                                    const tmu_model_replay_options_t *options,
                                    tmu_model_verdict_t *verdicts, tmu_model_stats_t *stats_p) {
    static const tmu_model_replay_options_t no_options = {0};
    if (!config || !trace || (!verdicts && tmu_trace_count(trace) > 0)) {
        return TMU_MODEL_BAD_ARGUMENT;
    }
    replay_t replay = {
        .op = tmu_trace_ops(trace),
        .options = !options ? &no_options : options,
        .verdicts = verdicts,
    };
    tmu_model_status_t status = tmu_model_create(config, &replay.model);
    for (size_t i = 0; status == TMU_MODEL_OK && i < tmu_trace_count(trace); i++) {
        status = step(&replay, i);
    }
    tmu_model_stats(replay.model, stats_p);
    while (replay.heads) {
        release_head(&replay.heads);
    }
    tmu_model_destroy(replay.model);
    return status;
}

bool tmu_model_log_record(const tmu_model_verdict_t *verdict, tmu_log_record_t *record_p) {
    static const tmu_log_verdict_t log[] = {
        [TMU_MODEL_MATCHED] = TMU_LOG_MATCHED,
        [TMU_MODEL_QUEUED] = TMU_LOG_QUEUED,
        [TMU_MODEL_FOUND] = TMU_LOG_FOUND,
        [TMU_MODEL_NONE] = TMU_LOG_NONE,
        [TMU_MODEL_CANCELLED] = TMU_LOG_CANCELLED,
        [TMU_MODEL_LATE] = TMU_LOG_LATE,
        [TMU_MODEL_FLUSHED] = TMU_LOG_REMOVED,
        [TMU_MODEL_REFUSED_QUOTA] = TMU_LOG_REFUSED_QUOTA,
        [TMU_MODEL_REFUSED_ENDPOINT] = TMU_LOG_REFUSED_ENDPOINT,
        [TMU_MODEL_HELD] = TMU_LOG_HELD,
    };
    size_t status = (size_t)verdict->status;
    if (status >= sizeof log / sizeof log[0] || log[status] == 0) {
        return false;
    }
    *record_p = (tmu_log_record_t){
        .verdict = log[status],
        .truncated = verdict->truncated,
        .other = verdict->other,
        .removed_posted = verdict->removed_posted,
        .removed_unexpected = verdict->removed_unexpected,
    };
    return true;
}
