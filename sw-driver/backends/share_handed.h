/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages of tmu-share, and the files that it hands over with them.
 */
#ifndef SHARE_HANDED_H
#define SHARE_HANDED_H

#include <stddef.h>
#include <sys/types.h>

/* Receives one message and maybe a file, or -1; the message's length, or -1 with errno. */
ssize_t share_receive(int socket, void *bytes, size_t size, int *file_p);

/*
 * Maps a file that was handed over, for this process and no child; MAP_FAILED unless the file has
 * so many bytes and will keep them, for a touch behind its end would be a SIGBUS.
 */
void *share_map_handed(int file, size_t bytes);

#endif
