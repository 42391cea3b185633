// SPDX-License-Identifier: Apache-2.0
// The clock loop: commands in, verdicts out, every verdict against the model.
#ifndef TMU_BENCH_RUNNER_H
#define TMU_BENCH_RUNNER_H

#include "law.h"
#include "lot.h"
#include "unit.h"

#include <functional>
#include <vector>

namespace bench {

// The project's random numbers (lot.h); the seed is the state, as in all figures so far.
class Rng {
  public:
    explicit Rng(uint64_t seed) : lot_{seed} {}
    uint64_t next() { return lot_draw(&lot_); }
    // 0 to bound - 1.
    uint32_t below(uint32_t bound) { return lot_below(&lot_, bound); }
    bool percent(uint32_t chance) { return below(100) < chance; }

  private:
    lot_t lot_;
};

// Counts of latencies in clocks: percentiles without keeping every value.
class Histogram {
  public:
    void add(uint64_t clocks);
    uint64_t count() const { return count_; }
    // The least value that `share` (0 to 1) of all do not exceed; 0 when there are none.
    uint64_t percentile(double share) const;
    uint64_t max() const;

  private:
    std::vector<uint64_t> counts_;
    uint64_t count_ = 0;
};

class Runner {
  public:
    using Hook = std::function<void(const Answer &, const Verdict &, uint32_t latency)>;

    // Runs reset until the unit takes commands.
    Runner(const Shape &shape, uint64_t seed);

    // Each verdict that was right, after it was compared.
    void on_verdict(Hook hook) { hook_ = std::move(hook); }

    // One clock with what each port is offered (nullptr = nothing); says what was accepted.
    // With `in_order` the arrival is never accepted in an earlier clock than the post beside it.
    struct Offer {
        const Command *command[kPorts] = {nullptr, nullptr};
        uint64_t step = 0;
        bool take_verdicts = true;
        bool in_order = false;
    };
    struct Taken {
        bool port[kPorts] = {false, false};
    };
    Taken tick(const Offer &offer);

    // Clocks without offers until nothing is owed any more.
    void drain();

    // R11: new limits of an endpoint while the unit is empty; its depths are compared.
    void set_limits(uint32_t endpoint, const Limits &limits);

    bool set_windows(const Windows &windows) { return unit_.set_windows(windows); }

    Law &law() { return law_; }
    uint64_t clock() const { return clock_; }
    uint64_t verdicts() const { return verdicts_; }

  private:
    // Offers nothing: what was offered and not taken never was.
    void withdraw();
    void receive();
    void watch(bool progress);

    Law law_;
    Unit unit_;
    Hook hook_;
    uint64_t clock_ = 0;
    uint64_t verdicts_ = 0;
    uint64_t quiet_since_ = 0;
    const Command *held_[kPorts] = {nullptr, nullptr};
};

} // namespace bench

#endif
