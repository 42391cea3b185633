/* SPDX-License-Identifier: Apache-2.0 */
#include "id_map.h"

#include <stdlib.h>

typedef struct {
    uint64_t id;
    size_t index; /* ID_MAP_NONE = free */
} slot_t;

struct id_map {
    size_t mask;
    slot_t *slots;
};

static size_t slot_of(const id_map_t *map, uint64_t id) {
    uint64_t hash = id * 0x9e3779b97f4a7c15u;
    return (size_t)(hash >> 20) & map->mask;
}

id_map_t *id_map_create(size_t count) {
    size_t size = 16;
    while (size < 2 * count) {
        size *= 2;
    }
    id_map_t *map = malloc(sizeof *map);
    slot_t *slots = malloc(size * sizeof *slots);
    if (!map || !slots) {
        free(map);
        free(slots);
        return NULL;
    }
    for (size_t i = 0; i < size; ++i) {
        slots[i].index = ID_MAP_NONE;
    }
    map->mask = size - 1;
    map->slots = slots;
    return map;
}

void id_map_destroy(id_map_t *map) {
    if (!map) {
        return;
    }
    free(map->slots);
    free(map);
}

void id_map_put(id_map_t *map, uint64_t id, size_t index) {
    size_t i = slot_of(map, id);
    while (map->slots[i].index != ID_MAP_NONE) {
        i = (i + 1) & map->mask;
    }
    map->slots[i] = (slot_t){id, index};
}

size_t id_map_get(const id_map_t *map, uint64_t id) {
    size_t i = slot_of(map, id);
    while (map->slots[i].index != ID_MAP_NONE && map->slots[i].id != id) {
        i = (i + 1) & map->mask;
    }
    return map->slots[i].index;
}
