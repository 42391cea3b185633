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
    kMemoryAr,
    kMemoryR,
    kNetworkRx,
    kNetworkTx,
    kChannels
};

// Decides at random, repeatably, whether a channel pauses in a clock.
class Pauses {
  public:
    // Without a seed no channel ever pauses.  With `lull`, stretches without any pause take turns
    // with those that have some, each of random length up to so many clocks.
    Pauses(bool enabled, uint64_t seed, uint64_t lull = 0)
        : enabled_(enabled), random_(seed), lull_(lull) {}

    bool enabled() const { return enabled_; }

    // A clock has passed.
    void clock();

    // Pauses come in runs, so that queues fill up as well as empty.
    bool pause(unsigned channel);

    // A number below a limit, for what else may happen in any order; 0 without a seed.
    uint64_t choose(uint64_t limit);

  private:
    bool enabled_;
    std::mt19937_64 random_;
    uint64_t lull_;
    uint64_t stretch_left_ = 0; // clocks
    bool calm_ = false;
    std::array<uint16_t, kChannels> left_{};
    std::array<bool, kChannels> pausing_{};
};

} // namespace device
