/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps of queues that go on in memory (R11): after random operations every endpoint's queues are
 * the model's, entry for entry; and what has lost a bit is named.
 * The functional device shows all entries as if they were on chip.
 * Prints its seed; TMU_SEED repeats a run.
 */
#include "model_oracle.h"
#include "serial_order.h"
#include "spill_fixture.h"

#define ENDPOINTS 4
#define OPERATIONS 6000
#define DUMP_EVERY 400 /* operations */
#define TAGS 1000

static uint64_t seed;

typedef struct operation {
    oracle_question_t question;
    tmu_receive_id_t id;
} operation_t;

typedef struct run {
    bench_t bench;
    tmu_model_t *model;
    serial_order_t *order;
    operation_t operations[OPERATIONS + 1]; /* by handle */
    uint64_t state;
} run_t;

/* State of a dump's comparison with the model. */
typedef struct shown {
    run_t *run;
    uint32_t endpoint;
    uint32_t count[2]; /* receives, messages */
    uint32_t spilled[2];
} shown_t;

static uint32_t pick(run_t *run, uint32_t below) { return oracle_pick(&run->state, below); }

/* An entry's address and length follow from its handle. */
static uint64_t address_of(uint64_t handle) { return ~handle << 12; }
static uint64_t length_of(uint64_t handle) { return handle * 7919; }

static void answered(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    const tmu_model_verdict_t v = oracle_ask(run->model, &run->operations[c->handle].question);
    oracle_expect(c, &v);
}

static void observe(void *user, const tmu_completion_t *c) {
    run_t *run = user;
    if (c->status != TMU_STATUS_REMOVED && c->opcode != TMU_OPCODE_INSPECT) {
        EXPECT(serial_order_put(run->order, c));
    }
}

static bool compare(void *user, const tmu_entry_t *entry) {
    shown_t *shown = user;
    const uint32_t at = shown->count[entry->unexpected]++;
    tmu_model_entry_t expected = {0};
    EXPECT(tmu_model_inspect(shown->run->model, shown->endpoint,
                             entry->unexpected ? TMU_MODEL_UNEXPECTED : TMU_MODEL_POSTED, at,
                             &expected) == TMU_MODEL_OK);
    EXPECT_NUMBER(entry->endpoint, shown->endpoint);
    EXPECT_NUMBER(entry->position, at);
    EXPECT_NUMBER(entry->handle, expected.handle);
    EXPECT_NUMBER(entry->key.match, expected.key.match);
    EXPECT_NUMBER(entry->key.ignore, expected.key.ignore);
    EXPECT_NUMBER(entry->key.source, expected.key.source);
    EXPECT_NUMBER(entry->key.source_ignore, expected.key.source_ignore);
    EXPECT_NUMBER(entry->address, address_of(expected.handle));
    EXPECT_NUMBER(entry->length, length_of(expected.handle));
    EXPECT(entry->spilled || shown->spilled[entry->unexpected] == 0); /* what is younger as well */
    shown->spilled[entry->unexpected] += entry->spilled;
    return expect_failures == 0;
}

/* Both queues of every endpoint; how many entries lie in memory. */
static uint32_t dump_all(run_t *run) {
    uint32_t spilled = 0;
    bench_settle(&run->bench);
    EXPECT_NUMBER(serial_order_waiting(run->order, &(uint32_t){0}, &(uint32_t){0}), 0);
    for (uint32_t e = 0; e < ENDPOINTS && expect_failures == 0; e++) {
        shown_t shown = {.run = run, .endpoint = e};
        tmu_depth_t depth;
        must(tmu_dump(run->bench.queue, e, compare, &shown), run->bench.device);
        must(tmu_depth(run->bench.device, e, &depth), run->bench.device);
        EXPECT_NUMBER(shown.count[0], tmu_model_depth(run->model, e, TMU_MODEL_POSTED));
        EXPECT_NUMBER(shown.count[1], tmu_model_depth(run->model, e, TMU_MODEL_UNEXPECTED));
        EXPECT_NUMBER(shown.count[0], depth.posted);
        EXPECT_NUMBER(shown.count[1], depth.unexpected);
        spilled += shown.spilled[0] + shown.spilled[1];
    }
    return spilled;
}

static tmu_key_t random_key(run_t *run, bool exact) {
    tmu_key_t key;
    must(tmu_key_mpi(1 + pick(run, 2), !exact && pick(run, 12) == 0 ? TMU_ANY_SOURCE : pick(run, 3),
                     !exact && pick(run, 40) == 0 ? TMU_ANY_TAG : pick(run, TAGS), &key),
         NULL);
    if (!exact && pick(run, 10) == 0) {
        key.ignore |= UINT64_C(1) << 63 | pick(run, 4);
    }
    return key;
}

/* While entries are to become fewer, cancels, claims and messages for receives that wait. */
static uint8_t random_opcode(run_t *run, bool fewer) {
    static const uint8_t more_mix[] = {TMU_OPCODE_POST,   TMU_OPCODE_POST,   TMU_OPCODE_POST,
                                       TMU_OPCODE_POST,   TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE,
                                       TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE, TMU_OPCODE_PROBE,
                                       TMU_OPCODE_CLAIM,  TMU_OPCODE_CANCEL};
    static const uint8_t fewer_mix[] = {TMU_OPCODE_CANCEL, TMU_OPCODE_CANCEL, TMU_OPCODE_CLAIM,
                                        TMU_OPCODE_CLAIM,  TMU_OPCODE_POST,   TMU_OPCODE_ARRIVE};
    if (pick(run, 1000) == 0) {
        return TMU_OPCODE_FLUSH;
    }
    return fewer ? fewer_mix[pick(run, sizeof fewer_mix)] : more_mix[pick(run, sizeof more_mix)];
}

static void submit_random(run_t *run, uint64_t handle, bool fewer) {
    bench_t *b = &run->bench;
    operation_t *o = &run->operations[handle];
    oracle_question_t *q = &o->question;
    q->opcode = random_opcode(run, fewer);
    q->endpoint = pick(run, 3) == 0 ? pick(run, ENDPOINTS) : 2; /* one of them is far deeper */
    q->key = random_key(run, q->opcode == TMU_OPCODE_ARRIVE);
    q->handle = handle;
    const tmu_receive_t receive = {.key = q->key,
                                   .handle = handle,
                                   .address = address_of(handle),
                                   .length = length_of(handle)};
    const tmu_message_t message = {.match = q->key.match,
                                   .source = q->key.source,
                                   .handle = handle,
                                   .place = address_of(handle),
                                   .length = length_of(handle)};
    switch (q->opcode) {
    case TMU_OPCODE_POST:
        SUBMIT(b, tmu_post(b->queue, q->endpoint, &receive, &o->id));
        break;
    case TMU_OPCODE_ARRIVE:
        SUBMIT(b, tmu_arrive(b->queue, q->endpoint, &message));
        break;
    case TMU_OPCODE_PROBE:
        SUBMIT(b, tmu_probe(b->queue, q->endpoint, &q->key, handle));
        break;
    case TMU_OPCODE_CLAIM:
        SUBMIT(b, tmu_claim(b->queue, q->endpoint, &q->key, handle));
        break;
    case TMU_OPCODE_CANCEL:
        q->target = 1 + pick(run, (uint32_t)handle);
        q->endpoint = run->operations[q->target].question.endpoint;
        SUBMIT(b, tmu_cancel(b->queue, q->endpoint, run->operations[q->target].id, handle));
        break;
    default:
        SUBMIT(b, tmu_flush(b->queue, q->endpoint, &q->key, handle));
        break;
    }
}

static run_t *run_open(void) {
    const tmu_model_config_t config = {.endpoints = ENDPOINTS};
    run_t *run = calloc(1, sizeof *run);
    if (!run) {
        abort();
    }
    run->state = seed;
    for (size_t i = 0; i <= OPERATIONS; i++) {
        run->operations[i].id = TMU_RECEIVE_NONE;
    }
    EXPECT(tmu_model_create(&config, &run->model) == TMU_MODEL_OK);
    run->bench = bench_open(TMU_ENDPOINT_ANY, 5);
    run->order = serial_order_create(ENDPOINTS, answered, run);
    must(tmu_spill_add(run->bench.device, 2), run->bench.device);
    must(tmu_queue_observe(run->bench.queue, observe, run), run->bench.device);
    return run;
}

static void run_close(run_t *run) {
    serial_order_destroy(run->order);
    bench_close(&run->bench);
    tmu_model_destroy(run->model);
    free(run);
}

/* Queues grow far beyond the tables, become fewer with holes in every chunk, and come back. */
static void a_dump_is_the_models_queues_wherever_entries_lie_R11(void) {
    run_t *run = run_open();
    uint32_t most = 0;
    uint32_t last = 0;
    for (uint64_t handle = 1; handle <= OPERATIONS && expect_failures == 0; handle++) {
        submit_random(run, handle, handle > OPERATIONS * 2 / 5);
        if (handle % DUMP_EVERY == 0) {
            last = dump_all(run);
            most = last > most ? last : most;
        }
    }
    EXPECT((most > 16 * TABLE) == keeps_memory(&run->bench));
    for (uint32_t e = 1; e < ENDPOINTS; e++) {
        operation_t *o = &run->operations[e]; /* its own is answered by now */
        o->question =
            (oracle_question_t){.opcode = TMU_OPCODE_FLUSH,
                                .endpoint = e,
                                .key = {.ignore = UINT64_MAX, .source_ignore = UINT32_MAX},
                                .handle = e};
        SUBMIT(&run->bench, tmu_flush(run->bench.queue, e, NULL, e));
    }
    (void)dump_all(run);
    run_close(run);
}

typedef struct seen {
    tmu_entry_t entry[4 * TABLE];
    uint32_t count;
    uint32_t most; /* to see */
} seen_t;

static bool note(void *user, const tmu_entry_t *entry) {
    seen_t *seen = user;
    seen->entry[seen->count++] = *entry;
    return seen->count < seen->most;
}

static void entries_that_come_back_are_shown_on_chip_R11(void) {
    enum { N = 3 * TABLE };
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_receive_id_t id[N];
    seen_t seen = {.most = 2 * TABLE};
    must(tmu_spill_add(b.device, 1), b.device);
    for (uint32_t i = 0; i < N; i++) {
        id[i] = bench_post(&b, 1, 1, i, i);
    }
    bench_settle(&b);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 2 * TABLE); /* a dump ends early in memory, too */
    for (uint32_t i = 0; i < seen.count; i++) {
        EXPECT_NUMBER(seen.entry[i].handle, i);
        EXPECT_NUMBER(seen.entry[i].spilled, i >= TABLE && keeps_memory(&b));
    }
    for (uint32_t i = 0; i < N; i++) {
        if (i % 3 != 1) {
            SUBMIT(&b, tmu_cancel(b.queue, 1, id[i], 1000 + i));
        }
    }
    bench_settle(&b);
    seen = (seen_t){.most = N};
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, TABLE);
    for (uint32_t i = 0; i < seen.count; i++) {
        EXPECT_NUMBER(seen.entry[i].handle, 3 * i + 1);
        EXPECT_NUMBER(seen.entry[i].position, i);
        EXPECT(!seen.entry[i].spilled);
    }
    bench_close(&b);
}

/* Flips a bit of what the last of some posts writes, and expects a dump to say so. */
static void flipped(tmu_fault_t store, uint32_t posts, uint32_t shown, const char *text) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_info_t info;
    tmu_fault_stats_t stats;
    uint32_t bits = 0;
    seen_t seen = {.most = UINT32_MAX};
    must(tmu_query(b.device, &info), b.device);
    must(tmu_spill_add(b.device, 1), b.device);
    if ((info.capabilities & 1u << TMU_CAPABILITIES_PARITY_SHIFT) != 0) {
        for (uint32_t i = 0; i + 1 < posts; i++) {
            (void)bench_post(&b, 1, 1, i, i);
        }
        bench_settle(&b);
        must(tmu_fault_inject(b.device, store, 3, &bits), b.device);
        EXPECT(bits > 3);
        (void)bench_post(&b, 1, 1, posts, posts);
        bench_settle(&b);
        must(tmu_fault_stats(b.device, &stats), b.device);
        EXPECT(stats.flipped);
        EXPECT_NUMBER(tmu_dump(b.queue, 1, note, &seen), TMU_ERR_DEVICE);
        EXPECT_TEXT(tmu_error_text(b.device), text);
        EXPECT_NUMBER(seen.count, shown);
        seen.count = 0;
        must(tmu_dump(b.queue, 2, note, &seen), b.device); /* another's queue is not there */
        must(tmu_reset(b.device), b.device);
        must(tmu_dump(b.queue, 1, note, &seen), b.device);
        EXPECT_NUMBER(seen.count, 0);
    }
    bench_close(&b);
}

static void a_flipped_bit_in_memory_is_named_R13(void) {
    const uint32_t full = TABLE + TMU_SPILL_CHUNK_ENTRIES;
    flipped(TMU_FAULT_CHUNK_LINKS, full + 1, full, "the link behind chunk 0 has lost a bit");
    flipped(TMU_FAULT_CHUNK_LIVES, TABLE + 3, TABLE, "the live bits of chunk 0 have lost a bit");
    flipped(TMU_FAULT_ENTRIES, TABLE + 5, TABLE + 4,
            "the entry in slot 4 of chunk 0 has lost a bit");
}

static void failed_memory_is_told_R13(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    seen_t seen = {.most = UINT32_MAX};
    uint32_t bits = 0;
    tmu_info_t info;
    must(tmu_query(b.device, &info), b.device);
    must(tmu_spill_add(b.device, 1), b.device);
    if ((info.capabilities & 1u << TMU_CAPABILITIES_PARITY_SHIFT) != 0) {
        must(tmu_fault_inject(b.device, TMU_FAULT_LISTS, 0, &bits), b.device);
        for (uint32_t i = 0; i < 2 * TABLE; i++) {
            (void)bench_post(&b, 1, 1, i, i);
        }
        bench_settle(&b);
        EXPECT_NUMBER(tmu_dump(b.queue, 1, note, &seen), TMU_ERR_DEVICE);
        EXPECT_TEXT(tmu_error_text(b.device), "spill memory has failed: what is queued there is "
                                              "not known until a reset");
        EXPECT_NUMBER(seen.count, 0);
    }
    bench_close(&b);
}

static void all(void) {
    RUN(a_dump_is_the_models_queues_wherever_entries_lie_R11);
    RUN(entries_that_come_back_are_shown_on_chip_R11);
    RUN(a_flipped_bit_in_memory_is_named_R13);
    RUN(failed_memory_is_told_R13);
}

int main(void) {
    seed = expect_seed(20260921);
    return on_every_device(all);
}
