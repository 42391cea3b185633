/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that use one device at the same time, on queues of their own and on a common one.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "fixture.h"

#define STEPS_MAX 20000000 /* a thread that waits longer has lost something */

static bool poll_one(tmu_t *device, tmu_queue_t *queue, tmu_completion_t *c) {
    size_t count = 0;
    must(tmu_progress(device, 8), device);
    must(tmu_poll(queue, c, 1, &count), device);
    (void)sched_yield(); /* a simulated device has a lock, and a busy thread would keep it */
    return count == 1;
}

static tmu_queue_t *open_queue(tmu_t *device, uint32_t endpoint, uint32_t commands_log2) {
    const tmu_queue_attr_t attr = {
        .endpoint = endpoint, .ring_log2 = 4, .commands_log2 = commands_log2};
    tmu_queue_t *queue = NULL;
    must(tmu_queue_open(device, &attr, &queue), device);
    return queue;
}

static void run_threads(size_t count, void *(*work)(void *), void *workers, size_t size) {
    pthread_t threads[16];
    for (size_t i = 0; i < count; i++) {
        EXPECT_NUMBER(pthread_create(&threads[i], NULL, work, (char *)workers + i * size), 0);
    }
    for (size_t i = 0; i < count; i++) {
        EXPECT_NUMBER(pthread_join(threads[i], NULL), 0);
    }
}

/* ---- a queue and an endpoint each; many queues each ----------------------------------------- */

#define QUEUES_EACH 8

typedef struct worker {
    tmu_t *device;
    tmu_queue_t *queues[QUEUES_EACH];
    uint32_t endpoints[QUEUES_EACH];
    uint64_t keys[QUEUES_EACH];
    size_t queue_count;
    uint64_t rounds;
    uint64_t matched;
} worker_t;

/* Counts arrivals that met the receive with their own number. */
static bool collect(worker_t *w) {
    bool any = false;
    for (size_t q = 0; q < w->queue_count; q++) {
        tmu_completion_t c;
        while (poll_one(w->device, w->queues[q], &c)) {
            any = true;
            w->matched += c.opcode == TMU_OPCODE_ARRIVE && c.status == TMU_STATUS_MATCHED &&
                          c.other == c.handle && c.endpoint == w->endpoints[q];
        }
    }
    return any;
}

static void *post_and_arrive(void *argument) {
    worker_t *w = argument;
    unsigned quiet = 0;
    for (uint64_t i = 0; i < w->rounds * w->queue_count; i++) {
        size_t q = i % w->queue_count;
        tmu_result_t result;
        const tmu_receive_t receive = {.key = {.match = w->keys[q]}, .handle = i};
        const tmu_message_t message = {.match = w->keys[q], .handle = i};
        while ((result = tmu_post(w->queues[q], w->endpoints[q], &receive, NULL)) == TMU_AGAIN) {
            (void)collect(w);
        }
        must(result, w->device);
        while ((result = tmu_arrive(w->queues[q], w->endpoints[q], &message)) == TMU_AGAIN) {
            (void)collect(w);
        }
        must(result, w->device);
    }
    for (unsigned step = 0; step < STEPS_MAX && quiet < 3; step++) {
        size_t in_flight = 0;
        for (size_t q = 0; q < w->queue_count; q++) {
            in_flight += tmu_queue_in_flight(w->queues[q]);
        }
        quiet = collect(w) || in_flight > 0 ? 0 : quiet + 1;
    }
    return NULL;
}

static void threads_with_an_endpoint_each_do_not_disturb_each_other(void) {
    enum { THREADS = 4 };
    const uint64_t rounds = often(1000);
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    worker_t workers[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.device = b.device,
                                .queues = {open_queue(b.device, i, 0)},
                                .endpoints = {i},
                                .keys = {1},
                                .queue_count = 1,
                                .rounds = rounds};
    }
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    run_threads(THREADS, post_and_arrive, workers, sizeof workers[0]);
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_NUMBER(workers[i].matched, rounds);
    }
    bench_close(&b);
}

static void sixty_four_queues_are_open_at_once(void) {
    enum { THREADS = 8, ROUNDS = 60 };
    tmu_t *device = NULL;
    worker_t workers[THREADS];
    must(tmu_open(test_uri, &device), NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        workers[i] = (worker_t){.device = device, .queue_count = QUEUES_EACH, .rounds = ROUNDS};
        for (uint32_t q = 0; q < QUEUES_EACH; q++) { /* 64 shares of 8 slots: all that there are */
            workers[i].endpoints[q] = (i + q) % 4;
            workers[i].keys[q] = i * QUEUES_EACH + q;
            workers[i].queues[q] = open_queue(device, workers[i].endpoints[q], 3);
        }
    }
    run_threads(THREADS, post_and_arrive, workers, sizeof workers[0]);
    for (size_t i = 0; i < THREADS; i++) {
        EXPECT_NUMBER(workers[i].matched, ROUNDS * QUEUES_EACH);
    }
    tmu_close(device);
}

/* ---- one queue, many threads ---------------------------------------------------------------- */

#define SHARED_PROBES 2000

typedef struct shared {
    tmu_t *device;
    tmu_queue_t *queue;
    uint64_t first; /* of its handles */
    uint64_t probes;
    _Atomic unsigned *answers;
    _Atomic uint64_t *total;
    uint64_t all;
} shared_t;

static void *probe_common_queue(void *argument) {
    shared_t *w = argument;
    const tmu_key_t key = {0};
    uint64_t sent = 0;
    for (unsigned step = 0; step < STEPS_MAX && atomic_load(w->total) < w->all; step++) {
        tmu_completion_t c;
        sent += sent < w->probes && tmu_probe(w->queue, 2, &key, w->first + sent) == TMU_OK;
        if (poll_one(w->device, w->queue, &c)) {
            atomic_fetch_add(&w->answers[c.handle], 1);
            atomic_fetch_add(w->total, 1);
        }
    }
    return NULL;
}

static void threads_may_share_a_queue(void) {
    enum { THREADS = 4 };
    static _Atomic unsigned answers[THREADS * SHARED_PROBES];
    _Atomic uint64_t total = 0;
    const uint64_t probes = often(SHARED_PROBES);
    bench_t b = bench_open(2, 5);
    shared_t workers[THREADS];
    for (size_t i = 0; i < THREADS * SHARED_PROBES; i++) {
        atomic_store(&answers[i], 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (shared_t){.device = b.device,
                                .queue = b.queue,
                                .first = i * probes,
                                .probes = probes,
                                .answers = answers,
                                .total = &total,
                                .all = THREADS * probes};
    }
    run_threads(THREADS, probe_common_queue, workers, sizeof workers[0]);
    for (size_t i = 0; i < THREADS * probes; i++) {
        EXPECT_NUMBER(atomic_load(&answers[i]), 1);
    }
    bench_close(&b);
}

/* ---- held back on one queue, let in by another ---------------------------------------------- */

#define PRODUCERS 3

typedef struct producer {
    tmu_t *device;
    tmu_queue_t *queue;
    uint32_t source; /* PRODUCERS: the thread that posts */
    uint64_t answered;
    uint64_t open; /* a producer's messages without an answer: a bit each, by handle modulo 64 */
    uint64_t next[PRODUCERS]; /* least handle expected from each source */
    bool ordered;
} producer_t;

static uint64_t messages; /* of each producer */

static void *produce(void *argument) {
    producer_t *p = argument;
    const bool shuffled = strstr(test_uri, "?shuffle");
    tmu_completion_t c;
    uint64_t sent = 0;
    for (unsigned step = 0; step < STEPS_MAX && p->answered < messages; step++) {
        const tmu_message_t message = {.source = p->source, .handle = sent};
        /* By turns one at a time, which stalls, and several, which wait behind one that did. */
        uint64_t window = sent / 100 % 4 == 3 ? 8 : 1;
        if (sent < messages && sent - p->answered < window) {
            bool accepted = tmu_arrive(p->queue, 1, &message) == TMU_OK;
            p->open |= (uint64_t)accepted << sent % 64;
            sent += accepted;
        }
        if (poll_one(p->device, p->queue, &c)) {
            /* One answer each; also in order unless completions may reach the ring in another. */
            p->ordered = p->ordered && c.handle < sent && (p->open >> c.handle % 64 & 1) != 0 &&
                         (shuffled || c.handle == p->answered);
            p->open &= ~(UINT64_C(1) << c.handle % 64);
            p->answered++;
        }
    }
    return NULL;
}

/* Takes one message at a time, by claims and posts, and only when some arrival is held back. */
static void *consume(void *argument) {
    producer_t *p = argument;
    const tmu_receive_t any = {.key = {.source_ignore = UINT32_MAX}};
    tmu_completion_t c;
    const uint64_t all = PRODUCERS * messages;
    bool posted = false;
    for (unsigned step = 0; step < STEPS_MAX && p->answered < all; step++) {
        bool last = p->answered + PRODUCERS + 1 >= all;
        if (!posted && (last || tmu_endpoint_stalled(p->queue, 1))) {
            tmu_result_t result = p->answered % 2 == 0 ? tmu_claim(p->queue, 1, &any.key, 7)
                                                       : tmu_post(p->queue, 1, &any, NULL);
            posted = result == TMU_OK;
        }
        if (poll_one(p->device, p->queue, &c)) {
            posted = false;
            if (c.status == TMU_STATUS_MATCHED) {
                p->ordered = p->ordered && c.other >= p->next[c.source];
                p->next[c.source] = c.other + 1;
            }
            /* A receive that is queued takes some held arrival as it comes. */
            p->answered += c.status == TMU_STATUS_MATCHED || c.status == TMU_STATUS_QUEUED;
        }
    }
    return NULL;
}

static void *work_or_consume(void *argument) {
    producer_t *p = argument;
    return p->source < PRODUCERS ? produce(p) : consume(p);
}

static void no_wake_up_is_lost_between_queues_R11(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    producer_t threads[PRODUCERS + 1];
    tmu_flow_stats_t stats;
    messages = often(6000);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    for (uint32_t i = 0; i <= PRODUCERS; i++) {
        threads[i] = (producer_t){
            .device = b.device, .queue = open_queue(b.device, 1, 0), .source = i, .ordered = true};
    }
    run_threads(PRODUCERS + 1, work_or_consume, threads, sizeof threads[0]);
    for (size_t i = 0; i <= PRODUCERS; i++) {
        EXPECT_NUMBER(threads[i].answered, i < PRODUCERS ? messages : PRODUCERS * messages);
        EXPECT(threads[i].ordered);
    }
    must(tmu_flow_stats(b.device, &stats), b.device);
    EXPECT_NUMBER(stats.held_now, 0);
    EXPECT(stats.resumes > 0); /* mostly thousands; it depends on which runs when */
    EXPECT(stats.stalls > 0);
    bench_close(&b);
}

static void all(void) {
    RUN(threads_with_an_endpoint_each_do_not_disturb_each_other);
    RUN(sixty_four_queues_are_open_at_once);
    RUN(threads_may_share_a_queue);
    RUN(no_wake_up_is_lost_between_queues_R11);
}

int main(void) { return on_every_device(all); }
