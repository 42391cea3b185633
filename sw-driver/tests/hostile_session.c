/* SPDX-License-Identifier: Apache-2.0
 *
 * hostile_session FILE: a process that asks the kernel driver for what it must not get.
 *
 * Each wrong call is answered with the errno that it should have, and what is touched without right
 * ends in a signal; that the kernel has no complaint of its own, the caller looks up.
 * It expects an otherwise unused unit with the preset tiny.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "tmu/tmu_regs.h"
#include "tmu_ioctl.h"

#define PAGE ((size_t)TMU_DOORBELL_PAGE_BYTES)
#define ENDPOINTS 4
#define NOBODY 65534
#define SECONDS_MAX 20

typedef struct tmu_ioctl_open open_t;

static const char *path;
static sigjmp_buf touched;

static int session_open(void) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

/** The errno of a call, 0 if it was granted. */
static int call(int file, unsigned long request, void *argument) {
    return ioctl(file, request, argument) == 0 ? 0 : errno;
}

static struct tmu_ioctl_take take(int file) {
    struct tmu_ioctl_take take = {.size = sizeof take};
    EXPECT_NUMBER(call(file, TMU_IOCTL_TAKE, &take), 0);
    return take;
}

static open_t queue_open(int file, uint32_t endpoint) {
    open_t open = {.size = sizeof open, .endpoint = endpoint, .ring_log2 = 4};
    EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &open), 0);
    return open;
}

static int queue_close(int file, uint64_t queue) {
    struct tmu_ioctl_close close = {.size = sizeof close, .queue = queue};
    return call(file, TMU_IOCTL_CLOSE, &close);
}

static void *map(int file, uint64_t offset, size_t bytes, int protection, int flags) {
    return mmap(NULL, bytes, protection, flags, file, (off_t)offset);
}

static volatile uint64_t *doorbell_map(int file, const open_t *open) {
    void *memory = map(file, open->doorbell_offset, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
    EXPECT(memory != MAP_FAILED);
    return memory;
}

static const volatile uint64_t *ring_map(int file, const open_t *open) {
    void *memory = map(file, open->ring_offset, PAGE, PROT_READ, MAP_SHARED);
    EXPECT(memory != MAP_FAILED);
    return memory;
}

/** The errno of a mapping that must not be. */
static int unmappable(int file, uint64_t offset, size_t bytes, int protection, int flags) {
    return map(file, offset, bytes, protection, flags) == MAP_FAILED ? errno : 0;
}

static void on_signal(int number) { siglongjmp(touched, number); }

/** The signal that a write there ends in, 0 if it does not. */
static int touch(volatile uint64_t *memory) {
    struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGBUS, &action, NULL);
    (void)sigaction(SIGSEGV, &action, NULL);
    int signal = sigsetjmp(touched, 1);
    if (signal == 0) {
        *memory = 0;
    }
    return signal;
}

static void ring_command(volatile uint64_t *doorbell, uint64_t opcode, uint64_t handle) {
    const uint64_t words[8] = {[0] = opcode,
                               [2] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX : 0,
                               [3] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX << 32 : 0,
                               [4] = handle};
    for (size_t i = 0; i < 8; i++) {
        doorbell[i] = words[i];
    }
}

/** The status of a ring's completion with this number of its first lap; 0 if it does not come. */
static uint64_t status_of(const volatile uint64_t *ring, size_t number) {
    const struct timespec rest = {.tv_nsec = 1000000};
    for (unsigned tries = 0; tries < SECONDS_MAX * 1000; tries++) {
        uint64_t word = ring[number * 8];
        if (word >> TMU_COMPLETION_PHASE_SHIFT & 1) {
            return word >> TMU_COMPLETION_STATUS_SHIFT & TMU_COMPLETION_STATUS_MASK;
        }
        (void)nanosleep(&rest, NULL);
    }
    return 0;
}

/* ---- tests -------------------------------------------------------------------------------------
 */

static void calls_that_are_wrong_are_refused(void) {
    int file = session_open();
    struct tmu_ioctl_query query = {.size = sizeof query};
    struct tmu_ioctl_take taken = take(file);
    struct tmu_ioctl_counters counters = {.size = sizeof counters, .count = 8, .values = 8};
    EXPECT_NUMBER(call(file, TMU_IOCTL_QUERY, &query), 0);
    EXPECT_NUMBER(query.version, TMU_IOCTL_VERSION);
    EXPECT_NUMBER(query.endpoints, ENDPOINTS);
    EXPECT_NUMBER(call(file, TMU_IOCTL_QUERY, NULL), EFAULT);
    query.size--;
    EXPECT_NUMBER(call(file, TMU_IOCTL_QUERY, &query), EINVAL);
    query = (struct tmu_ioctl_query){.size = sizeof query, .reserved = 1};
    EXPECT_NUMBER(call(file, TMU_IOCTL_QUERY, &query), EINVAL);
    EXPECT_NUMBER(call(file, _IOWR(TMU_IOCTL_TYPE, 99, struct tmu_ioctl_query), &query), ENOTTY);
    EXPECT_NUMBER(call(file, _IOWR(TMU_IOCTL_TYPE, 0, char[2048]), &query), ENOTTY);
    EXPECT_NUMBER(call(file, _IO(TMU_IOCTL_TYPE, 0), &query), ENOTTY);
    EXPECT_NUMBER(call(file, TIOCGWINSZ, &query), ENOTTY);
    EXPECT_NUMBER(call(file, TMU_IOCTL_COUNTERS, &counters), EFAULT);
    const struct tmu_ioctl_take wrong[] = {
        {.size = sizeof wrong[0], .reserved = 1},
        {.size = sizeof wrong[0], .quota_posted = TMU_IOCTL_QUOTA_MAX + 1},
        {.size = sizeof wrong[0], .quota_unexpected = UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct tmu_ioctl_take asked = wrong[i];
        EXPECT_NUMBER(call(file, TMU_IOCTL_TAKE, &asked), EINVAL);
    }
    const open_t bad[] = {
        {.ring_log2 = 3},
        {.ring_log2 = 17},
        {.ring_log2 = UINT32_MAX},
        {.ring_log2 = 4, .commands_log2 = 10},
        {.ring_log2 = 4, .commands_log2 = UINT32_MAX},
        {.ring_log2 = 4, .reserved = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        open_t asked = bad[i];
        asked.size = sizeof asked;
        asked.endpoint = taken.endpoint;
        EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &asked), EINVAL);
    }
    open_t all = {
        .size = sizeof all, .endpoint = taken.endpoint, .ring_log2 = 4, .commands_log2 = 9};
    EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &all), ENOSPC); /* one slot is the driver's own */
    (void)close(file);
}

static void what_is_not_the_sessions_is_not_there(void) {
    int mine = session_open();
    int other = session_open();
    struct tmu_ioctl_take owned = take(other);
    open_t queue = queue_open(other, owned.endpoint);
    (void)take(mine);
    const uint32_t numbers[] = {owned.endpoint, ENDPOINTS - 1, ENDPOINTS, UINT32_MAX};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = numbers[i]};
        struct tmu_ioctl_quota quota = {.size = sizeof quota, .endpoint = numbers[i]};
        struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = numbers[i]};
        open_t open = {.size = sizeof open, .endpoint = numbers[i], .ring_log2 = 4};
        EXPECT_NUMBER(call(mine, TMU_IOCTL_GIVE, &give), ENOENT);
        EXPECT_NUMBER(call(mine, TMU_IOCTL_QUOTA, &quota), ENOENT);
        EXPECT_NUMBER(call(mine, TMU_IOCTL_DEPTH, &depth), ENOENT);
        EXPECT_NUMBER(call(mine, TMU_IOCTL_OPEN, &open), ENOENT);
    }
    const uint64_t queues[] = {queue.queue, 0, queue.queue + 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof queues / sizeof queues[0]; i++) {
        struct tmu_ioctl_event event = {.size = sizeof event, .fd = -1, .queue = queues[i]};
        EXPECT_NUMBER(queue_close(mine, queues[i]), ENOENT);
        EXPECT_NUMBER(call(mine, TMU_IOCTL_EVENT, &event), ENOENT);
    }
    EXPECT_NUMBER(unmappable(mine, queue.doorbell_offset, PAGE, PROT_WRITE, MAP_SHARED), ENOENT);
    EXPECT_NUMBER(unmappable(mine, queue.ring_offset, PAGE, PROT_READ, MAP_SHARED), ENOENT);
    EXPECT_NUMBER(unmappable(mine, 0, PAGE, PROT_READ, MAP_SHARED), ENOENT);
    for (int i = 0; i < 2; i++) {
        (void)take(mine);
    }
    struct tmu_ioctl_take one_more = {.size = sizeof one_more};
    EXPECT_NUMBER(call(mine, TMU_IOCTL_TAKE, &one_more), ENOSPC);
    (void)close(mine);
    (void)close(other);
}

static void mappings_have_one_shape(void) {
    int file = session_open();
    open_t queue = queue_open(file, take(file).endpoint);
    const int both = PROT_READ | PROT_WRITE;
    EXPECT_NUMBER(unmappable(file, queue.doorbell_offset, 2 * PAGE, both, MAP_SHARED), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.doorbell_offset + PAGE, PAGE, both, MAP_SHARED), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.doorbell_offset, PAGE, both, MAP_PRIVATE), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.ring_offset, 2 * PAGE, PROT_READ, MAP_SHARED), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.ring_offset + PAGE, PAGE, PROT_READ, MAP_SHARED), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.ring_offset + 64, PAGE, PROT_READ, MAP_SHARED), EINVAL);
    EXPECT_NUMBER(unmappable(file, queue.ring_offset, PAGE, both, MAP_SHARED), EACCES);
    void *doorbell = (void *)doorbell_map(file, &queue);
    void *ring = (void *)ring_map(file, &queue);
    EXPECT(mprotect(ring, PAGE, both) != 0 && errno == EACCES);
    EXPECT_NUMBER(touch(ring), SIGSEGV);
    EXPECT(mremap(doorbell, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, (char *)0x10000000) ==
           MAP_FAILED);
    EXPECT(mremap(doorbell, PAGE, 2 * PAGE, MREMAP_MAYMOVE) == MAP_FAILED);
    EXPECT(madvise(doorbell, PAGE, MADV_DOFORK) != 0 && errno == EINVAL);
    EXPECT(madvise(ring, PAGE, MADV_DOFORK) != 0 && errno == EINVAL);
    (void)close(
        file); /* while both are mapped: the session lives on, until this process ends them */
    EXPECT_NUMBER(munmap(doorbell, PAGE), 0);
    EXPECT_NUMBER(munmap(ring, PAGE), 0);
}

static void a_closed_page_cannot_be_written(void) {
    int file = session_open();
    struct tmu_ioctl_take taken = take(file);
    open_t queue = queue_open(file, taken.endpoint);
    struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = taken.endpoint};
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    volatile uint64_t *untouched = doorbell_map(file, &queue);
    const volatile uint64_t *ring = ring_map(file, &queue);
    EXPECT_NUMBER(touch(doorbell + 8), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_GIVE, &give), EBUSY);
    EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    EXPECT_NUMBER(queue_close(file, queue.queue), ENOENT);
    EXPECT_NUMBER(touch(doorbell), SIGBUS);
    EXPECT_NUMBER(touch(untouched), SIGBUS);
    open_t next = queue_open(file, taken.endpoint); /* the same page, another queue */
    EXPECT_NUMBER(next.page, queue.page);
    EXPECT(next.queue != queue.queue);
    EXPECT_NUMBER(touch(doorbell), SIGBUS);
    EXPECT_NUMBER(ring[0], 0); /* still this process's memory */
    EXPECT_NUMBER(queue_close(file, next.queue), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_GIVE, &give), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_GIVE, &give), ENOENT);
    (void)close(file);
}

static void a_child_has_nothing(void) {
    int file = session_open();
    open_t queue = queue_open(file, take(file).endpoint);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    const volatile uint64_t *ring = ring_map(file, &queue);
    EXPECT_NUMBER(touch(doorbell), 0);
    pid_t child = fork();
    if (child == 0) {
        struct tmu_ioctl_query query = {.size = sizeof query};
        EXPECT_NUMBER(touch(doorbell), SIGSEGV);
        EXPECT_NUMBER(touch((volatile uint64_t *)ring), SIGSEGV);
        EXPECT_NUMBER(call(file, TMU_IOCTL_QUERY, &query), EPERM);
        EXPECT_NUMBER(queue_close(file, queue.queue), EPERM);
        EXPECT_NUMBER(unmappable(file, queue.doorbell_offset, PAGE, PROT_WRITE, MAP_SHARED), EPERM);
        EXPECT_NUMBER(unmappable(file, queue.ring_offset, PAGE, PROT_READ, MAP_SHARED), EPERM);
        _exit(expect_failures == 0 ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    EXPECT_NUMBER(status, 0);
    EXPECT_NUMBER(touch(doorbell), 0); /* the parent has what it had */
    (void)close(file);
}

static void commands_that_are_wrong_are_answered(void) {
    int file = session_open();
    struct tmu_ioctl_take taken = take(file);
    open_t first = queue_open(file, taken.endpoint);
    volatile uint64_t *doorbell = doorbell_map(file, &first);
    for (size_t i = 5; i < 8; i++) {
        doorbell[i] = UINT64_MAX; /* pieces of a command that never comes */
    }
    EXPECT_NUMBER(queue_close(file, first.queue), 0);
    open_t queue = queue_open(file, taken.endpoint);
    EXPECT_NUMBER(queue.page, first.page);
    doorbell = doorbell_map(file, &queue);
    const volatile uint64_t *ring = ring_map(file, &queue);
    ring_command(doorbell, TMU_OPCODE_PROBE, 1); /* and do not become a part of the next one */
    EXPECT_NUMBER(status_of(ring, 0), TMU_STATUS_NONE);
    ring_command(doorbell, TMU_OPCODE_INSPECT, 2);
    EXPECT_NUMBER(status_of(ring, 1), TMU_STATUS_REFUSED_PRIVILEGE);
    ring_command(doorbell, 200, 3);
    EXPECT_NUMBER(status_of(ring, 2), TMU_STATUS_MALFORMED);
    for (size_t i = 0; i < PAGE / 8; i++) {
        doorbell[i] = UINT64_MAX; /* commands without sense, and places that are none */
    }
    ((volatile uint32_t *)doorbell)[TMU_DOORBELL_CONSUMER_OFFSET / 4] = UINT32_MAX; /* a lie */
    (void)close(file);
}

/** A queue that waits for room in a ring which nobody reads is closed all the same. */
static void a_full_ring_stops_nobody_for_long(void) {
    int file = session_open();
    struct tmu_ioctl_take taken = take(file);
    open_t queue = queue_open(file, taken.endpoint);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    const volatile uint64_t *ring = ring_map(file, &queue);
    for (uint64_t i = 0; i < 12; i++) {
        ring_command(doorbell, TMU_OPCODE_POST, i);
        EXPECT_NUMBER(status_of(ring, i), TMU_STATUS_QUEUED);
    }
    ring_command(doorbell, TMU_OPCODE_FLUSH, 12); /* 13 answers, and room for 4 */
    EXPECT_NUMBER(status_of(ring, 15), TMU_STATUS_REMOVED);
    time_t start = time(NULL);
    EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    EXPECT(time(NULL) - start < SECONDS_MAX);
    struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = taken.endpoint};
    EXPECT_NUMBER(call(file, TMU_IOCTL_DEPTH, &depth), 0);
    EXPECT_NUMBER(depth.posted, 0);
    (void)close(file);
}

static void events_need_an_eventfd(void) {
    int file = session_open();
    open_t queue = queue_open(file, take(file).endpoint);
    struct tmu_ioctl_event event = {.size = sizeof event, .fd = file, .queue = queue.queue};
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), EINVAL);
    event.fd = 1000;
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), EBADF);
    event.fd = -7;
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), EBADF);
    event.fd = eventfd(0, 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0); /* again, in its own place */
    (void)close(event.fd);
    event.fd = -1;
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    (void)close(file);
}

/** Without privilege rings are within the limit of locked memory. */
static void rings_are_locked_memory(void) {
    const struct rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        EXPECT_NUMBER(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
        EXPECT_NUMBER(setuid(NOBODY), 0);
        int file = session_open();
        uint32_t endpoint = take(file).endpoint;
        open_t large = {.size = sizeof large, .endpoint = endpoint, .ring_log2 = 11};
        EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &large), ENOMEM);
        for (int i = 0; i < 100; i++) { /* what is closed counts no more */
            open_t small = {.size = sizeof small, .endpoint = endpoint, .ring_log2 = 10};
            EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &small), 0);
            EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &small), ENOMEM);
            EXPECT_NUMBER(queue_close(file, small.queue), 0);
        }
        _exit(expect_failures == 0 ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    EXPECT_NUMBER(status, 0);
}

int main(int argc, char **argv) {
    if (argc != 2) {
        (void)fprintf(stderr, "usage: hostile_session FILE\n");
        return 2;
    }
    path = argv[1];
    RUN(calls_that_are_wrong_are_refused);
    RUN(what_is_not_the_sessions_is_not_there);
    RUN(mappings_have_one_shape);
    RUN(a_closed_page_cannot_be_written);
    RUN(a_child_has_nothing);
    RUN(commands_that_are_wrong_are_answered);
    RUN(a_full_ring_stops_nobody_for_long);
    RUN(events_need_an_eventfd);
    RUN(rings_are_locked_memory);
    return expect_summary();
}
