/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzy engine's life and memory: all that is not on the path of every operation. */
#include "fuzzy_queue.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 128

static uint64_t limit(uint64_t number) { return number == 0 ? UINT64_MAX : number; }

static void free_queue(fuzzy_queue_t *queue) {
    for (unsigned c = 0; c < FUZZY_PATTERNS; c++) {
        free(queue->column[c]);
    }
    free(queue->entry);
    free(queue->mask);
}

void fuzzy_destroy(engine_t *engine) {
    if (!engine) {
        return;
    }
    for (uint32_t i = 0; engine->endpoint && i < engine->endpoints; i++) {
        free_queue(&engine->endpoint[i][FUZZY_POSTED]);
        free_queue(&engine->endpoint[i][FUZZY_UNEXPECTED]);
    }
    free(engine->endpoint);
    free(engine);
}

engine_t *fuzzy_create(const engine_config_t *config) {
    engine_t *engine = calloc(1, sizeof *engine);
    if (!engine) {
        return NULL;
    }
    engine->endpoints = config->endpoints;
    engine->endpoint = calloc(config->endpoints, sizeof *engine->endpoint);
    if (!engine->endpoint) {
        fuzzy_destroy(engine);
        return NULL;
    }
    /* Pattern 0 is the exact one: no bit ignored. */
    for (uint32_t i = 0; i < config->endpoints; i++) {
        engine->endpoint[i][FUZZY_POSTED].columns = 2;
        engine->endpoint[i][FUZZY_POSTED].patterns = 1;
        engine->endpoint[i][FUZZY_UNEXPECTED].columns = 1;
        engine->endpoint[i][FUZZY_UNEXPECTED].patterns = 1;
    }
    engine->quota[FUZZY_POSTED] = limit(config->quota_posted);
    engine->quota[FUZZY_UNEXPECTED] = limit(config->quota_unexpected);
    engine->capacity[FUZZY_POSTED] = limit(config->posted_capacity);
    engine->capacity[FUZZY_UNEXPECTED] = limit(config->unexpected_capacity);
    return engine;
}

/* A column of holes, NULL = no memory. */
static uint16_t *new_column(size_t capacity) {
    uint16_t *column = aligned_alloc(64, capacity * sizeof *column);
    if (column) {
        memset(column, 0, capacity * sizeof *column);
    }
    return column;
}

/* Moves every live entry of `queue` to the front of the arrays of `to`, which may be its own. */
static void move_live(const fuzzy_queue_t *queue, fuzzy_queue_t *to) {
    size_t index = 0;
    for (size_t i = queue->first; i < queue->end; i++) {
        if (queue->column[0][i] == FUZZY_HOLE) {
            continue;
        }
        for (unsigned c = 0; c < queue->columns; c++) {
            to->column[c][index] = queue->column[c][i];
        }
        to->entry[index] = queue->entry[i];
        if (queue->mask) {
            to->mask[index] = queue->mask[i];
        }
        index++;
    }
}

void fuzzy_compact(engine_t *engine, fuzzy_queue_t *queue) {
    move_live(queue, queue);
    queue->first = 0;
    queue->end = queue->live;
    engine->compactions += 1;
}

static bool grow(fuzzy_queue_t *queue) {
    fuzzy_queue_t wider = *queue;
    wider.capacity = queue->capacity == 0 ? FIRST_CAPACITY : 2 * queue->capacity;
    bool done = true;
    for (unsigned c = 0; c < FUZZY_PATTERNS; c++) {
        bool used = c < queue->columns;
        wider.column[c] = used ? new_column(wider.capacity) : NULL;
        done = done && (!used || wider.column[c]);
    }
    wider.entry = aligned_alloc(64, wider.capacity * sizeof *wider.entry);
    wider.mask = !queue->mask ? NULL : calloc(wider.capacity, sizeof *wider.mask);
    if (!done || !wider.entry || (queue->mask && !wider.mask)) {
        free_queue(&wider);
        return false;
    }
    move_live(queue, &wider);
    wider.first = 0;
    wider.end = queue->live;
    free_queue(queue);
    *queue = wider;
    return true;
}

bool fuzzy_make_room(engine_t *engine, fuzzy_queue_t *queue) {
    if (queue->live <= queue->capacity / 2 && queue->capacity > 0) {
        fuzzy_compact(engine, queue);
        return true;
    }
    return grow(queue);
}

unsigned fuzzy_take_pattern(fuzzy_queue_t *queue, const engine_key_t *masks) {
    unsigned vacant = queue->patterns;
    for (unsigned p = 0; p < queue->patterns; p++) {
        const fuzzy_pattern_t *pattern = &queue->pattern[p];
        if (ENGINE_KEY_SAME_MASKS(*pattern, *masks)) {
            return p;
        }
        if (pattern->live == 0 && p > 0) {
            vacant = p;
        }
    }
    if (vacant == FUZZY_PATTERNS) {
        return FUZZY_NO_PATTERN;
    }
    if (vacant == queue->patterns) {
        queue->patterns += 1;
    }
    queue->pattern[vacant] = (fuzzy_pattern_t){0};
    ENGINE_KEY_COPY_MASKS(queue->pattern[vacant], *masks);
    return vacant;
}

unsigned fuzzy_add_column(fuzzy_queue_t *queue, const engine_key_t *masks) {
    unsigned p = queue->patterns;
    if (p == FUZZY_PATTERNS) {
        return FUZZY_NO_PATTERN;
    }
    if (!queue->column[p]) {
        queue->column[p] = new_column(queue->capacity);
        if (!queue->column[p]) {
            return FUZZY_NO_PATTERN;
        }
    }
    for (size_t i = queue->first; i < queue->end; i++) {
        const fuzzy_entry_t *entry = &queue->entry[i];
        bool hole = queue->column[0][i] == FUZZY_HOLE;
        queue->column[p][i] = hole ? FUZZY_HOLE : fuzzy_id(ENGINE_KEY_MIXED(*entry, *masks));
    }
    queue->pattern[p] = (fuzzy_pattern_t){0};
    ENGINE_KEY_COPY_MASKS(queue->pattern[p], *masks);
    queue->patterns = queue->columns = p + 1;
    return p;
}

bool fuzzy_keep_masks(fuzzy_queue_t *queue, const engine_key_t *masks) {
    if (!queue->mask) {
        queue->mask = calloc(queue->capacity, sizeof *queue->mask);
        if (!queue->mask) {
            return false;
        }
    }
    queue->mask[queue->end] = (fuzzy_pattern_t){0};
    ENGINE_KEY_COPY_MASKS(queue->mask[queue->end], *masks);
    return true;
}

engine_verdict_t fuzzy_flush(engine_t *engine, uint32_t endpoint, uint64_t removed_p[2]) {
    removed_p[0] = removed_p[1] = 0;
    if (endpoint >= engine->endpoints) {
        return (engine_verdict_t){.status = ENGINE_REFUSED_ENDPOINT};
    }
    for (int side = 0; side < 2; side++) {
        fuzzy_queue_t *queue = &engine->endpoint[endpoint][side];
        removed_p[side] = queue->live;
        engine->depth[side] -= queue->live;
        queue->first = queue->end = queue->live = 0;
        queue->unfiltered = 0;
        for (unsigned p = 0; p < queue->patterns; p++) {
            queue->pattern[p].live = 0;
        }
    }
    return (engine_verdict_t){.status = ENGINE_FLUSHED};
}

void fuzzy_admit(engine_t *engine, bool receives, bool messages) {
    engine->capacity[FUZZY_POSTED] = receives ? UINT64_MAX : 0;
    engine->capacity[FUZZY_UNEXPECTED] = messages ? UINT64_MAX : 0;
}

void fuzzy_stats(const engine_t *engine, engine_stats_t *stats_p) {
    *stats_p = (engine_stats_t){
        .posted_max = engine->depth_max[FUZZY_POSTED],
        .unexpected_max = engine->depth_max[FUZZY_UNEXPECTED],
        .verified = engine->verified,
        .false_positives = engine->false_positives,
        .compactions = engine->compactions,
    };
}
