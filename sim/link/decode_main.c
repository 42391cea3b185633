/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-decode: a capture in words, a line a frame. */
#include "link_capture.h"
#include "link_describe.h"
#include "uet_describe.h"
#include "usage.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

static const char usage[] =
    "usage: tmu-decode [--json] [--no-crc] FILE\n"
    "  --json    an object a line: number, time_ns, interface, bytes, wire_bytes, comment, text\n"
    "  --no-crc  packets of Ultra Ethernet end without a CRC32C\n"
    "FILE is a pcapng or pcap capture of Ethernet frames.\n";

#define SECOND_NS UINT64_C(1000000000)

/* A string of JSON; what is no printable ASCII is escaped byte by byte. */
static void print_string(const char *text) {
    (void)putchar('"');
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        if (*byte == '"' || *byte == '\\') {
            (void)printf("\\%c", *byte);
        } else if (*byte < 0x20 || *byte >= 0x7f) {
            (void)printf("\\u%04x", *byte);
        } else {
            (void)putchar(*byte);
        }
    }
    (void)putchar('"');
}

static void print_json(const link_record_t *record, const char *text) {
    (void)printf("{\"number\": %" PRIu64 ", \"time_ns\": %" PRIu64 ", \"interface\": %" PRIu32
                 ", \"bytes\": %zu, \"wire_bytes\": %zu, \"comment\": ",
                 record->number, record->time_ns, record->interface, record->bytes,
                 record->wire_bytes);
    print_string(record->comment);
    (void)printf(", \"text\": ");
    print_string(text);
    (void)puts("}");
}

static void print_words(const link_record_t *record, const char *text) {
    (void)printf("%" PRIu64 " %" PRIu64 ".%09" PRIu64 " if %" PRIu32 " %zu bytes: %s",
                 record->number, record->time_ns / SECOND_NS, record->time_ns % SECOND_NS,
                 record->interface, record->bytes, text);
    if (record->bytes < record->wire_bytes) {
        (void)printf(" (cut, it had %zu bytes)", record->wire_bytes);
    }
    if (record->comment[0] != '\0') {
        (void)fputs(" [", stdout);
        for (const char *byte = record->comment; *byte; byte++) {
            (void)putchar(*byte < 0x20 || *byte > 0x7e ? '?' : *byte);
        }
        (void)putchar(']');
    }
    (void)putchar('\n');
}

/*
 * A frame of Ultra Ethernet by its headers, or why it would be dropped; any other by the envelope,
 * which is told of refused ones too.
 */
static void describe(const link_record_t *record, const uet_settings_t *settings, char *text,
                     size_t room) {
    uet_packet_t packet;
    uet_error_t error;
    if (uet_packet_decode(record->frame, record->bytes, settings, &packet, &error)) {
        (void)uet_describe_packet(&packet, text, room);
        return;
    }
    const size_t length = link_describe(record->frame, record->bytes, text, room);
    if (error.reason != UET_FOREIGN && length + 12 < room) {
        (void)strcpy(text + length, "; dropped: ");
        (void)uet_error_text(&error, text + length + 11, room - length - 11);
    }
}

static int decode(const char *path, const uet_settings_t *settings, bool json) {
    char error[LINK_CAPTURE_ERROR_BYTES] = "";
    char text[2048];
    link_record_t record;
    link_read_t status;
    link_reader_t *reader = link_reader_open(path, error);
    if (!reader) {
        (void)fprintf(stderr, "tmu-decode: %s\n", error);
        return 2;
    }
    while ((status = link_reader_next(reader, &record)) == LINK_READ_FRAME) {
        describe(&record, settings, text, sizeof text);
        (json ? print_json : print_words)(&record, text);
    }
    (void)fflush(stdout);
    if (status == LINK_READ_BROKEN) {
        (void)fprintf(stderr, "tmu-decode: %s: %s\n", path, link_reader_error(reader));
    }
    link_reader_close(reader);
    return status == LINK_READ_BROKEN ? 2 : 0;
}

int main(int count, char **values) {
    static const struct option options[] = {{"json", no_argument, NULL, 'j'},
                                            {"no-crc", no_argument, NULL, 'n'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    uet_settings_t settings = UET_SETTINGS_DEFAULT;
    bool json = false;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        if (option == 'j') {
            json = true;
        } else if (option == 'n') {
            settings.crc = UET_CRC_NONE;
        } else {
            usage_option(option, usage);
        }
    }
    if (optind != count - 1) {
        usage_wrong("tmu-decode", optind < count ? "more than one FILE" : "no FILE", usage);
    }
    return decode(values[optind], &settings, json);
}
