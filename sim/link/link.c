/* SPDX-License-Identifier: Apache-2.0 */
/* Frames in a stream: reassembly of what comes, a bounded queue of what goes. */
#include "link.h"
#include "link_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Room for many small frames a read. */
#define RECEIVE_BYTES (64u * 1024u)

struct link_end {
    int fd;
    bool packets; /* a tap: each read and write is one frame, without a length */
    bool ended;   /* the other end has closed */
    bool broken;
    size_t taken; /* bytes of `received` that were handed out */
    size_t held;  /* bytes in `received` */
    size_t first; /* of the bytes in `queue` that wait */
    size_t waiting;
    char error[LINK_ERROR_BYTES];
    uint8_t received[RECEIVE_BYTES];
    uint8_t queue[LINK_QUEUE_BYTES];
};

link_t *link_made(int fd, bool packets) {
    link_t *link = calloc(1, sizeof *link);
    const int flags = fcntl(fd, F_GETFL);
    if (!link || flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0) {
        free(link);
        (void)close(fd);
        return NULL;
    }
    link->fd = fd;
    link->packets = packets;
    return link;
}

link_t *link_from_socket(int socket) { return link_made(socket, false); }

void link_close(link_t *link) {
    if (link) {
        (void)close(link->fd);
        free(link);
    }
}

int link_fd(const link_t *link) { return link->fd; }

const char *link_error(const link_t *link) { return link->error; }

bool link_waits(const link_t *link) { return link->waiting > 0; }

static uint32_t read_length(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
           (uint32_t)bytes[3];
}

static void write_length(uint8_t *bytes, size_t length) {
    for (unsigned byte = 0; byte < LINK_LENGTH_BYTES; byte++) {
        bytes[byte] = (uint8_t)(length >> (24 - 8 * byte));
    }
}

static link_status_t broken_by_errno(link_t *link, const char *doing) {
    link->broken = true;
    (void)snprintf(link->error, sizeof link->error, "%s: %s", doing, strerror(errno));
    return LINK_BROKEN;
}

static link_status_t broken_by_length(link_t *link, uint32_t found) {
    link->broken = true;
    (void)snprintf(link->error, sizeof link->error,
                   "found a frame of %u bytes, expected 1 to %u: no link, or not at its start",
                   (unsigned)found, LINK_FRAME_MAX);
    return LINK_BROKEN;
}

/* Reads what there is behind what is held; LINK_FRAME when that was something. */
static link_status_t fill(link_t *link) {
    if (link->taken > 0) {
        memmove(link->received, link->received + link->taken, link->held - link->taken);
        link->held -= link->taken;
        link->taken = 0;
    }
    const ssize_t got = read(link->fd, link->received + link->held, RECEIVE_BYTES - link->held);
    if (got > 0) {
        link->held += (size_t)got;
        return LINK_FRAME;
    }
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return LINK_NOTHING;
    }
    /* A peer that is killed with unread frames of ours resets the connection: it is gone. */
    if (got < 0 && errno != ECONNRESET) {
        return broken_by_errno(link, "reading from the link");
    }
    link->ended = true;
    return LINK_CLOSED;
}

static link_status_t receive_packet(link_t *link, const uint8_t **frame_p, size_t *bytes_p) {
    link->held = link->taken = 0;
    const link_status_t status = fill(link);
    if (status == LINK_FRAME && link->held > LINK_FRAME_MAX) {
        return LINK_NOTHING; /* the kernel's own segment offload is off; nobody else makes one */
    }
    *frame_p = link->received;
    *bytes_p = link->held;
    return status;
}

/* The frame that is whole in what is held. */
static link_status_t next_held(link_t *link, const uint8_t **frame_p, size_t *bytes_p) {
    const size_t left = link->held - link->taken;
    if (left < LINK_LENGTH_BYTES) {
        return LINK_NOTHING;
    }
    const uint32_t length = read_length(link->received + link->taken);
    if (length == 0 || length > LINK_FRAME_MAX) {
        return broken_by_length(link, length);
    }
    if (left - LINK_LENGTH_BYTES < length) {
        return LINK_NOTHING;
    }
    *frame_p = link->received + link->taken + LINK_LENGTH_BYTES;
    *bytes_p = length;
    link->taken += LINK_LENGTH_BYTES + length;
    return LINK_FRAME;
}

static link_status_t ended(link_t *link) {
    const size_t left = link->held - link->taken;
    if (left == 0) {
        return LINK_CLOSED;
    }
    link->broken = true;
    (void)snprintf(link->error, sizeof link->error,
                   "the other end closed inside a frame: found %zu of its bytes, length included",
                   left);
    return LINK_BROKEN;
}

link_status_t link_receive(link_t *link, const uint8_t **frame_p, size_t *bytes_p) {
    if (link->broken) {
        return LINK_BROKEN;
    }
    if (link->packets) {
        return receive_packet(link, frame_p, bytes_p);
    }
    link_status_t status = next_held(link, frame_p, bytes_p);
    while (status == LINK_NOTHING && !link->ended) {
        status = fill(link);
        if (status == LINK_NOTHING || status == LINK_BROKEN) {
            return status;
        }
        status = next_held(link, frame_p, bytes_p);
    }
    return status == LINK_NOTHING ? ended(link) : status;
}

static void put(link_t *link, const uint8_t *bytes, size_t count) {
    size_t at = (link->first + link->waiting) % LINK_QUEUE_BYTES;
    const size_t straight = LINK_QUEUE_BYTES - at < count ? LINK_QUEUE_BYTES - at : count;
    memcpy(link->queue + at, bytes, straight);
    memcpy(link->queue, bytes + straight, count - straight);
    link->waiting += count;
}

static bool send_packet(link_t *link, const uint8_t *frame, size_t bytes) {
    if (write(link->fd, frame, bytes) >= 0) {
        return true;
    }
    if (errno != EAGAIN && errno != EINTR && errno != ENOBUFS) {
        (void)broken_by_errno(link, "writing to the tap device");
    }
    return false;
}

bool link_send(link_t *link, const uint8_t *frame, size_t bytes) {
    uint8_t length[LINK_LENGTH_BYTES];
    if (link->broken || bytes == 0 || bytes > LINK_FRAME_MAX) {
        return false;
    }
    if (link->packets) {
        return send_packet(link, frame, bytes);
    }
    if (LINK_QUEUE_BYTES - link->waiting < LINK_LENGTH_BYTES + bytes && !link_flush(link)) {
        return false;
    }
    if (LINK_QUEUE_BYTES - link->waiting < LINK_LENGTH_BYTES + bytes) {
        return false;
    }
    write_length(length, bytes);
    put(link, length, sizeof length);
    put(link, frame, bytes);
    return true;
}

bool link_flush(link_t *link) {
    while (link->waiting > 0 && !link->broken) {
        const size_t edge = LINK_QUEUE_BYTES - link->first;
        const size_t count = link->waiting < edge ? link->waiting : edge;
        /* A peer that is gone is an error here, not a signal. */
        const ssize_t sent = send(link->fd, link->queue + link->first, count, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EAGAIN || errno == EINTR) {
                return true;
            }
            (void)broken_by_errno(link, "writing to the link");
            return false;
        }
        link->first = (link->first + (size_t)sent) % LINK_QUEUE_BYTES;
        link->waiting -= (size_t)sent;
    }
    return !link->broken;
}
