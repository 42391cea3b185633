/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands of a queue that the unit has not answered yet, and which of them a completion answers.
 *
 * Answers may come in another order than commands were sent: one that has to look into memory is
 * overtaken.  So a completion names its command:
 * - Handles of probes, claims, cancels, flushes and inspects go no further than the unit's answer.
 *   The command carries a name instead that the queue gives once: the command's index here, and the
 *   number of commands sent before it.
 * - A post is sent with its receive's handle, which no other live receive has.
 * - An arrival is sent with the caller's handle, because the unit keeps it as the message's.
 *   Several at one endpoint may bear the same one; nothing in an answer tells them apart then, nor
 *   does anything that is kept of them, so the oldest is taken.
 *
 * The queue's lock is held in every function.
 */
#ifndef TMU_PENDING_H
#define TMU_PENDING_H

#include "tmu/tmu.h"
#include "tmu_flow.h"
#include "tmu_wire.h"

/* A command that the unit has not answered yet. */
typedef struct tmu_pending {
    struct tmu_pending *next; /* sent later; of a vacant slot: the next vacant one */
    struct tmu_pending *previous;
    tmu_record_t command; /* as it was sent */
    uint64_t handle;      /* the caller's */
    tmu_receive_id_t id;  /* post: the receive; cancel: the pinned target; otherwise NONE */
    uint64_t met;         /* arrival: receives ever queued at the endpoint before it was sent */
    uint64_t left;        /* arrival: the count of the bounds before it was sent */
    uint32_t endpoint;
    uint32_t credits; /* completions that may still come, each needing a ring entry */
    tmu_held_t *held; /* set while this is another attempt of a held arrival */
    uint8_t opcode;
    bool sure; /* arrival: it has a promised slot */
} tmu_pending_t;

typedef struct tmu_pendings {
    tmu_pending_t *slots;  /* as many as may be in flight, a power of two */
    tmu_pending_t *oldest; /* in flight */
    tmu_pending_t *youngest;
    tmu_pending_t *free;
    uint32_t size;
    uint32_t count; /* in flight */
    uint64_t sent;  /* commands ever */
} tmu_pendings_t;

tmu_result_t tmu_pendings_init(tmu_pendings_t *pendings, uint32_t size);
void tmu_pendings_free(tmu_pendings_t *pendings);

/* The slot of the next command; NULL when all are taken.  It is free until tmu_pending_sent. */
tmu_pending_t *tmu_pending_next(const tmu_pendings_t *pendings);

/* The handle to send a command with whose own goes no further, from `handle_mask`'s bits. */
uint64_t tmu_pending_name(const tmu_pendings_t *pendings, const tmu_pending_t *slot,
                          uint64_t handle_mask);

/* The command of that slot is in flight now. */
void tmu_pending_sent(tmu_pendings_t *pendings, tmu_pending_t *slot);

/* The command that a completion answers; NULL if there is none. */
tmu_pending_t *tmu_pending_find(const tmu_pendings_t *pendings, const tmu_completion_t *completion);

/* The command was answered for the last time. */
void tmu_pending_end(tmu_pendings_t *pendings, tmu_pending_t *pending);

/* Whether commands with this opcode are sent with a name instead of the caller's handle. */
bool tmu_pending_is_named(uint8_t opcode);

#endif
