/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tagged sends.  A short message goes out as one frame with its payload, copied; a longer one is
 * announced by a frame, and its payload leaves when the receiver asks for it.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

/* ---- what leaves -------------------------------------------------------------------------- */

/* -FI_EAGAIN, or what became of it: 0 or an error. */
static int try_out(tfi_ep_t *ep, tfi_out_t *out) {
    const ssize_t result =
        fi_tsendv(ep->frames, out->iov, NULL, out->iov_count, out->to, out->tag, &out->work);
    if (result == 0)
        ++ep->sending;
    return (int)result;
}

void tfi_out_failed(tfi_ep_t *ep, tfi_out_t *out, int err) {
    tfi_send_t *send = out->send != NULL ? out->send : slots_find(&ep->sends, out->announces);
    tfi_pull_t *pull = slots_find(&ep->fetched, out->asks_for);
    if (send != NULL)
        tfi_send_end(ep, send, err);
    else if (pull != NULL)
        tfi_pull_fail(ep, pull, err);
    else
        tfi_say("a frame was not delivered: %s", fi_strerror(err));
    free(out);
}

void tfi_out(tfi_ep_t *ep, tfi_out_t *out) {
    int result = -FI_EAGAIN;
    /* While a connection is made, the inner endpoint takes nothing: all wait, in order. */
    if (ep->out_first == NULL)
        result = try_out(ep, out);
    if (result == 0)
        return;
    if (result != -FI_EAGAIN) {
        tfi_out_failed(ep, out, -result);
        return;
    }
    out->next = NULL;
    if (ep->out_first == NULL)
        ep->out_first = out;
    else
        ep->out_last->next = out;
    ep->out_last = out;
}

void tfi_out_progress(tfi_ep_t *ep) {
    while (ep->out_first != NULL) {
        tfi_out_t *out = ep->out_first;
        const int result = try_out(ep, out);
        if (result == -FI_EAGAIN)
            return;
        ep->out_first = out->next;
        if (result != 0)
            tfi_out_failed(ep, out, -result);
    }
}

tfi_out_t *tfi_frame(const tfi_ep_t *ep, wire_frame_t *frame, fi_addr_t to, size_t payload) {
    tfi_out_t *out = malloc(sizeof *out + WIRE_HEADER + payload);
    if (out == NULL)
        return NULL;
    *out = (tfi_out_t){.work = {TFI_OUT},
                       .announces = SLOTS_NONE,
                       .asks_for = SLOTS_NONE,
                       .to = to,
                       .tag = TFI_FRAME_TAG,
                       .iov_count = 1};
    out->iov[0] = (struct iovec){out->bytes, WIRE_HEADER + payload};
    frame->name_length = (uint8_t)ep->domain->name_size;
    memcpy(frame->name, ep->name, frame->name_length);
    wire_encode(frame, out->bytes);
    return out;
}

/* ---- the user's sends --------------------------------------------------------------------- */

void tfi_send_end(tfi_ep_t *ep, tfi_send_t *send, int err) {
    const struct fi_cq_err_entry entry = {
        .op_context = send->context,
        .flags = FI_TAGGED | FI_SEND,
        .len = send->length,
        .err = err,
        .prov_errno = -err,
    };
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, send->silent);
    if (send->handle != SLOTS_NONE)
        slots_give_back(&ep->sends, send->handle);
    free(send);
}

size_t tfi_cut(const struct iovec *iov, size_t count, size_t length, struct iovec *cut) {
    size_t pieces = 0;
    while (pieces < count && (length != 0 || pieces == 0)) {
        cut[pieces] = iov[pieces];
        if (cut[pieces].iov_len > length)
            cut[pieces].iov_len = length;
        length -= cut[pieces++].iov_len;
    }
    return pieces;
}

void tfi_send_payload(tfi_ep_t *ep, const wire_frame_t *pull) {
    tfi_send_t *send = slots_find(&ep->sends, pull->sender);
    if (send == NULL) {
        tfi_say("a peer asks for a message that is not here");
        return;
    }
    slots_give_back(&ep->sends, send->handle);
    send->handle = SLOTS_NONE;
    if (pull->length == 0) {
        tfi_send_end(ep, send, 0);
        return;
    }
    tfi_out_t *out = malloc(sizeof *out);
    if (out == NULL) {
        tfi_send_end(ep, send, FI_ENOMEM);
        return;
    }
    *out = (tfi_out_t){.work = {TFI_OUT},
                       .send = send,
                       .announces = SLOTS_NONE,
                       .asks_for = SLOTS_NONE,
                       .to = send->to,
                       .tag = pull->tag};
    const size_t length = pull->length < send->length ? pull->length : send->length;
    out->iov_count = tfi_cut(send->iov, send->iov_count, length, out->iov);
    tfi_out(ep, out);
}

void tfi_gather(const struct iovec *iov, size_t count, uint8_t *place) {
    for (size_t i = 0; i < count; ++i) {
        if (iov[i].iov_len != 0)
            memcpy(place, iov[i].iov_base, iov[i].iov_len);
        place += iov[i].iov_len;
    }
}

static bool make_eager(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame) {
    frame->kind = WIRE_EAGER;
    tfi_out_t *out = tfi_frame(ep, frame, send->to, send->length);
    if (out == NULL)
        return false;
    tfi_gather(send->iov, send->iov_count, out->bytes + WIRE_HEADER);
    out->send = send;
    tfi_out(ep, out);
    return true;
}

static bool make_ready(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame) {
    send->handle = slots_take(&ep->sends, send);
    if (send->handle == SLOTS_NONE)
        return false;
    frame->kind = WIRE_READY;
    frame->sender = send->handle;
    tfi_out_t *out = tfi_frame(ep, frame, send->to, 0);
    if (out == NULL) {
        slots_give_back(&ep->sends, send->handle);
        return false;
    }
    out->announces = send->handle;
    tfi_out(ep, out);
    return true;
}

/* Every tagged send comes here. */
static ssize_t start(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags, bool wanted) {
    if (msg->iov_count > TFI_IOV || !ep->enabled)
        return ep->enabled ? -FI_EINVAL : -FI_EOPBADSTATE;
    tfi_send_t *send = calloc(1, sizeof *send);
    if (send == NULL)
        return -FI_ENOMEM;
    send->context = msg->context;
    send->silent = !wanted;
    send->to = msg->addr;
    send->handle = SLOTS_NONE;
    send->iov_count = msg->iov_count;
    for (size_t i = 0; i < msg->iov_count; ++i) {
        send->iov[i] = msg->msg_iov[i];
        send->length += msg->msg_iov[i].iov_len;
    }
    const bool inject = (flags & FI_INJECT) != 0;
    wire_frame_t frame = {
        .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
        .tag = msg->tag,
        .data = (flags & FI_REMOTE_CQ_DATA) != 0 ? msg->data : 0,
        .length = send->length,
    };
    bool made = false;
    if (!inject || send->length <= ep->inject_size) {
        tfi_lock();
        made =
            send->length <= TFI_EAGER ? make_eager(ep, send, &frame) : make_ready(ep, send, &frame);
        tfi_unlock();
    }
    if (made)
        return 0;
    free(send);
    return inject && frame.length > ep->inject_size ? -FI_EINVAL : -FI_ENOMEM;
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
    const bool wanted = !ep->tx_selective || (all & FI_COMPLETION) != 0;
    return start(ep, &msg, (all & ~FI_REMOTE_CQ_DATA) | (flags & FI_REMOTE_CQ_DATA), wanted);
}

/* An injected message has no completion, and its buffer is free at once. */
static ssize_t start_inject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to,
                            uint64_t tag, uint64_t data, uint64_t flags) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = to, .tag = tag, .data = data};
    return start(TFI_OF(tfi_ep_t, fid), &msg, flags | FI_INJECT, false);
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
    return start(ep, msg, flags, !ep->tx_selective || (flags & FI_COMPLETION) != 0);
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
