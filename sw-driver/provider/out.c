/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output of the inner endpoint that carries frames, in order for each peer.
 *
 * While a connection is made, or is full, the inner endpoint takes nothing for that peer: its
 * frames wait in its lane, and all others go on.  Lanes take turns.
 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

#define TRIES 16u /* lanes that are tried in one call of progress */

/* ---- what the inner endpoint has ----------------------------------------------------------- */

static void take_off(tfi_ep_t *ep, tfi_out_t *out) {
    if (out->before) {
        out->before->next = out->next;
    } else {
        ep->leaving = out->next;
    }
    if (out->next) {
        out->next->before = out->before;
    }
    --ep->sending;
    if (out->load != TFI_UNCOUNTED) {
        tfi_load_end(&ep->loads, out->to, out->load);
    }
}

/* -FI_EAGAIN, or what became of it: 0 or an error. */
static int try_out(tfi_ep_t *ep, tfi_out_t *out) {
    const int wrong = tfi_peer_reach(ep->av, out->to);
    if (wrong != 0) {
        return wrong == -FI_EAGAIN ? -FI_EHOSTUNREACH : wrong;
    }
    const ssize_t result = out->tagged
                               ? card_send_tagged(ep->below, out->iov, out->iov_count,
                                                  out->to->below, out->tag, out->header, &out->work)
                               : fi_tsendv(ep->below, out->iov, NULL, out->iov_count,
                                           out->to->below, out->tag, &out->work);
    if (result == 0) {
        out->before = NULL;
        out->next = ep->leaving;
        if (out->next) {
            out->next->before = out;
        }
        ep->leaving = out;
        ++ep->sending;
    }
    return (int)result;
}

void tfi_out_drop(tfi_ep_t *ep, tfi_out_t *out) {
    if (out) {
        tfi_peer_release(ep->av, out->to);
    }
    free(out);
}

/* A frame did not arrive: its send or pull ends with the error. */
static void failed(tfi_ep_t *ep, tfi_out_t *out, int err) {
    tfi_send_t *send = out->send ? out->send : slots_find(&ep->sends, out->announces);
    tfi_pull_t *pull = slots_find(&ep->fetched, out->asks_for);
    if (send) {
        tfi_send_end(ep, send, err);
    } else if (pull) {
        tfi_pull_fail(ep, pull, err);
    } else {
        tfi_say_rarely(&ep->undelivered, "a frame was not delivered: %s", fi_strerror(err));
    }
    tfi_out_drop(ep, out);
}

void tfi_out_ended(tfi_ep_t *ep, tfi_out_t *out, int err) {
    take_off(ep, out);
    if (err != 0) {
        failed(ep, out, err);
        return;
    }
    if (out->send) {
        tfi_send_end(ep, out->send, 0);
    }
    tfi_out_drop(ep, out);
}

int tfi_out_at_once(tfi_ep_t *ep, tfi_out_t *out) {
    if (tfi_load_full(&ep->loads, out->to)) {
        return -FI_EAGAIN;
    }
    int result = try_out(ep, out);
    if (result == -FI_EAGAIN && tfi_is_gone(ep, out->to)) {
        result = -FI_ECONNREFUSED;
    }
    if (result == -FI_EAGAIN) {
        tfi_watch(ep, out->to);
        return result;
    }
    const size_t bytes = out->iov[0].iov_len;
    if (result != 0) {
        failed(ep, out, -result);
    } else if (tfi_load_add(&ep->loads, out->to, bytes)) {
        out->load = bytes;
    }
    return 0;
}

/* ---- lanes --------------------------------------------------------------------------------- */

bool tfi_out_waits(const tfi_ep_t *ep, const peer_t *to) {
    if (!to) {
        return ep->lane_first != TFI_NO_LANE;
    }
    return to->number < ep->lane_room && ep->lanes[to->number].first;
}

bool tfi_lane_make(tfi_ep_t *ep, uint32_t number) {
    if (number < ep->lane_room) {
        return true;
    }
    size_t room = ep->lane_room == 0 ? 64 : ep->lane_room;
    while (room <= number) {
        room *= 2;
    }
    tfi_lane_t *grown = realloc(ep->lanes, room * sizeof *grown);
    if (!grown) {
        return false;
    }
    memset(grown + ep->lane_room, 0, (room - ep->lane_room) * sizeof *grown);
    ep->lanes = grown;
    ep->lane_room = room;
    return true;
}

/* Behind the other lanes that wait. */
static void append_lane(tfi_ep_t *ep, uint32_t number) {
    ep->lanes[number].next = TFI_NO_LANE;
    ep->lanes[number].waits = true;
    if (ep->lane_first == TFI_NO_LANE) {
        ep->lane_first = number;
    } else {
        ep->lanes[ep->lane_last].next = number;
    }
    ep->lane_last = number;
}

void tfi_out(tfi_ep_t *ep, tfi_out_t *out) {
    const uint32_t number = out->to->number;
    const int result = tfi_out_waits(ep, out->to) ? -FI_EAGAIN : try_out(ep, out);
    if (result == 0) {
        return;
    }
    if (result != -FI_EAGAIN || !tfi_lane_make(ep, number)) {
        failed(ep, out, result != -FI_EAGAIN ? -result : FI_ENOMEM);
        return;
    }
    tfi_lane_t *lane = &ep->lanes[number];
    out->next = NULL;
    if (!lane->first) {
        lane->first = out;
    } else {
        lane->last->next = out;
    }
    lane->last = out;
    if (!lane->waits) {
        append_lane(ep, number);
    }
}

/* Sends of a lane what the inner endpoint takes.  What ends here may end a user's operation, but
 * sends nothing itself. */
static void drain(tfi_ep_t *ep, tfi_lane_t *lane) {
    while (lane->first) {
        tfi_out_t *out = lane->first;
        tfi_out_t *next = out->next;
        const int result = try_out(ep, out);
        if (result == -FI_EAGAIN) {
            return;
        }
        lane->first = next;
        if (result != 0) {
            failed(ep, out, -result);
        }
    }
}

void tfi_lane_fail(tfi_ep_t *ep, uint32_t number, int err) {
    tfi_out_t *out = ep->lanes[number].first;
    ep->lanes[number].first = NULL;
    while (out) {
        tfi_out_t *next = out->next;
        failed(ep, out, err);
        out = next;
    }
}

void tfi_out_progress(tfi_ep_t *ep) {
    const uint32_t last = ep->lane_last;
    bool more = ep->lane_first != TFI_NO_LANE;
    for (unsigned i = 0; more && i < TRIES; ++i) {
        const uint32_t number = ep->lane_first;
        ep->lane_first = ep->lanes[number].next;
        ep->lanes[number].waits = false;
        more = number != last && ep->lane_first != TFI_NO_LANE;
        drain(ep, &ep->lanes[number]);
        if (ep->lanes[number].first) {
            append_lane(ep, number);
        }
    }
}

/* ---- frames, and the end ------------------------------------------------------------------- */

tfi_out_t *tfi_frame(tfi_ep_t *ep, wire_frame_t *frame, peer_t *to, size_t payload) {
    tfi_out_t *out = malloc(sizeof *out + WIRE_HEADER + payload);
    if (!out) {
        return NULL;
    }
    *out = (tfi_out_t){.work = {TFI_OUT},
                       .announces = SLOTS_NONE,
                       .asks_for = SLOTS_NONE,
                       .to = to,
                       .load = TFI_UNCOUNTED,
                       .tag = TFI_FRAME_TAG,
                       .iov_count = 1};
    ++to->holds;
    out->iov[0] = (struct iovec){out->bytes, WIRE_HEADER + payload};
    frame->name_length = (uint8_t)ep->domain->name_size;
    tfi_name_for(ep, to, frame->name);
    wire_encode(frame, out->bytes);
    return out;
}

static void free_list(tfi_ep_t *ep, tfi_out_t *out) {
    while (out) {
        tfi_out_t *next = out->next;
        if (out->send) {
            tfi_send_free(ep, out->send);
        }
        tfi_out_drop(ep, out);
        out = next;
    }
}

void tfi_out_free(tfi_ep_t *ep) {
    tfi_watch_free(ep);
    free_list(ep, ep->leaving);
    for (size_t i = 0; i < ep->lane_room; ++i) {
        free_list(ep, ep->lanes[i].first);
    }
    free(ep->lanes);
    ep->leaving = NULL;
    ep->lanes = NULL;
    ep->lane_room = 0;
    ep->lane_first = TFI_NO_LANE;
}
