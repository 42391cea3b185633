/* SPDX-License-Identifier: Apache-2.0 */
#include "vfu_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* A device that simulates a large unit takes its time, but not so much. */
#define PATIENCE_SECONDS 60
#define CAPABILITIES "{\"capabilities\":{\"max_msg_fds\":1,\"max_data_xfer_size\":65536}}"
#define ANSWER_MAX 512

/* Keeps the sentence that the caller has set: nothing works on this connection any more. */
static tmu_result_t client_break(vfu_client_t *client) {
    client->broken = true;
    (void)snprintf(client->broken_text, sizeof client->broken_text, "%s", tmu_error_text(NULL));
    return TMU_ERR_DEVICE;
}

static tmu_result_t lost(vfu_client_t *client, const vfu_call_t *call) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        tmu_error_set(TMU_ERR_DEVICE,
                      "the device at %s has not answered %s for %d seconds; look whether its "
                      "process still runs",
                      client->path, call->name, PATIENCE_SECONDS);
    } else {
        tmu_error_set(TMU_ERR_DEVICE,
                      "the device at %s has gone away during %s; see what its process said, start "
                      "it again and open it anew",
                      client->path, call->name);
    }
    return client_break(client);
}

/* Sends all of a message; its file goes with the first byte. */
static bool send_all(int socket, struct iovec *parts, size_t count, int file) {
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
    if (file >= 0) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(header), &file, sizeof file);
    }
    while (message.msg_iovlen > 0) {
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) {
            continue;
        }
        if (sent < 0) {
            return false;
        }
        message.msg_control = NULL;
        message.msg_controllen = 0;
        size_t left = (size_t)sent;
        while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
            left -= message.msg_iov->iov_len;
            message.msg_iov++;
            message.msg_iovlen--;
        }
        if (message.msg_iovlen > 0) {
            message.msg_iov->iov_base = (char *)message.msg_iov->iov_base + left;
            message.msg_iov->iov_len -= left;
        }
    }
    return true;
}

static bool receive_all(int socket, void *target, size_t bytes) {
    size_t have = 0;
    while (have < bytes) {
        ssize_t got = recv(socket, (char *)target + have, bytes - have, 0);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? ECONNRESET : errno;
            return false;
        }
        have += (size_t)got;
    }
    return true;
}

static tmu_result_t answer_wrong(vfu_client_t *client, const vfu_call_t *call,
                                 const vfu_header_t *reply) {
    tmu_error_set(TMU_ERR_DEVICE,
                  "the device at %s answered %s with command %u, %u bytes and flags 0x%x, expected "
                  "its reply of %zu to %zu bytes",
                  client->path, call->name, reply->command, reply->size, reply->flags,
                  sizeof *reply + call->answer_least, sizeof *reply + call->answer_most);
    return client_break(client);
}

static tmu_result_t receive_reply(vfu_client_t *client, vfu_call_t *call, uint16_t id) {
    vfu_header_t reply;
    if (!receive_all(client->socket, &reply, sizeof reply)) {
        return lost(client, call);
    }
    bool error = (reply.flags & VFU_ERROR) != 0;
    size_t least = sizeof reply + (error ? 0 : call->answer_least);
    size_t most = sizeof reply + (error ? 0 : call->answer_most);
    if (reply.id != id || reply.command != call->command ||
        (reply.flags & VFU_TYPE_MASK) != VFU_TYPE_REPLY || reply.size < least ||
        reply.size > most) {
        return answer_wrong(client, call, &reply);
    }
    call->answer_bytes = reply.size - sizeof reply;
    if (!receive_all(client->socket, call->answer, call->answer_bytes)) {
        return lost(client, call);
    }
    call->error = !error ? 0 : reply.error != 0 ? reply.error : EIO;
    return TMU_OK;
}

tmu_result_t vfu_client_call(vfu_client_t *client, vfu_call_t *call) {
    if (client->broken) {
        return tmu_error_set(TMU_ERR_DEVICE, "%s", client->broken_text);
    }
    vfu_header_t header = {
        .id = client->next_id++,
        .command = call->command,
        .size = (uint32_t)(sizeof header + call->request_bytes + call->data_bytes),
        .flags = VFU_TYPE_COMMAND | (call->posted ? VFU_NO_REPLY : 0),
    };
    struct iovec parts[] = {
        {&header, sizeof header},
        {(void *)(uintptr_t)call->request, call->request_bytes},
        {(void *)(uintptr_t)call->data, call->data_bytes},
    };
    call->error = 0;
    if (!send_all(client->socket, parts, sizeof parts / sizeof parts[0], call->file)) {
        return lost(client, call);
    }
    return call->posted ? TMU_OK : receive_reply(client, call, header.id);
}

tmu_result_t vfu_client_alive(vfu_client_t *client) {
    const vfu_call_t call = {.name = "commands that it has not answered"};
    struct pollfd end = {.fd = client->socket};
    if (client->broken) {
        return tmu_error_set(TMU_ERR_DEVICE, "%s", client->broken_text);
    }
    if (poll(&end, 1, 0) != 1 || (end.revents & (POLLHUP | POLLERR)) == 0) {
        return TMU_OK;
    }
    errno = ECONNRESET;
    return lost(client, &call);
}

static tmu_result_t refused(const vfu_client_t *client, const vfu_call_t *call) {
    return tmu_error_set(TMU_ERR_DEVICE, "the device at %s refused %s: %s", client->path,
                         call->name, strerror((int)call->error));
}

tmu_result_t vfu_client_must(vfu_client_t *client, vfu_call_t *call) {
    tmu_result_t result = vfu_client_call(client, call);
    return result == TMU_OK && call->error != 0 ? refused(client, call) : result;
}

tmu_result_t vfu_client_read(vfu_client_t *client, uint32_t region, uint64_t offset, void *data,
                             uint32_t count, uint32_t *error_p) {
    vfu_access_t access = {.offset = offset, .region = region, .count = count};
    unsigned char answer[ANSWER_MAX];
    size_t bytes = sizeof access + count;
    vfu_call_t call = {
        .command = VFU_REGION_READ,
        .name = "a read of a region",
        .request = &access,
        .request_bytes = sizeof access,
        .file = -1,
        .answer = answer,
        .answer_least = bytes,
        .answer_most = bytes,
    };
    tmu_result_t result = vfu_client_call(client, &call);
    if (result == TMU_OK && call.error == 0) {
        memcpy(data, answer + sizeof access, count);
    }
    *error_p = call.error;
    return result;
}

tmu_result_t vfu_client_write(vfu_client_t *client, uint32_t region, uint64_t offset,
                              const void *data, uint32_t count, uint32_t *error_p) {
    vfu_access_t access = {.offset = offset, .region = region, .count = count};
    vfu_access_t answer;
    vfu_call_t call = {
        .command = VFU_REGION_WRITE,
        .name = "a write of a region",
        .request = &access,
        .request_bytes = sizeof access,
        .data = data,
        .data_bytes = count,
        .file = -1,
        .answer = &answer,
        .answer_least = sizeof answer,
        .answer_most = sizeof answer,
    };
    tmu_result_t result = vfu_client_call(client, &call);
    *error_p = call.error;
    return result;
}

tmu_result_t vfu_client_post(vfu_client_t *client, uint32_t region, uint64_t offset,
                             const void *data, uint32_t count) {
    vfu_access_t access = {.offset = offset, .region = region, .count = count};
    vfu_call_t call = {
        .command = VFU_REGION_WRITE,
        .name = "a posted write",
        .request = &access,
        .request_bytes = sizeof access,
        .data = data,
        .data_bytes = count,
        .file = -1,
        .posted = true,
    };
    return vfu_client_call(client, &call);
}

static tmu_result_t connect_to(vfu_client_t *client) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    size_t length = strlen(client->path);
    if (length == 0 || length >= sizeof address.sun_path) {
        return tmu_error_set(TMU_ERR_URI,
                             "vfu: found a path of %zu characters, expected 1 to %zu, the path of "
                             "a device's socket",
                             length, sizeof address.sun_path - 1);
    }
    memcpy(address.sun_path, client->path, length);
    client->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->socket < 0) {
        return tmu_error_set(TMU_ERR_MEMORY, "no socket: %s", strerror(errno));
    }
    (void)setsockopt(client->socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    (void)setsockopt(client->socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(client->socket, (const struct sockaddr *)&address, sizeof address) == 0) {
        return TMU_OK;
    }
    if (errno == ENOENT) {
        return tmu_error_set(TMU_ERR_URI,
                             "there is no socket %s; start the device first: "
                             "./tmu device --socket %s",
                             client->path, client->path);
    }
    if (errno == ECONNREFUSED) {
        return tmu_error_set(TMU_ERR_URI,
                             "nobody listens at %s: the device has ended; start it again: "
                             "./tmu device --socket %s",
                             client->path, client->path);
    }
    return tmu_error_set(TMU_ERR_URI, "cannot connect to %s: %s", client->path, strerror(errno));
}

static tmu_result_t agree(vfu_client_t *client) {
    vfu_version_t asked = {.major = VFU_MAJOR, .minor = VFU_MINOR};
    unsigned char answer[ANSWER_MAX];
    vfu_version_t offered;
    vfu_call_t call = {
        .command = VFU_VERSION,
        .name = "the version",
        .request = &asked,
        .request_bytes = sizeof asked,
        .data = CAPABILITIES,
        .data_bytes = sizeof CAPABILITIES,
        .file = -1,
        .answer = answer,
        .answer_least = sizeof offered,
        .answer_most = sizeof answer,
    };
    tmu_result_t result = vfu_client_call(client, &call);
    if (result == TMU_OK && call.error == EBUSY) {
        return tmu_error_set(TMU_ERR_BUSY,
                             "the device at %s serves another client, and one at a time; wait for "
                             "that one to end, or start a device of your own",
                             client->path);
    }
    if (result == TMU_OK && call.error == EPROTONOSUPPORT) {
        return tmu_error_set(TMU_ERR_VERSION,
                             "the device at %s does not speak vfio-user %d.%d; use a device and a "
                             "driver of the same release",
                             client->path, VFU_MAJOR, VFU_MINOR);
    }
    if (result != TMU_OK || call.error != 0) {
        return result != TMU_OK ? result : refused(client, &call);
    }
    memcpy(&offered, answer, sizeof offered);
    if (offered.major != VFU_MAJOR || offered.minor > VFU_MINOR) {
        return tmu_error_set(TMU_ERR_VERSION,
                             "the device at %s speaks vfio-user %u.%u, this driver %d.0 to %d.%d; "
                             "use a device and a driver of the same release",
                             client->path, offered.major, offered.minor, VFU_MAJOR, VFU_MAJOR,
                             VFU_MINOR);
    }
    return TMU_OK;
}

tmu_result_t vfu_client_open(vfu_client_t *client, const char *path) {
    *client = (vfu_client_t){.socket = -1, .path = path};
    tmu_result_t result = connect_to(client);
    return result == TMU_OK ? agree(client) : result;
}

void vfu_client_close(vfu_client_t *client) {
    if (client->socket >= 0) {
        (void)close(client->socket);
    }
}
