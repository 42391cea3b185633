/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages between two providers: frames of a fixed header, little-endian, and for short
 * messages the payload behind it.
 */
#ifndef TMU_PROVIDER_WIRE_H
#define TMU_PROVIDER_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_VERSION 3u
#define WIRE_HEADER 80u /* bytes of a frame before its payload */
#define WIRE_NAME 32u   /* bytes of an endpoint's name; a socket address needs 28 */
#define WIRE_PULL_TAG (UINT64_C(1) << 63) /* inner tag of a payload: this and the pull's handle */

typedef enum {
    WIRE_EAGER = 1, /* a message with its payload */
    WIRE_READY = 2, /* a message whose payload waits at the sender */
    WIRE_PULL = 3,  /* the receiver is ready for that payload */
} wire_kind_t;

typedef struct {
    wire_kind_t kind;
    bool has_data;           /* eager, ready: `data` is remote CQ data */
    bool untagged;           /* eager, ready: a message without a tag, which is 0 here */
    uint8_t name_length;     /* 1 to WIRE_NAME */
    uint8_t name[WIRE_NAME]; /* of the endpoint that sends this frame */
    uint64_t tag;            /* eager, ready: the message's; pull: the tag to send the payload by */
    uint64_t data;           /* eager, ready */
    uint64_t length;         /* eager, ready: bytes of the message; pull: bytes wanted of it */
    uint64_t sender;         /* ready, pull: the sender's handle of the message */
} wire_frame_t;

/* Fills the header; the payload of an eager frame follows behind it. */
void wire_encode(const wire_frame_t *frame, uint8_t bytes[static WIRE_HEADER]);

/*
 * Reads a frame of `size` bytes, payload included.  NULL, or a sentence that says what is wrong
 * with it; *frame_p is then meaningless.
 */
const char *wire_decode(const uint8_t *bytes, size_t size, wire_frame_t *frame_p);

#endif
