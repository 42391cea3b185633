/* SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for completions without asking the device, where it has interrupts.
 */
#include <poll.h>
#include <unistd.h>

#include "fixture.h"

#define PATIENCE_MS 20000

static bool has_interrupts(void) { return strncmp(test_uri, "vfu:", 4) == 0 || runs_by_itself(); }

/* Waits until the queue's interrupt has come; whether it did. */
static bool wait_for(int fd) {
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    uint64_t times = 0;
    return poll(&readable, 1, PATIENCE_MS) == 1 && read(fd, &times, sizeof times) == sizeof times;
}

/* Waits for so many completions, by interrupts alone: nobody tells a simulated device to run. */
static void collect(tmu_queue_t *queue, int fd, size_t wanted) {
    tmu_completion_t completions[64];
    size_t count = 0;
    for (size_t got = 0; got < wanted; got += count) {
        must(tmu_poll(queue, completions, 64, &count), NULL);
        if (count == 0 && !wait_for(fd)) {
            EXPECT_NUMBER(got, wanted);
            return;
        }
    }
}

static void an_interrupt_follows_each_completion(void) {
    bench_t b = bench_open(1, 6);
    int fd = -1;
    if (!has_interrupts()) {
        EXPECT_NUMBER(tmu_queue_event_fd(b.queue, &fd), TMU_ERR_INVALID);
        bench_close(&b);
        return;
    }
    must(tmu_queue_event_fd(b.queue, &fd), b.device);
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    EXPECT_NUMBER(poll(&readable, 1, 50), 0);
    for (uint32_t i = 0; i < 20; i++) {
        bench_arrive(&b, 1, 1, (int32_t)i, i);
    }
    collect(b.queue, fd, 20);
    bench_claim(&b, 1, 1, 7, 100);
    collect(b.queue, fd, 1);
    bench_close(&b);
}

static void each_queue_has_its_own_R13(void) {
    bench_t b = bench_open(1, 4);
    tmu_queue_attr_t attr = {.endpoint = 2, .ring_log2 = 4};
    tmu_queue_t *other = NULL;
    must(tmu_queue_open(b.device, &attr, &other), b.device);
    if (has_interrupts()) {
        int fds[2] = {-1, -1};
        int again = -1;
        must(tmu_queue_event_fd(b.queue, &fds[0]), b.device);
        must(tmu_queue_event_fd(other, &fds[1]), b.device);
        must(tmu_queue_event_fd(other, &again), b.device);
        EXPECT(fds[0] != fds[1]);
        EXPECT_NUMBER(again, fds[1]);
        bench_arrive(&b, 1, 1, 1, 1);
        collect(b.queue, fds[0], 1);
        struct pollfd readable = {.fd = fds[1], .events = POLLIN};
        EXPECT_NUMBER(poll(&readable, 1, 50), 0);
    }
    bench_close(&b);
}

static void all(void) {
    RUN(an_interrupt_follows_each_completion);
    RUN(each_queue_has_its_own_R13);
}

int main(void) { return on_every_device(all); }
