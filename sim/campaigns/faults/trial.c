/* SPDX-License-Identifier: Apache-2.0 */
#include "trial.h"

#include <inttypes.h>
#include <stdlib.h>

#define OPERATIONS 200
#define RESERVE_MAX 8    /* an endpoint and queue: the smallest tables have 32 slots */
#define STEPS_MAX 200000 /* of 64 clocks: a unit that has not answered by then never will */

typedef struct run {
    tmu_t *device;
    tmu_queue_t *queue;
    uint32_t kept; /* endpoints that the unit has */
    judge_t judge;
    tmu_receive_id_t ids[JUDGE_OPERATIONS];
    uint64_t state;
    uint32_t tags;
    uint32_t endpoints;
    bool posts_first;
    uint32_t limit;
} run_t;

static uint32_t pick(run_t *run, uint32_t below) { return oracle_pick(&run->state, below); }

static void must(tmu_result_t result, const run_t *run) {
    if (result != TMU_OK) {
        (void)fprintf(stderr, "tmu-faults: %s\n", tmu_error_text(run->device));
        exit(1);
    }
}

/* False when the driver has found an answer that cannot be. */
static bool step(run_t *run) {
    tmu_completion_t done[16];
    size_t count = 0;
    tmu_result_t result = tmu_progress(run->device, 64);
    if (result == TMU_OK) {
        result = tmu_poll(run->queue, done, 16, &count);
    }
    if (result != TMU_OK) {
        (void)fprintf(stderr, "tmu-faults: %s\n", tmu_error_text(run->device));
    }
    return result == TMU_OK;
}

/* One side first, so that a queue gets long; later all kinds. */
static uint8_t random_opcode(run_t *run, uint32_t number, uint32_t fill) {
    static const uint8_t mix[] = {TMU_OPCODE_POST,   TMU_OPCODE_POST,   TMU_OPCODE_ARRIVE,
                                  TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE, TMU_OPCODE_PROBE,
                                  TMU_OPCODE_CLAIM,  TMU_OPCODE_CANCEL};
    if (number < fill) {
        return (run->posts_first == (pick(run, 8) != 0)) ? TMU_OPCODE_POST : TMU_OPCODE_ARRIVE;
    }
    return pick(run, 40) == 0 ? TMU_OPCODE_FLUSH : mix[pick(run, sizeof mix)];
}

static tmu_result_t submit(run_t *run, uint64_t handle) {
    const oracle_question_t *q = &run->judge.questions[handle];
    const tmu_receive_t receive = {.key = q->key, .handle = handle};
    const tmu_message_t message = {
        .match = q->key.match, .source = q->key.source, .handle = handle};
    switch (q->opcode) {
    case TMU_OPCODE_POST:
        return tmu_post(run->queue, q->endpoint, &receive, &run->ids[handle]);
    case TMU_OPCODE_ARRIVE:
        return tmu_arrive(run->queue, q->endpoint, &message);
    case TMU_OPCODE_PROBE:
        return tmu_probe(run->queue, q->endpoint, &q->key, handle);
    case TMU_OPCODE_CLAIM:
        return tmu_claim(run->queue, q->endpoint, &q->key, handle);
    case TMU_OPCODE_CANCEL:
        return tmu_cancel(run->queue, q->endpoint, run->ids[q->target], handle);
    default:
        return tmu_flush(run->queue, q->endpoint, &q->key, handle);
    }
}

static void make(run_t *run, uint32_t handle, uint32_t fill) {
    oracle_question_t *q = &run->judge.questions[handle];
    q->opcode = random_opcode(run, handle, fill);
    q->endpoint = pick(run, run->endpoints);
    q->handle = handle;
    bool exact = q->opcode == TMU_OPCODE_ARRIVE;
    int64_t source = !exact && pick(run, 6) == 0 ? TMU_ANY_SOURCE : pick(run, 3);
    int64_t tag = !exact && pick(run, 8) == 0 ? TMU_ANY_TAG : pick(run, run->tags);
    must(tmu_key_mpi(1, source, tag, &q->key), run);
    if (q->opcode == TMU_OPCODE_CANCEL && handle > 0) {
        q->target = pick(run, handle);
        q->endpoint = run->judge.questions[q->target].endpoint;
    }
}

/* In every other trial slots are reserved, for all endpoints of the preset or for some. */
static void keep(run_t *run) {
    bool kept = pick(run, 2) == 0;
    for (uint32_t e = 0; e < run->kept && e < JUDGE_ENDPOINTS; e++) {
        uint32_t posted = kept ? pick(run, RESERVE_MAX + 1) : 0;
        uint32_t unexpected = kept ? pick(run, RESERVE_MAX + 1) : 0;
        must(tmu_reserve_set(run->device, e, posted, unexpected), run);
    }
}

/* Everything is answered; false when that never comes, or cannot be. */
static bool settle(run_t *run) {
    for (uint32_t i = 0; i < STEPS_MAX && tmu_queue_in_flight(run->queue) > 0; i++) {
        if (!step(run)) {
            return false;
        }
    }
    return tmu_queue_in_flight(run->queue) == 0 && step(run);
}

/* False when the driver or the unit gave up. */
static bool operate(run_t *run, tmu_fault_t place) {
    uint32_t fill = pick(run, OPERATIONS * 3 / 4);
    uint32_t when = pick(run, OPERATIONS * 3 / 4);
    uint32_t bits = 0;
    must(tmu_fault_inject(run->device, place, TMU_FAULT_SELECT_BIT_MASK, &bits), run);
    for (uint32_t handle = 0; handle < OPERATIONS; handle++) {
        tmu_result_t result;
        make(run, handle, fill);
        if (handle == when) {
            uint32_t bit = pick(run, bits);
            must(tmu_fault_inject(run->device, place, bit, &bits), run);
            run->limit = reach_limit(run->kept, place, bit, bits);
            if (place == TMU_FAULT_POSTED_QUOTAS || place == TMU_FAULT_UNEXPECTED_QUOTAS) {
                if (!settle(run)) { /* quotas are written while nothing is in flight */
                    return false;
                }
                must(tmu_quota_set(run->device, pick(run, run->endpoints), 4096, 4096), run);
            }
        }
        run->judge.count = handle + 1;
        while ((result = submit(run, handle)) == TMU_AGAIN) {
            if (!step(run)) {
                return false;
            }
        }
        must(result, run);
        if (pick(run, 3) == 0 && !step(run)) {
            return false;
        }
    }
    return settle(run);
}

trial_outcome_t trial_decide(const judge_result_t *judged, uint32_t limit, bool seen,
                             bool flipped) {
    if (judged->differences > 0 || (judged->endpoints > 0 && !seen) || (seen && !flipped)) {
        return TRIAL_SILENT;
    }
    if (judged->endpoints > limit) {
        return TRIAL_UNCONTAINED;
    }
    if (judged->endpoints > 0) {
        return judged->endpoints > 1 ? TRIAL_SPREAD : TRIAL_WITHHELD;
    }
    return seen ? TRIAL_MADE_UP : flipped ? TRIAL_UNREAD : TRIAL_NOT_STORED;
}

trial_t trial_run(tmu_t *device, tmu_queue_t *queue, uint32_t endpoints, tmu_fault_t place,
                  uint64_t seed) {
    run_t *run = calloc(1, sizeof *run);
    tmu_fault_stats_t stats = {0};
    trial_t trial = {.outcome = TRIAL_SILENT};
    if (!run) {
        (void)fprintf(stderr, "tmu-faults: no memory for a trial\n");
        exit(1);
    }
    run->device = device;
    run->queue = queue;
    run->kept = endpoints;
    run->state = seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)place;
    (void)pick(run, 2);
    run->endpoints = 1 + pick(run, JUDGE_ENDPOINTS);
    run->tags = pick(run, 2) == 0 ? 12 : 300;
    run->posts_first = pick(run, 2) == 0;
    for (uint32_t i = 0; i < JUDGE_OPERATIONS; i++) {
        run->ids[i] = TMU_RECEIVE_NONE;
    }
    must(tmu_reset(device), run);
    keep(run);
    must(tmu_queue_observe(queue, judge_observe, &run->judge), run);
    if (operate(run, place)) {
        must(tmu_fault_stats(device, &stats), run);
        trial.judged = judge_decide(&run->judge);
        bool seen = (stats.places >> place & 1) != 0;
        trial.limit = run->limit;
        trial.outcome = trial_decide(&trial.judged, trial.limit, seen, stats.flipped);
    }
    (void)tmu_queue_observe(queue, NULL, NULL);
    free(run);
    return trial;
}
