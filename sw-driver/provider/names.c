/* SPDX-License-Identifier: Apache-2.0 */
#include "names.h"

#include "wire.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 64u

struct name {
    uint8_t bytes[WIRE_NAME];
    uint32_t index;  /* NAMES_UNKNOWN: removed */
    uint32_t length; /* 0: never used */
};

static size_t hash(const uint8_t *name, size_t length) {
    uint64_t sum = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; ++i)
        sum = (sum ^ name[i]) * 0x100000001b3u;
    return (size_t)(sum ^ sum >> 32);
}

/* The name's place, or the unused one where a search for it ends; there always is one. */
static struct name *place(const names_t *names, const uint8_t *name, size_t length) {
    size_t at = hash(name, length);
    for (;; ++at) {
        struct name *found = &names->name[at & (names->room - 1)];
        if (found->length == 0)
            return found;
        if (found->index != NAMES_UNKNOWN && found->length == length &&
            memcmp(found->bytes, name, length) == 0)
            return found;
    }
}

static void enter(names_t *names, const uint8_t *name, size_t length, uint32_t index) {
    struct name *found = place(names, name, length);
    if (found->length != 0)
        return;
    memcpy(found->bytes, name, length);
    found->length = (uint32_t)length;
    found->index = index;
    ++names->used;
}

/* Room for one more, without the removed ones; at most half of the places are used. */
static int make_room(names_t *names) {
    if (2 * (names->used + 1) <= names->room)
        return 0;
    size_t kept = 0;
    for (size_t i = 0; i < names->room; ++i)
        kept += names->name[i].length != 0 && names->name[i].index != NAMES_UNKNOWN;
    size_t room = FIRST_ROOM;
    while (room < 4 * (kept + 1))
        room *= 2;
    names_t grown = {.name = calloc(room, sizeof *grown.name), .room = room};
    if (grown.name == NULL)
        return -1;
    for (size_t i = 0; i < names->room; ++i) {
        const struct name *old = &names->name[i];
        if (old->length != 0 && old->index != NAMES_UNKNOWN)
            enter(&grown, old->bytes, old->length, old->index);
    }
    free(names->name);
    *names = grown;
    return 0;
}

int names_put(names_t *names, const uint8_t *name, size_t length, uint32_t index) {
    if (length == 0 || length > WIRE_NAME || make_room(names) != 0)
        return -1;
    enter(names, name, length, index);
    return 0;
}

uint32_t names_get(const names_t *names, const uint8_t *name, size_t length) {
    if (names->room == 0 || length == 0)
        return NAMES_UNKNOWN;
    const struct name *found = place(names, name, length);
    return found->length == 0 ? NAMES_UNKNOWN : found->index;
}

void names_remove(names_t *names, uint32_t index) {
    for (size_t i = 0; i < names->room; ++i)
        if (names->name[i].length != 0 && names->name[i].index == index)
            names->name[i].index = NAMES_UNKNOWN;
}

void names_free(names_t *names) {
    free(names->name);
    *names = (names_t){0};
}
