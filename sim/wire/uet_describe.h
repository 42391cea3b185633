/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in words, for captures and reports. */
#ifndef UET_DESCRIBE_H
#define UET_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

#include "uet_packet.h"

/*
 * Writes one line without its end about a frame: addresses, the packet delivery header and the
 * semantic header with every field as name=value, bytes of payload; or, for a frame that is
 * refused, the error.  The text is cut to `room` bytes and always terminated when `room` is not 0.
 * Returns the length of the whole line, which may be more than what fits.
 */
size_t uet_describe(const uint8_t *frame, size_t bytes, const uet_settings_t *settings, char *text,
                    size_t room);

/* The same of a packet that is decoded already. */
size_t uet_describe_packet(const uet_packet_t *packet, char *text, size_t room);

/* Names of values as in the specification; NULL for one without a name. */
const char *uet_pds_type_name(unsigned type);
const char *uet_next_name(unsigned next_hdr);
const char *uet_cp_name(unsigned ctl_type);
const char *uet_nack_name(unsigned code);
const char *uet_opcode_name(unsigned opcode);
const char *uet_response_name(unsigned opcode);
const char *uet_return_code_name(unsigned code);

#endif
