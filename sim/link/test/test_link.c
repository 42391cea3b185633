/* SPDX-License-Identifier: Apache-2.0 */
/* Links: reassembly at every split, bounds, back pressure, addresses. */
#include "expect.h"
#include "link.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static link_t *pair(int *other_p) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        perror("socketpair");
        exit(1);
    }
    *other_p = ends[1];
    return link_from_socket(ends[0]);
}

static void feed(int fd, const void *bytes, size_t count) {
    EXPECT_NUMBER(write(fd, bytes, count), count);
}

/* Two frames, of 3 and 5 bytes. */
static const uint8_t two[] = {0, 0, 0, 3, 'o', 'n', 'e', 0, 0, 0, 5, 't', 'w', 'o', '2', '2'};

static void expect_frame(link_t *link, const char *text) {
    const uint8_t *frame = NULL;
    size_t bytes = 0;
    EXPECT_NUMBER(link_receive(link, &frame, &bytes), LINK_FRAME);
    EXPECT_NUMBER(bytes, strlen(text));
    EXPECT(frame && memcmp(frame, text, bytes) == 0);
}

static void expect_status(link_t *link, link_status_t status) {
    const uint8_t *frame;
    size_t bytes;
    EXPECT_NUMBER(link_receive(link, &frame, &bytes), status);
}

static void frames_are_whole_at_every_split(void) {
    for (size_t a = 0; a <= sizeof two; a++) {
        for (size_t b = a; b <= sizeof two; b++) {
            int other;
            link_t *link = pair(&other);
            const size_t edges[] = {0, a, b, sizeof two};
            unsigned frames = 0;
            for (unsigned piece = 0; piece < 3; piece++) {
                const uint8_t *frame;
                size_t bytes;
                feed(other, two + edges[piece], edges[piece + 1] - edges[piece]);
                while (link_receive(link, &frame, &bytes) == LINK_FRAME) {
                    EXPECT_NUMBER(bytes, frames == 0 ? 3 : 5);
                    EXPECT(memcmp(frame, frames == 0 ? "one" : "two22", bytes) == 0);
                    frames++;
                }
            }
            EXPECT_NUMBER(frames, 2);
            (void)close(other);
            expect_status(link, LINK_CLOSED);
            link_close(link);
        }
    }
}

static void the_largest_frame_passes_and_one_byte_more_breaks(void) {
    static uint8_t bytes[LINK_LENGTH_BYTES + LINK_FRAME_MAX];
    const uint8_t longer[] = {0, 0, (LINK_FRAME_MAX + 1) >> 8, (LINK_FRAME_MAX + 1) & 0xff};
    const uint8_t *frame;
    size_t found;
    int other;
    link_t *link = pair(&other);
    bytes[2] = LINK_FRAME_MAX >> 8;
    bytes[3] = LINK_FRAME_MAX & 0xff;
    feed(other, bytes, sizeof bytes);
    EXPECT_NUMBER(link_receive(link, &frame, &found), LINK_FRAME);
    EXPECT_NUMBER(found, LINK_FRAME_MAX);
    feed(other, longer, sizeof longer);
    expect_status(link, LINK_BROKEN);
    EXPECT_TEXT(link_error(link), "found a frame of 9239 bytes, expected 1 to 9238: no link, or "
                                  "not at its start");
    feed(other, two, sizeof two);
    expect_status(link, LINK_BROKEN); /* and stays so */
    EXPECT(!link_send(link, bytes, 14));
    link_close(link);
    (void)close(other);
}

static void a_frame_of_nothing_breaks(void) {
    int other;
    link_t *link = pair(&other);
    feed(other, "\0\0\0", 4);
    expect_status(link, LINK_BROKEN);
    link_close(link);
    (void)close(other);
}

static void an_end_inside_a_frame_is_told(void) {
    for (size_t count = 1; count < 7; count++) {
        int other;
        link_t *link = pair(&other);
        feed(other, two, count);
        (void)close(other);
        expect_status(link, LINK_BROKEN);
        EXPECT(strstr(link_error(link), "closed inside a frame"));
        link_close(link);
    }
}

static void frames_before_the_end_are_received(void) {
    int other;
    link_t *link = pair(&other);
    feed(other, two, sizeof two);
    (void)close(other);
    expect_frame(link, "one");
    expect_frame(link, "two22");
    expect_status(link, LINK_CLOSED);
    link_close(link);
}

/* Frames of different sizes, of which each byte is known, until no more is taken. */
static unsigned fill(link_t *link) {
    static uint8_t frame[LINK_FRAME_MAX];
    unsigned sent = 0;
    for (;;) {
        const size_t bytes = 1 + sent * 977u % LINK_FRAME_MAX;
        memset(frame, (int)(sent & 0xff), bytes);
        if (!link_send(link, frame, bytes)) {
            return sent;
        }
        sent++;
    }
}

static void a_reader_that_is_slow_holds_back_whole_frames(void) {
    int other;
    link_t *link = pair(&other);
    link_t *reader = link_from_socket(other);
    for (unsigned round = 0; round < 3; round++) {
        const unsigned sent = fill(link);
        unsigned got = 0;
        EXPECT(sent > LINK_QUEUE_BYTES / LINK_FRAME_MAX);
        EXPECT(link_waits(link));
        for (;;) {
            const uint8_t *frame;
            size_t bytes;
            const link_status_t status = link_receive(reader, &frame, &bytes);
            if (status == LINK_FRAME) {
                EXPECT_NUMBER(bytes, 1 + got * 977u % LINK_FRAME_MAX);
                EXPECT_NUMBER(frame[bytes - 1], got & 0xff);
                got++;
            } else if (link_waits(link)) {
                EXPECT(link_flush(link));
            } else {
                break;
            }
        }
        EXPECT_NUMBER(got, sent);
    }
    link_close(reader);
    link_close(link);
}

static void writing_to_a_dead_peer_is_an_error_and_no_signal(void) {
    int other;
    link_t *link = pair(&other);
    (void)close(other);
    EXPECT(link_send(link, two, sizeof two));
    EXPECT(!link_flush(link));
    EXPECT(strstr(link_error(link), "writing to the link"));
    link_close(link);
}

static void expect_refused(const char *address, const char *sentence) {
    char error[LINK_ERROR_BYTES] = "";
    EXPECT(!link_connect(address, error));
    EXPECT_TEXT(error, sentence);
}

static void wrong_addresses_are_refused_with_a_sentence(void) {
    char error[LINK_ERROR_BYTES] = "";
    char path[LINK_PATH_MAX + 2];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    expect_refused("tcp:80", "found the link 'tcp:80', expected unix:PATH or tap:NAME");
    expect_refused("unix:/nowhere/s",
                   "/nowhere/s: connecting with the socket: No such file or directory");
    expect_refused("unix:", ": found a path of 0 characters, expected 1 to 107");
    expect_refused("tap:a-name-of-sixteen", "tap:a-name-of-sixteen: found a name of 17 characters, "
                                            "expected 1 to 15");
    EXPECT_NUMBER(link_listen(path, error), -1);
    EXPECT(strstr(error, "found a path of 108 characters, expected 1 to 107"));
}

static void a_path_in_use_is_refused_and_a_dead_socket_replaced(void) {
    char folder[] = "/tmp/test_link.XXXXXX";
    char path[64];
    char error[LINK_ERROR_BYTES] = "";
    EXPECT(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/s", folder);
    (void)close(open(path, O_CREAT | O_WRONLY, 0600));
    EXPECT_NUMBER(link_listen(path, error), -1);
    EXPECT(strstr(error, "found a file there, expected a socket or nothing"));
    (void)unlink(path);
    const int listener = link_listen(path, error);
    EXPECT(listener >= 0);
    EXPECT_NUMBER(link_listen(path, error), -1);
    EXPECT(strstr(error, "found a socket in use"));
    (void)close(listener);
    const int again = link_listen(path, error);
    EXPECT(again >= 0);
    (void)close(again);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(void) {
    RUN(frames_are_whole_at_every_split);
    RUN(the_largest_frame_passes_and_one_byte_more_breaks);
    RUN(a_frame_of_nothing_breaks);
    RUN(an_end_inside_a_frame_is_told);
    RUN(frames_before_the_end_are_received);
    RUN(a_reader_that_is_slow_holds_back_whole_frames);
    RUN(writing_to_a_dead_peer_is_an_error_and_no_signal);
    RUN(wrong_addresses_are_refused_with_a_sentence);
    RUN(a_path_in_use_is_refused_and_a_dead_socket_replaced);
    return expect_summary();
}
