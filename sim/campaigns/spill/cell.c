/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_CLOCKS 64
#define PATIENCE_CLOCKS 1000000 /* without a completion; then something hangs */
#define WATCHED_DEPTH 4         /* receives of the endpoint that matches on chip */
#define LONE_STEPS 50
#define RUN_IN 8 /* steps with one operation in flight */

enum { DEEP, WATCHED, STREAMS };

struct session {
    tmu_t *device;
    stream_t streams[STREAMS];
    bool filled;  /* the deep queue holds what the last cell left */
    bool watched; /* with the other endpoint beside it */
    uint32_t window;
    char *error;
    size_t error_size;
};

static int fail(session_t *session, const char *what) {
    (void)snprintf(session->error, session->error_size, "%s: %s", what,
                   tmu_error_text(session->device));
    return -1;
}

const counter_row_t cell_counters[] = {
    {"posts", "operations"},
    {"arrivals", "operations"},
    {"spill_deferred", "deferred"},
    {"spill_appended", "appended"},
    {"spill_taken", "taken"},
    {"spill_refilled", "refilled"},
    {"spill_false", "wrong_candidates"},
    {"spill_reads", "reads"},
    {"spill_writes", "writes"},
    {NULL, NULL},
};

static int counters(session_t *session, counter_set_t *counts) {
    *counts = (counter_set_t){0};
    return counter_set_add(counts, cell_counters, session->device) == TMU_OK
               ? 0
               : fail(session, "counters");
}

static uint64_t completed(const session_t *session) {
    return session->streams[DEEP].completed + session->streams[WATCHED].completed;
}

/* Goal of each stream: operations, or entries that are appended. */
typedef struct goal {
    bool fills;
    uint64_t upto[STREAMS];
} goal_t;

static tmu_result_t turn(session_t *session, const goal_t *goal) {
    tmu_result_t result = TMU_OK;
    for (int i = 0; result == TMU_OK && i < STREAMS; i++) {
        result = goal->fills ? stream_fill(&session->streams[i], goal->upto[i])
                             : stream_work(&session->streams[i], goal->upto[i]);
    }
    if (result == TMU_OK) {
        result = tmu_progress(session->device, PROGRESS_CLOCKS);
    }
    for (int i = 0; result == TMU_OK && i < STREAMS; i++) {
        result = stream_collect(&session->streams[i]);
    }
    return result;
}

static bool ended(const session_t *session, const goal_t *goal) {
    for (int i = 0; i < STREAMS; i++) {
        const stream_t *stream = &session->streams[i];
        const uint64_t at = goal->fills ? stream->count : stream->submitted;
        if (at < goal->upto[i] || stream->completed < stream->submitted) {
            return false;
        }
    }
    return true;
}

/* Works until `stream` completed `target` operations, or with NULL until the goal is reached. */
static int work(session_t *session, const goal_t *goal, const stream_t *stream, uint64_t target) {
    uint64_t last = tmu_clock(session->device);
    uint64_t before = completed(session);
    while (stream ? stream->completed < target : !ended(session, goal)) {
        if (turn(session, goal) != TMU_OK) {
            return fail(session, "operations");
        }
        const uint64_t now = tmu_clock(session->device);
        if (completed(session) != before) {
            last = now;
        }
        before = completed(session);
        if (now - last > PATIENCE_CLOCKS) {
            (void)snprintf(session->error, session->error_size,
                           "no completion in %d clocks, with %" PRIu64 " of %" PRIu64
                           " operations ended",
                           PATIENCE_CLOCKS, before,
                           session->streams[DEEP].submitted + session->streams[WATCHED].submitted);
            return -1;
        }
    }
    return 0;
}

static cell_latency_t latency(stream_t *stream) {
    const cell_latency_t found = {
        spread_of(stream->takes.host, stream->takes.count),
        spread_of(stream->takes.unit, stream->takes.count),
        spread_of(stream->appends.host, stream->appends.count),
        spread_of(stream->appends.unit, stream->appends.count),
    };
    stream->takes.count = stream->appends.count = 0;
    return found;
}

/* Measures `steps` of a stream after `run_in` steps; the rival works as long, if it does at all.
 */
static int measure(session_t *session, stream_t *stream, bool rival, uint64_t run_in,
                   uint64_t steps, uint64_t *clocks, counter_set_t *counts) {
    counter_set_t before = {0};
    if (counters(session, &before) != 0) {
        return -1;
    }
    goal_t goal = {.fills = false};
    for (int i = 0; i < STREAMS; i++) {
        goal.upto[i] = session->streams[i].submitted;
    }
    const ptrdiff_t own = stream - session->streams;
    const uint64_t start = stream->completed + 2 * run_in;
    /* As many more are on their way when the last is measured. */
    goal.upto[own] += 2 * (run_in + steps + stream->window / 2);
    if (rival) {
        goal.upto[DEEP] = UINT64_MAX;
    }
    int status = work(session, &goal, stream, start);
    const uint64_t began = tmu_clock(session->device);
    stream->measures = true;
    if (status == 0) {
        status = work(session, &goal, stream, start + 2 * steps);
    }
    stream->measures = false;
    *clocks = tmu_clock(session->device) - began;
    stream_t *deep = &session->streams[DEEP];
    if (rival) {
        goal.upto[DEEP] = deep->submitted + (deep->second ? 1 : 0);
    }
    if (status == 0) {
        status = work(session, &goal, NULL, 0);
    }
    if (status == 0) {
        status = counters(session, counts);
    }
    counter_set_subtract(counts, &before);
    return status;
}

static int fill(session_t *session, const cell_t *cell) {
    stream_t *deep = &session->streams[DEEP];
    stream_t *watched = &session->streams[WATCHED];
    const bool unexpected = cell->kind == CELL_UNEXPECTED;
    const bool watches = cell->kind == CELL_ALONE || cell->kind == CELL_BESIDE;
    const uint64_t standing = cell->depth - (unexpected ? 0 : 1);
    if (!session->filled || deep->unexpected != unexpected || session->watched != watches ||
        deep->count > standing) {
        if (tmu_reset(session->device) != TMU_OK) {
            return fail(session, "reset");
        }
        /* Receives are posted before one is taken, messages are taken before one arrives. */
        stream_forget(deep, unexpected, unexpected);
        /* On chip: where it takes one, there is room for the next. */
        stream_forget(watched, false, true);
    }
    session->filled = true;
    session->watched = watches;
    if (!stream_reserve(deep, cell->depth, cell->steps) ||
        !stream_reserve(watched, WATCHED_DEPTH, cell->steps)) {
        (void)snprintf(session->error, session->error_size, "no memory for %" PRIu64 " entries",
                       cell->depth);
        return -1;
    }
    /* The few go first: they find room in the table. */
    goal_t goal = {.fills = true, .upto = {deep->count, watches ? WATCHED_DEPTH : 0}};
    deep->window = watched->window = session->window;
    int status = work(session, &goal, NULL, 0);
    goal.upto[DEEP] = standing;
    if (status == 0) {
        status = work(session, &goal, NULL, 0);
    }
    if (status == 0 && deep->wrong + watched->wrong > 0) {
        (void)snprintf(session->error, session->error_size,
                       "%" PRIu64 " of the entries that fill the queues were not queued",
                       deep->wrong + watched->wrong);
        status = -1;
    }
    return status;
}

session_t *session_open(tmu_t *device, uint32_t window, char *error, size_t error_size) {
    session_t *session = calloc(1, sizeof *session);
    if (!session) {
        (void)snprintf(error, error_size, "no memory");
        return NULL;
    }
    *session =
        (session_t){.device = device, .window = window, .error = error, .error_size = error_size};
    tmu_info_t info;
    int status =
        tmu_query(device, &info) == TMU_OK && tmu_spill_add(device, info.spill_segments) == TMU_OK
            ? 0
            : fail(session, "memory");
    for (uint32_t i = 0; status == 0 && i < STREAMS; i++) {
        if (stream_open(&session->streams[i], device, i, window) != 0) {
            status = fail(session, "queue");
        }
    }
    if (status != 0) {
        session_close(session);
        return NULL;
    }
    return session;
}

void session_close(session_t *session) {
    for (int i = 0; session && i < STREAMS; i++) {
        (void)stream_close(&session->streams[i]);
    }
    free(session);
}

int session_run(session_t *session, const cell_t *cell, cell_result_t *result) {
    *result = (cell_result_t){0};
    stream_t *deep = &session->streams[DEEP];
    if (fill(session, cell) != 0) {
        return -1;
    }
    deep->position = cell->position;
    const bool watches = session->watched;
    stream_t *stream = &session->streams[watches ? WATCHED : DEEP];
    const bool rival = cell->kind == CELL_BESIDE;
    const uint64_t rivals = deep->completed;
    result->verdicts = 2 * cell->steps;
    int status = measure(session, stream, rival, session->window / 2, cell->steps, &result->clocks,
                         &result->counts);
    result->busy = latency(stream);
    result->rival_verdicts = rival ? deep->completed - rivals : 0;
    stream->window = 1;
    const uint64_t lone = (cell->steps + 3) / 4;
    result->lone_verdicts = 2 * (lone < LONE_STEPS ? lone : LONE_STEPS);
    if (status == 0) {
        status = measure(session, stream, rival, RUN_IN, result->lone_verdicts / 2,
                         &result->lone_clocks, &result->lone_counts);
    }
    result->one = latency(stream);
    for (int i = 0; i < STREAMS; i++) {
        result->mismatches += session->streams[i].wrong;
        session->streams[i].wrong = 0;
    }
    return status;
}
