// SPDX-License-Identifier: Apache-2.0
// The other end of a connection, for tests: it sends what it is told, right or wrong.
#pragma once

#include "channel.h"

#include <cstring>
#include <poll.h>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <vector>

struct Reply {
    bool there = false;
    vfu_header_t header{};
    std::vector<uint8_t> payload;

    // The answer: an errno value, 0 if all is well, or -1 if nothing came.
    int error() const {
        if (!there) {
            return -1;
        }
        return (header.flags & VFU_ERROR) != 0 ? static_cast<int>(header.error) : 0;
    }
    template <class Part> Part part() const {
        Part found{};
        if (payload.size() >= sizeof found) {
            std::memcpy(&found, payload.data(), sizeof found);
        }
        return found;
    }
};

template <class Part> std::vector<uint8_t> bytes_of(const Part &part) {
    const auto *first = reinterpret_cast<const uint8_t *>(&part);
    return {first, first + sizeof part};
}

inline std::vector<uint8_t> operator+(std::vector<uint8_t> first,
                                      const std::vector<uint8_t> &second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

class Client {
  public:
    explicit Client(int socket) : socket_(socket) {}

    void send_raw(const std::vector<uint8_t> &bytes, const std::vector<int> &files = {}) {
        alignas(cmsghdr) char control[CMSG_SPACE(64 * sizeof(int))];
        iovec part{const_cast<uint8_t *>(bytes.data()), bytes.size()};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        if (!files.empty()) {
            message.msg_control = control;
            message.msg_controllen = CMSG_SPACE(files.size() * sizeof(int));
            cmsghdr *header = CMSG_FIRSTHDR(&message);
            header->cmsg_level = SOL_SOCKET;
            header->cmsg_type = SCM_RIGHTS;
            header->cmsg_len = CMSG_LEN(files.size() * sizeof(int));
            std::memcpy(CMSG_DATA(header), files.data(), files.size() * sizeof(int));
        }
        (void)::sendmsg(socket_.number(), &message, MSG_NOSIGNAL);
    }

    void send(uint16_t command, const std::vector<uint8_t> &payload,
              const std::vector<int> &files = {}, uint32_t flags = 0) {
        const vfu_header_t header{++id_, command,
                                  static_cast<uint32_t>(sizeof header + payload.size()), flags, 0};
        send_raw(bytes_of(header) + payload, files);
    }

    // A message that has come; with patience also one that comes in that time.
    Reply receive(int patience_ms = 0) {
        Reply reply;
        pollfd readable{socket_.number(), POLLIN, 0};
        if (::poll(&readable, 1, patience_ms) != 1 ||
            ::recv(socket_.number(), &reply.header, sizeof reply.header, MSG_WAITALL) !=
                static_cast<ssize_t>(sizeof reply.header)) {
            return reply;
        }
        reply.payload.resize(reply.header.size - sizeof reply.header);
        if (!reply.payload.empty()) {
            (void)::recv(socket_.number(), reply.payload.data(), reply.payload.size(), MSG_WAITALL);
        }
        reply.there = reply.header.id == id_;
        return reply;
    }

    void close() { socket_ = vfu::Descriptor(); }

  private:
    vfu::Descriptor socket_;
    uint16_t id_ = 40;
};

// Memory that can be handed over.
struct SharedMemory {
    explicit SharedMemory(size_t size) : bytes(size), file(::memfd_create("test", MFD_CLOEXEC)) {
        if (::ftruncate(file.number(), static_cast<off_t>(size)) == 0) {
            data = static_cast<uint8_t *>(
                ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0));
        }
    }
    ~SharedMemory() { (void)::munmap(data, bytes); }
    SharedMemory(const SharedMemory &) = delete;
    SharedMemory &operator=(const SharedMemory &) = delete;

    size_t bytes;
    vfu::Descriptor file;
    uint8_t *data = nullptr;
};
