/* SPDX-License-Identifier: Apache-2.0
 *
 * Receive ids (R10): which index names which live receive.
 *
 * An index is free again only when its receive has ended and no cancel that names it is in flight,
 * so that a late cancel can never meet a younger receive.
 * The table never answers a cancel; it only keeps the unit from being asked about the wrong one.
 */
#ifndef TMU_RECEIVE_H
#define TMU_RECEIVE_H

#include "tmu/tmu.h"

typedef struct tmu_receive_slot {
    uint64_t handle; /* the caller's */
    uint32_t generation;
    uint32_t endpoint;
    uint32_t cancels; /* in flight, naming this receive */
    uint32_t next_free;
    bool live;
    bool used;
} tmu_receive_slot_t;

typedef struct tmu_receives {
    tmu_receive_slot_t *slots;
    uint32_t count;      /* slots that exist */
    uint32_t limit;      /* slots that may exist: every index but all-ones */
    uint32_t free_first; /* oldest free first, so that an index rests as long as possible */
    uint32_t free_last;
    uint64_t handle_mask; /* handle bits that the unit keeps */
} tmu_receives_t;

void tmu_receives_init(tmu_receives_t *receives, uint32_t id_bits, uint32_t handle_bits);
void tmu_receives_free(tmu_receives_t *receives);

/** Ends every receive, for a reset. */
void tmu_receives_clear(tmu_receives_t *receives);

/** TMU_AGAIN when every index is taken, TMU_ERR_MEMORY when the table cannot grow. */
tmu_result_t tmu_receive_begin(tmu_receives_t *receives, uint32_t endpoint, uint64_t handle,
                               tmu_receive_id_t *id_p);

/** The receive is no longer in the unit. */
void tmu_receive_end(tmu_receives_t *receives, tmu_receive_id_t id);

/** Finds the live receive that the unit names by the handle it was posted with. */
bool tmu_receive_find(const tmu_receives_t *receives, uint64_t unit_handle, tmu_receive_id_t *id_p,
                      uint64_t *handle_p);

/** The handle and the index by which the unit knows a receive. */
uint64_t tmu_receive_unit_handle(const tmu_receives_t *receives, tmu_receive_id_t id);
uint32_t tmu_receive_index(const tmu_receives_t *receives, tmu_receive_id_t id);

/**
 * Pins a live receive of the endpoint for a cancel and returns its id, or TMU_RECEIVE_NONE for one
 * that ended, was never posted or is another endpoint's.
 */
tmu_receive_id_t tmu_receive_pin(tmu_receives_t *receives, uint32_t endpoint, tmu_receive_id_t id);

/** The cancel was answered.  NONE is allowed. */
void tmu_receive_unpin(tmu_receives_t *receives, tmu_receive_id_t id);

#endif
