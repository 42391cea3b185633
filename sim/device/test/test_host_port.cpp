// SPDX-License-Identifier: Apache-2.0
// The port to host memory without hardware: bursts, their ids, and what nobody may ask for.
#include "host_port.h"

#include "expect.h"

#include <vector>

using device::Beat;
using device::kBeatBytes;

namespace {

constexpr uint64_t kBase = 0x7f0000000000;
constexpr size_t kBytes = 8192;
constexpr uint8_t kPayload = 1; // an id that is not the completions'

struct Bench {
    explicit Bench(bool pauses_on = false) : port(host, listener), pauses(pauses_on, 9) {
        listener = [this](uint64_t address, bool stored) {
            heard.push_back(address + (stored ? 0 : 1));
        };
        host.add(kBase, bytes.data(), bytes.size());
        pins.bready = pins.rready = 1;
        pins.awsize = pins.arsize = 6;
        pins.awburst = pins.arburst = 1;
    }

    void step() {
        port.drive(pins, pauses);
        if (pins.rvalid && pins.rready) {
            reads.push_back(pins.rdata);
            last = pins.rlast != 0;
        }
        if (pins.bvalid && pins.bready) {
            answers.push_back(pins.bresp);
        }
        const bool address = pins.awvalid && pins.awready;
        const bool data = pins.wvalid && pins.wready;
        const bool read = pins.arvalid && pins.arready;
        port.sample(pins, pauses);
        pins.awvalid = pins.awvalid && !address;
        pins.wvalid = pins.wvalid && !data;
        pins.arvalid = pins.arvalid && !read;
    }
    void write(uint64_t address, unsigned beats, uint8_t id, unsigned marked) {
        pins.awaddr = address;
        pins.awlen = static_cast<uint8_t>(beats - 1);
        pins.awid = id;
        pins.awvalid = 1;
        for (unsigned i = 1; i <= beats; ++i) {
            pins.wdata.fill(static_cast<uint8_t>(i));
            pins.wstrb = i == beats ? 0xff : ~uint64_t{0};
            pins.wlast = i == marked;
            pins.wvalid = 1;
            while (pins.wvalid) {
                step();
            }
        }
    }

    device::HostMemory host;
    alignas(64) std::vector<uint8_t> bytes = std::vector<uint8_t>(kBytes);
    device::HostPort::Listener listener;
    device::HostPort port;
    device::Pauses pauses;
    device::AxiPins pins{};
    std::vector<uint64_t> heard;
    std::vector<Beat> reads;
    std::vector<uint8_t> answers;
    bool last = false;
};

void a_burst_is_written_and_read_back() {
    for (const bool with_pauses : {false, true}) {
        Bench b(with_pauses);
        b.write(kBase + 128, 3, kPayload, 3);
        for (unsigned i = 0; i < 100; ++i) {
            b.step();
        }
        EXPECT_NUMBER(b.bytes[127], 0);
        EXPECT_NUMBER(b.bytes[128], 1);
        EXPECT_NUMBER(b.bytes[255], 2);
        EXPECT_NUMBER(b.bytes[256 + 7], 3);
        EXPECT_NUMBER(b.bytes[256 + 8], 0);
        EXPECT_NUMBER(b.answers.size(), 1);
        EXPECT(b.heard.empty() && !b.port.take_wrote()); // it is no completion
        b.pins.araddr = kBase + 64;
        b.pins.arlen = 2;
        b.pins.arvalid = 1;
        for (unsigned i = 0; i < 100; ++i) {
            b.step();
        }
        EXPECT_NUMBER(b.reads.size(), 3);
        EXPECT_NUMBER(b.reads.at(2)[0], 2);
        EXPECT(b.last);
        EXPECT_TEXT(b.port.problem().c_str(), "");
    }
}

void completions_are_told() {
    Bench b;
    b.write(kBase, 1, 0, 1);
    EXPECT(b.port.take_wrote());
    EXPECT(!b.port.take_wrote());
    b.write(kBase + kBytes, 1, 0, 1);
    b.step();
    EXPECT(!b.port.take_wrote());
    EXPECT_NUMBER(b.heard.size(), 2);
    EXPECT_NUMBER(b.heard.at(1), kBase + kBytes + 1);
    EXPECT_NUMBER(b.answers.at(1), device::kDecodeError);
}

void what_is_no_burst_is_told() {
    Bench crossing;
    crossing.write(kBase + 4096 - 64, 2, kPayload, 2);
    EXPECT_TEXT(crossing.port.problem().c_str(),
                "host memory: a write that is no burst of 1 to 64 beats within 4,096 bytes at "
                "0x7f0000000fc0");
    Bench unmarked;
    unmarked.write(kBase, 2, kPayload, 0);
    EXPECT_TEXT(unmarked.port.problem().c_str(),
                "host memory: a burst of 2 whose beat 2 is not marked as its last one at "
                "0x7f0000000000");
    Bench early;
    early.write(kBase, 2, kPayload, 1);
    EXPECT(!early.port.problem().empty());
}

} // namespace

int main() {
    RUN(a_burst_is_written_and_read_back);
    RUN(completions_are_told);
    RUN(what_is_no_burst_is_told);
    return expect_summary();
}
