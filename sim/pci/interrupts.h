// SPDX-License-Identifier: Apache-2.0
// MSI-X vectors and the eventfds that the client wants to hear of them by.
#pragma once

#include "channel.h"

#include <cstdint>
#include <vector>

namespace vfu {

class Interrupts {
  public:
    explicit Interrupts(unsigned vectors) : eventfds_(vectors) {}

    // 0, or what is wrong as an errno value.
    int set(const vfu_irq_set_t &request, Message &message);

    // A vector that nobody listens to is not remembered.
    void raise(uint32_t vector);
    void clear();

    unsigned vectors() const { return static_cast<unsigned>(eventfds_.size()); }
    uint64_t raised() const { return raised_; }

  private:
    std::vector<Descriptor> eventfds_;
    uint64_t raised_ = 0;
};

} // namespace vfu
