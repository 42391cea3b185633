/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends of a card, what their completions tell, and the network's counters.
 */
#include <inttypes.h>
#include <string.h>

#include "tmu_internal.h"
#include "tmu_sized.h"

/* A list of pieces is read when the command starts, so each command in flight has its own. */
static tmu_result_t list_take(tmu_queue_t *queue, uint32_t endpoint, const tmu_net_send_t *send,
                              tmu_record_t *command) {
    tmu_net_memory_t *lists = &queue->lists;
    const tmu_pending_t *slot = tmu_pending_next(&queue->pendings);
    if (!slot) {
        return TMU_AGAIN;
    }
    if (!lists->memory) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "several pieces: the queue has no memory for lists of them before it "
                             "has a name (tmu_net_name_add)");
    }
    const size_t offset = (size_t)(slot - queue->pendings.slots) * sizeof(tmu_record_t);
    tmu_record_t list = {0};
    for (size_t i = 0; i < send->piece_count; i++) {
        uint32_t number = 0;
        if (send->pieces[i].bytes != 0 &&
            !tmu_network_find(&queue->device->network, endpoint, send->pieces[i].address,
                              send->pieces[i].bytes, &number)) {
            number = TMU_SEND_MEMORY_MASK; /* the card refuses it */
        }
        list.word[2 * i] = tmu_le64(send->pieces[i].address);
        list.word[2 * i + 1] =
            tmu_le64(send->pieces[i].bytes | (uint64_t)number << TMU_PIECE_MEMORY_SHIFT);
    }
    memcpy((char *)lists->memory + offset, &list, sizeof list);
    TMU_FIELD_SET(command, TMU_SEND_ADDRESS, lists->address + offset);
    TMU_FIELD_SET(command, TMU_SEND_MEMORY, lists->number);
    return TMU_OK;
}

static void put_inline(tmu_record_t *command, const uint8_t *data, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i++) {
        command->word[TMU_SEND_INLINE0_WORD + i / 8] |= (uint64_t)data[i] << 8 * (i % 8);
    }
}

/* Bytes of the message: where they are, and how many. */
static tmu_result_t put_bytes(tmu_queue_t *queue, uint32_t endpoint, const tmu_net_send_t *send,
                              tmu_record_t *command) {
    uint64_t bytes = send->bytes;
    uint32_t number = 0;
    for (size_t i = 0; i < send->piece_count; i++) {
        bytes += send->pieces[i].bytes;
    }
    TMU_FIELD_SET(command, TMU_SEND_LENGTH, bytes);
    TMU_FIELD_SET(command, TMU_SEND_PIECES, send->piece_count);
    if (bytes > TMU_SEND_LENGTH_MASK) {
        return tmu_error_set(TMU_ERR_INVALID, "%" PRIu64 " bytes are too many for a message",
                             bytes);
    }
    if (send->piece_count == 0) {
        put_inline(command, send->data, send->bytes);
        return TMU_OK;
    }
    if (send->piece_count > 1) {
        return list_take(queue, endpoint, send, command);
    }
    if (bytes != 0 && !tmu_network_find(&queue->device->network, endpoint, send->pieces[0].address,
                                        bytes, &number)) {
        number = TMU_SEND_MEMORY_MASK;
    }
    TMU_FIELD_SET(command, TMU_SEND_ADDRESS, send->pieces[0].address);
    TMU_FIELD_SET(command, TMU_SEND_MEMORY, number);
    return TMU_OK;
}

static tmu_result_t send_locked(tmu_queue_t *queue, uint32_t endpoint, const tmu_net_send_t *send) {
    tmu_operation_t operation = {.handle = send->handle,
                                 .id = TMU_RECEIVE_NONE,
                                 .endpoint = endpoint,
                                 .opcode = TMU_OPCODE_SEND};
    tmu_result_t result = tmu_queue_check(queue, endpoint);
    if (result == TMU_OK) {
        result = put_bytes(queue, endpoint, send, &operation.command);
    }
    if (result != TMU_OK) {
        return result;
    }
    TMU_FIELD_SET(&operation.command, TMU_SEND_PEER, send->peer);
    TMU_FIELD_SET(&operation.command, TMU_SEND_MATCH, send->match);
    if (send->has_header_data) {
        TMU_FIELD_SET(&operation.command, TMU_SEND_HEADER, 1);
        TMU_FIELD_SET(&operation.command, TMU_SEND_HEADER_DATA, send->header_data);
    }
    return tmu_submit(queue, &operation);
}

tmu_result_t tmu_net_send(tmu_queue_t *queue, uint32_t endpoint, const tmu_net_send_t *send) {
    if (!queue || !send) {
        return TMU_ERR_INVALID;
    }
    if (send->piece_count > TMU_SEND_PIECES_MOST || send->bytes > TMU_SEND_INLINE_BYTES ||
        (send->piece_count != 0 && (send->bytes != 0 || !send->pieces)) ||
        (send->bytes != 0 && !send->data) || send->peer > TMU_SEND_PEER_MASK) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "peer %u, %zu pieces and %u bytes beside them: expected 16 bits, %d "
                             "pieces or %d bytes at most",
                             send->peer, send->piece_count, send->bytes, TMU_SEND_PIECES_MOST,
                             TMU_SEND_INLINE_BYTES);
    }
    pthread_mutex_lock(&queue->lock);
    tmu_result_t result = send_locked(queue, endpoint, send);
    pthread_mutex_unlock(&queue->lock);
    return result;
}

tmu_net_sent_t tmu_net_sent(const tmu_completion_t *completion) {
    tmu_record_t record = {0};
    record.word[TMU_COMPLETION_OTHER_WORD] = completion->other;
    return (tmu_net_sent_t){
        .peer = (uint32_t)TMU_FIELD_GET(&record, TMU_COMPLETION_PEER),
        .code = (uint8_t)TMU_FIELD_GET(&record, TMU_COMPLETION_CODE),
        .given_up = TMU_FIELD_GET(&record, TMU_COMPLETION_GIVEN_UP) != 0,
    };
}

static tmu_result_t count_read(tmu_t *device, uint32_t number, uint32_t *value_p) {
    tmu_result_t result = tmu_device_write(device, TMU_REG_WIRE_COUNT_SELECT, number);
    return result == TMU_OK ? tmu_device_read(device, TMU_REG_WIRE_COUNT, value_p) : result;
}

tmu_result_t tmu_net_counts_sized(tmu_t *device, tmu_net_counts_t *counts_p, size_t size) {
    tmu_net_counts_t counts = {0};
    uint32_t repeated = 0; /* acknowledged once more */
    if (!device || !counts_p || size == 0 || !tmu_network_is_card(&device->info)) {
        return tmu_error_set(TMU_ERR_INVALID, "found no card with counters of a network");
    }
    uint32_t *const members[] = {
        [0] = &counts.accepted,
        [16] = &counts.delivered,
        [17] = &counts.control,
        [18] = &counts.refused,
        [19] = &repeated,
        [20] = &counts.duplicate,
        [21] = &counts.out_of_order,
        [22] = &counts.unasked,
        [24] = &counts.no_room,
        [36] = &counts.answers,
        [37] = &counts.frames_sent,
        [38] = &counts.sent_again,
        [39] = &counts.timeouts,
        [40] = &counts.messages_taken,
        [41] = &counts.messages_refused,
        [42] = &counts.link_full,
    };
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_device_check(device);
    for (uint32_t i = 0; i < sizeof members / sizeof members[0] && result == TMU_OK; i++) {
        uint32_t value = 0;
        result = count_read(device, i, &value);
        if (members[i]) {
            *members[i] = value;
        } else if (i < 16) { /* verdicts but the first are reasons to drop a frame */
            counts.dropped += value;
        }
    }
    pthread_mutex_unlock(&device->lock);
    counts.duplicate += repeated;
    if (result == TMU_OK) {
        tmu_sized_give(counts_p, size, &counts, sizeof counts);
    }
    return result;
}
