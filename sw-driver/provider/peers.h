/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The peers of an address vector: from a name on the wire to a number, which the source field of
 * the unit holds.
 *
 * A peer has its number from its first message on, whether or not the user's address vector has
 * it, and keeps it as long as anything holds the peer: the address vector, a message, a receive
 * that names it as its source, a send.  So the order of one sender's messages (R7) does not depend
 * on when it is inserted, and a number that is used again is in no queue of the unit.
 *
 * When something is full: without memory, or with all numbers of the unit's source field in use,
 * there is no new peer.
 */
#ifndef TMU_PROVIDER_PEERS_H
#define TMU_PROVIDER_PEERS_H

#include "wire.h"

#define PEERS_NOWHERE UINT64_MAX /* an address or index that a peer does not have */

typedef struct peer {
    struct peer *next; /* in the same bucket */
    uint64_t index;    /* in the user's address vector, or PEERS_NOWHERE */
    uint64_t inserted; /* times in the user's address vector */
    uint64_t below;    /* address in the provider below */
    uint64_t holds;    /* what holds it; it must not be freed before that is 0 */
    uint32_t number;   /* in the unit's source field */
    bool routed;       /* `local` is known */
    uint8_t local[16]; /* this machine's IP address as the peer sees it */
    uint8_t length;    /* of the name */
    uint8_t name[WIRE_NAME];
} peer_t;

/* Numbers that are handed out and taken back; a zeroed one has handed out none. */
typedef struct {
    uint32_t *spare; /* taken back; room for every number that was handed out */
    size_t spares;
    size_t room;
    uint64_t used; /* all below this were handed out once */
} numbers_t;

typedef struct {
    peer_t **bucket;
    size_t room; /* buckets, a power of two, or 0 before the first peer */
    size_t count;
    uint64_t most; /* numbers of peers, 0 = as many as fit in 32 bits */
    numbers_t numbers;
    numbers_t indices;
    peer_t **at; /* by index in the user's address vector; NULL where none is */
    size_t at_room;
} peers_t;

/* The peer of this name of 1 to WIRE_NAME bytes, held once more; a new one has neither addresses
 * nor an index.  NULL when there can be none.  A zeroed peers_t is empty. */
peer_t *peers_hold(peers_t *peers, const uint8_t *name, size_t length);

/* Whether all numbers are in use. */
bool peers_are_all(const peers_t *peers);

/* The peer of a name that is there, or NULL. */
peer_t *peers_find(const peers_t *peers, const uint8_t *name, size_t length);

/* The peer with an index of the user's address vector, or NULL. */
peer_t *peers_at(const peers_t *peers, uint64_t index);

/* Gives a peer without an index the next free one.  0, -1 when memory is short. */
int peers_enter(peers_t *peers, peer_t *peer);

/* Takes its index from a peer, which has one. */
void peers_leave(peers_t *peers, peer_t *peer);

/* Frees a peer that nothing holds and that has no index. */
void peers_free(peers_t *peers, peer_t *peer);

/* Any peer that is there, or NULL. */
peer_t *peers_any(const peers_t *peers);

/* Frees the tables, and every peer that is left. */
void peers_close(peers_t *peers);

#endif
