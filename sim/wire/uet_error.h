/* SPDX-License-Identifier: Apache-2.0 */
/* Why a frame is refused: what was found, at which byte of the frame, what was expected there. */
#ifndef UET_ERROR_H
#define UET_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* One reason for each counter of dropped frames (W6). */
typedef enum {
    UET_FINE = 0,
    UET_FOREIGN,     /* no frame of this transport: another EtherType, protocol or port */
    UET_SHORT,       /* ends inside a header */
    UET_IP_LENGTH,   /* the IP length is beyond the frame, or too small for what must follow */
    UET_UDP_LENGTH,  /* differs from what the IP length leaves */
    UET_IP_OPTIONS,  /* an IPv4 header of more than 20 bytes, or of less */
    UET_IP_FRAGMENT, /* more fragments, or a fragment offset */
    UET_IP_CHECKSUM, /* the sum over the IPv4 header */
    UET_IP_VERSION,  /* the nibble does not go with the EtherType */
    UET_CRC,         /* the CRC32C behind the payload */
    UET_PDS_TYPE,    /* reserved type of the packet delivery header */
    UET_ENCRYPTED,   /* security header; there are no keys */
    UET_PDS_OMITTED, /* RUDI, UUD: types that this codec does not read */
    UET_TOO_WIDE,    /* encode: a value does not fit its field */
    UET_NO_ROOM,     /* encode: the caller's buffer is too small, or a length exceeds 16 bits */
    UET_REASONS
} uet_reason_t;

typedef enum { UET_EXACTLY, UET_AT_LEAST, UET_AT_MOST } uet_relation_t;

typedef struct {
    uet_reason_t reason;
    const char *header; /* "ipv4" */
    const char *field;  /* "total_length" */
    size_t offset;      /* of the field's first byte in the frame */
    uint64_t found;
    uet_relation_t relation;
    uint64_t expected;
} uet_error_t;

/* Words for a reason, "a fragment" for example. */
const char *uet_reason_text(uet_reason_t reason);

/*
 * Writes the error as one line without its end, cut to `room` bytes, always terminated when `room`
 * is not 0; returns the length of the whole line.
 */
size_t uet_error_text(const uet_error_t *error, char *text, size_t room);

#endif
