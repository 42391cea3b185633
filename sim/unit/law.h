// SPDX-License-Identifier: Apache-2.0
// The reference model in the order of the law, and what the unit therefore has to answer.
#ifndef TMU_BENCH_LAW_H
#define TMU_BENCH_LAW_H

#include "command.h"
#include "tmu_model.h"

#include <deque>
#include <memory>
#include <vector>

namespace bench {

using Table = std::vector<tmu_model_entry_t>;

// One verdict that is owed.
struct Answer {
    Verdict wanted;
    Port port = kPost;
    uint64_t accepted = 0; // clock
    uint64_t step = 0;     // of the workload; 0 = not measured
    uint64_t visited = 0;  // entries that the model searched
    // Inspect of a slot of the table: every entry in it when the command was accepted.
    std::unique_ptr<Table> table;
};

// Gives each accepted command to the model and keeps the answers that the unit owes, in order.
class Law {
  public:
    explicit Law(const Shape &shape);

    // To be called in the order of the law: by clocks, the post of a clock first.
    void accept(const Command &command, Port port, uint64_t clock, uint64_t step);

    bool owes() const { return !owed_.empty(); }
    size_t owed() const { return owed_.size(); }
    const Answer &next() const { return owed_.front(); }
    void answered() { owed_.pop_front(); }
    // The answer that was owed last, for a workload to see whether it does what it means to do.
    const Answer &last() const { return owed_.back(); }

    void set_limits(uint32_t endpoint, const Limits &limits);
    uint64_t depth(uint32_t endpoint, tmu_model_queue_t queue) const;
    // Every entry of a table, endpoint by endpoint, oldest first.
    Table table(tmu_model_queue_t queue) const;
    tmu_model_stats_t stats() const;

    // Empty, or how a verdict differs from the one that is owed next.
    std::string compare(const Verdict &found, Port port) const;

  private:
    struct Free {
        void operator()(tmu_model_t *model) const { tmu_model_destroy(model); }
    };
    Answer &owe(const Command &command, Port port, uint8_t status);
    void flush(const Command &command, uint64_t clock, uint64_t step);
    void inspect(const Command &command, Port port);

    Shape shape_;
    std::unique_ptr<tmu_model_t, Free> model_;
    std::deque<Answer> owed_;
};

// A command in one line, for messages.
std::string describe(const Verdict &verdict);

} // namespace bench

#endif
