/* SPDX-License-Identifier: Apache-2.0
 *
 * From the caller's operation to a command in the doorbell page.
 *
 * A command is sent only when the ring has room for every completion that is due before it and of
 * it, and the queue's share of the command slots for every command that is in flight: the unit
 * drops none, and each starts without waiting for its ring.
 * A flush of more entries than its ring holds is sent alone on its queue.
 */
#include <inttypes.h>

#include "tmu_barrier.h"
#include "tmu_internal.h"

/* Whether one more command has a slot and its completions have ring entries. */
static tmu_result_t room_check(tmu_queue_t *queue, uint32_t credits) {
    if (!tmu_pending_next(&queue->pendings)) {
        return TMU_AGAIN;
    }
    tmu_network_entries_collect(queue);
    if (tmu_queue_credits_free(queue) >= credits) {
        return TMU_OK;
    }
    tmu_result_t result = tmu_queue_announce(queue);
    return result == TMU_OK && tmu_queue_credits_free(queue) < credits ? TMU_AGAIN : result;
}

static tmu_result_t doorbell(const tmu_queue_t *queue, const tmu_record_t *command) {
    tmu_t *device = queue->device;
    tmu_record_t bytes;
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        bytes.word[i] = tmu_le64(command->word[i]);
    }
    uint64_t offset = (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES +
                      (uint64_t)queue->slot * TMU_DOORBELL_COMMAND_BYTES;
    tmu_order_memory_before_doorbell();
    return tmu_device_broke(
        device, device->ops->doorbell_write(device->backend, offset, &bytes, sizeof bytes));
}

tmu_result_t tmu_submit_command(tmu_queue_t *queue, const tmu_operation_t *operation,
                                uint32_t credits, tmu_held_t *held, bool alone) {
    /* While a card's receives wait, one more command can start, so that they can be cancelled. */
    const bool waits = operation->opcode == TMU_OPCODE_POST && queue->flow.bounds->entries > 1;
    tmu_result_t result = room_check(queue, credits + waits);
    if (result != TMU_OK) {
        return result;
    }
    tmu_pending_t *pending = tmu_pending_next(&queue->pendings);
    *pending = (tmu_pending_t){
        .next = pending->next,
        .command = operation->command,
        .handle = operation->handle,
        .id = operation->id,
        .endpoint = operation->endpoint,
        .credits = credits,
        .held = held,
        .opcode = operation->opcode,
    };
    if (tmu_pending_is_named(operation->opcode)) {
        TMU_FIELD_SET(
            &pending->command, TMU_COMMAND_HANDLE,
            tmu_pending_name(&queue->pendings, pending, queue->device->receives.handle_mask));
    }
    if (operation->opcode == TMU_OPCODE_POST || operation->opcode == TMU_OPCODE_ARRIVE) {
        result = tmu_spill_measure(queue->device);
    }
    /* Before the unit can know of the command: another queue's answer may take its entry away. */
    if (result == TMU_OK) {
        result = tmu_flow_begin(&queue->flow, pending, queue->pendings.count, &alone);
    }
    if (result == TMU_OK) {
        result = doorbell(queue, &pending->command);
        if (result != TMU_OK) {
            tmu_flow_undo(&queue->flow, pending);
        }
    }
    if (result != TMU_OK) {
        pending->opcode = 0; /* the slot is free: no completion answers it */
        return result;
    }
    uint32_t slots = TMU_DOORBELL_COMMAND_WINDOW_BYTES / TMU_DOORBELL_COMMAND_BYTES;
    queue->slot = (queue->slot + 1) % slots;
    tmu_pending_sent(&queue->pendings, pending);
    queue->credits += credits;
    queue->flushes += operation->opcode == TMU_OPCODE_FLUSH;
    queue->flow.alone = alone;
    return TMU_OK;
}

tmu_result_t tmu_queue_check(tmu_queue_t *queue, uint32_t endpoint) {
    if (queue->endpoint != TMU_ENDPOINT_ANY && endpoint != queue->endpoint) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "endpoint %u on the queue of endpoint %u; only the privileged queue "
                             "names other endpoints",
                             endpoint, queue->endpoint);
    }
    return tmu_device_check(queue->device);
}

static tmu_result_t length_check(uint64_t length) {
    if (length > (uint64_t)TMU_COMMAND_LENGTH_MASK) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "length %" PRIu64 " is too large; a length is below 2^48", length);
    }
    return TMU_OK;
}

tmu_result_t tmu_submit(tmu_queue_t *queue, tmu_operation_t *operation) {
    tmu_flow_t *flow = &queue->flow;
    bool arrival = operation->opcode == TMU_OPCODE_ARRIVE;
    TMU_FIELD_SET(&operation->command, TMU_COMMAND_OPCODE, operation->opcode);
    TMU_FIELD_SET(&operation->command, TMU_COMMAND_ENDPOINT, operation->endpoint);
    uint32_t credits = tmu_flow_answers(flow, operation->opcode, operation->endpoint);
    bool large = credits > queue->entries;
    tmu_admission_t admission = tmu_flow_admit(flow, &operation->command, operation->endpoint,
                                               queue->pendings.count, large);
    if (admission == TMU_ADMIT_AGAIN) {
        return TMU_AGAIN;
    }
    if (arrival && tmu_flow_reserve(flow) != TMU_OK) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory to hold an arrival");
    }
    if (admission == TMU_ADMIT_HOLD) {
        const tmu_pending_t arrival = {.command = operation->command,
                                       .handle = operation->handle,
                                       .endpoint = operation->endpoint};
        tmu_flow_hold(flow, &arrival);
        return TMU_OK;
    }
    return tmu_submit_command(queue, operation, large ? flow->bounds->entries : credits, NULL,
                              admission == TMU_ADMIT_ALONE);
}

static tmu_result_t post_locked(tmu_queue_t *queue, uint32_t endpoint, const tmu_receive_t *receive,
                                tmu_receive_id_t *id_p) {
    tmu_t *device = queue->device;
    tmu_operation_t operation = {
        .handle = receive->handle, .endpoint = endpoint, .opcode = TMU_OPCODE_POST};
    tmu_result_t result = tmu_queue_check(queue, endpoint);
    if (result == TMU_OK) {
        result = length_check(receive->length);
    }
    if (result == TMU_OK) {
        result = tmu_network_receive(queue, endpoint, receive, &operation.command);
    }
    if (result != TMU_OK) {
        return result;
    }
    result =
        tmu_receive_begin(&device->receives, &queue->ids, endpoint, receive->handle, &operation.id);
    if (result == TMU_ERR_MEMORY) {
        return tmu_error_set(result, "no memory for another receive id");
    }
    if (result != TMU_OK) {
        return result;
    }
    tmu_network_entry_keep(queue, operation.id);
    tmu_wire_key(&operation.command, &receive->key);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_HANDLE,
                  tmu_receive_unit_handle(&device->receives, operation.id));
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_ADDRESS, receive->address);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_LENGTH, receive->length);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_RECEIVE_ID,
                  tmu_receive_index(&device->receives, operation.id));
    result = tmu_submit(queue, &operation);
    if (result != TMU_OK) {
        tmu_receive_end(&device->receives, &queue->ids, operation.id);
        return result;
    }
    if (id_p) {
        *id_p = operation.id;
    }
    return TMU_OK;
}

tmu_result_t tmu_post(tmu_queue_t *queue, uint32_t endpoint, const tmu_receive_t *receive,
                      tmu_receive_id_t *id_p) {
    if (!queue || !receive) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = post_locked(queue, endpoint, receive, id_p);
    pthread_mutex_unlock(&queue->lock);
    return result;
}

tmu_result_t tmu_arrive(tmu_queue_t *queue, uint32_t endpoint, const tmu_message_t *message) {
    if (!queue || !message) {
        return TMU_ERR_INVALID;
    }
    tmu_operation_t operation = {.handle = message->handle,
                                 .id = TMU_RECEIVE_NONE,
                                 .endpoint = endpoint,
                                 .opcode = TMU_OPCODE_ARRIVE};
    tmu_wire_message(&operation.command, message);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_HANDLE, message->handle);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_ADDRESS, message->place);
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_LENGTH, message->length);
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = tmu_queue_check(queue, endpoint);
    if (result == TMU_OK) {
        result = length_check(message->length);
    }
    if (result == TMU_OK) {
        result = tmu_submit(queue, &operation);
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}

/* Probe, claim and flush differ in the opcode alone; without a key all is selected (R14). */
static tmu_result_t search(tmu_queue_t *queue, uint8_t opcode, uint32_t endpoint,
                           const tmu_key_t *key, uint64_t handle) {
    tmu_operation_t operation = {
        .handle = handle, .id = TMU_RECEIVE_NONE, .endpoint = endpoint, .opcode = opcode};
    if (key) {
        tmu_wire_key(&operation.command, key);
    } else {
        tmu_wire_everything(&operation.command, &queue->device->info);
    }
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = tmu_queue_check(queue, endpoint);
    if (result == TMU_OK) {
        result = tmu_submit(queue, &operation);
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}

tmu_result_t tmu_probe(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle) {
    return queue && key ? search(queue, TMU_OPCODE_PROBE, endpoint, key, handle) : TMU_ERR_INVALID;
}

tmu_result_t tmu_claim(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle) {
    return queue && key ? search(queue, TMU_OPCODE_CLAIM, endpoint, key, handle) : TMU_ERR_INVALID;
}

tmu_result_t tmu_flush(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle) {
    return queue ? search(queue, TMU_OPCODE_FLUSH, endpoint, key, handle) : TMU_ERR_INVALID;
}

static tmu_result_t cancel_locked(tmu_queue_t *queue, uint32_t endpoint, tmu_receive_id_t target,
                                  uint64_t handle) {
    tmu_receives_t *receives = &queue->device->receives;
    tmu_result_t result = tmu_queue_check(queue, endpoint);
    if (result != TMU_OK) {
        return result;
    }
    tmu_operation_t operation = {.handle = handle,
                                 .id = tmu_receive_pin(receives, endpoint, target),
                                 .endpoint = endpoint,
                                 .opcode = TMU_OPCODE_CANCEL};
    TMU_FIELD_SET(&operation.command, TMU_COMMAND_RECEIVE_ID,
                  tmu_receive_index(receives, operation.id));
    result = tmu_submit(queue, &operation);
    if (result != TMU_OK) {
        tmu_receive_unpin(receives, &queue->ids, operation.id);
    }
    return result;
}

tmu_result_t tmu_cancel(tmu_queue_t *queue, uint32_t endpoint, tmu_receive_id_t target,
                        uint64_t handle) {
    if (!queue) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = cancel_locked(queue, endpoint, target, handle);
    pthread_mutex_unlock(&queue->lock);
    return result;
}
