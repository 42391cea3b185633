// SPDX-License-Identifier: Apache-2.0
// A connection: whole messages with their file descriptors in, replies out.  It never waits for the
// other side, but for a moment when that does not read its replies.
#pragma once

#include "descriptor.h"
#include "vfu_protocol.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace vfu {

// Data of one read or write, at most; what a message may have beside that is less than its header.
constexpr size_t kTransferMax = 65536;
constexpr size_t kMessageMax = kTransferMax + 64;
constexpr size_t kDescriptorsMax = 16;

struct Message {
    vfu_header_t header{};
    std::vector<uint8_t> payload;
    std::vector<Descriptor> descriptors;
};

class Channel {
  public:
    explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}

    enum class Outcome { kMessage, kNothing, kEnd };

    // The next message, if all of it is there.  At the end `problem` says why, and is empty if the
    // other side just closed.
    Outcome receive(Message &message);

    // False if the other side does not take it; the connection is of no use any more then.
    bool reply(const vfu_header_t &command, const void *payload, size_t bytes);
    bool refuse(const vfu_header_t &command, int error);

    const std::string &problem() const { return problem_; }
    int number() const { return socket_.number(); }

  private:
    Outcome fill(uint8_t *target, size_t bytes);
    Outcome check_header();
    bool send(const vfu_header_t &header, const void *payload, size_t bytes);
    Outcome end(const std::string &problem);

    Descriptor socket_;
    std::string problem_;
    // The message that is being received.
    Message incoming_;
    size_t have_ = 0; // of header and payload together
};

} // namespace vfu
