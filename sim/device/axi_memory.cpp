// SPDX-License-Identifier: Apache-2.0
#include "axi_memory.h"

#include <cinttypes>
#include <cstdio>

namespace device {

namespace {
constexpr size_t kBeatsMax = 64;  // that wait for their address
constexpr uint8_t kWholeBeat = 6; // log2 of its bytes
constexpr uint8_t kIncrementing = 1;
constexpr uint64_t kPageBytes = 4096;
constexpr uint8_t kNothing = 0xa5; // on the wires while nothing is offered

template <class Queues> size_t total(const Queues &queues) {
    size_t sum = 0;
    for (const auto &queue : queues) {
        sum += queue.size();
    }
    return sum;
}

// Of the ids whose oldest is due the one that is next: any with pauses, else who is due longest;
// as many as there are without one.
template <class Queues> unsigned next_due(const Queues &queues, uint64_t clock, Pauses &pauses) {
    const unsigned ids = static_cast<unsigned>(queues.size());
    const unsigned first = static_cast<unsigned>(pauses.choose(ids));
    unsigned chosen = ids;
    for (unsigned i = 0; i < ids; ++i) {
        const unsigned id = (first + i) % ids;
        if (queues[id].empty() || queues[id].front().due > clock) {
            continue;
        }
        if (chosen == ids ||
            (!pauses.enabled() && queues[id].front().due < queues[chosen].front().due)) {
            chosen = id;
        }
    }
    return chosen;
}
} // namespace

void AxiMemory::blame(const std::string &what, uint64_t address) {
    if (!problem_.empty()) {
        return;
    }
    char text[32];
    std::snprintf(text, sizeof text, " at 0x%" PRIx64, address);
    problem_ = std::string(port_.name) + ": " + what + text;
}

void AxiMemory::fetch(Read &read, unsigned beat) const {
    read.data[beat] = Beat{};
    const bool there = memory_.read(read.address + beat * kBeatBytes, read.data[beat]);
    read.responses[beat] = there ? kOkay : kDecodeError;
}

// The clock in which what is accepted now is due.
uint64_t AxiMemory::due(Pauses &pauses) {
    const uint64_t more = timing_.spread > 0 ? lot_() % (timing_.spread + 1u) : 0;
    return clock_ + timing_.latency + more + pauses.choose(timing_.latency + 1);
}

void AxiMemory::carry_out(Write &write) {
    for (unsigned i = 0; i < write.beats; ++i) {
        const uint64_t address = write.address + uint64_t{i} * kBeatBytes;
        const bool stored = memory_.write(address, write.data[i].data, write.data[i].strobes);
        write.response = stored ? write.response : kDecodeError;
        wrote(address, write.id, stored);
    }
    write.done = true;
}

// Of the writes that are due the oldest of some id is carried out and answered.
void AxiMemory::offer_answer(Pauses &pauses) {
    if (answer_offered_ || total(writes_) == 0 || pauses.pause(port_.b)) {
        return;
    }
    const unsigned id = next_due(writes_, clock_, pauses);
    if (id == port_.ids) {
        return;
    }
    Write &write = writes_[id].front();
    if (!write.done) {
        carry_out(write);
    }
    answer_ = write.response;
    answer_id_ = id;
    answer_offered_ = true;
}

// A burst that has begun goes on; otherwise one of those that are due begins.
unsigned AxiMemory::next_read(Pauses &pauses) const {
    const unsigned due = next_due(reads_, clock_, pauses);
    const auto &last = reads_[beat_id_];
    return !last.empty() && last.front().next > 0 ? beat_id_ : due;
}

void AxiMemory::offer_beat(Pauses &pauses) {
    if (beat_offered_ || clock_ < next_beat_ || total(reads_) == 0 || pauses.pause(port_.r)) {
        return;
    }
    const unsigned chosen = next_read(pauses);
    if (chosen == port_.ids) {
        return;
    }
    Read &read = reads_[chosen].front();
    if (read.late) {
        fetch(read, read.next);
    }
    beat_id_ = chosen;
    beat_offered_ = true;
}

void AxiMemory::drive(AxiPins &pins, Pauses &pauses) {
    pins.awready = addresses_.size() + total(writes_) < kWritesMax && !pauses.pause(port_.aw);
    pins.wready = beats_.size() < kBeatsMax && !pauses.pause(port_.w);
    pins.arready = total(reads_) < kReadsMax && !pauses.pause(port_.ar);
    offer_answer(pauses);
    pins.bvalid = answer_offered_;
    pins.bid = static_cast<uint8_t>(answer_id_);
    pins.bresp = answer_;
    offer_beat(pauses);
    pins.rvalid = beat_offered_;
    pins.rid = static_cast<uint8_t>(beat_id_);
    if (beat_offered_) {
        const Read &read = reads_[beat_id_].front();
        pins.rdata = read.data[read.next];
        pins.rresp = read.responses[read.next];
        pins.rlast = read.next + 1 == read.beats;
    } else {
        pins.rdata.fill(kNothing);
    }
}

void AxiMemory::accept_read(const AxiPins &pins, Pauses &pauses) {
    const unsigned beats = pins.arlen + 1u;
    const uint64_t last = pins.araddr + uint64_t{kBeatBytes} * beats - 1;
    if (beats > port_.read_beats || pins.arsize != kWholeBeat || pins.arburst != kIncrementing ||
        pins.araddr % kBeatBytes != 0 || pins.araddr / kPageBytes != last / kPageBytes ||
        pins.arid >= port_.ids) {
        blame("a read that is no burst of 1 to " + std::to_string(port_.read_beats) +
                  " whole beats within 4,096 bytes",
              pins.araddr);
        return;
    }
    Read read;
    read.address = pins.araddr;
    read.beats = beats;
    read.due = due(pauses);
    read.late = pauses.choose(2) == 1;
    read.data.resize(beats);
    read.responses.resize(beats);
    for (unsigned i = 0; i < beats; ++i) {
        fetch(read, i);
    }
    reads_[pins.arid].push_back(read);
}

void AxiMemory::accept_write(const AxiPins &pins) {
    const unsigned beats = pins.awlen + 1u;
    const uint64_t bytes = uint64_t{1} << pins.awsize;
    const uint64_t last = pins.awaddr + bytes * beats - 1;
    if (beats > port_.write_beats || pins.awsize > kWholeBeat || pins.awaddr % bytes != 0 ||
        (beats > 1 && (pins.awsize != kWholeBeat || pins.awburst != kIncrementing)) ||
        pins.awaddr / kPageBytes != last / kPageBytes || pins.awid >= port_.ids) {
        blame(port_.write_beats == 1
                  ? std::string("a write that is not a single beat of its size")
                  : "a write that is no burst of 1 to " + std::to_string(port_.write_beats) +
                        " beats within 4,096 bytes",
              pins.awaddr);
        return;
    }
    addresses_.push_back(Write{pins.awaddr, pins.awid, beats, {}});
}

// Beats belong to addresses in their order.
void AxiMemory::join_writes(Pauses &pauses) {
    while (!addresses_.empty() && beats_.size() >= addresses_.front().beats) {
        Write write = addresses_.front();
        addresses_.pop_front();
        const auto end = beats_.begin() + write.beats;
        write.data.assign(beats_.begin(), end);
        beats_.erase(beats_.begin(), end);
        for (unsigned i = 0; i < write.beats; ++i) {
            if (write.data[i].last != (i + 1 == write.beats)) {
                blame("a burst of " + std::to_string(write.beats) + " whose beat " +
                          std::to_string(i + 1) + (write.data[i].last ? " is" : " is not") +
                          " marked as its last one",
                      write.address);
            }
        }
        check_write(write.address);
        write.due = due(pauses);
        if (port_.prompt && !pauses.enabled()) {
            carry_out(write);
        }
        writes_[write.id].push_back(write);
    }
}

void AxiMemory::sample(const AxiPins &pins, Pauses &pauses) {
    if (pins.bvalid && pins.bready) {
        writes_[answer_id_].pop_front();
        answer_offered_ = false;
    }
    if (pins.rvalid && pins.rready) {
        Read &read = reads_[beat_id_].front();
        if (++read.next == read.beats) {
            reads_[beat_id_].pop_front();
        }
        beat_offered_ = false;
        next_beat_ = clock_ + timing_.gap;
    }
    if (pins.arvalid && pins.arready) {
        accept_read(pins, pauses);
    }
    if (pins.awvalid && pins.awready) {
        accept_write(pins);
    }
    if (pins.wvalid && pins.wready) {
        beats_.push_back(Data{pins.wdata, pins.wstrb, pins.wlast != 0});
    }
    join_writes(pauses);
    ++clock_;
}

} // namespace device
