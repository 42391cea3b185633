// SPDX-License-Identifier: Apache-2.0
#include "random_traffic.h"

#include "tmu/tmu_regs.h"

#include <algorithm>
#include <iterator>

namespace bench {

namespace {

constexpr uint64_t kAnyTag = 0x7fffffff; // R2
constexpr uint64_t kContext = uint64_t{1} << 32;
constexpr uint64_t kScramble = 0x9e3779b97f4a7c15u; // odd: a counter times it never repeats
constexpr uint64_t kAddressScramble = 0xd6e8feb86659fd93u;
constexpr uint32_t kLengths = 4;
constexpr uint64_t kLengthMax = (uint64_t{1} << 48) - 1;

} // namespace

RandomTraffic::RandomTraffic(const Shape &shape, uint64_t seed, bool pauses)
    : shape_(shape), pauses_(pauses), rng_(seed) {
    // A few endpoints see everything, the first and the last among them.
    for (uint32_t &endpoint : endpoints_) {
        endpoint = small(shape_.endpoints);
    }
    endpoints_[0] = 0;
    endpoints_[1] = shape_.endpoints - 1;
}

void RandomTraffic::next_phase() {
    Phase p;
    const uint32_t entries = std::max(shape_.posted, shape_.unexpected);
    p.length = 200 + small(12 * std::min(entries, 2048u));
    // Both streams, one of them seldom, one of them never: tables fill on one side and drain.
    constexpr uint32_t biases[][2] = {{100, 100}, {100, 100}, {100, 20}, {20, 100},
                                      {100, 0},   {0, 100},   {50, 50}};
    const auto &bias = biases[small(std::size(biases))];
    p.offers[kPost] = bias[0];
    p.offers[kArrival] = bias[1];
    if (pauses_ && small(3) == 0) {
        const uint32_t awake = 10 + small(90);
        p.offers[kPost] = std::max(p.offers[kPost] * awake / 100, bias[0] ? 1u : 0u);
        p.offers[kArrival] = std::max(p.offers[kArrival] * awake / 100, bias[1] ? 1u : 0u);
    }
    if (pauses_ && small(3) == 0) {
        p.takes = 10 + small(90);
    }
    p.keys = one_of({1u, 2u, 3u, 3u, 8u, 64u, 4096u});
    p.contexts = 1 + small(2);
    p.wild = one_of({0u, 10u, 40u, 100u});
    p.bad = one_of({0u, 1u, 5u});
    p.looks = one_of({0u, 10u, 50u});
    p.cancels = one_of({0u, 10u, 40u});
    // One inspect costs the bench a walk over the whole table.
    p.inspects = small(4) == 0 ? std::max(1u, 20000 / entries) : 0;
    p.flushes = one_of({0u, 0u, 2u, 60u});
    p.used = one_of({1u, 1u, 2u, 4u, kEndpoints});
    for (uint32_t i = 0; i < p.used; ++i) {
        p.endpoints[i] = endpoints_[small(kEndpoints)];
    }
    phase_ = p;
}

// Filter ids from all bits, from few, or from none: every choice has to be right (R1).
Windows RandomTraffic::make_windows() {
    Windows w = kDefaultWindows;
    if (small(2)) {
        w.source = small(2) ? static_cast<uint32_t>(rng_.next()) : small(4);
        w.low = small(2) ? rng_.next() : small(4);
        w.high = small(2) ? rng_.next() : uint64_t{small(4)} << 32;
    }
    return w;
}

Limits RandomTraffic::make_limits() {
    const uint32_t entries[] = {shape_.posted, shape_.unexpected};
    Limits limits;
    for (unsigned q = 0; q < 2; ++q) {
        limits.quota[q] = small(2) ? 0 : 1 + small(entries[q]);
        limits.reserve[q] = small(2) && Unit::has_reserves() ? 1 + small(entries[q]) : 0;
    }
    return limits;
}

Command RandomTraffic::make_flush(uint32_t endpoint) {
    Command c;
    c.opcode = TMU_OPCODE_FLUSH;
    c.endpoint = endpoint;
    c.handle = ++made_ * kScramble;
    c.ignore = ~uint64_t{0};
    c.source_ignore = 0xffffffffu;
    return c;
}

void RandomTraffic::make_key(Command &c, bool wild) {
    // Tags and sources differ in high bits too, which a narrow comparison would not see.
    const uint32_t tag = small(phase_.keys), source = small(phase_.keys);
    c.match = kContext * small(phase_.contexts) | tag | (tag & 1) << 17;
    c.source = source | (source & 1) << 31;
    if (!wild) {
        return;
    }
    if (rng_.percent(phase_.wild)) {
        c.source_ignore = 0xffffffff;
    }
    if (rng_.percent(phase_.wild)) {
        c.ignore = kAnyTag;
    }
    if (rng_.percent(phase_.wild / 10)) { // R2: any bits may be ignored
        c.ignore = rng_.next();
        c.source_ignore = static_cast<uint32_t>(rng_.next());
    }
}

// R13: no such endpoint, or malformed, with anything in the other fields.
void RandomTraffic::make_bad(Port port, Command &c) {
    if (small(2) == 0) {
        const auto any = static_cast<uint32_t>(rng_.next());
        c.endpoint = small(2) ? shape_.endpoints + small(3) : any | 0x80000000u;
    }
    if (small(2) == 0) {
        c.malformed = true;
        if (port == kPost && small(2)) {
            c.opcode = static_cast<uint8_t>(rng_.next());
        }
        c.address = rng_.next();
        c.length = rng_.next() & kLengthMax;
        c.ignore = rng_.next();
    }
}

Command RandomTraffic::make_inspect(Port port, uint32_t position) {
    Command c;
    c.opcode = TMU_OPCODE_INSPECT;
    c.privileged = true;
    c.inspect_unexpected = port == kPost;
    c.position = position;
    c.page = shape_.queues;
    c.handle = ++made_ * kScramble;
    return c;
}

void RandomTraffic::make_post(Command &c) {
    const bool flushes = small(10000) < phase_.flushes;
    c.opcode = flushes ? TMU_OPCODE_FLUSH : TMU_OPCODE_POST;
    if (!flushes && rng_.percent(phase_.looks)) {
        c.opcode = small(2) ? TMU_OPCODE_PROBE : TMU_OPCODE_CLAIM;
    }
    make_key(c, true);
    if (flushes && small(2)) { // everything, or a whole context
        c.ignore = small(2) ? ~uint64_t{0} : 0xffffffffu;
        c.source_ignore = 0xffffffffu;
    }
    if (c.opcode != TMU_OPCODE_POST) {
        return;
    }
    c.length = small(kLengths);
    c.address = c.handle * kAddressScramble;
    // One in fifty has no id: then nothing may cancel it (R10).
    c.id = small(50) == 0 ? id_none() : static_cast<uint32_t>(next_id_++ % id_none());
    remembered_[remember_at_++ % kRememberedIds] = {c.endpoint, c.id};
}

void RandomTraffic::make_arrival(Command &c) {
    if (rng_.percent(phase_.cancels)) {
        c.opcode = TMU_OPCODE_CANCEL;
        const Posted &posted = remembered_[small(kRememberedIds)];
        c.id = small(50) == 0 ? id_none() : posted.id;
        if (small(20) != 0 && posted.endpoint < shape_.endpoints) {
            c.endpoint = posted.endpoint;
        }
        return;
    }
    c.opcode = TMU_OPCODE_ARRIVE;
    make_key(c, false);
    c.length = small(20) == 0 ? kLengthMax : small(kLengths);
    c.address = c.handle * kAddressScramble;
}

Command RandomTraffic::make(Port port) {
    if (small(10000) < phase_.inspects) {
        const uint32_t slots = port == kPost ? shape_.unexpected : shape_.posted;
        Command c = make_inspect(port, small(2 * slots));
        c.privileged = small(8) != 0;
        if (rng_.percent(phase_.bad)) {
            make_bad(port, c);
        }
        return c;
    }
    Command c;
    c.handle = ++made_ * kScramble;
    c.endpoint = endpoint();
    // Any page may act for an endpoint.
    c.page = small(2) ? c.endpoint % shape_.queues : shape_.queues;
    c.privileged = c.page == shape_.queues;
    c.stamp = static_cast<uint32_t>(made_ * kAddressScramble);
    port == kPost ? make_post(c) : make_arrival(c);
    if (rng_.percent(phase_.bad)) {
        make_bad(port, c);
    }
    return c;
}

} // namespace bench
