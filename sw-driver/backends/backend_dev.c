/* SPDX-License-Identifier: Apache-2.0
 *
 * `dev:/dev/tmu0`: a session of the kernel driver (sw-driver/kernel), beside those of others.
 *
 * Doorbells are stores into the pages that the driver has mapped for this process.
 * There are no registers here: control_session.c asks the driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "control.h"
#include "page_store.h"
#include "session.h"
#include "tmu_wire.h"

#define LARGE_PAGE_BYTES ((size_t)1 << 21)

static size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

/* ---- opening --------------------------------------------------------------------------------- */

static tmu_result_t file_open(session_t *session) {
    const char *path = session->path;
    session->file = open(path, O_RDWR | O_CLOEXEC);
    if (session->file >= 0) {
        return TMU_OK;
    }
    switch (errno) {
    case ENOENT:
        return tmu_error_set(
            TMU_ERR_URI,
            "there is no %s: the kernel driver is not loaded, or has found no unit "
            "(dmesg tells); docs/kernel-driver.md says how to build and load it",
            path);
    case EACCES:
        return tmu_error_set(TMU_ERR_URI, "no permission for %s; type as root: chmod a+rw %s", path,
                             path);
    case EIO:
        return tmu_error_set(
            TMU_ERR_DEVICE,
            "%s: the unit has failed, and starts anew when all have closed it; see "
            "dmesg",
            path);
    default:
        return tmu_error_set(TMU_ERR_URI, "%s cannot be opened: %s", path, strerror(errno));
    }
}

static void dev_close(void *backend) {
    session_t *session = backend;
    if (session->state) {
        (void)munmap((void *)(uintptr_t)session->state, TMU_DOORBELL_PAGE_BYTES);
    }
    session_end(session);
    free(session);
}

static tmu_result_t dev_call(session_t *session, unsigned long request, void *argument,
                             const char *what) {
    int done;
    do {
        done = ioctl(session->file, request, argument);
    } while (done != 0 && errno == EINTR);
    if (done == 0) {
        return TMU_OK;
    }
    switch (errno) {
    case EIO:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s: the unit has failed; see dmesg", what,
                             session->path);
    case ENOSPC:
        return tmu_error_set(TMU_ERR_BUSY,
                             "%s: %s has no more of them free; end a program that has some, or ask "
                             "for fewer",
                             what, session->path);
    case ENOMEM:
        return tmu_error_set(TMU_ERR_MEMORY,
                             "%s: %s: Linux does not lock so much memory for this process; raise "
                             "the limit: ulimit -l",
                             what, session->path);
    case ENOTTY:
        return tmu_error_set(TMU_ERR_URI, "%s is no tag-matching unit; name a /dev/tmu*",
                             session->path);
    case EXDEV:
        return tmu_error_set(TMU_ERR_MEMORY,
                             "%s: %s: without an IOMMU this process' memory is not one piece for "
                             "the unit; ask for rings of 64 completions, or without rings=own",
                             what, session->path);
    case EPERM:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s was opened by another process", what,
                             session->path);
    default:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s: %s", what, session->path, strerror(errno));
    }
}

static size_t ring_bytes(const struct tmu_ioctl_open *open) {
    size_t bytes = sizeof(tmu_record_t) << open->ring_log2;
    return round_up(bytes, TMU_DOORBELL_PAGE_BYTES);
}

/*
 * Memory that no child gets.  Beyond one page it is of large pages, if Linux has them: each is one
 * piece for the unit also where no IOMMU puts pages side by side.
 */
static tmu_result_t dev_ring_get(session_t *session, struct tmu_ioctl_open *open,
                                 tmu_dma_t *ring_p) {
    (void)session;
    size_t bytes = ring_bytes(open);
    bool large = bytes > TMU_DOORBELL_PAGE_BYTES;
    size_t piece = large ? round_up(bytes, LARGE_PAGE_BYTES) : bytes;
    size_t room = large ? piece + LARGE_PAGE_BYTES : piece;
    char *all = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a ring of %zu bytes", bytes);
    }
    size_t before = large ? round_up((uintptr_t)all, LARGE_PAGE_BYTES) - (uintptr_t)all : 0;
    size_t after = room - before - piece;
    (void)(before > 0 && munmap(all, before));
    (void)(after > 0 && munmap(all + before + piece, after));
    (void)(large && madvise(all + before, piece, MADV_HUGEPAGE));
    (void)madvise(all + before, piece, MADV_DONTFORK);
    open->memory = (uintptr_t)(all + before);
    *ring_p = (tmu_dma_t){.memory = all + before, .bytes = piece};
    return TMU_OK;
}

/* Maps the driver's page about the unit's state, which is read without a call. */
static tmu_result_t dev_found(session_t *session) {
    void *state = mmap(NULL, TMU_DOORBELL_PAGE_BYTES, PROT_READ, MAP_SHARED, session->file,
                       TMU_IOCTL_STATE_OFFSET);
    if (state == MAP_FAILED) {
        return tmu_error_set(TMU_ERR_MEMORY, "%s: the state of the unit cannot be mapped: %s",
                             session->path, strerror(errno));
    }
    session->state = state;
    return TMU_OK;
}

static tmu_result_t dev_map(session_t *session, const struct tmu_ioctl_open *open,
                            session_page_t *page, tmu_dma_t *ring_p) {
    size_t bytes = ring_bytes(open);
    void *doorbell = mmap(NULL, TMU_DOORBELL_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                          session->file, (off_t)open->doorbell_offset);
    void *ring = open->memory != 0 ? ring_p->memory
                                   : mmap(NULL, bytes, PROT_READ, MAP_SHARED, session->file,
                                          (off_t)open->ring_offset);
    if (doorbell == MAP_FAILED || ring == MAP_FAILED) {
        (void)(doorbell != MAP_FAILED && munmap(doorbell, TMU_DOORBELL_PAGE_BYTES));
        (void)(ring != MAP_FAILED && open->memory == 0 && munmap(ring, bytes));
        return tmu_error_set(TMU_ERR_MEMORY, "page %u and its ring cannot be mapped", open->page);
    }
    page->memory = doorbell;
    if (open->memory == 0) {
        *ring_p = (tmu_dma_t){.memory = ring, .bytes = bytes};
    }
    return TMU_OK;
}

static void dev_unmap(session_t *session, session_page_t *page, tmu_dma_t *ring) {
    (void)session;
    (void)munmap(page->memory, TMU_DOORBELL_PAGE_BYTES);
    (void)munmap(ring->memory, ring->bytes);
}

static const session_ops_t calls = {
    .scheme = "dev",
    .subject = "FILE",
    .who = "the kernel driver",
    .call = dev_call,
    .ring_get = dev_ring_get,
    .found = dev_found,
    .map = dev_map,
    .unmap = dev_unmap,
};

static tmu_result_t dev_open(const char *rest, void **backend_p) {
    session_t *session = calloc(1, sizeof *session);
    if (!session) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    tmu_result_t result = session_init(session, &calls, rest);
    if (result == TMU_OK) {
        result = file_open(session);
    }
    if (result != TMU_OK) {
        dev_close(session);
        return result;
    }
    *backend_p = session;
    return TMU_OK;
}

/* ---- doorbells and interrupts ---------------------------------------------------------------- */

static tmu_result_t dev_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    const session_t *session = backend;
    volatile char *at = session->pages[offset / TMU_DOORBELL_PAGE_BYTES].memory;
    at += offset % TMU_DOORBELL_PAGE_BYTES;
    page_store(at, data, size);
    return TMU_OK;
}

static tmu_result_t dev_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    const session_t *session = backend;
    const volatile char *at = session->pages[offset / TMU_DOORBELL_PAGE_BYTES].memory;
    *value_p = *(const volatile uint64_t *)(at + offset % TMU_DOORBELL_PAGE_BYTES);
    return TMU_OK;
}

/* The eventfd of a page stays when its queue is closed, and signals for the next one when that
 * asks for it. */
static tmu_result_t dev_event_fd(void *backend, uint32_t number, int *fd_p) {
    session_t *session = backend;
    session_page_t *page = &session->pages[number];
    struct tmu_ioctl_event event = {.size = sizeof event, .queue = page->queue};
    if (number >= session->vectors) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "page %u has no interrupt: the device has %u; poll the queue", number,
                             session->vectors);
    }
    pthread_mutex_lock(&page->lock);
    if (page->event_fd < 0) {
        page->event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    }
    event.fd = page->event_fd;
    tmu_result_t result = TMU_OK;
    if (event.fd < 0) {
        result = tmu_error_set(TMU_ERR_MEMORY, "no eventfd for page %u", number);
    } else if (page->wakes != page->queue) {
        result = dev_call(session, TMU_IOCTL_EVENT, &event, "an interrupt");
        page->wakes = result == TMU_OK ? page->queue : 0;
    }
    pthread_mutex_unlock(&page->lock);
    if (result == TMU_OK) {
        *fd_p = event.fd;
    }
    return result;
}

/* The driver writes a word when the unit fails, and wakes who sleeps on an eventfd. */
static tmu_result_t dev_alive(void *backend) {
    const session_t *session = backend;
    return session->state->failed == 0
               ? TMU_OK
               : tmu_error_set(TMU_ERR_DEVICE,
                               "%s: the unit has failed, and starts anew when all have closed it; "
                               "see dmesg",
                               session->path);
}

/* The device runs by itself; who waits for it in a loop lets others have the processor. */
static tmu_result_t dev_progress(void *backend, unsigned max_clocks) {
    (void)max_clocks;
    (void)sched_yield();
    return dev_alive(backend);
}

const tmu_backend_ops_t tmu_backend_dev = {
    .scheme = "dev",
    .control = &tmu_control_session,
    .open = dev_open,
    .close = dev_close,
    .doorbell_write = dev_doorbell_write,
    .page_read64 = dev_page_read64,
    .progress = dev_progress,
    .event_fd = dev_event_fd,
    .alive = dev_alive,
    .forsake = session_forsake,
};
