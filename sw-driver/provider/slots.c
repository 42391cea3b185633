/* SPDX-License-Identifier: Apache-2.0 */
#include "slots.h"

#include <stdlib.h>

#define FIRST_ROOM 256u
#define GENERATIONS 0x7fffffffu
#define NO_INDEX UINT32_MAX

struct slot {
    void *record; /* NULL = free */
    uint32_t generation;
    uint32_t next; /* free: the next free index */
};

static int grow(slots_t *slots) {
    const size_t room = slots->room == 0 ? FIRST_ROOM : 2 * slots->room;
    if (room >= NO_INDEX) {
        return -1;
    }
    struct slot *grown = realloc(slots->slot, room * sizeof *grown);
    if (!grown) {
        return -1;
    }
    for (size_t i = slots->room; i < room; ++i) {
        grown[i] = (struct slot){NULL, 0, i + 1 < room ? (uint32_t)(i + 1) : NO_INDEX};
    }
    slots->free = (uint32_t)slots->room;
    slots->slot = grown;
    slots->room = room;
    return 0;
}

uint64_t slots_take(slots_t *slots, void *record) {
    /* All taken is the same as the list of free ones being empty. */
    if (slots->used == slots->room && grow(slots) != 0) {
        return SLOTS_NONE;
    }
    const uint32_t index = slots->free;
    struct slot *slot = &slots->slot[index];
    slots->free = slot->next;
    ++slots->used;
    slot->record = record;
    return (uint64_t)slot->generation << 32 | index;
}

static struct slot *find(const slots_t *slots, uint64_t handle) {
    const uint64_t index = handle & UINT32_MAX;
    if (index >= slots->room) {
        return NULL;
    }
    struct slot *slot = &slots->slot[index];
    return slot->record && slot->generation == handle >> 32 ? slot : NULL;
}

void *slots_find(const slots_t *slots, uint64_t handle) {
    const struct slot *slot = find(slots, handle);
    return slot ? slot->record : NULL;
}

void slots_release(slots_t *slots, uint64_t handle) {
    struct slot *slot = find(slots, handle);
    if (!slot) {
        return;
    }
    slot->record = NULL;
    --slots->used;
    if (slot->generation == GENERATIONS) {
        /* The next handle here would be an old one: the slot stays out of use. */
        ++slots->used;
        return;
    }
    ++slot->generation;
    slot->next = slots->free;
    slots->free = (uint32_t)(slot - slots->slot);
}

void *slots_next(const slots_t *slots, size_t *at) {
    while (*at < slots->room) {
        void *record = slots->slot[(*at)++].record;
        if (record) {
            return record;
        }
    }
    return NULL;
}

void *slots_take_out(slots_t *slots) {
    size_t at = 0;
    void *record = slots_next(slots, &at);
    if (record) {
        slots_release(slots, (uint64_t)slots->slot[at - 1].generation << 32 | (at - 1));
    }
    return record;
}

void slots_free(slots_t *slots) {
    free(slots->slot);
    *slots = (slots_t){0};
}
