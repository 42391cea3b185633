/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmu-uet-fields: frames in, their fields out, for tests that compare with something else.  A line
 * of hexadecimal digits a frame on standard input; a line a frame on standard output: "drop N" with
 * the reason's number, or "take" and a NAME=VALUE for each field.
 */
#include "uet_packet.h"
#include "usage.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

static const char usage[] =
    "usage: tmu-uet-fields [CRC [ORDER [PORT [NATIVE]]]]\n"
    "  CRC     0 none, 1 from the IP addresses on (the default), 2 what follows UDP\n"
    "  ORDER   of the CRC's bytes: 0 least significant first (the default), 1 most\n"
    "  PORT    UDP port, 4793 if not given\n"
    "  NATIVE  IP protocol of the native form; it is foreign if not given\n"
    "Frames come on standard input, a line of hexadecimal digits each; an empty line is none.\n";

enum { FRAME_BYTES = 70000, LINE_BYTES = 2 * FRAME_BYTES + 2 };

static void print_fields(const char *prefix, const uet_layout_t *layout, const void *structure) {
    for (size_t i = 0; i < layout->count; i++) {
        const uet_field_t *field = &layout->fields[i];
        uint64_t mask = field->width == 64 ? UINT64_MAX : (UINT64_C(1) << field->width) - 1;
        (void)printf(" %s%s=%" PRIu64, prefix, field->name,
                     uet_member_get(field, structure) & mask);
    }
}

static void print_packet(const uet_packet_t *packet, const uint8_t *frame) {
    const uet_layout_t *layouts[UET_SES_PARTS];
    size_t starts[6];
    const uet_ses_t *ses = &packet->ses;
    size_t count = uet_envelope_layouts(&packet->envelope, layouts, starts);
    (void)printf("take tags=%u ipv6=%d native=%d", packet->envelope.tags, packet->envelope.ipv6,
                 packet->envelope.native);
    for (size_t i = 0; i < count; i++) {
        print_fields("", layouts[i], &packet->envelope);
    }
    print_fields("pds.", uet_pds_layout(packet->pds.type, packet->pds.flags), &packet->pds);
    (void)printf(" ses.kind=%u", ses->kind);
    count = uet_ses_layouts(ses->kind, ses->opcode, ses->flags, layouts);
    for (size_t i = 0; i < count; i++) {
        print_fields("ses.", layouts[i], ses);
    }
    (void)printf(" payload=%zu payload_at=%td crc=%" PRIu32 "\n", packet->payload_bytes,
                 packet->payload - frame, packet->crc);
}

/* The frame's bytes, or SIZE_MAX for a line that is no frame. */
static size_t read_digits(const char *line, uint8_t *frame) {
    size_t bytes = 0;
    for (const char *at = line; *at != '\0' && *at != '\n'; at += 2) {
        unsigned byte;
        if (bytes == FRAME_BYTES || sscanf(at, "%2x", &byte) != 1 || at[1] == '\n') {
            return SIZE_MAX;
        }
        frame[bytes++] = (uint8_t)byte;
    }
    return bytes;
}

static bool number(const char *text, unsigned long most, unsigned long *value) {
    char *end = NULL;
    *value = strtoul(text, &end, 0);
    return end != text && *end == '\0' && *value <= most;
}

static bool read_settings(int argc, char **argv, uet_settings_t *settings) {
    unsigned long crc = settings->crc;
    unsigned long order = 0;
    unsigned long port = settings->udp_port;
    unsigned long native = settings->native_protocol;
    bool fine = argc <= 5 && (argc < 2 || number(argv[1], 2, &crc)) &&
                (argc < 3 || number(argv[2], 1, &order)) &&
                (argc < 4 || number(argv[3], UINT16_MAX, &port)) &&
                (argc < 5 || number(argv[4], UINT8_MAX, &native));
    settings->crc = (uet_crc_coverage_t)crc;
    settings->crc_big_endian = order != 0;
    settings->udp_port = (uint16_t)port;
    settings->native_protocol = (uint8_t)native;
    settings->native = argc == 5;
    return fine;
}

int main(int argc, char **argv) {
    static char line[LINE_BYTES];
    static uint8_t frame[FRAME_BYTES];
    uet_settings_t settings = UET_SETTINGS_DEFAULT;
    if (!read_settings(argc, argv, &settings)) {
        usage_wrong("tmu-uet-fields", "arguments that are none of its own", usage);
    }
    for (unsigned long row = 1; fgets(line, sizeof line, stdin); row++) {
        uet_packet_t packet;
        uet_error_t error;
        size_t bytes = read_digits(line, frame);
        if (bytes == SIZE_MAX) {
            (void)fprintf(stderr, "line %lu: found no frame, expected hexadecimal digits\n", row);
            return 2;
        }
        if (uet_packet_decode(frame, bytes, &settings, &packet, &error)) {
            print_packet(&packet, frame);
        } else {
            (void)printf("drop %d\n", (int)error.reason);
        }
    }
    return 0;
}
