/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From handles that others return (the unit, a peer) to records, without trusting them.
 * A handle is {generation, index} and is never used twice, so that a stale one finds nothing.
 */
#ifndef TMU_PROVIDER_SLOTS_H
#define TMU_PROVIDER_SLOTS_H

#include <stddef.h>
#include <stdint.h>

#define SLOTS_NONE UINT64_MAX

typedef struct {
    struct slot *slot;
    size_t room;
    size_t used;
    uint32_t free; /* first free index */
} slots_t;

/* A handle for a record that is not NULL, below 2^63; SLOTS_NONE when memory is short.
 * A zeroed slots_t is empty. */
uint64_t slots_take(slots_t *slots, void *record);

/* The record, or NULL for a handle that was not taken or was freed. */
void *slots_find(const slots_t *slots, uint64_t handle);

/* Ends a handle; one that is not taken is left alone. */
void slots_release(slots_t *slots, uint64_t handle);

/* Any record that is in the table, taken out of it; NULL when it is empty. */
void *slots_take_out(slots_t *slots);

/* The next record from index *at on, which moves behind it; NULL when there is none.  Begin with 0;
 * the record may be freed before the next call. */
void *slots_next(const slots_t *slots, size_t *at);

/* Frees the table, not the records. */
void slots_free(slots_t *slots);

#endif
