/* SPDX-License-Identifier: Apache-2.0 */
#include "engine_replay.h"

#include <stdlib.h>
#include <time.h>

/* Arrivals of one endpoint and source that wait, oldest first: the first may be tried. */
typedef struct line {
    struct line *next; /* by the age of the first */
    uint32_t endpoint;
    uint32_t source;
    size_t *index; /* in the trace */
    size_t first;
    size_t end;
    size_t capacity;
} line_t;

typedef struct {
    const engine_ops_t *ops;
    engine_t *engine;
    const tmu_trace_op_t *op;
    tmu_log_record_t *records;
    line_t *lines;
    uint64_t held;
    uint64_t held_max;
} run_t;

static tmu_log_record_t record_of(engine_verdict_t verdict) {
    static const tmu_log_verdict_t log[] = {
        [ENGINE_MATCHED] = TMU_LOG_MATCHED,
        [ENGINE_QUEUED] = TMU_LOG_QUEUED,
        [ENGINE_FOUND] = TMU_LOG_FOUND,
        [ENGINE_NONE] = TMU_LOG_NONE,
        [ENGINE_CANCELLED] = TMU_LOG_CANCELLED,
        [ENGINE_LATE] = TMU_LOG_LATE,
        [ENGINE_FLUSHED] = TMU_LOG_REMOVED,
        [ENGINE_REFUSED_QUOTA] = TMU_LOG_REFUSED_QUOTA,
        [ENGINE_REFUSED_ENDPOINT] = TMU_LOG_REFUSED_ENDPOINT,
        [ENGINE_STALLED] = TMU_LOG_HELD,
    };
    return (tmu_log_record_t){
        .verdict = log[verdict.status],
        .truncated = verdict.truncated != 0,
        .other = verdict.other,
    };
}

/* One operation; its record is written unless the engine has no memory. */
static engine_status_t execute(run_t *run, size_t index) {
    const tmu_trace_op_t *op = &run->op[index];
    engine_key_t key = {0};
    ENGINE_KEY_COPY_VALUES(key, *op);
    ENGINE_KEY_COPY_MASKS(key, *op);
    engine_verdict_t verdict;
    uint64_t removed[2] = {0, 0};
    switch (op->kind) {
    case TMU_TRACE_POST:
        verdict = run->ops->post(run->engine, op->endpoint, &key, op->id, op->bytes);
        break;
    case TMU_TRACE_ARRIVE:
        verdict = run->ops->arrive(run->engine, op->endpoint, &key, op->id, op->bytes);
        break;
    case TMU_TRACE_CANCEL:
        verdict = run->ops->cancel(run->engine, op->endpoint, op->target);
        break;
    case TMU_TRACE_FLUSH:
        verdict = run->ops->flush(run->engine, op->endpoint, removed);
        break;
    default:
        verdict = run->ops->look(run->engine, op->endpoint, &key, op->kind == TMU_TRACE_CLAIM);
        break;
    }
    if (verdict.status != ENGINE_NO_MEMORY) {
        run->records[index] = record_of(verdict);
        run->records[index].removed_posted = removed[0];
        run->records[index].removed_unexpected = removed[1];
    }
    return verdict.status;
}

static line_t *line_of(const run_t *run, const tmu_trace_op_t *arrival) {
    line_t *line = run->lines;
    while (line && (line->endpoint != arrival->endpoint || line->source != arrival->source)) {
        line = line->next;
    }
    return line;
}

/* Puts a line where the age of its first arrival belongs, at `link` or later. */
static void insert(line_t **link, line_t *line) {
    while (*link && (*link)->index[(*link)->first] < line->index[line->first]) {
        link = &(*link)->next;
    }
    line->next = *link;
    *link = line;
}

/* Adds an arrival to its line, which begins with it if there is none. */
static int hold(run_t *run, size_t index) {
    const tmu_trace_op_t *op = &run->op[index];
    line_t *line = line_of(run, op);
    line_t *fresh = NULL;
    if (!line) {
        line = fresh = calloc(1, sizeof *fresh);
        if (!fresh) {
            return -1;
        }
        fresh->endpoint = op->endpoint;
        fresh->source = op->source;
    }
    if (line->end == line->capacity) {
        size_t capacity = 2 * line->capacity + 4;
        size_t *wider = realloc(line->index, capacity * sizeof *wider);
        if (!wider) {
            free(fresh);
            return -1;
        }
        line->index = wider;
        line->capacity = capacity;
    }
    line->index[line->end++] = index;
    if (fresh) {
        insert(&run->lines, fresh);
    }
    run->records[index] = (tmu_log_record_t){.verdict = TMU_LOG_HELD};
    run->held += 1;
    if (run->held_max < run->held) {
        run->held_max = run->held;
    }
    return 0;
}

/* Takes the first arrival of the line at *link off. */
static void admit(run_t *run, line_t **link) {
    line_t *line = *link;
    *link = line->next;
    run->held -= 1;
    line->first += 1;
    if (line->first < line->end) {
        insert(link, line); /* its next one is younger: this pass still comes to it */
    } else {
        free(line->index);
        free(line);
    }
}

static int retry(run_t *run) {
    line_t **link = &run->lines;
    while (*link) {
        engine_status_t status = execute(run, (*link)->index[(*link)->first]);
        if (status == ENGINE_NO_MEMORY) {
            return -1;
        }
        if (status == ENGINE_STALLED) {
            link = &(*link)->next;
        } else {
            admit(run, link);
        }
    }
    return 0;
}

static int step(run_t *run, size_t index) {
    const tmu_trace_op_t *op = &run->op[index];
    bool arrival = op->kind == TMU_TRACE_ARRIVE;
    if (run->lines && arrival && line_of(run, op)) {
        return hold(run, index);
    }
    engine_status_t status = execute(run, index);
    if (status == ENGINE_NO_MEMORY) {
        return -1;
    }
    if (status == ENGINE_STALLED) {
        return hold(run, index);
    }
    /* A held arrival waits for a receive or for room: only these bring one of them. */
    bool may_admit = !arrival && (status == ENGINE_QUEUED || status == ENGINE_MATCHED ||
                                  status == ENGINE_FLUSHED);
    return run->lines && may_admit ? retry(run) : 0;
}

static double now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int engine_replay(const engine_ops_t *engine, const engine_config_t *config,
                  const tmu_trace_t *trace, tmu_log_record_t *records, engine_replay_t *result_p) {
    run_t run = {.ops = engine, .op = tmu_trace_ops(trace), .records = records};
    run.engine = engine->create(config);
    if (!run.engine) {
        return -1;
    }
    int result = 0;
    double start = now_ns();
    for (size_t i = 0; result == 0 && i < tmu_trace_count(trace); i++) {
        result = step(&run, i);
    }
    *result_p =
        (engine_replay_t){.ns = now_ns() - start, .held = run.held, .held_max = run.held_max};
    engine->stats(run.engine, &result_p->stats);
    while (run.lines) {
        run.lines->first = run.lines->end - 1;
        admit(&run, &run.lines);
    }
    engine->destroy(run.engine);
    return result;
}
