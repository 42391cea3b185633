/* SPDX-License-Identifier: Apache-2.0
 *
 * Receive ids (R10): which index names which live receive, over all queues of a device.
 *
 * An index is free again only when its receive has ended and no cancel that names it is in flight,
 * so that a late cancel can never meet a younger receive.
 * The table never answers a cancel; it only keeps the unit from being asked about the wrong one.
 *
 * Any queue's completion may name a receive that another queue posted, so the table is shared.
 * Slots never move once they exist, and each slot's state is one atomic word.
 * Free indices rest in a first-in first-out list with a small lock; a queue takes and gives them
 * back in batches by its own cache, which its own lock guards.
 * Any function may be called by several threads at once, each with another cache, but init, free
 * and clear.
 */
#ifndef TMU_RECEIVE_H
#define TMU_RECEIVE_H

#include <pthread.h>
#include <stdatomic.h>

#include "tmu/tmu.h"

typedef struct tmu_receive_slot {
    _Atomic uint64_t state;  /* generation, cancels in flight, and whether it is live */
    _Atomic uint64_t handle; /* the caller's */
    _Atomic uint32_t endpoint;
    _Atomic uint64_t keeper; /* on a card: queue whose ring has an entry for its message */
    uint32_t next_free;      /* within the list, under its lock */
} tmu_receive_slot_t;

#define TMU_RECEIVE_BATCH 32 /* indices between a cache and the list, at most */

/* Free indices of one queue, oldest at `head`. */
typedef struct tmu_receive_cache {
    uint32_t index[2 * TMU_RECEIVE_BATCH];
    uint32_t head;
    uint32_t count;
} tmu_receive_cache_t;

/* Slots 0 to 63, 64 to 127, 128 to 255, and so on: enough for every 32-bit index. */
#define TMU_RECEIVE_CHUNKS 27

typedef struct tmu_receives {
    tmu_receive_slot_t *_Atomic chunks[TMU_RECEIVE_CHUNKS];
    _Atomic uint32_t count; /* slots that exist */
    uint32_t limit;         /* slots that may exist: every index but all-ones */
    uint32_t batch;         /* 0 where ids are too few to keep some aside */
    uint64_t handle_mask;   /* handle bits that the unit keeps */

    pthread_mutex_t lock; /* of the list, and of growth */
    uint32_t free_first;  /* oldest free first, so that an index rests as long as possible */
    uint32_t free_last;
} tmu_receives_t;

void tmu_receives_init(tmu_receives_t *receives, uint32_t id_bits, uint32_t handle_bits);

/* One of all zeros, which was never initialised, is allowed. */
void tmu_receives_free(tmu_receives_t *receives);

/* Ends every receive, for a reset. */
void tmu_receives_clear(tmu_receives_t *receives);

/* Gives all indices of a cache back to the list, before its queue is closed. */
void tmu_receive_cache_empty(tmu_receives_t *receives, tmu_receive_cache_t *cache);

/* TMU_AGAIN when every index is taken, TMU_ERR_MEMORY when the table cannot grow. */
tmu_result_t tmu_receive_begin(tmu_receives_t *receives, tmu_receive_cache_t *cache,
                               uint32_t endpoint, uint64_t handle, tmu_receive_id_t *id_p);

/* Writes down, before it is posted, which queue keeps an entry of its ring for its message. */
void tmu_receive_keep(tmu_receives_t *receives, tmu_receive_id_t id, uint64_t keeper);
/* Of a live receive. */
uint64_t tmu_receive_keeper(const tmu_receives_t *receives, tmu_receive_id_t id);

/* The receive is no longer in the unit. */
void tmu_receive_end(tmu_receives_t *receives, tmu_receive_cache_t *cache, tmu_receive_id_t id);

/* Finds the live receive that the unit names by the handle it was posted with. */
bool tmu_receive_find(const tmu_receives_t *receives, uint64_t unit_handle, tmu_receive_id_t *id_p,
                      uint64_t *handle_p);

/* The handle and the index by which the unit knows a receive. */
uint64_t tmu_receive_unit_handle(const tmu_receives_t *receives, tmu_receive_id_t id);
uint32_t tmu_receive_index(const tmu_receives_t *receives, tmu_receive_id_t id);

/*
 * Pins a live receive of the endpoint for a cancel and returns its id, or TMU_RECEIVE_NONE for one
 * that ended, was never posted or is another endpoint's.
 */
tmu_receive_id_t tmu_receive_pin(tmu_receives_t *receives, uint32_t endpoint, tmu_receive_id_t id);

/* The cancel was answered.  NONE is allowed. */
void tmu_receive_unpin(tmu_receives_t *receives, tmu_receive_cache_t *cache, tmu_receive_id_t id);

#endif
