/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads an endpoint's queues: by the privileged inspect command what is on chip, and behind that
 * what lies in memory (tmu_spill_dump.c).
 *
 * Positions count through the whole table, oldest first over all endpoints: entries of other
 * endpoints are passed over, and so are vacant positions, until the unit says that the table has
 * ended.
 */
#include <time.h>

#include "tmu_internal.h"

#define DUMP_STEPS 100000
#define DUMP_CLOCKS 64
#define DUMP_SECONDS 10 /* where steps are no measure, for the device runs by itself */

/* Whether an answer that is not there after so many steps will not come any more. */
static bool overdue(const tmu_t *device, unsigned step, const struct timespec *start) {
    struct timespec now;
    if (step < DUMP_STEPS || device->ops->clock) {
        return step >= DUMP_STEPS;
    }
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec - start->tv_sec > DUMP_SECONDS;
}

/* Sends one command on an otherwise idle device and waits for its completion. */
static tmu_result_t run_one(tmu_queue_t *queue, tmu_operation_t *operation,
                            tmu_completion_t *completion_p) {
    tmu_t *device = queue->device;
    tmu_result_t result = TMU_AGAIN;
    bool sent = false;
    struct timespec start;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    for (unsigned step = 0; !overdue(device, step, &start); step++) {
        if (!sent) {
            result = tmu_submit(queue, operation);
            sent = result == TMU_OK;
        } else if (tmu_ring_pop(queue, completion_p)) {
            return TMU_OK;
        }
        if (result == TMU_OK || result == TMU_AGAIN) {
            result = device->ops->progress ? device->ops->progress(device->backend, DUMP_CLOCKS)
                                           : TMU_OK;
        }
        if (result == TMU_OK) {
            result = tmu_ring_drain(queue);
        }
        if (result != TMU_OK) {
            return result;
        }
    }
    return tmu_error_set(TMU_ERR_DEVICE, "the device did not answer an inspect");
}

/* Walks one queue's table. */
static tmu_result_t dump_table(tmu_queue_t *queue, tmu_entry_t *which, const tmu_dump_to_t *to) {
    for (uint32_t at = 0; *to->go_on_p; at++) {
        tmu_operation_t operation = {
            .id = TMU_RECEIVE_NONE, .endpoint = which->endpoint, .opcode = TMU_OPCODE_INSPECT};
        TMU_FIELD_SET(&operation.command, TMU_COMMAND_INSPECT_POSITION, at);
        TMU_FIELD_SET(&operation.command, TMU_COMMAND_INSPECT_QUEUE, which->unexpected);
        tmu_completion_t completion = {0};
        tmu_result_t result = run_one(queue, &operation, &completion);
        if (result != TMU_OK) {
            return result;
        }
        if (completion.status == TMU_STATUS_EMPTY) {
            return TMU_OK;
        }
        if (completion.status == TMU_STATUS_VACANT) {
            continue;
        }
        if (completion.status != TMU_STATUS_ENTRY) {
            return tmu_error_set(TMU_ERR_DEVICE,
                                 "inspect of position %u was answered with status %u", at,
                                 completion.status);
        }
        tmu_entry_t entry = queue->entry;
        if (entry.endpoint == which->endpoint) {
            entry.position = which->position++;
            *to->go_on_p = to->dump(to->user, &entry);
        }
    }
    return TMU_OK;
}

static tmu_result_t dump_locked(tmu_queue_t *queue, uint32_t endpoint, tmu_dump_fn dump,
                                void *user) {
    tmu_t *device = queue->device;
    tmu_result_t result = tmu_device_check(device);
    if (result != TMU_OK) {
        return result;
    }
    if (queue->endpoint != TMU_ENDPOINT_ANY) {
        return tmu_error_set(TMU_ERR_INVALID, "a dump needs the privileged queue; this is page %u",
                             queue->page.number);
    }
    result = tmu_endpoint_check(device, endpoint);
    if (result != TMU_OK) {
        return result;
    }
    if (!tmu_device_still(device) || queue->done_count > 0) {
        return TMU_AGAIN;
    }
    bool go_on = true;
    const tmu_dump_to_t to = {.dump = dump, .user = user, .go_on_p = &go_on};
    result = tmu_spill_rest(device, endpoint);
    for (int unexpected = 0; unexpected < 2 && result == TMU_OK; unexpected++) {
        tmu_entry_t which = {.endpoint = endpoint, .unexpected = unexpected != 0};
        result = dump_table(queue, &which, &to);
        if (result == TMU_OK) {
            result = tmu_spill_dump(device, &which, &to);
        }
    }
    return result;
}

tmu_result_t tmu_dump(tmu_queue_t *queue, uint32_t endpoint, tmu_dump_fn dump, void *user) {
    if (!queue || !dump) {
        return TMU_ERR_INVALID;
    }
    tmu_device_stop(queue->device);
    tmu_result_t result = dump_locked(queue, endpoint, dump, user);
    tmu_device_go(queue->device);
    return result;
}
