/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers that have ended.  The provider below tries for ever to connect to one, and says nothing of
 * a connection that is lost while none of its operations is under way.
 *
 * A peer from which something has been wanted for a second is looked at: if nobody listens at its
 * port, then what waits for it ends, each operation with an error of its own.  A peer that is
 * slow, stopped, or computes for an hour has its port, and is looked at twice as seldom each time;
 * it sees a connection that is closed at once.
 */
#include "provider.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SCAN_MS 250u
#define FIRST_GAP_MS 1000u
#define CALLS 64u /* of progress, for one look at the clock */

static void close_probe(tfi_lane_t *lane) {
    if (lane->probe != 0) {
        (void)close(lane->probe - 1);
    }
    lane->probe = 0;
}

void tfi_watch(tfi_ep_t *ep, peer_t *peer) {
    if (!tfi_lane_make(ep, peer->number)) {
        return;
    }
    tfi_lane_t *lane = &ep->lanes[peer->number];
    lane->wanted = true;
    if (lane->watched) {
        return;
    }
    ++peer->holds;
    lane->watched = peer;
    lane->gap = FIRST_GAP_MS;
    lane->look_at = tfi_now_ms() + lane->gap;
    ++ep->watched;
}

static void forget(tfi_ep_t *ep, tfi_lane_t *lane) {
    close_probe(lane);
    tfi_peer_release(ep->av, lane->watched);
    lane->watched = NULL;
    lane->wanted = lane->gone = false;
    --ep->watched;
}

/* Begins to connect; an answer comes later, or never. */
static void start_probe(tfi_lane_t *lane) {
    struct sockaddr_storage address = {0};
    const peer_t *peer = lane->watched;
    memcpy(&address, peer->name, peer->length);
    if (address.ss_family != AF_INET && address.ss_family != AF_INET6) {
        return;
    }
    const int probe = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return;
    }
    const int result = connect(probe, (const struct sockaddr *)&address, peer->length);
    lane->probe = probe + 1;
    lane->refused = result != 0 && errno == ECONNREFUSED;
}

/* Whether nobody listens there; that nothing is known is no answer. */
static bool is_refused(tfi_lane_t *lane) {
    if (lane->probe == 0) {
        return false;
    }
    int error = lane->refused ? ECONNREFUSED : 0;
    struct pollfd ready = {.fd = lane->probe - 1, .events = POLLOUT};
    socklen_t length = sizeof error;
    if (error == 0 && poll(&ready, 1, 0) == 0) {
        return false;
    }
    if (error == 0 && getsockopt(ready.fd, SOL_SOCKET, SO_ERROR, &error, &length) != 0) {
        error = 0;
    }
    close_probe(lane);
    return error == ECONNREFUSED;
}

/* Fails operations on a peer that has ended: frames, payloads from it, messages to it. */
static void end_all(tfi_ep_t *ep, tfi_lane_t *lane) {
    peer_t *peer = lane->watched;
    size_t at = 0;
    tfi_lane_fail(ep, peer->number, FI_ECONNREFUSED);
    for (tfi_pull_t *pull; (pull = slots_next(&ep->fetched, &at));) {
        if (pull->message->from == peer) {
            tfi_pull_fail(ep, pull, FI_ECONNREFUSED);
        }
    }
    at = 0;
    for (tfi_send_t *send; (send = slots_next(&ep->sends, &at));) {
        if (send->to == peer) {
            tfi_send_end(ep, send, FI_ECONNREFUSED);
        }
    }
}

static void look(tfi_ep_t *ep, tfi_lane_t *lane, uint64_t now) {
    if (is_refused(lane)) {
        tfi_say_rarely(&ep->ended_peers, "a peer has ended, for nobody listens at its port: what "
                                         "waits for it ends");
        lane->gone = true;
        lane->gap = FIRST_GAP_MS;
        end_all(ep, lane);
    }
    if (now < lane->look_at) {
        return;
    }
    close_probe(lane);
    start_probe(lane);
    lane->look_at = now + lane->gap;
    lane->gap = lane->gap < UINT32_MAX / 2 ? 2 * lane->gap : lane->gap;
}

/* The receives and sends that nothing but their peer can end. */
static void mark_wanted(tfi_ep_t *ep) {
    size_t at = 0;
    for (uint32_t i = 0; i < ep->lane_room; ++i) {
        if (ep->lanes[i].first) {
            tfi_watch(ep, ep->lanes[i].first->to);
        }
    }
    for (tfi_pull_t *pull; (pull = slots_next(&ep->fetched, &at));) {
        tfi_watch(ep, pull->message->from);
    }
    at = 0;
    for (tfi_send_t *send; (send = slots_next(&ep->sends, &at));) {
        tfi_watch(ep, send->to);
    }
}

void tfi_gone_progress(tfi_ep_t *ep) {
    if (ep->domain->unit->card) {
        return; /* it tells of peers that it gives up */
    }
    const bool waits =
        ep->watched != 0 || ep->sends.used != 0 || ep->fetched.used != 0 || tfi_out_waits(ep, NULL);
    if (!waits || ++ep->calls < CALLS) {
        return;
    }
    const uint64_t now = tfi_now_ms();
    ep->calls = 0;
    if (now < ep->scan_at) {
        return;
    }
    ep->scan_at = now + SCAN_MS;
    mark_wanted(ep);
    for (size_t i = 0; i < ep->lane_room; ++i) {
        tfi_lane_t *lane = &ep->lanes[i];
        if (!lane->watched) {
            continue;
        }
        if (!lane->wanted) {
            forget(ep, lane);
            continue;
        }
        lane->wanted = false;
        look(ep, lane, now);
    }
}

bool tfi_is_gone(tfi_ep_t *ep, const peer_t *peer) {
    if (peer->number >= ep->lane_room || !ep->lanes[peer->number].gone) {
        return false;
    }
    ep->lanes[peer->number].gone = false;
    return true;
}

void tfi_watch_free(tfi_ep_t *ep) {
    for (size_t i = 0; i < ep->lane_room; ++i) {
        if (ep->lanes[i].watched) {
            forget(ep, &ep->lanes[i]);
        }
    }
}
