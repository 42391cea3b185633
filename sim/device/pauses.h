// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>

namespace device {

// Handshakes of the agents, each with pauses of its own.
enum Channel : unsigned {
    kAw,
    kW,
    kB,
    kAr,
    kR,
    kMemoryAw,
    kMemoryW,
    kMemoryB,
    kSpillAw,
    kSpillW,
    kSpillB,
    kSpillAr,
    kSpillR,
    kChannels
};

// Decides at random, repeatably, whether a channel pauses in a clock.
class Pauses {
  public:
    // Without a seed no channel ever pauses.
    Pauses(bool enabled, uint64_t seed) : enabled_(enabled), random_(seed) {}

    // Pauses come in runs, so that queues fill up as well as empty.
    bool pause(unsigned channel);

    // A number below a limit, for what else may happen in any order; 0 without a seed.
    uint64_t choose(uint64_t limit);

  private:
    bool enabled_;
    std::mt19937_64 random_;
    std::array<uint16_t, kChannels> left_{};
    std::array<bool, kChannels> pausing_{};
};

} // namespace device
