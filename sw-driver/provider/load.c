/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Load of each peer: sends that the provider below has not written to its connection yet.
 * Without a bound a peer that does not read would cost memory without end: a send beyond the
 * bound is refused with -FI_EAGAIN, and only the sends to that peer are.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

#define LOAD_OPERATIONS 4096u
#define LOAD_BYTES (UINT64_C(4) << 20) /* of copies; what is sent from its buffer costs nothing */
#define FIRST_ROOM 64u

struct tfi_load {
    uint32_t operations;
    uint64_t bytes;
};

bool tfi_load_full(const tfi_loads_t *loads, const peer_t *to) {
    if (to->number >= loads->room) {
        return false;
    }
    const struct tfi_load *load = &loads->load[to->number];
    return load->operations >= LOAD_OPERATIONS || load->bytes >= LOAD_BYTES;
}

/* Room for the load of a number. */
static bool reach(tfi_loads_t *loads, uint32_t number) {
    if (number < loads->room) {
        return true;
    }
    size_t room = loads->room != 0 ? loads->room : FIRST_ROOM;
    while (room <= number) {
        room *= 2;
    }
    struct tfi_load *load = realloc(loads->load, room * sizeof *load);
    if (!load) {
        return false;
    }
    memset(load + loads->room, 0, (room - loads->room) * sizeof *load);
    *loads = (tfi_loads_t){load, room};
    return true;
}

bool tfi_load_add(tfi_loads_t *loads, const peer_t *to, size_t bytes) {
    if (!reach(loads, to->number)) {
        return false;
    }
    ++loads->load[to->number].operations;
    loads->load[to->number].bytes += bytes;
    return true;
}

void tfi_load_end(tfi_loads_t *loads, const peer_t *to, size_t bytes) {
    --loads->load[to->number].operations;
    loads->load[to->number].bytes -= bytes;
}

void tfi_load_free(tfi_loads_t *loads) {
    free(loads->load);
    *loads = (tfi_loads_t){0};
}
