/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of initiators that mean well, now and then with a field that is wrong: what a target may
 * ever be given, by a seed.
 */
#ifndef FORGE_H
#define FORGE_H

#include "lot.h"
#include "uet_packet.h"

enum {
    FORGE_STREAMS = 6,
    FORGE_MTU = 64,
    FORGE_TARGET = 0x0a000002,
    FORGE_JOB = 0xabcd,
    FORGE_PID = 3,
    FORGE_INDICES = 3,
    FORGE_ROOM = 1024
};

/* A connection of a peer, as far as the peer knows. */
typedef struct {
    uint32_t address;
    uint16_t spdcid;
    uint16_t pdcid; /* 0: not told yet */
    uint32_t start;
    uint32_t next;
    uint32_t clear;
    uint16_t id;
    uint16_t index;
    uint32_t length; /* of the message that is being sent */
    uint32_t offset;
    bool between; /* no message is */
} stream_t;

typedef struct {
    lot_t lot;
    stream_t stream[FORGE_STREAMS];
    uint8_t generation[FORGE_INDICES];
    uint32_t wrong_of_1024; /* packets with a field that is wrong */
} forge_t;

void forge_begin(forge_t *forge, uint64_t seed, uint32_t wrong_of_1024);

/* A frame of some stream, its length in bytes; `*from` is the stream, `*packet` what is in it. */
size_t forge_frame(forge_t *forge, uint8_t frame[FORGE_ROOM], stream_t **from,
                   uet_packet_t *packet);

/* The target has taken a packet; an answer has come. */
void forge_taken(stream_t *stream, const uet_packet_t *packet);
void forge_answer(forge_t *forge, const uet_packet_t *answer);

#endif
