/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Untagged messages: an endpoint's receives and messages meet in the order in which they came, so
 * there is nothing for the unit to do.
 *
 * They travel as tagged ones do.  The untagged calls of the provider below would not serve: it
 * reads no further in a connection with a message that no receive is there for, so that one which
 * is not wanted yet would hold up everything behind it, tagged messages and the payloads of others.
 */
#include "provider.h"

#include <stdlib.h>

static tfi_ask_t *ask_of(record_t *record) { return TFI_OF(tfi_ask_t, record); }

static tfi_message_t *message_of(record_t *record) { return TFI_OF(tfi_message_t, record); }

/* ---- receives meet messages ---------------------------------------------------------------- */

static bool meets(const tfi_ask_t *ask, const tfi_message_t *message) {
    return !ask->from || ask->from == message->from;
}

/* No further message gets into a buffer. */
static void release(tfi_ep_t *ep, tfi_ask_t *whole) {
    (void)records_take_out(&ep->untagged.posted, &whole->record);
    tfi_delist(ep, whole);
    whole->released = true;
}

/* The part of a buffer for the next of its messages; NULL: memory is short. */
static tfi_ask_t *take_piece(tfi_ep_t *ep, tfi_ask_t *whole, uint64_t length) {
    const uint64_t left = whole->iov[0].iov_len - whole->used;
    tfi_ask_t *piece = calloc(1, sizeof *piece);
    if (!piece) {
        return NULL;
    }
    piece->record.opcode = TMU_OPCODE_POST;
    piece->record.length = length < left ? length : left;
    piece->untagged = true;
    piece->context = whole->context;
    piece->shown = whole->shown;
    piece->iov[0].iov_base = (uint8_t *)whole->iov[0].iov_base + whole->used;
    piece->iov[0].iov_len = piece->record.length;
    piece->iov_count = 1;
    piece->whole = whole;
    ++whole->pieces;
    whole->used += piece->record.length;
    if (left - piece->record.length < ep->untagged.least) {
        release(ep, whole);
    }
    piece->matched = true;
    tfi_enlist(ep, piece);
    return piece;
}

typedef enum { NO_MEMORY, GOES_ON, OVER } given_t; /* with a receive */

/* OVER: the receive takes no further message, and may be gone. */
static given_t give(tfi_ep_t *ep, tfi_ask_t *ask, tfi_message_t *message) {
    given_t given = OVER;
    if (ask->many) {
        tfi_ask_t *piece = take_piece(ep, ask, message->record.length);
        if (!piece) {
            return NO_MEMORY;
        }
        given = ask->released ? OVER : GOES_ON;
        ask = piece;
    } else {
        (void)records_take_out(&ep->untagged.posted, &ask->record);
        ask->matched = true;
    }
    tfi_deliver(ep, message, ask);
    return given;
}

/* Messages that wait go into a receive. */
static void serve(tfi_ep_t *ep, tfi_ask_t *ask) {
    given_t given = GOES_ON;
    for (record_t *record = ep->untagged.messages.first; given == GOES_ON && record;) {
        record_t *next = record->next;
        record_t *before = record->before;
        if (meets(ask, message_of(record))) {
            (void)records_take_out(&ep->untagged.messages, record);
            given = give(ep, ask, message_of(record));
            if (given == NO_MEMORY) {
                records_put_behind(&ep->untagged.messages, before, record);
            }
        }
        record = next;
    }
    ep->untagged.waits = ep->untagged.waits || given == NO_MEMORY;
}

void tfi_untagged_progress(tfi_ep_t *ep) {
    if (!ep->untagged.waits) {
        return;
    }
    ep->untagged.waits = false;
    for (record_t *record = ep->untagged.posted.first; record;) {
        record_t *next = record->next;
        serve(ep, ask_of(record));
        record = next;
    }
}

bool tfi_untagged_came(tfi_ep_t *ep, tfi_message_t *message) {
    tfi_untagged_progress(ep);
    if (ep->untagged.waits) {
        return false;
    }
    record_t *record = ep->untagged.posted.first;
    while (record && !meets(ask_of(record), message)) {
        record = record->next;
    }
    if (record) {
        return give(ep, ask_of(record), message) != NO_MEMORY;
    }
    records_append(&ep->untagged.messages, &message->record);
    return true;
}

void tfi_untagged_free(tfi_ep_t *ep) {
    for (record_t *record; (record = records_take_first(&ep->untagged.posted));) {
        tfi_ask_free(ep, ask_of(record));
    }
    for (record_t *record; (record = records_take_first(&ep->untagged.messages));) {
        tfi_message_free(ep, message_of(record));
    }
}

/* ---- from the user ------------------------------------------------------------------------- */

/* Every untagged receive comes here. */
static ssize_t receive(tfi_ep_t *ep, const struct fi_msg *msg, uint64_t flags) {
    const bool many = (flags & FI_MULTI_RECV) != 0;
    const struct fi_msg_tagged untagged = {.msg_iov = msg->msg_iov,
                                           .iov_count = msg->iov_count,
                                           .addr = msg->addr,
                                           .context = msg->context};
    ssize_t result = 0;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    if ((flags & ~(TFI_RECV_FLAGS | FI_MULTI_RECV)) != 0) {
        return -FI_EBADFLAGS;
    }
    if (many && msg->iov_count != 1) {
        return -FI_EINVAL;
    }
    tfi_lock();
    tfi_ask_t *ask = tfi_ask(ep, &untagged, TMU_OPCODE_POST, flags, &result);
    if (ask) {
        ask->untagged = true;
        ask->many = many;
        ask->shown = tfi_shown(ep->rx_selective, flags);
        tfi_enlist(ep, ask);
        records_append(&ep->untagged.posted, &ask->record);
        ++ep->domain->unit->traffic.untagged;
        result = 0;
        serve(ep, ask);
    }
    tfi_unlock();
    return result;
}

/* Pieces on their way into a buffer still end; the last of them releases the buffer. */
ssize_t tfi_untagged_cancel(tfi_ep_t *ep, tfi_ask_t *ask) {
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_MSG | FI_RECV | (ask->many && ask->pieces == 0 ? FI_MULTI_RECV : 0),
        .err = FI_ECANCELED,
        .prov_errno = -FI_ECANCELED,
    };
    release(ep, ask);
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, TFI_ALWAYS);
    if (ask->pieces == 0) {
        tfi_ask_free(ep, ask);
    }
    return 0;
}

static ssize_t start(tfi_ep_t *ep, const struct fi_msg *msg, uint64_t flags, tfi_shown_t shown) {
    const struct fi_msg_tagged untagged = {.msg_iov = msg->msg_iov,
                                           .iov_count = msg->iov_count,
                                           .addr = msg->addr,
                                           .context = msg->context,
                                           .data = msg->data};
    return tfi_send_start(ep, &untagged, flags, shown, true);
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
