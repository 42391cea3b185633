/* SPDX-License-Identifier: Apache-2.0
 *
 * Two threads, each with its own queue of one device.
 */
#include <pthread.h>

#include "fixture.h"

#define ROUNDS 300

typedef struct worker {
    tmu_t *device;
    tmu_queue_t *queue;
    uint32_t endpoint;
    unsigned matched;
    bool failed;
} worker_t;

/** Collects what is there; counts arrivals that met the receive with their own number. */
static void collect(worker_t *w) {
    tmu_completion_t c[8];
    size_t count = 0;
    w->failed = w->failed || tmu_progress(w->device, 8) != TMU_OK ||
                tmu_poll(w->queue, c, 8, &count) != TMU_OK;
    for (size_t i = 0; i < count; i++) {
        w->matched += c[i].opcode == TMU_OPCODE_ARRIVE && c[i].status == TMU_STATUS_MATCHED &&
                      c[i].other == c[i].handle && c[i].endpoint == w->endpoint;
    }
}

static void *work(void *argument) {
    worker_t *w = argument;
    tmu_receive_t receive = {.key = {.match = 1}};
    tmu_message_t message = {.match = 1};
    for (uint64_t i = 0; i < ROUNDS && !w->failed; i++) {
        tmu_result_t result = TMU_AGAIN;
        receive.handle = i;
        message.handle = i;
        while (!w->failed && (result = tmu_post(w->queue, w->endpoint, &receive, NULL))) {
            w->failed = result != TMU_AGAIN;
            collect(w);
        }
        while (!w->failed && (result = tmu_arrive(w->queue, w->endpoint, &message))) {
            w->failed = result != TMU_AGAIN;
            collect(w);
        }
    }
    while (!w->failed && tmu_queue_in_flight(w->queue) > 0) {
        collect(w);
    }
    collect(w);
    collect(w);
    return NULL;
}

static void threads_do_not_disturb_each_other(void) {
    bench_t b = bench_open(0, 4);
    worker_t workers[2] = {{.device = b.device, .queue = b.queue, .endpoint = 0},
                           {.device = b.device, .endpoint = 1}};
    pthread_t threads[2];
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    must(tmu_queue_open(b.device, &attr, &workers[1].queue), b.device);
    must(tmu_quota_set(b.device, 1, 0, 1), b.device);
    for (size_t i = 0; i < 2; i++) {
        EXPECT_NUMBER(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        EXPECT_NUMBER(pthread_join(threads[i], NULL), 0);
        EXPECT(!workers[i].failed);
        EXPECT_NUMBER(workers[i].matched, ROUNDS);
    }
    bench_close(&b);
}

static void all(void) { RUN(threads_do_not_disturb_each_other); }

int main(void) { return on_every_device(all); }
