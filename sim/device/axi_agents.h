// SPDX-License-Identifier: Apache-2.0
// The other ends of the unit's AXI ports.  Each agent has two steps a clock: `drive` sets the
// unit's inputs before the clock edge, `sample` looks at what was transferred on it.
#pragma once

#include "VTmuTop.h"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <vector>

namespace device {

// Decides at random, repeatably, whether a channel pauses in a clock.
class Pauses {
  public:
    // Without a seed no channel ever pauses.
    Pauses(bool enabled, uint64_t seed) : enabled_(enabled), random_(seed) {}

    // Pauses come in runs, so that queues fill up as well as empty.
    bool pause(unsigned channel);

  private:
    bool enabled_;
    std::mt19937_64 random_;
    std::array<uint16_t, 8> left_{};
    std::array<bool, 8> pausing_{};
};

// Makes doorbell writes on s_axi, in order, one beat each.
class DoorbellAgent {
  public:
    struct Write {
        uint64_t address;
        unsigned size; // 4 or 64
        std::array<uint32_t, 16> data;
    };
    static constexpr size_t kQueueMax = 64;

    bool full() const { return waiting_.size() >= kQueueMax; }
    void push(const Write &write) { waiting_.push_back(write); }
    void drive(VTmuTop &top, Pauses &pauses);
    void sample(VTmuTop &top);

  private:
    std::deque<Write> waiting_; // the front one may have its address or its data already taken
    bool address_taken_ = false;
    bool data_taken_ = false;
    // AXI: what is offered stays offered until it is taken.
    bool address_offered_ = false;
    bool data_offered_ = false;
};

// Answers the unit's writes on m_axi from registered host memory.
class MemoryAgent {
  public:
    void add(uint64_t address, uint8_t *memory, size_t bytes);
    void remove(const uint8_t *memory);
    void drive(VTmuTop &top, Pauses &pauses);
    // True if memory was written.
    bool sample(VTmuTop &top);

  private:
    struct Region {
        uint8_t *memory;
        size_t bytes;
    };
    bool store(uint64_t address, const VlWide<16> &data, uint64_t strobes);

    std::map<uint64_t, Region> regions_; // by bus address
    std::deque<uint64_t> addresses_;
    struct Beat {
        VlWide<16> data;
        uint64_t strobes;
    };
    std::deque<Beat> beats_;
    std::deque<uint8_t> answers_;
    bool answer_offered_ = false;
};

} // namespace device
