/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fuzzy engine's operations, compiled once for each kind of processor.  Whoever includes this
 * has defined before:
 *   size_t scan_one(const uint16_t *column, size_t from, size_t end, uint16_t id)
 *   size_t scan_any(const uint16_t *column, size_t from, size_t end, const uint16_t *id,
 *                   unsigned count)
 *     the first index from `from` on and before `end` that holds the id (one of the ids),
 *     FUZZY_ABSENT if none does;
 *   void set_id(uint16_t *column, size_t index, uint16_t id)
 *   CORE_NAME, CORE_VARIANT, CORE_FUNCTION: what the table says, and the function that returns it.
 */
#include "fuzzy_queue.h"

/* So few entries are compared in full: that is quicker than to wait for the ids. */
#define SHORT_QUEUE 3

/* Kept out of the way of what happens most. */
#define APART __attribute__((noinline))
#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

static inline engine_verdict_t answer(engine_status_t status) {
    return (engine_verdict_t){.status = status};
}

static inline uint64_t length_of(const fuzzy_entry_t *entry) { return entry->length_pattern >> 8; }

static inline uint16_t handle_id(uint64_t handle) { return fuzzy_id(handle); }

/* R1 for a receive, under the masks it was posted with. */
static inline bool takes(const fuzzy_queue_t *queue, size_t index, const engine_key_t *message) {
    const fuzzy_entry_t *entry = &queue->entry[index];
    unsigned p = (unsigned)(entry->length_pattern & 0xff);
    const fuzzy_pattern_t *masks =
        LIKELY(p != FUZZY_NO_PATTERN) ? &queue->pattern[p] : &queue->mask[index];
    return ENGINE_KEY_EQUAL(*entry, *message, *masks);
}

/* R1 for a message, under the masks of the search. */
static inline bool fits(const fuzzy_entry_t *entry, const engine_key_t *key) {
    return ENGINE_KEY_EQUAL(*entry, *key, *key);
}

/* The ids that an arrival looks for: one per pattern that live receives have. */
static inline unsigned wanted_ids(const fuzzy_queue_t *queue, const engine_key_t *message,
                                  uint16_t id[FUZZY_PATTERNS + 1]) {
    unsigned count = 0;
    for (unsigned p = 0; p < queue->patterns; p++) {
        const fuzzy_pattern_t *pattern = &queue->pattern[p];
        if (pattern->live > 0) {
            id[count++] = fuzzy_id(ENGINE_KEY_MIXED(*message, *pattern));
        }
    }
    if (UNLIKELY(queue->unfiltered > 0)) {
        id[count++] = FUZZY_UNFILTERED;
    }
    return count;
}

/* R3 where receives of several patterns are queued. */
static APART size_t find_posted_of_many(engine_t *engine, const fuzzy_queue_t *queue,
                                        const engine_key_t *message) {
    uint16_t id[FUZZY_PATTERNS + 1];
    unsigned count = wanted_ids(queue, message, id);
    for (size_t from = queue->first;; from++) {
        from = scan_any(queue->column[FUZZY_KEYS], from, queue->end, id, count);
        if (from == FUZZY_ABSENT) {
            return FUZZY_ABSENT;
        }
        engine->verified += 1;
        if (LIKELY(takes(queue, from, message))) {
            return from;
        }
        engine->false_positives += 1;
    }
}

/* The only pattern that live receives have, FUZZY_NO_PATTERN if there are several. */
static inline unsigned only_pattern(const fuzzy_queue_t *queue) {
    for (unsigned p = 0; p < queue->patterns; p++) {
        if (queue->pattern[p].live == queue->live) {
            return p;
        }
    }
    return FUZZY_NO_PATTERN;
}

/* R3: the oldest receive that takes the message. */
static inline size_t find_posted(engine_t *engine, const fuzzy_queue_t *queue,
                                 const engine_key_t *message) {
    const uint16_t *column = queue->column[FUZZY_KEYS];
    if (queue->end - queue->first <= SHORT_QUEUE) {
        for (size_t i = queue->first; i < queue->end; i++) {
            if (column[i] != FUZZY_HOLE && takes(queue, i, message)) {
                return i;
            }
        }
        return FUZZY_ABSENT;
    }
    unsigned p = only_pattern(queue);
    if (UNLIKELY(p == FUZZY_NO_PATTERN)) {
        return find_posted_of_many(engine, queue, message);
    }
    const fuzzy_pattern_t *masks = &queue->pattern[p];
    uint16_t id = fuzzy_id(ENGINE_KEY_MIXED(*message, *masks));
    for (size_t from = queue->first;; from++) {
        from = scan_one(column, from, queue->end, id);
        if (from == FUZZY_ABSENT) {
            return FUZZY_ABSENT;
        }
        engine->verified += 1;
        if (LIKELY(takes(queue, from, message))) {
            return from;
        }
        engine->false_positives += 1;
    }
}

/* All messages in full: for a search whose pattern has no column. */
static APART size_t find_unfiltered(engine_t *engine, const fuzzy_queue_t *queue,
                                    const engine_key_t *key) {
    for (size_t i = queue->first; i < queue->end; i++) {
        if (queue->column[0][i] != FUZZY_HOLE) {
            engine->verified += 1;
            if (fits(&queue->entry[i], key)) {
                return i;
            }
        }
    }
    return FUZZY_ABSENT;
}

static inline unsigned column_of(fuzzy_queue_t *queue, const engine_key_t *key) {
    for (unsigned p = 0; p < queue->patterns; p++) {
        if (ENGINE_KEY_SAME_MASKS(queue->pattern[p], *key)) {
            return p;
        }
    }
    return fuzzy_add_column(queue, key);
}

/* R4: the oldest message that the search selects. */
static inline size_t find_unexpected(engine_t *engine, fuzzy_queue_t *queue,
                                     const engine_key_t *key) {
    if (queue->live == 0) {
        return FUZZY_ABSENT;
    }
    if (queue->end - queue->first <= SHORT_QUEUE) {
        return find_unfiltered(engine, queue, key);
    }
    unsigned p = column_of(queue, key);
    if (UNLIKELY(p == FUZZY_NO_PATTERN)) {
        return find_unfiltered(engine, queue, key);
    }
    uint16_t id = fuzzy_id(ENGINE_KEY_MIXED(*key, *key));
    for (size_t from = queue->first;; from++) {
        from = scan_one(queue->column[p], from, queue->end, id);
        if (from == FUZZY_ABSENT) {
            return FUZZY_ABSENT;
        }
        engine->verified += 1;
        if (LIKELY(fits(&queue->entry[from], key))) {
            return from;
        }
        engine->false_positives += 1;
    }
}

/* At either end nothing is written to the columns: what is outside is never looked at. */
static inline void consume(engine_t *engine, fuzzy_queue_t *queue, int side, size_t index) {
    engine->depth[side] -= 1;
    queue->live -= 1;
    if (queue->live == 0) {
        queue->first = queue->end = 0;
        if (side == FUZZY_UNEXPECTED) {
            queue->columns = queue->patterns = 1;
        }
    } else if (index == queue->first) {
        do {
            queue->first += 1;
        } while (queue->column[0][queue->first] == FUZZY_HOLE);
    } else if (index + 1 == queue->end) {
        do {
            queue->end -= 1;
        } while (queue->column[0][queue->end - 1] == FUZZY_HOLE);
    } else {
        for (unsigned c = 0; c < queue->columns; c++) {
            set_id(queue->column[c], index, FUZZY_HOLE);
        }
        if (UNLIKELY(queue->end - queue->first > queue->live + queue->live / 2 + FUZZY_LINE)) {
            fuzzy_compact(engine, queue);
        }
    }
}

static inline void consume_posted(engine_t *engine, fuzzy_queue_t *queue, size_t index) {
    unsigned p = (unsigned)(queue->entry[index].length_pattern & 0xff);
    if (LIKELY(p != FUZZY_NO_PATTERN)) {
        queue->pattern[p].live -= 1;
    } else {
        queue->unfiltered -= 1;
    }
    consume(engine, queue, FUZZY_POSTED, index);
}

static inline bool has_room(const engine_t *engine, const fuzzy_queue_t *queue, int side) {
    return queue->live < engine->quota[side] && engine->depth[side] < engine->capacity[side];
}

static inline void count_in(engine_t *engine, fuzzy_queue_t *queue, int side) {
    queue->end += 1;
    queue->live += 1;
    engine->depth[side] += 1;
    if (engine->depth_max[side] < engine->depth[side]) {
        engine->depth_max[side] = engine->depth[side];
    }
}

static inline engine_status_t append_posted(engine_t *engine, fuzzy_queue_t *queue,
                                            const engine_key_t *key, uint64_t handle,
                                            uint64_t length) {
    if (UNLIKELY(queue->end == queue->capacity) && !fuzzy_make_room(engine, queue)) {
        return ENGINE_NO_MEMORY;
    }
    size_t index = queue->end;
    unsigned p = 0;
    uint16_t id = FUZZY_UNFILTERED;
    if (ENGINE_KEY_IGNORES(*key)) {
        p = fuzzy_take_pattern(queue, key);
    }
    if (LIKELY(p != FUZZY_NO_PATTERN)) {
        id = fuzzy_id(ENGINE_KEY_MIXED(*key, *key));
        queue->pattern[p].live += 1;
    } else if (fuzzy_keep_masks(queue, key)) {
        queue->unfiltered += 1;
    } else {
        return ENGINE_NO_MEMORY;
    }
    queue->entry[index] = (fuzzy_entry_t){.handle = handle, .length_pattern = length << 8 | p};
    ENGINE_KEY_COPY_VALUES(queue->entry[index], *key);
    set_id(queue->column[FUZZY_KEYS], index, id);
    queue->column[FUZZY_HANDLES][index] = handle_id(handle);
    count_in(engine, queue, FUZZY_POSTED);
    return ENGINE_QUEUED;
}

static APART engine_status_t append_unexpected(engine_t *engine, fuzzy_queue_t *queue,
                                               const engine_key_t *message, uint64_t handle,
                                               uint64_t length) {
    if (UNLIKELY(queue->end == queue->capacity) && !fuzzy_make_room(engine, queue)) {
        return ENGINE_NO_MEMORY;
    }
    size_t index = queue->end;
    queue->entry[index] = (fuzzy_entry_t){.handle = handle, .length_pattern = length << 8};
    ENGINE_KEY_COPY_VALUES(queue->entry[index], *message);
    for (unsigned p = 0; p < queue->patterns; p++) {
        const fuzzy_pattern_t *pattern = &queue->pattern[p];
        set_id(queue->column[p], index, fuzzy_id(ENGINE_KEY_MIXED(*message, *pattern)));
    }
    count_in(engine, queue, FUZZY_UNEXPECTED);
    return ENGINE_QUEUED;
}

/* R5: the unexpected queue first. */
static engine_verdict_t post(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             uint64_t handle, uint64_t length) {
    if (UNLIKELY(endpoint >= engine->endpoints)) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    fuzzy_queue_t *queue = engine->endpoint[endpoint];
    size_t hit = find_unexpected(engine, &queue[FUZZY_UNEXPECTED], key);
    if (hit != FUZZY_ABSENT) {
        const fuzzy_entry_t *entry = &queue[FUZZY_UNEXPECTED].entry[hit];
        const engine_verdict_t verdict = {entry->handle, ENGINE_MATCHED, length_of(entry) > length};
        consume(engine, &queue[FUZZY_UNEXPECTED], FUZZY_UNEXPECTED, hit);
        return verdict;
    }
    if (!has_room(engine, &queue[FUZZY_POSTED], FUZZY_POSTED)) {
        return answer(ENGINE_REFUSED_QUOTA);
    }
    return answer(append_posted(engine, &queue[FUZZY_POSTED], key, handle, length));
}

/* R6: the posted queue first. */
static engine_verdict_t arrive(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                               uint64_t handle, uint64_t length) {
    if (UNLIKELY(endpoint >= engine->endpoints)) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    const engine_key_t message = *key; /* in registers, whatever is written */
    fuzzy_queue_t *queue = engine->endpoint[endpoint];
    size_t hit = find_posted(engine, &queue[FUZZY_POSTED], &message);
    if (LIKELY(hit != FUZZY_ABSENT)) {
        const fuzzy_entry_t *entry = &queue[FUZZY_POSTED].entry[hit];
        const engine_verdict_t verdict = {entry->handle, ENGINE_MATCHED, length > length_of(entry)};
        consume_posted(engine, &queue[FUZZY_POSTED], hit);
        return verdict;
    }
    if (!has_room(engine, &queue[FUZZY_UNEXPECTED], FUZZY_UNEXPECTED)) {
        return answer(ENGINE_STALLED);
    }
    return answer(append_unexpected(engine, &queue[FUZZY_UNEXPECTED], &message, handle, length));
}

/* R8, R9. */
static engine_verdict_t look(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                             bool take) {
    if (UNLIKELY(endpoint >= engine->endpoints)) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    fuzzy_queue_t *queue = &engine->endpoint[endpoint][FUZZY_UNEXPECTED];
    size_t hit = find_unexpected(engine, queue, key);
    if (hit == FUZZY_ABSENT) {
        return answer(ENGINE_NONE);
    }
    const engine_verdict_t verdict = {queue->entry[hit].handle,
                                      take ? ENGINE_MATCHED : ENGINE_FOUND, 0};
    if (take) {
        consume(engine, queue, FUZZY_UNEXPECTED, hit);
    }
    return verdict;
}

/* R10: by the ids of the handles. */
static engine_verdict_t cancel(engine_t *engine, uint32_t endpoint, uint64_t target) {
    if (UNLIKELY(endpoint >= engine->endpoints)) {
        return answer(ENGINE_REFUSED_ENDPOINT);
    }
    fuzzy_queue_t *queue = &engine->endpoint[endpoint][FUZZY_POSTED];
    if (queue->live == 0) {
        return answer(ENGINE_LATE);
    }
    for (size_t from = queue->first;; from++) {
        from = scan_one(queue->column[FUZZY_HANDLES], from, queue->end, handle_id(target));
        if (from == FUZZY_ABSENT) {
            return answer(ENGINE_LATE);
        }
        engine->verified += 1;
        if (queue->entry[from].handle == target) {
            consume_posted(engine, queue, from);
            return (engine_verdict_t){target, ENGINE_CANCELLED, 0};
        }
        engine->false_positives += 1;
    }
}

const engine_ops_t *CORE_FUNCTION(void) {
    static const engine_ops_t ops = {
        .name = CORE_NAME,
        .variant = CORE_VARIANT,
        .create = fuzzy_create,
        .destroy = fuzzy_destroy,
        .post = post,
        .arrive = arrive,
        .look = look,
        .cancel = cancel,
        .flush = fuzzy_flush,
        .admit = fuzzy_admit,
        .stats = fuzzy_stats,
    };
    return CORE_USABLE ? &ops : NULL;
}
