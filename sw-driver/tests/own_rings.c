/* SPDX-License-Identifier: Apache-2.0
 *
 * own_rings FILE iommu|direct: rings of the kernel driver in memory of the process, which it pins.
 *
 * Other memory is refused, and whatever a process does with its memory afterwards, the unit writes
 * into the rings and into nothing else.  The second word says whether an IOMMU puts pages side by
 * side for the unit.  The test expects an otherwise unused unit with the preset tiny, and large
 * pages for processes that ask for them.
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "session_calls.h"

#define ENDPOINTS 4
#define NOBODY 65534
#define LARGE ((size_t)1 << 21)
#define LARGE_LOG2 15 /* of the completions in a large page */

static int direct;

static void *own_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mapping memory");
        exit(EXIT_FAILURE);
    }
    return memory;
}

/* The errno of opening a queue whose ring is there, 0 if it is open. */
static int open_at(int file, uint32_t endpoint, const void *memory, uint32_t log2, open_t *open_p) {
    *open_p = (open_t){.size = sizeof *open_p, .endpoint = endpoint, .ring_log2 = log2};
    open_p->memory = (uintptr_t)memory;
    return call(file, TMU_IOCTL_OPEN, open_p);
}

static void completions_come_to_own_memory(void) {
    int file = session_open();
    uint32_t endpoint = take(file).endpoint;
    volatile uint64_t *ring = own_memory(PAGE);
    ring[0] = UINT64_MAX; /* what was there is no completion */
    open_t queue;
    EXPECT_NUMBER(open_at(file, endpoint, (void *)ring, 4, &queue), 0);
    EXPECT_NUMBER(queue.ring_offset, 0);
    EXPECT_NUMBER(ring[0], 0);
    EXPECT(map(file, queue.doorbell_offset | 1 << 22, PAGE, PROT_READ, MAP_SHARED) == MAP_FAILED);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    ring_command(doorbell, TMU_OPCODE_POST, 1);
    EXPECT_NUMBER(status_of(ring, 0), TMU_STATUS_QUEUED);
    struct tmu_ioctl_reset again = {.size = sizeof again};
    EXPECT_NUMBER(call(file, TMU_IOCTL_RESET, &again), 0);
    EXPECT_NUMBER(ring[0], 0);
    ring_command(doorbell, TMU_OPCODE_PROBE, 2);
    EXPECT_NUMBER(status_of(ring, 0), TMU_STATUS_NONE);
    EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    EXPECT(ring[0] != 0); /* it is the process's as before */
    EXPECT_NUMBER(munmap((void *)ring, PAGE), 0);
    session_close(file);
}

static void other_memory_is_refused(void) {
    int file = session_open();
    uint32_t endpoint = take(file).endpoint;
    char *memory = own_memory(4 * PAGE);
    open_t queue = queue_open(file, endpoint);
    const void *of_the_unit = (const void *)doorbell_map(file, &queue);
    const void *of_the_driver = (const void *)ring_map(file, &queue);
    int shared = memfd_create("ring", 0);
    EXPECT(shared >= 0 && ftruncate(shared, (off_t)PAGE) == 0);
    const void *of_a_file = map(shared, 0, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED);
    EXPECT_NUMBER(mprotect(memory + PAGE, PAGE, PROT_READ), 0);
    EXPECT_NUMBER(munmap(memory + 3 * PAGE, PAGE), 0);
    const struct {
        const void *memory;
        uint32_t log2;
        int error;
    } cases[] = {
        {memory + 64, 4, EINVAL},
        {of_a_file, 4, EINVAL},
        {memory + PAGE, 4, EFAULT}, /* cannot be written */
        {memory + 3 * PAGE, 4, EFAULT},
        {memory + 2 * PAGE, 7, EFAULT}, /* its second page is not there */
        {of_the_unit, 4, EFAULT},
        {of_the_driver, 4, EFAULT},
        {(void *)PAGE, 4, EFAULT},
        {(void *)-PAGE, 4, EFAULT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        open_t other;
        EXPECT_NUMBER(open_at(file, endpoint, cases[i].memory, cases[i].log2, &other),
                      cases[i].error);
    }
    EXPECT_NUMBER(munmap(memory, 3 * PAGE), 0);
    (void)close(shared);
    session_close(file);
}

/* Pages of a process lie anywhere; a large one is one piece, and an IOMMU makes one of all. */
static void rings_of_many_pages(void) {
    int file = session_open();
    uint32_t endpoint = take(file).endpoint;
    char *memory = own_memory(2 * LARGE);
    char *start = memory + (LARGE - (uintptr_t)memory % LARGE) % LARGE;
    open_t queue;
    EXPECT_NUMBER(madvise(start, LARGE, MADV_NOHUGEPAGE), 0);
    EXPECT_NUMBER(open_at(file, endpoint, start, LARGE_LOG2, &queue), direct ? EXDEV : 0);
    if (!direct) {
        EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    }
    EXPECT_NUMBER(munmap(memory, 2 * LARGE), 0);
    memory = own_memory(2 * LARGE);
    start = memory + (LARGE - (uintptr_t)memory % LARGE) % LARGE;
    EXPECT_NUMBER(madvise(start, LARGE, MADV_HUGEPAGE), 0);
    EXPECT_NUMBER(open_at(file, endpoint, start, LARGE_LOG2, &queue), 0);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    for (uint64_t i = 0; i < 200; i++) { /* some pages of it */
        ring_command(doorbell, TMU_OPCODE_PROBE, i);
        EXPECT_NUMBER(status_of((volatile uint64_t *)start, i), TMU_STATUS_NONE);
    }
    session_close(file);
    EXPECT_NUMBER(munmap(memory, 2 * LARGE), 0);
}

/* A page mapped at the address afterwards is another, which the unit does not know. */
static void memory_that_is_given_up(void) {
    int file = session_open();
    uint32_t endpoint = take(file).endpoint;
    void *memory = own_memory(PAGE);
    open_t queue;
    EXPECT_NUMBER(open_at(file, endpoint, memory, 4, &queue), 0);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    EXPECT_NUMBER(munmap(memory, PAGE), 0);
    volatile uint64_t *next =
        mmap(memory, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    EXPECT((void *)next == memory && next[0] == 0);
    ring_command(doorbell, TMU_OPCODE_POST, 1);
    struct tmu_ioctl_depth depth = {.size = sizeof depth, .endpoint = endpoint};
    for (unsigned tries = 0; tries < 10000 && depth.posted == 0; tries++) {
        EXPECT_NUMBER(call(file, TMU_IOCTL_DEPTH, &depth), 0);
    }
    EXPECT_NUMBER(depth.posted, 1); /* it is answered, and not here */
    EXPECT_NUMBER(queue_close(file, queue.queue), 0);
    EXPECT_NUMBER(next[0], 0);
    EXPECT_NUMBER(munmap(memory, PAGE), 0);
    session_close(file);
}

/* A child has a copy, and the parent goes on. */
static void a_child_has_a_copy(void) {
    int file = session_open();
    volatile uint64_t *ring = own_memory(PAGE);
    open_t queue;
    EXPECT_NUMBER(open_at(file, take(file).endpoint, (void *)ring, 4, &queue), 0);
    volatile uint64_t *doorbell = doorbell_map(file, &queue);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        memset((void *)ring, 0xff, PAGE);
        _exit(0);
    }
    EXPECT_NUMBER(waitpid(child, NULL, 0), child);
    EXPECT_NUMBER(ring[0], 0);
    ring[8] = 0; /* written after the fork: it must stay the page that the unit has */
    ring_command(doorbell, TMU_OPCODE_PROBE, 1);
    EXPECT_NUMBER(status_of(ring, 0), TMU_STATUS_NONE);
    session_close(file);
    EXPECT_NUMBER(munmap((void *)ring, PAGE), 0);
}

/* Without privilege it is within the limit of locked memory. */
static void it_is_locked_memory(void) {
    const struct rlimit limit = {.rlim_cur = 1 << 16, .rlim_max = 1 << 16};
    char *memory = own_memory(LARGE);
    (void)fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        EXPECT_NUMBER(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
        EXPECT_NUMBER(setuid(NOBODY), 0);
        int file = session_open();
        uint32_t endpoint = take(file).endpoint;
        open_t queue;
        EXPECT_NUMBER(open_at(file, endpoint, memory, 11, &queue), ENOMEM);
        for (int i = 0; i < 100; i++) { /* what is closed, or refused, counts no more */
            EXPECT_NUMBER(open_at(file, endpoint, memory, 4, &queue), 0);
            open_t other;
            EXPECT_NUMBER(open_at(file, endpoint, memory + 64, 4, &other), EINVAL);
            EXPECT_NUMBER(queue_close(file, queue.queue), 0);
        }
        _exit(expect_failures == 0 ? 0 : 1);
    }
    int status = -1;
    (void)waitpid(child, &status, 0);
    EXPECT_NUMBER(status, 0);
    EXPECT_NUMBER(munmap(memory, LARGE), 0);
}

/* A process that is killed while the unit writes into its memory. */
static void a_killed_process_leaves_nothing(void) {
    (void)fflush(NULL);
    for (int time = 0; time < 3; time++) {
        pid_t child = fork();
        if (child == 0) {
            int file = session_open();
            open_t queue;
            EXPECT_NUMBER(open_at(file, take(file).endpoint, own_memory(PAGE), 6, &queue), 0);
            volatile uint64_t *doorbell = doorbell_map(file, &queue);
            for (uint32_t i = 0;; i++) { /* and says that it has read everything */
                ring_command(doorbell, TMU_OPCODE_PROBE, i);
                ((volatile uint32_t *)doorbell)[TMU_DOORBELL_CONSUMER_OFFSET / 4] = i;
            }
        }
        const struct timespec rest = {.tv_nsec = 300000000};
        (void)nanosleep(&rest, NULL);
        EXPECT_NUMBER(kill(child, SIGKILL), 0);
        EXPECT_NUMBER(waitpid(child, NULL, 0), child);
    }
    int file = session_open();
    for (int i = 0; i < ENDPOINTS; i++) {
        (void)take(file); /* all are there */
    }
    session_close(file);
}

int main(int argc, char **argv) {
    if (argc != 3 || (strcmp(argv[2], "iommu") != 0 && strcmp(argv[2], "direct") != 0)) {
        (void)fprintf(stderr, "usage: own_rings FILE iommu|direct\n");
        return 2;
    }
    path = argv[1];
    direct = strcmp(argv[2], "direct") == 0;
    RUN(completions_come_to_own_memory);
    RUN(other_memory_is_refused);
    RUN(rings_of_many_pages);
    RUN(memory_that_is_given_up);
    RUN(a_child_has_a_copy);
    RUN(it_is_locked_memory);
    RUN(a_killed_process_leaves_nothing);
    return expect_summary();
}
