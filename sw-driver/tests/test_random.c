/* SPDX-License-Identifier: Apache-2.0
 *
 * Random traffic under quotas, every attempt checked against the reference model in the order of
 * serial numbers (R7, R11), every operation answered exactly once, and no arrival before an older
 * one of its source; the same again with registered memory, and queues deeper than the tables.
 * Filter windows change meanwhile, and reserves whenever nothing is in flight.
 * Prints its seed; TMU_SEED repeats a run.
 */
#include "fixture.h"
#include "model_oracle.h"
#include "serial_order.h"

#define OPERATIONS 4000
#define ENDPOINTS 5 /* one of them is not there */
#define SOURCES 3
#define TABLE 64 /* entries of a queue on chip, preset tiny */

typedef struct operation {
    uint8_t opcode;
    uint32_t endpoint;
    tmu_key_t key;
    uint64_t target; /* cancel: the receive's handle */
    tmu_receive_id_t id;
    unsigned answers;
} operation_t;

typedef struct run {
    bench_t bench;
    tmu_model_t *model;
    serial_order_t *order;
    operation_t *operations; /* by handle */
    uint64_t state;
    uint64_t last_arrival[ENDPOINTS][SOURCES];
    tmu_depth_t reserve[ENDPOINTS];
} run_t;

static uint32_t pick(run_t *run, uint32_t below) { return oracle_pick(&run->state, below); }

static void check_attempt(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    operation_t *o = &run->operations[c->handle];
    const oracle_question_t question = {o->opcode, o->endpoint, o->key, c->handle, o->target};
    const tmu_model_verdict_t v = oracle_ask(run->model, &question);
    oracle_expect(c, &v);
    EXPECT_NUMBER(c->endpoint, o->endpoint);
    if (c->status == TMU_STATUS_STALLED) {
        return;
    }
    o->answers++;
    if (o->opcode == TMU_OPCODE_ARRIVE) {
        uint64_t *last = &run->last_arrival[o->endpoint][o->key.source];
        EXPECT(*last < c->handle); /* handles grow with submission */
        *last = c->handle;
    }
}

static void observe(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    if (c->status == TMU_STATUS_REFUSED_ENDPOINT) {
        check_attempt(run, c);                    /* without a number */
    } else if (c->status != TMU_STATUS_REMOVED) { /* the flushed completion has the counts */
        EXPECT(serial_order_put(run->order, c));
    }
}

/* Any windows at any time: they must not show in a verdict. */
static void random_windows(run_t *run) {
    const tmu_filter_windows_t windows = {
        .low = pick(run, 8), .high = (uint64_t)pick(run, 4) << 1, .source = pick(run, 4)};
    must(tmu_filter_set(run->bench.device, &windows), run->bench.device);
}

static uint64_t seed;
static uint32_t quota;
static uint32_t segments;
static bool reserves; /* change at random */

/* Any reserve that the tables still have slots for: often none, at times all of them. */
static uint32_t random_reserve(run_t *run, uint32_t others) {
    return pick(run, 3) == 0 ? 0 : pick(run, TABLE - others + 1);
}

static void random_reserves(run_t *run) {
    const uint32_t e = pick(run, ENDPOINTS - 1);
    tmu_depth_t others = {0};
    for (uint32_t i = 0; i < ENDPOINTS - 1; i++) {
        others.posted += i == e ? 0 : run->reserve[i].posted;
        others.unexpected += i == e ? 0 : run->reserve[i].unexpected;
    }
    const tmu_depth_t reserve = {random_reserve(run, others.posted),
                                 random_reserve(run, others.unexpected)};
    run->reserve[e] = reserve;
    bench_settle(&run->bench);
    must(tmu_reserve_set(run->bench.device, e, reserve.posted, reserve.unexpected),
         run->bench.device);
    EXPECT(tmu_model_set_reserve(run->model, e, reserve.posted, reserve.unexpected) ==
           TMU_MODEL_OK);
}

/* R11: at the end what is still held back has no room, or waits behind one of its source that has
 * none: of each source the oldest would stall again. */
static void expect_no_room(run_t *run) {
    bool held[ENDPOINTS][SOURCES] = {0};
    for (uint64_t handle = 1; handle <= OPERATIONS; handle++) {
        const operation_t *o = &run->operations[handle];
        if (o->opcode == TMU_OPCODE_ARRIVE && o->answers == 0 &&
            !held[o->endpoint][o->key.source]) {
            const oracle_question_t question = {o->opcode, o->endpoint, o->key, handle, 0};
            held[o->endpoint][o->key.source] = true;
            EXPECT_NUMBER(oracle_ask(run->model, &question).status, TMU_MODEL_STALLED);
        }
    }
}

static uint8_t random_opcode(run_t *run) {
    static const uint8_t mix[] = {TMU_OPCODE_POST,   TMU_OPCODE_POST,   TMU_OPCODE_POST,
                                  TMU_OPCODE_POST,   TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE,
                                  TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE,
                                  TMU_OPCODE_PROBE,  TMU_OPCODE_CLAIM,  TMU_OPCODE_CANCEL};
    return pick(run, 100) == 0 ? TMU_OPCODE_FLUSH : mix[pick(run, sizeof mix)];
}

static void submit_random(run_t *run, uint64_t handle) {
    bench_t *b = &run->bench;
    operation_t *o = &run->operations[handle];
    bool exact;
    o->opcode = random_opcode(run);
    o->endpoint = pick(run, 50) == 0 ? ENDPOINTS - 1 : pick(run, 3);
    exact = o->opcode == TMU_OPCODE_ARRIVE;
    must(tmu_key_mpi(1, !exact && pick(run, 4) == 0 ? TMU_ANY_SOURCE : pick(run, SOURCES),
                     !exact && pick(run, 4) == 0 ? TMU_ANY_TAG : pick(run, segments > 0 ? 300 : 4),
                     &o->key),
         NULL);
    tmu_receive_t receive = {.key = o->key, .handle = handle};
    tmu_message_t message = {.match = o->key.match, .source = o->key.source, .handle = handle};
    switch (o->opcode) {
    case TMU_OPCODE_POST:
        SUBMIT(b, tmu_post(b->queue, o->endpoint, &receive, &o->id));
        break;
    case TMU_OPCODE_ARRIVE:
        SUBMIT(b, tmu_arrive(b->queue, o->endpoint, &message));
        break;
    case TMU_OPCODE_PROBE:
        SUBMIT(b, tmu_probe(b->queue, o->endpoint, &o->key, handle));
        break;
    case TMU_OPCODE_CLAIM:
        SUBMIT(b, tmu_claim(b->queue, o->endpoint, &o->key, handle));
        break;
    case TMU_OPCODE_CANCEL:
        o->target = pick(run, (uint32_t)handle);
        SUBMIT(b, tmu_cancel(b->queue, o->endpoint, run->operations[o->target].id, handle));
        break;
    default:
        SUBMIT(b, tmu_flush(b->queue, o->endpoint, &o->key, handle));
        break;
    }
}

static void traffic(void) {
    run_t run = {.state = seed ^ quota, .operations = calloc(OPERATIONS + 1, sizeof(operation_t))};
    tmu_flow_stats_t stats;
    uint64_t unanswered = 0;
    tmu_model_config_t config = {.endpoints = 4,
                                 .posted_capacity = segments > 0 ? 0 : TABLE,
                                 .unexpected_capacity = segments > 0 ? 0 : TABLE,
                                 .quota_posted = quota,
                                 .quota_unexpected = quota};
    EXPECT(tmu_model_create(&config, &run.model) == TMU_MODEL_OK);
    run.bench = bench_open(TMU_ENDPOINT_ANY, 5);
    run.order = serial_order_create(4, check_attempt, &run);
    must(tmu_spill_add(run.bench.device, segments), run.bench.device);
    for (uint32_t e = 0; e < 4; e++) {
        must(tmu_quota_set(run.bench.device, e, quota, quota), run.bench.device);
    }
    for (uint64_t i = 0; i <= OPERATIONS; i++) {
        run.operations[i].id = TMU_RECEIVE_NONE;
    }
    must(tmu_queue_observe(run.bench.queue, observe, &run), run.bench.device);
    for (uint64_t handle = 1; handle <= OPERATIONS && expect_failures == 0; handle++) {
        submit_random(&run, handle);
        if (pick(&run, 200) == 0) {
            random_windows(&run);
        }
        if (reserves && pick(&run, 100) == 0) {
            random_reserves(&run);
        }
        if (pick(&run, 3) == 0) {
            (void)bench_step(&run.bench);
        }
    }
    bench_settle(&run.bench);
    must(tmu_flow_stats(run.bench.device, &stats), run.bench.device);
    for (uint64_t handle = 1; handle <= OPERATIONS; handle++) {
        EXPECT(run.operations[handle].answers <= 1);
        unanswered += run.operations[handle].answers == 0;
    }
    EXPECT_NUMBER(unanswered, stats.held_now);
    EXPECT((quota == 0 && !(reserves && segments == 0)) || stats.stalls > 0);
    EXPECT_NUMBER(serial_order_waiting(run.order, &(uint32_t){0}, &(uint32_t){0}), 0);
    expect_no_room(&run);
    if (segments > 0 && quota == 0) {
        EXPECT(bench_counter(&run.bench, "posted_depth_max") > 150);
        EXPECT(bench_counter(&run.bench, "unexpected_depth_max") > 150);
    }
    serial_order_destroy(run.order);
    bench_close(&run.bench);
    tmu_model_destroy(run.model);
    free(run.operations);
}

static void random_traffic_keeps_its_order_R7(void) { traffic(); }

static void random_reserves_keep_the_law_R11(void) {
    reserves = true;
    traffic();
    reserves = false;
}

static void all(void) {
    /* Which of two endpoints has a table's last slot does not show in serial numbers, so without
     * memory that is not for a device that gives its answers in another order. */
    const bool shuffled = strstr(test_uri, "shuffle");
    segments = 0;
    for (quota = shuffled ? 1 : 0; quota < 4; quota++) {
        RUN(random_traffic_keeps_its_order_R7);
    }
    segments = 2;
    for (quota = 0; quota < 100; quota = 2 * quota + 30) {
        RUN(random_traffic_keeps_its_order_R7);
    }
    quota = 0;
    RUN(random_reserves_keep_the_law_R11); /* in memory: which lies where shows in no verdict */
    segments = 0;
    for (quota = 0; quota < 40 && !shuffled; quota = 2 * quota + 10) {
        RUN(random_reserves_keep_the_law_R11);
    }
}

int main(void) {
    seed = expect_seed(20260921);
    return on_every_device(all);
}
