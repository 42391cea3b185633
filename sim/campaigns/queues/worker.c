/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#define KEYS 4 /* pairs of a queue that differ in their key */

/* A queue's own key for one of its pairs. */
static uint64_t key_of(const worker_t *worker, uint64_t operation) {
    return (uint64_t)worker->number << 8 | operation / 2 % KEYS;
}

static tmu_result_t post(worker_t *worker, uint64_t handle) {
    const tmu_receive_t receive = {
        .key = {.match = key_of(worker, handle)}, .handle = handle, .length = 64};
    return tmu_post(worker->queue, worker->endpoint, &receive, NULL);
}

static tmu_result_t submit_one(worker_t *worker) {
    const uint64_t handle = worker->submitted;
    if (worker->kind == WORKER_CANCELS) {
        return tmu_cancel(worker->queue, worker->endpoint, TMU_RECEIVE_NONE, handle);
    }
    if (worker->kind == WORKER_REFUSED || handle % 2 == 0) {
        return post(worker, handle);
    }
    const tmu_message_t message = {.match = key_of(worker, handle), .handle = handle, .length = 64};
    return tmu_arrive(worker->queue, worker->endpoint, &message);
}

bool worker_is_hostile(const worker_t *worker) {
    return worker->kind == WORKER_UNREAD || worker->kind == WORKER_BAD;
}

tmu_result_t worker_submit(worker_t *worker) {
    tmu_result_t result = TMU_OK;
    if (worker_is_hostile(worker)) {
        return hostile_write(worker);
    }
    while (result == TMU_OK && worker->submitted - worker->completed < worker->window) {
        result = submit_one(worker);
        worker->submitted += result == TMU_OK;
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

/* Whether a completion is what the law says about this operation, the queue's next one. */
static bool right(const worker_t *worker, const tmu_completion_t *c) {
    const uint64_t handle = worker->completed;
    if (c->handle != handle || c->endpoint != worker->endpoint) {
        return false; /* R7: in the order of submission; R13 */
    }
    switch (worker->kind) {
    case WORKER_CANCELS:
        return c->status == TMU_STATUS_LATE; /* R10 */
    case WORKER_REFUSED:
        return c->status == TMU_STATUS_REFUSED_QUOTA; /* R11 */
    default:
        return handle % 2 == 0 ? c->status == TMU_STATUS_QUEUED
                               : c->status == TMU_STATUS_MATCHED && c->other == handle - 1; /* R3 */
    }
}

tmu_result_t worker_collect(worker_t *worker, bool measure) {
    tmu_completion_t completions[16];
    size_t count = 0;
    if (worker_is_hostile(worker)) {
        return TMU_OK;
    }
    do {
        const tmu_result_t result = tmu_poll(worker->queue, completions,
                                             sizeof completions / sizeof completions[0], &count);
        if (result != TMU_OK) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            worker->wrong += !right(worker, &completions[i]);
            worker->completed++;
            if (measure && worker->measured < worker->room) {
                worker->clocks[worker->measured++] = completions[i].host_latency;
            }
        }
    } while (count > 0);
    return TMU_OK;
}
