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
#include <unistd.h>

#include "control.h"
#include "dev_session.h"
#include "page_store.h"

/* ---- opening -----------------------------------------------------------------------------------
 */

/** One `name=number` of the URI. */
static tmu_result_t option_read(dev_session_t *session, const char *option, size_t length) {
    const struct {
        const char *name;
        uint32_t *value;
        uint32_t least;
    } known[] = {
        {"endpoints=", &session->endpoints, 1},
        {"posted=", &session->reserve.posted, 0},
        {"unexpected=", &session->reserve.unexpected, 0},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t name = strlen(known[i].name);
        if (length <= name || strncmp(option, known[i].name, name) != 0) {
            continue;
        }
        char *end = NULL;
        errno = 0;
        unsigned long number = strtoul(option + name, &end, 10);
        if (option[name] >= '0' && option[name] <= '9' && end == option + length && errno == 0 &&
            number >= known[i].least && number <= TMU_QUOTA_MAX) {
            *known[i].value = (uint32_t)number;
            return TMU_OK;
        }
    }
    return tmu_error_set(TMU_ERR_URI,
                         "unknown option '%.*s'; known: endpoints=NUMBER, and as reserve of each "
                         "posted=NUMBER and unexpected=NUMBER",
                         (int)length, option);
}

static tmu_result_t uri_read(dev_session_t *session, const char *rest) {
    const char *options = strchr(rest, '?');
    size_t length = options ? (size_t)(options - rest) : strlen(rest);
    tmu_result_t result = TMU_OK;
    if (length == 0 || length >= sizeof session->path) {
        return tmu_error_set(TMU_ERR_URI,
                             "'%s' names no file; expected dev:FILE[?endpoints=NUMBER]", rest);
    }
    memcpy(session->path, rest, length);
    while (options && result == TMU_OK) {
        const char *option = options + 1;
        size_t bytes = strcspn(option, "&");
        result = option_read(session, option, bytes);
        options = option[bytes] == '&' ? option + bytes : NULL;
    }
    return result;
}

static tmu_result_t file_open(dev_session_t *session) {
    const char *path = session->path;
    session->file = open(path, O_RDWR | O_CLOEXEC);
    if (session->file >= 0) {
        return TMU_OK;
    }
    switch (errno) {
    case ENOENT:
        return tmu_error_set(TMU_ERR_URI,
                             "there is no %s: the kernel driver has found no unit; as root: "
                             "modprobe tmu, then see dmesg",
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

/** The driver ends what is still open. */
static void dev_close(void *backend) {
    dev_session_t *session = backend;
    for (uint32_t i = 0; session->pages && i < session->page_count; i++) {
        if (session->pages[i].event_fd >= 0) {
            (void)close(session->pages[i].event_fd);
        }
    }
    if (session->file >= 0) {
        (void)close(session->file);
    }
    pthread_mutex_destroy(&session->lock);
    free(session->pages);
    free(session);
}

static tmu_result_t dev_open(const char *rest, void **backend_p) {
    dev_session_t *session = calloc(1, sizeof *session);
    if (!session) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a device");
    }
    session->file = -1;
    session->owner = getpid();
    session->endpoints = 1;
    session->reserve = (tmu_depth_t){TMU_IOCTL_SHARE, TMU_IOCTL_SHARE};
    pthread_mutex_init(&session->lock, NULL);
    tmu_result_t result = uri_read(session, rest);
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

tmu_result_t dev_call(const dev_session_t *session, unsigned long request, void *argument,
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
        return tmu_error_set(TMU_ERR_BUSY, "%s: %s has no more of them free", what, session->path);
    case ENOMEM:
        return tmu_error_set(TMU_ERR_MEMORY,
                             "%s: %s: Linux does not lock so much memory for this process; raise "
                             "the limit: ulimit -l",
                             what, session->path);
    case ENOTTY:
        return tmu_error_set(TMU_ERR_URI, "%s is no tag-matching unit", session->path);
    case EPERM:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s was opened by another process", what,
                             session->path);
    default:
        return tmu_error_set(TMU_ERR_DEVICE, "%s: %s: %s", what, session->path, strerror(errno));
    }
}

/* ---- doorbells and interrupts ------------------------------------------------------------------
 */

static tmu_result_t dev_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    const dev_session_t *session = backend;
    volatile char *place = session->pages[offset / TMU_DOORBELL_PAGE_BYTES].memory;
    place += offset % TMU_DOORBELL_PAGE_BYTES;
    page_store(place, data, size);
    return TMU_OK;
}

static tmu_result_t dev_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    const dev_session_t *session = backend;
    const volatile char *place = session->pages[offset / TMU_DOORBELL_PAGE_BYTES].memory;
    *value_p = *(const volatile uint64_t *)(place + offset % TMU_DOORBELL_PAGE_BYTES);
    return TMU_OK;
}

/** The eventfd of a page stays when its queue is closed, and signals for the next one when that
 * asks for it. */
static tmu_result_t dev_event_fd(void *backend, uint32_t number, int *fd_p) {
    dev_session_t *session = backend;
    dev_page_t *page = &session->pages[number];
    struct tmu_ioctl_event event = {.size = sizeof event, .queue = page->queue};
    if (number >= session->vectors) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "page %u has no interrupt: the device has %u; poll the queue", number,
                             session->vectors);
    }
    pthread_mutex_lock(&session->lock);
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
    pthread_mutex_unlock(&session->lock);
    if (result == TMU_OK) {
        *fd_p = event.fd;
    }
    return result;
}

/** The device runs by itself; who waits for it in a loop lets others have the processor. */
static tmu_result_t dev_progress(void *backend, unsigned max_clocks) {
    (void)backend;
    (void)max_clocks;
    (void)sched_yield();
    return TMU_OK;
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
};
