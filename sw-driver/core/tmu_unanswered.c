/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of what a failed device leaves behind: every accepted operation ends, with an answer of
 * the unit's or with one from here.
 */
#include "tmu_internal.h"

static tmu_completion_t unanswered(uint8_t opcode, uint32_t endpoint, uint64_t handle) {
    return (tmu_completion_t){
        .opcode = opcode,
        .status = TMU_STATUS_UNANSWERED,
        .endpoint = endpoint,
        .handle = handle,
    };
}

/* The oldest command in flight ends; false if there is none. */
static bool take_pending(tmu_queue_t *queue, tmu_completion_t *completion_p) {
    tmu_pending_t *pending = queue->pendings.oldest;
    while (pending && pending->held) { /* an attempt of one that is held, which ends there */
        tmu_pending_end(&queue->pendings, pending);
        pending = queue->pendings.oldest;
    }
    if (!pending) {
        return false;
    }
    *completion_p = unanswered(pending->opcode, pending->endpoint, pending->handle);
    tmu_pending_end(&queue->pendings, pending);
    return true;
}

static bool take_held(tmu_queue_t *queue, tmu_completion_t *completion_p) {
    uint32_t endpoint = 0;
    uint64_t handle = 0;
    if (!tmu_flow_drop(&queue->flow, &endpoint, &handle)) {
        return false;
    }
    *completion_p = unanswered(TMU_OPCODE_ARRIVE, endpoint, handle);
    return true;
}

tmu_result_t tmu_unanswered(tmu_queue_t *queue, tmu_completion_t *completions, size_t max,
                            size_t *count_p) {
    if (!queue || !count_p || (max > 0 && !completions)) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t result = tmu_process_check(queue->device);
    if (result != TMU_OK) {
        return result;
    }
    pthread_mutex_lock(&queue->lock);
    if (!atomic_load(&queue->device->broken) || queue->done_count > 0) {
        result = TMU_AGAIN;
    } else {
        size_t count = 0;
        while (count < max && (take_pending(queue, &completions[count]) ||
                               take_held(queue, &completions[count]))) {
            count++;
        }
        *count_p = count;
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}
