// SPDX-License-Identifier: Apache-2.0
// Commands drawn at random, whose character changes in phases.
#ifndef TMU_BENCH_RANDOM_TRAFFIC_H
#define TMU_BENCH_RANDOM_TRAFFIC_H

#include "runner.h"

#include <array>

namespace bench {

constexpr uint32_t kEndpoints = 8;

// Shape of traffic for a while; chances are in percent.
struct Phase {
    uint64_t length = 0;       // operations
    uint32_t offers[kPorts]{}; // chance that a port has something to offer
    uint32_t takes = 100;      // chance that the bench takes verdicts
    uint32_t keys = 1;         // different tags, and different sources
    uint32_t contexts = 1;
    uint32_t wild = 0;
    uint32_t bad = 0;
    uint32_t looks = 0;    // of posts: probe or claim instead
    uint32_t cancels = 0;  // of arrivals
    uint32_t inspects = 0; // in 10,000
    uint32_t flushes = 0;  // in 10,000 posts
    std::array<uint32_t, kEndpoints> endpoints{};
    uint32_t used = 1; // of `endpoints`
};

class RandomTraffic {
  public:
    // With `pauses` both streams in and the verdicts rest now and then.
    RandomTraffic(const Shape &shape, uint64_t seed, bool pauses);

    const Phase &phase() const { return phase_; }
    void next_phase();

    Command make(Port port);
    Command make_inspect(Port port, uint32_t position);
    // A flush of a whole endpoint.
    Command make_flush(uint32_t endpoint);
    Windows make_windows();
    // No quota half of the time, and no reserve; reserves may come to more than the table.
    Limits make_limits();

    const std::array<uint32_t, kEndpoints> &endpoints() const { return endpoints_; }
    // One of those of this phase.
    uint32_t endpoint() { return phase_.endpoints[small(phase_.used)]; }
    bool percent(uint32_t chance) { return rng_.percent(chance); }
    // 0 to bound - 1.
    uint32_t small(uint32_t bound) { return rng_.below(bound); }

  private:
    static constexpr uint32_t kRememberedIds = 64;
    struct Posted {
        uint32_t endpoint;
        uint32_t id;
    };

    void make_key(Command &c, bool wild);
    void make_bad(Port port, Command &c);
    void make_post(Command &c);
    void make_arrival(Command &c);
    template <size_t N> uint32_t one_of(const uint32_t (&values)[N]) { return values[small(N)]; }
    uint32_t id_none() const { return (1u << shape_.id_bits) - 1; }

    Shape shape_;
    bool pauses_;
    Rng rng_;
    Phase phase_;
    uint64_t made_ = 0; // commands
    uint64_t next_id_ = 0;
    std::array<uint32_t, kEndpoints> endpoints_{};
    std::array<Posted, kRememberedIds> remembered_{};
    uint32_t remember_at_ = 0;
};

} // namespace bench

#endif
