/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tagged messages of the user's on a card: the card matches them, and what it tells becomes
 * messages of the provider's.
 *
 * A message that is announced (send.c) has its length in its header data, as every one has, and
 * brings the sender's handle instead of its payload.
 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

tfi_out_t *card_tagged_new(const wire_frame_t *frame, peer_t *to, size_t bytes) {
    const card_header_t header = {.ready = frame->kind == WIRE_READY,
                                  .has_data = frame->has_data,
                                  .data = (uint32_t)frame->data,
                                  .length = (uint32_t)frame->length};
    tfi_out_t *out = malloc(sizeof *out + bytes);
    if (!out) {
        return NULL;
    }
    *out = (tfi_out_t){.work = {TFI_OUT},
                       .announces = SLOTS_NONE,
                       .asks_for = SLOTS_NONE,
                       .to = to,
                       .load = TFI_UNCOUNTED,
                       .tag = frame->tag,
                       .tagged = true,
                       .header = card_header_encode(&header),
                       .iov_count = 1};
    ++to->holds;
    out->iov[0] = (struct iovec){out->bytes, bytes};
    return out;
}

bool card_ask_prepare(tfi_ep_t *ep, tfi_ask_t *ask) {
    if (!ep->domain->unit->card) {
        return true;
    }
    uint64_t room = ask->record.length < TFI_EAGER ? ask->record.length : TFI_EAGER;
    room = room < CARD_READY_BYTES ? CARD_READY_BYTES : room;
    ask->buffer = card_memory_take(card_ep_memory(ep->below), room);
    ask->record.address = ask->buffer.address;
    ask->record.room = room;
    return ask->buffer.memory;
}

/* Header data that contradicts the message is none: it is what came, of a sender that has no
 * provider. */
static card_header_t header_of(const tmu_completion_t *c, uint64_t header_data) {
    const card_header_t header = card_header_decode(header_data);
    const uint64_t bytes = header.ready ? CARD_READY_BYTES : header.length;
    return bytes == c->message_length ? header
                                      : (card_header_t){.length = (uint32_t)c->message_length};
}

/* The message of a completion, with `kept` bytes of room for its payload; NULL: memory is short. */
static tfi_message_t *message_new(tfi_ep_t *ep, const tmu_completion_t *c, uint64_t header_data,
                                  size_t kept) {
    const card_header_t header = header_of(c, header_data);
    const card_name_t name = card_name_of(&ep->domain->unit->network, c->source);
    uint8_t bytes[CARD_NAME];
    card_name_encode(&name, bytes);
    peer_t *from = peers_hold(&ep->av->peers, bytes, CARD_NAME);
    tfi_message_t *message = from ? calloc(1, sizeof *message + kept) : NULL;
    if (!message) {
        tfi_peer_release(ep->av, from);
        return NULL;
    }
    message->record.opcode = TMU_OPCODE_ARRIVE;
    message->record.key = (tmu_key_t){.match = c->match, .source = c->source};
    message->record.length = header.length;
    message->data = header.data;
    message->has_data = header.has_data;
    message->ready = header.ready;
    message->from = from;
    message->payload = message->copy;
    return message;
}

static void read_payload(tfi_message_t *message, const uint8_t *bytes) {
    message->payload = bytes;
    if (message->ready) {
        memcpy(&message->sender, bytes, CARD_READY_BYTES);
    }
}

void card_received(void *user, record_t *receive, const tmu_completion_t *c) {
    tfi_ep_t *ep = user;
    tfi_ask_t *ask = TFI_OF(tfi_ask_t, receive);
    const uint64_t header = c->opcode == TMU_OPCODE_ARRIVE ? c->handle : c->other;
    tfi_message_t *message = message_new(ep, c, header, 0);
    ask->matched = true;
    if (!message) {
        tfi_say("no memory for a message: it is lost");
        tfi_match_events.failed(ep, receive);
        return;
    }
    read_payload(message, ask->buffer.memory);
    ep->domain->unit->traffic.rendezvous += message->ready;
    ep->domain->unit->traffic.eager += !message->ready;
    tfi_deliver(ep, message, ask);
}

/* The message that a look found, of which a claim has the bytes; NULL: none, or memory is short. */
static tfi_message_t *message_seen(tfi_ep_t *ep, const tmu_completion_t *c) {
    tmu_t *device = ep->domain->unit->device;
    const bool claimed = c->opcode == TMU_OPCODE_CLAIM;
    tfi_message_t *message = NULL;
    if (c->status == TMU_STATUS_MATCHED || c->status == TMU_STATUS_FOUND) {
        message = message_new(ep, c, c->other, claimed ? c->message_length : 0);
    }
    if (message && claimed) {
        memcpy(message->copy, tmu_net_claimed(device, c), c->message_length);
        read_payload(message, message->copy);
    }
    if (c->status == TMU_STATUS_MATCHED && !message) {
        tfi_say("no memory for a message that was claimed: it is lost");
    }
    if (claimed && c->status != TMU_STATUS_NONE && tmu_net_release(device, c) != TMU_OK) {
        tfi_say("a buffer of the card is lost: %s", tmu_error_text(device));
    }
    return message;
}

void card_seen(void *user, record_t *look, const tmu_completion_t *c) {
    tfi_ep_t *ep = user;
    tfi_message_t *message = message_seen(ep, c);
    const bool probed = message && c->opcode == TMU_OPCODE_PROBE;
    tfi_looked(ep, TFI_OF(tfi_ask_t, look), message);
    if (probed) {
        tfi_message_free(ep, message);
    }
}
