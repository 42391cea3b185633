/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queue of the fuzzy engine.
 *
 * Entries stand in an array in age order.  Beside them stand columns of 16-bit filter ids, 32 to a
 * cache line, so that one AVX-512 compare asks 32 entries.  An id is a hash of the key bits that
 * are compared, all 16 bits of it, whatever is ignored: each set of ignored bits in use (a
 * *pattern*: exact, ANY_SOURCE, ANY_TAG, both, or any other) has ids of its own.
 *   posted receives: one column, each receive under its own pattern; an arrival looks for one id
 *     per pattern that is present.  A second column holds ids of the handles, for cancel.
 *   unexpected messages: one column per pattern that was searched for; a post looks in its own.
 * Keys without a pattern slot are compared in full; that is slow and right.
 * An entry consumed between others leaves the id 0, which no search looks for.  Holes at
 * either end are taken off at once, the others by rewriting the queue when they are more
 * than half of its live entries.
 */
#ifndef FUZZY_QUEUE_H
#define FUZZY_QUEUE_H

#include "engines.h"

#define FUZZY_PATTERNS 6   /* of a queue, exact included */
#define FUZZY_LINE 32      /* ids in a cache line */
#define FUZZY_HOLE 0u      /* id of a consumed entry */
#define FUZZY_UNFILTERED 1 /* id of a receive without a pattern slot: always a candidate */
#define FUZZY_NO_PATTERN 0xffu
#define FUZZY_ABSENT SIZE_MAX

/* Values for the full compare, half a cache line. */
typedef struct {
    uint64_t match;
    uint64_t handle;
    uint64_t length_pattern; /* length << 8 | pattern */
    uint32_t source;
    uint32_t unused;
} fuzzy_entry_t;

typedef struct {
    uint64_t ignore;
    uint32_t source_ignore;
    uint32_t live; /* posted receives of this pattern */
} fuzzy_pattern_t;

typedef struct {
    uint16_t *column[FUZZY_PATTERNS]; /* 64-byte aligned; NULL where not in use */
    fuzzy_entry_t *entry;
    size_t first; /* oldest live entry; 0 if there is none */
    size_t end;   /* after the youngest live entry */
    size_t live;
    size_t capacity; /* a multiple of FUZZY_LINE */
    unsigned columns;
    unsigned patterns;
    uint32_t unfiltered; /* live receives without a pattern slot */
    fuzzy_pattern_t pattern[FUZZY_PATTERNS];
    fuzzy_pattern_t *mask; /* of entries without a pattern slot; NULL until there is one */
} fuzzy_queue_t;

enum { FUZZY_POSTED, FUZZY_UNEXPECTED };
enum { FUZZY_KEYS, FUZZY_HANDLES }; /* columns of a posted queue */

struct engine {
    fuzzy_queue_t (*endpoint)[2];
    uint32_t endpoints;
    uint64_t quota[2];
    uint64_t capacity[2];
    uint64_t depth[2];
    uint64_t depth_max[2];
    uint64_t verified;
    uint64_t false_positives;
    uint64_t compactions;
};

engine_t *fuzzy_create(const engine_config_t *config);
void fuzzy_destroy(engine_t *engine);
engine_verdict_t fuzzy_flush(engine_t *engine, uint32_t endpoint, uint64_t removed_p[2]);
void fuzzy_admit(engine_t *engine, bool receives, bool messages);
void fuzzy_stats(const engine_t *engine, engine_stats_t *stats_p);

/* Makes room for one more entry at the end; false = no memory, nothing changed. */
bool fuzzy_make_room(engine_t *engine, fuzzy_queue_t *queue);

/* Rewrites the queue without its holes. */
void fuzzy_compact(engine_t *engine, fuzzy_queue_t *queue);

/* The slot of a posted receive's pattern, FUZZY_NO_PATTERN if all are taken by others. */
unsigned fuzzy_take_pattern(fuzzy_queue_t *queue, const engine_key_t *masks);

/* A column for searches of unexpected messages with this pattern; FUZZY_NO_PATTERN if there is no
 * slot or no memory left. */
unsigned fuzzy_add_column(fuzzy_queue_t *queue, const engine_key_t *masks);

/* Remembers the masks of the receive about to be appended; false = no memory. */
bool fuzzy_keep_masks(fuzzy_queue_t *queue, const engine_key_t *masks);

/* The 16-bit id of a key's ENGINE_KEY_MIXED, or of a handle, never FUZZY_HOLE or FUZZY_UNFILTERED.
 * Upper bits of a product depend on all bits below; two groups of them are folded so that no stride
 * of tags can keep one group still. */
static inline uint16_t fuzzy_id(uint64_t bits) {
    uint64_t mixed = bits * UINT64_C(0x9e3779b97f4a7c15);
    uint16_t id = (uint16_t)(mixed >> 48 ^ mixed >> 32);
    return id > FUZZY_UNFILTERED ? id : (uint16_t)(id + 2);
}

#endif
