/* SPDX-License-Identifier: Apache-2.0 */
#include "cell.h"

#include "tmu_raw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define PROGRESS_CLOCKS 64
#define PATIENCE_CLOCKS 8000000 /* without an answer; then something hangs */
#define RUN_IN 8                /* operations of each victim */
#define LIVES 2                 /* that an attacker has at least */
#define VICTIM_RING_LOG2 4
#define VICTIM_COMMANDS_LOG2 2

struct session {
    tmu_t *device;
    tmu_model_t *model;
    victim_t *victims;
    uint32_t count;
    uint32_t endpoints;
    attack_t attack;
    char *error;
    size_t error_size;
};

static int fail(session_t *session, const char *what) {
    (void)snprintf(session->error, session->error_size, "%s: %s", what,
                   tmu_error_text(session->device));
    return -1;
}

static uint32_t endpoint_of(const session_t *session, uint32_t victim) {
    const uint32_t low = (session->count + 1) / 2;
    return victim < low ? victim : session->endpoints - 1 - (victim - low);
}

const counter_row_t cell_counters[] = {
    {"commands", "commands"},
    {"flushes", "flushes"},
    {"post_refused", "post_refused"},
    {"arrive_stalled", "arrive_stalled"},
    {"malformed", "malformed"},
    {"cancel_late", "cancel_late"},
    {"doorbell_errors", "doorbell_errors"},
    {"disabled_drops", "disabled_drops"},
    {"queue_overruns", "queue_overruns"},
    {"ring_overruns", "ring_overruns"},
    {"filter_false", "filter_false"},
    {"spill_deferred", "spill_deferred"},
    {NULL, NULL},
};

static int counters(session_t *session, counter_set_t *counts) {
    *counts = (counter_set_t){0};
    return counter_set_add(counts, cell_counters, session->device) == TMU_OK
               ? 0
               : fail(session, "counters");
}

static int prepare(session_t *session, const cell_t *cell) {
    const tmu_model_config_t config = {.endpoints = session->endpoints};
    tmu_model_destroy(session->model);
    session->model = NULL;
    if (tmu_reset(session->device) != TMU_OK) {
        return fail(session, "reset");
    }
    if (tmu_model_create(&config, &session->model) != TMU_MODEL_OK) {
        (void)snprintf(session->error, session->error_size, "no memory for a model");
        return -1;
    }
    for (uint32_t i = 0; i < session->count; i++) {
        const uint32_t endpoint = endpoint_of(session, i);
        const tmu_queue_attr_t attr = {endpoint, VICTIM_RING_LOG2, VICTIM_COMMANDS_LOG2};
        tmu_queue_t *queue = NULL;
        if (tmu_reserve_set(session->device, endpoint, VICTIM_ENTRIES, VICTIM_ENTRIES) != TMU_OK ||
            tmu_queue_open(session->device, &attr, &queue) != TMU_OK) {
            return fail(session, "victim");
        }
        victim_start(&session->victims[i], queue, session->model, endpoint, i + 1);
    }
    session->attack =
        (attack_t){.device = session->device,
                   .kind = cell->kind,
                   .endpoint = session->endpoints / 2,
                   .endpoints = session->endpoints - session->endpoints / 2 - session->count / 2,
                   .reserved = session->count * VICTIM_ENTRIES,
                   .entries = cell->entries};
    if (cell->kind == ATTACK_STUCK &&
        tmu_raw_register(session->device, TMU_REG_RING_PATIENCE, CELL_RING_PATIENCE) != TMU_OK) {
        return fail(session, "patience");
    }
    return attack_open(&session->attack) == TMU_OK ? 0 : fail(session, "attacker");
}

static uint64_t completed(const session_t *session) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < session->count; i++) {
        sum += session->victims[i].completed;
    }
    return sum;
}

static bool victims_wait(const session_t *session) {
    for (uint32_t i = 0; i < session->count; i++) {
        if (session->victims[i].completed < session->victims[i].submitted) {
            return true;
        }
    }
    return false;
}

/* Parties that have a turn. */
typedef enum turn { VICTIMS_ASK = 1, ATTACKER_STRIKES = 2, ATTACKER_FILLS = 4 } turn_t;

static tmu_result_t turn(session_t *session, unsigned turns, uint64_t number) {
    attack_t *attack = &session->attack;
    const uint32_t all = session->count + 1;
    tmu_result_t result = TMU_OK;
    /* Each has its turn at being first, as on a bus that many share. */
    for (uint32_t i = 0; result == TMU_OK && i < all; i++) {
        const uint32_t who = (uint32_t)((number + i) % all);
        if (who < session->count && turns & VICTIMS_ASK) {
            result = victim_submit(&session->victims[who], tmu_clock(session->device));
        } else if (who == session->count && turns & ATTACKER_STRIKES) {
            result = attack_strike(attack);
        } else if (who == session->count && turns & ATTACKER_FILLS) {
            result = attack_fill(attack);
        }
    }
    if (result == TMU_OK) {
        result = tmu_progress(session->device, PROGRESS_CLOCKS);
    }
    const uint64_t now = tmu_clock(session->device);
    for (uint32_t i = 0; result == TMU_OK && i < session->count; i++) {
        result = victim_collect(&session->victims[i], now);
    }
    if (result == TMU_OK && turns & ATTACKER_FILLS) {
        result = attack_collect(attack);
    }
    return result;
}

/* When work ends. */
typedef struct goal {
    unsigned turns;
    uint64_t victims; /* their answers */
    uint64_t lives;   /* of the attacker */
    bool filled;      /* the attacker's queues */
    bool still;       /* no victim waits */
    bool ended;       /* no operation of the attacker's that the driver knows is in flight */
} goal_t;

static bool reached(session_t *session, const goal_t *goal) {
    attack_t *attack = &session->attack;
    if (goal->filled && !attack_is_filled(attack)) {
        return false;
    }
    if ((goal->still && victims_wait(session)) || (goal->ended && attack_waits(attack))) {
        return false;
    }
    return completed(session) >= goal->victims && attack->times.lives >= goal->lives;
}

static int work(session_t *session, const goal_t *goal) {
    const attack_t *attack = &session->attack;
    uint64_t last = tmu_clock(session->device);
    uint64_t before = 0;
    for (uint64_t number = 0; !reached(session, goal); number++) {
        if (turn(session, goal->turns, number) != TMU_OK) {
            return fail(session, "operations");
        }
        const uint64_t count = completed(session) + attack->completed;
        const uint64_t now = tmu_clock(session->device);
        if (count != before) {
            last = now;
        }
        before = count;
        if (now - last > PATIENCE_CLOCKS) {
            (void)snprintf(session->error, session->error_size,
                           "no answer in %d clocks, with %" PRIu64 " there", PATIENCE_CLOCKS,
                           count);
            return -1;
        }
    }
    return 0;
}

static int measure(session_t *session, const cell_t *cell, cell_result_t *result) {
    const bool lives = cell->kind == ATTACK_LIVES;
    const unsigned both = VICTIMS_ASK | ATTACKER_STRIKES;
    goal_t goal = {.turns = ATTACKER_FILLS, .filled = true, .ended = true};
    counter_set_t before = {0};
    int status = lives || cell->kind == ATTACK_NONE ? 0 : work(session, &goal);
    /* A flush that is not read happens once: it is kept for the measurement. */
    goal = (goal_t){.turns = cell->kind == ATTACK_STUCK ? VICTIMS_ASK : both,
                    .victims = (uint64_t)session->count * RUN_IN};
    if (status == 0) {
        status = work(session, &goal);
    }
    /* While counters are read nobody is served: no victim waits then, but the attack goes on. */
    goal = (goal_t){.turns = goal.turns & ~(unsigned)VICTIMS_ASK, .still = true};
    if (status == 0) {
        status = work(session, &goal);
    }
    if (status == 0) {
        status = counters(session, &before);
    }
    const uint64_t start = tmu_clock(session->device);
    const uint64_t done = completed(session);
    session->attack.since = start;
    session->attack.times = (attack_times_t){0};
    for (uint32_t i = 0; i < session->count; i++) {
        session->victims[i].measures = true;
    }
    goal = (goal_t){.turns = both, .victims = done + cell->operations, .lives = lives ? LIVES : 0};
    if (status == 0) {
        status = work(session, &goal);
    }
    result->clocks = tmu_clock(session->device) - start;
    result->verdicts = completed(session) - done;
    /* Operations that still wait were asked under attack as well. */
    goal = (goal_t){.turns = lives ? ATTACKER_FILLS : 0, .still = true, .ended = true};
    session->attack.entries = lives ? 0 : session->attack.entries;
    if (status == 0) {
        status = work(session, &goal);
    }
    if (status == 0) {
        status = counters(session, &result->counts);
    }
    counter_set_subtract(&result->counts, &before);
    result->attempts = session->attack.attempts;
    result->times = session->attack.times;
    return status;
}

/* Percentiles over all victims. */
static int spreads(session_t *session, cell_result_t *result) {
    samples_t host = {0};
    samples_t unit = {0};
    bool room = true;
    for (uint32_t i = 0; i < session->count; i++) {
        const victim_t *victim = &session->victims[i];
        for (size_t j = 0; j < victim->host.count; j++) {
            room = room && samples_add(&host, victim->host.values[j]) &&
                   samples_add(&unit, victim->unit.values[j]);
        }
        room = room && !victim->no_memory;
        result->mismatches += victim->wrong;
        if (victim->longest > result->longest) {
            result->longest = victim->longest;
        }
    }
    result->mismatches += session->attack.wrong;
    result->host = spread_of(host.values, host.count);
    result->unit = spread_of(unit.values, unit.count);
    free(host.values);
    free(unit.values);
    if (!room) {
        (void)snprintf(session->error, session->error_size, "no memory for verdicts");
    }
    return room ? 0 : -1;
}

static int tidy(session_t *session, const cell_t *cell) {
    for (uint32_t i = 0; i < session->count; i++) {
        if (tmu_queue_close(session->victims[i].queue) != TMU_OK) {
            return fail(session, "close");
        }
    }
    if (cell->kind != ATTACK_NONE && attack_close(&session->attack) != TMU_OK) {
        return fail(session, "close");
    }
    /* Quotas and the patience outlive a reset. */
    if (tmu_quota_set(session->device, session->attack.endpoint, 0, 0) != TMU_OK) {
        return fail(session, "quota");
    }
    if (cell->kind == ATTACK_STUCK && tmu_raw_register(session->device, TMU_REG_RING_PATIENCE,
                                                       TMU_RING_PATIENCE_INITIAL) != TMU_OK) {
        return fail(session, "patience");
    }
    return 0;
}

session_t *session_open(tmu_t *device, uint32_t victims, bool memory, char *error,
                        size_t error_size) {
    session_t *session = calloc(1, sizeof *session);
    victim_t *all = calloc(victims, sizeof *all);
    if (!session || !all) {
        (void)snprintf(error, error_size, "no memory");
        free(session);
        free(all);
        return NULL;
    }
    tmu_info_t info = {0};
    *session = (session_t){.device = device,
                           .victims = all,
                           .count = victims,
                           .error = error,
                           .error_size = error_size};
    int status = tmu_query(device, &info) == TMU_OK ? 0 : fail(session, "query");
    session->endpoints = info.endpoints;
    if (status == 0 && victims + 2 > info.endpoints) {
        (void)snprintf(error, error_size,
                       "found %" PRIu32 " victims, expected at most %" PRIu32 " of %" PRIu32
                       " endpoints",
                       victims, info.endpoints - 2, info.endpoints);
        status = -1;
    }
    if (status == 0 && memory && tmu_spill_add(device, info.spill_segments) != TMU_OK) {
        status = fail(session, "memory");
    }
    if (status == 0) {
        return session;
    }
    session_close(session);
    return NULL;
}

void session_close(session_t *session) {
    if (!session) {
        return;
    }
    for (uint32_t i = 0; i < session->count; i++) {
        victim_free(&session->victims[i]);
    }
    free(session->victims);
    tmu_model_destroy(session->model);
    free(session);
}

int session_run(session_t *session, const cell_t *cell, cell_result_t *result) {
    *result = (cell_result_t){0};
    int status = prepare(session, cell);
    if (status == 0) {
        status = measure(session, cell, result);
    }
    if (status == 0) {
        status = spreads(session, result);
    }
    return status == 0 ? tidy(session, cell) : status;
}
