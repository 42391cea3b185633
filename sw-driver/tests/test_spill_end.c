/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is used up (R11): a segment is filled to its last place.  Then what needs a place is
 * refused or held and changes nothing, what hits is answered, and nothing is lost on the way back.
 *
 * The model judges every attempt in the order of serial numbers, with a capacity that says how much
 * fits.  A place of a chunk is used once, so what has left makes room when a whole chunk is free:
 * the capacity is set again where nothing moves.
 */
#include "model_oracle.h"
#include "serial_order.h"
#include "spill_fixture.h"

#define ENDPOINTS 4
#define DEEP 1u  /* the endpoint whose receives fill memory */
#define OTHER 2u /* the one whose messages fill their table */
#define FILLED (TABLE + SEGMENT_ENTRIES)
#define OPERATIONS 60000 /* at most */

typedef struct operation {
    oracle_question_t question;
    tmu_receive_id_t id;
    uint32_t answers;
    uint32_t queued; /* times that it became an entry, and that this came back */
    uint32_t back;
} operation_t;

typedef struct run {
    bench_t bench;
    tmu_model_t *model;
    serial_order_t *order;
    operation_t *operations; /* by handle */
    uint64_t count;
    uint64_t turned_away; /* attempts that were refused or stalled */
} run_t;

static void judge(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    const tmu_model_verdict_t v = oracle_ask(run->model, &run->operations[c->handle].question);
    oracle_expect(c, &v);
}

/* Every attempt, those that stall as well. */
static void observe(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    operation_t *o = &run->operations[c->handle];
    const bool gives_back = c->status == TMU_STATUS_MATCHED || c->status == TMU_STATUS_CANCELLED ||
                            c->status == TMU_STATUS_REMOVED;
    EXPECT(c->handle < run->count && (!gives_back || c->other < run->count));
    if (expect_failures > 0) {
        return;
    }
    if (gives_back) {
        run->operations[c->other].back++;
    }
    o->queued += c->status == TMU_STATUS_QUEUED;
    o->answers += c->status != TMU_STATUS_STALLED && c->status != TMU_STATUS_REMOVED;
    run->turned_away += c->status == TMU_STATUS_STALLED || c->status == TMU_STATUS_REFUSED_QUOTA;
    if (c->status != TMU_STATUS_REMOVED) { /* the flushed completion has the counts */
        EXPECT(serial_order_put(run->order, c));
    }
}

static operation_t *next(run_t *run, uint8_t opcode, uint32_t endpoint) {
    if (run->count == OPERATIONS) {
        abort();
    }
    operation_t *o = &run->operations[run->count];
    o->question.opcode = opcode;
    o->question.endpoint = endpoint;
    o->question.handle = run->count++;
    return o;
}

/** An operation with a key of source and tag; its handle. */
static uint64_t submit(run_t *run, uint8_t opcode, uint32_t endpoint, uint32_t source,
                       uint32_t tag) {
    bench_t *b = &run->bench;
    operation_t *o = next(run, opcode, endpoint);
    const uint64_t handle = o->question.handle;
    must(tmu_key_mpi(7, source, tag, &o->question.key), NULL);
    if (opcode == TMU_OPCODE_POST) {
        o->id = bench_post(b, endpoint, source, tag, handle);
    } else if (opcode == TMU_OPCODE_ARRIVE) {
        bench_arrive(b, endpoint, source, (int32_t)tag, handle);
    } else {
        bench_claim(b, endpoint, source, tag, handle);
    }
    return handle;
}

static void cancel(run_t *run, uint64_t target) {
    operation_t *o = next(run, TMU_OPCODE_CANCEL, DEEP);
    o->question.target = target;
    SUBMIT(&run->bench,
           tmu_cancel(run->bench.queue, DEEP, run->operations[target].id, o->question.handle));
}

static void flush(run_t *run, uint32_t endpoint) {
    operation_t *o = next(run, TMU_OPCODE_FLUSH, endpoint);
    o->question.key = (tmu_key_t){.ignore = UINT64_MAX, .source_ignore = UINT32_MAX};
    SUBMIT(&run->bench, tmu_flush(run->bench.queue, endpoint, NULL, o->question.handle));
}

/** Nothing moves: the depths are the model's; the free chunks. */
static uint32_t rest(run_t *run) {
    bench_settle(&run->bench);
    EXPECT_NUMBER(serial_order_waiting(run->order, &(uint32_t){0}, &(uint32_t){0}), 0);
    for (uint32_t e = 0; e < ENDPOINTS; e++) {
        tmu_depth_t depth;
        must(tmu_depth(run->bench.device, e, &depth), run->bench.device);
        EXPECT_NUMBER(depth.posted, tmu_model_depth(run->model, e, TMU_MODEL_POSTED));
        EXPECT_NUMBER(depth.unexpected, tmu_model_depth(run->model, e, TMU_MODEL_UNEXPECTED));
    }
    return stats_of(&run->bench).chunks_free;
}

static run_t opened(void) {
    run_t run = {.operations = calloc(OPERATIONS, sizeof(operation_t))};
    const tmu_model_config_t config = {
        .endpoints = ENDPOINTS, .posted_capacity = FILLED, .unexpected_capacity = TABLE};
    EXPECT(run.operations && tmu_model_create(&config, &run.model) == TMU_MODEL_OK);
    run.bench = bench_open(TMU_ENDPOINT_ANY, 12);
    must(tmu_spill_add(run.bench.device, 1), run.bench.device);
    return run;
}

/** Receives with tags from 0 on until not a place is left in memory, and a table of messages. */
static void fill(run_t *run) {
    run->order = serial_order_create(ENDPOINTS, judge, run);
    must(tmu_queue_observe(run->bench.queue, observe, run), run->bench.device);
    for (uint32_t i = 0; i < FILLED; i++) {
        (void)submit(run, TMU_OPCODE_POST, DEEP, 1, i);
    }
    for (uint32_t i = 0; i < TABLE; i++) {
        (void)submit(run, TMU_OPCODE_ARRIVE, OTHER, 2, i);
    }
    EXPECT_NUMBER(rest(run), 0);
    EXPECT_NUMBER(run->turned_away, 0);
    EXPECT_NUMBER(tmu_model_depth(run->model, DEEP, TMU_MODEL_POSTED), FILLED);
}

/** What needs a place finds none, and what waits gets the place of the next message to leave. */
static void turn_away(run_t *run) {
    for (uint32_t i = 0; i < 5; i++) {
        (void)submit(run, TMU_OPCODE_POST, i % 2 == 0 ? DEEP : 0, 1, FILLED + i);
    }
    (void)submit(run, TMU_OPCODE_ARRIVE, OTHER, 2, 100);
    (void)submit(run, TMU_OPCODE_ARRIVE, OTHER, 2, 101); /* waits behind it */
    (void)submit(run, TMU_OPCODE_ARRIVE, OTHER, 3, 102);
    EXPECT_NUMBER(rest(run), 0);
    EXPECT_NUMBER(held(&run->bench), 3);
    EXPECT_NUMBER(run->turned_away, 7);
    EXPECT_NUMBER(bench_counter(&run->bench, "post_refused"), 5);
    EXPECT_NUMBER(bench_counter(&run->bench, "arrive_stalled"), 2);
    EXPECT_NUMBER(bench_counter(&run->bench, "spill_refused"), 7);
    for (uint32_t i = 3; i-- > 0;) {
        (void)submit(run, TMU_OPCODE_CLAIM, OTHER, 2, i);
        (void)rest(run);
        EXPECT_NUMBER(held(&run->bench), i);
    }
    EXPECT_NUMBER(bench_counter(&run->bench, "spill_refused"), run->turned_away);
}

/** The oldest leave, so that chunks become free: so many receives fit as these have places for. */
static void fill_again(run_t *run, uint32_t *oldest_p) {
    enum { LEAVE = 2 * TMU_SPILL_CHUNK_ENTRIES };
    for (; *oldest_p < LEAVE; ++*oldest_p) {
        (void)submit(run, TMU_OPCODE_ARRIVE, DEEP, 1, *oldest_p);
    }
    const uint32_t chunks = rest(run);
    const uint32_t room = chunks * TMU_SPILL_CHUNK_ENTRIES;
    const uint64_t turned_away = run->turned_away;
    EXPECT(chunks > 0 && room <= LEAVE);
    tmu_model_set_capacity(run->model, FILLED - LEAVE + room, TABLE);
    for (uint32_t i = 0; i < room + 3; i++) {
        (void)submit(run, TMU_OPCODE_POST, DEEP, 4, i);
    }
    EXPECT_NUMBER(rest(run), 0);
    EXPECT_NUMBER(run->turned_away, turned_away + 3);
}

/** By hits of every place in memory, by cancels, and half of them by a flush. */
static void drain(run_t *run, uint32_t oldest) {
    for (uint32_t i = 0; i < 16; i++) {
        (void)submit(run, TMU_OPCODE_ARRIVE, DEEP, 1, FILLED - 1 - i);
        (void)submit(run, TMU_OPCODE_ARRIVE, DEEP, 1, 2000 + 1700 * i);
        cancel(run, 2100 + 1800 * i); /* handle and tag of the first receives are the same */
    }
    for (uint32_t i = oldest; i < FILLED / 2; i++) {
        if (run->operations[i].back == 0) {
            (void)submit(run, TMU_OPCODE_ARRIVE, DEEP, 1, i);
        }
    }
    flush(run, DEEP);
    flush(run, OTHER);
    EXPECT_NUMBER(rest(run), SEGMENT_CHUNKS);
    EXPECT_NUMBER(held(&run->bench), 0);
    EXPECT_NUMBER(bench_counter(&run->bench, "spill_refused"), run->turned_away);
    EXPECT_NUMBER(bench_counter(&run->bench, "spill_errors"), 0);
}

static void a_full_segment_refuses_and_loses_nothing_R11_R15(void) {
    run_t run = opened();
    uint32_t oldest = 0;
    uint64_t entries = 0;
    fill(&run);
    turn_away(&run);
    fill_again(&run, &oldest);
    drain(&run, oldest);
    for (uint64_t i = 0; i < run.count && expect_failures == 0; i++) {
        EXPECT_NUMBER(run.operations[i].answers, 1);
        EXPECT_NUMBER(run.operations[i].back, run.operations[i].queued);
        EXPECT(run.operations[i].queued <= 1);
        entries += run.operations[i].queued;
    }
    EXPECT(entries > FILLED + TABLE + 3);
    serial_order_destroy(run.order);
    bench_close(&run.bench);
    tmu_model_destroy(run.model);
    free(run.operations);
}

/** The functional device gives it a place on chip; the hardware defers all of an endpoint that has
 * something in memory, its messages as well, and there is no chunk. */
static void an_arrival_behind_receives_in_memory_waits_for_a_chunk_R11(void) {
    enum { MESSAGE = FILLED, RECEIVE };
    bench_t b = lent_open(TMU_ENDPOINT_ANY, 12, 1);
    for (uint32_t i = 0; i < FILLED; i++) {
        (void)bench_post(&b, DEEP, 1, i, i);
    }
    bench_arrive(&b, DEEP, 2, 0, MESSAGE);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).chunks_free, 0);
    EXPECT_NUMBER(held(&b), keeps_memory(&b) ? 1 : 0);
    for (uint32_t i = 0; i < 2 * TMU_SPILL_CHUNK_ENTRIES; i++) {
        bench_arrive(&b, DEEP, 1, (int32_t)i, RECEIVE + i);
    }
    bench_settle(&b);
    EXPECT_NUMBER(held(&b), 0);
    EXPECT_ANSWER(&b, ARRIVE, MESSAGE, QUEUED, 0);
    (void)bench_post(&b, DEEP, 2, 0, RECEIVE);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, RECEIVE, MATCHED, MESSAGE);
    bench_close(&b);
}

static void all(void) {
    RUN(a_full_segment_refuses_and_loses_nothing_R11_R15);
    RUN(an_arrival_behind_receives_in_memory_waits_for_a_chunk_R11);
}

int main(void) { return on_every_device(all); }
