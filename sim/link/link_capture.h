/* SPDX-License-Identifier: Apache-2.0
 *
 * Captures of frames: pcapng is written, pcapng and classic pcap are read.
 *
 * Times are nanoseconds and the caller's: of a simulated clock, or since 1970.
 */
#ifndef LINK_CAPTURE_H
#define LINK_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINK_CAPTURE_ERROR_BYTES 512u

typedef struct link_capture link_capture_t;

/*
 * Begins a capture with an interface for each name; `program` is told as what wrote it.  NULL with
 * a sentence in `error`.
 */
link_capture_t *link_capture_open(const char *path, const char *program, const char *const *names,
                                  unsigned interfaces, char error[LINK_CAPTURE_ERROR_BYTES]);

/* Adds a frame that interface `interface` received (`inbound`) or sent; `comment` may be NULL.
 * False when it could not be written: link_capture_close() tells it as well. */
bool link_capture_write(link_capture_t *capture, unsigned interface, uint64_t time_ns,
                        const uint8_t *frame, size_t bytes, bool inbound, const char *comment);

/* Writes buffered records to the file; false on failure. */
bool link_capture_flush(link_capture_t *capture);

/* False when a part could not be written. */
bool link_capture_close(link_capture_t *capture);

typedef struct link_reader link_reader_t;

typedef struct link_record {
    uint64_t number; /* from 1 */
    uint64_t time_ns;
    uint32_t interface;
    const uint8_t *frame; /* until the next one is read */
    size_t bytes;         /* that were captured */
    size_t wire_bytes;    /* that the frame had */
    char comment[256];    /* the first one, cut; empty when there is none */
} link_record_t;

typedef enum link_read { LINK_READ_FRAME, LINK_READ_END, LINK_READ_BROKEN } link_read_t;

/* Opens a capture; NULL with a sentence in `error`. */
link_reader_t *link_reader_open(const char *path, char error[LINK_CAPTURE_ERROR_BYTES]);

/* The next frame.  LINK_READ_BROKEN: link_reader_error() says what is wrong, at which byte. */
link_read_t link_reader_next(link_reader_t *reader, link_record_t *record);

const char *link_reader_error(const link_reader_t *reader);

void link_reader_close(link_reader_t *reader);

#endif
