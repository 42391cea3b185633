/* SPDX-License-Identifier: Apache-2.0
 *
 * hostile_session FILE: a process that asks the kernel driver for what it must not get.
 *
 * Each wrong call is answered with the errno that it should have, and what is touched without right
 * ends in a signal; that the kernel has no complaint of its own, the caller looks up.
 * The test expects an otherwise unused unit with the preset tiny.
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "session_calls.h"

#define ENDPOINTS 4
#define NOBODY 65534
/* RING_PATIENCE would be minutes in a simulation; while the module hurries it is seconds, and more
 * of them on a machine that has much else to do. */
#define CLOSE_SECONDS_MAX 60

static sigjmp_buf touched;

/* The errno of a mapping that must not be. */
static int unmappable(int file, uint64_t offset, size_t bytes, int protection, int flags) {
    return map(file, offset, bytes, protection, flags) == MAP_FAILED ? errno : 0;
}

static void on_signal(int number) { siglongjmp(touched, number); }

/* The signal that a write there ends in, 0 if it does not. */
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

/* ---- tests ----------------------------------------------------------------------------------- */

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
    query = (struct tmu_ioctl_query){.size = sizeof query, .tag_bits = 1};
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
    session_close(file);
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
    /* The state of the unit is everybody's to read, and that alone. */
    const int both = PROT_READ | PROT_WRITE;
    EXPECT_NUMBER(unmappable(mine, TMU_IOCTL_STATE_OFFSET, PAGE, both, MAP_SHARED), EACCES);
    EXPECT_NUMBER(unmappable(mine, TMU_IOCTL_STATE_OFFSET, PAGE, PROT_READ, MAP_PRIVATE), EINVAL);
    EXPECT_NUMBER(unmappable(mine, TMU_IOCTL_STATE_OFFSET, 2 * PAGE, PROT_READ, MAP_SHARED),
                  EINVAL);
    EXPECT_NUMBER(unmappable(mine, PAGE, PAGE, PROT_READ, MAP_SHARED), ENOENT);
    for (int i = 0; i < 2; i++) {
        (void)take(mine);
    }
    struct tmu_ioctl_take one_more = {.size = sizeof one_more};
    EXPECT_NUMBER(call(mine, TMU_IOCTL_TAKE, &one_more), ENOSPC);
    (void)close(mine);
    session_close(other);
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
    (void)close(file); /* while both are mapped: the session lives on, until these end */
    session_close(-1);
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
    session_close(file);
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
    session_close(file);
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
        doorbell[i] = UINT64_MAX; /* commands without sense, and addresses that are none */
    }
    ((volatile uint32_t *)doorbell)[TMU_DOORBELL_CONSUMER_OFFSET / 4] = UINT32_MAX; /* a lie */
    session_close(file);
}

/* A queue whose flush would have 13 answers, in a ring that has room for 4 of them. */
static open_t queue_fill(int file, volatile uint64_t **doorbell_p) {
    open_t queue = queue_open(file, take(file).endpoint);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    const volatile uint64_t *ring = ring_map(file, &queue);
    for (uint64_t i = 0; i < 12; i++) {
        ring_command(doorbell, TMU_OPCODE_POST, i);
        EXPECT_NUMBER(status_of(ring, i), TMU_STATUS_QUEUED);
    }
    *doorbell_p = doorbell;
    return queue;
}

/* A queue that waits for room in a ring which nobody reads is closed all the same. */
static void a_full_ring_stops_nobody_for_long(void) {
    int file = session_open();
    volatile uint64_t *doorbell = NULL;
    open_t queue = queue_fill(file, &doorbell);
    ring_command(doorbell, TMU_OPCODE_FLUSH, 12);
    EXPECT_NUMBER(status_of(ring_map(file, &queue), 15), TMU_STATUS_REMOVED);
    time_t start = time(NULL);
    EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    EXPECT(time(NULL) - start < CLOSE_SECONDS_MAX);
    struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = queue.endpoint};
    EXPECT_NUMBER(call(file, TMU_IOCTL_DEPTH, &depth), 0);
    EXPECT_NUMBER(depth.posted, 0);
    session_close(file);
}

/* The end of another session waits for full rings, but not for as long as their owners like. */
static void full_rings_of_others_do_not_stop_an_end(void) {
    int file = session_open();
    int other = session_open();
    uint32_t endpoint = take(other).endpoint;
    open_t queue = queue_open(other, endpoint);
    volatile uint64_t *doorbell = doorbell_map(other, &queue);
    ring_command(doorbell, TMU_OPCODE_POST, 1);
    EXPECT_NUMBER(status_of(ring_map(other, &queue), 0), TMU_STATUS_QUEUED);
    EXPECT_NUMBER(queue_close(other, queue.queue), 0);
    volatile uint64_t *full[2] = {NULL};
    for (size_t i = 0; i < 2; i++) {
        (void)queue_fill(file, &full[i]);
    }
    ring_command(full[0], TMU_OPCODE_FLUSH, 12);
    ring_command(full[1], TMU_OPCODE_FLUSH, 12);
    struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = endpoint};
    EXPECT_NUMBER(call(other, TMU_IOCTL_GIVE, &give), 0);
    EXPECT_NUMBER(take(other).endpoint, endpoint); /* it was emptied, not withheld */
    (void)close(other);
    session_close(file);
}

/* An eventfd that is set again is the same; one that replaces it says that it is to be looked. */
static void no_wake_up_is_lost(void) {
    int file = session_open();
    open_t queue = queue_open(file, take(file).endpoint);
    int first = eventfd(0, EFD_NONBLOCK);
    int second = eventfd(0, EFD_NONBLOCK);
    uint64_t count = 0;
    struct tmu_ioctl_event event = {.size = sizeof event, .fd = first, .queue = queue.queue};
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT(read(first, &count, sizeof count) < 0 && errno == EAGAIN);
    event.fd = second;
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT(read(second, &count, sizeof count) == sizeof count && count == 1);
    EXPECT(read(first, &count, sizeof count) < 0 && errno == EAGAIN);
    (void)close(first);
    (void)close(second);
    session_close(file);
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
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0); /* again, at its own offset */
    (void)close(event.fd);
    event.fd = -1;
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    EXPECT_NUMBER(call(file, TMU_IOCTL_EVENT, &event), 0);
    session_close(file);
}

/* Without privilege rings are within the limit of locked memory. */
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
    RUN(full_rings_of_others_do_not_stop_an_end);
    RUN(no_wake_up_is_lost);
    RUN(events_need_an_eventfd);
    RUN(rings_are_locked_memory);
    return expect_summary();
}
