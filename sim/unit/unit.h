// SPDX-License-Identifier: Apache-2.0
// The Verilated MatchUnit behind plain functions; only unit.cpp knows its generated names.
#ifndef TMU_BENCH_UNIT_H
#define TMU_BENCH_UNIT_H

#include "command.h"

#include <memory>

namespace bench {

// Depths of an endpoint that the registers show.
struct EndpointView {
    uint32_t posted;
    uint32_t unexpected;
};

// Bits of the key that count for each piece of a filter id.
struct Windows {
    uint32_t source;
    uint64_t low;
    uint64_t high;
};

// Source, tag and context, as the unit has them after reset.
constexpr Windows kDefaultWindows = {0xffffffff, 0xffffffff, 0xffffffff00000000};

// One clock is: offers, settle(), whatever is asked of the outputs, edge().
class Unit {
  public:
    // Of a configuration with so many endpoints; what reset does not reach starts at random, from
    // `seed`.
    Unit(const Shape &shape, uint64_t seed);
    ~Unit();
    Unit(const Unit &) = delete;
    Unit &operator=(const Unit &) = delete;

    // Puts a command at a port and keeps it there; nullptr takes it away.
    void offer(Port port, const Command *command);
    // Whether the bench takes a verdict in this clock.
    void accept_verdicts(bool ready);
    // Asks for an endpoint's state, and changes its limits.
    void offer_endpoint(uint32_t endpoint, const Limits &limits);
    void withdraw_endpoint();

    // Whether this unit is made with reserves.
    static bool has_reserves();
    // Which key bits filter ids are folded from; false if this unit is made without a choice.
    bool set_windows(const Windows &windows);

    // The low half of the clock: outputs follow the inputs.
    void settle();
    bool ready(Port port) const;
    bool endpoint_ready() const;
    bool verdicts_valid() const;
    bool verdict_valid(Port port) const;
    // The verdict at a port, and the unit's own count of clocks since it accepted the command.
    Verdict verdict(Port port, uint32_t *latency_p) const;
    bool endpoint_state(EndpointView *view_p) const;

    // The rising edge.  Throws Difference with the unit's words when an assertion fails.
    void edge();
    // Reset is over and the endpoints are cleared.
    bool ready() const;

  private:
    struct Top;
    Shape shape_;
    std::unique_ptr<Top> top_;
};

} // namespace bench

#endif
