/* SPDX-License-Identifier: Apache-2.0 */
#include "wire.h"

#include <string.h>

/* Byte offsets of the header. */
enum {
    AT_VERSION = 0,
    AT_KIND = 1,
    AT_FLAGS = 2,
    AT_NAME_LENGTH = 3,
    AT_ZERO = 4, /* four bytes, 0 in this version */
    AT_TAG = 8,
    AT_DATA = 16,
    AT_LENGTH = 24,
    AT_SENDER = 32,
    AT_ZERO_TOO = 40, /* eight bytes, likewise */
    AT_NAME = 48,
};

_Static_assert(AT_NAME + WIRE_NAME == WIRE_HEADER, "the name ends the header");

#define HAS_DATA 1u
#define UNTAGGED 2u

static uint64_t little(uint64_t value) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return value;
#else
    return __builtin_bswap64(value);
#endif
}

static void put(uint8_t *bytes, uint64_t value) {
    const uint64_t word = little(value);
    memcpy(bytes, &word, sizeof word);
}

static uint64_t get(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return little(word);
}

void wire_encode(const wire_frame_t *frame, uint8_t bytes[static WIRE_HEADER]) {
    memset(bytes, 0, WIRE_HEADER);
    bytes[AT_VERSION] = WIRE_VERSION;
    bytes[AT_KIND] = (uint8_t)frame->kind;
    bytes[AT_FLAGS] =
        (uint8_t)((frame->has_data ? HAS_DATA : 0u) | (frame->untagged ? UNTAGGED : 0u));
    bytes[AT_NAME_LENGTH] = frame->name_length;
    put(bytes + AT_TAG, frame->tag);
    put(bytes + AT_DATA, frame->data);
    put(bytes + AT_LENGTH, frame->length);
    put(bytes + AT_SENDER, frame->sender);
    memcpy(bytes + AT_NAME, frame->name, frame->name_length);
}

const char *wire_decode(const uint8_t *bytes, size_t size, wire_frame_t *frame_p) {
    if (size < WIRE_HEADER) {
        return "a frame is shorter than its header";
    }
    if (bytes[AT_VERSION] != WIRE_VERSION) {
        return "a frame is of another version: every process needs the same provider";
    }
    if (get(bytes + AT_ZERO_TOO) != 0 || memcmp(bytes + AT_ZERO, "\0\0\0\0", 4) != 0 ||
        (bytes[AT_FLAGS] & ~(HAS_DATA | UNTAGGED)) != 0) {
        return "a frame's reserved bits are not 0";
    }
    if (bytes[AT_NAME_LENGTH] == 0 || bytes[AT_NAME_LENGTH] > WIRE_NAME) {
        return "a frame's sender has a name of impossible length";
    }
    if (bytes[AT_KIND] < WIRE_EAGER || bytes[AT_KIND] > WIRE_PULL) {
        return "a frame is of an unknown kind";
    }
    *frame_p = (wire_frame_t){
        .kind = (wire_kind_t)bytes[AT_KIND],
        .has_data = (bytes[AT_FLAGS] & HAS_DATA) != 0,
        .untagged = (bytes[AT_FLAGS] & UNTAGGED) != 0,
        .name_length = bytes[AT_NAME_LENGTH],
        .tag = get(bytes + AT_TAG),
        .data = get(bytes + AT_DATA),
        .length = get(bytes + AT_LENGTH),
        .sender = get(bytes + AT_SENDER),
    };
    memcpy(frame_p->name, bytes + AT_NAME, frame_p->name_length);
    if (frame_p->kind == WIRE_PULL && (frame_p->tag & WIRE_PULL_TAG) == 0) {
        return "a frame asks for a payload by a tag that is none of payloads";
    }
    const uint64_t payload = frame_p->kind == WIRE_EAGER ? frame_p->length : 0;
    if (size - WIRE_HEADER != payload) {
        return "a frame's size is not that of its payload";
    }
    return NULL;
}
