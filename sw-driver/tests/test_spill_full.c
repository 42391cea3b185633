/* SPDX-License-Identifier: Apache-2.0
 *
 * At the end of memory (R11): chunks with few entries become fewer, a reserve is kept, and random
 * operations of every kind are answered by the law while no chunk is free (R3 to R10, R14).
 * Prints its seed; TMU_SEED repeats a run.
 */
#include <inttypes.h>

#include "spill_run.h"

/* Tags: an even one is flushed as one of many. */
#define MANY 2
#define KEPT 3
#define LOW_BIT 1u

static uint64_t seed;

/* Sixty messages a chunk until memory is full; then all but one of each sixty leave. */
static void thin_out(run_t *run, uint32_t endpoint) {
    for (uint32_t i = 0; i < FILLED; i++) {
        (void)submit(run, TMU_OPCODE_ARRIVE, endpoint, 1, i % 60 == 59 ? KEPT : MANY);
    }
    EXPECT_NUMBER(rest(run), 0);
    flush_some(run, endpoint, 0, LOW_BIT);
    (void)rest(run);
}

static void one_entry_in_sixty_does_not_use_memory_up_R11(void) {
    enum { MORE = 12000 };
    run_t run = opened();
    listen(&run);
    thin_out(&run, OTHER);
    EXPECT_NUMBER(tmu_model_depth(run.model, OTHER, TMU_MODEL_UNEXPECTED), FILLED / 60);
    for (uint32_t i = 0; i < MORE; i++) {
        (void)submit(&run, TMU_OPCODE_ARRIVE, i % 2 == 0 ? OTHER : DEEP, 1, 4 + i);
        if (i % 400 == 0) { /* the oldest that is left, and none */
            (void)submit(&run, TMU_OPCODE_POST, OTHER, 1, KEPT);
            (void)submit(&run, TMU_OPCODE_CLAIM, OTHER, 1, 0);
        }
    }
    EXPECT(rest(&run) > 0);
    EXPECT_NUMBER(run.turned_away, 0);
    for (uint32_t i = 0; i < 8; i++) { /* far apart, oldest and youngest */
        (void)submit(&run, TMU_OPCODE_POST, i % 2 == 0 ? OTHER : DEEP, 1, 4 + i * (MORE / 8 + 1));
    }
    flush(&run, OTHER);
    flush(&run, DEEP);
    EXPECT_NUMBER(rest(&run), SEGMENT_CHUNKS);
    close_run(&run);
}

static void a_reserve_is_kept_beside_memory_that_is_full_R11_R13(void) {
    enum { RESERVE = 8, OWNER = 3 };
    run_t run = opened();
    must(tmu_reserve_set(run.bench.device, OWNER, RESERVE, RESERVE), run.bench.device);
    (void)tmu_model_set_reserve(run.model, OWNER, RESERVE, RESERVE);
    listen(&run);
    for (uint32_t i = 0; i < TABLE; i++) {
        (void)submit(&run, TMU_OPCODE_ARRIVE, OTHER, 1, 5);
    }
    for (uint32_t i = 0; i < RESERVE + 1; i++) {
        (void)submit(&run, TMU_OPCODE_ARRIVE, OWNER, 1, 5);
    }
    for (uint32_t i = 0; i < SEGMENT_ENTRIES; i++) {
        (void)submit(&run, TMU_OPCODE_ARRIVE, OTHER, 1, 5);
    }
    EXPECT_NUMBER(rest(&run), 0);
    const uint64_t turned_away = run.turned_away;
    for (uint32_t i = 0; i < RESERVE; i++) {
        (void)submit(&run, TMU_OPCODE_POST, OWNER, 1, 70 + i);
    }
    (void)rest(&run);
    EXPECT_NUMBER(tmu_model_depth(run.model, OWNER, TMU_MODEL_POSTED), RESERVE);
    EXPECT_NUMBER(run.turned_away, turned_away);
    flush(&run, OTHER);
    (void)rest(&run);
    flush(&run, OWNER);
    flush(&run, OTHER);
    EXPECT_NUMBER(rest(&run), SEGMENT_CHUNKS);
    close_run(&run);
}

/* ---- at random ------------------------------------------------------------------------------- */

static uint32_t pick(uint64_t *state, uint32_t below) { return oracle_pick(state, below); }

/* One operation: keys are few, so that most find something sooner or later. */
static void any(run_t *run, uint64_t *state) {
    const uint32_t endpoint = pick(state, ENDPOINTS);
    const uint32_t tag = pick(state, 6);
    const uint32_t kind = pick(state, 100);
    if (kind < 40) {
        (void)submit(run, TMU_OPCODE_POST, endpoint, 1 + pick(state, 2), tag);
    } else if (kind < 80) {
        (void)submit(run, TMU_OPCODE_ARRIVE, endpoint, 1 + pick(state, 2), tag);
    } else if (kind < 92) {
        (void)submit(run, kind < 86 ? TMU_OPCODE_PROBE : TMU_OPCODE_CLAIM, endpoint, 1, tag);
    } else if (kind < 99) {
        const uint64_t target = run->count - 1 - pick(state, 300);
        if (run->operations[target].question.opcode == TMU_OPCODE_POST) {
            cancel(run, target);
        }
    } else {
        flush_some(run, endpoint, tag & LOW_BIT, LOW_BIT);
    }
}

/* Memory is filled by one endpoint, up to a few chunks; the others come and go, and now and then
 * that one is thinned out as well. */
static void random_operations_at_the_end_of_memory_keep_the_law_R11(void) {
    enum { SPARE = 2 * TMU_SPILL_CHUNK_ENTRIES };
    uint64_t state = seed;
    run_t run = opened();
    must(tmu_quota_set(run.bench.device, 0, 40, 90), run.bench.device);
    (void)tmu_model_set_quota(run.model, 0, 40, 90);
    must(tmu_reserve_set(run.bench.device, 3, 4, 6), run.bench.device);
    (void)tmu_model_set_reserve(run.model, 3, 4, 6);
    listen(&run);
    for (uint32_t i = 0; i < FILLED - SPARE; i++) {
        (void)submit(&run, TMU_OPCODE_ARRIVE, OTHER, 9, 1000 + i % 4);
    }
    (void)rest(&run);
    const uint64_t operations = often(20000);
    for (uint64_t i = 0; i < operations && expect_failures == 0; i++) {
        any(&run, &state);
        if (i % (operations / 4) == operations / 4 - 1) {
            (void)rest(&run);
        }
    }
    EXPECT(run.turned_away > 0);
    for (uint32_t round = 0; round < 2; round++) { /* what was held comes in and leaves as well */
        for (uint32_t e = 0; e < ENDPOINTS; e++) {
            flush(&run, e);
            (void)rest(&run);
        }
    }
    EXPECT_NUMBER(held(&run.bench), 0);
    EXPECT_NUMBER(rest(&run), SEGMENT_CHUNKS);
    close_run(&run);
}

static void all(void) {
    RUN(one_entry_in_sixty_does_not_use_memory_up_R11);
    RUN(a_reserve_is_kept_beside_memory_that_is_full_R11_R13);
    RUN(random_operations_at_the_end_of_memory_keep_the_law_R11);
}

int main(void) {
    seed = expect_seed(20261127);
    return on_every_device(all);
}
