// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include "tmu/tmu_regs.h"

#include <utility>

namespace bench {

namespace {

// Distinct keys of a cell: with 2^15 of them, tags that differ above bit 15 still fit in 31 bits.
constexpr uint32_t kKeys = 1u << 15;
constexpr uint32_t kEndpoint = 1;
constexpr uint64_t kAnyTag = 0x7fffffff; // R2: never the sign bit
constexpr uint32_t kAnySource = 0xffffffff;
constexpr unsigned kContextShift = 32;
// As many different sources or tags as do not matter much to a cell.
constexpr uint32_t kSources = 61;
constexpr uint32_t kTags = 7;
constexpr uint32_t kContexts = 100;
constexpr uint64_t kBytes = 4096;

// Unique among half a million commands, which is more than any cell has; 0 is never given.
uint32_t receive_id(uint64_t handle) { return static_cast<uint32_t>(handle >> 8) & 0x7ffff; }

struct Triple {
    uint64_t context;
    uint64_t tag;
    uint32_t source;
};

Triple triple(Keys keys, uint32_t index, uint32_t side) {
    switch (keys) {
    case Keys::any_tag:
        return {side, index % kTags, index};
    case Keys::both:
        return {kContexts + 2 * uint64_t{index} + side, index % kTags, index % kSources};
    case Keys::equal_mod256:
        return {side, kTags + (uint64_t{index} << 8), 3};
    case Keys::equal_mod65536:
        return {side, kTags + (uint64_t{index} << 16), 3};
    case Keys::equal:
        return {side, kTags, 3};
    default:
        return {side, index, index % kSources};
    }
}

} // namespace

Plan::Plan(Keys keys, uint32_t side) : keys_(keys), side_(side) {
    for (uint32_t index = 0; index < kKeys; ++index) {
        free_.push_back(index);
    }
}

uint32_t Plan::fresh() {
    const uint32_t index = free_.front();
    free_.pop_front();
    return index;
}

size_t Plan::index_of(Position position, Rng &rng) const {
    if (live_.empty()) {
        throw std::logic_error("a workload takes from an empty queue");
    }
    if (position == Position::oldest) {
        return 0;
    }
    const size_t last = live_.size() - 1;
    return position == Position::random ? rng.below(static_cast<uint32_t>(last + 1)) : last;
}

const Live &Plan::peek(Position position, Rng &rng) { return live_[index_of(position, rng)]; }

Live Plan::take(Position position, Rng &rng) {
    const size_t at = index_of(position, rng);
    const Live entry = live_[at];
    live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(at));
    free_.push_back(entry.index);
    return entry;
}

// The four classes in turn, each key in a context of its own so that none catches another's.
Keys Plan::keys_of(uint32_t index) const {
    constexpr Keys classes[] = {Keys::exact, Keys::any_source, Keys::any_tag, Keys::both};
    return keys_ == Keys::mixed ? classes[index % 4] : keys_;
}

Command Plan::message(uint32_t index, uint64_t handle) const {
    const Triple key = triple(keys_ == Keys::mixed ? Keys::both : keys_, index, side_);
    Command c;
    c.opcode = TMU_OPCODE_ARRIVE;
    c.endpoint = kEndpoint;
    c.match = key.context << kContextShift | key.tag;
    c.source = key.source;
    c.handle = handle;
    c.address = ~handle;
    c.length = kBytes - 1 + index % 3; // now and then longer than the receive (R12)
    return c;
}

Command Plan::receive(uint8_t opcode, uint32_t index, uint64_t handle) const {
    Command c = message(index, handle);
    const Keys keys = keys_of(index);
    c.opcode = opcode;
    c.length = opcode == TMU_OPCODE_POST ? kBytes : 0;
    c.id = receive_id(handle);
    if (keys == Keys::any_source || keys == Keys::both) {
        c.source_ignore = kAnySource;
    }
    if (keys == Keys::any_tag || keys == Keys::both) {
        c.ignore = kAnyTag;
    }
    return c;
}

Command Plan::cancel(uint64_t target, uint64_t handle) {
    Command c;
    c.opcode = TMU_OPCODE_CANCEL;
    c.endpoint = kEndpoint;
    c.id = receive_id(target);
    c.handle = handle;
    return c;
}

Slot &Script::add(bool measured) {
    slots.emplace_back().measured = measured;
    return slots.back();
}

void Script::post(Slot &slot, const Command &command, uint8_t status, uint64_t other) {
    slot.command[kPost] = command;
    slot.status[kPost] = status;
    slot.other[kPost] = other;
}

void Script::arrive(Slot &slot, const Command &command, uint8_t status, uint64_t other) {
    slot.command[kArrival] = command;
    slot.status[kArrival] = status;
    slot.other[kArrival] = other;
}

void Script::queue_receive(Slot &slot, Plan &plan) {
    const Live entry = {plan.fresh(), handle()};
    post(slot, plan.receive(TMU_OPCODE_POST, entry.index, entry.handle), TMU_STATUS_QUEUED);
    plan.put(entry);
}

void Script::queue_message(Slot &slot, Plan &plan) {
    const Live entry = {plan.fresh(), handle()};
    arrive(slot, plan.message(entry.index, entry.handle), TMU_STATUS_QUEUED);
    plan.put(entry);
}

void Script::hit_receive(Slot &slot, Plan &plan, const Live &entry) {
    arrive(slot, plan.message(entry.index, handle()), TMU_STATUS_MATCHED, entry.handle);
}

void Script::hit_message(Slot &slot, Plan &plan, const Live &entry, uint8_t opcode) {
    const uint8_t status = opcode == TMU_OPCODE_PROBE ? TMU_STATUS_FOUND : TMU_STATUS_MATCHED;
    post(slot, plan.receive(opcode, entry.index, handle()), status, entry.handle);
}

} // namespace bench
