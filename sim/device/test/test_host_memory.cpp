// SPDX-License-Identifier: Apache-2.0
// Memory that the unit reaches: what is there, what may be done there, and nothing else (R13).
#include "host_memory.h"

#include "expect.h"

using device::Beat;
using device::HostMemory;
using device::kBeatBytes;

namespace {

constexpr uint64_t kBus = 0x7f0000000000;
constexpr uint64_t kAll = ~uint64_t{0};

struct Memory {
    alignas(kBeatBytes) uint8_t bytes[4 * kBeatBytes] = {};
};

Beat filled(uint8_t value) {
    Beat beat;
    beat.fill(value);
    return beat;
}

void beats_go_where_their_address_says() {
    HostMemory host;
    Memory memory;
    EXPECT(host.add(kBus, memory.bytes, sizeof memory.bytes));
    EXPECT(host.write(kBus + 3 * kBeatBytes, filled(7), kAll));
    EXPECT_NUMBER(memory.bytes[3 * kBeatBytes - 1], 0);
    EXPECT_NUMBER(memory.bytes[3 * kBeatBytes], 7);
    EXPECT_NUMBER(memory.bytes[4 * kBeatBytes - 1], 7);
    EXPECT(host.write(kBus + 20, filled(9), uint64_t{1} << 20 | uint64_t{1} << 63));
    EXPECT_NUMBER(memory.bytes[19], 0);
    EXPECT_NUMBER(memory.bytes[20], 9);
    EXPECT_NUMBER(memory.bytes[63], 9);
    Beat beat{};
    EXPECT(host.read(kBus + 3 * kBeatBytes, beat));
    EXPECT(beat == filled(7));
}

void nothing_else_is_reached_r13() {
    HostMemory host;
    Memory memory;
    Beat beat{};
    EXPECT(!host.read(kBus, beat));
    EXPECT(host.add(kBus, memory.bytes, 100)); // its second beat is not whole
    for (const uint64_t address : {uint64_t{0}, kBus - kBeatBytes, kBus + kBeatBytes,
                                   kBus + 4 * kBeatBytes, kAll, kAll - kBeatBytes}) {
        EXPECT(!host.write(address, filled(1), kAll));
        EXPECT(!host.read(address, beat));
    }
    host.remove(kBus);
    EXPECT(!host.write(kBus, filled(1), kAll));
    for (const uint8_t byte : memory.bytes) {
        EXPECT_NUMBER(byte, 0);
    }
}

void a_direction_may_be_closed_r13() {
    HostMemory host;
    Memory memory;
    Beat beat{};
    EXPECT(host.add(kBus, memory.bytes, kBeatBytes, HostMemory::kRead));
    EXPECT(!host.write(kBus, filled(1), kAll));
    EXPECT(host.read(kBus, beat));
    host.remove(kBus);
    EXPECT(host.add(kBus, memory.bytes, kBeatBytes, HostMemory::kWrite));
    EXPECT(host.write(kBus, filled(1), kAll));
    EXPECT(!host.read(kBus, beat));
}

void memory_is_there_once() {
    HostMemory host;
    Memory memory;
    EXPECT(host.add(kBus, memory.bytes, 2 * kBeatBytes));
    EXPECT(!host.add(kBus, memory.bytes, kBeatBytes));
    EXPECT(!host.add(kBus + kBeatBytes, memory.bytes, 2 * kBeatBytes));
    EXPECT(!host.add(kBus - kBeatBytes, memory.bytes, 2 * kBeatBytes));
    EXPECT(!host.add(kBus - kBeatBytes, memory.bytes, 4 * kBeatBytes));
    EXPECT(!host.add(0, memory.bytes, 0));
    EXPECT(!host.add(kAll - kBeatBytes + 1, memory.bytes, 2 * kBeatBytes)); // wraps around
    EXPECT(host.add(kBus - kBeatBytes, memory.bytes, kBeatBytes));
    EXPECT(host.add(kBus + 2 * kBeatBytes, memory.bytes, kBeatBytes));
}

} // namespace

int main() {
    RUN(beats_go_where_their_address_says);
    RUN(nothing_else_is_reached_r13);
    RUN(a_direction_may_be_closed_r13);
    RUN(memory_is_there_once);
    return expect_summary();
}
