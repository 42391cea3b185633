/* SPDX-License-Identifier: Apache-2.0 */
/* Tagged receives: what the user asks goes to the matcher, what the matcher says to the user. */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

tmu_key_t tfi_key(const tfi_ep_t *ep, fi_addr_t source, uint64_t tag, uint64_t ignore) {
    const bool any = !ep->directed || source == FI_ADDR_UNSPEC;
    return (tmu_key_t){
        .match = tag,
        .ignore = ignore,
        .source = any ? 0 : (uint32_t)source,
        .source_ignore = any ? UINT32_MAX : 0,
    };
}

/* ---- receives that are not reported yet, for cancel ---------------------------------------- */

void tfi_enlist(tfi_ep_t *ep, tfi_ask_t *ask) {
    ask->older = ep->receives;
    ask->younger = NULL;
    if (ask->older != NULL)
        ask->older->younger = ask;
    ep->receives = ask;
}

static void delist(tfi_ep_t *ep, tfi_ask_t *ask) {
    if (ask->younger != NULL)
        ask->younger->older = ask->older;
    else
        ep->receives = ask->older;
    if (ask->older != NULL)
        ask->older->younger = ask->younger;
}

/* ---- from the user ------------------------------------------------------------------------ */

/* Every tagged receive comes here. */
static ssize_t post(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    if (msg->iov_count > TFI_IOV || !ep->enabled)
        return ep->enabled ? -FI_EINVAL : -FI_EOPBADSTATE;
    tfi_ask_t *ask = calloc(1, sizeof *ask);
    if (ask == NULL)
        return -FI_ENOMEM;
    ask->context = msg->context;
    ask->flags = flags;
    ask->shown = tfi_shown(ep->rx_selective, flags);
    ask->iov_count = msg->iov_count;
    for (size_t i = 0; i < msg->iov_count; ++i) {
        ask->iov[i] = msg->msg_iov[i];
        ask->record.length += msg->msg_iov[i].iov_len;
    }
    ask->record.opcode = TMU_OPCODE_POST;
    ask->record.key = tfi_key(ep, msg->addr, msg->tag, msg->ignore);
    tfi_lock();
    tfi_enlist(ep, ask);
    const bool taken = matcher_submit(&ep->matcher, &ask->record);
    if (!taken)
        delist(ep, ask);
    tfi_unlock();
    if (!taken)
        free(ask);
    return taken ? 0 : tfi_not_taken(ep);
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
    if ((flags & FI_PEEK) != 0)
        return tfi_peek(ep, msg, flags);
    if ((flags & FI_CLAIM) != 0)
        return tfi_claimed(ep, msg, flags);
    return post(ep, msg, flags);
}

static ssize_t cancel_tagged(tfi_ep_t *ep, tfi_ask_t *ask) {
    if (ask->matched || !matcher_cancel(&ep->matcher, &ask->record))
        return -FI_ENOENT;
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_TAGGED | FI_RECV,
        .tag = ask->record.key.match,
        .err = FI_ECANCELED,
        .prov_errno = -FI_ECANCELED,
    };
    delist(ep, ask);
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, TFI_ALWAYS);
    free(ask);
    return 0;
}

/*
 * 0 says that the receive will end as cancelled, and callers wait for just that.  So the answer
 * waits for the unit's verdict (R10), and what is not in the provider below is never handed to it,
 * for it says 0 to everything.
 */
ssize_t tfi_cancel(struct fid *fid, void *context) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if (!ep->enabled)
        return -FI_EOPBADSTATE;
    tfi_lock();
    /* The oldest with this context. */
    tfi_ask_t *ask = NULL;
    for (tfi_ask_t *at = ep->receives; at != NULL; at = at->older)
        if (at->context == context)
            ask = at;
    const ssize_t result = ask != NULL ? cancel_tagged(ep, ask) : tfi_direct_cancel(ep, context);
    tfi_unlock();
    return result;
}

/* ---- from the matcher ---------------------------------------------------------------------- */

size_t tfi_scatter(const struct iovec *iov, size_t count, const uint8_t *bytes, size_t length) {
    size_t done = 0;
    for (size_t i = 0; i < count && done < length; ++i) {
        const size_t left = length - done;
        const size_t piece = iov[i].iov_len < left ? iov[i].iov_len : left;
        if (piece != 0)
            memcpy(iov[i].iov_base, bytes + done, piece);
        done += piece;
    }
    return done;
}

/* A message that is longer than its receive is cut, and the user is told (R12). */
void tfi_received(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask, int err) {
    const uint64_t whole = message->record.length;
    const uint64_t length = whole < ask->record.length ? whole : ask->record.length;
    const int told = err != 0 ? err : (whole > length ? FI_ETRUNC : 0);
    ep->domain->unit->traffic.bytes += length;
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_TAGGED | FI_RECV | (message->has_data ? FI_REMOTE_CQ_DATA : 0),
        .len = length,
        .buf = ask->iov_count != 0 ? ask->iov[0].iov_base : NULL,
        .data = message->data,
        .tag = message->record.key.match,
        .olen = whole - length,
        .err = told,
        .prov_errno = -told,
    };
    tfi_end(ep, &entry, message->source == NAMES_UNKNOWN ? FI_ADDR_NOTAVAIL : message->source,
            ask->shown);
    delist(ep, ask);
    free(message);
    free(ask);
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
    if (record->opcode == TMU_OPCODE_POST)
        delist(user, TFI_OF(tfi_ask_t, record));
    free(record); /* it is the first member of what was allocated */
}

/* What is asked of a unit that broke ends in error, each with its own context; a message is gone.
 */
static void on_failed(void *user, record_t *record) {
    tfi_ep_t *ep = user;
    if (record->opcode == TMU_OPCODE_ARRIVE) {
        free(record);
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
        delist(ep, ask);
        tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, TFI_ALWAYS);
    } else {
        tfi_cq_add(ep->rx_cq, &entry, FI_ADDR_NOTAVAIL);
    }
    free(ask);
}

/* Announced messages end as well: their receivers may have the same unit, or one that ended with
 * it, and then nobody will ever ask for them. */
static void on_broken(void *user, const char *sentence) {
    tfi_ep_t *ep = user;
    tfi_say("the unit is of no use any more: %s", sentence);
    for (tfi_send_t *send; (send = slots_take_out(&ep->sends)) != NULL;) {
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
