/* SPDX-License-Identifier: Apache-2.0 */
#include "rec_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static size_t home(const struct rec_table *table, const void *key) {
    uint64_t mixed = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) & (table->size - 1);
}

/* The slot that holds the key, or the free one where it would go. */
static struct rec_slot *locate(const struct rec_table *table, const void *key) {
    size_t at = home(table, key);
    while (table->slots[at].key && table->slots[at].key != key) {
        at = (at + 1) & (table->size - 1);
    }
    return &table->slots[at];
}

static void grow(struct rec_table *table) {
    struct rec_table wider = {.size = table->size ? table->size * 2 : 64, .used = table->used};
    wider.slots = calloc(wider.size, sizeof *wider.slots);
    if (!wider.slots) {
        fputs("tmu recorder: out of memory\n", stderr);
        abort();
    }
    for (size_t i = 0; i < table->size; i++) {
        if (table->slots[i].key) {
            *locate(&wider, table->slots[i].key) = table->slots[i];
        }
    }
    free(table->slots);
    *table = wider;
}

void *rec_table_get(const struct rec_table *table, const void *key) {
    return table->size && key ? locate(table, key)->value : NULL;
}

void rec_table_put(struct rec_table *table, const void *key, void *value) {
    if ((table->used + 1) * 2 > table->size) {
        grow(table);
    }
    struct rec_slot *slot = locate(table, key);
    table->used += !slot->key;
    *slot = (struct rec_slot){.key = key, .value = value};
}

void *rec_table_remove(struct rec_table *table, const void *key) {
    struct rec_slot *slot = table->size && key ? locate(table, key) : NULL;
    if (!slot || !slot->key) {
        return NULL;
    }
    void *value = slot->value;
    /* Close the hole, so that no later look-up stops at it. */
    size_t hole = (size_t)(slot - table->slots);
    size_t at = hole;
    for (;;) {
        at = (at + 1) & (table->size - 1);
        if (!table->slots[at].key) {
            break;
        }
        size_t wanted = home(table, table->slots[at].key);
        if (((at - wanted) & (table->size - 1)) >= ((at - hole) & (table->size - 1))) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole] = (struct rec_slot){0};
    table->used--;
    return value;
}
