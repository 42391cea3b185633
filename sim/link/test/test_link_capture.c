/* SPDX-License-Identifier: Apache-2.0 */
/* Captures: what is written is read again; what is broken is told with its offset. */
#include "expect.h"
#include "link_capture.h"

#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/test_link_capture.XXXXXX";
static uint8_t file[1 << 16];

static size_t written(void) {
    FILE *stream = fopen(path, "rb");
    const size_t bytes = stream ? fread(file, 1, sizeof file, stream) : 0;
    if (stream) {
        (void)fclose(stream);
    }
    return bytes;
}

static void write_file(const void *bytes, size_t count) {
    FILE *stream = fopen(path, "wb");
    EXPECT(stream && fwrite(bytes, 1, count, stream) == count);
    if (stream) {
        (void)fclose(stream);
    }
}

#define FRAMES 6u

static uint64_t time_of(uint64_t number) { return number * UINT64_C(1000000007) + 1; }

static void write_capture(void) {
    static const char *const names[] = {"port 0", "port one"};
    char error[LINK_CAPTURE_ERROR_BYTES] = "";
    uint8_t frame[FRAMES];
    link_capture_t *capture = link_capture_open(path, "test_link_capture", names, 2, error);
    EXPECT_TEXT(error, "");
    for (unsigned number = 1; capture && number <= FRAMES; number++) {
        memset(frame, (int)number, sizeof frame);
        EXPECT(link_capture_write(capture, number & 1, time_of(number), frame, number,
                                  number % 3 == 0, number % 5 == 0 ? "dropped" : NULL));
    }
    EXPECT(capture && link_capture_close(capture));
}

static void what_is_written_is_read(void) {
    char error[LINK_CAPTURE_ERROR_BYTES] = "";
    link_record_t record;
    write_capture();
    link_reader_t *reader = link_reader_open(path, error);
    EXPECT_TEXT(error, "");
    for (unsigned number = 1; reader && number <= FRAMES; number++) {
        EXPECT_NUMBER(link_reader_next(reader, &record), LINK_READ_FRAME);
        EXPECT_NUMBER(record.number, number);
        EXPECT_NUMBER(record.interface, number & 1);
        EXPECT_NUMBER(record.time_ns, time_of(number));
        EXPECT_NUMBER(record.bytes, number);
        EXPECT_NUMBER(record.wire_bytes, number);
        EXPECT_NUMBER(record.frame[number - 1], number);
        EXPECT_TEXT(record.comment, number % 5 == 0 ? "dropped" : "");
    }
    EXPECT(reader && link_reader_next(reader, &record) == LINK_READ_END);
    link_reader_close(reader);
}

/* Number of frames in a file, or -1 with the error. */
static int count_frames(char error[LINK_CAPTURE_ERROR_BYTES]) {
    link_record_t record;
    int frames = 0;
    error[0] = '\0';
    link_reader_t *reader = link_reader_open(path, error);
    if (!reader) {
        return -1;
    }
    for (;;) {
        const link_read_t status = link_reader_next(reader, &record);
        if (status == LINK_READ_FRAME) {
            frames++;
            continue;
        }
        if (status == LINK_READ_BROKEN) {
            (void)snprintf(error, LINK_CAPTURE_ERROR_BYTES, "%s", link_reader_error(reader));
            EXPECT_NUMBER(link_reader_next(reader, &record), LINK_READ_BROKEN);
            frames = -1;
        }
        link_reader_close(reader);
        return frames;
    }
}

/* A capture that is cut is one of fewer frames where a block ends, else it is broken. */
static void every_cut_is_told_or_between_blocks(void) {
    char error[LINK_CAPTURE_ERROR_BYTES];
    write_capture();
    const size_t bytes = written();
    int whole = 0;
    EXPECT(bytes > 0);
    for (size_t count = 0; count < bytes; count++) {
        write_file(file, count);
        const int frames = count_frames(error);
        whole += frames >= 0;
        EXPECT((frames >= 0) == (error[0] == '\0'));
        EXPECT(frames >= 0 || strstr(error, "byte "));
    }
    /* Behind the section, behind either interface, behind each frame but the last one. */
    EXPECT_NUMBER(whole, 3 + FRAMES - 1);
}

/* No byte that is changed makes the reader hang, or read what is not there. */
static void every_changed_byte_ends(void) {
    char error[LINK_CAPTURE_ERROR_BYTES];
    write_capture();
    const size_t bytes = written();
    int broken = 0;
    for (size_t at = 0; at < bytes; at += at < 600 ? 1 : 37) {
        file[at] ^= 0xff;
        write_file(file, bytes);
        file[at] ^= 0xff;
        broken += count_frames(error) < 0;
    }
    EXPECT(broken > 50);
}

static void expect_broken(const void *bytes, size_t count, const char *sentence) {
    char error[LINK_CAPTURE_ERROR_BYTES];
    write_file(bytes, count);
    EXPECT_NUMBER(count_frames(error), -1);
    EXPECT(strstr(error, sentence));
}

static void what_is_no_capture_is_refused(void) {
    char error[LINK_CAPTURE_ERROR_BYTES] = "";
    expect_broken("", 0, "byte 0: found 0 bytes to the end of the file, expected 4 of a capture's");
    expect_broken("what?", 5, "byte 0: found 0x74616877, expected the start of a pcapng or pcap");
    (void)unlink(path);
    EXPECT(!link_reader_open(path, error));
    EXPECT(strstr(error, "No such file or directory"));
    EXPECT(!link_capture_open("/nowhere/at/all", "x", NULL, 0, error));
    EXPECT(strstr(error, "/nowhere/at/all: writing the capture: No such file"));
}

/* Classic pcap of the other byte order, one frame of two bytes at 1.000000003 s or 1.000003 s. */
static void classic_captures_of_either_order_are_read(void) {
    uint8_t classic[] = {0xa1, 0xb2, 0x3c, 0x4d, 0, 2, 0, 4, 0, 0, 0, 0, 0,   0,
                         0,    0,    0,    0,    4, 0, 0, 0, 0, 1, 0, 0, 0,   1,
                         0,    0,    0,    3,    0, 0, 0, 2, 0, 0, 0, 9, 'h', 'i'};
    char error[LINK_CAPTURE_ERROR_BYTES] = "";
    link_record_t record;
    for (unsigned unit = 1; unit <= 1000; unit *= 1000) {
        classic[2] = unit == 1 ? 0x3c : 0xc3;
        classic[3] = unit == 1 ? 0x4d : 0xd4;
        write_file(classic, sizeof classic);
        link_reader_t *reader = link_reader_open(path, error);
        EXPECT(reader && link_reader_next(reader, &record) == LINK_READ_FRAME);
        EXPECT_NUMBER(record.time_ns, 1000000000 + 3 * unit);
        EXPECT_NUMBER(record.bytes, 2);
        EXPECT_NUMBER(record.wire_bytes, 9);
        EXPECT(reader && memcmp(record.frame, "hi", 2) == 0);
        EXPECT(reader && link_reader_next(reader, &record) == LINK_READ_END);
        link_reader_close(reader);
    }
    expect_broken(classic, sizeof classic - 1,
                  "byte 40: found 1 bytes to the end of the file, expected 2 of a frame");
    classic[23] = 101;
    expect_broken(classic, sizeof classic, "byte 20: found link type 101, expected 1, Ethernet");
}

int main(void) {
    const int made = mkstemp(path);
    if (made < 0) {
        perror(path);
        return 1;
    }
    (void)close(made);
    RUN(what_is_written_is_read);
    RUN(every_cut_is_told_or_between_blocks);
    RUN(every_changed_byte_ends);
    RUN(what_is_no_capture_is_refused);
    RUN(classic_captures_of_either_order_are_read);
    (void)unlink(path);
    return expect_summary();
}
