/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of the kernel driver by its calls alone, for a process that means ill.
 */
#ifndef SESSION_CALLS_H
#define SESSION_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "expect.h"
#include "tmu/tmu_regs.h"
#include "tmu_ioctl.h"

#define PAGE ((size_t)TMU_DOORBELL_PAGE_BYTES)
#define SECONDS_MAX 20
#define MAPPED_MAX 16

typedef struct tmu_ioctl_open open_t;

static const char *path;

static inline int session_open(void) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) {
        perror(path);
        exit(EXIT_FAILURE);
    }
    return file;
}

/* The errno of a call, 0 if it was granted. */
static inline int call(int file, unsigned long request, void *argument) {
    return ioctl(file, request, argument) == 0 ? 0 : errno;
}

static inline struct tmu_ioctl_take take(int file) {
    struct tmu_ioctl_take take = {.size = sizeof take};
    EXPECT_NUMBER(call(file, TMU_IOCTL_TAKE, &take), 0);
    return take;
}

static inline open_t queue_open(int file, uint32_t endpoint) {
    open_t open = {.size = sizeof open, .endpoint = endpoint, .ring_log2 = 4};
    EXPECT_NUMBER(call(file, TMU_IOCTL_OPEN, &open), 0);
    return open;
}

static inline int queue_close(int file, uint64_t queue) {
    struct tmu_ioctl_close close = {.size = sizeof close, .queue = queue};
    return call(file, TMU_IOCTL_CLOSE, &close);
}

static inline void *map(int file, uint64_t offset, size_t bytes, int protection, int flags) {
    return mmap(NULL, bytes, protection, flags, file, (off_t)offset);
}

/* Pages that are mapped: as long as one is, its session lives. */
static void *mapped[MAPPED_MAX];
static size_t mapped_count;

static inline void *page_map(int file, uint64_t offset, int protection) {
    void *memory = map(file, offset, PAGE, protection, MAP_SHARED);
    if (memory == MAP_FAILED || mapped_count == MAPPED_MAX) {
        perror("mapping a page");
        exit(EXIT_FAILURE);
    }
    mapped[mapped_count++] = memory;
    return memory;
}

/* Ends the session of `file`, and every other one of which only mappings are left. */
static inline void session_close(int file) {
    while (mapped_count > 0) {
        EXPECT_NUMBER(munmap(mapped[--mapped_count], PAGE), 0);
    }
    (void)close(file);
}

static inline volatile uint64_t *doorbell_map(int file, const open_t *open) {
    return page_map(file, open->doorbell_offset, PROT_READ | PROT_WRITE);
}

static inline const volatile uint64_t *ring_map(int file, const open_t *open) {
    return page_map(file, open->ring_offset, PROT_READ);
}

static inline void ring_command(volatile uint64_t *doorbell, uint64_t opcode, uint64_t handle) {
    const uint64_t words[8] = {[0] = opcode,
                               [2] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX : 0,
                               [3] = opcode == TMU_OPCODE_FLUSH ? UINT64_MAX << 32 : 0,
                               [4] = handle};
    for (size_t i = 0; i < 8; i++) {
        doorbell[i] = words[i];
    }
}

/* The status of a ring's completion with this number of its first lap; 0 if it does not come. */
static inline uint64_t status_of(const volatile uint64_t *ring, size_t number) {
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

#endif
