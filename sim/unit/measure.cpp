// SPDX-License-Identifier: Apache-2.0
#include "measure.h"

#include <algorithm>
#include <deque>
#include <sstream>

namespace bench {

namespace {

constexpr uint32_t kPauseChance = 40;

// The verdicts of the measured steps.
struct Window {
    Histogram latency;      // clocks from acceptance to verdict, as the bench sees them
    Histogram unit_latency; // the same as the verdict says it
    uint64_t steps = 0;     // that have all their verdicts
    uint64_t verdicts = 0;
    uint64_t first_verdicts = 0; // of them those of the first step
    uint64_t first = 0;          // clocks: the first and the last step's last verdict
    uint64_t last = 0;
    uint64_t gap = 0; // most between two steps
    uint64_t searches = 0;
    uint64_t visited = 0; // by searches, as the model counts
    uint64_t deepest[2] = {0, 0};

    void add(const Answer &answer, uint32_t unit, uint64_t clock) {
        latency.add(clock - answer.accepted);
        unit_latency.add(unit);
        if (answer.visited != 0) {
            ++searches;
            visited += answer.visited;
        }
        if (answer.step != step_) {
            close();
            step_ = answer.step;
            ++steps;
        }
        ++verdicts;
        now_ = clock;
    }
    // After the last verdict.
    void close() {
        if (step_ == 0) {
            return;
        }
        if (steps == 1) {
            first = now_;
            first_verdicts = verdicts;
        } else {
            gap = std::max(gap, now_ - last);
        }
        last = now_;
    }

  private:
    uint64_t step_ = 0;
    uint64_t now_ = 0;
};

// Whether the unit could be offered one command or two in a clock.
enum class Streams { two, one };

class Measurement {
  public:
    Measurement(const Cell &cell, const Shape &shape, const Options &options, Streams streams)
        : options_(options), streams_(streams), slots_(make_slots(cell, shape, options.seed)),
          runner_(shape, options.seed), rng_(options.seed) {
        runner_.on_verdict([this](const Answer &answer, const Verdict &, uint32_t latency) {
            judge(answer.wanted);
            if (answer.step != 0) {
                window_.add(answer, latency, runner_.clock());
            }
        });
    }

    uint64_t verdicts() const { return runner_.verdicts(); }

    const Window &run() {
        uint64_t step = 0;
        for (const Slot &slot : slots_) {
            offer(slot, slot.measured ? ++step : 0);
        }
        runner_.drain();
        window_.close();
        const tmu_model_stats_t stats = runner_.law().stats();
        window_.deepest[0] = stats.posted_max;
        window_.deepest[1] = stats.unexpected_max;
        return window_;
    }

  private:
    void offer(const Slot &slot, uint64_t step) {
        bool waits[kPorts] = {slot.command[kPost].has_value(), slot.command[kArrival].has_value()};
        while (waits[kPost] || waits[kArrival]) {
            Runner::Offer offer;
            offer.step = step;
            offer.in_order = true;
            const bool one = streams_ == Streams::one && waits[kPost];
            for (const Port port : {kPost, kArrival}) {
                const bool now = waits[port] && !(one && port == kArrival) && !pauses();
                offer.command[port] = now ? &*slot.command[port] : nullptr;
            }
            // An arrival must not overtake a post that the bench holds back.
            if (waits[kPost] && offer.command[kPost] == nullptr) {
                offer.command[kArrival] = nullptr;
            }
            offer.take_verdicts = !pauses();
            const Runner::Taken taken = runner_.tick(offer);
            for (const Port port : {kPost, kArrival}) {
                if (taken.port[port]) {
                    meant_.push_back({slot.status[port], slot.other[port]});
                }
                waits[port] = waits[port] && !taken.port[port];
            }
        }
    }

    // A right verdict that is not the intended one: the cell would measure something else.
    void judge(const Verdict &verdict) {
        const Meant meant = meant_.front();
        meant_.pop_front();
        if (verdict.status != meant.status || (meant.other != 0 && verdict.other != meant.other)) {
            throw Difference("the workload does not do what it means to do: found" +
                             describe(verdict) + ", expected status " +
                             std::to_string(meant.status) + " other " +
                             std::to_string(meant.other));
        }
    }

    bool pauses() { return options_.pauses && rng_.percent(kPauseChance); }

    struct Meant {
        uint8_t status;
        uint64_t other;
    };

    Options options_;
    Streams streams_;
    std::vector<Slot> slots_;
    Runner runner_;
    Rng rng_;
    Window window_;
    std::deque<Meant> meant_;
};

void put(std::ostream &out, const char *name, const Histogram &clocks) {
    out << ", \"" << name << "\": {\"p50\": " << clocks.percentile(0.50)
        << ", \"p90\": " << clocks.percentile(0.90) << ", \"p99\": " << clocks.percentile(0.99)
        << ", \"max\": " << clocks.max() << "}";
}

double ratio(uint64_t a, uint64_t b) {
    return b == 0 ? 0.0 : static_cast<double>(a) / static_cast<double>(b);
}

// A step is one slot: one verdict or two.
double clocks_per_step(const Window &window) {
    return ratio(window.last - window.first, window.steps - 1);
}

double clocks_per_verdict(const Window &window) {
    return ratio(window.last - window.first, window.verdicts - window.first_verdicts);
}

} // namespace

std::string measure(const Cell &cell, const Shape &shape, const Options &options) {
    Measurement measurement(cell, shape, options, Streams::two);
    const Window &window = measurement.run();
    if (window.steps < 2) {
        throw std::logic_error("a cell without a measured step");
    }
    std::ostringstream out;
    out.precision(6);
    out << std::fixed;
    out << "{\"kind\": \"" << cell.kind_name << "\", \"queue\": \"" << name_of(cell.queue)
        << "\", \"position\": \"" << name_of(cell.position) << "\", \"depth\": " << cell.depth
        << ", \"steps\": " << window.steps << ", \"verdicts\": " << window.verdicts
        << ", \"clocks\": " << window.last - window.first
        << ", \"clocks_per_step\": " << clocks_per_step(window)
        << ", \"clocks_per_verdict\": " << clocks_per_verdict(window)
        << ", \"most_clocks_between\": " << window.gap
        << ", \"verdicts_per_clock\": " << ratio(window.verdicts, window.last - window.first + 1);
    put(out, "latency_clocks", window.latency);
    put(out, "unit_latency_clocks", window.unit_latency);
    out << ", \"visited\": " << ratio(window.visited, window.searches)
        << ", \"depth_max\": {\"posted\": " << window.deepest[0]
        << ", \"unexpected\": " << window.deepest[1]
        << "}, \"all_verdicts\": " << measurement.verdicts();
    if (cell.kind == Kind::paired) {
        Measurement serial(cell, shape, options, Streams::one);
        const double one = clocks_per_step(serial.run());
        const double two = clocks_per_step(window);
        out << ", \"pairs_per_clock\": " << 1 / two << ", \"pairs_per_clock_one_way\": " << 1 / one
            << ", \"pair_rate\": " << one / two;
    }
    out << "}";
    return out.str();
}

} // namespace bench
