/* SPDX-License-Identifier: Apache-2.0
 *
 * Bounds of room in memory, against lists of chunks as the unit keeps them: whatever is
 * queued and taken, an arrival that was said to be sure finds a chunk (R11).
 * Prints its seed; TMU_SEED repeats a run.
 */
#include <stdlib.h>

#include "expect.h"
#include "model_oracle.h"
#include "tmu_bounds.h"

#define ENDPOINTS 4
#define LISTS (2 * ENDPOINTS)
#define CHUNKS 96
#define SLOTS 8
#define STEPS 400000

/* A queue in memory: chunks in its order, each with the slots that were used and are live. */
typedef struct list {
    unsigned chunks;
    unsigned live;
    struct {
        unsigned used;
        unsigned live;
    } chunk[CHUNKS];
} list_t;

typedef struct memory {
    list_t list[LISTS];
    unsigned free;
} memory_t;

/* An operation that was counted and has not reached the unit. */
typedef struct waiting {
    unsigned list;
    bool arrival;
    bool sure;
} waiting_t;

typedef struct run {
    tmu_bounds_t bounds;
    memory_t memory;
    waiting_t waiting[SLOTS];
    unsigned waits;
    uint64_t state;
    unsigned sure;
    unsigned refused;
    unsigned readings;
} run_t;

static uint64_t seed;

static bool append(memory_t *memory, list_t *list) {
    if (list->chunks == 0 || list->chunk[list->chunks - 1].used == TMU_SPILL_CHUNK_ENTRIES) {
        if (memory->free == 0) {
            return false;
        }
        memory->free--;
        list->chunk[list->chunks].used = 0;
        list->chunk[list->chunks].live = 0;
        list->chunks++;
    }
    list->chunk[list->chunks - 1].used++;
    list->chunk[list->chunks - 1].live++;
    list->live++;
    return true;
}

/* Takes an entry of a chunk; the youngest chunk stays while anything is queued. */
static void take(memory_t *memory, list_t *list, unsigned at) {
    list->chunk[at].live--;
    list->live--;
    if (list->live == 0) {
        memory->free += list->chunks;
        list->chunks = 0;
    } else if (list->chunk[at].live == 0 && at + 1 < list->chunks) {
        for (unsigned i = at; i + 1 < list->chunks; i++) {
            list->chunk[i] = list->chunk[i + 1];
        }
        list->chunks--;
        memory->free++;
    }
}

static void submit(run_t *run, bool arrival) {
    uint32_t number = oracle_pick(&run->state, ENDPOINTS);
    tmu_bounds_endpoint_t *endpoint = tmu_bounds_endpoint(&run->bounds, number);
    uint64_t seen = 0;
    tmu_reservation_t reservation = TMU_RESERVATION_UNSURE;
    if (arrival) {
        reservation = tmu_bounds_take(&run->bounds, endpoint, false, true, &seen);
    } else if (!tmu_bounds_take_receive(&run->bounds, endpoint)) {
        reservation = TMU_RESERVATION_WAIT;
    }
    if (reservation == TMU_RESERVATION_SURE || reservation == TMU_RESERVATION_UNSURE) {
        run->sure += reservation == TMU_RESERVATION_SURE;
        run->waiting[run->waits++] =
            (waiting_t){2 * number + arrival, arrival, reservation == TMU_RESERVATION_SURE};
    }
}

/* The unit comes to the oldest operation; the driver hears of it at once. */
static void answer(run_t *run) {
    waiting_t first = run->waiting[0];
    tmu_bounds_endpoint_t *endpoint = tmu_bounds_endpoint(&run->bounds, first.list / 2);
    uint64_t seen = 0;
    bool queued = append(&run->memory, &run->memory.list[first.list]);
    EXPECT(queued || !first.sure);
    run->refused += !queued;
    if (first.arrival) {
        EXPECT(tmu_bounds_arrived(&run->bounds, endpoint, first.sure, !queued, &seen));
    } else if (!queued) {
        EXPECT(tmu_bounds_receive_undone(&run->bounds, endpoint, &seen));
    }
    run->waits--;
    for (unsigned i = 0; i < run->waits; i++) {
        run->waiting[i] = run->waiting[i + 1];
    }
}

static void leave(run_t *run) {
    unsigned number = oracle_pick(&run->state, LISTS);
    list_t *list = &run->memory.list[number];
    tmu_bounds_endpoint_t *endpoint = tmu_bounds_endpoint(&run->bounds, number / 2);
    uint64_t seen = 0;
    for (unsigned tries = 0; tries < 8 && list->live > 0; tries++) {
        unsigned at = oracle_pick(&run->state, list->chunks);
        if (list->chunk[at].live > oracle_pick(&run->state, 2)) { /* mostly leaves the last one */
            take(&run->memory, list, at);
            EXPECT(number % 2 ? tmu_bounds_message_left(&run->bounds, endpoint, &seen)
                              : tmu_bounds_receive_left(&run->bounds, endpoint, &seen));
            return;
        }
    }
}

/* Commands under way go on while the register is read. */
static void read_free(run_t *run) {
    int64_t before = tmu_bounds_room(&run->bounds);
    unsigned free_chunks = 0;
    for (unsigned i = 0; i < 4; i++) {
        free_chunks = i == 2 ? run->memory.free : free_chunks;
        if (run->waits > 0 && oracle_pick(&run->state, 2) == 0) {
            answer(run);
        }
        if (run->waits < SLOTS && oracle_pick(&run->state, 2) == 0) {
            submit(run, true);
        }
    }
    tmu_bounds_measured(&run->bounds, free_chunks, before);
    run->readings++;
}

static void step(run_t *run, unsigned appends) {
    if (tmu_bounds_is_short(&run->bounds)) {
        read_free(run);
    }
    if (oracle_pick(&run->state, 100) >= appends) {
        leave(run);
    } else if (run->waits < SLOTS) {
        submit(run, oracle_pick(&run->state, 2) == 0);
    }
    if (run->waits == SLOTS || (run->waits > 0 && oracle_pick(&run->state, 2) == 0)) {
        answer(run);
    }
}

static void a_sure_arrival_finds_a_chunk_R11(void) {
    /* Nothing fits on chip, so every entry goes to memory. */
    const tmu_info_t info = {.endpoints = ENDPOINTS, .command_slots = SLOTS, .queues = 1};
    run_t *run = calloc(1, sizeof *run);
    if (!run) {
        abort();
    }
    run->state = seed;
    run->memory.free = CHUNKS;
    EXPECT_NUMBER(tmu_bounds_init(&run->bounds, &info), TMU_OK);
    tmu_bounds_add_memory(&run->bounds);
    for (unsigned i = 0; i < STEPS; i++) {
        step(run, i / 25000 % 2 ? 35 : 70); /* fills up, empties, and so on */
    }
    EXPECT(run->sure > STEPS / 10);
    EXPECT(run->refused > 100);
    EXPECT(run->readings < STEPS / 10);
    tmu_bounds_free(&run->bounds);
    free(run);
}

int main(void) {
    seed = expect_seed(20261123);
    RUN(a_sure_arrival_finds_a_chunk_R11);
    return expect_summary();
}
