/* SPDX-License-Identifier: Apache-2.0 */
#include "traffic_class.h"

#include "lot.h"

static lot_t lot_of(uint64_t seed, unsigned direction, unsigned kind, uint64_t number, bool send) {
    uint64_t handle = traffic_handle(direction, kind, number);
    return lot_seeded(seed ^ (handle * 2 + send) * 0x9e3779b97f4a7c15u);
}

/* Some of no byte, many short ones, some of several packets. */
static uint32_t bytes_of(lot_t *lot, uint32_t payload_mtu) {
    switch (lot_below(lot, 8)) {
    case 0:
        return 0;
    case 1:
        return payload_mtu * lot_below(lot, 4);
    case 2:
        return lot_below(lot, 4 * payload_mtu);
    default:
        return 1 + lot_below(lot, 64);
    }
}

traffic_message_t traffic_message(uint64_t seed, unsigned direction, unsigned kind, uint64_t number,
                                  uint32_t payload_mtu) {
    lot_t lot = lot_of(seed, direction, kind, number, true);
    traffic_message_t message = {
        .endpoint = kind % TRAFFIC_ENDPOINTS,
        .source = 1 + kind / TRAFFIC_ENDPOINTS,
        .match = ((uint64_t)(kind + 1) << 32) | (lot_draw(&lot) & TRAFFIC_IGNORED),
        .bytes = bytes_of(&lot, payload_mtu),
        .has_header_data = lot_chance(&lot, 512),
    };
    message.header_data = message.has_header_data ? lot_draw(&lot) : 0;
    return message;
}

traffic_receive_t traffic_receive(uint64_t seed, unsigned direction, unsigned kind, uint64_t number,
                                  uint32_t payload_mtu) {
    lot_t lot = lot_of(seed, direction, kind, number, false);
    traffic_message_t message = traffic_message(seed, direction, kind, number, payload_mtu);
    traffic_receive_t receive = {
        .match = (uint64_t)(kind + 1) << 32,
        .source_ignore = lot_chance(&lot, 512) ? UINT32_MAX : 0,
        .bytes = message.bytes,
    };
    if (lot_chance(&lot, 128)) { /* too short: truncated (R12) */
        receive.bytes = lot_below(&lot, message.bytes + 1);
    } else if (lot_chance(&lot, 512)) {
        receive.bytes += lot_below(&lot, 64);
    }
    return receive;
}

uint8_t traffic_byte(unsigned direction, unsigned kind, uint64_t number, uint32_t at) {
    return (uint8_t)(number * 31 + kind * 17 + direction * 5 + (at >> 8) * 3 + at * 7);
}

uint64_t traffic_handle(unsigned direction, unsigned kind, uint64_t number) {
    return (number * TRAFFIC_CLASSES + kind) * 2 + direction;
}

void traffic_of_handle(uint64_t handle, unsigned *direction, unsigned *kind, uint64_t *number) {
    *direction = (unsigned)(handle % 2);
    *kind = (unsigned)(handle / 2 % TRAFFIC_CLASSES);
    *number = handle / 2 / TRAFFIC_CLASSES;
}
