// SPDX-License-Identifier: Apache-2.0
// The other ends of the unit's AXI ports.  Each agent has two steps a clock: `drive` sets the
// unit's inputs before the clock edge, `sample` looks at what was transferred on it.
#pragma once

#include "host_port.h"
#include "pauses.h"
#include "sim_top.h"
#include "spill_memory.h"

#include <array>
#include <cstdint>
#include <deque>

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
    void drive(Top &top, Pauses &pauses);
    void sample(Top &top);

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

// Connects host memory with m_axi; a unit alone only writes there.
class HostAgent {
  public:
    explicit HostAgent(HostPort &memory) : memory_(memory) {}
    void drive(Top &top, Pauses &pauses);
    void sample(Top &top, Pauses &pauses);

  private:
    HostPort &memory_;
    AxiPins pins_{};
};

// Connects spill memory with m_axi_mem.
class SpillAgent {
  public:
    explicit SpillAgent(SpillMemory &memory) : memory_(memory) {}
    void drive(Top &top, Pauses &pauses);
    void sample(Top &top, Pauses &pauses);

  private:
    SpillMemory &memory_;
    AxiPins pins_{};
};

} // namespace device
