/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that the two halves of the link library share. */
#ifndef LINK_PARTS_H
#define LINK_PARTS_H

#include "link.h"

/* A link on a file descriptor, which is closed when memory is used up; `packets`: one frame a read
 * and a write, without a length. */
link_t *link_made(int fd, bool packets);

#endif
