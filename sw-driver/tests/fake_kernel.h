/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel driver that is none: its file is memory, and ioctl is answered here (the program is
 * linked with --wrap=ioctl).  It has a unit that answers nothing unless a test writes the answer.
 */
#ifndef FAKE_KERNEL_H
#define FAKE_KERNEL_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fixture.h"
#include "tmu_internal.h"
#include "tmu_ioctl.h"

#define DOORBELL_OFFSET ((size_t)1 << 23)
#define RING_OFFSET (DOORBELL_OFFSET | (size_t)1 << 22)
#define FILE_BYTES ((size_t)1 << 24)

typedef struct fake_kernel {
    int file;
    char uri[64];
    volatile struct tmu_ioctl_state *state;
    tmu_record_t *ring;
    uint32_t reserve;            /* granted to each endpoint, of messages */
    struct tmu_ioctl_query says; /* where not 0, instead of the truth */
    struct tmu_ioctl_open opens; /* the same */
    uint32_t taken;
    uint32_t first; /* serial number of the unit's first answer */
} fake_kernel_t;

static fake_kernel_t kernel;

static inline void fake_start(void) {
    kernel = (fake_kernel_t){.file = memfd_create("fake", MFD_CLOEXEC), .reserve = 8};
    char *all = MAP_FAILED;
    if (ftruncate(kernel.file, (off_t)FILE_BYTES) == 0) {
        all = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, kernel.file, 0);
    }
    if (all == MAP_FAILED) {
        abort();
    }
    kernel.state = (volatile struct tmu_ioctl_state *)(void *)(all + TMU_IOCTL_STATE_OFFSET);
    kernel.ring = (tmu_record_t *)(void *)(all + RING_OFFSET);
    (void)snprintf(kernel.uri, sizeof kernel.uri, "dev:/proc/self/fd/%d", kernel.file);
}

static inline void fake_stop(void) {
    (void)munmap((char *)(uintptr_t)kernel.state - TMU_IOCTL_STATE_OFFSET, FILE_BYTES);
    (void)close(kernel.file);
}

/* The unit's next answer, the `number`th of the ring's first lap. */
static inline void fake_answer(uint32_t number, uint8_t opcode, uint8_t status, uint64_t handle) {
    tmu_record_t *record = &kernel.ring[number];
    TMU_FIELD_SET(record, TMU_COMPLETION_OPCODE, opcode);
    TMU_FIELD_SET(record, TMU_COMPLETION_STATUS, status);
    TMU_FIELD_SET(record, TMU_COMPLETION_HANDLE, handle);
    TMU_FIELD_SET(record, TMU_COMPLETION_SERIAL, kernel.first + number);
    TMU_FIELD_SET(record, TMU_COMPLETION_PHASE, 1);
}

/* Takes over every word that a test has set. */
static inline void overrule(void *answer, const void *said, size_t bytes) {
    for (size_t i = 0; i < bytes / sizeof(uint32_t); i++) {
        uint32_t word;
        memcpy(&word, (const char *)said + i * sizeof word, sizeof word);
        if (word != 0) {
            memcpy((char *)answer + i * sizeof word, &word, sizeof word);
        }
    }
}

static inline int fake_query(struct tmu_ioctl_query *query) {
    *query = (struct tmu_ioctl_query){
        .size = sizeof *query,
        .version = TMU_IOCTL_VERSION,
        .interface_version = TMU_REGISTER_BITS(TMU_INTERFACE_VERSION_MAJOR, TMU_INTERFACE_MAJOR),
        .endpoints = 4,
        .posted_entries = 64,
        .unexpected_entries = 64,
        .match_bits = 64,
        .source_bits = 32,
        .handle_bits = 64,
        .id_bits = 20,
        .command_slots = 512,
        .queues = 64,
    };
    overrule(query, &kernel.says, sizeof *query);
    return 0;
}

int __wrap_ioctl(int file, unsigned long request, ...);
int __wrap_ioctl(int file, unsigned long request, ...) {
    va_list arguments;
    va_start(arguments, request);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    (void)file;
    struct tmu_ioctl_take *take = argument;
    struct tmu_ioctl_open *open = argument;
    if (kernel.state->failed != 0 && request != TMU_IOCTL_CLOSE) {
        errno = EIO;
        return -1;
    }
    switch (request) {
    case TMU_IOCTL_QUERY:
        return fake_query(argument);
    case TMU_IOCTL_TAKE:
        take->endpoint = kernel.taken++;
        take->serial = kernel.first;
        take->reserve_posted = take->reserve_unexpected = kernel.reserve;
        return 0;
    case TMU_IOCTL_OPEN:
        open->commands_log2 = open->commands_log2 != 0 ? open->commands_log2 : 3;
        open->queue = 1;
        open->doorbell_offset = DOORBELL_OFFSET;
        open->ring_offset = RING_OFFSET;
        overrule(open, &kernel.opens, sizeof *open);
        return 0;
    default:
        return 0;
    }
}

#endif
