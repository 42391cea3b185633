// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include <cmath>

namespace bench {

namespace {

// Longer than any flush of the largest table.
constexpr uint64_t kQuietClocksMax = 1u << 17;

std::string number(uint64_t value) { return std::to_string(value); }

} // namespace

void Histogram::add(uint64_t clocks) {
    if (clocks >= counts_.size()) {
        counts_.resize(clocks + 1);
    }
    ++counts_[clocks];
    ++count_;
}

uint64_t Histogram::percentile(double share) const {
    const auto wanted = static_cast<uint64_t>(std::ceil(share * static_cast<double>(count_)));
    uint64_t seen = 0;
    for (uint64_t clocks = 0; clocks < counts_.size(); ++clocks) {
        seen += counts_[clocks];
        if (seen != 0 && seen >= wanted) {
            return clocks;
        }
    }
    return 0;
}

uint64_t Histogram::max() const { return counts_.empty() ? 0 : counts_.size() - 1; }

Runner::Runner(const Shape &shape, uint64_t seed) : law_(shape), unit_(shape, seed) {
    for (;;) {
        unit_.settle();
        if (unit_.ready()) {
            return;
        }
        watch(false);
        unit_.edge();
        ++clock_;
    }
}

Runner::Taken Runner::tick(const Offer &offer) {
    for (const Port port : {kPost, kArrival}) {
        if (offer.command[port] != nullptr || held_[port] != nullptr) {
            unit_.offer(port, offer.command[port]);
        }
        held_[port] = offer.command[port];
    }
    unit_.accept_verdicts(offer.take_verdicts);
    unit_.settle();
    Taken taken;
    for (const Port port : {kPost, kArrival}) {
        taken.port[port] = offer.command[port] != nullptr && unit_.ready(port);
    }
    if (offer.in_order && offer.command[kPost] != nullptr && !taken.port[kPost] &&
        taken.port[kArrival]) {
        unit_.offer(kArrival, nullptr);
        held_[kArrival] = nullptr;
        taken.port[kArrival] = false;
        unit_.settle();
    }
    for (const Port port : {kPost, kArrival}) {
        if (taken.port[port]) {
            law_.accept(*offer.command[port], port, clock_, offer.step);
        }
    }
    const bool answered = offer.take_verdicts && unit_.verdicts_valid();
    if (answered) {
        receive();
    }
    const bool idle = !law_.owes() && !offer.command[kPost] && !offer.command[kArrival];
    watch(answered || taken.port[kPost] || taken.port[kArrival] || idle);
    unit_.edge();
    ++clock_;
    return taken;
}

void Runner::receive() {
    for (const Port port : {kPost, kArrival}) {
        if (!unit_.verdict_valid(port)) {
            continue;
        }
        uint32_t latency = 0;
        const Verdict found = unit_.verdict(port, &latency);
        const std::string difference = law_.compare(found, port);
        if (!difference.empty()) {
            throw Difference("clock " + number(clock_) + ", verdict " + number(verdicts_) + ": " +
                             difference);
        }
        ++verdicts_;
        if (hook_) {
            hook_(law_.next(), found, latency);
        }
        law_.answered();
    }
}

// R11: a unit that answers no more is a failure, not a run without an end.
void Runner::watch(bool progress) {
    if (progress) {
        quiet_since_ = clock_;
    } else if (clock_ - quiet_since_ > kQuietClocksMax) {
        throw Difference("clock " + number(clock_) + ": found no verdict in " +
                         number(kQuietClocksMax) + " clocks, expected " + number(law_.owed()));
    }
}

void Runner::drain() {
    while (law_.owes()) {
        tick({});
    }
}

void Runner::withdraw() {
    for (const Port port : {kPost, kArrival}) {
        unit_.offer(port, nullptr);
        held_[port] = nullptr;
    }
}

void Runner::set_limits(uint32_t endpoint, const Limits &limits) {
    drain();
    // A flush waits until the unit is empty: it would be taken now, and the law not be told.
    withdraw();
    unit_.accept_verdicts(false);
    unit_.offer_endpoint(endpoint, limits);
    bool asked = false;
    for (;;) {
        unit_.settle();
        EndpointView view;
        if (asked && unit_.endpoint_state(&view)) {
            const uint64_t depths[] = {law_.depth(endpoint, TMU_MODEL_POSTED),
                                       law_.depth(endpoint, TMU_MODEL_UNEXPECTED)};
            if (view.posted != depths[0] || view.unexpected != depths[1]) {
                throw Difference("endpoint " + number(endpoint) + ": found depths " +
                                 number(view.posted) + " and " + number(view.unexpected) +
                                 ", expected " + number(depths[0]) + " and " + number(depths[1]));
            }
            break;
        }
        if (unit_.verdicts_valid()) {
            throw Difference("clock " + number(clock_) +
                             ": found a verdict, expected none: nothing was accepted");
        }
        const bool taken = !asked && unit_.endpoint_ready();
        watch(false);
        unit_.edge();
        ++clock_;
        if (taken) {
            unit_.withdraw_endpoint();
            law_.set_limits(endpoint, limits);
            asked = true;
        }
    }
    quiet_since_ = clock_;
}

} // namespace bench
