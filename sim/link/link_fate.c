/* SPDX-License-Identifier: Apache-2.0 */
#include "link_fate.h"
#include "lot.h"

#include <stdio.h>

/* 53 bits: as many as a double tells apart below 1. */
static bool chance(lot_t *lot, double of) { return (double)(lot_draw(lot) >> 11) * 0x1p-53 < of; }

link_fate_t link_fate(const link_impairments_t *impairments, unsigned port, uint64_t number,
                      size_t bytes) {
    lot_t of_port = lot_seeded(impairments->seed);
    of_port.state ^= port;
    lot_t lot = lot_seeded(lot_draw(&of_port) ^ number);
    /* Everything is drawn always: one chance does not change what another one decides. */
    link_fate_t fate;
    fate.dropped = chance(&lot, impairments->drop);
    fate.duplicated = chance(&lot, impairments->duplicate);
    const bool reordered = chance(&lot, impairments->reorder);
    const unsigned passed = 1 + lot_below(&lot, LINK_PASSED_MAX);
    fate.passed = reordered ? passed : 0;
    fate.corrupted = chance(&lot, impairments->corrupt) && bytes > LINK_HEADER_BYTES;
    const uint32_t bits = bytes > LINK_HEADER_BYTES ? (uint32_t)(bytes - LINK_HEADER_BYTES) * 8 : 1;
    fate.corrupted_bit = LINK_HEADER_BYTES * 8 + lot_below(&lot, bits);
    return fate;
}

void link_fate_text(const link_fate_t *fate, char *text, size_t room) {
    char bit[32] = "";
    char passed[32] = "";
    if (fate->dropped) {
        (void)snprintf(text, room, "dropped");
        return;
    }
    if (fate->corrupted) {
        (void)snprintf(bit, sizeof bit, "bit %zu flipped ", fate->corrupted_bit);
    }
    if (fate->passed > 0) {
        (void)snprintf(passed, sizeof passed, "behind %u more ", fate->passed);
    }
    const int length =
        snprintf(text, room, "%s%s%s", bit, fate->duplicated ? "twice " : "", passed);
    if (length > 0 && (size_t)length < room) {
        text[length - 1] = '\0';
    }
}
