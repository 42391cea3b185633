/* SPDX-License-Identifier: Apache-2.0
 *
 * The socket, and the loop: the unit runs while a session has something in flight, and everything
 * sleeps otherwise.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "share.h"

#define RUN_CLOCKS 256
/* Something is in flight and nothing moves for so long: from then on it naps between its looks. */
#define STALLED_NS INT64_C(100000000)
#define NAP_MS 1

/* ---- the socket ------------------------------------------------------------------------------ */

/* Room for what stands behind the path while a socket is made and another is taken away. */
#define SUFFIX_BYTES 16

static tmu_result_t impossible(const share_t *share, int error) {
    return tmu_error_set(TMU_ERR_URI, "no socket can be made at %s: %s", share->path,
                         strerror(error));
}

/*
 * Takes away the socket that was found there, and no other: somebody else may have done that and
 * made a new one meanwhile, which is put back where it was.
 */
static void take_away(const char *path, const struct stat *found) {
    char aside[sizeof(((struct sockaddr_un *)0)->sun_path) + SUFFIX_BYTES];
    struct stat taken;
    (void)snprintf(aside, sizeof aside, "%s.%ld-", path, (long)getpid());
    if (rename(path, aside) != 0) {
        return;
    }
    if (lstat(aside, &taken) == 0 && taken.st_ino != found->st_ino) {
        (void)link(aside, path);
    }
    (void)unlink(aside);
}

/* Removes a socket that a process has left behind; what anybody has, stays. */
static tmu_result_t socket_clear(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat found;
    if (lstat(path, &found) != 0) {
        return TMU_OK;
    }
    if (!S_ISSOCK(found.st_mode)) {
        return tmu_error_set(TMU_ERR_URI, "%s exists and is no socket; choose another path", path);
    }
    memcpy(address.sun_path, path, strlen(path));
    int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int answers = connect(probe, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    (void)close(probe);
    if (answers != 0 && error == ENOENT) {
        return TMU_OK;
    }
    if (answers == 0 || error != ECONNREFUSED) {
        return tmu_error_set(TMU_ERR_BUSY,
                             "%s exists already and somebody serves it; end that one, or choose "
                             "another path",
                             path);
    }
    take_away(path, &found);
    return TMU_OK;
}

/* Makes a socket that listens, by another name; nobody meets one that does not listen yet. */
static tmu_result_t make_listener(share_t *share, const char *name) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, name, strlen(name));
    (void)unlink(name); /* of a process that had this one's number */
    share->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t others = umask(0177); /* this user alone, unless somebody changes it */
    int bound = share->listener < 0
                    ? -1
                    : bind(share->listener, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    (void)umask(others);
    if (bound != 0 || listen(share->listener, SHARE_SESSIONS_MAX) != 0) {
        return impossible(share, bound != 0 ? error : errno);
    }
    return TMU_OK;
}

/* Gives the socket its name, of which one process can have it. */
static tmu_result_t publish(const share_t *share, const char *name) {
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK && link(name, share->path) != 0) {
        result = errno == EEXIST ? socket_clear(share->path) : impossible(share, errno);
    }
    return result;
}

tmu_result_t share_listen(share_t *share) {
    char name[sizeof(((struct sockaddr_un *)0)->sun_path)];
    const size_t most = sizeof name - 1 - SUFFIX_BYTES;
    size_t length = strlen(share->path);
    if (length == 0 || length > most) {
        return tmu_error_set(TMU_ERR_URI,
                             "the path of a socket has 1 to %zu bytes, found '%s' with %zu", most,
                             share->path, length);
    }
    (void)snprintf(name, sizeof name, "%s.%ld", share->path, (long)getpid());
    tmu_result_t result = make_listener(share, name);
    if (result == TMU_OK) {
        result = publish(share, name);
    }
    (void)unlink(name);
    return result;
}

/* ---- sleeping -------------------------------------------------------------------------------- */

/* Whether the unit has something to do, or a session wants something of it. */
static bool busy(const share_t *share) {
    for (const share_session_t *session = share->sessions; session; session = session->next) {
        for (const share_queue_t *queue = session->queues; queue; queue = queue->next) {
            if (queue->in_flight > 0 || share_bell_waits(queue)) {
                return true;
            }
        }
    }
    return share->linger > 0;
}

static void say_asleep(const share_t *share, uint32_t asleep) {
    for (const share_session_t *session = share->sessions; session; session = session->next) {
        atomic_store_explicit(&session->memory->asleep, asleep, memory_order_relaxed);
    }
    /* Either this thread sees a bell afterwards, or who rings it sees that this one sleeps. */
    atomic_thread_fence(memory_order_seq_cst);
}

/* Waits for messages and signals; with nothing to do as long as it takes. */
static void wait_for(share_t *share, struct pollfd *files, bool runs, bool stalled) {
    nfds_t count = 2;
    files[0] = (struct pollfd){.fd = share->signals, .events = POLLIN};
    files[1] = (struct pollfd){.fd = share->listener, .events = POLLIN};
    for (const share_session_t *session = share->sessions; session; session = session->next) {
        files[count++] = (struct pollfd){.fd = session->socket, .events = POLLIN};
    }
    if (runs) {
        (void)poll(files, count, stalled ? NAP_MS : 0);
        return;
    }
    say_asleep(share, 1);
    (void)poll(files, count, busy(share) ? 0 : -1);
    say_asleep(share, 0);
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* One message of each session that has one; sessions that are over end. */
static tmu_result_t hear(share_t *share, const struct pollfd *files) {
    tmu_result_t result = TMU_OK;
    size_t at = 2;
    share_session_t *next = NULL;
    for (share_session_t *session = share->sessions; session && result == TMU_OK; session = next) {
        next = session->next;
        if (files[at++].revents != 0 && !session->wrong) {
            result = share_session_hear(share, session);
        }
        if (result == TMU_OK && session->wrong) {
            result = share_session_end(share, session);
        }
    }
    if (result == TMU_OK && files[1].revents != 0) {
        result = share_session_accept(share);
    }
    return result;
}

tmu_result_t share_serve(share_t *share) {
    struct pollfd files[2 + SHARE_SESSIONS_MAX];
    tmu_result_t result = TMU_OK;
    uint64_t moved = 0;
    int64_t moved_ns = 0;
    bool ended = false;
    while (result == TMU_OK && !ended) {
        bool runs = busy(share);
        if (runs) {
            share->linger -= share->linger < RUN_CLOCKS ? share->linger : RUN_CLOCKS;
            result = tmu_progress(share->device, RUN_CLOCKS);
        }
        int64_t now = share_now_ns();
        if (share->moved != moved || !runs) {
            moved = share->moved;
            moved_ns = now;
        }
        if (result == TMU_OK) {
            wait_for(share, files, runs, now - moved_ns > STALLED_NS);
            ended = files[0].revents != 0;
            result = hear(share, files);
        }
    }
    while (share->sessions && result == TMU_OK) {
        share->sessions->wrong = "tmu-share was told to end";
        result = share_session_end(share, share->sessions);
    }
    return result;
}
