// SPDX-License-Identifier: Apache-2.0
#include "spill_memory.h"

#include "tmu/tmu_regs.h"

#include <cinttypes>
#include <cstdio>

namespace device {

namespace {
constexpr size_t kWritesMax = 64;
constexpr unsigned kBurstMax = 4;
constexpr uint8_t kWholeBeat = 6; // log2 of its bytes
constexpr uint8_t kIncrementing = 1;
constexpr uint64_t kPageBytes = 4096;
constexpr uint8_t kNothing = 0xa5; // on the wires while nothing is offered
} // namespace

void SpillMemory::blame(const char *what, uint64_t address) {
    if (!problem_.empty()) {
        return;
    }
    char text[160];
    std::snprintf(text, sizeof text, "spill memory: %s at 0x%" PRIx64, what, address);
    problem_ = text;
}

void SpillMemory::add_segment(uint64_t base) {
    if (forgotten_) {
        segments_.clear();
    }
    forgotten_ = false;
    segments_.insert(base - base % kPageBytes);
}

size_t SpillMemory::reads() const {
    size_t sum = 0;
    for (const auto &queue : reads_) {
        sum += queue.size();
    }
    return sum;
}

void SpillMemory::fetch(Read &read, unsigned beat) const {
    read.data[beat] = Beat{};
    const bool there = memory_.read(read.address + beat * kBeatBytes, read.data[beat]);
    read.responses[beat] = there ? kOkay : kDecodeError;
}

// The clock in which what is accepted now is due.
uint64_t SpillMemory::due(Pauses &pauses) {
    const uint64_t more = timing_.spread > 0 ? lot_() % (timing_.spread + 1u) : 0;
    return clock_ + timing_.latency + more + pauses.choose(timing_.latency + 1);
}

// Of the ids whose oldest is due the one that is next: any with pauses, else who is due longest.
template <class Queues>
static unsigned next_due(const Queues &queues, uint64_t clock, Pauses &pauses) {
    const unsigned first = static_cast<unsigned>(pauses.choose(SpillMemory::kIds));
    unsigned chosen = SpillMemory::kIds;
    for (unsigned i = 0; i < SpillMemory::kIds; ++i) {
        const unsigned id = (first + i) % SpillMemory::kIds;
        if (queues[id].empty() || queues[id].front().due > clock) {
            continue;
        }
        if (chosen == SpillMemory::kIds ||
            (!pauses.enabled() && queues[id].front().due < queues[chosen].front().due)) {
            chosen = id;
        }
    }
    return chosen;
}

// Of the writes that are due the oldest of some id is carried out and answered.
void SpillMemory::offer_answer(Pauses &pauses) {
    if (answer_offered_ || pauses.pause(kSpillB)) {
        return;
    }
    const unsigned id = next_due(writes_, clock_, pauses);
    if (id == kIds) {
        return;
    }
    const Write &write = writes_[id].front();
    answer_ =
        memory_.write(write.address, write.data.data, write.data.strobes) ? kOkay : kDecodeError;
    answer_id_ = id;
    answer_offered_ = true;
}

// A burst that has begun goes on; otherwise one of those that are due begins.
unsigned SpillMemory::next_read(Pauses &pauses) const {
    const unsigned due = next_due(reads_, clock_, pauses);
    const auto &last = reads_[beat_id_];
    return !last.empty() && last.front().next > 0 ? beat_id_ : due;
}

void SpillMemory::offer_beat(Pauses &pauses) {
    if (beat_offered_ || clock_ < next_beat_ || pauses.pause(kSpillR)) {
        return;
    }
    const unsigned chosen = next_read(pauses);
    if (chosen == kIds) {
        return;
    }
    Read &read = reads_[chosen].front();
    if (read.late) {
        fetch(read, read.next);
    }
    beat_id_ = chosen;
    beat_offered_ = true;
}

void SpillMemory::drive(SpillPins &pins, Pauses &pauses) {
    size_t writes = addresses_.size();
    for (const auto &queue : writes_) {
        writes += queue.size();
    }
    pins.awready = writes < kWritesMax && !pauses.pause(kSpillAw);
    pins.wready = beats_.size() < kWritesMax && !pauses.pause(kSpillW);
    pins.arready = reads() < kReadsMax && !pauses.pause(kSpillAr);
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

void SpillMemory::accept_read(const SpillPins &pins, Pauses &pauses) {
    const unsigned beats = pins.arlen + 1u;
    const uint64_t last = pins.araddr + uint64_t{kBeatBytes} * beats - 1;
    if (beats > kBurstMax || pins.arsize != kWholeBeat || pins.arburst != kIncrementing ||
        pins.araddr % kBeatBytes != 0 || pins.araddr / kPageBytes != last / kPageBytes ||
        pins.arid >= kIds) {
        blame("a read that is no burst of 1 to 4 whole beats within 4,096 bytes", pins.araddr);
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

void SpillMemory::check_write(const Write &write) {
    auto segment = segments_.upper_bound(write.address);
    if (segment == segments_.begin() ||
        write.address - *--segment >= uint64_t{TMU_SPILL_SEGMENT_BYTES}) {
        blame("a write outside of the segments registered with the unit", write.address);
    }
}

void SpillMemory::accept_write(const SpillPins &pins) {
    const uint64_t bytes = uint64_t{1} << pins.awsize;
    if (pins.awlen != 0 || pins.awsize > kWholeBeat || pins.awaddr % bytes != 0 ||
        pins.awid >= kIds) {
        blame("a write that is not a single beat of its size", pins.awaddr);
        return;
    }
    addresses_.push_back(Address{pins.awaddr, pins.awid});
}

void SpillMemory::sample(const SpillPins &pins, Pauses &pauses) {
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
        if (!pins.wlast) {
            blame("a write of more than one beat", pins.awaddr);
        }
        beats_.push_back(Data{pins.wdata, pins.wstrb});
    }
    while (!addresses_.empty() && !beats_.empty()) {
        const Write write{addresses_.front().address, beats_.front(), due(pauses)};
        check_write(write);
        writes_[addresses_.front().id].push_back(write);
        addresses_.pop_front();
        beats_.pop_front();
    }
    ++clock_;
}

} // namespace device
