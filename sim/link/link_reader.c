/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pcapng and classic pcap, either byte order; what is broken is told with its offset. */
#include "link_capture.h"
#include "link_pcapng.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whoever writes longer blocks does not write frames. */
#define BLOCK_MAX (1u << 20)
#define INTERFACES_MAX 1024u
#define CLASSIC_HEADER 24u
#define CLASSIC_RECORD 16u
#define SECOND_NS UINT64_C(1000000000)

typedef struct interface {
    uint16_t link_type;
    uint8_t time_unit;    /* negated power of ten, or of two with bit 7 */
    uint64_t time_offset; /* seconds */
    uint32_t longest;     /* 0: any */
} interface_t;

struct link_reader {
    FILE *file;
    uint64_t offset; /* of what is read next */
    uint64_t frames;
    bool classic;
    bool swapped;     /* written by a machine of the other byte order */
    bool nanoseconds; /* classic */
    unsigned interfaces;
    interface_t interface[INTERFACES_MAX];
    char error[LINK_CAPTURE_ERROR_BYTES];
    uint8_t block[BLOCK_MAX];
};

static link_read_t broken(link_reader_t *reader, uint64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static link_read_t broken(link_reader_t *reader, uint64_t offset, const char *format, ...) {
    va_list values;
    const int at = snprintf(reader->error, sizeof reader->error, "byte %" PRIu64 ": ", offset);
    va_start(values, format);
    (void)vsnprintf(reader->error + at, sizeof reader->error - (size_t)at, format, values);
    va_end(values);
    return LINK_READ_BROKEN;
}

static uint32_t get_32(const link_reader_t *reader, const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return reader->swapped ? __builtin_bswap32(value) : value;
}

static uint16_t get_16(const link_reader_t *reader, const uint8_t *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return reader->swapped ? __builtin_bswap16(value) : value;
}

/* Reads `count` bytes of `what`; none at all is the end of the file where it may end. */
static link_read_t take(link_reader_t *reader, uint8_t *bytes, size_t count, bool may_end,
                        const char *what) {
    const uint64_t offset = reader->offset;
    const size_t got = fread(bytes, 1, count, reader->file);
    reader->offset += got;
    if (got == count) {
        return LINK_READ_FRAME;
    }
    if (ferror(reader->file)) {
        return broken(reader, offset, "reading failed: %s", strerror(errno));
    }
    if (got == 0 && may_end) {
        return LINK_READ_END;
    }
    return broken(reader, offset, "found %zu bytes to the end of the file, expected %zu of %s", got,
                  count, what);
}

static link_read_t wrong_link_type(link_reader_t *reader, uint64_t offset, uint32_t found) {
    return broken(reader, offset, "found link type %" PRIu32 ", expected 1, Ethernet", found);
}

/* The byte order of a section from the word behind its length. */
static bool order_of(link_reader_t *reader, const uint8_t *word, uint32_t magic) {
    reader->swapped = false;
    if (get_32(reader, word) != magic) {
        reader->swapped = true;
    }
    return get_32(reader, word) == magic;
}

static link_read_t read_classic_header(link_reader_t *reader) {
    uint8_t *head = reader->block;
    const link_read_t status =
        take(reader, head + 4, CLASSIC_HEADER - 4, false, "the header of a pcap file");
    if (status != LINK_READ_FRAME) {
        return status;
    }
    /* The upper half tells the length of a check sequence, which is kept. */
    const uint32_t type = get_32(reader, head + 20) & 0xffff;
    if (type != PCAP_ETHERNET) {
        return wrong_link_type(reader, 20, type);
    }
    reader->classic = true;
    return LINK_READ_FRAME;
}

static bool recognised(link_reader_t *reader) {
    const uint8_t *magic = reader->block;
    reader->nanoseconds = order_of(reader, magic, PCAP_NANOSECONDS);
    return reader->nanoseconds || order_of(reader, magic, PCAP_MICROSECONDS);
}

static link_read_t begin(link_reader_t *reader) {
    const link_read_t status = take(reader, reader->block, 4, false, "a capture's first word");
    if (status != LINK_READ_FRAME) {
        return status;
    }
    if (recognised(reader)) {
        return read_classic_header(reader);
    }
    if (get_32(reader, reader->block) != PCAPNG_SECTION) {
        reader->swapped = false;
        return broken(reader, 0,
                      "found 0x%08" PRIx32 ", expected the start of a pcapng or pcap file",
                      get_32(reader, reader->block));
    }
    rewind(reader->file);
    reader->offset = 0;
    return LINK_READ_FRAME;
}

link_reader_t *link_reader_open(const char *path, char error[LINK_CAPTURE_ERROR_BYTES]) {
    link_reader_t *reader = calloc(1, sizeof *reader);
    if (reader) {
        reader->file = fopen(path, "rbe");
    }
    if (!reader || !reader->file) {
        (void)snprintf(error, LINK_CAPTURE_ERROR_BYTES, "%.300s: %s", path, strerror(errno));
        free(reader);
        return NULL;
    }
    if (begin(reader) != LINK_READ_FRAME) {
        (void)snprintf(error, LINK_CAPTURE_ERROR_BYTES, "%.200s: %.300s", path, reader->error);
        link_reader_close(reader);
        return NULL;
    }
    return reader;
}

void link_reader_close(link_reader_t *reader) {
    if (reader) {
        (void)fclose(reader->file);
        free(reader);
    }
}

const char *link_reader_error(const link_reader_t *reader) { return reader->error; }

static link_read_t classic_next(link_reader_t *reader, link_record_t *record) {
    const uint64_t offset = reader->offset;
    uint8_t head[CLASSIC_RECORD];
    link_read_t status = take(reader, head, sizeof head, true, "a frame's header");
    if (status != LINK_READ_FRAME) {
        return status;
    }
    const uint32_t bytes = get_32(reader, head + 8);
    if (bytes > BLOCK_MAX) {
        return broken(reader, offset + 8, "found a frame of %" PRIu32 " bytes, expected %u at most",
                      bytes, BLOCK_MAX);
    }
    status = take(reader, reader->block, bytes, bytes == 0, "a frame");
    record->time_ns = get_32(reader, head) * SECOND_NS +
                      get_32(reader, head + 4) * (uint64_t)(reader->nanoseconds ? 1 : 1000);
    record->bytes = bytes;
    record->wire_bytes = get_32(reader, head + 12);
    record->frame = reader->block;
    return status == LINK_READ_BROKEN ? status : LINK_READ_FRAME;
}

/* Nanoseconds of a time in units of an interface. */
static uint64_t nanoseconds(const interface_t *interface, uint64_t time) {
    const unsigned unit = interface->time_unit & 0x7f;
    uint64_t ticks = 1; /* a second */
    if (interface->time_unit & 0x80) {
        ticks = unit < 63 ? UINT64_C(1) << unit : UINT64_C(1) << 63;
    } else {
        for (unsigned digit = 0; digit < unit && digit < 19; digit++) {
            ticks *= 10;
        }
    }
    const uint64_t part = time % ticks;
    /* More exact than a nanosecond: the rest is cut, without more than 64 bits on the way. */
    const uint64_t below = ticks >= SECOND_NS && ticks % SECOND_NS == 0
                               ? part / (ticks / SECOND_NS)
                               : (uint64_t)((double)part / (double)ticks * 1e9 + 0.5);
    return (interface->time_offset + time / ticks) * SECOND_NS + below;
}

/* Calls of `next_option`: where the next one begins, and what it has. */
typedef struct option {
    size_t at;
    size_t end;
    uint16_t code;
    uint16_t bytes;
    const uint8_t *value;
} option_t;

/* False at the end of the options, also when one is longer than what is left. */
static bool next_option(const link_reader_t *reader, option_t *option) {
    if (option->at + 4 > option->end) {
        return false;
    }
    const uint8_t *head = reader->block + option->at;
    option->code = get_16(reader, head);
    option->bytes = get_16(reader, head + 2);
    option->value = head + 4;
    option->at += 4 + ((option->bytes + 3u) & ~3u);
    return option->code != PCAPNG_OPTION_END && option->at <= option->end;
}

static link_read_t add_interface(link_reader_t *reader, uint64_t offset, uint32_t length) {
    option_t option = {.at = 16, .end = length - 4};
    if (length < 20 || reader->interfaces == INTERFACES_MAX) {
        return broken(reader, offset,
                      "found interface %u in a block of %" PRIu32
                      " bytes, expected %u interfaces at most in 20 bytes or more",
                      reader->interfaces, length, INTERFACES_MAX);
    }
    interface_t *interface = &reader->interface[reader->interfaces++];
    *interface = (interface_t){.link_type = get_16(reader, reader->block + 8),
                               .time_unit = 6,
                               .longest = get_32(reader, reader->block + 12)};
    while (next_option(reader, &option)) {
        if (option.code == PCAPNG_OPTION_TIME_UNIT && option.bytes == 1) {
            interface->time_unit = option.value[0];
        } else if (option.code == PCAPNG_OPTION_TIME_OFFSET && option.bytes == 8) {
            const uint64_t first = get_32(reader, option.value);
            const uint64_t second = get_32(reader, option.value + 4);
            interface->time_offset = reader->swapped ? first << 32 | second : second << 32 | first;
        }
    }
    return LINK_READ_END; /* no frame */
}

static void read_comment(const link_reader_t *reader, size_t at, size_t end, char *comment,
                         size_t room) {
    option_t option = {.at = at, .end = end};
    while (next_option(reader, &option)) {
        if (option.code == PCAPNG_OPTION_COMMENT) {
            (void)snprintf(comment, room, "%.*s", (int)option.bytes, (const char *)option.value);
            return;
        }
    }
}

static link_read_t packet(link_reader_t *reader, uint64_t offset, uint32_t length,
                          link_record_t *record) {
    const uint8_t *block = reader->block;
    if (length < 32) {
        return broken(reader, offset,
                      "found a packet block of %" PRIu32 " bytes, expected 32 or more", length);
    }
    record->interface = get_32(reader, block + 8);
    if (record->interface >= reader->interfaces) {
        return broken(reader, offset + 8, "found interface %" PRIu32 ", expected one of %u",
                      record->interface, reader->interfaces);
    }
    const interface_t *interface = &reader->interface[record->interface];
    if (interface->link_type != PCAP_ETHERNET) {
        return wrong_link_type(reader, offset, interface->link_type);
    }
    record->bytes = get_32(reader, block + 20);
    if (record->bytes > length - 32) {
        return broken(reader, offset + 20,
                      "found a frame of %zu bytes, expected %" PRIu32 " at most", record->bytes,
                      length - 32);
    }
    record->time_ns = nanoseconds(interface, (uint64_t)get_32(reader, block + 12) << 32 |
                                                 get_32(reader, block + 16));
    record->wire_bytes = get_32(reader, block + 24);
    record->frame = block + 28;
    read_comment(reader, 28 + ((record->bytes + 3) & ~(size_t)3), length - 4, record->comment,
                 sizeof record->comment);
    return LINK_READ_FRAME;
}

/* A frame without a time, of interface 0. */
static link_read_t simple_packet(link_reader_t *reader, uint64_t offset, uint32_t length,
                                 link_record_t *record) {
    if (length < 16 || reader->interfaces == 0) {
        return broken(reader, offset,
                      "found a simple packet of %" PRIu32
                      " bytes, expected 16 or more behind an interface",
                      length);
    }
    if (reader->interface[0].link_type != PCAP_ETHERNET) {
        return wrong_link_type(reader, offset, reader->interface[0].link_type);
    }
    const uint32_t longest = reader->interface[0].longest;
    record->wire_bytes = record->bytes = get_32(reader, reader->block + 8);
    if (longest > 0 && record->bytes > longest) {
        record->bytes = longest;
    }
    if (record->bytes > length - 16) {
        return broken(reader, offset + 8,
                      "found a frame of %zu bytes, expected %" PRIu32 " at most", record->bytes,
                      length - 16);
    }
    record->frame = reader->block + 12;
    return LINK_READ_FRAME;
}

/* Reads one block; its length, or 0 with `*status` set. */
static uint32_t read_block(link_reader_t *reader, link_read_t *status) {
    const uint64_t offset = reader->offset;
    uint8_t *block = reader->block;
    *status = take(reader, block, 12, true, "a block");
    if (*status != LINK_READ_FRAME) {
        return 0;
    }
    if (get_32(reader, block) == PCAPNG_SECTION) {
        if (!order_of(reader, block + 8, PCAPNG_BYTE_ORDER)) {
            *status = broken(reader, offset + 8, "found no byte order of a section");
            return 0;
        }
        reader->interfaces = 0;
    }
    const uint32_t length = get_32(reader, block + 4);
    if (length < 12 || length > BLOCK_MAX || length % 4 != 0) {
        *status = broken(reader, offset + 4,
                         "found a block of %" PRIu32 " bytes, expected 12 to %u in fours", length,
                         BLOCK_MAX);
        return 0;
    }
    if (length > 12) {
        *status = take(reader, block + 12, length - 12, false, "a block");
    }
    if (*status == LINK_READ_FRAME && get_32(reader, block + length - 4) != length) {
        *status = broken(reader, offset + length - 4,
                         "found %" PRIu32 " at the end of a block, expected its length %" PRIu32,
                         get_32(reader, block + length - 4), length);
    }
    return *status == LINK_READ_FRAME ? length : 0;
}

static link_read_t pcapng_next(link_reader_t *reader, link_record_t *record) {
    for (;;) {
        const uint64_t offset = reader->offset;
        link_read_t status;
        const uint32_t length = read_block(reader, &status);
        if (length == 0) {
            return status;
        }
        switch (get_32(reader, reader->block)) {
        case PCAPNG_INTERFACE:
            status = add_interface(reader, offset, length);
            break;
        case PCAPNG_PACKET:
            status = packet(reader, offset, length, record);
            break;
        case PCAPNG_SIMPLE:
            status = simple_packet(reader, offset, length, record);
            break;
        default:
            continue; /* names, statistics, blocks that are newer than this */
        }
        if (status != LINK_READ_END) {
            return status;
        }
    }
}

link_read_t link_reader_next(link_reader_t *reader, link_record_t *record) {
    if (reader->error[0] != '\0') {
        return LINK_READ_BROKEN;
    }
    *record = (link_record_t){.number = reader->frames + 1};
    const link_read_t status =
        reader->classic ? classic_next(reader, record) : pcapng_next(reader, record);
    reader->frames += status == LINK_READ_FRAME;
    return status;
}
