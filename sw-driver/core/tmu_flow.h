/* SPDX-License-Identifier: Apache-2.0
 *
 * Flow control of one queue (R11): arrivals that the unit cannot admit are held back here and lose
 * nothing.
 *
 * While no arrival can meet a full table (tmu_bounds.h), commands are pipelined freely.
 * Otherwise one command of the queue is in flight at a time, so that what is held, and in which
 * order, depends on the order of submission alone and not on timing.
 *
 * After every completed operation of the queue, and when another queue made room, one pass tries
 * the held arrivals, oldest first; one whose source has an older one held at the same endpoint
 * waits behind it.
 * An attempt that must stall again is left out: the arrival has no room, and no receive was queued
 * at its endpoint since its last attempt.  That changes no outcome, only the number of commands.
 * With registered memory, or reserves of endpoints, the bounds do not know when there is no room.
 * An endpoint's arrivals are tried again until one of them stalls: when something left the unit,
 * with memory when the unit says that a chunk is free, and without a free one once in a while.
 *
 * The queue's lock is held in every function.
 */
#ifndef TMU_FLOW_H
#define TMU_FLOW_H

#include "tmu/tmu.h"
#include "tmu_bounds.h"
#include "tmu_wire.h"

struct tmu_pending;

/* An arrival that is held back, with all that is needed to offer it again. */
typedef struct tmu_held {
    struct tmu_held *next; /* of the list: the oldest of each source, by age */
    struct tmu_held *previous;
    struct tmu_held *younger;   /* of its source: waits behind this one */
    struct tmu_held *youngest;  /* of its source; true of the oldest alone */
    struct tmu_held *same_hash; /* the oldest of another source */
    tmu_record_t command;
    uint64_t handle;
    uint64_t age;
    uint64_t met; /* receives ever queued at the endpoint before it was last tried; 0 = never */
    uint32_t endpoint;
    uint32_t source;
} tmu_held_t;

#define TMU_FLOW_SOURCES_LOG2 10

typedef struct tmu_flow {
    tmu_bounds_t *bounds;
    uint64_t seen; /* epoch of the bounds that the last pass knew */

    tmu_held_t *held_first; /* the oldest of each source, by age */
    tmu_held_t *held_last;
    tmu_held_t **sources; /* the same, by a hash; there once an arrival was submitted */
    uint64_t held_ever;   /* the next held one's age */
    uint32_t held_now;
    tmu_held_t *spare; /* so that a stalled answer never needs memory */

    bool alone;       /* the command in flight must be answered before the next */
    bool waits;       /* for answers on other queues */
    bool pass;        /* held arrivals are being tried */
    tmu_held_t *next; /* the next one of the pass; NULL ends it */
} tmu_flow_t;

void tmu_flow_init(tmu_flow_t *flow, tmu_bounds_t *bounds);
void tmu_flow_free(tmu_flow_t *flow);

/* Takes the oldest held arrival out, of a device that will not admit any; false if there is none.
 */
bool tmu_flow_drop(tmu_flow_t *flow, uint32_t *endpoint_p, uint64_t *handle_p);

/* Forgets held arrivals, for a reset; the bounds are cleared beside it. */
void tmu_flow_clear(tmu_flow_t *flow);

/* Decision on an operation that asks to be submitted. */
typedef enum tmu_admission {
    TMU_ADMIT_AGAIN, /* later */
    TMU_ADMIT_SEND,  /* now, unless the bounds say that it has to be alone */
    TMU_ADMIT_ALONE, /* now, and nothing else on this queue until it is answered */
    TMU_ADMIT_HOLD,  /* an arrival: behind an older one of its source, without being tried */
} tmu_admission_t;

/* Decides on a command given the queue's number in flight; `alone` demands to be the only one. */
tmu_admission_t tmu_flow_admit(tmu_flow_t *flow, const tmu_record_t *command, uint32_t endpoint,
                               uint32_t in_flight, bool alone);

/* Makes sure that an arrival can be held. */
tmu_result_t tmu_flow_reserve(tmu_flow_t *flow);

/* Appends an arrival to those held, with the memory reserved for it: one that stalled, or one that
 * has to wait behind another and was never sent. */
void tmu_flow_hold(tmu_flow_t *flow, const struct tmu_pending *arrival);

/* Most completions that a command can have; others may add to what a flush meets. */
uint32_t tmu_flow_answers(const tmu_flow_t *flow, uint8_t opcode, uint32_t endpoint);

/*
 * Accounts for a command that is about to be sent: TMU_AGAIN leaves everything as it was.
 * `pending` gets what its answer needs; `*alone` may be set.
 */
tmu_result_t tmu_flow_begin(tmu_flow_t *flow, struct tmu_pending *pending, uint32_t in_flight,
                            bool *alone);

/* Takes tmu_flow_begin back: the command was not sent. */
void tmu_flow_undo(tmu_flow_t *flow, const struct tmu_pending *pending);

/*
 * Accounts for a completion; `*stalled_p` tells that the caller must not see it.
 * Returns false when the device claims what cannot be: an entry that left although it was not
 * there, or a stall although there was room.
 */
bool tmu_flow_answered(tmu_flow_t *flow, const struct tmu_pending *pending,
                       const tmu_completion_t *completion, bool *stalled_p);

/* Accounts for a message that a card's network brought to a receive; false when none was there. */
bool tmu_flow_delivered(tmu_flow_t *flow, uint32_t endpoint);

/* Starts a pass over the held arrivals, if there are any. */
void tmu_flow_pass_start(tmu_flow_t *flow);

/* Starts one if another queue may have made room since the last. */
void tmu_flow_look(tmu_flow_t *flow);

/* Whether an arrival is held back that wants memory, so that the unit has to be asked for it. */
bool tmu_flow_wants_memory(const tmu_flow_t *flow);

/* The held arrival to try now; NULL ends the pass. */
tmu_held_t *tmu_flow_pass_next(tmu_flow_t *flow);

/* The attempt of `held` was sent; the pass goes on behind it. */
void tmu_flow_pass_sent(tmu_flow_t *flow, const tmu_held_t *held);

#endif
