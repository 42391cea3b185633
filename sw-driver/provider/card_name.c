/* SPDX-License-Identifier: Apache-2.0 */
/* Names of endpoints on a card, and the header data of their messages. */
#include "card_name.h"

#define READY (UINT64_C(1) << 63)
#define HAS_DATA (UINT64_C(1) << 62)
#define LENGTH_SHIFT 32u

static void put(uint8_t *bytes, uint32_t value, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
        bytes[i] = (uint8_t)(value >> 8 * (count - 1 - i));
    }
}

static uint32_t get(const uint8_t *bytes, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) {
        value = value << 8 | bytes[i];
    }
    return value;
}

void card_name_encode(const card_name_t *name, uint8_t bytes[static CARD_NAME]) {
    put(bytes, name->address, 4);
    put(bytes + 4, CARD_JOB, 4);
    put(bytes + 8, CARD_PID, 2);
    put(bytes + 10, name->index, 2);
    put(bytes + 12, name->initiator, 4);
}

card_name_t card_name_decode(const uint8_t bytes[static CARD_NAME]) {
    return (card_name_t){.address = get(bytes, 4),
                         .index = (uint16_t)get(bytes + 10, 2),
                         .initiator = get(bytes + 12, 4)};
}

card_name_t card_name_of(const network_t *network, uint32_t initiator) {
    return (card_name_t){
        .address = (network->address & network->mask) | initiator >> CARD_ENDPOINT_BITS,
        .index = (uint16_t)(initiator & ((1u << CARD_ENDPOINT_BITS) - 1)),
        .initiator = initiator,
    };
}

card_name_t card_name_own(const network_t *network, uint32_t endpoint) {
    const uint32_t host = network->address & ~network->mask;
    return card_name_of(network, host << CARD_ENDPOINT_BITS | endpoint);
}

uint64_t card_header_encode(const card_header_t *header) {
    return (header->ready ? READY : 0) | (header->has_data ? HAS_DATA | header->data : 0) |
           (uint64_t)header->length << LENGTH_SHIFT;
}

card_header_t card_header_decode(uint64_t bits) {
    return (card_header_t){
        .ready = (bits & READY) != 0,
        .has_data = (bits & HAS_DATA) != 0,
        .data = (uint32_t)bits,
        .length = (uint32_t)(bits >> LENGTH_SHIFT) & ((1u << CARD_LENGTH_BITS) - 1),
    };
}
