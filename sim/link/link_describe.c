/* SPDX-License-Identifier: Apache-2.0 */
#include "link_describe.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ETHERNET = 14, TAG = 4, IPV4 = 20, IPV6 = 40, UDP = 8, UDP_PROTOCOL = 17 };

typedef struct line {
    char *text;
    size_t room;
    size_t length;
} line_t;

static void add(line_t *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(line_t *line, const char *format, ...) {
    va_list values;
    va_start(values, format);
    const int length =
        vsnprintf(line->text + line->length, line->room - line->length, format, values);
    va_end(values);
    if (length > 0) {
        line->length += (size_t)length;
    }
    if (line->length >= line->room) {
        line->length = line->room - 1;
    }
}

static unsigned get_16(const uint8_t *bytes) { return (unsigned)bytes[0] << 8 | bytes[1]; }

static void add_station(line_t *line, const uint8_t *address) {
    add(line, "%02x:%02x:%02x:%02x:%02x:%02x", address[0], address[1], address[2], address[3],
        address[4], address[5]);
}

/* Whether a header of `need` bytes is there; otherwise says that it is not. */
static int has(line_t *line, const char *header, size_t found, size_t need) {
    if (found >= need) {
        return 1;
    }
    add(line, ", %s cut: found %zu bytes, expected %zu", header, found, need);
    return 0;
}

static void add_udp(line_t *line, const uint8_t *bytes, size_t count) {
    if (has(line, "UDP", count, UDP)) {
        add(line, ", UDP %u > %u, length %u", get_16(bytes), get_16(bytes + 2), get_16(bytes + 4));
    }
}

static void add_addresses(line_t *line, int family, const uint8_t *source,
                          const uint8_t *destination) {
    char words[INET6_ADDRSTRLEN] = "?";
    (void)inet_ntop(family, source, words, sizeof words);
    add(line, " %s", words);
    (void)inet_ntop(family, destination, words, sizeof words);
    add(line, " > %s", words);
}

static void add_ipv4(line_t *line, const uint8_t *bytes, size_t count) {
    if (!has(line, "IPv4", count, IPV4)) {
        return;
    }
    const size_t header = (bytes[0] & 15u) * 4u;
    add(line, ", IPv4");
    add_addresses(line, AF_INET, bytes + 12, bytes + 16);
    add(line, ", length %u", get_16(bytes + 2));
    if ((get_16(bytes + 6) & 0x3fff) != 0) {
        add(line, ", fragment at byte %u", (get_16(bytes + 6) & 0x1fff) * 8);
    } else if (bytes[9] != UDP_PROTOCOL) {
        add(line, ", protocol %u", bytes[9]);
    } else if (header < IPV4) {
        add(line, ", found a header of %zu bytes, expected %d or more", header, IPV4);
    } else if (has(line, "IPv4 options", count, header)) {
        add_udp(line, bytes + header, count - header);
    }
}

static void add_ipv6(line_t *line, const uint8_t *bytes, size_t count) {
    if (!has(line, "IPv6", count, IPV6)) {
        return;
    }
    add(line, ", IPv6");
    add_addresses(line, AF_INET6, bytes + 8, bytes + 24);
    add(line, ", length %u", get_16(bytes + 4));
    if (bytes[6] == UDP_PROTOCOL) {
        add_udp(line, bytes + IPV6, count - IPV6);
    } else {
        add(line, ", next header %u", bytes[6]);
    }
}

size_t link_describe(const uint8_t *frame, size_t bytes, char *text, size_t room) {
    line_t line = {text, room, 0};
    text[0] = '\0';
    if (bytes < ETHERNET) {
        add(&line, "found %zu bytes, expected %d of an Ethernet header", bytes, ETHERNET);
        return line.length;
    }
    add_station(&line, frame + 6);
    add(&line, " > ");
    add_station(&line, frame);
    size_t at = ETHERNET;
    unsigned type = get_16(frame + 12);
    while ((type == 0x8100 || type == 0x88a8) && has(&line, "VLAN tag", bytes - at, TAG)) {
        add(&line, ", VLAN %u", get_16(frame + at) & 0xfff);
        type = get_16(frame + at + 2);
        at += TAG;
    }
    if (type == 0x0800) {
        add_ipv4(&line, frame + at, bytes - at);
    } else if (type == 0x86dd) {
        add_ipv6(&line, frame + at, bytes - at);
    } else {
        add(&line, ", type 0x%04x", type);
    }
    return line.length;
}
