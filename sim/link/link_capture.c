/* SPDX-License-Identifier: Apache-2.0 */
/* Writes pcapng: one section in this machine's byte order, nanosecond times. */
#include "link_capture.h"
#include "link_pcapng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NANOSECONDS 9 /* as a power of ten, negated */

struct link_capture {
    FILE *file;
    bool failed;
};

static size_t padded(size_t bytes) { return (bytes + 3) & ~(size_t)3; }

static void put(link_capture_t *capture, const void *bytes, size_t count) {
    if (fwrite(bytes, 1, count, capture->file) != count) {
        capture->failed = true;
    }
}

static void put_32(link_capture_t *capture, uint32_t value) { put(capture, &value, sizeof value); }

static void put_padded(link_capture_t *capture, const void *bytes, size_t count) {
    static const uint8_t zeros[4];
    put(capture, bytes, count);
    put(capture, zeros, padded(count) - count);
}

/* An option has its code and its length in 16 bits each. */
static void put_option(link_capture_t *capture, uint16_t code, const void *bytes, size_t count) {
    const uint16_t head[2] = {code, (uint16_t)count};
    put(capture, head, sizeof head);
    put_padded(capture, bytes, count);
}

static size_t option_bytes(size_t count) { return 4 + padded(count); }

static void put_section(link_capture_t *capture, const char *program) {
    const uint16_t version[2] = {1, 0};
    const int64_t unknown = -1; /* length of the section */
    const size_t name = strlen(program);
    const uint32_t length = (uint32_t)(28 + option_bytes(name) + 4);
    put_32(capture, PCAPNG_SECTION);
    put_32(capture, length);
    put_32(capture, PCAPNG_BYTE_ORDER);
    put(capture, version, sizeof version);
    put(capture, &unknown, sizeof unknown);
    put_option(capture, PCAPNG_OPTION_PROGRAM, program, name);
    put_32(capture, PCAPNG_OPTION_END);
    put_32(capture, length);
}

static void put_interface(link_capture_t *capture, const char *name) {
    const uint16_t link_type[2] = {PCAP_ETHERNET, 0};
    const uint8_t unit = NANOSECONDS;
    const size_t name_bytes = strlen(name);
    const uint32_t length = (uint32_t)(20 + option_bytes(name_bytes) + option_bytes(1) + 4);
    put_32(capture, PCAPNG_INTERFACE);
    put_32(capture, length);
    put(capture, link_type, sizeof link_type);
    put_32(capture, 0); /* frames are never cut */
    put_option(capture, PCAPNG_OPTION_IF_NAME, name, name_bytes);
    put_option(capture, PCAPNG_OPTION_TIME_UNIT, &unit, 1);
    put_32(capture, PCAPNG_OPTION_END);
    put_32(capture, length);
}

link_capture_t *link_capture_open(const char *path, const char *program, const char *const *names,
                                  unsigned interfaces, char error[LINK_CAPTURE_ERROR_BYTES]) {
    link_capture_t *capture = calloc(1, sizeof *capture);
    if (capture) {
        capture->file = fopen(path, "wbe");
    }
    if (!capture || !capture->file) {
        (void)snprintf(error, LINK_CAPTURE_ERROR_BYTES, "%.300s: writing the capture: %s", path,
                       strerror(errno));
        free(capture);
        return NULL;
    }
    put_section(capture, program);
    for (unsigned interface = 0; interface < interfaces; interface++) {
        put_interface(capture, names[interface]);
    }
    return capture;
}

bool link_capture_write(link_capture_t *capture, unsigned interface, uint64_t time_ns,
                        const uint8_t *frame, size_t bytes, bool inbound, const char *comment) {
    const uint32_t flags = inbound ? PCAPNG_INBOUND : PCAPNG_OUTBOUND;
    const size_t comment_bytes = comment ? strlen(comment) : 0;
    const size_t comment_option = comment_bytes > 0 ? option_bytes(comment_bytes) : 0;
    const uint32_t length =
        (uint32_t)(28 + padded(bytes) + comment_option + option_bytes(sizeof flags) + 4 + 4);
    put_32(capture, PCAPNG_PACKET);
    put_32(capture, length);
    put_32(capture, interface);
    put_32(capture, (uint32_t)(time_ns >> 32));
    put_32(capture, (uint32_t)time_ns);
    put_32(capture, (uint32_t)bytes);
    put_32(capture, (uint32_t)bytes);
    put_padded(capture, frame, bytes);
    if (comment_bytes > 0) {
        put_option(capture, PCAPNG_OPTION_COMMENT, comment, comment_bytes);
    }
    put_option(capture, PCAPNG_OPTION_FLAGS, &flags, sizeof flags);
    put_32(capture, PCAPNG_OPTION_END);
    put_32(capture, length);
    return !capture->failed;
}

bool link_capture_flush(link_capture_t *capture) {
    if (fflush(capture->file) != 0) {
        capture->failed = true;
    }
    return !capture->failed;
}

bool link_capture_close(link_capture_t *capture) {
    const bool written = link_capture_flush(capture);
    const bool closed = fclose(capture->file) == 0;
    free(capture);
    return written && closed;
}
