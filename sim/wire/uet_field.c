/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_field.h"

#include <string.h>

uint64_t uet_bits_get(const uint8_t *bytes, unsigned bit, unsigned width) {
    uint64_t value = 0;
    for (unsigned at = bit; at < bit + width; at++) {
        value = value << 1 | ((unsigned)bytes[at / 8] >> (7 - at % 8) & 1u);
    }
    return value;
}

void uet_bits_put(uint8_t *bytes, unsigned bit, unsigned width, uint64_t value) {
    for (unsigned at = bit; at < bit + width; at++) {
        uint8_t mask = (uint8_t)(0x80u >> at % 8);
        if (value >> (bit + width - 1 - at) & 1) {
            bytes[at / 8] |= mask;
        } else {
            bytes[at / 8] &= (uint8_t)~mask;
        }
    }
}

static void member_put(const uet_field_t *field, void *structure, uint64_t value) {
    uint8_t *member = (uint8_t *)structure + field->member;
    uint8_t as8 = (uint8_t)value;
    uint16_t as16 = (uint16_t)value;
    uint32_t as32 = (uint32_t)value;
    switch (field->size) {
    case 1:
        memcpy(member, &as8, sizeof as8);
        break;
    case 2:
        memcpy(member, &as16, sizeof as16);
        break;
    case 4:
        memcpy(member, &as32, sizeof as32);
        break;
    default:
        memcpy(member, &value, sizeof value);
    }
}

uint64_t uet_member_get(const uet_field_t *field, const void *structure) {
    const uint8_t *member = (const uint8_t *)structure + field->member;
    uint8_t as8;
    uint16_t as16;
    uint32_t as32;
    uint64_t as64;
    switch (field->size) {
    case 1:
        memcpy(&as8, member, sizeof as8);
        as64 = as8;
        break;
    case 2:
        memcpy(&as16, member, sizeof as16);
        as64 = as16;
        break;
    case 4:
        memcpy(&as32, member, sizeof as32);
        as64 = as32;
        break;
    default:
        memcpy(&as64, member, sizeof as64);
    }
    if (field->is_signed && as64 >> (field->size * 8 - 1) & 1) {
        as64 |= ~(UINT64_MAX >> (64 - field->size * 8));
    }
    return as64;
}

void uet_layout_decode(const uet_layout_t *layout, const uint8_t *bytes, void *structure) {
    for (size_t i = 0; i < layout->count; i++) {
        const uet_field_t *field = &layout->fields[i];
        member_put(field, structure, uet_bits_get(bytes, field->bit, field->width));
    }
}

bool uet_layout_encode(const uet_layout_t *layout, const void *structure, uint8_t *bytes,
                       size_t offset, uet_error_t *error) {
    for (size_t i = 0; i < layout->count; i++) {
        const uet_field_t *field = &layout->fields[i];
        uint64_t value = uet_member_get(field, structure);
        uint64_t most = UINT64_MAX >> (64 - field->width);
        if (!field->is_signed && value > most) {
            *error =
                (uet_error_t){UET_TOO_WIDE, layout->name, field->name, offset + field->bit / 8u,
                              value,        UET_AT_MOST,  most};
            return false;
        }
        uet_bits_put(bytes, field->bit, field->width, value);
    }
    return true;
}
