/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads that wait at their senders: a buffer is posted under a tag of its own, then the sender
 * is asked to send the payload by that tag.  What finds no room in the inner endpoint waits.
 */
#include "provider.h"

#include <stdlib.h>

static uint64_t wanted(const tfi_pull_t *pull) {
    if (!pull->ask) {
        return 0;
    }
    const uint64_t whole = pull->message->record.length;
    return whole < pull->ask->record.length ? whole : pull->ask->record.length;
}

static void finish(tfi_ep_t *ep, tfi_pull_t *pull, int err) {
    if (pull->handle != SLOTS_NONE) {
        slots_release(&ep->fetched, pull->handle);
    }
    if (pull->ask) {
        tfi_received(ep, pull->message, pull->ask, err);
    } else {
        tfi_message_free(ep, pull->message);
    }
    free(pull);
}

void tfi_pull_end(tfi_ep_t *ep, tfi_pull_t *pull, size_t length, int err) {
    if (err == 0 && length != wanted(pull)) {
        err = FI_EIO; /* the sender broke its announcement */
    }
    finish(ep, pull, pull->failed != 0 ? pull->failed : err);
}

void tfi_pull_fail(tfi_ep_t *ep, tfi_pull_t *pull, int err) {
    if (pull->failed != 0) {
        return;
    }
    pull->failed = err;
    /* The inner endpoint has the buffer until it says that the cancel is done; that ends the pull.
     */
    const ssize_t result = fi_cancel(&ep->below->fid, &pull->work);
    if (result != 0) {
        tfi_say("a receive whose sender cannot be asked cannot be ended either: %s",
                fi_strerror((int)-result));
    }
}

/* 0: the buffer is posted or none is needed; else -FI_EAGAIN or an error. */
static int listen_for(tfi_ep_t *ep, tfi_pull_t *pull, uint64_t length) {
    if (length == 0 || pull->listening) {
        return 0;
    }
    if (pull->handle == SLOTS_NONE) {
        pull->handle = slots_take(&ep->fetched, pull);
    }
    if (pull->handle == SLOTS_NONE) {
        return -FI_ENOMEM;
    }
    struct iovec cut[TFI_IOV];
    const size_t pieces = tfi_cut(pull->ask->iov, pull->ask->iov_count, length, cut);
    const ssize_t result = fi_trecvv(ep->below, cut, NULL, pieces, FI_ADDR_UNSPEC,
                                     WIRE_PULL_TAG | pull->handle, 0, &pull->work);
    pull->listening = result == 0;
    return (int)result;
}

/* False: it has to wait. */
static bool try_pull(tfi_ep_t *ep, tfi_pull_t *pull) {
    tfi_message_t *message = pull->message;
    const uint64_t length = wanted(pull);
    const int result = listen_for(ep, pull, length);
    if (result == -FI_EAGAIN) {
        return false;
    }
    if (result != 0) {
        finish(ep, pull, -result);
        return true;
    }
    wire_frame_t frame = {
        .kind = WIRE_PULL,
        .tag = WIRE_PULL_TAG | pull->handle,
        .length = length,
        .sender = message->sender,
    };
    tfi_out_t *out = tfi_frame(ep, &frame, message->from, 0);
    if (!out) {
        return false;
    }
    out->asks_for = pull->handle;
    tfi_out(ep, out);
    /* Nothing more comes when nothing was asked for. */
    if (length == 0) {
        finish(ep, pull, 0);
    }
    return true;
}

void tfi_pull_start(tfi_ep_t *ep, tfi_message_t *message, tfi_ask_t *ask) {
    tfi_pull_t *pull = malloc(sizeof *pull);
    if (!pull) {
        tfi_say("no memory for a message of %zu bytes: its sender will wait for ever",
                (size_t)message->record.length);
        if (ask) {
            tfi_received(ep, message, ask, FI_ENOMEM);
        } else {
            tfi_message_free(ep, message);
        }
        return;
    }
    *pull = (tfi_pull_t){.work = {TFI_PULL}, .ask = ask, .message = message, .handle = SLOTS_NONE};
    if (!try_pull(ep, pull)) {
        pull->next = ep->pulls;
        ep->pulls = pull;
    }
}

void tfi_pull_progress(tfi_ep_t *ep) {
    tfi_pull_t *waiting = ep->pulls;
    ep->pulls = NULL;
    while (waiting) {
        tfi_pull_t *pull = waiting;
        waiting = pull->next;
        if (!try_pull(ep, pull)) {
            pull->next = ep->pulls;
            ep->pulls = pull;
        }
    }
}
