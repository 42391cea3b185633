/* SPDX-License-Identifier: Apache-2.0
 *
 * A device whose memory is used up, for the driver's tests: the model judges every attempt in the
 * order of serial numbers (R7), stalled ones as well.
 *
 * Whether memory is full only the device knows, by how its entries lie in chunks; the model says
 * from where on it may be (R11).
 */
#ifndef SPILL_RUN_H
#define SPILL_RUN_H

#include "model_oracle.h"
#include "serial_order.h"
#include "spill_fixture.h"

#define ENDPOINTS 4
#define DEEP 1u  /* the endpoint whose receives fill memory */
#define OTHER 2u /* the one whose messages fill their table */
#define FILLED (TABLE + SEGMENT_ENTRIES)
#define OPERATIONS 69000 /* at most */

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

static inline void judge(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    const oracle_question_t *q = &run->operations[c->handle].question;
    tmu_model_set_full(run->model,
                       c->status == TMU_STATUS_REFUSED_QUOTA &&
                           tmu_model_may_be_full(run->model, q->endpoint, TMU_MODEL_POSTED),
                       c->status == TMU_STATUS_STALLED &&
                           tmu_model_may_be_full(run->model, q->endpoint, TMU_MODEL_UNEXPECTED));
    const tmu_model_verdict_t v = oracle_ask(run->model, q);
    oracle_expect(c, &v);
}

/* Every attempt, those that stall as well. */
static inline void observe(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    operation_t *o = &run->operations[c->handle];
    const bool returns_one = c->status == TMU_STATUS_MATCHED || c->status == TMU_STATUS_CANCELLED ||
                             c->status == TMU_STATUS_REMOVED;
    EXPECT(c->handle < run->count && (!returns_one || c->other < run->count));
    if (expect_failures > 0) {
        return;
    }
    if (returns_one) {
        run->operations[c->other].back++;
    }
    o->queued += c->status == TMU_STATUS_QUEUED;
    o->answers += c->status != TMU_STATUS_STALLED && c->status != TMU_STATUS_REMOVED;
    run->turned_away += c->status == TMU_STATUS_STALLED || c->status == TMU_STATUS_REFUSED_QUOTA;
    if (c->status != TMU_STATUS_REMOVED) { /* the flushed completion has the counts */
        EXPECT(serial_order_put(run->order, c));
    }
}

static inline operation_t *next(run_t *run, uint8_t opcode, uint32_t endpoint) {
    if (run->count == OPERATIONS) {
        abort();
    }
    if (run->bench.count > LOG_MAX / 2) {
        run->bench.count = 0; /* every completion is judged as it comes */
    }
    operation_t *o = &run->operations[run->count];
    o->question.opcode = opcode;
    o->question.endpoint = endpoint;
    o->question.handle = run->count++;
    return o;
}

/* An operation with a key of source and tag; its handle. */
static inline uint64_t submit(run_t *run, uint8_t opcode, uint32_t endpoint, uint32_t source,
                              uint32_t tag) {
    bench_t *b = &run->bench;
    operation_t *o = next(run, opcode, endpoint);
    const uint64_t handle = o->question.handle;
    must(tmu_key_mpi(7, source, tag, &o->question.key), NULL);
    if (opcode == TMU_OPCODE_POST) {
        o->id = bench_post(b, endpoint, source, tag, handle);
    } else if (opcode == TMU_OPCODE_ARRIVE) {
        bench_arrive(b, endpoint, source, (int32_t)tag, handle);
    } else if (opcode == TMU_OPCODE_PROBE) {
        SUBMIT(b, tmu_probe(b->queue, endpoint, &o->question.key, handle));
    } else {
        bench_claim(b, endpoint, source, tag, handle);
    }
    return handle;
}

static inline void cancel(run_t *run, uint64_t target) {
    const uint32_t endpoint = run->operations[target].question.endpoint;
    operation_t *o = next(run, TMU_OPCODE_CANCEL, endpoint);
    o->question.target = target;
    SUBMIT(&run->bench,
           tmu_cancel(run->bench.queue, endpoint, run->operations[target].id, o->question.handle));
}

/* All entries that are equal in the bits of `select` to those of `match`. */
static inline void flush_some(run_t *run, uint32_t endpoint, uint64_t match, uint64_t select) {
    operation_t *o = next(run, TMU_OPCODE_FLUSH, endpoint);
    o->question.key = (tmu_key_t){.match = match, .ignore = ~select, .source_ignore = UINT32_MAX};
    SUBMIT(&run->bench,
           tmu_flush(run->bench.queue, endpoint, &o->question.key, o->question.handle));
}

static inline void flush(run_t *run, uint32_t endpoint) { flush_some(run, endpoint, 0, 0); }

/* Nothing moves: the depths are the model's; the free chunks. */
static inline uint32_t rest(run_t *run) {
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

static inline run_t opened(void) {
    run_t run = {.operations = calloc(OPERATIONS, sizeof(operation_t))};
    const tmu_model_config_t config = {
        .endpoints = ENDPOINTS, .posted_capacity = TABLE, .unexpected_capacity = TABLE};
    EXPECT(run.operations && tmu_model_create(&config, &run.model) == TMU_MODEL_OK);
    run.bench = bench_open(TMU_ENDPOINT_ANY, 12);
    must(tmu_spill_add(run.bench.device, 1), run.bench.device);
    tmu_model_add_chunks(run.model, SEGMENT_CHUNKS);
    return run;
}

static inline void listen(run_t *run) {
    run->order = serial_order_create(ENDPOINTS, judge, run);
    must(tmu_queue_observe(run->bench.queue, observe, run), run->bench.device);
}

/* Nothing is left; each operation was answered, and each entry has come back, once (R15). */
static inline void close_run(run_t *run) {
    for (uint64_t i = 0; i < run->count && expect_failures == 0; i++) {
        EXPECT_NUMBER(run->operations[i].answers, 1);
        EXPECT_NUMBER(run->operations[i].back, run->operations[i].queued);
        EXPECT(run->operations[i].queued <= 1);
    }
    serial_order_destroy(run->order);
    bench_close(&run->bench);
    tmu_model_destroy(run->model);
    free(run->operations);
}

#endif
