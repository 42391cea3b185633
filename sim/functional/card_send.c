/* SPDX-License-Identifier: Apache-2.0
 *
 * Sends: from a command to messages of the node, whose bytes are fetched from host memory packet by
 * packet, again when one is sent again; so memory is the card's until the completion (W4).
 */
#include <stdlib.h>
#include <string.h>

#include "card.h"

/* Bits of the command that no send has, and what contradicts itself. */
static bool malformed(const tmu_record_t *c) {
    const uint64_t pieces = TMU_FIELD_GET(c, TMU_SEND_PIECES);
    const uint64_t length = TMU_FIELD_GET(c, TMU_SEND_LENGTH);
    const bool header = TMU_FIELD_GET(c, TMU_SEND_HEADER) != 0;
    const bool reserved = TMU_FIELD_GET(c, TMU_SEND_RESERVED0) != 0 ||
                          TMU_FIELD_GET(c, TMU_SEND_RESERVED3) != 0 ||
                          (!header && TMU_FIELD_GET(c, TMU_SEND_HEADER_DATA) != 0);
    const bool tail =
        TMU_FIELD_GET(c, TMU_SEND_INLINE1) != 0 || TMU_FIELD_GET(c, TMU_SEND_INLINE2) != 0;
    return reserved || pieces > TMU_SEND_PIECES_MOST ||
           (pieces == 0 ? length > TMU_SEND_INLINE_BYTES || TMU_FIELD_GET(c, TMU_SEND_MEMORY) != 0
                        : tail);
}

/* Reads the list of pieces that lies in memory; false where that is not registered (W8). */
static bool read_list(const ref_card_t *card, card_out_t *out, uint32_t memory, uint64_t address) {
    tmu_record_t list;
    if (address % sizeof list != 0 ||
        !card_registered(card, memory, out->endpoint, address, sizeof list, false)) {
        return false;
    }
    memcpy(&list, (const void *)(uintptr_t)address, sizeof list);
    for (unsigned i = 0; i < out->pieces; i++) {
        const uint64_t sizes = tmu_le64(list.word[2 * i + 1]);
        out->piece[i] = (card_piece_t){.address = tmu_le64(list.word[2 * i]),
                                       .bytes = (uint32_t)sizes,
                                       .memory = (uint32_t)(sizes >> TMU_PIECE_MEMORY_SHIFT)};
    }
    return true;
}

/* Fills in where the bytes are; the status that refuses them, TMU_STATUS_SENT for none. */
static uint8_t find_bytes(const ref_card_t *card, card_out_t *out, const tmu_record_t *command) {
    const uint32_t memory = (uint32_t)TMU_FIELD_GET(command, TMU_SEND_MEMORY);
    const uint64_t address = TMU_FIELD_GET(command, TMU_SEND_ADDRESS);
    uint64_t sum = 0;
    out->pieces = (unsigned)TMU_FIELD_GET(command, TMU_SEND_PIECES);
    if (out->pieces == 0) {
        for (unsigned i = 0; i < TMU_SEND_INLINE_BYTES; i++) {
            out->inline_bytes[i] = (uint8_t)(command->word[5 + i / 8] >> 8 * (i % 8));
        }
        return TMU_STATUS_SENT;
    }
    if (out->pieces == 1) {
        out->piece[0] = (card_piece_t){address, out->bytes, memory};
    } else if (!read_list(card, out, memory, address)) {
        return TMU_STATUS_REFUSED_MEMORY;
    }
    for (unsigned i = 0; i < out->pieces; i++) {
        const card_piece_t *piece = &out->piece[i];
        sum += piece->bytes;
        if (!card_registered(card, piece->memory, out->endpoint, piece->address, piece->bytes,
                             false)) {
            return TMU_STATUS_REFUSED_MEMORY;
        }
    }
    return sum == out->bytes ? TMU_STATUS_SENT : TMU_STATUS_MALFORMED;
}

/* Memory that a message is sent from is not taken away meanwhile. */
static void hold(ref_card_t *card, const card_out_t *out, uint32_t by) {
    card->peers[out->peer].sends += by;
    for (unsigned i = 0; i < out->pieces; i++) {
        if (out->piece[i].bytes != 0) {
            card->memories[out->piece[i].memory].sends += by;
        }
    }
}

static uint8_t start(ref_card_t *card, card_out_t *out, const tmu_record_t *command) {
    const card_peer_t *peer = &card->peers[out->peer];
    const uet_send_t send = {
        .to = peer->to,
        .initiator = peer->initiator,
        .match = out->match,
        .bytes = out->bytes,
        .has_header_data = TMU_FIELD_GET(command, TMU_SEND_HEADER) != 0,
        .header_data = TMU_FIELD_GET(command, TMU_SEND_HEADER_DATA),
        .handle = (uint64_t)(uintptr_t)out,
    };
    out->next = card->outs;
    card->outs = out;
    hold(card, out, 1);
    if (!uet_node_send(card->node, &send)) {
        card->device->out_of_memory = true;
    }
    return TMU_STATUS_SENT;
}

uint8_t card_send(ref_card_t *card, uint32_t page, uint32_t endpoint, const tmu_record_t *command) {
    const uint32_t peer = (uint32_t)TMU_FIELD_GET(command, TMU_SEND_PEER);
    if (malformed(command) || !card->node) {
        return TMU_STATUS_MALFORMED;
    }
    if (peer >= CARD_PEERS || !card->peers[peer].used || card->peers[peer].owner != endpoint) {
        return TMU_STATUS_REFUSED_PEER;
    }
    card_out_t *out = calloc(1, sizeof *out);
    if (!out) {
        card->device->out_of_memory = true;
        return TMU_STATUS_SENT;
    }
    out->peer = peer;
    out->endpoint = endpoint;
    out->bytes = (uint32_t)TMU_FIELD_GET(command, TMU_SEND_LENGTH);
    out->handle = TMU_FIELD_GET(command, TMU_SEND_HANDLE);
    out->match = TMU_FIELD_GET(command, TMU_SEND_MATCH);
    const uint8_t status = find_bytes(card, out, command);
    if (status != TMU_STATUS_SENT) {
        free(out);
        return status;
    }
    out->owner = card_owe(card, page);
    return start(card, out, command);
}

/* Appends what a piece has of the range from `offset` on; false where its memory is gone. */
static bool gather(const ref_card_t *card, const card_piece_t *piece, uint32_t offset,
                   uint32_t count, uint8_t *to) {
    const uint64_t address = piece->address + offset;
    if (!card_reaches(card, address, count)) {
        return false;
    }
    memcpy(to, (const void *)(uintptr_t)address, count);
    return true;
}

const uint8_t *card_fetch(void *context, const uet_send_t *send, uint32_t offset, uint32_t count) {
    ref_card_t *card = context;
    const card_out_t *out = (const card_out_t *)(uintptr_t)send->handle;
    uint32_t done = 0;
    if (out->pieces == 0) {
        return out->inline_bytes + offset;
    }
    for (unsigned i = 0; i < out->pieces && done < count; i++) {
        const card_piece_t *piece = &out->piece[i];
        if (offset >= piece->bytes) {
            offset -= piece->bytes;
            continue;
        }
        const uint32_t left = piece->bytes - offset;
        const uint32_t here = count - done < left ? count - done : left;
        if (!gather(card, piece, offset, here, card->gathered + done)) {
            return NULL;
        }
        done += here;
        offset = 0;
    }
    return card->gathered;
}

static void out_remove(ref_card_t *card, const card_out_t *out) {
    card_out_t **at = &card->outs;
    while (*at != out) {
        at = &(*at)->next;
    }
    *at = out->next;
}

void card_sent(void *context, const uet_sent_t *sent) {
    ref_card_t *card = context;
    card_out_t *out = (card_out_t *)(uintptr_t)sent->handle;
    const bool well = sent->code == UET_RC_OK;
    const uint32_t taken = well ? sent->modified : 0;
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMPLETION_OPCODE, TMU_OPCODE_SEND);
    TMU_FIELD_SET(&record, TMU_COMPLETION_STATUS, well ? TMU_STATUS_SENT : TMU_STATUS_UNDELIVERED);
    TMU_FIELD_SET(&record, TMU_COMPLETION_HANDLE, out->handle);
    TMU_FIELD_SET(&record, TMU_COMPLETION_ENDPOINT, out->endpoint);
    TMU_FIELD_SET(&record, TMU_COMPLETION_MATCH, out->match);
    TMU_FIELD_SET(&record, TMU_COMPLETION_PEER, out->peer);
    TMU_FIELD_SET(&record, TMU_COMPLETION_CODE, sent->code);
    TMU_FIELD_SET(&record, TMU_COMPLETION_GIVEN_UP, sent->given_up);
    TMU_FIELD_SET(&record, TMU_COMPLETION_MESSAGE_LENGTH, out->bytes);
    TMU_FIELD_SET(&record, TMU_COMPLETION_RECEIVE_LENGTH, taken);
    TMU_FIELD_SET(&record, TMU_COMPLETION_TRUNCATED, well && taken < out->bytes);
    card_completion_t *completion = card_completion_new(card, &out->owner, &record);
    if (completion) {
        card_finish(card, completion);
    }
    hold(card, out, UINT32_MAX); /* one less */
    out_remove(card, out);
    free(out);
}

void card_sends_forget(ref_card_t *card) {
    while (card->outs) {
        card_out_t *out = card->outs;
        card->outs = out->next;
        free(out);
    }
}
