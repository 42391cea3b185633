// SPDX-License-Identifier: Apache-2.0
// Commands and verdicts of the matching unit as plain numbers.
#ifndef TMU_BENCH_COMMAND_H
#define TMU_BENCH_COMMAND_H

#include "tmu/tmu_regs.h"

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace bench {

// The unit's two ports.  Of two commands of one clock, the post comes first (R7).
enum Port : unsigned { kPost = 0, kArrival = 1 };
constexpr unsigned kPorts = 2;
constexpr std::array<const char *, kPorts> kPortNames = {"post", "arrival"};

// The configuration that was Verilated.
struct Shape {
    uint32_t endpoints = 0;
    uint32_t posted = 0;                  // entries of the table of receives
    uint32_t unexpected = 0;              // entries of the table of messages
    std::array<uint32_t, kPorts> slots{}; // that an inspect can name: of messages, of receives
    uint32_t array = 0;                   // of each table, those that are searched at one a clock
    uint32_t id_bits = 0;
    uint32_t queues = 0; // pages without privilege; the privileged one has this number
};

// An endpoint's entries of each table, receives and messages: at most, where 0 is no limit, and
// whatever others do (R11, R13).
struct Limits {
    std::array<uint32_t, 2> quota{};
    std::array<uint32_t, 2> reserve{};
};

// The values and the masks of the key's fields.
#define BENCH_KEY_MEMBER(value, mask, VALUE, MASK, type, kept, signal)                             \
    type value = 0;                                                                                \
    type mask = 0;
#define BENCH_KEY_MEMBERS TMU_KEY_TABLE(BENCH_KEY_MEMBER)

struct Command {
    uint8_t opcode = 0;
    bool malformed = false;
    bool privileged = false;
    bool inspect_unexpected = false;
    uint32_t page = 0;
    uint32_t endpoint = 0;
    BENCH_KEY_MEMBERS // an arrival's masks mean nothing
        uint64_t handle = 0;
    uint64_t address = 0;
    uint64_t length = 0;
    uint32_t id = 0;
    uint32_t position = 0;
    uint32_t stamp = 0;
};

// R13: what is refused before any queue is looked at, the worst reason first; 0 = nothing.
uint8_t refusal(const Shape &shape, const Command &command);

// A verdict without its latency; fields that a status does not name are 0.
struct Verdict {
    uint8_t opcode = 0;
    uint8_t status = 0;
    bool truncated = false;
    bool unexpected = false;
    uint32_t page = 0;
    uint32_t endpoint = 0;
    uint32_t serial = 0;
    uint32_t stamp = 0;
    uint64_t handle = 0;
    uint64_t other = 0;
    BENCH_KEY_MEMBERS // the masks: inspect only
        uint64_t message_length = 0;
    uint64_t receive_length = 0;
    uint64_t address = 0;
};

// Unit and model differ, or the unit broke its own rules: exit code 1.
struct Difference : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The caller asks for something that there is not: exit code 2.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

} // namespace bench

#endif
