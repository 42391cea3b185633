/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of links: sockets by their path, tap devices by their name. */
#include "link.h"
#include "link_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/if.h>
#include <linux/if_tun.h>

#define BACKLOG 64

/* The length of what `text` starts with, 0 if it starts otherwise. */
static size_t starts_with(const char *text, const char *start) {
    const size_t length = strlen(start);
    return strncmp(text, start, length) == 0 ? length : 0;
}

static bool socket_address(const char *path, struct sockaddr_un *address,
                           char error[LINK_ERROR_BYTES]) {
    const size_t length = strlen(path);
    if (length == 0 || length > LINK_PATH_MAX) {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "%.100s: found a path of %zu characters, expected 1 to %u", path, length,
                       LINK_PATH_MAX);
        return false;
    }
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, length);
    return true;
}

static int refuse(const char *path, const char *doing, int fd, char error[LINK_ERROR_BYTES]) {
    (void)snprintf(error, LINK_ERROR_BYTES, "%s: %s: %s", path, doing, strerror(errno));
    if (fd >= 0) {
        (void)close(fd);
    }
    return -1;
}

static int connected(const char *path, char error[LINK_ERROR_BYTES]) {
    struct sockaddr_un address;
    if (!socket_address(path, &address, error)) {
        return -1;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        return refuse(path, "connecting with the socket", fd, error);
    }
    return fd;
}

static int tap(const char *name, char error[LINK_ERROR_BYTES]) {
    struct ifreq request = {0};
    const size_t length = strlen(name);
    if (length == 0 || length >= sizeof request.ifr_name) {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "tap:%.100s: found a name of %zu characters, expected 1 to %zu", name,
                       length, sizeof request.ifr_name - 1);
        return -1;
    }
    const int fd = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
    if (fd < 0) {
        return refuse(name, "opening /dev/net/tun for the tap device", -1, error);
    }
    memcpy(request.ifr_name, name, length);
    request.ifr_flags = IFF_TAP | IFF_NO_PI;
    if (ioctl(fd, TUNSETIFF, &request) != 0) {
        return refuse(name, "taking the tap device, which needs CAP_NET_ADMIN or an owner", fd,
                      error);
    }
    return fd;
}

link_t *link_connect(const char *address, char error[LINK_ERROR_BYTES]) {
    const size_t unix_socket = starts_with(address, "unix:");
    const size_t tap_device = starts_with(address, "tap:");
    int fd = -1;
    if (unix_socket > 0) {
        fd = connected(address + unix_socket, error);
    } else if (tap_device > 0) {
        fd = tap(address + tap_device, error);
    } else {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "found the link '%.100s', expected unix:PATH or tap:NAME", address);
    }
    if (fd < 0) {
        return NULL;
    }
    link_t *link = link_made(fd, tap_device > 0);
    if (!link) {
        (void)snprintf(error, LINK_ERROR_BYTES, "%.100s: memory is used up", address);
    }
    return link;
}

/* Whether a path is free for a socket; a socket that nobody serves is removed. */
static bool path_is_free(const char *path, const struct sockaddr_un *address,
                         char error[LINK_ERROR_BYTES]) {
    struct stat found;
    if (lstat(path, &found) != 0) {
        return true; /* bind() says what is wrong with a folder */
    }
    if (!S_ISSOCK(found.st_mode)) {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "%s: found a file there, expected a socket or nothing", path);
        return false;
    }
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool dead = connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                      errno == ECONNREFUSED;
    (void)close(probe);
    if (!dead) {
        (void)snprintf(error, LINK_ERROR_BYTES,
                       "%s: found a socket in use, expected one that nobody serves", path);
        return false;
    }
    (void)unlink(path);
    return true;
}

int link_listen(const char *path, char error[LINK_ERROR_BYTES]) {
    struct sockaddr_un address;
    if (!socket_address(path, &address, error) || !path_is_free(path, &address, error)) {
        return -1;
    }
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 ||
        listen(fd, BACKLOG) != 0) {
        return refuse(path, "listening at the socket", fd, error);
    }
    return fd;
}

link_t *link_accept(int listener) {
    const int fd = accept(listener, NULL, NULL);
    return fd < 0 ? NULL : link_from_socket(fd);
}
