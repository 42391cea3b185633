// SPDX-License-Identifier: Apache-2.0
// The other end of the unit's port to spill memory: host memory, some clocks away.
//
// This memory is as unhelpful as AXI allows:
// - A write changes memory in the clock in which its answer is offered, and no earlier, so that a
//   read that does not wait for the answer sees the old data.
// - A read sees memory as of the clock in which its address was taken.  With pauses it may as well
//   see each beat as of the clock in which that is offered, so that a write that does not wait for
//   a read's data is found out, too.
// - Answers keep their order within an id.  Of several ids the one that is due longest is next, as
//   in a memory that takes one access after the other; with pauses it is any of them.
// A breach of AXI's or the unit's own rules ends the simulation with a sentence.
#pragma once

#include "host_memory.h"
#include "pauses.h"

#include <deque>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace device {

// The port's signals in one clock; `drive` sets those that the unit reads.
struct SpillPins {
    // The unit's.
    uint8_t awid, awlen, awsize, awburst, awvalid;
    uint64_t awaddr;
    Beat wdata;
    uint64_t wstrb;
    uint8_t wlast, wvalid, bready;
    uint8_t arid, arlen, arsize, arburst, arvalid;
    uint64_t araddr;
    uint8_t rready;
    // The memory's.
    uint8_t awready, wready, bid, bresp, bvalid;
    uint8_t arready, rid, rresp, rlast, rvalid;
    Beat rdata;
};

// Latency and throughput of the memory.
struct SpillTiming {
    unsigned latency = 30; // clocks from an address to the first beat, from a write to its answer
    unsigned spread = 0; // up to so many more, at random: those of one id overtake those of another
    unsigned gap = 1;    // clocks from one beat that is read to the next, at least
};

class SpillMemory {
  public:
    static constexpr unsigned kIds = 2;
    static constexpr size_t kReadsMax = 64;

    SpillMemory(HostMemory &memory, const SpillTiming &timing) : memory_(memory), timing_(timing) {}

    // The segment at this address is registered with the unit.
    void add_segment(uint64_t base);
    // The unit was told to forget all segments; accesses under way may still arrive until the next
    // one is registered.
    void take_back() { forgotten_ = true; }

    void drive(SpillPins &pins, Pauses &pauses);
    void sample(const SpillPins &pins, Pauses &pauses);

    // Sentence about a forbidden act of the unit; empty if there was none.
    const std::string &problem() const { return problem_; }

  private:
    struct Read {
        uint64_t address;
        unsigned beats;
        uint64_t due;
        bool late; // each beat is read when it is offered
        std::vector<Beat> data;
        std::vector<uint8_t> responses;
        unsigned next = 0;
    };
    struct Address {
        uint64_t address;
        uint8_t id;
    };
    struct Data {
        Beat data;
        uint64_t strobes;
    };
    struct Write {
        uint64_t address;
        Data data;
        uint64_t due;
    };

    void accept_read(const SpillPins &pins, Pauses &pauses);
    void accept_write(const SpillPins &pins);
    void check_write(const Write &write);
    void offer_answer(Pauses &pauses);
    void offer_beat(Pauses &pauses);
    uint64_t due(Pauses &pauses);
    unsigned next_read(Pauses &pauses) const;
    void fetch(Read &read, unsigned beat) const;
    size_t reads() const;
    void blame(const char *what, uint64_t address);

    HostMemory &memory_;
    SpillTiming timing_;
    std::mt19937_64 lot_; // of the spread, the same in every run
    uint64_t clock_ = 0;
    uint64_t next_beat_ = 0; // first clock in which a beat may be offered
    std::set<uint64_t> segments_;
    bool forgotten_ = false;
    std::string problem_;

    std::deque<Address> addresses_; // of writes whose data is not there yet
    std::deque<Data> beats_;        // and the other way round
    std::deque<Write> writes_[kIds];
    std::deque<Read> reads_[kIds];

    // AXI: what is offered stays offered until it is taken.
    bool answer_offered_ = false;
    unsigned answer_id_ = 0;
    uint8_t answer_ = kOkay;
    bool beat_offered_ = false;
    unsigned beat_id_ = 0;
};

} // namespace device
