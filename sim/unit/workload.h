// SPDX-License-Identifier: Apache-2.0
// The cells of the benchmark: what is offered to the unit, clock by clock.
#ifndef TMU_BENCH_WORKLOAD_H
#define TMU_BENCH_WORKLOAD_H

#include "command.h"

#include <optional>
#include <string>
#include <vector>

namespace bench {

// Fields in which the keys of a cell differ.
enum class Keys {
    exact,          // tags, and sources beside them
    any_source,     // receives that ignore the source; tags differ
    any_tag,        // receives that ignore the tag; sources differ
    both,           // receives that ignore both; contexts differ
    mixed,          // the four above in turn
    equal_mod256,   // tags equal modulo 256, one source
    equal_mod65536, // tags equal modulo 65,536, one source
    equal           // one key
};

enum class Kind {
    match,         // one queue, searched at constant depth
    miss,          // searches miss in both queues: probes and cancels
    fifo,          // as match, all keys equal
    hole_workload, // groups of 16, of which 15 are consumed and one stays
    same_key,      // groups of ten equal keys, back to back
    append,        // from empty to the depth, nothing matches
    paired,        // both queues at constant depth, searched at once
    mix            // both queues, every operation on entries and keys
};

enum class Position { none, oldest, youngest, random, same_clock };
enum class Queue { posted, unexpected, both };

struct Cell {
    std::string kind_name;
    Kind kind = Kind::match;
    Keys keys = Keys::exact;
    Queue queue = Queue::posted;
    Position position = Position::none;
    uint32_t depth = 0;
    uint32_t steps = 0; // measured
};

// Commands offered in one clock.  Both are accepted before the next slot is offered.
struct Slot {
    std::optional<Command> command[2]; // by Port
    // Answers that the workload expects: the status, and the entry that is taken or found.
    uint8_t status[2] = {0, 0};
    uint64_t other[2] = {0, 0};
    bool measured = false;
};

// From words of the command line; throws BadInput with what was found and what was expected.
Cell parse_cell(const std::string &text);

// All slots of a cell: filling, settling, the measured ones.  Throws BadInput if the unit is too
// small or there is no such cell.
std::vector<Slot> make_slots(const Cell &cell, const Shape &shape, uint64_t seed);

// A decimal number from `least` to `most`, or BadInput that says `what` it was meant to be.
uint32_t whole(const std::string &what, const std::string &text, uint32_t least, uint32_t most);

const char *name_of(Position position);
const char *name_of(Queue queue);

} // namespace bench

#endif
