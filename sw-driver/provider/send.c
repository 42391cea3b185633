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

/* It did not arrive: what waits for it ends with the error. */
static void out_failed(tfi_ep_t *ep, tfi_out_t *out, int err) {
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

void tfi_out_ended(tfi_ep_t *ep, tfi_out_t *out, int err) {
    --ep->sending;
    if (out->load != TFI_UNCOUNTED)
        tfi_load_end(&ep->loads, out->to, out->load);
    if (err != 0) {
        out_failed(ep, out, err);
        return;
    }
    if (out->send != NULL)
        tfi_send_end(ep, out->send, 0);
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
        out_failed(ep, out, -result);
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
            out_failed(ep, out, -result);
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
                       .load = TFI_UNCOUNTED,
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
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, send->shown);
    if (send->handle != SLOTS_NONE)
        slots_give_back(&ep->sends, send->handle);
    free(send);
}

size_t tfi_length(const struct iovec *iov, size_t count) {
    size_t length = 0;
    for (size_t i = 0; i < count; ++i)
        length += iov[i].iov_len;
    return length;
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
                       .load = TFI_UNCOUNTED,
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

/*
 * A frame of the user's goes to the inner endpoint within the call, or stays the caller's with
 * -FI_EAGAIN: what waited here would leave with the caller's next call, which may be far off.
 * Whatever else becomes of it ends the send.
 */
static int out_at_once(tfi_ep_t *ep, tfi_out_t *out) {
    if (tfi_load_full(&ep->loads, out->to))
        return -FI_EAGAIN;
    const int result = try_out(ep, out);
    if (result == -FI_EAGAIN)
        return result;
    const size_t bytes = out->iov[0].iov_len;
    if (result != 0)
        out_failed(ep, out, -result);
    else if (tfi_load_add(&ep->loads, out->to, bytes))
        out->load = bytes;
    return 0;
}

static int make_eager(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame) {
    frame->kind = WIRE_EAGER;
    tfi_out_t *out = tfi_frame(ep, frame, send->to, send->length);
    if (out == NULL)
        return -FI_ENOMEM;
    tfi_gather(send->iov, send->iov_count, out->bytes + WIRE_HEADER);
    out->send = send;
    const int result = out_at_once(ep, out);
    if (result != 0)
        free(out);
    return result;
}

static int make_ready(tfi_ep_t *ep, tfi_send_t *send, wire_frame_t *frame) {
    send->handle = slots_take(&ep->sends, send);
    if (send->handle == SLOTS_NONE)
        return -FI_ENOMEM;
    frame->kind = WIRE_READY;
    frame->sender = send->handle;
    tfi_out_t *out = tfi_frame(ep, frame, send->to, 0);
    int result = -FI_ENOMEM;
    if (out != NULL) {
        out->announces = send->handle;
        result = out_at_once(ep, out);
    }
    if (result != 0) {
        free(out);
        slots_give_back(&ep->sends, send->handle);
    }
    return result;
}

/* With the lock held. */
static int make(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags, tfi_shown_t shown) {
    tfi_send_t *send = calloc(1, sizeof *send);
    if (send == NULL)
        return -FI_ENOMEM;
    send->context = msg->context;
    send->shown = shown;
    send->to = msg->addr;
    send->handle = SLOTS_NONE;
    send->iov_count = msg->iov_count;
    for (size_t i = 0; i < msg->iov_count; ++i) {
        send->iov[i] = msg->msg_iov[i];
        send->length += msg->msg_iov[i].iov_len;
    }
    wire_frame_t frame = {
        .has_data = (flags & FI_REMOTE_CQ_DATA) != 0,
        .tag = msg->tag,
        .data = (flags & FI_REMOTE_CQ_DATA) != 0 ? msg->data : 0,
        .length = send->length,
    };
    const int result =
        send->length <= TFI_EAGER ? make_eager(ep, send, &frame) : make_ready(ep, send, &frame);
    if (result != 0)
        free(send);
    return result;
}

/* Every tagged send comes here. */
static ssize_t start(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags,
                     tfi_shown_t shown) {
    if (msg->iov_count > TFI_IOV || !ep->enabled)
        return ep->enabled ? -FI_EINVAL : -FI_EOPBADSTATE;
    if ((flags & FI_INJECT) != 0 && tfi_length(msg->msg_iov, msg->iov_count) > ep->inject_size)
        return -FI_EINVAL;
    tfi_lock();
    int result = make(ep, msg, flags, shown);
    if (result == -FI_EAGAIN) {
        /* Callers repeat it; some of them read no queue meanwhile. */
        tfi_progress(ep);
        result = make(ep, msg, flags, shown);
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
    return start(ep, &msg, (all & ~FI_REMOTE_CQ_DATA) | (flags & FI_REMOTE_CQ_DATA),
                 tfi_shown(ep->tx_selective, all));
}

/* An injected message has no completion, and its buffer is free at once. */
static ssize_t start_inject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to,
                            uint64_t tag, uint64_t data, uint64_t flags) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = to, .tag = tag, .data = data};
    return start(TFI_OF(tfi_ep_t, fid), &msg, flags | FI_INJECT, TFI_NEVER);
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
    return start(ep, msg, flags, tfi_shown(ep->tx_selective, flags));
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
