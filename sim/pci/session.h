// SPDX-License-Identifier: Apache-2.0
// One client's connection: its commands, one after the other, and what they are answered.
#pragma once

#include "channel.h"
#include "device.h"

#include <array>
#include <cstdint>
#include <string>

namespace vfu {

struct SessionCounts {
    uint64_t clients = 0; // that agreed on a version
    uint64_t messages = 0;
    uint64_t posted = 0;  // of these, wanted no reply
    uint64_t refused = 0; // were answered with an error, or would have been
};

class Session {
  public:
    Session(Channel channel, Device &device, SessionCounts &counts)
        : channel_(std::move(channel)), device_(device), counts_(counts) {}

    // Handles what has come, up to some messages; false at the end of the connection.
    bool serve();

    // Handles one message that has come already; the same.
    bool handle(Message &message);

    // Why it ended, in a sentence about the client; empty if it closed the connection.
    const std::string &problem() const { return problem_; }
    int number() const { return channel_.number(); }

  private:
    // The answer: an errno value, or 0 and `answer_`.
    int dispatch(Message &message);
    int version(Message &message);
    int dma_map(Message &message);
    int dma_unmap(Message &message);
    int device_info(Message &message);
    int region_info(Message &message);
    int irq_info(Message &message);
    int set_irqs(Message &message);
    int region_read(Message &message);
    int region_write(Message &message);
    int region_write_multi(Message &message);
    int reset(Message &message);
    int capabilities(const Message &message, std::string &offered);

    template <class Part> void answer(const Part &part);

    Channel channel_;
    Device &device_;
    SessionCounts &counts_;
    std::string problem_;
    std::vector<uint8_t> answer_;
    bool agreed_ = false; // on a version
    bool over_ = false;
};

} // namespace vfu
