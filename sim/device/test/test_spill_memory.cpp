// SPDX-License-Identifier: Apache-2.0
// Spill memory without a unit: a master that does what it should not is found out.
#include "spill_memory.h"

#include "expect.h"
#include "tmu/tmu_regs.h"

#include <vector>

using device::Beat;

namespace {

constexpr uint64_t kBase = 0x7f0000000000;
constexpr unsigned kLatency = 7;

struct Answer {
    uint64_t clock;
    unsigned id;
    uint8_t response;
    bool last;
    Beat data;
};

// A port with one segment registered, and what came back.
struct Bench {
    explicit Bench(bool pauses_on = false, device::AxiTiming timing = {kLatency, 0, 1})
        : bytes(TMU_SPILL_SEGMENT_BYTES), spill(host, timing), pauses(pauses_on, 5) {
        host.add(kBase, bytes.data(), bytes.size());
        spill.add_segment(kBase);
        pins.bready = pins.rready = 1;
    }

    bool step() {
        spill.drive(pins, pauses);
        const bool taken = (pins.arvalid && pins.arready) || (pins.awvalid && pins.awready);
        if (pins.rvalid && pins.rready) {
            reads.push_back({clock, pins.rid, pins.rresp, pins.rlast != 0, pins.rdata});
        }
        if (pins.bvalid && pins.bready) {
            writes.push_back({clock, pins.bid, pins.bresp, true, {}});
        }
        spill.sample(pins, pauses);
        ++clock;
        return taken;
    }
    void run(unsigned clocks) {
        for (unsigned i = 0; i < clocks; ++i) {
            (void)step();
        }
    }
    void read(uint64_t address, unsigned beats, uint8_t id = 0) {
        pins.araddr = address;
        pins.arlen = static_cast<uint8_t>(beats - 1);
        pins.arsize = 6;
        pins.arburst = 1;
        pins.arid = id;
        pins.arvalid = 1;
        while (!step()) {
        }
        pins.arvalid = 0;
    }
    void write(uint64_t address, uint8_t value, uint64_t strobes, uint8_t id = 0) {
        pins.awaddr = address;
        pins.awlen = 0;
        pins.awsize = 6;
        pins.awburst = 1;
        pins.awid = id;
        pins.wdata.fill(value);
        pins.wstrb = strobes;
        pins.wlast = 1;
        pins.awvalid = pins.wvalid = 1;
        while (pins.awvalid || pins.wvalid) {
            spill.drive(pins, pauses);
            const bool address_taken = pins.awready != 0;
            const bool data_taken = pins.wready != 0;
            if (pins.rvalid && pins.rready) {
                reads.push_back({clock, pins.rid, pins.rresp, pins.rlast != 0, pins.rdata});
            }
            if (pins.bvalid && pins.bready) {
                writes.push_back({clock, pins.bid, pins.bresp, true, {}});
            }
            spill.sample(pins, pauses);
            ++clock;
            if (address_taken) {
                pins.awvalid = 0;
            }
            if (data_taken) {
                pins.wvalid = 0;
            }
        }
    }

    std::vector<uint8_t> bytes;
    device::HostMemory host;
    device::SpillMemory spill;
    device::Pauses pauses;
    device::AxiPins pins{};
    uint64_t clock = 0;
    std::vector<Answer> reads;
    std::vector<Answer> writes;
};

void a_burst_takes_its_latency_and_a_clock_a_beat() {
    Bench b;
    for (unsigned i = 0; i < 256; ++i) {
        b.bytes[i] = static_cast<uint8_t>(i / 64 + 1);
    }
    b.read(kBase, 4);
    const uint64_t taken = b.clock - 1;
    b.run(20);
    EXPECT_NUMBER(b.reads.size(), 4);
    for (unsigned i = 0; i < b.reads.size(); ++i) {
        EXPECT_NUMBER(b.reads[i].clock, taken + kLatency + i);
        EXPECT_NUMBER(b.reads[i].data[63], i + 1);
        EXPECT_NUMBER(b.reads[i].last, i == 3);
        EXPECT_NUMBER(b.reads[i].response, device::kOkay);
    }
}

void a_write_shows_when_it_is_answered_and_no_earlier() {
    Bench b;
    b.write(kBase + 64, 9, ~0ull);
    b.read(kBase + 64, 1);
    b.run(20);
    EXPECT_NUMBER(b.writes.size(), 1);
    b.read(kBase + 64, 1);
    b.run(20);
    EXPECT_NUMBER(b.reads.size(), 2);
    EXPECT_NUMBER(b.reads[0].data[0], 0);
    EXPECT_NUMBER(b.reads[1].data[0], 9);
}

void a_write_changes_the_bytes_with_a_strobe() {
    Bench b;
    b.write(kBase, 0x33, 0xf0);
    b.run(20);
    EXPECT_NUMBER(b.bytes[3], 0);
    EXPECT_NUMBER(b.bytes[4], 0x33);
    EXPECT_NUMBER(b.bytes[7], 0x33);
    EXPECT_NUMBER(b.bytes[8], 0);
    EXPECT(b.spill.problem().empty());
}

void sixty_four_reads_may_wait() {
    Bench b;
    b.pins.rready = 0;
    for (unsigned i = 0; i < device::SpillMemory::kReadsMax; ++i) {
        b.read(kBase + 64 * i, 1);
    }
    b.pins.arvalid = 1;
    EXPECT(!b.step());
    b.pins.rready = 1;
    (void)b.step();
    EXPECT(b.step());
}

void what_is_no_memory_is_an_error() {
    Bench b;
    b.spill.add_segment(kBase + 0x10000000); /* registered, and not there */
    b.write(kBase + 0x10000000, 1, ~0ull);
    b.read(kBase - 64, 1);
    b.run(20);
    EXPECT_NUMBER(b.writes.at(0).response, device::kDecodeError);
    EXPECT_NUMBER(b.reads.at(0).response, device::kDecodeError);
    EXPECT(b.spill.problem().empty());
}

void a_write_outside_of_segments_is_told() {
    Bench b;
    b.host.remove(kBase);
    std::vector<uint8_t> more(TMU_SPILL_SEGMENT_BYTES + 4096);
    b.host.add(kBase, more.data(), more.size());
    b.write(kBase + TMU_SPILL_SEGMENT_BYTES - 64, 1, ~0ull);
    EXPECT(b.spill.problem().empty());
    b.write(kBase + TMU_SPILL_SEGMENT_BYTES, 1, ~0ull);
    EXPECT_TEXT(
        b.spill.problem().c_str(),
        "spill memory: a write outside of the segments registered with the unit at 0x7f0000200000");
}

void segments_end_with_the_next_one_after_a_reset() {
    Bench b;
    b.spill.take_back();
    b.write(kBase, 1, ~0ull); /* was on its way */
    EXPECT(b.spill.problem().empty());
    b.spill.add_segment(kBase + 0x10000000);
    b.write(kBase, 1, ~0ull);
    EXPECT(!b.spill.problem().empty());
}

void what_is_no_burst_is_told() {
    const char *text = "spill memory: a read that is no burst of 1 to 4 whole beats within 4,096 "
                       "bytes at 0x7f0000000fc0";
    Bench crossing;
    crossing.read(kBase + 0xfc0, 2);
    EXPECT_TEXT(crossing.spill.problem().c_str(), text);
    Bench longer;
    longer.read(kBase, 5);
    EXPECT(!longer.spill.problem().empty());
    Bench narrow;
    narrow.read(kBase + 32, 1);
    EXPECT(!narrow.spill.problem().empty());
}

// Without pauses nobody starves: a stream of one id does not hold up a read of the other.
void who_is_due_longest_is_served() {
    Bench b;
    for (unsigned i = 0; i < 20; ++i) {
        b.read(kBase + 256 * i, 4, 0);
    }
    b.read(kBase, 1, 1);
    const uint64_t asked = b.clock - 1;
    for (unsigned i = 0; i < 20; ++i) {
        b.read(kBase + 256 * i, 4, 0);
    }
    b.run(400);
    unsigned before = 0;
    while (b.reads.at(before).id == 0) {
        ++before;
    }
    EXPECT_NUMBER(before, 80);
    EXPECT_NUMBER(b.reads.at(before).clock, asked - 20 + kLatency + 80);
    EXPECT_NUMBER(b.reads.size(), 161);
}

void a_gap_is_kept_between_beats() {
    Bench b(false, {kLatency, 0, 5});
    b.read(kBase, 4);
    const uint64_t taken = b.clock - 1;
    b.read(kBase, 1, 1);
    b.run(60);
    EXPECT_NUMBER(b.reads.size(), 5);
    for (unsigned i = 0; i < b.reads.size(); ++i) {
        EXPECT_NUMBER(b.reads[i].clock, taken + kLatency + 5 * i);
    }
}

// With a spread and no pauses ids overtake each other, each keeps its order, and nothing takes
// longer.
void a_spread_changes_the_order() {
    constexpr unsigned kSpread = 40;
    Bench b(false, {kLatency, kSpread, 1});
    std::vector<uint64_t> asked[2];
    for (unsigned i = 0; i < 200; ++i) {
        b.read(kBase + 64 * i, 1, i % 2);
        asked[i % 2].push_back(b.clock - 1);
        b.run(3);
    }
    b.run(200);
    EXPECT_NUMBER(b.reads.size(), 200);
    unsigned next[2] = {0, 0};
    unsigned overtaken = 0;
    for (const Answer &answer : b.reads) {
        const uint64_t clocks = answer.clock - asked[answer.id].at(next[answer.id]++);
        EXPECT(clocks >= kLatency && clocks <= kLatency + kSpread + 1);
        overtaken += next[1] > next[0];
    }
    EXPECT(overtaken > 20);
}

// Reads of two ids: what each id gets is in its order, and the ids overtake each other.
void ids_overtake_each_other_and_keep_their_own_order() {
    Bench b(true);
    for (unsigned i = 0; i < 4096; ++i) {
        b.bytes[64 * i] = static_cast<uint8_t>(i);
    }
    unsigned next[2] = {0, 0};
    unsigned overtaken = 0;
    for (unsigned i = 0; i < 400; ++i) {
        b.read(kBase + 64 * i, 1, i % 2);
    }
    b.run(10000);
    EXPECT_NUMBER(b.reads.size(), 400);
    for (const Answer &answer : b.reads) {
        const unsigned at = 2 * next[answer.id]++ + answer.id;
        EXPECT_NUMBER(answer.data[0], at % 256);
        overtaken += next[1] > next[0] || next[0] > next[1] + 1;
    }
    EXPECT(overtaken > 20);
}

// With pauses some reads see a write that was made after their address was taken.
void a_write_without_waiting_for_a_read_may_be_seen_by_it() {
    Bench b(true);
    unsigned newer = 0;
    for (unsigned i = 0; i < 200; ++i) {
        b.read(kBase + 64 * i, 1, 0);
        b.write(kBase + 64 * i, 7, ~0ull, 1);
        b.run(200);
        newer += b.reads.at(i).data[0] == 7;
    }
    EXPECT(newer > 5 && newer < 195);
}

} // namespace

int main() {
    RUN(a_burst_takes_its_latency_and_a_clock_a_beat);
    RUN(a_write_shows_when_it_is_answered_and_no_earlier);
    RUN(a_write_changes_the_bytes_with_a_strobe);
    RUN(sixty_four_reads_may_wait);
    RUN(what_is_no_memory_is_an_error);
    RUN(a_write_outside_of_segments_is_told);
    RUN(segments_end_with_the_next_one_after_a_reset);
    RUN(what_is_no_burst_is_told);
    RUN(who_is_due_longest_is_served);
    RUN(a_gap_is_kept_between_beats);
    RUN(a_spread_changes_the_order);
    RUN(ids_overtake_each_other_and_keep_their_own_order);
    RUN(a_write_without_waiting_for_a_read_may_be_seen_by_it);
    return expect_summary();
}
