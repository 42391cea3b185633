/* SPDX-License-Identifier: Apache-2.0
 *
 * failing_unit FILE RESET: the kernel driver and a unit that fails under a session.
 *
 * RESET is what resets the PCI function in Linux' sysfs.  Whoever does that takes away what all
 * sessions have in the unit.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "expect.h"
#include "tmu_ioctl.h"

static const char *path;
static const char *reset;

static void reset_from_outside(void) {
    int file = open(reset, O_WRONLY);
    if (file < 0 || write(file, "1", 1) != 1) {
        perror(reset);
        exit(EXIT_FAILURE);
    }
    (void)close(file);
}

static const volatile struct tmu_ioctl_state *state_map(int file) {
    void *state = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, TMU_IOCTL_STATE_OFFSET);
    if (state == MAP_FAILED) {
        perror("the state");
        exit(EXIT_FAILURE);
    }
    EXPECT(mmap(NULL, 4096, PROT_WRITE, MAP_SHARED, file, TMU_IOCTL_STATE_OFFSET) == MAP_FAILED);
    EXPECT(mprotect(state, 4096, PROT_READ | PROT_WRITE) != 0);
    return state;
}

static int take(int file) {
    struct tmu_ioctl_take take = {.size = sizeof take};
    return ioctl(file, TMU_IOCTL_TAKE, &take) == 0 ? 0 : errno;
}

/* All calls are EIO then, and so are new sessions; when all are closed the unit works again. */
static void a_failed_unit_starts_anew(void) {
    int first = open(path, O_RDWR);
    int second = open(path, O_RDWR);
    struct tmu_ioctl_open queue = {.size = sizeof queue, .endpoint = 0, .ring_log2 = 4};
    struct tmu_ioctl_give give = {.size = sizeof give, .endpoint = 0};
    struct tmu_ioctl_query query = {.size = sizeof query};
    const volatile struct tmu_ioctl_state *state = state_map(second);
    EXPECT_NUMBER(take(first), 0);
    EXPECT_NUMBER(ioctl(first, TMU_IOCTL_OPEN, &queue), 0);
    struct tmu_ioctl_event event = {.size = sizeof event, .queue = queue.queue};
    event.fd = eventfd(0, EFD_NONBLOCK);
    EXPECT_NUMBER(ioctl(first, TMU_IOCTL_EVENT, &event), 0);
    struct pollfd woken = {.fd = event.fd, .events = POLLIN};
    EXPECT_NUMBER(poll(&woken, 1, 0), 0);
    EXPECT_NUMBER(state->failed, 0);
    reset_from_outside();
    EXPECT_NUMBER(state->failed, 1); /* who polls sees it, and who sleeps is woken */
    EXPECT_NUMBER(poll(&woken, 1, 0), 1);
    struct tmu_ioctl_close done = {.size = sizeof done, .queue = queue.queue};
    EXPECT_NUMBER(ioctl(first, TMU_IOCTL_CLOSE, &done), 0);
    EXPECT_NUMBER(ioctl(first, TMU_IOCTL_GIVE, &give), 0); /* it is withheld */
    EXPECT(ioctl(second, TMU_IOCTL_QUERY, &query) != 0 && errno == EIO);
    EXPECT_NUMBER(take(second), EIO);
    EXPECT(open(path, O_RDWR) < 0 && errno == EIO);
    (void)close(first);
    EXPECT(open(path, O_RDWR) < 0 && errno == EIO);
    EXPECT_NUMBER(munmap((void *)(uintptr_t)state, 4096), 0);
    (void)close(second);
    (void)close(event.fd);
    int next = open(path, O_RDWR);
    EXPECT(next >= 0);
    state = state_map(next);
    EXPECT_NUMBER(state->failed, 0);
    for (uint32_t i = 0; i < 4; i++) { /* all of the preset tiny */
        EXPECT_NUMBER(take(next), 0);
    }
    EXPECT_NUMBER(ioctl(next, TMU_IOCTL_OPEN, &queue), 0);
    EXPECT_NUMBER(munmap((void *)(uintptr_t)state, 4096), 0); /* a mapping keeps a session */
    (void)close(next);
}

/* With no session there is nothing to lose: the next one finds it working. */
static void an_idle_unit_can_be_reset(void) {
    reset_from_outside();
    int next = open(path, O_RDWR);
    EXPECT(next >= 0);
    EXPECT_NUMBER(take(next), 0);
    (void)close(next);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        (void)fprintf(stderr, "usage: failing_unit FILE RESET\n");
        return 2;
    }
    path = argv[1];
    reset = argv[2];
    RUN(a_failed_unit_starts_anew);
    RUN(an_idle_unit_can_be_reset);
    return expect_summary();
}
