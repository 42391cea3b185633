// SPDX-License-Identifier: Apache-2.0
// The other end of an AXI port to host memory, some clocks away.
//
// This memory is as unhelpful as AXI allows:
// - A write changes memory in the clock in which its answer is offered, and no earlier, so that a
//   read that does not wait for the answer sees the old data; except that a port may have writes
//   carried out when they are taken, while nothing pauses.
// - A read sees memory as of the clock in which its address was taken.  With pauses it may as well
//   see each beat as of the clock in which that is offered, so that a write that does not wait for
//   a read's data is found out, too.
// - Answers keep their order within an id.  Of several ids the one that is due longest is next, as
//   in a memory that takes one access after the other; with pauses it is any of them.
// A breach of AXI's or the port's own rules ends the simulation with a sentence.
#pragma once

#include "host_memory.h"
#include "pauses.h"

#include <deque>
#include <random>
#include <string>
#include <vector>

namespace device {

// A port's signals in one clock; `drive` sets those that the hardware reads.
struct AxiPins {
    // The hardware's.
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

// Latency and throughput of a memory.
struct AxiTiming {
    unsigned latency = 30; // clocks from an address to the first beat, from a write to its answer
    unsigned spread = 0; // up to so many more, at random: those of one id overtake those of another
    unsigned gap = 1;    // clocks from one beat that is read to the next, at least
};

// A port, and what it may ask for.
struct AxiPort {
    const char *name; // in sentences
    unsigned ids;
    unsigned read_beats;  // of a burst, at most
    unsigned write_beats; // the same
    bool prompt;          // while nothing pauses, writes are carried out when they are taken
    Channel aw, w, b, ar, r;
};

class AxiMemory {
  public:
    // That wait for their answer before no more are taken.
    static constexpr size_t kReadsMax = 64;
    static constexpr size_t kWritesMax = 64;

    AxiMemory(HostMemory &memory, const AxiTiming &timing, const AxiPort &port)
        : memory_(memory), timing_(timing), port_(port), writes_(port.ids), reads_(port.ids) {}
    virtual ~AxiMemory() = default;

    void drive(AxiPins &pins, Pauses &pauses);
    void sample(const AxiPins &pins, Pauses &pauses);

    // Sentence about a forbidden act of the hardware; empty if there was none.
    const std::string &problem() const { return problem_; }

  protected:
    void blame(const std::string &what, uint64_t address);

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
    struct Data {
        Beat data;
        uint64_t strobes;
        bool last;
    };
    struct Write {
        uint64_t address;
        unsigned id;
        unsigned beats;
        std::vector<Data> data;
        uint64_t due = 0;
        bool done = false; // carried out
        uint8_t response = kOkay;
    };

    // A port's own rule about a write.
    virtual void check_write(uint64_t address) { (void)address; }
    // A beat was written, or no memory is there.
    virtual void wrote(uint64_t address, unsigned id, bool stored) {
        (void)address, (void)id, (void)stored;
    }

    void accept_read(const AxiPins &pins, Pauses &pauses);
    void accept_write(const AxiPins &pins);
    void join_writes(Pauses &pauses);
    void carry_out(Write &write);
    void offer_answer(Pauses &pauses);
    void offer_beat(Pauses &pauses);
    uint64_t due(Pauses &pauses);
    unsigned next_read(Pauses &pauses) const;
    void fetch(Read &read, unsigned beat) const;

    HostMemory &memory_;
    AxiTiming timing_;
    AxiPort port_;
    std::mt19937_64 lot_; // of the spread, the same in every run
    uint64_t clock_ = 0;
    uint64_t next_beat_ = 0; // first clock in which a beat may be offered
    std::string problem_;

    std::deque<Write> addresses_;           // of writes whose data is not there yet
    std::deque<Data> beats_;                // and the other way round
    std::vector<std::deque<Write>> writes_; // by id
    std::vector<std::deque<Read>> reads_;

    // AXI: what is offered stays offered until it is taken.
    bool answer_offered_ = false;
    unsigned answer_id_ = 0;
    uint8_t answer_ = kOkay;
    bool beat_offered_ = false;
    unsigned beat_id_ = 0;
};

} // namespace device
