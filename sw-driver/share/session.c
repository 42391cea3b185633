/* SPDX-License-Identifier: Apache-2.0
 *
 * A connection: its beginning, its messages and its end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dma_memory.h"
#include "share.h"

static void session_free(share_session_t *session) {
    if (session->memory) {
        dma_memory_unmap(session->memory, dma_memory_whole(sizeof *session->memory));
    }
    (void)close(session->socket);
    free(session);
}

/* Sends the greeting, with the file of the session's memory if there is one. */
static bool greet(int socket, int error, int file) {
    const struct tmu_share_greeting greeting = {
        .magic = TMU_SHARE_MAGIC, .version = TMU_SHARE_VERSION, .error = error};
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = (void *)&greeting, .iov_len = sizeof greeting};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &file, sizeof file);
    }
    return sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == sizeof greeting;
}

/* A session for a connection, or NULL with an errno. */
static share_session_t *session_create(const share_t *share, int socket, int *file_p) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    if (share->session_count == SHARE_SESSIONS_MAX) {
        errno = EUSERS;
        return NULL;
    }
    share_session_t *session = calloc(1, sizeof *session);
    if (!session) {
        errno = ENOMEM;
        return NULL;
    }
    session->memory = dma_memory_map(dma_memory_whole(sizeof *session->memory), file_p);
    if (!session->memory) {
        free(session);
        errno = ENOMEM;
        return NULL;
    }
    session->socket = socket;
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0) {
        session->process = peer.pid;
    }
    return session;
}

tmu_result_t share_session_accept(share_t *share) {
    int file = -1;
    int socket = accept4(share->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) {
        return TMU_OK; /* it has gone again, or this process has no file for it */
    }
    share_session_t *session = session_create(share, socket, &file);
    if (!session) {
        (void)greet(socket, errno, -1);
        (void)close(socket);
        return TMU_OK;
    }
    bool greeted = greet(socket, 0, file);
    (void)close(file);
    if (!greeted) {
        session_free(session);
        return TMU_OK;
    }
    session->next = share->sessions;
    share->sessions = session;
    share->session_count++;
    return TMU_OK;
}

tmu_result_t share_session_hear(share_t *share, share_session_t *session) {
    char bytes[TMU_SHARE_MESSAGE_MAX];
    ssize_t length = recv(session->socket, bytes, sizeof bytes, MSG_DONTWAIT | MSG_TRUNC);
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) {
        return TMU_OK;
    }
    if (length <= 0) {
        session->wrong = ""; /* it closed, or its process has ended: nothing to say */
        return TMU_OK;
    }
    if ((size_t)length > sizeof bytes) {
        session->wrong = "it sent a message that is too long";
        return TMU_OK;
    }
    return share_answer(share, session, bytes, (size_t)length);
}

tmu_result_t share_session_end(share_t *share, share_session_t *session) {
    tmu_result_t result = TMU_OK;
    if (session->wrong && session->wrong[0] != '\0') {
        (void)fprintf(stderr, "tmu-share: ended the session of process %ld: %s\n", session->process,
                      session->wrong);
    }
    while (session->queues && result == TMU_OK) {
        result = share_queue_close(share, session->queues);
    }
    for (uint32_t i = 0; i < share->device->info.endpoints && result == TMU_OK; i++) {
        if (share->endpoints[i].session == session) {
            result = share_endpoint_give(share, i);
        }
    }
    for (share_session_t **link = &share->sessions; *link; link = &(*link)->next) {
        if (*link == session) {
            *link = session->next;
            break;
        }
    }
    share->session_count--;
    session_free(session);
    return result;
}
