/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-ping URI [COUNT]: microseconds for one command at a time, from the call to its completion.
 *
 * Messages are delivered and claimed in turn, so that the unit is as empty as it can be, and what
 * is measured is the round trip.
 */
#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tmu/tmu.h"
#include "tool_help.h"

#define COUNT 2000
#define PATIENCE_MS 10000
#define STEP_CLOCKS 256

typedef enum { BY_PROGRESS, BY_MEMORY, BY_INTERRUPT } method_t;

static double now_us(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static int failed(const char *what, const tmu_t *device) {
    (void)fprintf(stderr, "tmu-ping: %s: %s\n", what, tmu_error_text(device));
    return 1;
}

/* Gives time to the device, or to other processes, until there may be a completion. */
static tmu_result_t wait_some(tmu_t *device, method_t method, int fd) {
    struct pollfd readable = {.fd = fd, .events = POLLIN};
    uint64_t times = 0;
    if (method == BY_PROGRESS) {
        return tmu_progress(device, STEP_CLOCKS);
    }
    if (method == BY_INTERRUPT) {
        (void)poll(&readable, 1, PATIENCE_MS);
        (void)!read(fd, &times, sizeof times);
    } else {
        (void)sched_yield(); /* where there are few processors the device needs this one, too */
    }
    return TMU_OK;
}

/* Delivers a message or claims it, and waits for the completion. */
static int ping(tmu_t *device, tmu_queue_t *queue, uint64_t number, method_t method, int fd) {
    const tmu_message_t message = {.match = 7, .source = 1, .handle = number};
    const tmu_key_t key = {.match = 7, .source = 1};
    tmu_completion_t completion;
    size_t count = 0;
    tmu_result_t result =
        number % 2 == 0 ? tmu_arrive(queue, 0, &message) : tmu_claim(queue, 0, &key, number);
    if (result != TMU_OK) {
        return failed("a command", device);
    }
    while (count == 0) {
        if (tmu_poll(queue, &completion, 1, &count) != TMU_OK ||
            (count == 0 && wait_some(device, method, fd) != TMU_OK)) {
            return failed("its completion", device);
        }
    }
    return 0;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

static int measure(tmu_t *device, tmu_queue_t *queue, const char *name, method_t method, int fd,
                   uint64_t count) {
    double *times = calloc(count, sizeof *times);
    int status = times ? 0 : 1;
    for (uint64_t i = 0; i < count && status == 0; i++) {
        double start = now_us();
        status = ping(device, queue, i, method, fd);
        times[i] = now_us() - start;
    }
    if (status == 0) {
        qsort(times, count, sizeof *times, compare);
        (void)printf("%-28s p50 %8.1f us   p99 %8.1f us\n", name, times[count / 2],
                     times[count - 1 - count / 100]);
    }
    free(times);
    return status;
}

static int help(void) {
    (void)fputs("usage: tmu-ping URI [COUNT]\n"
                "Measures how long one command takes from the call to its completion.\n"
                "COUNT commands, 2 or more, are measured in each kind of waiting that the device\n"
                "has: by running it, by looking at the ring, by interrupt.\n"
                "URI names the device:\n" TOOL_DEVICES
                "For example: tmu-ping ref:tiny 1000\n" TOOL_EXITS,
                stdout);
    return 0;
}

int main(int argc, char **argv) {
    char *end = NULL;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return help();
    }
    uint64_t count = argc == 3 ? strtoull(argv[2], &end, 10) / 2 * 2 : COUNT;
    if (argc < 2 || argc > 3 || count == 0 || (end && *end != '\0')) {
        (void)fprintf(stderr,
                      "usage: tmu-ping URI [COUNT]\n"
                      "COUNT commands, 2 or more, are measured by each method of waiting.\n");
        return 2;
    }
    tmu_t *device = NULL;
    tmu_queue_t *queue = NULL;
    tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 6};
    int fd = -1;
    if (tmu_open(argv[1], &device) != TMU_OK) {
        (void)fprintf(stderr, "tmu-ping: %s\n", tmu_error_text(NULL));
        return 2;
    }
    int status = tmu_queue_open(device, &attr, &queue) == TMU_OK ? 0 : failed("a queue", device);
    if (status == 0) {
        status = measure(device, queue, "by tmu_progress", BY_PROGRESS, -1, count);
    }
    if (status == 0 && tmu_queue_event_fd(queue, &fd) == TMU_OK) {
        /* A device that interrupts runs by itself. */
        status = measure(device, queue, "by looking at the ring alone", BY_MEMORY, -1, count);
        if (status == 0) {
            status = measure(device, queue, "by interrupt", BY_INTERRUPT, fd, count);
        }
    }
    tmu_close(device);
    return status;
}
