// SPDX-License-Identifier: Apache-2.0
#include "workload.h"

#include "tmu/tmu_regs.h"
#include "traffic.h"

#include <algorithm>
#include <deque>

namespace bench {

namespace {

constexpr uint32_t kGroup = 16;     // receives of a hole group, of which one stays
constexpr uint32_t kEqual = 10;     // equal keys back to back
constexpr uint32_t kHoleFill = 256; // groups that leave holes before the measurement
constexpr uint32_t kMixBand = 16;   // depths of a mix differ by this much
constexpr uint32_t kSettle = 64;    // steps before the measured ones
constexpr uint32_t kSideReceives = 1, kSideMessages = 2;

// One queue of a cell with what goes into it and what comes out of it.
class Side {
  public:
    Side(Script &script, Queue queue, Keys keys)
        : script_(script), posted_(queue == Queue::posted),
          plan(keys, posted_ ? kSideReceives : kSideMessages) {}

    void append(Slot &slot) {
        posted_ ? script_.queue_receive(slot, plan) : script_.queue_message(slot, plan);
    }
    void consume(Slot &slot, const Live &entry) {
        posted_ ? script_.hit_receive(slot, plan, entry)
                : script_.hit_message(slot, plan, entry, TMU_OPCODE_POST);
    }

  private:
    Script &script_;
    bool posted_;

  public:
    Plan plan;
};

void fill(Script &script, Side &side, uint32_t depth) {
    for (uint32_t i = 0; i < depth; ++i) {
        side.append(script.add(false));
    }
}

void fill_both(Script &script, Side &receives, Side &messages, uint32_t depth) {
    for (uint32_t i = 0; i < depth; ++i) {
        Slot &slot = script.add(false);
        receives.append(slot);
        messages.append(slot);
    }
}

// A search of an empty queue misses; what is then appended to the other one is taken back.
void empty_queue(Script &script, const Cell &cell) {
    Side other(script, cell.queue == Queue::posted ? Queue::unexpected : Queue::posted, cell.keys);
    for (uint32_t step = 0; step < kSettle + cell.steps; ++step) {
        Slot &slot = script.add(step >= kSettle);
        // A message is taken by the post of the next clock, a receive by the arrival of its own.
        if (cell.queue == Queue::posted && step > 0) {
            other.consume(slot, other.plan.take(Position::oldest, script.rng));
        }
        other.append(slot);
        if (cell.queue == Queue::unexpected) {
            other.consume(slot, other.plan.take(Position::oldest, script.rng));
        }
    }
}

// One entry is taken and one appended in every clock: the queue is `depth` deep at each search.
void constant_depth(Script &script, const Cell &cell) {
    const bool posted = cell.queue == Queue::posted;
    const Position position = cell.kind == Kind::fifo ? Position::oldest : cell.position;
    Side side(script, cell.queue, cell.keys);
    // A receive is appended before the arrival of the same clock searches, a message after the
    // post has searched.
    fill(script, side, posted ? cell.depth - 1 : cell.depth);
    for (uint32_t step = 0; step < kSettle + cell.steps; ++step) {
        Slot &slot = script.add(step >= kSettle);
        if (position == Position::same_clock || (posted && cell.depth == 1)) {
            side.append(slot);
            side.consume(slot, side.plan.take(Position::youngest, script.rng));
        } else {
            const Live target = side.plan.take(position, script.rng);
            side.consume(slot, target);
            side.append(slot);
        }
    }
}

void searches_missing(Script &script, const Cell &cell) {
    Side receives(script, Queue::posted, cell.keys), messages(script, Queue::unexpected, cell.keys);
    fill_both(script, receives, messages, cell.depth);
    for (uint32_t step = 0; step < kSettle + cell.steps; ++step) {
        Slot &slot = script.add(step >= kSettle);
        const uint32_t absent = messages.plan.absent();
        script.post(slot, messages.plan.receive(TMU_OPCODE_PROBE, absent, script.handle()),
                    TMU_STATUS_NONE);
        script.arrive(slot, Plan::cancel(0, script.handle()), TMU_STATUS_LATE);
    }
}

// Groups of 16 go in while 15 of the group before come out in random order; the 16th stays.  The
// survivors of all groups are the rest of the depth; each measured group also takes the oldest.
void holes(Script &script, const Cell &cell) {
    Side side(script, cell.queue, cell.keys);
    const uint32_t survivors = cell.depth - 2 * kGroup;
    const uint32_t from_groups = std::min(survivors, kHoleFill);
    fill(script, side, survivors - from_groups);
    const uint32_t measured = (cell.steps + kGroup - 1) / kGroup;
    std::vector<Live> previous;
    std::deque<Live> stayed;
    for (uint32_t i = 0; i < survivors - from_groups; ++i) {
        stayed.push_back(side.plan.take(Position::oldest, script.rng));
    }
    for (uint32_t group = 0; group <= from_groups + measured; ++group) {
        const bool steady = group > from_groups;
        std::vector<Live> fresh;
        for (uint32_t i = 0; i < kGroup; ++i) {
            Slot &slot = script.add(steady);
            side.append(slot);
            fresh.push_back(side.plan.take(Position::youngest, script.rng));
            if (previous.size() > 1) {
                const size_t at = script.rng.below(static_cast<uint32_t>(previous.size()));
                side.consume(slot, previous[at]);
                previous.erase(previous.begin() + static_cast<std::ptrdiff_t>(at));
            } else if (!previous.empty() && steady) {
                stayed.push_back(previous.front());
                side.consume(slot, stayed.front());
                stayed.pop_front();
            } else if (!previous.empty()) {
                stayed.push_back(previous.front());
            }
        }
        previous = fresh;
    }
}

// Ten equal entries go in while the ten of the group before come out, oldest first.
void same_key(Script &script, const Cell &cell) {
    Side side(script, cell.queue, cell.keys);
    fill(script, side, cell.depth - 2 * kEqual);
    const bool posted = cell.queue == Queue::posted;
    const uint32_t settle = kSettle / kEqual + 1;
    std::vector<Live> previous;
    for (uint32_t group = 0; group < settle + cell.steps / kEqual + 1; ++group) {
        const uint32_t index = side.plan.fresh();
        std::vector<Live> fresh;
        for (uint32_t i = 0; i < kEqual; ++i) {
            Slot &slot = script.add(group >= settle);
            const Live entry = {index, script.handle()};
            fresh.push_back(entry);
            if (posted) {
                script.post(slot, side.plan.receive(TMU_OPCODE_POST, index, entry.handle),
                            TMU_STATUS_QUEUED);
            } else {
                script.arrive(slot, side.plan.message(index, entry.handle), TMU_STATUS_QUEUED);
            }
            if (!previous.empty()) {
                side.consume(slot, previous[i]);
            }
        }
        previous = fresh;
    }
}

void append(Script &script, const Cell &cell) {
    Side receives(script, Queue::posted, cell.keys), messages(script, Queue::unexpected, cell.keys);
    for (uint32_t step = 0; step < cell.depth; ++step) {
        Slot &slot = script.add(true);
        if (cell.queue != Queue::unexpected) {
            receives.append(slot);
        }
        if (cell.queue != Queue::posted) {
            messages.append(slot);
        }
    }
}

// In one clock a post takes a message and an arrival takes a receive, in the next a post and an
// arrival meet nothing and restore both depths.  Every one of them searches.
void paired(Script &script, const Cell &cell) {
    Side receives(script, Queue::posted, cell.keys), messages(script, Queue::unexpected, cell.keys);
    fill_both(script, receives, messages, cell.depth);
    for (uint32_t step = 0; step < kSettle + (cell.steps + 1) / 2 * 2; ++step) {
        Slot &slot = script.add(step >= kSettle);
        if (step % 2 == 0) {
            messages.consume(slot, messages.plan.take(cell.position, script.rng));
            receives.consume(slot, receives.plan.take(cell.position, script.rng));
        } else {
            receives.append(slot);
            messages.append(slot);
        }
    }
}

void mixed_post(Script &script, Slot &slot, Side &receives, Side &messages, const Cell &cell) {
    const bool shallow = messages.plan.depth() + kMixBand <= cell.depth;
    const bool room = receives.plan.depth() < cell.depth;
    const uint32_t roll = script.rng.below(100);
    if (roll < 15) {
        const Live &entry = messages.plan.peek(Position::random, script.rng);
        script.hit_message(slot, messages.plan, entry, TMU_OPCODE_PROBE);
    } else if (roll < 60 && !shallow) {
        const Live entry = messages.plan.take(Position::random, script.rng);
        const uint8_t opcode = roll < 30 ? TMU_OPCODE_CLAIM : TMU_OPCODE_POST;
        script.hit_message(slot, messages.plan, entry, opcode);
    } else if (roll < 95 && room) {
        receives.append(slot);
    } else {
        const uint8_t opcode = roll % 2 ? TMU_OPCODE_CLAIM : TMU_OPCODE_PROBE;
        const uint32_t absent = messages.plan.absent();
        script.post(slot, messages.plan.receive(opcode, absent, script.handle()), TMU_STATUS_NONE);
    }
}

void mixed_arrival(Script &script, Slot &slot, Side &receives, Side &messages, const Cell &cell) {
    const bool shallow = receives.plan.depth() + kMixBand <= cell.depth;
    const bool room = messages.plan.depth() < cell.depth;
    const uint32_t roll = script.rng.below(100);
    if (roll < 50 && !shallow) {
        const Live entry = receives.plan.take(Position::random, script.rng);
        if (roll < 20) {
            script.arrive(slot, Plan::cancel(entry.handle, script.handle()), TMU_STATUS_CANCELLED,
                          entry.handle);
        } else {
            receives.consume(slot, entry);
        }
    } else if (roll < 95 && room) {
        messages.append(slot);
    } else {
        script.arrive(slot, Plan::cancel(0, script.handle()), TMU_STATUS_LATE);
    }
}

void mix(Script &script, const Cell &cell) {
    Side receives(script, Queue::posted, cell.keys), messages(script, Queue::unexpected, cell.keys);
    fill_both(script, receives, messages, cell.depth - kMixBand / 2);
    for (uint32_t step = 0; step < kSettle + cell.steps; ++step) {
        Slot &slot = script.add(step >= kSettle);
        mixed_post(script, slot, receives, messages, cell);
        mixed_arrival(script, slot, receives, messages, cell);
    }
}

using Make = void (*)(Script &, const Cell &);

Make maker_of(const Cell &cell) {
    switch (cell.kind) {
    case Kind::match:
    case Kind::fifo:
        return cell.depth == 0 ? empty_queue : constant_depth;
    case Kind::miss:
        return searches_missing;
    case Kind::hole_workload:
        return holes;
    case Kind::same_key:
        return same_key;
    case Kind::append:
        return append;
    case Kind::paired:
        return paired;
    case Kind::mix:
        return mix;
    }
    throw std::logic_error("a kind without a workload");
}

} // namespace

std::vector<Slot> make_slots(const Cell &cell, const Shape &shape, uint64_t seed) {
    if (cell.depth > std::min(shape.posted, shape.unexpected)) {
        throw BadInput("cell " + cell.kind_name + ": found depth " + std::to_string(cell.depth) +
                       ", expected at most the " +
                       std::to_string(std::min(shape.posted, shape.unexpected)) +
                       " entries of a table");
    }
    Script script(seed);
    maker_of(cell)(script, cell);
    return std::move(script.slots);
}

} // namespace bench
