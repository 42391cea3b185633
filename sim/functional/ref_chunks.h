/* SPDX-License-Identifier: Apache-2.0
 *
 * Locations that the functional device's entries would have: on chip or in a chunk (R11).
 *
 * The hardware's lists, without entries: of each queue the entries on chip, which are its oldest,
 * and the chunks behind them with their live entries.  These counts decide no match, but
 * whether there is room for an entry, by the rules of the hardware when nothing is under way:
 * entries go back as soon as a table has room, and chunks become fewer when there is none left.
 */
#ifndef TMU_REF_CHUNKS_H
#define TMU_REF_CHUNKS_H

#include <stddef.h>

#include "tmu_model.h"

typedef struct ref_chunk_list {
    uint64_t on_chip;
    uint64_t reserve;
    uint64_t entries; /* in memory */
    uint8_t *live;    /* of each chunk, from `first` to `end`, oldest first */
    size_t first;
    size_t end;
    size_t room;
    uint32_t fill; /* slots of the youngest chunk that were used */
} ref_chunk_list_t;

typedef struct ref_chunks {
    ref_chunk_list_t (
        *lists)[2]; /* by endpoint and tmu_model_queue_t; NULL = no memory is registered */
    uint32_t endpoints;
    uint64_t table[2];    /* entries that each table takes */
    uint64_t taken[2];    /* on chip */
    uint64_t promised[2]; /* slots for endpoints within their reserves */
    uint64_t free;        /* chunks */
    uint64_t in_memory;   /* entries */
    uint32_t cursor;      /* the endpoint whose entries go back next */
    bool tight;           /* no list has neighbours that fit in one chunk */
} ref_chunks_t;

/* Lists without entries; false without memory. */
bool ref_chunks_create(ref_chunks_t *chunks, uint32_t endpoints, uint64_t posted_entries,
                       uint64_t unexpected_entries);
void ref_chunks_destroy(ref_chunks_t *chunks);
void ref_chunks_set_reserve(ref_chunks_t *chunks, uint32_t endpoint, uint64_t posted,
                            uint64_t unexpected);
/* So many chunks more. */
void ref_chunks_add(ref_chunks_t *chunks, uint64_t count);

/* Makes room for an entry of the queue if that can be; whether there is. */
bool ref_chunks_make_room(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue);
/* An entry more, for which there is room; false if the machine has no memory left. */
bool ref_chunks_append(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue);
/* The entry at this position, oldest = 0, has left. */
void ref_chunks_remove(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue,
                       uint64_t position);

#endif
