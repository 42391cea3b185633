/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_envelope.h"

#include <string.h>

#define FIELD(member, byte, skip, width) UET_FIELD(uet_envelope_t, member, byte, skip, width)

enum { TYPE_IPV4 = 0x0800, TYPE_IPV6 = 0x86dd, TYPE_VLAN = 0x8100, TYPE_SERVICE_VLAN = 0x88a8 };
enum { PROTOCOL_UDP = 17, IPV4_BYTES = 20, IPV6_BYTES = 40, MAC_BYTES = 12 };

/* IEEE 802.3 and 802.1Q. */
static const uet_field_t mac_fields[] = {
    FIELD(destination_mac, 0, 0, 48),
    FIELD(source_mac, 6, 0, 48),
};
static const uet_field_t tag_fields[2][2] = {
    {FIELD(tag_type[0], 0, 0, 16), FIELD(tag[0], 2, 0, 16)},
    {FIELD(tag_type[1], 0, 0, 16), FIELD(tag[1], 2, 0, 16)},
};
static const uet_field_t type_fields[] = {FIELD(ether_type, 0, 0, 16)};

/* RFC 791. */
static const uet_field_t ipv4_fields[] = {
    FIELD(version, 0, 0, 4),
    FIELD(header_words, 0, 4, 4),
    FIELD(dscp, 1, 0, 6),
    FIELD(ecn, 1, 6, 2),
    FIELD(total_length, 2, 0, 16),
    FIELD(identification, 4, 0, 16),
    FIELD(reserved_flag, 6, 0, 1),
    FIELD(dont_fragment, 6, 1, 1),
    FIELD(more_fragments, 6, 2, 1),
    FIELD(fragment_offset, 6, 3, 13),
    FIELD(hop_limit, 8, 0, 8),
    FIELD(protocol, 9, 0, 8),
    FIELD(checksum, 10, 0, 16),
    FIELD(source_low, 12, 0, 32),
    FIELD(destination_low, 16, 0, 32),
};

/* RFC 8200; extension headers are not read. */
static const uet_field_t ipv6_fields[] = {
    FIELD(version, 0, 0, 4),
    FIELD(dscp, 0, 4, 6),
    FIELD(ecn, 0, 10, 2),
    FIELD(flow_label, 0, 12, 20),
    FIELD(payload_length, 4, 0, 16),
    FIELD(protocol, 6, 0, 8),
    FIELD(hop_limit, 7, 0, 8),
    FIELD(source_high, 8, 0, 64),
    FIELD(source_low, 16, 0, 64),
    FIELD(destination_high, 24, 0, 64),
    FIELD(destination_low, 32, 0, 64),
};

/* RFC 768; port 4793 is assigned by IANA. */
static const uet_field_t udp_fields[] = {
    FIELD(source_port, 0, 0, 16),
    FIELD(destination_port, 2, 0, 16),
    FIELD(udp_length, 4, 0, 16),
    FIELD(udp_checksum, 6, 0, 16),
};

/* Entropy header of the native form; two sources, no assigned IP protocol. */
static const uet_field_t entropy_fields[] = {FIELD(source_port, 0, 0, 16)};

static const uet_layout_t mac_layout = UET_LAYOUT("ethernet", mac_fields, MAC_BYTES);
static const uet_layout_t tag_layouts[2] = {
    UET_LAYOUT("vlan", tag_fields[0], 4),
    UET_LAYOUT("vlan", tag_fields[1], 4),
};
static const uet_layout_t type_layout = UET_LAYOUT("ethernet", type_fields, 2);
static const uet_layout_t ipv4_layout = UET_LAYOUT("ipv4", ipv4_fields, IPV4_BYTES);
static const uet_layout_t ipv6_layout = UET_LAYOUT("ipv6", ipv6_fields, IPV6_BYTES);
static const uet_layout_t udp_layout = UET_LAYOUT("udp", udp_fields, 8);
static const uet_layout_t entropy_layout = UET_LAYOUT("entropy", entropy_fields, 4);

uint16_t uet_ipv4_sum(const uint8_t header[20]) {
    uint32_t sum = 0;
    for (unsigned i = 0; i < IPV4_BYTES; i += 2) {
        sum += (uint32_t)header[i] << 8 | header[i + 1];
    }
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

size_t uet_envelope_layouts(const uet_envelope_t *envelope, const uet_layout_t *layouts[6],
                            size_t starts[6]) {
    size_t count = 0;
    size_t at = 0;
    layouts[count++] = &mac_layout;
    for (unsigned i = 0; i < envelope->tags && i < 2; i++) {
        layouts[count++] = &tag_layouts[i];
    }
    layouts[count++] = &type_layout;
    layouts[count++] = envelope->ipv6 ? &ipv6_layout : &ipv4_layout;
    layouts[count++] = envelope->native ? &entropy_layout : &udp_layout;
    for (size_t i = 0; i < count; i++) {
        starts[i] = at;
        at += layouts[i]->bytes;
    }
    return count;
}

static bool refuse(uet_error_t *error, uet_error_t why) {
    *error = why;
    return false;
}

/* Reads a header at `at` when the frame, up to `end`, has all of it. */
static bool take(const uet_layout_t *layout, const uint8_t *frame, size_t end, size_t at,
                 uet_envelope_t *envelope, uet_error_t *error) {
    if (end < at || end - at < layout->bytes) {
        return refuse(error, (uet_error_t){UET_SHORT, layout->name, "bytes", at,
                                           end < at ? 0 : end - at, UET_AT_LEAST, layout->bytes});
    }
    uet_layout_decode(layout, frame + at, envelope);
    return true;
}

/* Addresses, tags and EtherType; `at` is moved behind them. */
static bool ethernet_decode(const uint8_t *frame, size_t bytes, uet_envelope_t *envelope,
                            size_t *at, uet_error_t *error) {
    if (!take(&mac_layout, frame, bytes, 0, envelope, error)) {
        return false;
    }
    *at = MAC_BYTES;
    for (;;) {
        if (!take(&type_layout, frame, bytes, *at, envelope, error)) {
            return false;
        }
        bool tagged =
            envelope->ether_type == TYPE_VLAN || envelope->ether_type == TYPE_SERVICE_VLAN;
        if (!tagged || envelope->tags == 2) {
            break;
        }
        if (!take(&tag_layouts[envelope->tags], frame, bytes, *at, envelope, error)) {
            return false;
        }
        envelope->tags += 1;
        *at += 4;
    }
    if (envelope->ether_type != TYPE_IPV4 && envelope->ether_type != TYPE_IPV6) {
        return refuse(error, (uet_error_t){UET_FOREIGN, "ethernet", "ether_type", *at,
                                           envelope->ether_type, UET_EXACTLY, TYPE_IPV4});
    }
    envelope->ipv6 = envelope->ether_type == TYPE_IPV6;
    *at += 2;
    return true;
}

static bool ipv4_decode(const uint8_t *frame, size_t bytes, uet_envelope_t *envelope, size_t at,
                        uet_error_t *error) {
    if (!take(&ipv4_layout, frame, bytes, at, envelope, error)) {
        return false;
    }
    if (envelope->version != 4) {
        return refuse(error, (uet_error_t){UET_IP_VERSION, "ipv4", "version", at, envelope->version,
                                           UET_EXACTLY, 4});
    }
    if (envelope->header_words != 5) {
        return refuse(error, (uet_error_t){UET_IP_OPTIONS, "ipv4", "header_words", at,
                                           envelope->header_words, UET_EXACTLY, 5});
    }
    uint16_t sum = uet_ipv4_sum(frame + at);
    if (sum != 0) {
        uint8_t header[IPV4_BYTES];
        memcpy(header, frame + at, sizeof header);
        header[10] = header[11] = 0;
        return refuse(error, (uet_error_t){UET_IP_CHECKSUM, "ipv4", "checksum", at + 10,
                                           envelope->checksum, UET_EXACTLY, uet_ipv4_sum(header)});
    }
    if (envelope->more_fragments || envelope->fragment_offset != 0) {
        return refuse(error, (uet_error_t){UET_IP_FRAGMENT, "ipv4", "fragment", at + 6,
                                           uet_bits_get(frame + at + 6, 2, 14), UET_EXACTLY, 0});
    }
    envelope->addresses = at + 12;
    envelope->transport = at + IPV4_BYTES;
    envelope->end = at + envelope->total_length;
    if (envelope->end > bytes) {
        return refuse(error, (uet_error_t){UET_IP_LENGTH, "ipv4", "total_length", at + 2,
                                           envelope->total_length, UET_AT_MOST, bytes - at});
    }
    return true;
}

static bool ipv6_decode(const uint8_t *frame, size_t bytes, uet_envelope_t *envelope, size_t at,
                        uet_error_t *error) {
    if (!take(&ipv6_layout, frame, bytes, at, envelope, error)) {
        return false;
    }
    if (envelope->version != 6) {
        return refuse(error, (uet_error_t){UET_IP_VERSION, "ipv6", "version", at, envelope->version,
                                           UET_EXACTLY, 6});
    }
    envelope->addresses = at + 8;
    envelope->transport = at + IPV6_BYTES;
    envelope->end = envelope->transport + envelope->payload_length;
    if (envelope->end > bytes) {
        return refuse(error, (uet_error_t){UET_IP_LENGTH, "ipv6", "payload_length", at + 4,
                                           envelope->payload_length, UET_AT_MOST,
                                           bytes - envelope->transport});
    }
    return true;
}

static bool transport_decode(const uint8_t *frame, const uet_settings_t *settings,
                             uet_envelope_t *envelope, uet_error_t *error) {
    const char *ip = envelope->ipv6 ? "ipv6" : "ipv4";
    size_t at = envelope->transport;
    size_t left = envelope->end < at ? 0 : envelope->end - at;
    envelope->native = settings->native && envelope->protocol == settings->native_protocol;
    if (!envelope->native && envelope->protocol != PROTOCOL_UDP) {
        size_t offset = envelope->ipv6 ? at - IPV6_BYTES + 6 : at - IPV4_BYTES + 9;
        return refuse(error, (uet_error_t){UET_FOREIGN, ip, "protocol", offset, envelope->protocol,
                                           UET_EXACTLY, PROTOCOL_UDP});
    }
    const uet_layout_t *layout = envelope->native ? &entropy_layout : &udp_layout;
    if (left < layout->bytes) {
        return refuse(error, (uet_error_t){UET_IP_LENGTH, ip, "bytes behind the header", at, left,
                                           UET_AT_LEAST, layout->bytes});
    }
    uet_layout_decode(layout, frame + at, envelope);
    envelope->inside = at + layout->bytes;
    if (envelope->native) {
        return true;
    }
    if (envelope->destination_port != settings->udp_port) {
        return refuse(error,
                      (uet_error_t){UET_FOREIGN, "udp", "destination_port", at + 2,
                                    envelope->destination_port, UET_EXACTLY, settings->udp_port});
    }
    if (envelope->udp_length != left) {
        return refuse(error, (uet_error_t){UET_UDP_LENGTH, "udp", "udp_length", at + 4,
                                           envelope->udp_length, UET_EXACTLY, left});
    }
    return true;
}

bool uet_envelope_decode(const uint8_t *frame, size_t bytes, const uet_settings_t *settings,
                         uet_envelope_t *envelope, uet_error_t *error) {
    size_t at = 0;
    memset(envelope, 0, sizeof *envelope);
    if (!ethernet_decode(frame, bytes, envelope, &at, error)) {
        return false;
    }
    bool fine = envelope->ipv6 ? ipv6_decode(frame, bytes, envelope, at, error)
                               : ipv4_decode(frame, bytes, envelope, at, error);
    return fine && transport_decode(frame, settings, envelope, error);
}

bool uet_envelope_encode(uet_envelope_t *envelope, size_t inside, uint8_t *frame, size_t room,
                         uet_error_t *error) {
    const uet_layout_t *layouts[6];
    size_t starts[6];
    size_t count = uet_envelope_layouts(envelope, layouts, starts);
    size_t ip = starts[count - 2];
    envelope->transport = starts[count - 1];
    envelope->inside = envelope->transport + layouts[count - 1]->bytes;
    envelope->end = envelope->inside + inside;
    envelope->addresses = ip + (envelope->ipv6 ? 8u : 12u);
    if (envelope->end > room || envelope->end - ip > UINT16_MAX) {
        return refuse(error, (uet_error_t){UET_NO_ROOM, "frame", "bytes", 0, envelope->end,
                                           UET_AT_MOST, room < UINT16_MAX ? room : UINT16_MAX});
    }
    uint16_t behind_ip = (uint16_t)(envelope->end - envelope->transport);
    envelope->ether_type = envelope->ipv6 ? TYPE_IPV6 : TYPE_IPV4;
    envelope->version = envelope->ipv6 ? 6 : 4;
    envelope->header_words = envelope->ipv6 ? 0 : 5;
    envelope->total_length = envelope->ipv6 ? 0 : (uint16_t)(behind_ip + IPV4_BYTES);
    envelope->payload_length = envelope->ipv6 ? behind_ip : 0;
    envelope->udp_length = envelope->native ? 0 : behind_ip;
    envelope->udp_checksum = 0;
    envelope->checksum = 0;
    memset(frame, 0, envelope->inside);
    for (size_t i = 0; i < count; i++) {
        if (!uet_layout_encode(layouts[i], envelope, frame + starts[i], starts[i], error)) {
            return false;
        }
    }
    if (!envelope->ipv6) {
        envelope->checksum = uet_ipv4_sum(frame + ip);
        uet_bits_put(frame + ip, 80, 16, envelope->checksum);
    }
    return true;
}
