/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FI_PEEK is a probe of the unit (R8), with FI_CLAIM or FI_DISCARD a claim (R9).
 * A claimed message waits here, under a number in the user's fi_context, until a call with FI_CLAIM
 * alone fetches it; no other receive can meet it, so that call does not concern the unit.
 */
#include "provider.h"

#include <stdlib.h>

/* The message that was claimed with this context and is not fetched yet, or NULL.  The context
 * holds a number alone, for it may be copied, of another endpoint, or written over. */
static tfi_message_t *claimed_message(const tfi_ep_t *ep, const struct fi_context *context,
                                      uint64_t *handle_p) {
    *handle_p = (uintptr_t)context->internal[0];
    tfi_message_t *message = slots_find(&ep->claimed, *handle_p);
    return message && message->claimer == context ? message : NULL;
}

ssize_t tfi_peek(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    const uint8_t opcode =
        (flags & (FI_CLAIM | FI_DISCARD)) != 0 ? TMU_OPCODE_CLAIM : TMU_OPCODE_PROBE;
    struct fi_msg_tagged look = *msg;
    ssize_t result = 0;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    if ((flags & FI_CLAIM) != 0 && !msg->context) {
        return -FI_EINVAL;
    }
    look.iov_count = 0; /* a look has no buffer */
    tfi_lock();
    tfi_ask_t *ask = tfi_ask(ep, &look, opcode, flags, &result);
    if (ask) {
        /* A look without an answer would be none. */
        ask->shown = TFI_ALWAYS;
        result = matcher_submit(&ep->matcher, &ask->record) ? 0 : tfi_not_taken(ep);
        if (result != 0) {
            tfi_ask_free(ep, ask);
        }
    }
    tfi_unlock();
    return result;
}

/* Lets a message go; one whose payload waits at its sender is told so. */
static void discard(tfi_ep_t *ep, tfi_message_t *message) {
    if (message->ready) {
        tfi_pull_start(ep, message, NULL);
    } else {
        tfi_message_free(ep, message);
    }
}

/* False: memory is short. */
static bool keep_claimed(tfi_ep_t *ep, struct fi_context *context, tfi_message_t *message) {
    const uint64_t handle = slots_take(&ep->claimed, message);
    if (handle == SLOTS_NONE) {
        return false;
    }
    message->claimer = context;
    context->internal[0] = (void *)(uintptr_t)handle;
    return true;
}

void tfi_looked(tfi_ep_t *ep, tfi_ask_t *look, tfi_message_t *message) {
    struct fi_cq_err_entry entry = {
        .op_context = look->context,
        .flags = FI_TAGGED | FI_RECV,
        .tag = look->record.key.match,
    };
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    if (!message) {
        entry.err = FI_ENOMSG;
    } else {
        entry.flags |= message->has_data ? FI_REMOTE_CQ_DATA : 0;
        entry.len = message->record.length;
        entry.data = message->data;
        entry.tag = message->record.key.match;
        source = message->from->index;
        const bool claims = (look->flags & (FI_CLAIM | FI_DISCARD)) == FI_CLAIM;
        if (claims && !keep_claimed(ep, look->context, message)) {
            entry.err = FI_ENOMEM;
        }
        if ((look->flags & FI_DISCARD) != 0 || entry.err != 0) {
            discard(ep, message);
        }
    }
    entry.prov_errno = -entry.err;
    /* Not counted: a look receives nothing, and one that finds nothing has not failed. */
    tfi_cq_add(ep->rx_cq, &entry, source);
    tfi_ask_free(ep, look);
}

/* A claimed message goes to the user, or is dropped; with the lock held. */
static void end_claimed(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask) {
    if ((ask->flags & FI_DISCARD) == 0) {
        ask->matched = true;
        tfi_enlist(ep, ask);
        tfi_deliver(ep, message, ask);
        return;
    }
    const struct fi_cq_err_entry entry = {
        .op_context = ask->context,
        .flags = FI_TAGGED | FI_RECV,
        .tag = message->record.key.match,
    };
    tfi_end(ep, &entry, FI_ADDR_NOTAVAIL, ask->shown);
    discard(ep, message);
    tfi_ask_free(ep, ask);
}

ssize_t tfi_claimed(tfi_ep_t *ep, const struct fi_msg_tagged *msg, uint64_t flags) {
    struct fi_msg_tagged fetch = *msg;
    uint64_t handle = SLOTS_NONE;
    ssize_t result = -FI_EINVAL;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    if (!msg->context) {
        return -FI_EINVAL;
    }
    fetch.addr = FI_ADDR_UNSPEC; /* the message is known */
    tfi_lock();
    tfi_message_t *message = claimed_message(ep, msg->context, &handle);
    tfi_ask_t *ask = NULL;
    if (message) {
        ask = tfi_ask(ep, &fetch, TMU_OPCODE_POST, flags, &result);
    }
    if (ask) {
        ask->shown = tfi_shown(ep->rx_selective, flags);
        slots_release(&ep->claimed, handle);
        end_claimed(ep, message, ask);
        result = 0;
    }
    tfi_unlock();
    return result;
}
