/* SPDX-License-Identifier: Apache-2.0 */
/* Ethernet, VLAN tags, IPv4 and IPv6, UDP of a frame in words. */
#ifndef LINK_DESCRIBE_H
#define LINK_DESCRIBE_H

#include <stddef.h>
#include <stdint.h>

/* One line without its end, cut to `room` bytes (1 or more) and terminated; its length in `text`.
 */
size_t link_describe(const uint8_t *frame, size_t bytes, char *text, size_t room);

#endif
