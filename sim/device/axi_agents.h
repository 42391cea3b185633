// SPDX-License-Identifier: Apache-2.0
// The other ends of the unit's AXI ports.  Each agent has two steps a clock: `drive` sets the
// unit's inputs before the clock edge, `sample` looks at what was transferred on it.
#pragma once

#include "VTmuTop.h"

#include "host_memory.h"
#include "pauses.h"
#include "spill_memory.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>

namespace device {

// Makes doorbell writes on s_axi, in order, one beat each, and reads of 8 bytes between them.
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
    // Starts a read; it is made when every write before it has its answer, as a bus orders them.
    void read(uint64_t address);
    // Whether that read has its answer, and which.
    bool answered(uint64_t &value, int &response) const;
    void drive(VTmuTop &top, Pauses &pauses);
    void sample(VTmuTop &top);

  private:
    enum class Read { kNone, kWaits, kOffered, kTaken, kAnswered };

    std::deque<Write> waiting_; // the front one may have its address or its data already taken
    bool address_taken_ = false;
    bool data_taken_ = false;
    // AXI: what is offered stays offered until it is taken.
    bool address_offered_ = false;
    bool data_offered_ = false;
    size_t unanswered_ = 0; // writes of which all was taken
    Read read_ = Read::kNone;
    uint64_t read_address_ = 0;
    uint64_t read_value_ = 0;
    int read_response_ = 0;
};

// Answers the unit's writes on m_axi from host memory.
class MemoryAgent {
  public:
    // Hears of every write: where it went, and whether memory is there.
    using Listener = std::function<void(uint64_t address, bool stored)>;

    MemoryAgent(HostMemory &memory, Listener &listener) : memory_(memory), listener_(listener) {}
    void drive(VTmuTop &top, Pauses &pauses);
    // True if memory was written.
    bool sample(VTmuTop &top);

  private:
    struct Data {
        Beat data;
        uint64_t strobes;
    };
    HostMemory &memory_;
    Listener &listener_; // may be empty
    std::deque<uint64_t> addresses_;
    std::deque<Data> beats_;
    std::deque<uint8_t> answers_;
    bool answer_offered_ = false;
};

// Connects spill memory with m_axi_mem.
class SpillAgent {
  public:
    explicit SpillAgent(SpillMemory &memory) : memory_(memory) {}
    void drive(VTmuTop &top, Pauses &pauses);
    void sample(VTmuTop &top, Pauses &pauses);

  private:
    SpillMemory &memory_;
    SpillPins pins_{};
};

} // namespace device
