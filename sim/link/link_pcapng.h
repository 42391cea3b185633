/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the pcapng and pcap formats. */
#ifndef LINK_PCAPNG_H
#define LINK_PCAPNG_H

enum {
    PCAPNG_SECTION = 0x0a0d0d0a,
    PCAPNG_BYTE_ORDER = 0x1a2b3c4d,
    PCAPNG_INTERFACE = 1,
    PCAPNG_SIMPLE = 3,
    PCAPNG_PACKET = 6,

    PCAPNG_OPTION_END = 0,
    PCAPNG_OPTION_COMMENT = 1,
    PCAPNG_OPTION_IF_NAME = 2,
    PCAPNG_OPTION_FLAGS = 2,   /* of a packet */
    PCAPNG_OPTION_PROGRAM = 4, /* of a section */
    PCAPNG_OPTION_TIME_UNIT = 9,
    PCAPNG_OPTION_TIME_OFFSET = 14,

    PCAPNG_INBOUND = 1,
    PCAPNG_OUTBOUND = 2,

    PCAP_ETHERNET = 1
};

#define PCAP_MICROSECONDS 0xa1b2c3d4u
#define PCAP_NANOSECONDS 0xa1b23c4du

#endif
