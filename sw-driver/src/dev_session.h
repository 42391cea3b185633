/* SPDX-License-Identifier: Apache-2.0
 *
 * A session of the kernel driver: an open file, and what was asked for by the URI.
 */
#ifndef DEV_SESSION_H
#define DEV_SESSION_H

#include <pthread.h>
#include <sys/types.h>

#include "backend.h"
#include "tmu_ioctl.h"

/** A doorbell page that this session has, or had. */
typedef struct dev_page {
    void *memory;   /* mapped while a queue is open on it */
    uint64_t queue; /* that has it, by the driver's name; 0 = none */
    int event_fd;   /* -1 before the first is asked for */
    uint64_t wakes; /* the queue whose interrupt signals it */
} dev_page_t;

typedef struct dev_session {
    int file;
    pid_t owner; /* a child has neither the file's calls nor the mappings */
    char path[256];
    uint32_t endpoints; /* asked for */
    tmu_depth_t reserve;
    dev_page_t *pages; /* by number; set while the device's lock is held */
    uint32_t page_count;
    uint32_t vectors;
    pthread_mutex_t lock; /* of the eventfds */
} dev_session_t;

/** One call; an error is this thread's sentence, which begins with `what`. */
tmu_result_t dev_call(const dev_session_t *session, unsigned long request, void *argument,
                      const char *what);

#endif
