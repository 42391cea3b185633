/* SPDX-License-Identifier: Apache-2.0
 *
 * From the completion ring to the caller: take, check, translate, account, hand over.
 */
#include <inttypes.h>

#include "tmu_ring_read.h"

/* ---- decoded completions: a circular buffer ------------------------------------------------ */

static void done_push(tmu_queue_t *queue, const tmu_completion_t *completion) {
    uint32_t tail = (queue->done_head + queue->done_count) & (queue->entries - 1);
    queue->done[tail] = *completion;
    queue->done_count++;
}

bool tmu_ring_pop(tmu_queue_t *queue, tmu_completion_t *completion_p) {
    if (queue->done_count == 0) {
        return false;
    }
    *completion_p = queue->done[queue->done_head];
    queue->done_head = (queue->done_head + 1) & (queue->entries - 1);
    queue->done_count--;
    return true;
}

/* ---- the ring ------------------------------------------------------------------------------ */

uint32_t tmu_queue_credits_free(const tmu_queue_t *queue) {
    uint32_t used = queue->consumed - queue->announced + queue->credits;
    return used < queue->entries ? queue->entries - used : 0;
}

tmu_result_t tmu_queue_write_consumer(const tmu_queue_t *queue, uint32_t count) {
    const tmu_t *device = queue->device;
    const uint32_t index = tmu_le32(count);
    const uint64_t offset =
        (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES + TMU_DOORBELL_CONSUMER_OFFSET;
    tmu_order_reads_before_consumer();
    return device->ops->doorbell_write(device->backend, offset, &index, sizeof index);
}

tmu_result_t tmu_queue_announce(tmu_queue_t *queue) {
    if (queue->announced == queue->consumed) {
        return TMU_OK;
    }
    tmu_result_t result = tmu_queue_write_consumer(queue, queue->consumed);
    if (result == TMU_OK) {
        queue->announced = queue->consumed;
    }
    return result;
}

/* Takes the next completion out of the ring; false if the unit has not written it yet. */
static bool ring_take(tmu_queue_t *queue, tmu_record_t *record_p) {
    const bool there = tmu_ring_read(queue, queue->consumed, record_p);
    queue->consumed += there;
    return there;
}

/* Whether an opcode can be answered by a status. */
static bool status_fits(bool card, uint8_t opcode, uint8_t status) {
    switch (status) {
    case TMU_STATUS_MATCHED:
        return opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_ARRIVE ||
               opcode == TMU_OPCODE_CLAIM;
    case TMU_STATUS_QUEUED:
        return opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_ARRIVE;
    case TMU_STATUS_FOUND:
        return opcode == TMU_OPCODE_PROBE;
    case TMU_STATUS_NONE:
        return opcode == TMU_OPCODE_PROBE || opcode == TMU_OPCODE_CLAIM;
    case TMU_STATUS_CANCELLED:
    case TMU_STATUS_LATE:
        return opcode == TMU_OPCODE_CANCEL;
    case TMU_STATUS_REMOVED:
        return opcode == TMU_OPCODE_FLUSH ||
               (card && (opcode == TMU_OPCODE_POST || opcode == TMU_OPCODE_CLAIM));
    case TMU_STATUS_FLUSHED:
        return opcode == TMU_OPCODE_FLUSH;
    case TMU_STATUS_SENT:
    case TMU_STATUS_UNDELIVERED:
    case TMU_STATUS_REFUSED_PEER:
        return card && opcode == TMU_OPCODE_SEND;
    case TMU_STATUS_REFUSED_MEMORY:
        return card && (opcode == TMU_OPCODE_SEND || opcode == TMU_OPCODE_POST);
    case TMU_STATUS_REFUSED_QUOTA:
        return opcode == TMU_OPCODE_POST;
    case TMU_STATUS_STALLED:
        return opcode == TMU_OPCODE_ARRIVE;
    case TMU_STATUS_ENTRY:
    case TMU_STATUS_EMPTY:
    case TMU_STATUS_VACANT:
        return opcode == TMU_OPCODE_INSPECT;
    case TMU_STATUS_SPILL_FAILED:
        return opcode != TMU_OPCODE_INSPECT;
    case TMU_STATUS_TABLE_FAULT:
    case TMU_STATUS_REFUSED_ENDPOINT:
    case TMU_STATUS_MALFORMED:
    case TMU_STATUS_REFUSED_PRIVILEGE:
        return true;
    default:
        return false;
    }
}

/* Finds the command that a completion answers. */
static tmu_result_t find_command(tmu_queue_t *queue, const tmu_completion_t *c,
                                 tmu_pending_t **pending_p) {
    tmu_pending_t *pending = tmu_pending_find(&queue->pendings, c);
    if (!pending) {
        tmu_error_set(TMU_ERR_DEVICE,
                      "page %u: a completion of opcode %u at endpoint %u has handle 0x%" PRIx64
                      ", and no command in flight has these",
                      queue->page.number, c->opcode, c->endpoint, c->handle);
        return tmu_device_break(queue->device);
    }
    if (!status_fits(tmu_network_is_card(&queue->device->info), c->opcode, c->status)) {
        tmu_error_set(TMU_ERR_DEVICE, "page %u: opcode %u was answered with status %u",
                      queue->page.number, c->opcode, c->status);
        return tmu_device_break(queue->device);
    }
    *pending_p = pending;
    return TMU_OK;
}

/* Whether the completion names a receive by the handle that the driver gave it. */
static bool names_receive(const tmu_completion_t *c) {
    switch (c->status) {
    case TMU_STATUS_MATCHED:
        return c->opcode == TMU_OPCODE_ARRIVE;
    case TMU_STATUS_CANCELLED:
        return true;
    case TMU_STATUS_REMOVED:
        return c->opcode == TMU_OPCODE_FLUSH && !c->unexpected;
    case TMU_STATUS_ENTRY:
        return !c->unexpected;
    default:
        return false;
    }
}

/* Puts the caller's handles back (R15) and ends receives that left the unit (R10). */
static tmu_result_t translate(tmu_queue_t *queue, const tmu_pending_t *pending,
                              tmu_completion_t *c) {
    tmu_receives_t *receives = &queue->device->receives;
    if (names_receive(c)) {
        tmu_receive_id_t id = TMU_RECEIVE_NONE;
        uint64_t handle = 0;
        if (!tmu_receive_find(receives, c->other, &id, &handle)) {
            tmu_error_set(TMU_ERR_DEVICE,
                          "page %u: the completion names receive 0x%" PRIx64
                          ", which is not in the unit",
                          queue->page.number, c->other);
            return tmu_device_break(queue->device);
        }
        c->other = handle;
        if (c->status != TMU_STATUS_ENTRY) {
            tmu_network_entry_free(queue, tmu_receive_keeper(receives, id));
            tmu_receive_end(receives, &queue->ids, id);
        }
    }
    c->handle = pending->handle;
    if (c->opcode == TMU_OPCODE_POST && c->status != TMU_STATUS_QUEUED) {
        tmu_receive_end(receives, &queue->ids, pending->id);
    } else if (c->opcode == TMU_OPCODE_CANCEL) {
        tmu_receive_unpin(receives, &queue->ids, pending->id);
    }
    return TMU_OK;
}

/* A removed entry takes one of its flush's credits; the last answer returns the rest, but for a
 * receive that a card's network will answer. */
static void retire(tmu_queue_t *queue, tmu_pending_t *pending, const tmu_completion_t *c) {
    if (c->opcode != TMU_OPCODE_FLUSH || c->status != TMU_STATUS_REMOVED) {
        const bool waits = tmu_network_is_card(&queue->device->info) &&
                           c->opcode == TMU_OPCODE_POST && c->status == TMU_STATUS_QUEUED;
        queue->credits -= pending->credits - waits;
        queue->flushes -= pending->opcode == TMU_OPCODE_FLUSH;
        tmu_pending_end(&queue->pendings, pending);
    } else if (pending->credits > 1) {
        pending->credits--;
        queue->credits--;
    }
}

/* In a session endpoints are numbered from 0, and their serial numbers begin with 0. */
static void localise(const tmu_queue_t *queue, tmu_completion_t *c) {
    const tmu_granted_t *granted = queue->device->granted;
    if (granted) {
        granted += queue->endpoint;
        c->endpoint = c->endpoint == granted->number ? queue->endpoint : UINT32_MAX;
        c->serial -= granted->serial;
    }
}

/* A card tells of a message that met a receive: nothing of this queue is answered by it. */
static tmu_result_t handle_message(tmu_queue_t *queue, tmu_completion_t *c) {
    tmu_receives_t *receives = &queue->device->receives;
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    uint64_t handle = 0;
    if (!tmu_receive_find(receives, c->other, &id, &handle) ||
        !tmu_flow_delivered(&queue->flow, c->endpoint)) {
        tmu_error_set(TMU_ERR_DEVICE,
                      "page %u: a message met receive 0x%" PRIx64 ", which is not in the unit",
                      queue->page.number, c->other);
        return tmu_device_break(queue->device);
    }
    if (tmu_receive_keeper(receives, id) == queue->keeper) {
        queue->credits--;
    }
    tmu_receive_end(receives, &queue->ids, id);
    c->other = handle;
    if (queue->observe) {
        queue->observe(queue->observe_user, c);
    }
    done_push(queue, c);
    return TMU_OK;
}

/* Whether a completion answers no command. */
static bool is_message(const tmu_queue_t *queue, const tmu_completion_t *c) {
    return tmu_network_is_card(&queue->device->info) && c->opcode == TMU_OPCODE_ARRIVE &&
           (c->status == TMU_STATUS_MATCHED || c->status == TMU_STATUS_REMOVED);
}

static tmu_result_t handle_completion(tmu_queue_t *queue, const tmu_record_t *record) {
    tmu_t *device = queue->device;
    tmu_completion_t c;
    tmu_wire_completion(record, &c);
    localise(queue, &c);
    if (is_message(queue, &c)) {
        return handle_message(queue, &c);
    }
    tmu_pending_t *pending = NULL;
    tmu_result_t result = find_command(queue, &c, &pending);
    if (result != TMU_OK) {
        return result;
    }
    result = translate(queue, pending, &c);
    if (result != TMU_OK) {
        return result;
    }
    if (c.status == TMU_STATUS_ENTRY) {
        tmu_wire_entry(record, &queue->entry);
        queue->entry.handle = c.other;
    }
    if (queue->observe) {
        queue->observe(queue->observe_user, &c);
    }
    bool stalled = false;
    if (!tmu_flow_answered(&queue->flow, pending, &c, &stalled)) {
        tmu_error_set(TMU_ERR_DEVICE,
                      "page %u: status %u for opcode %u contradicts what endpoint %u contains",
                      queue->page.number, c.status, c.opcode, pending->endpoint);
        return tmu_device_break(device);
    }
    if (!stalled) {
        done_push(queue, &c);
    }
    retire(queue, pending, &c);
    return TMU_OK;
}

/* Returns ring space a quarter at a time; a full doorbell path only postpones it. */
static tmu_result_t announce_quarter(tmu_queue_t *queue) {
    if (queue->consumed - queue->announced < queue->entries / 4) {
        return TMU_OK;
    }
    tmu_result_t result = tmu_queue_announce(queue);
    return result == TMU_AGAIN ? TMU_OK : result;
}

tmu_result_t tmu_ring_drain(tmu_queue_t *queue) {
    tmu_record_t record;
    tmu_result_t result = announce_quarter(queue);
    while (result == TMU_OK && queue->done_count < queue->entries && ring_take(queue, &record)) {
        result = handle_completion(queue, &record);
        if (result == TMU_OK) {
            result = announce_quarter(queue);
        }
    }
    return result;
}

/*
 * Takes what the other queues were answered, because this one waits for that and their owners may
 * be waiting for this one.  A queue that is in a call looks after itself.
 */
static tmu_result_t drain_others(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    tmu_result_t result = TMU_OK;
    if (pthread_mutex_trylock(&device->lock) != 0) {
        return TMU_OK;
    }
    for (tmu_queue_t *other = device->queues; other && result == TMU_OK; other = other->next) {
        if (other != queue && pthread_mutex_trylock(&other->lock) == 0) {
            result = tmu_ring_drain(other);
            pthread_mutex_unlock(&other->lock);
        }
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

/* Sends the next held arrival of a pass once nothing is in flight; each attempt is awaited. */
static tmu_result_t retry_held(tmu_queue_t *queue) {
    if (!queue->flow.pass || queue->pendings.count > 0) {
        return TMU_OK;
    }
    tmu_held_t *held = tmu_flow_pass_next(&queue->flow);
    if (!held) {
        return TMU_OK;
    }
    tmu_operation_t operation = {
        .command = held->command,
        .handle = held->handle,
        .id = TMU_RECEIVE_NONE,
        .endpoint = held->endpoint,
        .opcode = TMU_OPCODE_ARRIVE,
    };
    tmu_result_t result = tmu_submit_command(queue, &operation, 1, held, true);
    if (result == TMU_OK) {
        tmu_flow_pass_sent(&queue->flow, held);
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

/* Whether the device is still there, where something is in flight and nothing has come. */
static tmu_result_t look_alive(tmu_queue_t *queue) {
    tmu_t *device = queue->device;
    return device->ops->alive && queue->pendings.count > 0 && queue->done_count == 0
               ? device->ops->alive(device->backend)
               : TMU_OK;
}

static tmu_result_t poll_locked(tmu_queue_t *queue) {
    tmu_result_t result = tmu_device_check(queue->device);
    if (result == TMU_OK) {
        result = tmu_ring_drain(queue);
    }
    if (result == TMU_OK) {
        result = look_alive(queue);
    }
    if (result == TMU_OK && queue->flow.waits) {
        queue->flow.waits = false;
        result = drain_others(queue);
    }
    if (result == TMU_OK) {
        result = tmu_spill_look(queue);
    }
    if (result == TMU_OK) {
        tmu_flow_look(&queue->flow);
        result = retry_held(queue);
    }
    return result;
}

tmu_result_t tmu_poll(tmu_queue_t *queue, tmu_completion_t *completions, size_t max,
                      size_t *count_p) {
    if (!queue || !count_p || (max > 0 && !completions)) {
        return TMU_ERR_INVALID;
    }
    tmu_result_t owned = tmu_process_check(queue->device);
    if (owned != TMU_OK) {
        return owned;
    }
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = tmu_device_broke(queue->device, poll_locked(queue));
    if (result == TMU_ERR_DEVICE && max > 0 && queue->done_count > 0) {
        result = TMU_OK; /* what was answered before it failed is valid; the error comes next */
    }
    if (result == TMU_OK) {
        size_t count = 0;
        while (count < max && tmu_ring_pop(queue, &completions[count])) {
            count++;
        }
        *count_p = count;
    }
    pthread_mutex_unlock(&queue->lock);
    return result;
}
