/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads with a queue each on one endpoint: posts, arrivals, probes, claims and cancels of any
 * thread's receives, at random, while another thread opens, closes, asks and sets quotas and
 * reserves.
 *
 * Every verdict, stalled attempts too, has its turn in the endpoint's order (R7).  Afterwards the
 * reference model goes through all of them in that order and must come to the same (R3 to R11),
 * each operation must have one answer, and a source's arrivals must not have overtaken each other.
 * Prints its seed; TMU_SEED repeats a run as far as threads do.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "fixture.h"
#include "model_oracle.h"

#define THREADS 8
#define OPERATIONS 2000 /* of each thread */
#define ENDPOINT 1
#define ANOTHER 2 /* endpoint: of it nothing is ever queued */
#define TABLE 64  /* entries of a queue on chip, preset tiny */
#define ATTEMPTS_MAX (16 * THREADS * OPERATIONS)

typedef struct operation {
    uint8_t opcode;
    tmu_key_t key;
    uint64_t target; /* cancel: the receive's handle; 0 = it had no id yet */
    _Atomic tmu_receive_id_t id;
    unsigned answers;
} operation_t;

/* A verdict as its queue's observer saw it. */
typedef struct attempt {
    tmu_completion_t c;
    bool there;
} attempt_t;

typedef struct worker {
    tmu_t *device;
    tmu_queue_t *queue;
    uint64_t first; /* handle of its first operation */
    uint64_t state;
} worker_t;

static operation_t *operations; /* by handle, from 1 */
static attempt_t *attempts;     /* by serial */
static _Atomic uint64_t attempt_count;
static atomic_bool stop;
static uint64_t each; /* operations of a thread */
static uint64_t seed;
static uint32_t quota;
static uint32_t segments;
static bool reserves; /* of both endpoints */

/* With these 24 messages have room, and only the first 4 are sure of it. */
static uint32_t reserve(uint32_t endpoint) {
    return !reserves ? 0 : endpoint == ENDPOINT ? 20 : 40;
}

/* Messages that the endpoint may have: what is held back with fewer has been forgotten. */
static uint32_t messages_max(void) { return quota > 0 ? quota : TABLE - reserve(ANOTHER); }

static uint32_t pick(worker_t *w, uint32_t below) { return oracle_pick(&w->state, below); }

/* Serials differ, so that observers of different queues never write the same attempt. */
static void note(void *user, const tmu_completion_t *c) {
    (void)user;
    if (c->status == TMU_STATUS_REMOVED) {
        return; /* the flushed completion has the counts */
    }
    if (c->serial >= ATTEMPTS_MAX || attempts[c->serial].there) {
        (void)fprintf(stderr, "serial %u came twice or is too large\n", c->serial);
        abort();
    }
    attempts[c->serial] = (attempt_t){.c = *c, .there = true};
    atomic_fetch_add(&attempt_count, 1);
}

static void collect(worker_t *w) {
    tmu_completion_t c[4];
    size_t count = 0;
    must(tmu_progress(w->device, 8), w->device);
    must(tmu_poll(w->queue, c, 4, &count), w->device);
    for (size_t i = 0; i < count; i++) {
        operations[c[i].handle].answers += c[i].status != TMU_STATUS_REMOVED;
    }
}

static tmu_result_t submit(worker_t *w, uint64_t handle) {
    operation_t *o = &operations[handle];
    const tmu_receive_t receive = {.key = o->key, .handle = handle};
    const tmu_message_t message = {
        .match = o->key.match, .source = o->key.source, .handle = handle};
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    tmu_result_t result;
    switch (o->opcode) {
    case TMU_OPCODE_POST:
        result = tmu_post(w->queue, ENDPOINT, &receive, &id);
        atomic_store(&o->id, id);
        return result;
    case TMU_OPCODE_ARRIVE:
        return tmu_arrive(w->queue, ENDPOINT, &message);
    case TMU_OPCODE_PROBE:
        return tmu_probe(w->queue, ENDPOINT, &o->key, handle);
    case TMU_OPCODE_CLAIM:
        return tmu_claim(w->queue, ENDPOINT, &o->key, handle);
    case TMU_OPCODE_CANCEL:
        id = o->target ? atomic_load(&operations[o->target].id) : TMU_RECEIVE_NONE;
        o->target = id == TMU_RECEIVE_NONE ? 0 : o->target;
        return tmu_cancel(w->queue, ENDPOINT, id, handle);
    default:
        return tmu_flush(w->queue, ENDPOINT, &o->key, handle);
    }
}

/* A thread's sources are its own, so that each source's arrivals come by one queue. */
static void choose(worker_t *w, uint64_t handle) {
    static const uint8_t mix[] = {TMU_OPCODE_POST,   TMU_OPCODE_POST,   TMU_OPCODE_POST,
                                  TMU_OPCODE_POST,   TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE,
                                  TMU_OPCODE_ARRIVE, TMU_OPCODE_ARRIVE, TMU_OPCODE_PROBE,
                                  TMU_OPCODE_CLAIM,  TMU_OPCODE_CANCEL};
    operation_t *o = &operations[handle];
    o->opcode = pick(w, 200) == 0 ? TMU_OPCODE_FLUSH : mix[pick(w, sizeof mix)];
    bool arrival = o->opcode == TMU_OPCODE_ARRIVE;
    uint32_t thread = (uint32_t)((handle - 1) / each);
    int64_t source = 2 * (arrival ? thread : pick(w, THREADS)) + pick(w, 2);
    must(tmu_key_mpi(1, !arrival && pick(w, 4) == 0 ? TMU_ANY_SOURCE : source,
                     !arrival && pick(w, 4) == 0 ? TMU_ANY_TAG : pick(w, segments > 0 ? 100 : 3),
                     &o->key),
         NULL);
    o->target = 1 + pick(w, (uint32_t)(THREADS * each));
    if (pick(w, 2) == 0 && handle > w->first + 20) {
        o->target = handle - 1 - pick(w, 20); /* one of its own, maybe still queued */
    }
}

static void *work(void *argument) {
    worker_t *w = argument;
    for (uint64_t handle = w->first; handle < w->first + each; handle++) {
        tmu_result_t result;
        choose(w, handle);
        const uint64_t target = operations[handle].target;
        while ((result = submit(w, handle)) == TMU_AGAIN) {
            operations[handle].target = target;
            collect(w);
        }
        must(result, w->device);
        if (pick(w, 3) == 0) {
            collect(w);
        }
    }
    while (tmu_queue_in_flight(w->queue) > 0) { /* a large flush holds up all until it is polled */
        collect(w);
    }
    return NULL;
}

/* Calls functions off the fast path meanwhile. */
static void *disturb(void *argument) {
    tmu_t *device = argument;
    while (!atomic_load(&stop)) {
        const tmu_queue_attr_t attr = {.endpoint = ANOTHER, .ring_log2 = 4, .commands_log2 = 1};
        tmu_queue_t *queue = NULL;
        tmu_depth_t depth;
        tmu_flow_stats_t stats;
        tmu_counter_t counters[4];
        size_t count = 0;
        must(tmu_queue_open(device, &attr, &queue), device);
        must(tmu_counters(device, counters, 4, &count), device);
        must(tmu_flow_stats(device, &stats), device);
        (void)tmu_endpoint_stalled(queue, ENDPOINT);
        tmu_result_t result = tmu_depth(device, ENDPOINT, &depth);
        must(result == TMU_AGAIN ? TMU_OK : result, device);
        result = tmu_quota_set(device, ENDPOINT, 0, quota);
        must(result == TMU_AGAIN ? TMU_OK : result, device);
        result = tmu_reserve_set(device, ENDPOINT, reserve(ENDPOINT), reserve(ENDPOINT));
        must(result == TMU_AGAIN ? TMU_OK : result, device);
        EXPECT_NUMBER(tmu_queue_open(device, NULL, &queue), TMU_ERR_INVALID);
        EXPECT_TEXT(tmu_error_text(device), "attr and queue_p must not be NULL");
        must(tmu_queue_close(queue), device);
    }
    return NULL;
}

static void check_all(void) {
    uint64_t last[2 * THREADS] = {0}; /* arrival of each source */
    tmu_model_t *model = NULL;
    tmu_model_config_t config = {.endpoints = 4,
                                 .posted_capacity = segments > 0 ? 0 : TABLE,
                                 .unexpected_capacity = segments > 0 ? 0 : TABLE,
                                 .quota_unexpected = quota};
    EXPECT(tmu_model_create(&config, &model) == TMU_MODEL_OK);
    for (uint32_t e = ENDPOINT; e <= ANOTHER; e++) {
        EXPECT(tmu_model_set_reserve(model, e, reserve(e), reserve(e)) == TMU_MODEL_OK);
    }
    for (uint64_t serial = 0; serial < attempt_count && expect_failures == 0; serial++) {
        const tmu_completion_t *c = &attempts[serial].c;
        EXPECT(attempts[serial].there);
        const operation_t *o = &operations[c->handle];
        const oracle_question_t question = {o->opcode, ENDPOINT, o->key, c->handle, o->target};
        const tmu_model_verdict_t v = oracle_ask(model, &question);
        oracle_expect(c, &v);
        if (c->opcode == TMU_OPCODE_ARRIVE && c->status != TMU_STATUS_STALLED) {
            uint64_t *before = &last[o->key.source];
            EXPECT(*before < c->handle); /* R11: none overtook an older one of its source */
            *before = c->handle;
        }
    }
    tmu_model_destroy(model);
    for (uint64_t handle = 1; handle <= THREADS * each; handle++) {
        EXPECT_NUMBER(operations[handle].answers, 1);
    }
}

/* Lets everything that is held back in and takes every answer. */
static void finish(worker_t *workers) {
    tmu_flow_stats_t stats;
    tmu_depth_t depth;
    unsigned quiet = 0;
    unsigned idle = 0;
    for (unsigned step = 0; step < PATIENCE && quiet < 3; step++) {
        const tmu_key_t all = {.ignore = UINT64_MAX, .source_ignore = UINT32_MAX};
        size_t busy = 0;
        for (size_t i = 0; i < THREADS; i++) {
            collect(&workers[i]);
            busy += tmu_queue_in_flight(workers[i].queue);
        }
        must(tmu_flow_stats(workers[0].device, &stats), workers[0].device);
        idle = busy == 0 ? idle + 1 : 0;
        if (idle > 2 && stats.held_now > 0) {
            must(tmu_depth(workers[0].device, ENDPOINT, &depth), workers[0].device);
            EXPECT_NUMBER(depth.unexpected, messages_max());
            operations[THREADS * each + 1] = (operation_t){.opcode = TMU_OPCODE_FLUSH, .key = all};
            tmu_result_t result = tmu_flush(workers[0].queue, ENDPOINT, &all, THREADS * each + 1);
            must(result == TMU_AGAIN ? TMU_OK : result, workers[0].device);
        }
        quiet = busy == 0 && stats.held_now == 0 ? quiet + 1 : 0;
    }
    EXPECT_NUMBER(quiet, 3);
    EXPECT((quota == 0 && !(reserves && segments == 0)) || stats.stalls > 0);
}

static void threads_on_one_endpoint(void) { /* R7: some order of all explains every verdict */
    tmu_t *device = NULL;
    pthread_t threads[THREADS + 1];
    worker_t workers[THREADS];
    each = often(OPERATIONS);
    operations = calloc(THREADS * each + 2, sizeof *operations);
    attempts = calloc(ATTEMPTS_MAX, sizeof *attempts);
    if (!operations || !attempts) {
        abort();
    }
    for (uint64_t handle = 0; handle <= THREADS * each; handle++) {
        atomic_init(&operations[handle].id, TMU_RECEIVE_NONE);
    }
    atomic_store(&attempt_count, 0);
    atomic_store(&stop, false);
    must(tmu_open(test_uri, &device), NULL);
    must(tmu_spill_add(device, segments), device);
    must(tmu_quota_set(device, ENDPOINT, 0, quota), device);
    for (uint32_t e = ENDPOINT; e <= ANOTHER; e++) {
        must(tmu_reserve_set(device, e, reserve(e), reserve(e)), device);
    }
    for (uint64_t i = 0; i < THREADS; i++) {
        const tmu_queue_attr_t attr = {.endpoint = ENDPOINT, .ring_log2 = 4};
        workers[i] =
            (worker_t){.device = device, .first = 1 + i * each, .state = (seed ^ quota) * 31 + i};
        must(tmu_queue_open(device, &attr, &workers[i].queue), device);
        must(tmu_queue_observe(workers[i].queue, note, NULL), device);
    }
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_NUMBER(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    EXPECT_NUMBER(pthread_create(&threads[THREADS], NULL, disturb, device), 0);
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_NUMBER(pthread_join(threads[i], NULL), 0);
    }
    atomic_store(&stop, true);
    EXPECT_NUMBER(pthread_join(threads[THREADS], NULL), 0);
    finish(workers);
    check_all();
    tmu_close(device);
    free(operations);
    free(attempts);
}

static void all(void) {
    static const struct {
        uint32_t quota;
        uint32_t segments;
        bool reserves;
    } runs[] = {{0, 0, false},  {1, 0, false},   {3, 0, false}, {20, 0, false}, {0, 1, false},
                {20, 1, false}, {100, 1, false}, {0, 0, true},  {20, 0, true},  {0, 1, true}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        quota = runs[i].quota;
        segments = runs[i].segments;
        reserves = runs[i].reserves;
        RUN(threads_on_one_endpoint);
    }
}

int main(void) {
    const char *given = getenv("TMU_SEED");
    seed = given ? strtoull(given, NULL, 10) : 20261122;
    (void)printf("seed %" PRIu64 "\n", seed);
    return on_every_device(all);
}
