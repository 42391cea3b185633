/* SPDX-License-Identifier: Apache-2.0
 *
 * The socket, and the loop: the unit runs while a session has something in flight, and everything
 * sleeps otherwise.
 */
#include <errno.h>
#include <poll.h>
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

/* ---- the socket --------------------------------------------------------------------------------
 */

/** Removes a socket that a process has left behind; what anybody has, stays. */
static tmu_result_t place_clear(const char *path, const struct sockaddr_un *address) {
    struct stat found;
    if (lstat(path, &found) != 0) {
        return TMU_OK;
    }
    if (!S_ISSOCK(found.st_mode)) {
        return tmu_error_set(TMU_ERR_URI, "%s exists and is no socket; choose another path", path);
    }
    int probe = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    int answers = connect(probe, (const struct sockaddr *)address, sizeof *address);
    int error = errno;
    (void)close(probe);
    if (answers == 0 || error != ECONNREFUSED) {
        return tmu_error_set(TMU_ERR_BUSY,
                             "%s exists already and somebody serves it; end that one, or choose "
                             "another path",
                             path);
    }
    (void)unlink(path);
    return TMU_OK;
}

tmu_result_t share_listen(share_t *share) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = strlen(share->path);
    if (length == 0 || length >= sizeof address.sun_path) {
        return tmu_error_set(TMU_ERR_URI,
                             "the path of a socket has 1 to %zu bytes, found '%s' with %zu",
                             sizeof address.sun_path - 1, share->path, length);
    }
    memcpy(address.sun_path, share->path, length);
    tmu_result_t result = place_clear(share->path, &address);
    if (result != TMU_OK) {
        return result;
    }
    share->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    mode_t others = umask(0177); /* this user alone, unless somebody changes it */
    int bound = share->listener < 0
                    ? -1
                    : bind(share->listener, (const struct sockaddr *)&address, sizeof address);
    int error = errno;
    (void)umask(others);
    if (bound != 0 || listen(share->listener, SHARE_SESSIONS_MAX) != 0) {
        return tmu_error_set(TMU_ERR_URI, "no socket can be made at %s: %s", share->path,
                             strerror(bound != 0 ? error : errno));
    }
    return TMU_OK;
}

/* ---- sleeping ----------------------------------------------------------------------------------
 */

/** Whether the unit has something to do, or a session wants something of it. */
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

/** Waits for messages and signals; with nothing to do as long as it takes. */
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

/* ---- the loop ----------------------------------------------------------------------------------
 */

/** One message of each session that has one; sessions that are over end. */
static tmu_result_t hear(share_t *share, const struct pollfd *files) {
    tmu_result_t result = TMU_OK;
    size_t place = 2;
    share_session_t *next = NULL;
    for (share_session_t *session = share->sessions; session && result == TMU_OK; session = next) {
        next = session->next;
        if (files[place++].revents != 0 && !session->wrong) {
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
