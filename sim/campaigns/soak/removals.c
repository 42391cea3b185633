/* SPDX-License-Identifier: Apache-2.0 */
#include "removals.h"

#include "tmu/tmu_regs.h"

#include <stdlib.h>

void removals_free(removals_t *removals) {
    free(removals->found);
    *removals = (removals_t){0};
}

bool removals_keep(removals_t *removals, const tmu_completion_t *found) {
    if (removals->count == removals->room) {
        const size_t room = removals->room == 0 ? 16 : 2 * removals->room;
        tmu_completion_t *grown = realloc(removals->found, room * sizeof *grown);
        if (!grown) {
            return false;
        }
        removals->found = grown;
        removals->room = room;
    }
    removals->found[removals->count++] = *found;
    return true;
}

void removals_tell(const removals_t *removals, uint64_t flush, ledger_t *ledger) {
    for (size_t i = 0; i < removals->count; i++) {
        if (removals->found[i].handle == flush) {
            ledger_take(ledger, &removals->found[i]);
        }
    }
}

bool removals_next_is(const removals_t *removals, uint64_t flush, size_t next[2],
                      const tmu_model_entry_t *entry) {
    const bool message = entry->queue == TMU_MODEL_UNEXPECTED;
    size_t i = next[message];
    while (i < removals->count &&
           (removals->found[i].unexpected != message || removals->found[i].handle != flush)) {
        i++;
    }
    next[message] = i + 1;
    if (i >= removals->count) {
        return false;
    }
    const tmu_completion_t *c = &removals->found[i];
    const uint64_t length = message ? c->message_length : c->receive_length;
    return c->other == entry->handle && TMU_KEY_SAME_VALUES(*c, entry->key) &&
           c->address == entry->address && length == entry->length;
}

size_t removals_forget(removals_t *removals, uint64_t flush) {
    const size_t before = removals->count;
    size_t left = 0;
    for (size_t i = 0; i < before; i++) {
        if (removals->found[i].handle != flush) {
            removals->found[left++] = removals->found[i];
        }
    }
    removals->count = left;
    return before - left;
}
