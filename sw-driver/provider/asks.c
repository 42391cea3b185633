/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The receives of an endpoint that are not reported yet, by their contexts, for cancel: programs
 * have thousands of them, and look for one with the lock of all endpoints held.
 */
#include "provider.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

static tfi_chain_t *chain_of(tfi_asks_t *asks, const void *context) {
    if (asks->room == 0) {
        return &asks->first;
    }
    const uint64_t mixed = ((uintptr_t)context >> 3) * UINT64_C(0x9e3779b97f4a7c15);
    return &asks->chain[(mixed >> 32) & (asks->room - 1)];
}

static void append(tfi_chain_t *chain, tfi_ask_t *ask) {
    ask->younger = NULL;
    ask->older = chain->youngest;
    if (ask->older) {
        ask->older->younger = ask;
    } else {
        chain->oldest = ask;
    }
    chain->youngest = ask;
}

static void move(tfi_asks_t *to, const tfi_chain_t *from) {
    for (tfi_ask_t *ask = from->oldest; ask;) {
        tfi_ask_t *younger = ask->younger;
        append(chain_of(to, ask->context), ask);
        ask = younger;
    }
}

/* Without memory the chains only get longer.  Those of one context stay in order. */
static void make_room(tfi_asks_t *asks) {
    if (asks->count <= 2 * asks->room) {
        return;
    }
    tfi_asks_t grown = {.room = asks->room == 0 ? FIRST_ROOM : 4 * asks->room,
                        .count = asks->count};
    grown.chain = calloc(grown.room, sizeof *grown.chain);
    if (!grown.chain) {
        return;
    }
    move(&grown, &asks->first);
    for (size_t i = 0; i < asks->room; ++i) {
        move(&grown, &asks->chain[i]);
    }
    free(asks->chain);
    *asks = grown;
}

void tfi_enlist(tfi_ep_t *ep, tfi_ask_t *ask) {
    ++ep->receives.count;
    make_room(&ep->receives);
    append(chain_of(&ep->receives, ask->context), ask);
}

void tfi_delist(tfi_ep_t *ep, tfi_ask_t *ask) {
    tfi_chain_t *chain = chain_of(&ep->receives, ask->context);
    if (ask->older) {
        ask->older->younger = ask->younger;
    } else {
        chain->oldest = ask->younger;
    }
    if (ask->younger) {
        ask->younger->older = ask->older;
    } else {
        chain->youngest = ask->older;
    }
    --ep->receives.count;
}

tfi_ask_t *tfi_find_ask(tfi_ep_t *ep, const void *context) {
    tfi_ask_t *ask = chain_of(&ep->receives, context)->oldest;
    while (ask && (ask->context != context || ask->matched)) {
        ask = ask->younger;
    }
    return ask;
}

void tfi_asks_free(tfi_ep_t *ep) {
    free(ep->receives.chain);
    ep->receives = (tfi_asks_t){0};
}
