/* SPDX-License-Identifier: Apache-2.0
 *
 * Data beside a software engine's entries: addresses, ids, their order for reports, and the limits
 * of each endpoint.
 *
 * An entry is known by the index of its slot, which the engine is given as its handle; each
 * endpoint's slots of a queue are a list by age.
 * These are books: nothing here looks for a match.
 */
#ifndef TMU_REF_ENTRIES_H
#define TMU_REF_ENTRIES_H

#include "ref_matcher.h"

/* The index of no slot. */
#define REF_ENTRY_NONE UINT64_MAX

typedef struct ref_entry {
    uint64_t younger;
    uint64_t older;
    tmu_model_entry_t entry;
} ref_entry_t;

typedef struct ref_list {
    uint64_t oldest;
    uint64_t youngest;
    uint64_t depth;
    uint64_t quota; /* 0 = no limit */
    uint64_t reserve;
} ref_list_t;

typedef struct ref_entries {
    ref_entry_t *slots;
    uint64_t room;
    uint64_t free; /* first of a list by `younger` */
    ref_list_t (*lists)[2];
    uint32_t endpoints;
    uint64_t capacity[2]; /* 0 = no limit */
    bool full[2];         /* no entry of the queue has room */
    bool registered;      /* memory is, so that positions count */
    uint64_t position;    /* that the entry had which was removed last, oldest = 0; from then on */
    uint64_t promised[2]; /* slots for endpoints within their reserves (R11, R13) */
    ref_depths_t depths;
} ref_entries_t;

/* False without memory. */
bool ref_entries_create(ref_entries_t *entries, const tmu_model_config_t *config);
void ref_entries_destroy(ref_entries_t *entries);

/* A slot for an entry that may come; REF_ENTRY_NONE without memory. */
uint64_t ref_entries_take(ref_entries_t *entries);
/* Frees a slot that is in no list. */
void ref_entries_free(ref_entries_t *entries, uint64_t slot);

/* Puts the entry into a slot that was taken, as the youngest of its queue. */
void ref_entries_append(ref_entries_t *entries, uint64_t slot, const tmu_model_entry_t *entry);
/* Takes an entry out of its list and frees its slot. */
tmu_model_entry_t ref_entries_remove(ref_entries_t *entries, uint64_t slot);

/* Whether the entry of an operation may be queued (R11). */
bool ref_entries_room(const ref_entries_t *entries, uint32_t endpoint, tmu_model_queue_t queue);

void ref_entries_set_quota(ref_entries_t *entries, uint32_t endpoint, uint64_t posted,
                           uint64_t unexpected);
void ref_entries_set_reserve(ref_entries_t *entries, uint32_t endpoint, uint64_t posted,
                             uint64_t unexpected);

/* The slot of an endpoint's receive with the driver's id; REF_ENTRY_NONE if there is none.  It
 * walks the list, as an inspection does. */
uint64_t ref_entries_receive(const ref_entries_t *entries, uint32_t endpoint, uint32_t receive_id);

#endif
