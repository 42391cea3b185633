/* SPDX-License-Identifier: Apache-2.0 */
/* Envelope of a packet: Ethernet with 0 to 2 VLAN tags, IPv4 or IPv6, UDP or entropy header. */
#ifndef UET_ENVELOPE_H
#define UET_ENVELOPE_H

#include "uet_field.h"
#include "uet_settings.h"

typedef struct {
    uint64_t destination_mac;
    uint64_t source_mac;
    uint8_t tags; /* 0 to 2, the outer first */
    uint16_t tag_type[2];
    uint16_t tag[2];
    uint16_t ether_type;
    bool ipv6;
    bool native; /* entropy header in place of UDP; its entropy is in source_port */
    uint8_t version;
    uint8_t header_words; /* IPv4 only, as are the next seven */
    uint16_t total_length;
    uint16_t identification;
    uint8_t reserved_flag;
    uint8_t dont_fragment;
    uint8_t more_fragments;
    uint16_t fragment_offset;
    uint16_t checksum;
    uint32_t flow_label;     /* IPv6 only */
    uint16_t payload_length; /* IPv6 only */
    uint8_t dscp;
    uint8_t ecn;
    uint8_t hop_limit; /* IPv4: time to live */
    uint8_t protocol;
    uint64_t source_high; /* IPv4: 0, the address is in the low half */
    uint64_t source_low;
    uint64_t destination_high;
    uint64_t destination_low;
    uint16_t source_port;
    uint16_t destination_port;
    uint16_t udp_length;
    uint16_t udp_checksum; /* 0 when sent, ignored on arrival */
    /* Found by decoding and by encoding, bytes from the frame's first: */
    size_t addresses; /* the IP addresses start here */
    size_t transport; /* the UDP or entropy header */
    size_t inside;    /* the packet itself */
    size_t end;       /* where IP ends; what follows is padding of Ethernet */
} uet_envelope_t;

bool uet_envelope_decode(const uint8_t *frame, size_t bytes, const uet_settings_t *settings,
                         uet_envelope_t *envelope, uet_error_t *error);

/*
 * Writes the headers for `inside` bytes that follow them, with lengths and checksum of the IPv4
 * header, which it also enters in `envelope`.  `room` must reach over headers and inside.
 */
bool uet_envelope_encode(uet_envelope_t *envelope, size_t inside, uint8_t *frame, size_t room,
                         uet_error_t *error);

/* The layouts that make up this envelope with the frame offsets where they start; at most 6. */
size_t uet_envelope_layouts(const uet_envelope_t *envelope, const uet_layout_t *layouts[6],
                            size_t starts[6]);

/* The ones' complement sum of an IPv4 header: 0 when its checksum is right. */
uint16_t uet_ipv4_sum(const uint8_t header[20]);

#endif
