/* SPDX-License-Identifier: Apache-2.0
 *
 * `share:SOCKET`: a session of the program tmu-share, which owns a unit, beside those of others.
 *
 * Doorbells are bells in memory that both have mapped; tmu-share rings them in the unit's page that
 * it granted, in order.  There are no registers here: control_session.c asks tmu-share.
 */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "control.h"
#include "session.h"
#include "share_handed.h"
#include "share_protocol.h"
#include "tmu_look.h"
#include "tmu_wire.h"

/* For one answer: emptying the endpoints of others that end may come before it. */
#define PATIENCE_S 60
/* A thread that waits has other things to look at as well. */
#define NAP_NS 200000

typedef struct share {
    session_t session; /* first: control_session.c knows no other */
    struct tmu_share_session *memory;
    _Atomic uint32_t seen; /* of memory->written */
    _Atomic int64_t looked_ns;
    pthread_mutex_t talk; /* a question and its answer */
    int handed;           /* the file that came with the answer to TMU_IOCTL_OPEN, or -1 */
} share_t;

/* ---- messages -------------------------------------------------------------------------------- */

static tmu_result_t gone(const session_t *session, const char *what) {
    return tmu_error_set(TMU_ERR_DEVICE,
                         "%s: tmu-share at %s has ended or has ended this session; see what it "
                         "said, start it again and open the device anew",
                         what, session->path);
}

/* Sentence for an errno of tmu-share's. */
static tmu_result_t refused(const session_t *session, int error, const char *what) {
    switch (error) {
    case ENOSPC:
        return tmu_error_set(TMU_ERR_BUSY,
                             "%s: the unit of tmu-share at %s has no more of them free; end a "
                             "program that has some, or ask for fewer",
                             what, session->path);
    case ENOMEM:
        return tmu_error_set(TMU_ERR_MEMORY, "%s: tmu-share at %s has no memory", what,
                             session->path);
    default:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: tmu-share at %s: %s", what, session->path,
                             strerror(error));
    }
}

/* Takes an answer apart: `size` bytes of structure, and counters where they belong. */
static tmu_result_t answer_take(const session_t *session, unsigned long request, void *argument,
                                const char *bytes, size_t length, const char *what) {
    struct tmu_share_answer answer = {.error = EPROTO};
    size_t size = _IOC_SIZE(request);
    if (length >= sizeof answer) {
        memcpy(&answer, bytes, sizeof answer);
    }
    if (answer.error != 0) {
        return refused(session, answer.error, what);
    }
    const char *rest = bytes + sizeof answer;
    size_t left = length - sizeof answer;
    if (left < size) {
        return refused(session, EPROTO, what);
    }
    if (request == TMU_IOCTL_COUNTERS) {
        struct tmu_ioctl_counters *asked = argument;
        struct tmu_ioctl_counters found;
        memcpy(&found, rest, sizeof found);
        size_t values = (left - size) / sizeof(uint64_t);
        values = values < asked->count ? values : asked->count;
        memcpy((void *)(uintptr_t)asked->values, rest + size, values * sizeof(uint64_t));
        asked->count = found.count;
        return TMU_OK;
    }
    memcpy(argument, rest, size);
    return TMU_OK;
}

static tmu_result_t share_call(session_t *session, unsigned long request, void *argument,
                               const char *what) {
    share_t *share = (share_t *)session;
    char bytes[TMU_SHARE_MESSAGE_MAX];
    const struct tmu_share_question question = {.call = (uint32_t)request};
    size_t size = _IOC_SIZE(request);
    int file = -1;
    if (getpid() != session->owner) {
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s was opened by another process", what,
                             session->path);
    }
    memcpy(bytes, &question, sizeof question);
    memcpy(bytes + sizeof question, argument, size);
    pthread_mutex_lock(&share->talk);
    ssize_t length = send(session->file, bytes, sizeof question + size, MSG_NOSIGNAL);
    if (length > 0) {
        length = share_receive(session->file, bytes, sizeof bytes, &file);
    }
    bool late = length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (late) { /* an answer that comes after all must not be taken for the next one */
        (void)shutdown(session->file, SHUT_RDWR);
    }
    pthread_mutex_unlock(&share->talk);
    tmu_result_t result = TMU_ERR_DEVICE;
    if (late) {
        (void)tmu_error_set(result, "%s: tmu-share at %s does not answer for %d s; is it stopped?",
                            what, session->path, PATIENCE_S);
    } else if (length <= 0) {
        (void)gone(session, what);
    } else {
        result = answer_take(session, request, argument, bytes, (size_t)length, what);
    }
    if (result == TMU_OK && request == TMU_IOCTL_OPEN) {
        share->handed = file;
    } else if (file >= 0) {
        (void)close(file);
    }
    return result;
}

/* ---- opening --------------------------------------------------------------------------------- */

static tmu_result_t unreachable(const session_t *session) {
    const char *path = session->path;
    switch (errno) {
    case ENOENT:
        return tmu_error_set(
            TMU_ERR_URI, "there is no socket %s; start one with: tmu-share DEVICE %s", path, path);
    case ECONNREFUSED:
        return tmu_error_set(TMU_ERR_URI,
                             "nobody answers at %s: tmu-share has ended; start it again with: "
                             "tmu-share DEVICE %s",
                             path, path);
    case EPROTOTYPE:
    case ENOTSOCK:
        return tmu_error_set(TMU_ERR_URI, "%s is no socket of tmu-share", path);
    case EACCES:
        return tmu_error_set(TMU_ERR_URI,
                             "no permission for %s; whoever started tmu-share can type: chmod a+rw "
                             "%s",
                             path, path);
    default:
        return tmu_error_set(TMU_ERR_URI, "%s cannot be reached: %s", path, strerror(errno));
    }
}

static tmu_result_t join(session_t *session) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    size_t length = strlen(session->path);
    if (length >= sizeof address.sun_path) {
        return tmu_error_set(TMU_ERR_URI, "the path of the socket %s has %zu bytes, at most %zu",
                             session->path, length, sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, session->path, length);
    session->file = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (session->file < 0 ||
        setsockopt(session->file, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) != 0 ||
        setsockopt(session->file, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) != 0 ||
        connect(session->file, (const struct sockaddr *)&address, sizeof address) != 0) {
        return unreachable(session);
    }
    return TMU_OK;
}

/* Reads the greeting, and maps the session's memory. */
static tmu_result_t greet(share_t *share) {
    session_t *session = &share->session;
    struct tmu_share_greeting greeting = {0};
    int file = -1;
    ssize_t length = share_receive(session->file, &greeting, sizeof greeting, &file);
    void *memory = MAP_FAILED;
    tmu_result_t result = TMU_OK;
    if (length != sizeof greeting || greeting.magic != TMU_SHARE_MAGIC) {
        result = tmu_error_set(TMU_ERR_URI, "%s is no socket of tmu-share: found no greeting",
                               session->path);
    } else if (greeting.version != TMU_SHARE_VERSION) {
        result = tmu_error_set(TMU_ERR_VERSION,
                               "%s: tmu-share has version %u of its messages, this library %d; "
                               "start the tmu-share that came with the library",
                               session->path, greeting.version, TMU_SHARE_VERSION);
    } else if (greeting.error != 0) {
        result = refused(session, greeting.error == EUSERS ? ENOSPC : greeting.error, "a session");
    } else {
        memory = share_map_handed(file, sizeof *share->memory);
    }
    if (result == TMU_OK && memory == MAP_FAILED) {
        result = tmu_error_set(TMU_ERR_MEMORY, "the memory of a session of %s cannot be mapped",
                               session->path);
    }
    if (file >= 0) {
        (void)close(file);
    }
    share->memory = memory == MAP_FAILED ? NULL : memory;
    return result;
}

static void share_close(void *backend) {
    share_t *share = backend;
    if (share->memory) {
        (void)munmap(share->memory, sizeof *share->memory);
    }
    session_end(&share->session);
    pthread_mutex_destroy(&share->talk);
    free(share);
}

static tmu_result_t share_map(session_t *session, const struct tmu_ioctl_open *open,
                              session_page_t *page, tmu_dma_t *ring_p) {
    share_t *share = (share_t *)session;
    size_t bytes = TMU_SHARE_RING_OFFSET + (sizeof(tmu_record_t) << open->ring_log2);
    void *memory = share_map_handed(share->handed, bytes);
    if (share->handed >= 0) {
        (void)close(share->handed);
        share->handed = -1;
    }
    if (memory == MAP_FAILED) {
        return tmu_error_set(TMU_ERR_MEMORY,
                             "%s: page %u and its ring cannot be mapped: tmu-share handed over no "
                             "file of %zu bytes that stays as long as it is",
                             session->path, open->page, bytes);
    }
    page->memory = memory;
    *ring_p = (tmu_dma_t){.memory = (char *)memory + TMU_SHARE_RING_OFFSET,
                          .bytes = bytes - TMU_SHARE_RING_OFFSET};
    return TMU_OK;
}

static void share_unmap(session_t *session, session_page_t *page, tmu_dma_t *ring) {
    (void)session;
    (void)munmap(page->memory, TMU_SHARE_RING_OFFSET + ring->bytes);
}

static const session_ops_t calls = {
    .scheme = "share",
    .subject = "SOCKET",
    .who = "tmu-share",
    .call = share_call,
    .map = share_map,
    .unmap = share_unmap,
};

static tmu_result_t share_open(const char *rest, void **backend_p) {
    share_t *share = calloc(1, sizeof *share);
    if (!share) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    share->handed = -1;
    pthread_mutex_init(&share->talk, NULL);
    tmu_result_t result = session_init(&share->session, &calls, rest);
    if (result == TMU_OK) {
        result = join(&share->session);
    }
    if (result == TMU_OK) {
        result = greet(share);
    }
    if (result != TMU_OK) {
        share_close(share);
        return result;
    }
    *backend_p = share;
    return TMU_OK;
}

/* ---- doorbells ------------------------------------------------------------------------------- */

/* Wakes tmu-share if it sleeps: either this thread sees that, or it sees the bell. */
static tmu_result_t wake(const share_t *share) {
    const struct tmu_share_question question = {.call = TMU_SHARE_WAKE};
    atomic_thread_fence(memory_order_seq_cst);
    if (atomic_load_explicit(&share->memory->asleep, memory_order_relaxed) == 0) {
        return TMU_OK;
    }
    ssize_t sent =
        send(share->session.file, &question, sizeof question, MSG_DONTWAIT | MSG_NOSIGNAL);
    /* A full socket holds enough to wake tmu-share. */
    return sent > 0 || errno == EAGAIN || errno == EWOULDBLOCK
               ? TMU_OK
               : gone(&share->session, "ringing a doorbell");
}

static tmu_result_t share_doorbell_write(void *backend, uint64_t offset, const void *data,
                                         size_t size) {
    share_t *share = backend;
    session_page_t *page = &share->session.pages[offset / TMU_DOORBELL_PAGE_BYTES];
    struct tmu_share_queue *queue = page->memory;
    pthread_mutex_lock(&page->lock);
    uint32_t rung = atomic_load_explicit(&queue->rung, memory_order_relaxed);
    uint32_t taken = atomic_load_explicit(&queue->taken, memory_order_acquire);
    bool room = rung - taken < TMU_SHARE_BELLS;
    if (room) {
        struct tmu_share_bell *bell = &queue->bells[rung % TMU_SHARE_BELLS];
        bell->offset = (uint32_t)(offset % TMU_DOORBELL_PAGE_BYTES);
        bell->size = (uint32_t)size;
        memcpy(bell->data, data, size);
        atomic_store_explicit(&queue->rung, rung + 1, memory_order_release);
    }
    pthread_mutex_unlock(&page->lock);
    return room ? wake(share) : TMU_AGAIN;
}

static tmu_result_t share_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    session_t *session = backend;
    const session_page_t *page = &session->pages[offset / TMU_DOORBELL_PAGE_BYTES];
    struct tmu_share_read read = {.size = sizeof read,
                                  .offset = (uint32_t)(offset % TMU_DOORBELL_PAGE_BYTES),
                                  .queue = page->queue};
    tmu_result_t result = share_call(session, TMU_SHARE_READ, &read, "reading a page");
    if (result == TMU_OK) {
        *value_p = read.value;
    }
    return result;
}

/* Whether the connection is still there: tmu-share ends it for every reason that it has. */
static tmu_result_t connected(const share_t *share) {
    struct pollfd ended = {.fd = share->session.file};
    return poll(&ended, 1, 0) == 1 && (ended.revents & POLLHUP) != 0
               ? gone(&share->session, "waiting for the device")
               : TMU_OK;
}

static tmu_result_t share_alive(void *backend) {
    share_t *share = backend;
    return tmu_look_is_due(&share->looked_ns) ? connected(share) : TMU_OK;
}

/* tmu-share runs the device; who waits for it sleeps until it wrote completions, or for a moment.
 */
static tmu_result_t share_progress(void *backend, unsigned max_clocks) {
    share_t *share = backend;
    struct tmu_share_session *memory = share->memory;
    const struct timespec nap = {.tv_nsec = NAP_NS};
    (void)max_clocks;
    uint32_t written = atomic_load_explicit(&memory->written, memory_order_acquire);
    if (atomic_exchange_explicit(&share->seen, written, memory_order_relaxed) != written) {
        return TMU_OK;
    }
    (void)atomic_fetch_add(&memory->waiting, 1);
    long woken = syscall(SYS_futex, &memory->written, FUTEX_WAIT, written, &nap, NULL, 0);
    bool late = woken != 0 && errno == ETIMEDOUT;
    (void)atomic_fetch_sub(&memory->waiting, 1);
    return late ? connected(share) : TMU_OK;
}

const tmu_backend_ops_t tmu_backend_share = {
    .scheme = "share",
    .control = &tmu_control_session,
    .open = share_open,
    .close = share_close,
    .doorbell_write = share_doorbell_write,
    .page_read64 = share_page_read64,
    .progress = share_progress,
    .alive = share_alive,
    .forsake = session_forsake,
};
