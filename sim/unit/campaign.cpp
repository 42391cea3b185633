// SPDX-License-Identifier: Apache-2.0
#include "campaign.h"

#include "random_traffic.h"
#include "tmu/tmu_regs.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

namespace bench {

namespace {

// So often is something refused in a phase: enough to see that it is right, and it goes on.
constexpr uint64_t kRefusals = 40;
constexpr uint64_t kProgressEvery = 100000;

class Campaign {
  public:
    Campaign(const Shape &shape, const CampaignOptions &options)
        : shape_(shape), options_(options), traffic_(shape, options.seed, options.pauses),
          runner_(shape, options.seed) {
        runner_.on_verdict([this](const Answer &, const Verdict &found, uint32_t latency) {
            ++seen_[found.opcode][found.status];
            refused_ +=
                found.status == TMU_STATUS_REFUSED_QUOTA || found.status == TMU_STATUS_STALLED;
            truncated_ += found.truncated;
            latency_ = std::max<uint64_t>(latency_, latency);
            if (dumping_ && found.opcode == TMU_OPCODE_INSPECT) {
                dump_.push_back(found);
            }
        });
    }

    std::string run();

  private:
    void next_phase();
    void empty_some();
    void send(Port port, const Command &command);
    void dump(tmu_model_queue_t queue);
    std::string report() const;

    Shape shape_;
    const CampaignOptions &options_;
    RandomTraffic traffic_;
    Runner runner_;
    uint64_t taken_ = 0;
    uint64_t phases_ = 0;
    uint64_t limits_ = 0;
    uint64_t dumps_ = 0;
    uint64_t latency_ = 0;
    uint64_t truncated_ = 0;
    uint64_t both_at_once_ = 0;
    uint64_t refused_ = 0;
    uint64_t windows_ = 0;
    uint64_t phase_ends_ = 0; // operations, refusals
    uint64_t refusals_end_ = 0;
    bool dumping_ = false;
    std::vector<Verdict> dump_;
    uint64_t seen_[256][256] = {};
};

void Campaign::next_phase() {
    ++phases_;
    traffic_.next_phase();
    phase_ends_ = taken_ + traffic_.phase().length;
    refusals_end_ = refused_ + kRefusals;
    // A command that waits is still there afterwards: all this only lets go of it for a while.
    if (traffic_.small(3) == 0) {
        empty_some();
    }
    if (traffic_.small(4) == 0) {
        windows_ += runner_.set_windows(traffic_.make_windows());
    }
    if (traffic_.small(3) == 0) { // R11: quotas and reserves come and go
        ++limits_;
        runner_.set_limits(traffic_.endpoint(), traffic_.make_limits());
    }
    if (traffic_.small(std::max(8u, shape_.posted / 16)) == 0) {
        dump(traffic_.small(2) ? TMU_MODEL_POSTED : TMU_MODEL_UNEXPECTED);
    }
}

// R14: what phases of many keys have left behind would fill the tables for ever.
void Campaign::empty_some() {
    for (const uint32_t endpoint : traffic_.endpoints()) {
        if (traffic_.small(3) != 0) {
            send(kPost, traffic_.make_flush(endpoint));
        }
    }
}

void Campaign::send(Port port, const Command &command) {
    Runner::Offer offer;
    offer.command[port] = &command;
    while (!runner_.tick(offer).port[port]) {
    }
}

// Reads the whole of a table: each entry that the model has appears once, and those of an endpoint
// in the order of their age.
void Campaign::dump(tmu_model_queue_t queue) {
    ++dumps_;
    runner_.drain();
    const Port port = queue == TMU_MODEL_UNEXPECTED ? kPost : kArrival;
    const Table expected = runner_.law().table(queue);
    dump_.clear();
    dumping_ = true;
    // And the first slot beyond the table, which is answered so (Law::inspect).
    for (uint32_t slot = 0; slot <= shape_.slots[port]; ++slot) {
        send(port, traffic_.make_inspect(port, slot));
    }
    runner_.drain();
    dumping_ = false;
    std::map<uint32_t, std::vector<uint64_t>> found, wanted;
    for (const Verdict &verdict : dump_) {
        if (verdict.status == TMU_STATUS_ENTRY) {
            found[verdict.endpoint].push_back(verdict.other);
        }
    }
    for (const tmu_model_entry_t &entry : expected) {
        wanted[entry.endpoint].push_back(entry.handle);
    }
    for (const auto &[endpoint, handles] : wanted) {
        found[endpoint]; // so that none is forgotten below
    }
    for (const auto &[endpoint, handles] : found) {
        const std::vector<uint64_t> &right = wanted[endpoint];
        size_t index = 0;
        while (index < handles.size() && index < right.size() && handles[index] == right[index]) {
            ++index;
        }
        if (index == handles.size() && index == right.size()) {
            continue;
        }
        std::ostringstream out;
        out << "clock " << runner_.clock() << ": dump of the "
            << (queue == TMU_MODEL_POSTED ? "receives" : "messages") << " of endpoint " << endpoint
            << ": found " << handles.size() << " entries, expected " << right.size()
            << "; the first that differs is number " << index << " of the oldest";
        throw Difference(out.str());
    }
}

std::string Campaign::run() {
    Command waiting[kPorts];
    bool waits[kPorts] = {false, false};
    uint64_t told = 0;
    while (taken_ < options_.operations) {
        if (taken_ >= phase_ends_ || refused_ >= refusals_end_) {
            next_phase();
        }
        const Phase &phase = traffic_.phase();
        Runner::Offer offer;
        for (const Port port : {kPost, kArrival}) {
            if (!waits[port] && traffic_.percent(phase.offers[port])) {
                waiting[port] = traffic_.make(port);
                waits[port] = true;
            }
            offer.command[port] = waits[port] ? &waiting[port] : nullptr;
        }
        offer.take_verdicts = phase.takes == 100 || traffic_.percent(phase.takes);
        const Runner::Taken taken = runner_.tick(offer);
        for (const Port port : {kPost, kArrival}) {
            waits[port] = waits[port] && !taken.port[port];
            taken_ += taken.port[port];
        }
        both_at_once_ += taken.port[kPost] && taken.port[kArrival];
        if (options_.progress && taken_ - told >= kProgressEvery) {
            told = taken_;
            options_.progress(taken_);
        }
    }
    runner_.drain();
    for (const tmu_model_queue_t queue : {TMU_MODEL_POSTED, TMU_MODEL_UNEXPECTED}) {
        dump(queue);
    }
    return report();
}

std::string Campaign::report() const {
    static const std::pair<uint8_t, const char *> statuses[] = {
        {TMU_STATUS_MATCHED, "matched"},
        {TMU_STATUS_QUEUED, "queued"},
        {TMU_STATUS_FOUND, "found"},
        {TMU_STATUS_NONE, "none"},
        {TMU_STATUS_CANCELLED, "cancelled"},
        {TMU_STATUS_LATE, "late"},
        {TMU_STATUS_REMOVED, "removed"},
        {TMU_STATUS_FLUSHED, "flushed"},
        {TMU_STATUS_REFUSED_QUOTA, "refused_quota"},
        {TMU_STATUS_REFUSED_ENDPOINT, "refused_endpoint"},
        {TMU_STATUS_STALLED, "stalled"},
        {TMU_STATUS_MALFORMED, "malformed"},
        {TMU_STATUS_REFUSED_PRIVILEGE, "refused_privilege"},
        {TMU_STATUS_ENTRY, "entry"},
        {TMU_STATUS_EMPTY, "empty"},
        {TMU_STATUS_VACANT, "vacant"},
    };
    std::ostringstream out;
    const tmu_model_stats_t stats = const_cast<Campaign *>(this)->runner_.law().stats();
    out << "{\"seed\": " << options_.seed << ", \"operations\": " << taken_
        << ", \"verdicts\": " << runner_.verdicts() << ", \"clocks\": " << runner_.clock()
        << ", \"differences\": 0, \"phases\": " << phases_ << ", \"limit_changes\": " << limits_
        << ", \"window_changes\": " << windows_ << ", \"dumps\": " << dumps_
        << ", \"both_in_one_clock\": " << both_at_once_ << ", \"truncated\": " << truncated_
        << ", \"latency_max\": " << latency_ << ", \"depth_max\": {\"posted\": " << stats.posted_max
        << ", \"unexpected\": " << stats.unexpected_max << "}, \"statuses\": {";
    const char *separator = "";
    for (const auto &[status, name] : statuses) {
        uint64_t count = 0;
        for (const auto &by_opcode : seen_) {
            count += by_opcode[status];
        }
        out << separator << "\"" << name << "\": " << count;
        separator = ", ";
    }
    out << "}}";
    return out.str();
}

} // namespace

std::string campaign(const Shape &shape, const CampaignOptions &options) {
    return std::make_unique<Campaign>(shape, options)->run();
}

} // namespace bench
