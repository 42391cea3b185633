// SPDX-License-Identifier: Apache-2.0
#include "channel.h"

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>

namespace vfu {

namespace {
constexpr size_t kHeaderBytes = sizeof(vfu_header_t);
constexpr int kPatienceMs = 1000; // with somebody who does not read
} // namespace

Channel::Outcome Channel::end(const std::string &problem) {
    problem_ = problem;
    return Outcome::kEnd;
}

// Reads into `target` until it holds `bytes` of the current part; file descriptors on the way
// belong to the message, as its sender attaches them to its first byte.
Channel::Outcome Channel::fill(uint8_t *target, size_t bytes) {
    alignas(cmsghdr) char control[CMSG_SPACE(kDescriptorsMax * sizeof(int))];
    iovec part{target, bytes};
    msghdr request{};
    request.msg_iov = &part;
    request.msg_iovlen = 1;
    request.msg_control = control;
    request.msg_controllen = sizeof control;
    const ssize_t got = ::recvmsg(socket_.number(), &request, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return Outcome::kNothing;
    }
    if (got < 0 && errno != ECONNRESET) {
        return end(std::string("cannot be read from: ") + std::strerror(errno));
    }
    if (got <= 0) {
        return end(have_ == 0 ? "" : "went away in the middle of a message");
    }
    for (cmsghdr *one = CMSG_FIRSTHDR(&request); one != nullptr; one = CMSG_NXTHDR(&request, one)) {
        if (one->cmsg_level != SOL_SOCKET || one->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const size_t count = (one->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t i = 0; i < count; ++i) {
            int number = -1;
            std::memcpy(&number, CMSG_DATA(one) + i * sizeof(int), sizeof number);
            incoming_.descriptors.emplace_back(number);
        }
    }
    if ((request.msg_flags & MSG_CTRUNC) != 0 || incoming_.descriptors.size() > kDescriptorsMax) {
        return end("sent more file descriptors with a message than " +
                   std::to_string(kDescriptorsMax));
    }
    have_ += static_cast<size_t>(got);
    return static_cast<size_t>(got) == bytes ? Outcome::kMessage : Outcome::kNothing;
}

Channel::Outcome Channel::check_header() {
    const vfu_header_t &header = incoming_.header;
    if (header.size < kHeaderBytes || header.size > kMessageMax) {
        return end("sent a message of " + std::to_string(header.size) + " bytes, expected " +
                   std::to_string(kHeaderBytes) + " to " + std::to_string(kMessageMax));
    }
    if ((header.flags & VFU_TYPE_MASK) != VFU_TYPE_COMMAND) {
        return end("sent a message of type " + std::to_string(header.flags & VFU_TYPE_MASK) +
                   ", expected a command");
    }
    incoming_.payload.resize(header.size - kHeaderBytes);
    return Outcome::kMessage;
}

Channel::Outcome Channel::receive(Message &message) {
    if (have_ < kHeaderBytes) {
        auto *header = reinterpret_cast<uint8_t *>(&incoming_.header);
        Outcome outcome = fill(header + have_, kHeaderBytes - have_);
        if (outcome == Outcome::kMessage) {
            outcome = check_header();
        }
        if (outcome != Outcome::kMessage) {
            return outcome;
        }
    }
    const size_t have = have_ - kHeaderBytes;
    if (have < incoming_.payload.size()) {
        const Outcome outcome =
            fill(incoming_.payload.data() + have, incoming_.payload.size() - have);
        if (outcome != Outcome::kMessage) {
            return outcome;
        }
    }
    message = std::move(incoming_);
    incoming_ = Message{};
    have_ = 0;
    return Outcome::kMessage;
}

bool Channel::send(const vfu_header_t &header, const void *payload, size_t bytes) {
    const auto *first = reinterpret_cast<const uint8_t *>(&header);
    const auto *second = static_cast<const uint8_t *>(payload);
    std::vector<uint8_t> whole(first, first + kHeaderBytes);
    whole.insert(whole.end(), second, second + bytes);
    size_t sent = 0;
    while (sent < whole.size()) {
        const ssize_t took = ::send(socket_.number(), whole.data() + sent, whole.size() - sent,
                                    MSG_DONTWAIT | MSG_NOSIGNAL);
        if (took >= 0) {
            sent += static_cast<size_t>(took);
            continue;
        }
        pollfd writable{socket_.number(), POLLOUT, 0};
        if (errno != EINTR && (errno != EAGAIN || ::poll(&writable, 1, kPatienceMs) != 1)) {
            problem_ = "does not take its replies";
            return false;
        }
    }
    return true;
}

bool Channel::reply(const vfu_header_t &command, const void *payload, size_t bytes) {
    if ((command.flags & VFU_NO_REPLY) != 0) {
        return true;
    }
    const auto size = static_cast<uint32_t>(kHeaderBytes + bytes);
    return send({command.id, command.command, size, VFU_TYPE_REPLY, 0}, payload, bytes);
}

bool Channel::refuse(const vfu_header_t &command, int error) {
    if ((command.flags & VFU_NO_REPLY) != 0) {
        return true;
    }
    return send({command.id, command.command, kHeaderBytes, VFU_TYPE_REPLY | VFU_ERROR,
                 static_cast<uint32_t>(error)},
                nullptr, 0);
}

} // namespace vfu
