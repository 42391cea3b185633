/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An endpoint may listen at every address of its machine, and then has none that it could be told
 * apart by.  To each peer it is at the address from which the machine reaches that peer, which is
 * the one that the peer knows it by; the routes of the two may differ, and then its messages have
 * no source there.
 */
#include "provider.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    uint8_t bytes[WIRE_NAME];
} name_t;

_Static_assert(sizeof(name_t) == WIRE_NAME, "a name holds a socket address");

static bool is_everywhere(const name_t *name) {
    if (name->any.sa_family == AF_INET) {
        return name->four.sin_addr.s_addr == INADDR_ANY;
    }
    return name->any.sa_family == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&name->six.sin6_addr);
}

/* Start and size of a name's address. */
static void *address_of(name_t *name, size_t *size_p) {
    const bool four = name->any.sa_family == AF_INET;
    *size_p = four ? sizeof name->four.sin_addr : sizeof name->six.sin6_addr;
    return four ? (void *)&name->four.sin_addr : (void *)&name->six.sin6_addr;
}

/* Asks for the route; nothing is sent. */
static void find_route(peer_t *peer) {
    name_t local = {0};
    name_t remote = {0};
    socklen_t length = sizeof local;
    size_t size = 0;
    memcpy(remote.bytes, peer->name, peer->length);
    const int asks = socket(remote.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (asks < 0) {
        return;
    }
    if (connect(asks, &remote.any, peer->length) == 0 &&
        getsockname(asks, &local.any, &length) == 0 &&
        local.any.sa_family == remote.any.sa_family) {
        const uint8_t *address = address_of(&local, &size);
        memcpy(peer->local, address, size);
        peer->routed = true;
    }
    (void)close(asks);
}

void tfi_name_for(const tfi_ep_t *ep, peer_t *peer, uint8_t name[static WIRE_NAME]) {
    name_t own;
    size_t size = 0;
    memcpy(own.bytes, ep->name, WIRE_NAME);
    if (!ep->domain->unit->card && is_everywhere(&own)) {
        if (!peer->routed) {
            find_route(peer);
        }
        void *address = address_of(&own, &size);
        if (peer->routed) {
            memcpy(address, peer->local, size);
        }
    }
    memcpy(name, own.bytes, WIRE_NAME);
}
