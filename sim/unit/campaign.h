// SPDX-License-Identifier: Apache-2.0
// Random operations on both streams at once, every verdict against the model.
#ifndef TMU_BENCH_CAMPAIGN_H
#define TMU_BENCH_CAMPAIGN_H

#include "command.h"

#include <cstdint>
#include <functional>
#include <string>

namespace bench {

struct CampaignOptions {
    uint64_t operations = 0;
    uint64_t seed = 1;
    bool pauses = true; // of the bench, on both streams in and on the verdicts
    // Called now and then with the operations done.
    std::function<void(uint64_t)> progress;
};

// Runs until every operation has its verdict and returns one JSON object.  Throws Difference.
//
// Traffic changes its character in phases: tables fill and drain, keys are few or many, wildcards
// none or all, endpoints one or several, one port rests, quotas and reserves come and
// go.  Between phases the
// whole of a table is now and then read out by inspects and compared.
std::string campaign(const Shape &shape, const CampaignOptions &options);

} // namespace bench

#endif
