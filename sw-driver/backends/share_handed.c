/* SPDX-License-Identifier: Apache-2.0 */
#include "share_handed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

ssize_t share_receive(int socket, void *bytes, size_t size, int *file_p) {
    union {
        struct cmsghdr header;
        char room[CMSG_SPACE(sizeof(int))];
    } control = {0};
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t length;
    do {
        length = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    } while (length < 0 && errno == EINTR);
    const struct cmsghdr *head = length > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *file_p = -1;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        memcpy(file_p, CMSG_DATA(head), sizeof *file_p);
    }
    return length;
}

void *share_map_handed(int file, size_t bytes) {
    struct stat found;
    int seals = file < 0 ? -1 : fcntl(file, F_GET_SEALS);
    if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &found) != 0 ||
        found.st_size < (off_t)bytes) {
        return MAP_FAILED;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED && madvise(memory, bytes, MADV_DONTFORK) != 0) {
        (void)munmap(memory, bytes);
        return MAP_FAILED;
    }
    return memory;
}
