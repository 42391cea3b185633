/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that is used up (R11): a segment is filled to its last slot.  Then what needs a slot is
 * refused or held and changes nothing, what hits is answered, and nothing is lost on its return
 * from memory.
 *
 * A slot of a chunk is used once, so what has left makes room when a whole chunk is free, or when
 * the entries of two fit in one.
 */
#include "spill_run.h"

/* Receives with tags from 0 on until not a slot is left in memory, and a table of messages. */
static void fill(run_t *run) {
    listen(run);
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

/* An entry finds no slot, and a waiting arrival gets that of the next message to leave. */
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

/* The oldest leave, so that chunks become free: so many receives fit as these have slots for. */
static void fill_again(run_t *run, uint32_t *oldest_p) {
    enum { LEAVE = 2 * TMU_SPILL_CHUNK_ENTRIES };
    for (; *oldest_p < LEAVE; ++*oldest_p) {
        (void)submit(run, TMU_OPCODE_ARRIVE, DEEP, 1, *oldest_p);
    }
    const uint32_t chunks = rest(run);
    const uint32_t room = chunks * TMU_SPILL_CHUNK_ENTRIES;
    const uint64_t turned_away = run->turned_away;
    EXPECT(chunks > 0 && room <= LEAVE);
    for (uint32_t i = 0; i < room + 3; i++) {
        (void)submit(run, TMU_OPCODE_POST, DEEP, 4, i);
    }
    EXPECT_NUMBER(rest(run), 0);
    EXPECT_NUMBER(run->turned_away, turned_away + 3);
}

/* By hits of every slot in memory, by cancels, and half of them by a flush. */
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
    for (uint64_t i = 0; i < run.count; i++) {
        entries += run.operations[i].queued;
    }
    EXPECT(entries > FILLED + TABLE + 3);
    close_run(&run);
}

/* An endpoint that has something in memory is served from there; but where there is no chunk its
 * entry takes a slot on chip, if none of its queue lies in memory. */
static void a_vacant_slot_on_chip_is_used_without_a_chunk_R11(void) {
    enum { MESSAGE = FILLED, RECEIVE };
    bench_t b = spill_open(TMU_ENDPOINT_ANY, 12, 1);
    for (uint32_t i = 0; i < FILLED; i++) {
        (void)bench_post(&b, DEEP, 1, i, i);
    }
    bench_arrive(&b, DEEP, 2, 0, MESSAGE);
    bench_settle(&b);
    EXPECT_NUMBER(stats_of(&b).chunks_free, 0);
    EXPECT_NUMBER(held(&b), 0);
    EXPECT_ANSWER(&b, ARRIVE, MESSAGE, QUEUED, 0);
    (void)bench_post(&b, DEEP, 2, 0, RECEIVE);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, RECEIVE, MATCHED, MESSAGE);
    EXPECT_NUMBER(bench_counter(&b, "spill_refused"), 0);
    bench_close(&b);
}

static void all(void) {
    RUN(a_full_segment_refuses_and_loses_nothing_R11_R15);
    RUN(a_vacant_slot_on_chip_is_used_without_a_chunk_R11);
}

int main(void) { return on_every_device(all); }
