/* SPDX-License-Identifier: Apache-2.0 */
#include "ref_entries.h"

#include <stdlib.h>

#define FIRST_ROOM 64

/* Slots that are kept for the endpoint as long as others want them. */
static uint64_t promise(const ref_list_t *list) {
    return list->depth < list->reserve ? list->reserve - list->depth : 0;
}

bool ref_entries_create(ref_entries_t *entries, const tmu_model_config_t *config) {
    *entries = (ref_entries_t){
        .free = REF_ENTRY_NONE,
        .endpoints = config->endpoints,
        .capacity = {config->posted_capacity, config->unexpected_capacity},
        .lists = calloc(config->endpoints, sizeof *entries->lists),
    };
    for (uint32_t e = 0; entries->lists && e < config->endpoints; e++) {
        for (int queue = 0; queue < 2; queue++) {
            entries->lists[e][queue] =
                (ref_list_t){.oldest = REF_ENTRY_NONE, .youngest = REF_ENTRY_NONE};
        }
    }
    return entries->lists;
}

void ref_entries_destroy(ref_entries_t *entries) {
    free(entries->slots);
    free(entries->lists);
    *entries = (ref_entries_t){0};
}

static bool grow(ref_entries_t *entries) {
    uint64_t room = entries->room ? 2 * entries->room : FIRST_ROOM;
    ref_entry_t *slots = realloc(entries->slots, room * sizeof *slots);
    if (!slots) {
        return false;
    }
    entries->slots = slots;
    while (entries->room < room) {
        ref_entries_free(entries, entries->room++);
    }
    return true;
}

uint64_t ref_entries_take(ref_entries_t *entries) {
    if (entries->free == REF_ENTRY_NONE && !grow(entries)) {
        return REF_ENTRY_NONE;
    }
    uint64_t slot = entries->free;
    entries->free = entries->slots[slot].younger;
    return slot;
}

void ref_entries_free(ref_entries_t *entries, uint64_t slot) {
    entries->slots[slot].younger = entries->free;
    entries->slots[slot].entry.endpoint = UINT32_MAX; /* nobody's */
    entries->free = slot;
}

/* Keeps the sums over all endpoints when a list's depth changes. */
static void change_depth(ref_entries_t *entries, ref_list_t *list, tmu_model_queue_t queue,
                         int change) {
    entries->promised[queue] -= promise(list);
    list->depth += (uint64_t)(int64_t)change;
    entries->promised[queue] += promise(list);
    entries->depths.now[queue] += (uint64_t)(int64_t)change;
    if (entries->depths.most[queue] < entries->depths.now[queue]) {
        entries->depths.most[queue] = entries->depths.now[queue];
    }
}

void ref_entries_append(ref_entries_t *entries, uint64_t slot, const tmu_model_entry_t *entry) {
    ref_list_t *list = &entries->lists[entry->endpoint][entry->queue];
    entries->slots[slot] =
        (ref_entry_t){.younger = REF_ENTRY_NONE, .older = list->youngest, .entry = *entry};
    if (list->youngest == REF_ENTRY_NONE) {
        list->oldest = slot;
    } else {
        entries->slots[list->youngest].younger = slot;
    }
    list->youngest = slot;
    change_depth(entries, list, entry->queue, 1);
}

/* An entry's position in its list, oldest = 0: from both ends, for most are near one of them. */
static uint64_t position_of(const ref_entries_t *entries, const ref_list_t *list, uint64_t slot) {
    uint64_t older = slot;
    uint64_t younger = slot;
    for (uint64_t steps = 0;; steps++) {
        if (entries->slots[older].older == REF_ENTRY_NONE) {
            return steps;
        }
        if (entries->slots[younger].younger == REF_ENTRY_NONE) {
            return list->depth - 1 - steps;
        }
        older = entries->slots[older].older;
        younger = entries->slots[younger].younger;
    }
}

tmu_model_entry_t ref_entries_remove(ref_entries_t *entries, uint64_t slot) {
    const ref_entry_t gone = entries->slots[slot];
    ref_list_t *list = &entries->lists[gone.entry.endpoint][gone.entry.queue];
    if (entries->registered) {
        entries->position = position_of(entries, list, slot);
    }
    if (gone.older == REF_ENTRY_NONE) {
        list->oldest = gone.younger;
    } else {
        entries->slots[gone.older].younger = gone.younger;
    }
    if (gone.younger == REF_ENTRY_NONE) {
        list->youngest = gone.older;
    } else {
        entries->slots[gone.younger].older = gone.older;
    }
    change_depth(entries, list, gone.entry.queue, -1);
    ref_entries_free(entries, slot);
    return gone.entry;
}

bool ref_entries_room(const ref_entries_t *entries, uint32_t endpoint, tmu_model_queue_t queue) {
    const ref_list_t *list = &entries->lists[endpoint][queue];
    uint64_t capacity = entries->capacity[queue];
    uint64_t used = entries->depths.now[queue];
    if (list->quota != 0 && list->depth >= list->quota) {
        return false;
    }
    if (entries->full[queue]) {
        return false;
    }
    if (capacity == 0) {
        return true;
    }
    if (used >= capacity) {
        return false;
    }
    return list->depth < list->reserve || capacity - used > entries->promised[queue];
}

void ref_entries_set_quota(ref_entries_t *entries, uint32_t endpoint, uint64_t posted,
                           uint64_t unexpected) {
    entries->lists[endpoint][TMU_MODEL_POSTED].quota = posted;
    entries->lists[endpoint][TMU_MODEL_UNEXPECTED].quota = unexpected;
}

void ref_entries_set_reserve(ref_entries_t *entries, uint32_t endpoint, uint64_t posted,
                             uint64_t unexpected) {
    const uint64_t reserves[2] = {posted, unexpected};
    for (int queue = 0; queue < 2; queue++) {
        ref_list_t *list = &entries->lists[endpoint][queue];
        entries->promised[queue] -= promise(list);
        list->reserve = reserves[queue];
        entries->promised[queue] += promise(list);
    }
}

uint64_t ref_entries_receive(const ref_entries_t *entries, uint32_t endpoint, uint32_t receive_id) {
    uint64_t slot = entries->lists[endpoint][TMU_MODEL_POSTED].oldest;
    if (receive_id == TMU_MODEL_NO_RECEIVE_ID) {
        return REF_ENTRY_NONE;
    }
    while (slot != REF_ENTRY_NONE && entries->slots[slot].entry.receive_id != receive_id) {
        slot = entries->slots[slot].younger;
    }
    return slot;
}
