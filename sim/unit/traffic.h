// SPDX-License-Identifier: Apache-2.0
// Commands of a benchmark cell: keys that a kind asks for, and which entries are queued.
#ifndef TMU_BENCH_TRAFFIC_H
#define TMU_BENCH_TRAFFIC_H

#include "runner.h"
#include "workload.h"

#include <deque>

namespace bench {

// An entry that a workload has put into a queue.
struct Live {
    uint32_t index; // which key
    uint64_t handle;
};

// One queue as a workload plans it.  The model judges what really happens.
class Plan {
  public:
    // `side` keeps the keys of receives and messages that are not to meet apart.
    Plan(Keys keys, uint32_t side);

    // A key that no live entry has.
    uint32_t fresh();
    // The same without using it up: to search without a hit.
    uint32_t absent() const { return free_.front(); }
    void put(const Live &entry) { live_.push_back(entry); }
    // Removes and returns the entry at `position`; its key may come back much later.
    Live take(Position position, Rng &rng);
    const Live &peek(Position position, Rng &rng);
    size_t depth() const { return live_.size(); }

    Command receive(uint8_t opcode, uint32_t index, uint64_t handle) const;
    Command message(uint32_t index, uint64_t handle) const;
    // `target` is the receive's handle; 0 names no receive.
    static Command cancel(uint64_t target, uint64_t handle);

  private:
    size_t index_of(Position position, Rng &rng) const;
    Keys keys_of(uint32_t index) const;

    Keys keys_;
    uint32_t side_;
    std::deque<Live> live_;
    std::deque<uint32_t> free_;
};

// The slots of a cell while they are made.
class Script {
  public:
    explicit Script(uint64_t seed) : rng(seed) {}

    Slot &add(bool measured);
    void post(Slot &slot, const Command &command, uint8_t status, uint64_t other = 0);
    void arrive(Slot &slot, const Command &command, uint8_t status, uint64_t other = 0);
    uint64_t handle() { return ++handles_ << 8 | 0x5a; }

    // Queues a new receive or message that meets nothing.
    void queue_receive(Slot &slot, Plan &plan);
    void queue_message(Slot &slot, Plan &plan);
    // A message that takes a receive, a receive that takes a message: planned by `plan`.
    void hit_receive(Slot &slot, Plan &plan, const Live &entry);
    void hit_message(Slot &slot, Plan &plan, const Live &entry, uint8_t opcode);

    Rng rng;
    std::vector<Slot> slots;

  private:
    uint64_t handles_ = 0;
};

} // namespace bench

#endif
