/* SPDX-License-Identifier: Apache-2.0 */
/* Tagged receives: what the user asks goes to the matcher, what the matcher says to the user. */
#include "card.h"

#include <stdlib.h>
#include <string.h>

bool tfi_measure(const tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t *length_p) {
    const uint32_t bits = ep->domain->unit->info.length_bits;
    const uint64_t most = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    uint64_t length = 0;
    if (msg->iov_count > TFI_IOV) {
        return false;
    }
    for (size_t i = 0; i < msg->iov_count; ++i) {
        if (msg->msg_iov[i].iov_len > most - length) {
            return false;
        }
        length += msg->msg_iov[i].iov_len;
    }
    *length_p = length;
    return true;
}

/* The source that a receive names, held, or NULL for any; false: it is not in the vector. */
static bool source_of(tfi_ep_t *ep, fi_addr_t source, peer_t **peer_p) {
    *peer_p = NULL;
    if (!ep->directed || source == FI_ADDR_UNSPEC) {
        return true;
    }
    *peer_p = tfi_peer_hold(ep->av, source);
    return *peer_p;
}

tfi_ask_t *tfi_ask(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint8_t opcode, uint64_t flags,
                   ssize_t *wrong) {
    uint64_t length = 0;
    peer_t *from = NULL;
    *wrong = -FI_EINVAL;
    if (!tfi_measure(ep, msg, &length) || !source_of(ep, msg->addr, &from)) {
        return NULL;
    }
    tfi_ask_t *ask = calloc(1, sizeof *ask);
    if (!ask) {
        tfi_peer_release(ep->av, from);
        *wrong = -FI_ENOMEM;
        return NULL;
    }
    ask->from = from;
    ask->context = msg->context;
    ask->flags = flags;
    ask->iov_count = msg->iov_count;
    for (size_t i = 0; i < msg->iov_count; ++i) {
        ask->iov[i] = msg->msg_iov[i];
    }
    ask->record.opcode = opcode;
    ask->record.length = length;
    ask->record.key = (tmu_key_t){
        .match = msg->tag,
        .ignore = msg->ignore,
        .source = from ? tfi_peer_source(ep, from) : 0,
        .source_ignore = from ? 0 : UINT32_MAX,
    };
    return ask;
}

void tfi_ask_free(tfi_ep_t *ep, tfi_ask_t *ask) {
    tfi_ask_t *whole = ask->whole;
    tfi_peer_release(ep->av, ask->from);
    if (ask->buffer.memory && ep->below) {
        card_memory_put(card_ep_memory(ep->below), &ask->buffer);
    }
    free(ask);
    if (whole && --whole->pieces == 0 && whole->released) {
        tfi_ask_free(ep, whole);
    }
}

void tfi_message_free(tfi_ep_t *ep, tfi_message_t *message) {
    tfi_held_end(ep, message);
    tfi_peer_release(ep->av, message->from);
    if (message->frame) {
        tfi_frame_spare(ep, message->frame);
    }
    free(message);
}

/* ---- from the user ------------------------------------------------------------------------ */

/* Every tagged receive comes here. */
static ssize_t post(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    ssize_t result = 0;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    tfi_lock();
    tfi_ask_t *ask = tfi_ask(ep, msg, TMU_OPCODE_POST, flags, &result);
    if (ask) {
        ask->shown = tfi_shown(ep->rx_selective, flags);
        tfi_enlist(ep, ask);
        result = card_ask_prepare(ep, ask) && matcher_submit(&ep->matcher, &ask->record)
                     ? 0
                     : tfi_not_taken(ep);
        if (result != 0) {
            tfi_delist(ep, ask);
            tfi_ask_free(ep, ask);
        }
    }
    tfi_unlock();
    return result;
}

/* Calls without flags of their own have the endpoint's. */
static ssize_t post_plain(struct fid_ep *fid, const struct iovec *iov, size_t count, fi_addr_t from,
                          uint64_t tag, uint64_t ignore, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    const struct fi_msg_tagged msg = {
        .msg_iov = iov,
        .iov_count = count,
        .addr = from,
        .tag = tag,
        .ignore = ignore,
        .context = context,
    };
    return post(ep, &msg, ep->rx_flags);
}

static ssize_t trecvv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                      fi_addr_t from, uint64_t tag, uint64_t ignore, void *context) {
    (void)desc;
    return post_plain(fid, iov, count, from, tag, ignore, context);
}

static ssize_t trecv(struct fid_ep *fid, void *buffer, size_t length, void *desc, fi_addr_t from,
                     uint64_t tag, uint64_t ignore, void *context) {
    const struct iovec iov = {buffer, length};
    (void)desc;
    return post_plain(fid, &iov, 1, from, tag, ignore, context);
}

static ssize_t trecvmsg(struct fid_ep *fid, const struct fi_msg_tagged *msg, uint64_t flags) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if ((flags & ~(TFI_RECV_FLAGS | TFI_LOOK_FLAGS)) != 0 ||
        ((flags & FI_DISCARD) != 0 && (flags & (FI_PEEK | FI_CLAIM)) == 0)) {
        return -FI_EBADFLAGS;
    }
    if ((flags & FI_PEEK) != 0) {
        return tfi_peek(ep, msg, flags);
    }
    if ((flags & FI_CLAIM) != 0) {
        return tfi_claimed(ep, msg, flags);
    }
    return post(ep, msg, flags);
}

static ssize_t cancel(tfi_ep_t *ep, tfi_ask_t *ask) {
    if (ask->untagged) {
        return tfi_untagged_cancel(ep, ask);
    }
    if (!matcher_cancel(&ep->matcher, &ask->record)) {
        return -FI_ENOENT;
    }
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_TAGGED | FI_RECV,
        .tag = ask->record.key.match,
        .err = FI_ECANCELED,
        .prov_errno = -FI_ECANCELED,
    };
    tfi_delist(ep, ask);
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, TFI_ALWAYS);
    tfi_ask_free(ep, ask);
    return 0;
}

/*
 * 0 says that the receive will end as cancelled, and callers wait for just that.  So the answer
 * waits for the unit's verdict (R10).
 */
ssize_t tfi_cancel(struct fid *fid, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    tfi_lock();
    tfi_ask_t *ask = tfi_find_ask(ep, context);
    const ssize_t result = ask ? cancel(ep, ask) : -FI_ENOENT;
    tfi_unlock();
    return result;
}

/* ---- from the matcher ---------------------------------------------------------------------- */

size_t tfi_scatter(const struct iovec *iov, size_t count, const uint8_t *bytes, size_t length) {
    size_t done = 0;
    for (size_t i = 0; i < count && done < length; ++i) {
        const size_t left = length - done;
        const size_t piece = iov[i].iov_len < left ? iov[i].iov_len : left;
        if (piece != 0) {
            memcpy(iov[i].iov_base, bytes + done, piece);
        }
        done += piece;
    }
    return done;
}

/* A message that is longer than its receive is cut, and the user is told (R12). */
void tfi_received(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask, int err) {
    const uint64_t sent = message->record.length;
    const uint64_t length = sent < ask->record.length ? sent : ask->record.length;
    const int told = err != 0 ? err : (sent > length ? FI_ETRUNC : 0);
    /* That a buffer for many messages is the user's again is said with the last, in any case. */
    const tfi_ask_t *whole = ask->whole;
    const bool frees = whole && whole->released && whole->pieces == 1;
    ep->domain->unit->traffic.bytes += length;
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = (ask->untagged ? FI_MSG : FI_TAGGED) | FI_RECV |
                 (message->has_data ? FI_REMOTE_CQ_DATA : 0) | (frees ? FI_MULTI_RECV : 0),
        .len = length,
        .buf = ask->iov_count != 0 ? ask->iov[0].iov_base : NULL,
        .data = message->data,
        .tag = message->record.key.match,
        .olen = sent - length,
        .err = told,
        .prov_errno = -told,
    };
    tfi_end(ep, &entry, message->from->index, frees ? TFI_ALWAYS : ask->shown);
    tfi_delist(ep, ask);
    tfi_message_free(ep, message);
    tfi_ask_free(ep, ask);
}

void tfi_deliver(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask) {
    if (message->ready) {
        tfi_pull_start(ep, message, ask);
        return;
    }
    (void)tfi_scatter(ask->iov, ask->iov_count, message->payload, message->record.length);
    tfi_received(ep, message, ask, 0);
}

static void on_matched(void *user, record_t *message, record_t *receive) {
    tfi_ep_t *ep = user;
    tfi_ask_t *ask = TFI_OF(tfi_ask_t, receive);
    ask->matched = true;
    tfi_deliver(ep, TFI_OF(tfi_message_t, message), ask);
}

static void on_looked(void *user, record_t *look, record_t *message) {
    tfi_looked(user, TFI_OF(tfi_ask_t, look), TFI_OF(tfi_message_t, message));
}

static void on_left(void *user, record_t *record) {
    /* The record is the first member of the allocated structure. */
    if (record->opcode == TMU_OPCODE_POST) {
        tfi_delist(user, TFI_OF(tfi_ask_t, record));
    }
    if (record->opcode == TMU_OPCODE_ARRIVE) {
        tfi_message_free(user, TFI_OF(tfi_message_t, record));
    } else {
        tfi_ask_free(user, TFI_OF(tfi_ask_t, record));
    }
}

/* Operations on a unit that broke end in error, each with its own context; a message is gone. */
static void on_failed(void *user, record_t *record) {
    tfi_ep_t *ep = user;
    if (record->opcode == TMU_OPCODE_ARRIVE) {
        tfi_message_free(ep, TFI_OF(tfi_message_t, record));
        return;
    }
    tfi_ask_t *ask = TFI_OF(tfi_ask_t, record);
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_TAGGED | FI_RECV,
        .tag = record->key.match,
        .err = FI_EIO,
        .prov_errno = -FI_EIO,
    };
    if (record->opcode == TMU_OPCODE_POST) {
        tfi_delist(ep, ask);
        tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, TFI_ALWAYS);
    } else {
        tfi_cq_add(ep->rx_cq, &entry, FI_ADDR_NOTAVAIL);
    }
    tfi_ask_free(ep, ask);
}

/* Announced messages end as well: their receivers may have the same unit, or one that ended with
 * it, and then nobody will ever ask for them. */
static void on_broken(void *user, const char *sentence) {
    tfi_ep_t *ep = user;
    tfi_say("the unit is of no use any more: %s", sentence);
    for (tfi_send_t *send; (send = slots_take_out(&ep->sends));) {
        send->handle = SLOTS_NONE;
        tfi_send_end(ep, send, FI_EIO);
    }
}

ssize_t tfi_not_taken(const tfi_ep_t *ep) { return ep->matcher.broken ? -FI_EIO : -FI_ENOMEM; }

const match_events_t tfi_match_events = {
    .matched = on_matched,
    .looked = on_looked,
    .left = on_left,
    .broken = on_broken,
    .failed = on_failed,
    .received = card_received,
    .seen = card_seen,
};

struct fi_ops_tagged tfi_tagged_ops = {
    .size = sizeof(struct fi_ops_tagged),
    .recv = trecv,
    .recvv = trecvv,
    .recvmsg = trecvmsg,
    .send = tfi_tsend,
    .sendv = tfi_tsendv,
    .sendmsg = tfi_tsendmsg,
    .inject = tfi_tinject,
    .senddata = tfi_tsenddata,
    .injectdata = tfi_tinjectdata,
};
