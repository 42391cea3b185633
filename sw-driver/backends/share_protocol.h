/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages between tmu-share and its clients, and the memory that they share.
 *
 * A connection of a local socket that keeps messages apart is a session.  It begins with a greeting
 * of tmu-share's, with which comes the file of the session's memory.  Then the client asks, one
 * question at a time, and is answered.  Questions are those of the kernel driver, with the same
 * structures and errors (kernel/uapi/tmu_ioctl.h), and the two below.
 * With the answer to TMU_IOCTL_OPEN comes the file of the queue's memory.  Files cannot become
 * shorter or longer.
 * The session ends with the connection, or when the client breaks a rule: a message of another
 * shape, a bell that is none, an index that is not true.
 */
#ifndef SHARE_PROTOCOL_H
#define SHARE_PROTOCOL_H

#include <stdatomic.h>
#include <stdint.h>

#include "tmu/tmu_regs.h"
#include "tmu_ioctl.h"

#define TMU_SHARE_MAGIC 0x53554d54u /* TMUS */
#define TMU_SHARE_VERSION 1

/* The first message.  `error` is 0, or why there is no session: EUSERS, there are too many. */
struct tmu_share_greeting {
    uint32_t magic;
    uint32_t version;
    int32_t error;
    uint32_t reserved;
};

/* Before the structure of every question. */
struct tmu_share_question {
    uint32_t call; /* as for ioctl */
    uint32_t reserved;
};

/* Before the structure of every answer; with an error nothing follows.  The counters' values stand
 * behind their structure, not at its address. */
struct tmu_share_answer {
    int32_t error; /* an errno, or 0 */
    uint32_t reserved;
};

/* Reads a word of a queue's own doorbell page, after all bells before. */
struct tmu_share_read {
    uint32_t size;
    uint32_t offset; /* in the page, a multiple of 8 */
    uint64_t queue;
    uint64_t value; /* answer */
};
#define TMU_SHARE_READ _IOWR(TMU_IOCTL_TYPE, 0x80, struct tmu_share_read)

/* Says that a bell waits; has no structure and no answer. */
#define TMU_SHARE_WAKE _IO(TMU_IOCTL_TYPE, 0x81)

#define TMU_SHARE_COUNTERS_MAX 256

/* The longest message either way. */
#define TMU_SHARE_MESSAGE_MAX (256 + TMU_SHARE_COUNTERS_MAX * 8)

#define TMU_SHARE_LINE 64

/* The session's memory. */
struct tmu_share_session {
    /* tmu-share's: how often it wrote completions; a client that waits does so for a change. */
    _Alignas(TMU_SHARE_LINE) _Atomic uint32_t written;
    /* tmu-share's: it sleeps, and a bell needs a TMU_SHARE_WAKE. */
    _Alignas(TMU_SHARE_LINE) _Atomic uint32_t asleep;
    /* The client's: how many of its threads wait. */
    _Alignas(TMU_SHARE_LINE) _Atomic uint32_t waiting;
};

/* A write of 4 or 64 bytes into the queue's doorbell page. */
struct tmu_share_bell {
    uint32_t offset;
    uint32_t size;
    uint8_t data[TMU_DOORBELL_COMMAND_BYTES];
};

#define TMU_SHARE_BELLS 128

/* The head of a queue's memory.  Indices count for ever, modulo 2^32. */
struct tmu_share_queue {
    _Alignas(TMU_SHARE_LINE) _Atomic uint32_t rung;  /* the client's: bells that it wrote */
    _Alignas(TMU_SHARE_LINE) _Atomic uint32_t taken; /* tmu-share's: bells that it took */
    _Alignas(TMU_SHARE_LINE) struct tmu_share_bell bells[TMU_SHARE_BELLS];
};

/* Offset of the ring of completions, which tmu-share alone writes. */
#define TMU_SHARE_RING_OFFSET 12288

_Static_assert(sizeof(struct tmu_share_queue) <= TMU_SHARE_RING_OFFSET, "the ring lies behind it");
_Static_assert(TMU_SHARE_RING_OFFSET % 4096 == 0, "and begins with a page");

#endif
