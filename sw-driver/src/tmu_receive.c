/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_receive.h"

#include <stdlib.h>

#define NO_SLOT UINT32_MAX

static uint32_t index_of(tmu_receive_id_t id) { return (uint32_t)id; }

static tmu_receive_id_t id_of(const tmu_receives_t *receives, uint32_t index) {
    return (uint64_t)receives->slots[index].generation << 32 | index;
}

/** The slot that the id names, or NULL when the id is stale or no id at all. */
static tmu_receive_slot_t *slot_of(const tmu_receives_t *receives, tmu_receive_id_t id) {
    uint32_t index = index_of(id);
    if (index >= receives->count) {
        return NULL;
    }
    tmu_receive_slot_t *slot = &receives->slots[index];
    return slot->used && slot->generation == (uint32_t)(id >> 32) ? slot : NULL;
}

static void slot_release(tmu_receives_t *receives, uint32_t index) {
    tmu_receive_slot_t *slot = &receives->slots[index];
    slot->used = false;
    slot->generation++;
    slot->next_free = NO_SLOT;
    if (receives->free_last == NO_SLOT) {
        receives->free_first = index;
    } else {
        receives->slots[receives->free_last].next_free = index;
    }
    receives->free_last = index;
}

void tmu_receives_init(tmu_receives_t *receives, uint32_t id_bits, uint32_t handle_bits) {
    *receives = (tmu_receives_t){
        .limit = (uint32_t)((UINT64_C(1) << id_bits) - 1),
        .free_first = NO_SLOT,
        .free_last = NO_SLOT,
        .handle_mask = handle_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << handle_bits) - 1,
    };
}

void tmu_receives_free(tmu_receives_t *receives) {
    free(receives->slots);
    receives->slots = NULL;
    receives->count = 0;
}

void tmu_receives_clear(tmu_receives_t *receives) {
    for (uint32_t i = 0; i < receives->count; i++) {
        tmu_receive_slot_t *slot = &receives->slots[i];
        if (slot->used) {
            slot->live = false;
            slot->cancels = 0;
            slot_release(receives, i);
        }
    }
}

/** Appends free slots; doubling keeps the cost of a post constant on average. */
static tmu_result_t receives_grow(tmu_receives_t *receives) {
    uint32_t old_count = receives->count;
    uint32_t count = old_count ? old_count : 64;
    if (old_count == receives->limit) {
        return TMU_AGAIN;
    }
    count = count > receives->limit - old_count ? receives->limit : old_count + count;
    tmu_receive_slot_t *slots = realloc(receives->slots, count * sizeof *slots);
    if (!slots) {
        return TMU_ERR_MEMORY;
    }
    receives->slots = slots;
    receives->count = count;
    for (uint32_t i = old_count; i < count; i++) {
        slots[i] = (tmu_receive_slot_t){.generation = 0};
        slot_release(receives, i);
    }
    return TMU_OK;
}

tmu_result_t tmu_receive_begin(tmu_receives_t *receives, uint32_t endpoint, uint64_t handle,
                               tmu_receive_id_t *id_p) {
    if (receives->free_first == NO_SLOT) {
        tmu_result_t result = receives_grow(receives);
        if (result != TMU_OK) {
            return result;
        }
    }
    uint32_t index = receives->free_first;
    tmu_receive_slot_t *slot = &receives->slots[index];
    receives->free_first = slot->next_free;
    if (receives->free_first == NO_SLOT) {
        receives->free_last = NO_SLOT;
    }
    slot->handle = handle;
    slot->endpoint = endpoint;
    slot->cancels = 0;
    slot->live = true;
    slot->used = true;
    *id_p = id_of(receives, index);
    return TMU_OK;
}

void tmu_receive_end(tmu_receives_t *receives, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = slot_of(receives, id);
    if (!slot || !slot->live) {
        return;
    }
    slot->live = false;
    if (slot->cancels == 0) {
        slot_release(receives, index_of(id));
    }
}

bool tmu_receive_find(const tmu_receives_t *receives, uint64_t unit_handle, tmu_receive_id_t *id_p,
                      uint64_t *handle_p) {
    uint32_t index = index_of(unit_handle);
    if (index >= receives->count || !receives->slots[index].live) {
        return false;
    }
    tmu_receive_id_t id = id_of(receives, index);
    if (tmu_receive_unit_handle(receives, id) != unit_handle) {
        return false;
    }
    *id_p = id;
    *handle_p = receives->slots[index].handle;
    return true;
}

uint64_t tmu_receive_unit_handle(const tmu_receives_t *receives, tmu_receive_id_t id) {
    return id & receives->handle_mask;
}

uint32_t tmu_receive_index(const tmu_receives_t *receives, tmu_receive_id_t id) {
    return id == TMU_RECEIVE_NONE ? receives->limit : index_of(id);
}

tmu_receive_id_t tmu_receive_pin(tmu_receives_t *receives, uint32_t endpoint, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = slot_of(receives, id);
    if (!slot || !slot->live || slot->endpoint != endpoint) {
        return TMU_RECEIVE_NONE;
    }
    slot->cancels++;
    return id;
}

void tmu_receive_unpin(tmu_receives_t *receives, tmu_receive_id_t id) {
    tmu_receive_slot_t *slot = slot_of(receives, id);
    if (slot && slot->cancels > 0 && --slot->cancels == 0 && !slot->live) {
        slot_release(receives, index_of(id));
    }
}
