/* SPDX-License-Identifier: Apache-2.0
 *
 * Links: what carries Ethernet frames between two cards, or between a card and a switch.
 *
 * A link is a Unix stream socket on which each frame follows its length, 32 bits, most significant
 * byte first, as QEMU's `-netdev stream` has it; or a tap device of the kernel.  Nothing here
 * waits: who has nothing to do waits with poll() on link_fd().
 */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A jumbo frame's 9,216 bytes, the Ethernet header and two VLAN tags; no check sequence. */
#define LINK_FRAME_MAX 9238u
#define LINK_LENGTH_BYTES 4u
/* Bytes of frames that a link keeps while the other end does not read. */
#define LINK_QUEUE_BYTES (64u * 1024u)
/* The kernel's limit of a socket's path, without the zero behind it. */
#define LINK_PATH_MAX 107u
#define LINK_ERROR_BYTES 256u

typedef struct link_end link_t;

typedef enum link_status {
    LINK_FRAME,   /* a frame is there */
    LINK_NOTHING, /* none yet: wait with poll() */
    LINK_CLOSED,  /* the other end has closed between two frames */
    LINK_BROKEN   /* the stream cannot go on; link_error() says why */
} link_status_t;

/* Connects with `unix:PATH` or `tap:NAME`; NULL with a sentence in `error`. */
link_t *link_connect(const char *address, char error[LINK_ERROR_BYTES]);

/* A link on a connected stream socket, which it then owns; NULL when memory is used up. */
link_t *link_from_socket(int socket);

void link_close(link_t *link);

int link_fd(const link_t *link);

/* Why the link is broken: what was found, what was expected. */
const char *link_error(const link_t *link);

/*
 * The next frame, at `*frame_p` until the next call.  A length beyond LINK_FRAME_MAX, or 0, breaks
 * the link: where the next frame begins is then unknown.
 */
link_status_t link_receive(link_t *link, const uint8_t **frame_p, size_t *bytes_p);

/*
 * Sends a frame of 1 to LINK_FRAME_MAX bytes, or keeps it until the other end reads.  False when
 * there is no room for it: nothing of it is sent, and the caller keeps it or drops it.
 */
bool link_send(link_t *link, const uint8_t *frame, size_t bytes);

/* Whether something of a frame waits to be written: poll() for POLLOUT, then link_flush(). */
bool link_waits(const link_t *link);

/* Writes what the other end takes; false when the link is broken. */
bool link_flush(link_t *link);

/* Listens at a path where nothing is yet; -1 with a sentence in `error`.  A socket file that nobody
 * serves any more is replaced. */
int link_listen(const char *path, char error[LINK_ERROR_BYTES]);

/* The next connection at a listening socket; NULL when there is none. */
link_t *link_accept(int listener);

#endif
