/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inflates with zlib's stream calls and not with its gzip files, because those take bytes after a
 * complete gzip member for padding: a damaged second member would end a trace early and silently.
 */
#include "trace_input.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "tmu_trace.h"

#define COMPRESSED_SIZE 16384
#define TEXT_SIZE 65536 /* more than a line, so that most lines need no copying */

struct trace_input {
    FILE *file;
    bool gzip;
    bool in_member; /* inside a gzip member: the file may not end here */
    bool at_end;    /* no more text will come */
    z_stream inflater;
    size_t position; /* of the next line in text */
    size_t filled;
    unsigned char compressed[COMPRESSED_SIZE];
    char text[TEXT_SIZE + 1];
};

static int fail(trace_input_error_t *error, const char *found, const char *detail,
                const char *expected) {
    (void)snprintf(error->found, sizeof error->found, "%s%s%s%s", found, !detail ? "" : " (",
                   !detail ? "" : detail, !detail ? "" : ")");
    error->expected = expected;
    return -1;
}

static int fail_read(trace_input_error_t *error, int number) {
    return fail(error, "no readable file", strerror(number),
                "a trace that begins with \"# tmu-trace v1\"");
}

/* Tells gzip from text by the two bytes that open every gzip member. */
static int detect_gzip(trace_input_t *input, trace_input_error_t *error) {
    unsigned char *head = input->compressed;
    size_t count = fread(head, 1, 2, input->file);
    if (ferror(input->file)) {
        return fail_read(error, errno);
    }
    input->gzip = count == 2 && head[0] == 0x1f && head[1] == 0x8b;
    if (!input->gzip) {
        memcpy(input->text, head, count);
        input->filled = count;
        return 0;
    }
    input->inflater.next_in = head;
    input->inflater.avail_in = 2;
    input->in_member = true;
    if (inflateInit2(&input->inflater, 16 + MAX_WBITS) != Z_OK) {
        input->gzip = false;
        return fail(error, "no memory", NULL, "enough memory for one trace");
    }
    return 0;
}

trace_input_t *trace_input_open(const char *path, trace_input_error_t *error) {
    trace_input_t *input = calloc(1, sizeof *input);
    if (!input) {
        (void)fail(error, "no memory", NULL, "enough memory for one trace");
        return NULL;
    }
    input->file = fopen(path, "rb");
    if (!input->file) {
        (void)fail_read(error, errno);
        free(input);
        return NULL;
    }
    if (detect_gzip(input, error) != 0) {
        trace_input_close(input);
        return NULL;
    }
    return input;
}

void trace_input_close(trace_input_t *input) {
    if (!input) {
        return;
    }
    if (input->gzip) {
        (void)inflateEnd(&input->inflater);
    }
    (void)fclose(input->file);
    free(input);
}

/* Reads compressed bytes when none are left; notes the end of the file in at_end. */
static int refill_compressed(trace_input_t *input, trace_input_error_t *error) {
    z_stream *stream = &input->inflater;
    if (stream->avail_in > 0) {
        return 0;
    }
    stream->next_in = input->compressed;
    stream->avail_in = (uInt)fread(input->compressed, 1, COMPRESSED_SIZE, input->file);
    if (ferror(input->file)) {
        return fail_read(error, errno);
    }
    input->at_end = stream->avail_in == 0;
    return 0;
}

/* One step of inflating: adds some text, or none at a member's edge. */
static int fill_from_gzip(trace_input_t *input, trace_input_error_t *error) {
    z_stream *stream = &input->inflater;
    if (refill_compressed(input, error) != 0) {
        return -1;
    }
    if (input->at_end) {
        return input->in_member ? fail(error, "the end of the file inside the gzip data", NULL,
                                       "a complete gzip file")
                                : 0;
    }
    if (!input->in_member) { /* gzip files may be joined: one more member, or damage */
        (void)inflateReset(stream);
        input->in_member = true;
    }
    stream->next_out = (Bytef *)input->text + input->filled;
    stream->avail_out = (uInt)(TEXT_SIZE - input->filled);
    int result = inflate(stream, Z_NO_FLUSH);
    input->filled = TEXT_SIZE - stream->avail_out;
    if (result == Z_STREAM_END) {
        input->in_member = false;
    } else if (result == Z_MEM_ERROR) {
        return fail(error, "no memory", NULL, "enough memory for one trace");
    } else if (result != Z_OK && result != Z_BUF_ERROR) {
        return fail(error, "damaged gzip data", stream->msg, "a sound gzip file");
    }
    return 0;
}

static int fill(trace_input_t *input, trace_input_error_t *error) {
    if (input->gzip) {
        return fill_from_gzip(input, error);
    }
    size_t room = TEXT_SIZE - input->filled;
    size_t count = fread(input->text + input->filled, 1, room, input->file);
    input->filled += count;
    if (ferror(input->file)) {
        return fail_read(error, errno);
    }
    input->at_end = count < room;
    return 0;
}

/* The line's own faults; `length` is without the newline. */
static int check_line(char *line, size_t length, trace_input_error_t *error) {
    if (length > TMU_TRACE_LINE_MAX) {
        return fail(error, "a line of more than 4096 bytes", NULL, "at most 4096 bytes a line");
    }
    const char *nul = memchr(line, '\0', length);
    if (nul) {
        char where[40];
        (void)snprintf(where, sizeof where, "column %zu", (size_t)(nul - line) + 1);
        return fail(error, "a NUL byte", where, "text");
    }
    if (length > 0 && line[length - 1] == '\r') {
        return fail(error, "a carriage return at the end of the line", NULL,
                    "lines that end with a newline alone");
    }
    line[length] = '\0';
    return 1;
}

int trace_input_line(trace_input_t *input, char **line_p, trace_input_error_t *error) {
    size_t searched = 0;
    for (;;) {
        char *line = input->text + input->position;
        size_t length = input->filled - input->position;
        char *newline = memchr(line + searched, '\n', length - searched);
        if (newline) {
            input->position += (size_t)(newline - line) + 1;
            *line_p = line;
            return check_line(line, (size_t)(newline - line), error);
        }
        if (input->at_end && length == 0) {
            return 0;
        }
        if (length > TMU_TRACE_LINE_MAX) {
            return check_line(line, length, error);
        }
        if (input->at_end) {
            return fail(error, "a last line without a newline", NULL,
                        "a newline at the end of every line");
        }
        memmove(input->text, line, length);
        input->position = 0;
        input->filled = length;
        searched = length;
        if (fill(input, error) != 0) {
            return -1;
        }
    }
}
