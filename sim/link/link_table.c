/* SPDX-License-Identifier: Apache-2.0 */
#include "link_table.h"

#include <stdbool.h>
#include <stddef.h>

#define GROUP_BIT (UINT64_C(1) << 40) /* lowest bit of the first byte */

uint64_t link_table_address(const uint8_t *bytes) {
    uint64_t address = 0;
    for (unsigned byte = 0; byte < 6; byte++) {
        address = address << 8 | bytes[byte];
    }
    return address;
}

static unsigned set_of(uint64_t address) {
    return (unsigned)((address * 0x9e3779b97f4a7c15u) >> 32) % LINK_TABLE_SETS;
}

static bool is_fresh(const link_station_t *station, uint64_t now_ns) {
    return station->address != 0 && now_ns - station->heard_ns < LINK_TABLE_AGE_NS;
}

void link_table_learn(link_table_t *table, uint64_t address, uint32_t port, uint64_t now_ns) {
    if (address == 0 || (address & GROUP_BIT)) {
        return;
    }
    link_station_t *set = table->station[set_of(address)];
    link_station_t *chosen = &set[0];
    for (unsigned slot = 0; slot < LINK_TABLE_SLOTS; slot++) {
        if (set[slot].address == address) {
            chosen = &set[slot];
            break;
        }
        if (chosen->address != 0 &&
            (set[slot].address == 0 || set[slot].heard_ns < chosen->heard_ns)) {
            chosen = &set[slot];
        }
    }
    *chosen = (link_station_t){.address = address, .heard_ns = now_ns, .port = port};
}

uint32_t link_table_find(const link_table_t *table, uint64_t address, uint64_t now_ns) {
    const link_station_t *set = table->station[set_of(address)];
    for (unsigned slot = 0; slot < LINK_TABLE_SLOTS; slot++) {
        if (set[slot].address == address && is_fresh(&set[slot], now_ns)) {
            return set[slot].port;
        }
    }
    return LINK_NO_PORT;
}

void link_table_forget(link_table_t *table, uint32_t port) {
    for (unsigned set = 0; set < LINK_TABLE_SETS; set++) {
        for (unsigned slot = 0; slot < LINK_TABLE_SLOTS; slot++) {
            if (table->station[set][slot].port == port) {
                table->station[set][slot].address = 0;
            }
        }
    }
}
