/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends.  A short message goes out as one frame with its payload, copied; a longer one is
 * announced by a frame, and its payload leaves when the receiver asks for it.
 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

void tfi_send_free(tfi_ep_t *ep, tfi_send_t *send) {
    tfi_peer_release(ep->av, send->to);
    free(send);
}

void tfi_send_end(tfi_ep_t *ep, tfi_send_t *send, int err) {
    const struct fi_cq_err_entry entry = {
        .op_context = send->context,
        .flags = (send->untagged ? FI_MSG : FI_TAGGED) | FI_SEND,
        .len = send->length,
        .err = err,
        .prov_errno = -err,
    };
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, send->shown);
    if (send->handle != SLOTS_NONE) {
        slots_release(&ep->sends, send->handle);
    }
    tfi_send_free(ep, send);
}

size_t tfi_length(const struct iovec *iov, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; ++i) {
        length += iov[i].iov_len;
    }
    return length;
}

size_t tfi_cut(const struct iovec *iov, size_t count, size_t length, struct iovec *cut) {
    size_t pieces = 0;
    while (pieces < count && (length != 0 || pieces == 0)) {
        cut[pieces] = iov[pieces];
        if (cut[pieces].iov_len > length) {
            cut[pieces].iov_len = length;
        }
        length -= cut[pieces++].iov_len;
    }
    return pieces;
}

/* A handle can be guessed, so only the receiver that a message was announced to can fetch it. */
const char *tfi_send_payload(tfi_ep_t *ep, const peer_t *asker, const wire_frame_t *pull) {
    tfi_send_t *send = slots_find(&ep->sends, pull->sender);
    if (!send) {
        return "a peer asks for a message that is not here";
    }
    if (send->to != asker) {
        return "a peer asks for a message that was announced to another";
    }
    if (pull->length > send->length) {
        return "a peer asks for more of a message than there is";
    }
    slots_release(&ep->sends, send->handle);
    send->handle = SLOTS_NONE;
    if (pull->length == 0) {
        tfi_send_end(ep, send, 0);
        return NULL;
    }
    tfi_out_t *out = malloc(sizeof *out);
    if (!out) {
        tfi_send_end(ep, send, FI_ENOMEM);
        return NULL;
    }
    *out = (tfi_out_t){.work = {TFI_OUT},
                       .send = send,
                       .announces = SLOTS_NONE,
                       .asks_for = SLOTS_NONE,
                       .to = send->to,
                       .load = TFI_UNCOUNTED,
                       .tag = pull->tag};
    ++out->to->holds;
    out->iov_count = tfi_cut(send->iov, send->iov_count, pull->length, out->iov);
    tfi_out(ep, out);
    return NULL;
}

void tfi_gather(const struct iovec *iov, size_t count, uint8_t *to) {
    for (size_t i = 0; i < count; ++i) {
        if (iov[i].iov_len != 0) {
            memcpy(to, iov[i].iov_base, iov[i].iov_len);
        }
        to += iov[i].iov_len;
    }
}

/* A tagged message on a card: its payload alone. */
static int make_tagged(tfi_ep_t *ep, tfi_send_t *send, const wire_frame_t *frame) {
    tfi_out_t *out = card_tagged_new(frame, send->to, send->length);
    if (!out) {
        return -FI_ENOMEM;
    }
    tfi_gather(send->iov, send->iov_count, out->bytes);
    out->send = send;
    const int result = tfi_out_at_once(ep, out);
    if (result != 0) {
        tfi_out_drop(ep, out);
    }
    return result;
}

/* The payload follows the header from the user's buffer, which is the provider's until the send has
 * ended; a short or an injected one is copied. */
static int make_eager(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame, bool injected) {
    if (ep->domain->unit->card && !send->untagged) {
        return make_tagged(ep, send, frame);
    }
    const bool parts = !injected && send->length >= TFI_BY_PARTS && send->iov_count < TFI_IOV &&
                       send->iov_count < ep->inner_pieces;
    frame->kind = WIRE_EAGER;
    tfi_out_t *out = tfi_frame(ep, frame, send->to, parts ? 0 : send->length);
    if (!out) {
        return -FI_ENOMEM;
    }
    if (parts) {
        memcpy(out->iov + 1, send->iov, send->iov_count * sizeof *send->iov);
        out->iov_count += send->iov_count;
    } else {
        tfi_gather(send->iov, send->iov_count, out->bytes + WIRE_HEADER);
    }
    out->send = send;
    const int result = tfi_out_at_once(ep, out);
    if (result != 0) {
        tfi_out_drop(ep, out);
    }
    return result;
}

static int make_ready(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame) {
    send->handle = slots_take(&ep->sends, send);
    if (send->handle == SLOTS_NONE) {
        return -FI_ENOMEM;
    }
    frame->kind = WIRE_READY;
    frame->sender = send->handle;
    const bool card = ep->domain->unit->card && !send->untagged;
    tfi_out_t *out = card ? card_tagged_new(frame, send->to, CARD_READY_BYTES)
                          : tfi_frame(ep, frame, send->to, 0);
    int result = -FI_ENOMEM;
    if (out && card) {
        memcpy(out->bytes, &send->handle, CARD_READY_BYTES);
    }
    if (out) {
        out->announces = send->handle;
        result = tfi_out_at_once(ep, out);
    }
    if (result != 0) {
        tfi_out_drop(ep, out);
        slots_release(&ep->sends, send->handle);
    }
    return result;
}

/* With the lock held. */
static int make(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t length, uint64_t flags,
                tfi_shown_t shown, bool untagged) {
    tfi_send_t *send = calloc(1, sizeof *send);
    if (!send) {
        return -FI_ENOMEM;
    }
    send->context = msg->context;
    send->shown = shown;
    send->untagged = untagged;
    send->to = tfi_peer_hold(ep->av, msg->addr);
    send->handle = SLOTS_NONE;
    send->length = length;
    send->iov_count = msg->iov_count;
    for (size_t i = 0; i < msg->iov_count; ++i) {
        send->iov[i] = msg->msg_iov[i];
    }
    wire_frame_t frame = {
        .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
        .untagged = untagged,
        .tag = msg->tag,
        .data = (flags & FI_REMOTE_CQ_DATA) != 0 ? msg->data : 0,
        .length = length,
    };
    int result = -FI_EINVAL;
    if (send->to) {
        result = length <= TFI_EAGER ? make_eager(ep, send, &frame, (flags & FI_INJECT) != 0)
                                     : make_ready(ep, send, &frame);
    }
    if (result != 0) {
        tfi_send_free(ep, send);
    } else {
        ep->domain->unit->traffic.untagged += untagged;
    }
    return result;
}

ssize_t tfi_send_start(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags,
                       tfi_shown_t shown, bool untagged) {
    uint64_t length = 0;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    if ((flags & ~TFI_SEND_FLAGS) != 0) {
        return -FI_EBADFLAGS;
    }
    if (!tfi_measure(ep, msg, &length) ||
        (ep->domain->unit->card && length >> CARD_LENGTH_BITS != 0) ||
        ((flags & FI_INJECT) != 0 && length > ep->inject_size)) {
        return -FI_EINVAL;
    }
    tfi_lock();
    int result = make(ep, msg, length, flags, shown, untagged);
    if (result == -FI_EAGAIN) {
        /* Callers repeat it; some of them read no queue meanwhile. */
        tfi_progress(ep);
        result = make(ep, msg, length, flags, shown, untagged);
    }
    tfi_unlock();
    return result;
}

/* Calls without flags of their own have the endpoint's. */
static ssize_t start_plain(struct fid_ep *fid, const struct iovec *iov, size_t count, fi_addr_t to,
                           uint64_t tag, uint64_t data, uint64_t flags, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    const struct fi_msg_tagged msg = {
        .msg_iov = iov,
        .iov_count = count,
        .addr = to,
        .tag = tag,
        .context = context,
        .data = data,
    };
    const uint64_t all = ep->tx_flags | flags;
    return tfi_send_start(ep, &msg, (all & ~FI_REMOTE_CQ_DATA) | (flags & FI_REMOTE_CQ_DATA),
                          tfi_shown(ep->tx_selective, all), false);
}

/* An injected message has no completion, and its buffer is free at once. */
static ssize_t start_inject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to,
                            uint64_t tag, uint64_t data, uint64_t flags) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = to, .tag = tag, .data = data};
    return tfi_send_start(TFI_OF(tfi_ep_t, fid), &msg, flags | FI_INJECT, TFI_NEVER, false);
}

ssize_t tfi_tsendv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                   fi_addr_t to, uint64_t tag, void *context) {
    (void)desc;
    return start_plain(fid, iov, count, to, tag, 0, 0, context);
}

ssize_t tfi_tsend(struct fid_ep *fid, const void *buffer, size_t length, void *desc, fi_addr_t to,
                  uint64_t tag, void *context) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    (void)desc;
    return start_plain(fid, &iov, 1, to, tag, 0, 0, context);
}

ssize_t tfi_tsendmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg, uint64_t flags) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    return tfi_send_start(ep, msg, flags, tfi_shown(ep->tx_selective, flags), false);
}

ssize_t tfi_tsenddata(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                      uint64_t data, fi_addr_t to, uint64_t tag, void *context) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    (void)desc;
    return start_plain(fid, &iov, 1, to, tag, data, FI_REMOTE_CQ_DATA, context);
}

ssize_t tfi_tinject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to,
                    uint64_t tag) {
    return start_inject(fid, buffer, length, to, tag, 0, 0);
}

ssize_t tfi_tinjectdata(struct fid_ep *fid, const void *buffer, size_t length, uint64_t data,
                        fi_addr_t to, uint64_t tag) {
    return start_inject(fid, buffer, length, to, tag, data, FI_REMOTE_CQ_DATA);
}
