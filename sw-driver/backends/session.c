/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One `name=number` of the URI. */
static tmu_result_t option_read(session_t *session, const char *option, size_t length) {
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
    static const char own_rings[] = "rings=own";
    if (session->ops->ring_get && length == sizeof own_rings - 1 &&
        strncmp(option, own_rings, length) == 0) {
        session->own_rings = true;
        return TMU_OK;
    }
    return tmu_error_set(TMU_ERR_URI,
                         "unknown option '%.*s'; known: endpoints=NUMBER, and as reserve of each "
                         "posted=NUMBER and unexpected=NUMBER%s",
                         (int)length, option, session->ops->ring_get ? "; rings=own" : "");
}

tmu_result_t session_init(session_t *session, const session_ops_t *ops, const char *rest) {
    *session = (session_t){
        .ops = ops,
        .file = -1,
        .owner = getpid(),
        .endpoints = 1,
        .reserve = {TMU_IOCTL_SHARE, TMU_IOCTL_SHARE},
    };
    const char *options = strchr(rest, '?');
    size_t length = options ? (size_t)(options - rest) : strlen(rest);
    tmu_result_t result = TMU_OK;
    if (length == 0 || length >= sizeof session->path) {
        return tmu_error_set(TMU_ERR_URI, "'%s' names no %s; expected %s:%s[?endpoints=NUMBER]",
                             rest, ops->subject, ops->scheme, ops->subject);
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

tmu_result_t session_pages(session_t *session, uint32_t count) {
    session->pages = calloc(count, sizeof *session->pages);
    if (!session->pages) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u queues", count);
    }
    session->page_count = count;
    for (uint32_t i = 0; i < count; i++) {
        session->pages[i].event_fd = -1;
        pthread_mutex_init(&session->pages[i].lock, NULL);
    }
    return TMU_OK;
}

void session_forsake(void *session) {
    session_t *inherited = session;
    if (inherited->file >= 0) {
        (void)close(inherited->file);
    }
}

void session_end(session_t *session) {
    for (uint32_t i = 0; i < session->page_count; i++) {
        if (session->pages[i].event_fd >= 0) {
            (void)close(session->pages[i].event_fd);
        }
        pthread_mutex_destroy(&session->pages[i].lock);
    }
    if (session->file >= 0) {
        (void)close(session->file);
    }
    free(session->pages);
}
