/* SPDX-License-Identifier: Apache-2.0 */
/* A whole frame: envelope, packet delivery header, semantic header, payload, CRC32C. */
#ifndef UET_PACKET_H
#define UET_PACKET_H

#include "uet_envelope.h"
#include "uet_pds.h"
#include "uet_ses.h"

typedef struct {
    uet_envelope_t envelope;
    uet_pds_t pds;
    uet_ses_t ses;          /* kind 0 when there is none, control packets included */
    const uint8_t *payload; /* decoded: inside the frame */
    size_t payload_bytes;   /* all between the headers and the CRC, whatever the headers say */
    uint32_t crc;           /* 0 when the settings have none */
    size_t pds_at;          /* frame bytes where the two headers start */
    size_t ses_at;
} uet_packet_t;

/*
 * False with an error for a frame that has no answer: it is dropped and counted by the error's
 * reason (W6).  What deserves an answer is decoded and left to the endpoint: unknown opcodes, next
 * headers without a layout, versions, lengths that differ from the payload's.
 */
bool uet_packet_decode(const uint8_t *frame, size_t bytes, const uet_settings_t *settings,
                       uet_packet_t *packet, uet_error_t *error);

/* The frame's bytes, 0 with an error.  Lengths, checksum and CRC are computed and entered. */
size_t uet_packet_encode(uet_packet_t *packet, const uet_settings_t *settings, uint8_t *frame,
                         size_t room, uet_error_t *error);

/* Computes the CRC again after a test has changed bytes of a frame that `envelope` describes. */
void uet_packet_seal(const uet_envelope_t *envelope, const uet_settings_t *settings,
                     uint8_t *frame);

#endif
