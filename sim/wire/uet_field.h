/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers as tables.  A layout lists the fields of a header once; decoding, encoding, the words of
 * uet_describe and the tests all read that list.  Fields are big-endian, at most 64 bits wide, and
 * may begin and end inside a byte.
 */
#ifndef UET_FIELD_H
#define UET_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "uet_error.h"

typedef struct {
    const char *name; /* of the member, and in texts */
    uint16_t bit;     /* from the header's first bit, the most significant of byte 0 */
    uint8_t width;    /* in bits, 1 to 64 */
    uint8_t size;     /* of the member, 1, 2, 4 or 8 bytes */
    uint16_t member;  /* its offset in the structure */
    bool is_signed;   /* two's complement */
} uet_field_t;

typedef struct {
    const char *name;
    const uet_field_t *fields;
    size_t count;
    size_t bytes; /* where it ends, counted from the header's first byte */
} uet_layout_t;

/* A field of `width` bits that starts `skip` bits into byte `byte`. */
#define UET_FIELD(type, member, byte, skip, width)                                                 \
    {#member, (byte) * 8 + (skip), width, sizeof(((type *)0)->member), offsetof(type, member),     \
     false}
#define UET_SIGNED(type, member, byte, width)                                                      \
    {#member, (byte) * 8, width, sizeof(((type *)0)->member), offsetof(type, member), true}
#define UET_LAYOUT(name, fields, bytes) {name, fields, sizeof(fields) / sizeof *(fields), bytes}

uint64_t uet_bits_get(const uint8_t *bytes, unsigned bit, unsigned width);
void uet_bits_put(uint8_t *bytes, unsigned bit, unsigned width, uint64_t value);

/* The member of `structure` that belongs to a field; a signed one is extended to 64 bits. */
uint64_t uet_member_get(const uet_field_t *field, const void *structure);

/* The bytes must reach to the layout's end: whoever calls has checked. */
void uet_layout_decode(const uet_layout_t *layout, const uint8_t *bytes, void *structure);

/*
 * Bits that no field of the layout names stay as they are.  False when a member does not fit its
 * field; `offset` is the header's in the frame, for the error.
 */
bool uet_layout_encode(const uet_layout_t *layout, const void *structure, uint8_t *bytes,
                       size_t offset, uet_error_t *error);

#endif
