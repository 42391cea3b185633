/* SPDX-License-Identifier: Apache-2.0 */
#include "provider.h"

#include <stdlib.h>

#define FIRST_ROOM 256u

static bool grow(tfi_dones_t *dones) {
    const size_t room = dones->room == 0 ? FIRST_ROOM : 2 * dones->room;
    tfi_done_t *ring = malloc(room * sizeof *ring);
    if (!ring) {
        return false;
    }
    for (size_t i = 0; i < dones->count; ++i) {
        ring[i] = dones->ring[(dones->head + i) & (dones->room - 1)];
    }
    free(dones->ring);
    dones->ring = ring;
    dones->room = room;
    dones->head = 0;
    return true;
}

bool tfi_dones_add(tfi_dones_t *dones, const tfi_done_t *done) {
    if (dones->count == dones->room && !grow(dones)) {
        tfi_say("no memory for a completion: the program will miss one");
        return false;
    }
    dones->ring[(dones->head + dones->count++) & (dones->room - 1)] = *done;
    return true;
}

const tfi_done_t *tfi_dones_first(const tfi_dones_t *dones) {
    return dones->count != 0 ? &dones->ring[dones->head] : NULL;
}

void tfi_dones_drop(tfi_dones_t *dones) {
    dones->head = (dones->head + 1) & (dones->room - 1);
    --dones->count;
}
