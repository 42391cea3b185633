/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-share on `ref:tiny` as a process of its own, for its tests, and sessions by messages alone.
 */
#ifndef SHARE_FIXTURE_H
#define SHARE_FIXTURE_H

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fixture.h"
#include "share_protocol.h"

#define SECONDS_MAX 20

static const char *share_program; /* tmu-share */
static char share_folder[64];
static char share_path[128];
static char share_uri[160];

typedef struct share_run {
    pid_t process;
    int said; /* its standard error */
} share_run_t;

static inline void share_begin(int argc, char **argv) {
    if (argc != 2) {
        (void)fprintf(stderr, "usage: %s TMU_SHARE\n", argv[0]);
        exit(2);
    }
    share_program = argv[1];
    (void)snprintf(share_folder, sizeof share_folder, "/tmp/tmu-share-XXXXXX");
    if (!mkdtemp(share_folder)) {
        abort();
    }
    (void)snprintf(share_path, sizeof share_path, "%s/socket", share_folder);
    (void)snprintf(share_uri, sizeof share_uri, "share:%s", share_path);
    test_uri = share_uri;
    (void)signal(SIGPIPE, SIG_IGN);
}

static inline int share_summary(void) {
    (void)rmdir(share_folder);
    return expect_summary();
}

/* Starts it; `ready` is whether it said that it serves. */
static inline share_run_t share_start(const char *device, bool *ready_p) {
    int out[2];
    int said[2];
    char line[256];
    if (pipe(out) != 0 || pipe(said) != 0) {
        abort();
    }
    share_run_t run = {.process = fork(), .said = said[0]};
    if (run.process == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)dup2(out[1], 1);
        (void)dup2(said[1], 2);
        for (int file = 3; file < 256; file++) {
            (void)close(file);
        }
        (void)execl(share_program, "tmu-share", device, share_path, (char *)NULL);
        _exit(127);
    }
    (void)close(out[1]);
    (void)close(said[1]);
    *ready_p = read(out[0], line, sizeof line) > 0;
    (void)close(out[0]);
    return run;
}

/* Ends it by a signal, or waits for its end with 0; its exit code, or -1. */
static inline int share_stop(share_run_t run, int number, char *text, size_t size) {
    int status = -1;
    if (number != 0) {
        (void)kill(run.process, number);
    }
    (void)waitpid(run.process, &status, 0);
    size_t length = 0;
    ssize_t got = 0;
    while (length + 1 < size && (got = read(run.said, text + length, size - 1 - length)) > 0) {
        length += (size_t)got;
    }
    text[length] = '\0';
    (void)close(run.said);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline share_run_t share_started(void) {
    bool ready = false;
    share_run_t run = share_start("ref:tiny", &ready);
    EXPECT(ready);
    return run;
}

/* A socket at the path that is nobody's of tmu-share. */
static inline int listen_at(int type) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
    memcpy(address.sun_path, share_path, strlen(share_path));
    EXPECT_NUMBER(bind(listener, (const struct sockaddr *)&address, sizeof address), 0);
    EXPECT_NUMBER(listen(listener, 4), 0);
    return listener;
}

/* Ends it with no complaint. */
static inline void share_stopped(share_run_t run) {
    char text[4096];
    EXPECT_NUMBER(share_stop(run, SIGTERM, text, sizeof text), 0);
    EXPECT_TEXT(text, "");
    EXPECT(access(share_path, F_OK) != 0);
}

/* A session by libtmu with these options. */
static inline bench_t session(const char *options, uint32_t endpoint) {
    static char uri[256];
    (void)snprintf(uri, sizeof uri, "%s%s", share_uri, options);
    test_uri = uri;
    bench_t bench = bench_open(endpoint, 5);
    test_uri = share_uri;
    return bench;
}

/* Whether a new session can be had within some seconds: others may still be ending. */
static inline bool session_waits(const char *options) {
    const struct timespec rest = {.tv_nsec = 1000000};
    char uri[256];
    tmu_t *device = NULL;
    (void)snprintf(uri, sizeof uri, "%s%s", share_uri, options);
    for (unsigned tries = 0; tries < SECONDS_MAX * 1000; tries++) {
        if (tmu_open(uri, &device) == TMU_OK) {
            tmu_close(device);
            return true;
        }
        (void)nanosleep(&rest, NULL);
    }
    return false;
}

/* ---- by messages alone ----------------------------------------------------------------------- */

typedef struct raw {
    int socket;
    int file; /* came with the last answer, or -1 */
} raw_t;

static inline ssize_t raw_receive(raw_t *raw, void *bytes, size_t size) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    struct pollfd readable = {.fd = raw->socket, .events = POLLIN};
    if (poll(&readable, 1, SECONDS_MAX * 1000) != 1) {
        return -1;
    }
    ssize_t length = recvmsg(raw->socket, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    raw->file = -1;
    if (head) {
        memcpy(&raw->file, CMSG_DATA(head), sizeof raw->file);
    }
    return length;
}

/* A connection that was greeted; its session's memory is not mapped. */
static inline raw_t raw_open(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct tmu_share_greeting greeting = {0};
    raw_t raw = {.socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0)};
    memcpy(address.sun_path, share_path, strlen(share_path));
    EXPECT_NUMBER(connect(raw.socket, (const struct sockaddr *)&address, sizeof address), 0);
    EXPECT(raw_receive(&raw, &greeting, sizeof greeting) == sizeof greeting);
    EXPECT_NUMBER(greeting.magic, TMU_SHARE_MAGIC);
    EXPECT_NUMBER(greeting.error, 0);
    EXPECT(raw.file >= 0);
    (void)close(raw.file);
    return raw;
}

static inline void raw_send(const raw_t *raw, const void *bytes, size_t size) {
    EXPECT(send(raw->socket, bytes, size, MSG_NOSIGNAL) == (ssize_t)size);
}

/* The errno of a call, 0 if it was granted, and -1 without an answer; the structure is filled. */
static inline int raw_call(raw_t *raw, uint32_t number, void *argument) {
    char bytes[TMU_SHARE_MESSAGE_MAX];
    const struct tmu_share_question question = {.call = number};
    struct tmu_share_answer answer;
    size_t size = _IOC_SIZE(number);
    memcpy(bytes, &question, sizeof question);
    memcpy(bytes + sizeof question, argument, size);
    raw_send(raw, bytes, sizeof question + size);
    ssize_t length = raw_receive(raw, bytes, sizeof bytes);
    if (length < (ssize_t)sizeof answer) {
        return -1;
    }
    memcpy(&answer, bytes, sizeof answer);
    if (answer.error == 0) {
        EXPECT((size_t)length >= sizeof answer + size);
        memcpy(argument, bytes + sizeof answer, size);
    }
    return answer.error;
}

static inline uint32_t raw_take(raw_t *raw) {
    struct tmu_ioctl_take take = {.size = sizeof take};
    EXPECT_NUMBER(raw_call(raw, TMU_IOCTL_TAKE, &take), 0);
    return take.endpoint;
}

/* A queue with 16 ring entries, and its memory. */
static inline struct tmu_share_queue *raw_queue(raw_t *raw, uint32_t endpoint,
                                                struct tmu_ioctl_open *open) {
    *open = (struct tmu_ioctl_open){.size = sizeof *open, .endpoint = endpoint, .ring_log2 = 4};
    EXPECT_NUMBER(raw_call(raw, TMU_IOCTL_OPEN, open), 0);
    void *memory = mmap(NULL, TMU_SHARE_RING_OFFSET + 16 * TMU_DOORBELL_COMMAND_BYTES,
                        PROT_READ | PROT_WRITE, MAP_SHARED, raw->file, 0);
    (void)close(raw->file);
    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

/* Rings a bell, whatever it is, and has tmu-share look. */
static inline void raw_ring(const raw_t *raw, struct tmu_share_queue *queue, uint32_t offset,
                            const void *data, uint32_t size) {
    const struct tmu_share_question wake = {.call = TMU_SHARE_WAKE};
    uint32_t rung = atomic_load(&queue->rung);
    struct tmu_share_bell *bell = &queue->bells[rung % TMU_SHARE_BELLS];
    bell->offset = offset;
    bell->size = size;
    memcpy(bell->data, data, size <= sizeof bell->data ? size : sizeof bell->data);
    atomic_store(&queue->rung, rung + 1);
    (void)send(raw->socket, &wake, sizeof wake, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static inline void raw_command(const raw_t *raw, struct tmu_share_queue *queue, uint64_t opcode,
                               uint64_t handle) {
    const uint64_t words[8] = {[0] = opcode,
                               [2] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX : 0,
                               [3] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX << 32 : 0,
                               [4] = handle};
    raw_ring(raw, queue, 0, words, sizeof words);
}

/* The status of a completion by its number, in a ring of 2^log2; 0 if it does not come. */
static inline uint64_t raw_status_of(const struct tmu_share_queue *queue, uint32_t log2,
                                     uint32_t number) {
    const struct timespec rest = {.tv_nsec = 100000};
    const volatile uint64_t *words =
        (const volatile uint64_t *)((const char *)queue + TMU_SHARE_RING_OFFSET);
    size_t index = number & ((1u << log2) - 1);
    uint64_t phase = ~(number >> log2) & 1;
    for (unsigned tries = 0; tries < SECONDS_MAX * 10000; tries++) {
        uint64_t word = words[index * 8];
        if ((word >> TMU_COMPLETION_PHASE_SHIFT & 1) == phase) {
            return word >> TMU_COMPLETION_STATUS_SHIFT & TMU_COMPLETION_STATUS_MASK;
        }
        (void)nanosleep(&rest, NULL);
    }
    return 0;
}

static inline uint64_t raw_status(const struct tmu_share_queue *queue, uint32_t number) {
    return raw_status_of(queue, 4, number);
}

/* Whether the session is ended by tmu-share, which is heard as the end of the connection. */
static inline bool raw_ended(raw_t *raw) {
    char byte;
    ssize_t length = raw_receive(raw, &byte, 1);
    return length == 0 || (length < 0 && errno == ECONNRESET);
}

/* Whether the other end is closed within some time, with answers unread as well. */
static inline bool raw_hangs_up(const raw_t *raw, int milliseconds) {
    struct pollfd end = {.fd = raw->socket};
    return poll(&end, 1, milliseconds) == 1 && (end.revents & POLLHUP) != 0;
}

#endif
