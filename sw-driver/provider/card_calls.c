/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the provider above on the card below, and the numbers that the card knows peers by. */
#include "card.h"

#include <stdlib.h>
#include <string.h>

static card_operation_t *operation_new(const struct iovec *iov, size_t count, uint64_t tag,
                                       void *context) {
    card_operation_t *operation = calloc(1, sizeof *operation);
    if (!operation) {
        return NULL;
    }
    operation->context = context;
    operation->tag = tag;
    operation->iov_count = count;
    operation->length = tfi_length(iov, count);
    memcpy(operation->iov, iov, count * sizeof *iov);
    return operation;
}

static ssize_t receive_pieces(struct fid_ep *fid, const struct iovec *iov, size_t count,
                              uint64_t tag, bool frame, void *context) {
    card_operation_t *operation = operation_new(iov, count, tag, context);
    if (!operation) {
        return -FI_ENOMEM;
    }
    operation->receives = true;
    operation->frame = frame;
    card_operation_start(TFI_OF(card_ep_t, fid), operation);
    return 0;
}

static ssize_t receive_payload(struct fid_ep *fid, const struct iovec *iov, void **desc,
                               size_t count, fi_addr_t from, uint64_t tag, uint64_t ignore,
                               void *context) {
    (void)desc, (void)from, (void)ignore;
    return receive_pieces(fid, iov, count, tag, false, context);
}

static ssize_t receive_frame(struct fid_ep *fid, void *buffer, size_t length, void *desc,
                             fi_addr_t from, uint64_t tag, uint64_t ignore, void *context) {
    const struct iovec iov = {buffer, length};
    (void)desc, (void)from, (void)ignore;
    return receive_pieces(fid, &iov, 1, tag, true, context);
}

static bool numbers_reach(card_ep_t *ep, fi_addr_t index) {
    if (index < ep->numbers_room) {
        return true;
    }
    size_t room = ep->numbers_room != 0 ? ep->numbers_room : 64;
    while (room <= index) {
        room *= 2;
    }
    card_numbers_t *grown = realloc(ep->numbers, room * sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + ep->numbers_room, 0, (room - ep->numbers_room) * sizeof *grown);
    ep->numbers = grown;
    ep->numbers_room = room;
    return true;
}

/* Has the card know both endpoints of a peer, whose messages are from this endpoint. */
static int peer_add(const card_ep_t *ep, const uint8_t *name, card_numbers_t *numbers) {
    const card_name_t read = card_name_decode(name);
    const card_name_t own = card_name_own(&ep->unit->network, ep->matching);
    tmu_net_peer_t peer = {.address = read.address,
                           .name = {CARD_JOB, CARD_PID, read.index},
                           .initiator = own.initiator};
    tmu_result_t result =
        tmu_net_peer_add(ep->unit->device, ep->control, &peer, &numbers->matching);
    if (result == TMU_OK) {
        peer.name.index |= CARD_CONTROL;
        result = tmu_net_peer_add(ep->unit->device, ep->control, &peer, &numbers->control);
        if (result != TMU_OK) {
            (void)tmu_net_peer_remove(ep->unit->device, numbers->matching);
        }
    }
    if (result != TMU_OK) {
        tfi_say("a peer cannot be reached: %s", tmu_error_text(ep->unit->device));
        return -FI_EHOSTUNREACH;
    }
    memcpy(numbers->name, name, CARD_NAME);
    numbers->known = true;
    return 0;
}

/* 0, and the numbers of a peer in the card; or an error. */
static int find_numbers(card_ep_t *ep, fi_addr_t to, const card_numbers_t **numbers_p) {
    const peer_t *peer = peers_at(&ep->av->names, to);
    if (!peer) {
        return -FI_EINVAL;
    }
    if (!numbers_reach(ep, to)) {
        return -FI_ENOMEM;
    }
    card_numbers_t *numbers = &ep->numbers[to];
    *numbers_p = numbers;
    if (numbers->known && memcmp(numbers->name, peer->name, CARD_NAME) == 0) {
        return 0;
    }
    if (numbers->known) { /* of a peer that nothing holds, so no message to it is under way */
        (void)tmu_net_peer_remove(ep->unit->device, numbers->matching);
        (void)tmu_net_peer_remove(ep->unit->device, numbers->control);
        numbers->known = false;
    }
    return peer_add(ep, peer->name, numbers);
}

void card_peers_forget(card_ep_t *ep) {
    for (size_t i = 0; i < ep->numbers_room; ++i) {
        if (ep->numbers[i].known) {
            (void)tmu_net_peer_remove(ep->unit->device, ep->numbers[i].matching);
            (void)tmu_net_peer_remove(ep->unit->device, ep->numbers[i].control);
        }
    }
}

static ssize_t send_pieces(struct fid_ep *fid, const struct iovec *iov, size_t count, fi_addr_t to,
                           uint64_t tag, const uint64_t *header, void *context) {
    card_ep_t *ep = TFI_OF(card_ep_t, fid);
    const card_numbers_t *numbers = NULL;
    const int wrong = find_numbers(ep, to, &numbers);
    if (wrong != 0) {
        return wrong;
    }
    card_operation_t *operation = operation_new(iov, count, tag, context);
    if (!operation) {
        return -FI_ENOMEM;
    }
    operation->peer = header ? numbers->matching : numbers->control;
    operation->has_header = header;
    operation->header = header ? *header : 0;
    operation->to = to;
    card_operation_start(ep, operation);
    return 0;
}

static ssize_t send_frame(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                          fi_addr_t to, uint64_t tag, void *context) {
    (void)desc;
    return send_pieces(fid, iov, count, to, tag, NULL, context);
}

ssize_t card_send_tagged(struct fid_ep *fid, const struct iovec *iov, size_t count, fi_addr_t to,
                         uint64_t tag, uint64_t header, void *context) {
    return send_pieces(fid, iov, count, to, tag, &header, context);
}

/* The receive ends later, cancelled or not. */
ssize_t card_cancel(struct fid *fid, void *context) {
    card_ep_t *ep = TFI_OF(card_ep_t, fid);
    size_t at = 0;
    bool found = false;
    for (card_operation_t *operation = ep->waiting; operation; operation = operation->next) {
        if (operation->receives && !operation->reported && operation->context == context) {
            operation->cancelled = found = true;
        }
    }
    for (card_piece_t *piece; (piece = slots_next(&ep->pieces, &at));) {
        card_operation_t *operation = piece->operation;
        if (operation->receives && !operation->reported && operation->context == context) {
            operation->cancelled = found = true;
        }
    }
    ep->cancels = ep->cancels || found;
    return found ? 0 : -FI_ENOENT;
}

struct fi_ops_tagged card_tagged_ops = {
    .size = sizeof(struct fi_ops_tagged),
    .recv = receive_frame,
    .recvv = receive_payload,
    .sendv = send_frame,
};
