/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Untagged operations, handed to the provider below: it matches nothing there, and the unit has no
 * part in them.  It is asked for a completion of each, so that all that end are counted; which of
 * them the user sees is decided here.
 */
#include "provider.h"

#include <stdlib.h>

/* ---- what the provider below has ---------------------------------------------------------- */

static void drop(tfi_ep_t *ep, tfi_direct_t *direct) {
    if (direct->younger != NULL)
        direct->younger->older = direct->older;
    else
        ep->directs = direct->older;
    if (direct->older != NULL)
        direct->older->younger = direct->younger;
    tfi_peer_release(ep->av, direct->to);
    free(direct);
}

/* The inner endpoint took it, or did not; with the lock held. */
static ssize_t handed(tfi_ep_t *ep, tfi_direct_t *direct, size_t copied, ssize_t result) {
    if (result != 0) {
        tfi_peer_release(ep->av, direct->to);
        free(direct);
        return result;
    }
    direct->load = TFI_UNCOUNTED;
    if (!direct->receives && tfi_load_add(&ep->direct_loads, direct->to, copied))
        direct->load = copied;
    direct->older = ep->directs;
    if (direct->older != NULL)
        direct->older->younger = direct;
    ep->directs = direct;
    ep->sending += !direct->receives;
    (void)atomic_fetch_add_explicit(&ep->domain->unit->traffic.forwarded, 1, memory_order_relaxed);
    return 0;
}

/*
 * Whether a buffer for many messages has its last completion: it is released, and what ended fills
 * it without a gap, for a message that is still on its way may end after the one that releases it.
 * Where that cannot be told, it stays until the endpoint is closed.
 */
static bool is_through(tfi_direct_t *direct, const struct fi_cq_err_entry *entry) {
    direct->released = direct->released || (entry->flags & FI_MULTI_RECV) != 0;
    direct->lost = direct->lost || entry->err != 0 || (entry->buf == NULL && entry->len != 0);
    if (direct->lost)
        return false;
    if (entry->buf != NULL) {
        const size_t end = (size_t)((const uint8_t *)entry->buf - direct->base) + entry->len;
        direct->reach = end > direct->reach ? end : direct->reach;
        direct->reported += entry->len;
    }
    return direct->released && direct->reported == direct->reach;
}

void tfi_direct_end(tfi_ep_t *ep, tfi_direct_t *direct, struct fi_cq_err_entry *entry,
                    fi_addr_t source) {
    /* A buffer may be given back by a completion without a message. */
    const bool only_released = entry->err == 0 && (entry->flags & FI_MULTI_RECV) != 0 &&
                               (entry->flags & (FI_MSG | FI_RECV)) == 0;
    entry->op_context = direct->context;
    source = tfi_peer_of_direct(ep->av, source);
    if (only_released) {
        tfi_cq_add(ep->rx_cq, entry, source);
    } else {
        entry->flags |= FI_MSG | (direct->receives ? FI_RECV : FI_SEND);
        /* That a buffer is the user's again is said in any case. */
        const bool released = (entry->flags & FI_MULTI_RECV) != 0;
        tfi_end(ep, entry, source, released ? TFI_ALWAYS : direct->shown);
    }
    ep->sending -= !direct->receives;
    if (direct->load != TFI_UNCOUNTED)
        tfi_load_end(&ep->direct_loads, direct->to, direct->load);
    if (!direct->many || is_through(direct, entry))
        drop(ep, direct);
}

ssize_t tfi_direct_cancel(tfi_ep_t *ep, const void *context) {
    tfi_direct_t *oldest = NULL;
    for (tfi_direct_t *at = ep->directs; at != NULL; at = at->older)
        if (at->receives && !at->released && at->context == context)
            oldest = at;
    return oldest != NULL ? fi_cancel(&ep->direct->fid, &oldest->work) : -FI_ENOENT;
}

void tfi_direct_free(tfi_ep_t *ep) {
    while (ep->directs != NULL)
        drop(ep, ep->directs);
}

/* ---- from the user ------------------------------------------------------------------------ */

/* Every untagged receive comes here. */
static ssize_t receive(tfi_ep_t *ep, const struct fi_msg *msg, uint64_t flags) {
    const bool many = (flags & FI_MULTI_RECV) != 0;
    if (!ep->enabled)
        return -FI_EOPBADSTATE;
    if ((flags & ~(TFI_RECV_FLAGS | FI_MULTI_RECV)) != 0)
        return -FI_EBADFLAGS;
    if (msg->iov_count > TFI_IOV || (many && msg->iov_count != 1))
        return -FI_EINVAL;
    /* The provider below takes an untagged message from anybody, and ignores what is asked. */
    if (ep->directed && msg->addr != FI_ADDR_UNSPEC)
        return -FI_ENOSYS;
    tfi_direct_t *direct = calloc(1, sizeof *direct);
    if (direct == NULL)
        return -FI_ENOMEM;
    direct->work.kind = TFI_DIRECT;
    direct->context = msg->context;
    direct->receives = true;
    direct->shown = tfi_shown(ep->rx_selective, flags);
    direct->many = many;
    direct->base = many ? msg->msg_iov[0].iov_base : NULL;
    struct fi_msg below = *msg;
    below.addr = FI_ADDR_UNSPEC;
    below.context = &direct->work;
    tfi_lock();
    const ssize_t result =
        handed(ep, direct, 0, fi_recvmsg(ep->direct, &below, flags | FI_COMPLETION));
    tfi_unlock();
    return result;
}

static ssize_t hand(tfi_ep_t *ep, const peer_t *to, struct fi_msg *below, uint64_t flags) {
    if (to == NULL)
        return -FI_EINVAL;
    if (tfi_load_full(&ep->direct_loads, to))
        return -FI_EAGAIN;
    below->addr = to->direct;
    return fi_sendmsg(ep->direct, below, (flags & ~FI_INJECT) | FI_COMPLETION);
}

/* Every untagged send comes here.  An injected message is copied and sent as any other, for the
 * provider below tells nothing about one that it is to inject. */
static ssize_t start(tfi_ep_t *ep, const struct fi_msg *msg, uint64_t flags, tfi_shown_t shown) {
    const bool inject = (flags & FI_INJECT) != 0;
    if (!ep->enabled)
        return -FI_EOPBADSTATE;
    if ((flags & ~TFI_SEND_FLAGS) != 0)
        return -FI_EBADFLAGS;
    if (msg->iov_count > TFI_IOV)
        return -FI_EINVAL;
    const size_t length = inject ? tfi_length(msg->msg_iov, msg->iov_count) : 0;
    if (length > ep->inject_size)
        return -FI_EINVAL;
    tfi_direct_t *direct = calloc(1, sizeof *direct + length);
    if (direct == NULL)
        return -FI_ENOMEM;
    direct->work.kind = TFI_DIRECT;
    direct->context = msg->context;
    direct->shown = shown;
    struct fi_msg below = *msg;
    const struct iovec copy = {direct->bytes, length};
    below.context = &direct->work;
    if (inject) {
        tfi_gather(msg->msg_iov, msg->iov_count, direct->bytes);
        below.msg_iov = &copy;
        below.iov_count = 1;
        below.desc = NULL;
    }
    tfi_lock();
    direct->to = tfi_peer_hold(ep->av, msg->addr);
    ssize_t result = hand(ep, direct->to, &below, flags);
    if (result == -FI_EAGAIN) {
        tfi_progress(ep);
        result = hand(ep, direct->to, &below, flags);
    }
    result = handed(ep, direct, length, result);
    tfi_unlock();
    return result;
}

/* Calls without flags of their own have the endpoint's. */
static ssize_t msg_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t from, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    const struct fi_msg msg = {
        .msg_iov = iov, .desc = desc, .iov_count = count, .addr = from, .context = context};
    return receive(ep, &msg, ep->rx_flags);
}

static ssize_t msg_recv(struct fid_ep *fid, void *buffer, size_t length, void *desc, fi_addr_t from,
                        void *context) {
    const struct iovec iov = {buffer, length};
    return msg_recvv(fid, &iov, &desc, 1, from, context);
}

static ssize_t msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags) {
    return receive(TFI_OF(tfi_ep_t, fid), msg, flags);
}

static ssize_t start_plain(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                           uint64_t data, fi_addr_t to, uint64_t flags, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    const struct fi_msg msg = {.msg_iov = iov,
                               .desc = desc,
                               .iov_count = count,
                               .addr = to,
                               .context = context,
                               .data = data};
    return start(ep, &msg, (ep->tx_flags & ~FI_REMOTE_CQ_DATA) | flags,
                 tfi_shown(ep->tx_selective, ep->tx_flags));
}

/* An injected message has no completion, and its buffer is free at once. */
static ssize_t start_inject(struct fid_ep *fid, const void *buffer, size_t length, uint64_t data,
                            fi_addr_t to, uint64_t flags) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    const struct fi_msg msg = {.msg_iov = &iov, .iov_count = 1, .addr = to, .data = data};
    return start(TFI_OF(tfi_ep_t, fid), &msg, flags | FI_INJECT, TFI_NEVER);
}

static ssize_t msg_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t to, void *context) {
    return start_plain(fid, iov, desc, count, 0, to, 0, context);
}

static ssize_t msg_send(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                        fi_addr_t to, void *context) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    return start_plain(fid, &iov, &desc, 1, 0, to, 0, context);
}

static ssize_t msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    return start(ep, msg, flags, tfi_shown(ep->tx_selective, flags));
}

static ssize_t msg_inject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to) {
    return start_inject(fid, buffer, length, 0, to, 0);
}

static ssize_t msg_senddata(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                            uint64_t data, fi_addr_t to, void *context) {
    const struct iovec iov = {(void *)(uintptr_t)buffer, length};
    return start_plain(fid, &iov, &desc, 1, data, to, FI_REMOTE_CQ_DATA, context);
}

static ssize_t msg_injectdata(struct fid_ep *fid, const void *buffer, size_t length, uint64_t data,
                              fi_addr_t to) {
    return start_inject(fid, buffer, length, data, to, FI_REMOTE_CQ_DATA);
}

struct fi_ops_msg tfi_msg_ops = {
    .size = sizeof(struct fi_ops_msg),
    .recv = msg_recv,
    .recvv = msg_recvv,
    .recvmsg = msg_recvmsg,
    .send = msg_send,
    .sendv = msg_sendv,
    .sendmsg = msg_sendmsg,
    .inject = msg_inject,
    .senddata = msg_senddata,
    .injectdata = msg_injectdata,
};
