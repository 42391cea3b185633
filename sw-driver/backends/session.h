/* SPDX-License-Identifier: Apache-2.0
 *
 * A session of a unit that others share: what was asked for by the URI, and how to ask for more.
 *
 * Calls are those of kernel/uapi/tmu_ioctl.h.  The kernel driver is asked by ioctl
 * (backend_dev.c), the program tmu-share by messages (backend_share.c); control_session.c does not
 * see the difference.
 */
#ifndef SESSION_H
#define SESSION_H

#include <pthread.h>
#include <sys/types.h>

#include "backend.h"
#include "tmu_ioctl.h"

/* A doorbell page that this session has, or had. */
typedef struct session_page {
    void *memory;   /* where it is rung; mapped while a queue is open on it */
    uint64_t queue; /* that has it, by the name that was given; 0 = none */
    int event_fd;   /* -1 before the first is asked for */
    uint64_t wakes; /* the queue whose interrupt signals it */
    pthread_mutex_t lock;
} session_page_t;

typedef struct session session_t;

typedef struct session_ops {
    const char *scheme;
    const char *subject; /* what the URI names: a file, a socket */
    const char *who;     /* shares the unit */

    /* One call; an error is this thread's sentence, which begins with `what`. */
    tmu_result_t (*call)(session_t *session, unsigned long request, void *argument,
                         const char *what);

    /* Has memory of this process for the ring of a queue, and enters it in the call; NULL: rings
     * are of whoever shares the unit, always. */
    tmu_result_t (*ring_get)(session_t *session, struct tmu_ioctl_open *open, tmu_dma_t *ring_p);

    /* Has what the unit was found to be; NULL: nothing is left to do.  What was done is undone
     * with the session's file. */
    tmu_result_t (*found)(session_t *session);

    /* Maps a queue that was opened, its ring unless that is there: all of it, or nothing and a
     * sentence. */
    tmu_result_t (*map)(session_t *session, const struct tmu_ioctl_open *open, session_page_t *page,
                        tmu_dma_t *ring_p);
    void (*unmap)(session_t *session, session_page_t *page, tmu_dma_t *ring);
} session_ops_t;

struct session {
    const session_ops_t *ops;
    int file;
    pid_t owner; /* a child has neither the calls nor the mappings */
    char path[256];
    uint32_t endpoints; /* asked for */
    bool own_rings;     /* the same: rings in memory of this process */
    tmu_depth_t reserve;
    session_page_t *pages; /* by number; set while the device's lock is held */
    uint32_t page_count;
    uint32_t vectors;
    const volatile struct tmu_ioctl_state *state; /* of the kernel driver, or NULL */
};

/* A session that is not open yet, with what the URI behind its scheme asks for. */
tmu_result_t session_init(session_t *session, const session_ops_t *ops, const char *rest);

/* Has entries for the pages, which session_end frees. */
tmu_result_t session_pages(session_t *session, uint32_t count);

/* Closes the file and the eventfds: whoever shares the unit ends what is still open. */
void session_end(session_t *session);

/* Closes a child's copy of the file, so that the session does not wait for the child's end. */
void session_forsake(void *session);

#endif
