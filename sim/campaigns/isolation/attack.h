/* SPDX-License-Identifier: Apache-2.0 */
/* One endpoint that does its worst, in one way at a time, and past the driver where that lets it.
 */
#ifndef TMU_ISOLATION_ATTACK_H
#define TMU_ISOLATION_ATTACK_H

#include "crowd.h"

/* Entries are those of each of its queues, and its quota: what would be one more is refused. */
typedef enum attack_kind {
    ATTACK_NONE,
    ATTACK_FULL,      /* all four searches to the end of full queues, refused or without a hit */
    ATTACK_WILD,      /* arrivals that each receive there may match, and none does */
    ATTACK_MALFORMED, /* bad opcodes, reserved bits, fields that the opcode has not */
    ATTACK_CANCELS,   /* all late */
    ATTACK_DOORBELLS, /* writes of a illegal size or address, and to pages that nobody opened */
    ATTACK_UNREAD,    /* good commands, and a ring that is never read */
    ATTACK_FLUSHES,   /* of nothing, without end */
    ATTACK_STUCK,     /* one flush of more entries than its ring has room for, never read */
    ATTACK_CROWD, /* as many queues as entries, of others, that all outgrow full tables at once */
    ATTACK_LIVES, /* opens a queue, fills, flushes, closes it, as the driver has it, and again */
} attack_kind_t;

/* Longest time of each operation that others may feel, in clocks. */
typedef struct attack_times {
    uint64_t lives; /* that ended */
    uint64_t open;
    uint64_t flush; /* from submission to its last answer */
    uint64_t close;
} attack_times_t;

typedef enum attack_state { STATE_CLOSED, STATE_FILLS, STATE_FLUSHES } attack_state_t;

typedef struct attack {
    tmu_t *device;
    tmu_queue_t *queue;
    attack_kind_t kind;
    uint32_t endpoint;
    uint32_t endpoints; /* from its own on, that nobody else has */
    uint32_t reserved;  /* slots of each table that others have */
    uint64_t entries;
    crowd_t crowd;
    uint64_t filled;    /* entries submitted */
    uint64_t completed; /* of the driver's operations */
    uint64_t attempts;  /* writes to doorbells past the driver */
    bool raw;           /* went past the driver, which keeps off its ring from then on */
    attack_state_t state;
    uint64_t asked;   /* clock at which the flush was submitted */
    uint64_t flushed; /* entries of each queue that were there then */
    uint64_t since;   /* clock from which on times are taken */
    uint64_t wrong;   /* answers of the driver's operations that are not the law's */
    attack_times_t times;
} attack_t;

/* The kind's name, NULL beyond the last. */
const char *attack_name(attack_kind_t kind);

/* Whether it is told how many entries, or queues. */
bool attack_is_sized(attack_kind_t kind);

/* Opens its queue and sets its quota; nothing is in flight on the device. */
tmu_result_t attack_open(attack_t *attack);

/* Submits entries until its queues are full. */
tmu_result_t attack_fill(attack_t *attack);

/* Whether all entries are there. */
bool attack_is_filled(const attack_t *attack);

/* Takes what the driver's operations are answered; not for who went past the driver. */
tmu_result_t attack_collect(attack_t *attack);

/* Does its worst, as far as the bus takes it. */
tmu_result_t attack_strike(attack_t *attack);

/* Whether an operation of the driver's is in flight. */
bool attack_waits(attack_t *attack);

/* Closes the queue; what was written past the driver is not waited for. */
tmu_result_t attack_close(attack_t *attack);

#endif
