/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u
#define NO_NUMBER UINT64_MAX

/* ---- numbers ------------------------------------------------------------------------------- */

/* The number that was taken back last, or the next new one below `most`; NO_NUMBER: none. */
static uint64_t number_take(numbers_t *numbers, uint64_t most) {
    if (numbers->spares != 0) {
        return numbers->spare[--numbers->spares];
    }
    if (numbers->used == most) {
        return NO_NUMBER;
    }
    if (numbers->used == numbers->room) {
        const size_t room = numbers->room == 0 ? FIRST_ROOM : 2 * numbers->room;
        uint32_t *grown = realloc(numbers->spare, room * sizeof *grown);
        if (!grown) {
            return NO_NUMBER;
        }
        numbers->spare = grown;
        numbers->room = room;
    }
    return numbers->used++;
}

static void number_return(numbers_t *numbers, uint32_t number) {
    numbers->spare[numbers->spares++] = number;
}

/* ---- names --------------------------------------------------------------------------------- */

static size_t hash(const uint8_t *name, size_t length) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i += 8) {
        uint64_t piece = 0;
        memcpy(&piece, name + i, length - i < 8 ? length - i : 8);
        sum = (sum ^ piece) * 0x9e3779b97f4a7c15u;
        sum ^= sum >> 32;
    }
    return (size_t)sum;
}

static peer_t **bucket_of(const peers_t *peers, const uint8_t *name, size_t length) {
    return &peers->bucket[hash(name, length) & (peers->room - 1)];
}

peer_t *peers_find(const peers_t *peers, const uint8_t *name, size_t length) {
    if (peers->room == 0 || length == 0) {
        return NULL;
    }
    peer_t *peer = *bucket_of(peers, name, length);
    while (peer && (peer->length != length || memcmp(peer->name, name, length) != 0)) {
        peer = peer->next;
    }
    return peer;
}

/* As many buckets as peers, or twice that. */
static int make_room(peers_t *peers) {
    if (peers->count < peers->room) {
        return 0;
    }
    peers_t grown = {.room = peers->room == 0 ? FIRST_ROOM : 2 * peers->room};
    grown.bucket = calloc(grown.room, sizeof(peer_t *));
    if (!grown.bucket) {
        return -1;
    }
    for (size_t i = 0; i < peers->room; ++i) {
        for (peer_t *peer = peers->bucket[i]; peer;) {
            peer_t *next = peer->next;
            peer_t **bucket = bucket_of(&grown, peer->name, peer->length);
            peer->next = *bucket;
            *bucket = peer;
            peer = next;
        }
    }
    free(peers->bucket);
    peers->bucket = grown.bucket;
    peers->room = grown.room;
    return 0;
}

static uint64_t most_of(const peers_t *peers) {
    return peers->most != 0 ? peers->most : UINT64_C(1) << 32;
}

bool peers_are_all(const peers_t *peers) { return peers->count == most_of(peers); }

static peer_t *add(peers_t *peers, const uint8_t *name, size_t length) {
    if (length == 0 || length > WIRE_NAME || make_room(peers) != 0) {
        return NULL;
    }
    peer_t *peer = malloc(sizeof *peer);
    if (!peer) {
        return NULL;
    }
    const uint64_t number = number_take(&peers->numbers, most_of(peers));
    if (number == NO_NUMBER) {
        free(peer);
        return NULL;
    }
    peer_t **bucket = bucket_of(peers, name, length);
    *peer = (peer_t){.next = *bucket,
                     .index = PEERS_NOWHERE,
                     .below = PEERS_NOWHERE,
                     .number = (uint32_t)number,
                     .length = (uint8_t)length};
    memcpy(peer->name, name, length);
    *bucket = peer;
    ++peers->count;
    return peer;
}

peer_t *peers_hold(peers_t *peers, const uint8_t *name, size_t length) {
    peer_t *peer = peers_find(peers, name, length);
    if (!peer) {
        peer = add(peers, name, length);
    }
    if (peer) {
        ++peer->holds;
    }
    return peer;
}

void peers_free(peers_t *peers, peer_t *peer) {
    peer_t **at = bucket_of(peers, peer->name, peer->length);
    while (*at != peer) {
        at = &(*at)->next;
    }
    *at = peer->next;
    --peers->count;
    number_return(&peers->numbers, peer->number);
    free(peer);
}

/* ---- the user's address vector ------------------------------------------------------------- */

peer_t *peers_at(const peers_t *peers, uint64_t index) {
    return index < peers->at_room ? peers->at[index] : NULL;
}

int peers_enter(peers_t *peers, peer_t *peer) {
    const uint64_t index = number_take(&peers->indices, UINT64_C(1) << 32);
    if (index == NO_NUMBER) {
        return -1;
    }
    if (index >= peers->at_room) {
        const size_t room = peers->at_room == 0 ? FIRST_ROOM : 2 * peers->at_room;
        peer_t **grown = realloc(peers->at, room * sizeof(peer_t *));
        if (!grown) {
            number_return(&peers->indices, (uint32_t)index);
            return -1;
        }
        memset(grown + peers->at_room, 0, (room - peers->at_room) * sizeof(peer_t *));
        peers->at = grown;
        peers->at_room = room;
    }
    peers->at[index] = peer;
    peer->index = index;
    return 0;
}

void peers_leave(peers_t *peers, peer_t *peer) {
    peers->at[peer->index] = NULL;
    number_return(&peers->indices, (uint32_t)peer->index);
    peer->index = PEERS_NOWHERE;
}

/* ---- end ----------------------------------------------------------------------------------- */

peer_t *peers_any(const peers_t *peers) {
    for (size_t i = 0; i < peers->room; ++i) {
        if (peers->bucket[i]) {
            return peers->bucket[i];
        }
    }
    return NULL;
}

void peers_close(peers_t *peers) {
    for (peer_t *peer; (peer = peers_any(peers));) {
        peers_free(peers, peer);
    }
    free(peers->bucket);
    free(peers->numbers.spare);
    free(peers->indices.spare);
    free(peers->at);
    *peers = (peers_t){0};
}
