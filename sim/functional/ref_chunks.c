/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_chunks.h"

#include <stdlib.h>
#include <string.h>

#include "tmu/tmu_regs.h"

#define SLOTS TMU_SPILL_CHUNK_ENTRIES

bool ref_chunks_create(ref_chunks_t *chunks, uint32_t endpoints, uint64_t posted_entries,
                       uint64_t unexpected_entries) {
    *chunks = (ref_chunks_t){
        .lists = calloc(endpoints, sizeof *chunks->lists),
        .endpoints = endpoints,
        .table = {posted_entries, unexpected_entries},
    };
    return chunks->lists;
}

void ref_chunks_destroy(ref_chunks_t *chunks) {
    for (uint32_t e = 0; chunks->lists && e < chunks->endpoints; e++) {
        free(chunks->lists[e][0].live);
        free(chunks->lists[e][1].live);
    }
    free(chunks->lists);
    *chunks = (ref_chunks_t){0};
}

void ref_chunks_add(ref_chunks_t *chunks, uint64_t count) {
    chunks->free += count;
    chunks->tight = false;
}

static uint64_t promise(const ref_chunk_list_t *list) {
    return list->on_chip < list->reserve ? list->reserve - list->on_chip : 0;
}

void ref_chunks_set_reserve(ref_chunks_t *chunks, uint32_t endpoint, uint64_t posted,
                            uint64_t unexpected) {
    const uint64_t reserves[2] = {posted, unexpected};
    for (int queue = 0; queue < 2; queue++) {
        ref_chunk_list_t *list = &chunks->lists[endpoint][queue];
        chunks->promised[queue] -= promise(list);
        list->reserve = reserves[queue];
        chunks->promised[queue] += promise(list);
    }
}

/* The same rule as without memory (R11, R13). */
static bool on_chip_room(const ref_chunks_t *chunks, const ref_chunk_list_t *list,
                         tmu_model_queue_t queue) {
    const uint64_t all = chunks->table[queue];
    const uint64_t taken = chunks->taken[queue];
    return taken < all && (list->on_chip < list->reserve || all - taken > chunks->promised[queue]);
}

static void change_on_chip(ref_chunks_t *chunks, ref_chunk_list_t *list, tmu_model_queue_t queue,
                           int change) {
    chunks->promised[queue] -= promise(list);
    list->on_chip += (uint64_t)(int64_t)change;
    chunks->promised[queue] += promise(list);
    chunks->taken[queue] += (uint64_t)(int64_t)change;
}

static size_t count(const ref_chunk_list_t *list) { return list->end - list->first; }

static bool tail_takes_one(const ref_chunk_list_t *list) {
    return count(list) > 0 && list->fill < SLOTS;
}

/* An entry has left a chunk: the last of its entries frees it, wherever it is in the list. */
static void leave(ref_chunks_t *chunks, ref_chunk_list_t *list, size_t chunk) {
    list->entries--;
    chunks->in_memory--;
    chunks->tight = false;
    if (--list->live[chunk] > 0) {
        return;
    }
    if (chunk == list->end - 1) {
        list->fill = SLOTS; /* that of the chunk before, if there is one */
    }
    if (chunk == list->first) {
        list->first++;
    } else {
        memmove(&list->live[chunk], &list->live[chunk + 1], list->end - chunk - 1);
        list->end--;
    }
    chunks->free++;
}

/* The oldest in memory goes back to its table, which has room. */
static void go_back(ref_chunks_t *chunks, ref_chunk_list_t *list, tmu_model_queue_t queue) {
    leave(chunks, list, list->first);
    change_on_chip(chunks, list, queue, 1);
}

/* Neighbours whose entries fit in one chunk become one. */
static bool pack(ref_chunks_t *chunks, ref_chunk_list_t *list) {
    bool frees = false;
    size_t to = list->first;
    for (size_t from = list->first + 1; from < list->end; from++) {
        const bool last = from == list->end - 1;
        if (list->live[to] + list->live[from] > SLOTS) {
            list->live[++to] = list->live[from];
            continue;
        }
        list->live[to] = (uint8_t)(list->live[to] + list->live[from]);
        list->fill = last ? list->live[to] : list->fill;
        chunks->free++;
        frees = true;
    }
    list->end = count(list) > 0 ? to + 1 : list->end;
    return frees;
}

/* All lists from the given one on, until a chunk is free. */
static bool pack_all(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue) {
    for (uint64_t i = 0; !chunks->tight && i < 2 * (uint64_t)chunks->endpoints; i++) {
        const uint32_t e = (uint32_t)((endpoint + i / 2) % chunks->endpoints);
        if (pack(chunks, &chunks->lists[e][(queue + i) % 2])) {
            return true;
        }
    }
    chunks->tight = true;
    return false;
}

bool ref_chunks_make_room(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue) {
    ref_chunk_list_t *list = &chunks->lists[endpoint][queue];
    const bool spilling = list->entries > 0 || chunks->lists[endpoint][1 - queue].entries > 0;
    if ((!spilling && on_chip_room(chunks, list, queue)) || tail_takes_one(list) ||
        chunks->free > 0 || pack_all(chunks, endpoint, queue)) {
        return true;
    }
    if (count(list) > 0 && list->live[list->end - 1] < SLOTS) {
        list->fill = list->live[list->end - 1];
        return true;
    }
    while (list->entries > 0 && on_chip_room(chunks, list, queue)) {
        go_back(chunks, list, queue);
    }
    return chunks->free > 0 || (list->entries == 0 && on_chip_room(chunks, list, queue));
}

static bool new_chunk(ref_chunks_t *chunks, ref_chunk_list_t *list) {
    if (list->first > 0 && list->end == list->room) {
        memmove(list->live, list->live + list->first, count(list));
        list->end -= list->first;
        list->first = 0;
    }
    if (list->end == list->room) {
        const size_t room = list->room == 0 ? 16 : 2 * list->room;
        uint8_t *grown = realloc(list->live, room);
        if (!grown) {
            return false;
        }
        list->live = grown;
        list->room = room;
    }
    list->live[list->end++] = 0;
    list->fill = 0;
    chunks->free--;
    return true;
}

/* Takes the oldest back while the table has room, of one endpoint after the other. */
static void refill(ref_chunks_t *chunks, tmu_model_queue_t queue) {
    for (uint32_t i = 0; chunks->in_memory > 0 && i < chunks->endpoints; i++) {
        ref_chunk_list_t *list = &chunks->lists[chunks->cursor][queue];
        while (list->entries > 0 && on_chip_room(chunks, list, queue)) {
            go_back(chunks, list, queue);
        }
        chunks->cursor = (chunks->cursor + 1) % chunks->endpoints;
    }
}

bool ref_chunks_append(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue) {
    ref_chunk_list_t *list = &chunks->lists[endpoint][queue];
    const bool spilling = list->entries > 0 || chunks->lists[endpoint][1 - queue].entries > 0;
    const bool room = list->entries == 0 && on_chip_room(chunks, list, queue);
    if (room && (!spilling || chunks->free == 0)) {
        change_on_chip(chunks, list, queue, 1);
        return true;
    }
    if (!tail_takes_one(list) && !new_chunk(chunks, list)) {
        return false;
    }
    list->live[list->end - 1]++;
    list->fill++;
    list->entries++;
    chunks->in_memory++;
    refill(chunks, queue);
    return true;
}

void ref_chunks_remove(ref_chunks_t *chunks, uint32_t endpoint, tmu_model_queue_t queue,
                       uint64_t position) {
    ref_chunk_list_t *list = &chunks->lists[endpoint][queue];
    if (position < list->on_chip) {
        change_on_chip(chunks, list, queue, -1);
        refill(chunks, queue);
        return;
    }
    position -= list->on_chip;
    size_t chunk = list->first;
    while (position >= list->live[chunk]) {
        position -= list->live[chunk++];
    }
    leave(chunks, list, chunk);
}
