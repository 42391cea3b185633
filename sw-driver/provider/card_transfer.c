/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives and sends of the card below.
 *
 * Pieces that the card does not take yet wait here, in order.  Of a long payload some pieces are
 * under way at once, each in a buffer of registered memory; others that wait go on meanwhile, since
 * they have tags of their own.
 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

#define POLL_MAX 32u
#define CLOCKS 256u

/* ---- operations ---------------------------------------------------------------------------- */

static void append(card_ep_t *ep, card_operation_t *operation) {
    operation->next = NULL;
    operation->waits = true;
    *ep->waiting_end = operation;
    ep->waiting_end = &operation->next;
}

/* Payload of a receive that failed still comes in, so that it does not wait at the card for ever.
 */
static bool has_more(const card_operation_t *operation) {
    return (operation->err == 0 || operation->reported) && !operation->cancelled &&
           (!operation->begun || operation->started < operation->length);
}

/* Ends an operation of which nothing is left. */
static void end_if_done(card_ep_t *ep, card_operation_t *operation) {
    if (operation->waits || operation->pending != 0 || has_more(operation)) {
        return;
    }
    const int err = operation->err != 0 ? operation->err : operation->cancelled ? FI_ECANCELED : 0;
    if (!operation->reported) {
        card_cq_add(ep->cq, operation->context, operation->ended, err);
    }
    free(operation);
}

/* The bytes of an operation from `offset` on, between its buffers and one of the card's. */
static void copy(const card_operation_t *operation, size_t offset, uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < operation->iov_count && length != 0; ++i) {
        const size_t size = operation->iov[i].iov_len;
        if (offset >= size) {
            offset -= size;
            continue;
        }
        uint8_t *at = (uint8_t *)operation->iov[i].iov_base + offset;
        const size_t here = size - offset < length ? size - offset : length;
        memcpy(operation->receives ? at : bytes, operation->receives ? bytes : at, here);
        bytes += here;
        length -= here;
        offset = 0;
    }
}

static void piece_free(card_ep_t *ep, card_piece_t *piece) {
    slots_release(&ep->pieces, piece->handle);
    card_memory_put(&ep->memory, &piece->bytes);
    free(piece);
}

/* ---- to the card --------------------------------------------------------------------------- */

static tmu_result_t post(card_ep_t *ep, card_piece_t *piece) {
    const tmu_receive_t receive = {
        .key = {.match = piece->operation->tag, .source_ignore = UINT32_MAX},
        .handle = piece->handle,
        .address = piece->bytes.address,
        .length = piece->length};
    const tmu_result_t result = tmu_post(ep->queue, ep->control, &receive, &piece->id);
    if (result == TMU_OK) {
        ++ep->unit->counts.asked[TMU_OPCODE_POST];
        spill_count(&ep->unit->spill, TMU_OPCODE_POST);
    }
    return result;
}

static tmu_result_t send_piece(card_ep_t *ep, const card_piece_t *piece) {
    const card_operation_t *operation = piece->operation;
    uint8_t few[TMU_SEND_INLINE_BYTES];
    const tmu_net_piece_t bytes = {piece->bytes.address, (uint32_t)piece->length};
    tmu_net_send_t send = {.peer = operation->peer,
                           .match = operation->tag,
                           .has_header_data = operation->has_header,
                           .header_data = operation->header,
                           .handle = piece->handle};
    if (piece->bytes.memory) {
        copy(operation, piece->offset, piece->bytes.memory, piece->length);
        send.pieces = &bytes;
        send.piece_count = 1;
    } else {
        copy(operation, piece->offset, few, piece->length);
        send.data = few;
        send.bytes = (uint32_t)piece->length;
    }
    tmu_queue_t *queue = operation->has_header ? ep->tagged : ep->queue;
    const tmu_result_t result = tmu_net_send(queue, ep->control, &send);
    if (result == TMU_OK) {
        ++ep->unit->sent.asked;
        ep->numbers[operation->to].tagged += operation->has_header;
    }
    return result;
}

/* The next piece of an operation, with its buffer; NULL: memory is short. */
static card_piece_t *piece_new(card_ep_t *ep, card_operation_t *operation) {
    const size_t left = operation->length - operation->started;
    card_piece_t *piece = calloc(1, sizeof *piece);
    if (!piece) {
        return NULL;
    }
    piece->operation = operation;
    piece->offset = operation->started;
    piece->length = left < CARD_PIECE ? left : CARD_PIECE;
    piece->handle = slots_take(&ep->pieces, piece);
    const bool few = !operation->receives && piece->length <= TMU_SEND_INLINE_BYTES;
    if (!few) {
        piece->bytes = card_memory_take(&ep->memory, piece->length);
    }
    if (piece->handle == SLOTS_NONE || (!few && !piece->bytes.memory)) {
        piece_free(ep, piece);
        return NULL;
    }
    return piece;
}

/* False: the card takes no more of this kind for now. */
static bool start_piece(card_ep_t *ep, card_operation_t *operation) {
    card_piece_t *piece = piece_new(ep, operation);
    if (!piece) {
        return false;
    }
    const tmu_result_t result = operation->receives ? post(ep, piece) : send_piece(ep, piece);
    if (result != TMU_OK) {
        piece_free(ep, piece);
        if (result != TMU_AGAIN) {
            tfi_say("the card takes nothing any more: %s", tmu_error_text(ep->unit->device));
            operation->err = FI_EIO;
        }
        return result != TMU_AGAIN;
    }
    ++operation->pending;
    operation->begun = true;
    operation->started += piece->length;
    operation->asks = operation->receives;
    return true;
}

static bool may_start(const card_ep_t *ep, const card_operation_t *operation) {
    return has_more(operation) && operation->pending < CARD_WINDOW && !operation->asks &&
           !(operation->has_header && ep->numbers[operation->to].tagged >= CARD_TAGGED);
}

/* Operations that wait for the same command slots or ring entries. */
static unsigned kind_of(const card_operation_t *operation) {
    return operation->receives ? 1 : operation->has_header ? 2 : 0;
}

/* Hands over what the card takes; those of which it has all leave the list. */
static void start_waiting(card_ep_t *ep) {
    bool open[3] = {true, true, true};
    card_operation_t **at = &ep->waiting;
    while (*at) {
        card_operation_t *operation = *at;
        bool *more = &open[kind_of(operation)];
        while (*more && may_start(ep, operation)) {
            *more = start_piece(ep, operation);
        }
        if (has_more(operation)) {
            at = &operation->next;
            continue;
        }
        *at = operation->next;
        operation->waits = false;
        end_if_done(ep, operation);
    }
    ep->waiting_end = at;
}

void card_operation_start(card_ep_t *ep, card_operation_t *operation) {
    append(ep, operation);
    start_waiting(ep);
}

/* ---- from the card ------------------------------------------------------------------------- */

/* A piece has left the card. */
static void piece_left(card_ep_t *ep, card_piece_t *piece) {
    card_operation_t *operation = piece->operation;
    if (operation->receives) {
        ep->unit->epoch += spill_uncount(&ep->unit->spill, TMU_OPCODE_POST);
    } else if (operation->has_header) {
        --ep->numbers[operation->to].tagged;
    }
    --operation->pending;
    piece_free(ep, piece);
}

/* The first error of a receive in pieces is told at once: its sender may never send the rest. */
static void fail(card_ep_t *ep, card_operation_t *operation, int err) {
    const bool first = operation->err == 0;
    if (first) {
        operation->err = err;
    }
    if (first && operation->receives && !operation->frame && !operation->cancelled) {
        card_cq_add(ep->cq, operation->context, operation->ended, err);
        operation->reported = true;
    }
}

static void piece_end(card_ep_t *ep, card_piece_t *piece, size_t length, int err) {
    card_operation_t *operation = piece->operation;
    if (err == 0 && operation->receives) {
        const bool whole = operation->frame ? length <= piece->length : length == piece->length;
        err = whole ? 0 : FI_EIO; /* not what was announced */
    }
    if (err != 0) {
        fail(ep, operation, err);
    } else if (!operation->reported) { /* else the user may have its buffer back */
        if (operation->receives) {
            copy(operation, piece->offset, piece->bytes.memory, length);
        }
        operation->ended += length;
    }
    piece_left(ep, piece);
    end_if_done(ep, operation);
}

/* The card had no room for a receive, the last that it was asked for: it is asked again. */
static void piece_refused(card_ep_t *ep, card_piece_t *piece) {
    card_operation_t *operation = piece->operation;
    operation->started -= piece->length;
    operation->begun = operation->started != 0;
    piece_left(ep, piece);
    if (!operation->waits && has_more(operation)) {
        append(ep, operation);
    }
    end_if_done(ep, operation);
}

static void posted(card_ep_t *ep, card_piece_t *piece, const tmu_completion_t *c) {
    piece->operation->asks = false;
    switch (c->status) {
    case TMU_STATUS_QUEUED:
        break;
    case TMU_STATUS_MATCHED:
        piece_end(ep, piece, c->message_length, 0);
        break;
    case TMU_STATUS_REFUSED_QUOTA:
        piece_refused(ep, piece);
        break;
    default:
        piece_end(ep, piece, 0, FI_EIO);
        break;
    }
}

static int error_of(const tmu_completion_t *c) {
    if (c->status == TMU_STATUS_SENT) {
        return 0;
    }
    return tmu_net_sent(c).given_up ? FI_ECONNREFUSED : FI_EIO;
}

void card_observe(void *user, const tmu_completion_t *c) {
    const card_ep_t *ep = user;
    if (c->opcode == TMU_OPCODE_SEND) { /* which is none of the unit's */
        ++*(c->status == TMU_STATUS_SENT ? &ep->unit->sent.delivered : &ep->unit->sent.failed);
    } else {
        counts_answer(&ep->unit->counts, c);
    }
}

static void told(card_ep_t *ep, const tmu_completion_t *c) {
    const bool arrived = c->opcode == TMU_OPCODE_ARRIVE || c->opcode == TMU_OPCODE_CANCEL;
    card_piece_t *piece = slots_find(&ep->pieces, arrived ? c->other : c->handle);
    if (!piece) {
        return; /* a cancel that came too late */
    }
    switch (c->opcode) {
    case TMU_OPCODE_SEND:
        piece_end(ep, piece, piece->length, error_of(c));
        break;
    case TMU_OPCODE_POST:
        posted(ep, piece, c);
        break;
    case TMU_OPCODE_ARRIVE:
        piece_end(ep, piece, c->message_length, c->status == TMU_STATUS_MATCHED ? 0 : FI_EIO);
        break;
    default:
        if (c->status == TMU_STATUS_CANCELLED) {
            piece_end(ep, piece, 0, FI_ECANCELED);
        }
        break;
    }
}

/* Asks the card for the pieces of cancelled receives. */
static void ask_cancels(card_ep_t *ep) {
    size_t at = 0;
    ep->cancels = false;
    for (card_piece_t *piece; (piece = slots_next(&ep->pieces, &at));) {
        if (!piece->operation->cancelled || piece->cancels) {
            continue;
        }
        const tmu_result_t result = tmu_cancel(ep->queue, ep->control, piece->id, piece->handle);
        ep->unit->counts.asked[TMU_OPCODE_CANCEL] += result == TMU_OK;
        piece->cancels = result != TMU_AGAIN;
        ep->cancels = ep->cancels || !piece->cancels;
    }
}

/* Everything ends with an error when the device does, as the matcher says in words. */
static void break_down(card_ep_t *ep) {
    size_t at = 0;
    ep->broken = true;
    for (card_piece_t *piece; (piece = slots_next(&ep->pieces, &at));) {
        piece->operation->length = piece->operation->started; /* nothing more of it */
        piece_end(ep, piece, 0, FI_EIO);
    }
    for (card_operation_t *operation = ep->waiting; operation; operation = operation->next) {
        operation->begun = true;
        operation->length = operation->started;
        fail(ep, operation, FI_EIO);
    }
    start_waiting(ep); /* which takes them off */
}

static bool read_queue(card_ep_t *ep, tmu_queue_t *queue) {
    tmu_completion_t completions[POLL_MAX];
    size_t count = POLL_MAX;
    while (count == POLL_MAX) {
        if (tmu_poll(queue, completions, POLL_MAX, &count) != TMU_OK) {
            return false;
        }
        for (size_t i = 0; i < count; ++i) {
            told(ep, &completions[i]);
        }
    }
    return true;
}

void card_progress(card_ep_t *ep) {
    if (ep->broken) {
        return;
    }
    if (tmu_progress(ep->unit->device, CLOCKS) != TMU_OK || !read_queue(ep, ep->queue) ||
        !read_queue(ep, ep->tagged)) {
        break_down(ep);
        return;
    }
    if (ep->cancels) {
        ask_cancels(ep);
    }
    start_waiting(ep);
}

void card_operations_free(card_ep_t *ep) {
    size_t at = 0;
    for (card_piece_t *piece; (piece = slots_next(&ep->pieces, &at));) {
        card_operation_t *operation = piece->operation;
        const bool last = --operation->pending == 0 && !operation->waits;
        piece_free(ep, piece);
        if (last) {
            free(operation);
        }
    }
    while (ep->waiting) {
        card_operation_t *operation = ep->waiting;
        ep->waiting = operation->next;
        free(operation);
    }
    ep->waiting_end = &ep->waiting;
    slots_free(&ep->pieces);
}
