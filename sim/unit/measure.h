// SPDX-License-Identifier: Apache-2.0
// Runs one cell and says what it took.
#ifndef TMU_BENCH_MEASURE_H
#define TMU_BENCH_MEASURE_H

#include "runner.h"
#include "workload.h"

#include <string>

namespace bench {

struct Options {
    uint64_t seed = 1;
    bool pauses = false; // of the bench, on both streams in and on the verdicts
};

// Runs the cell on a unit fresh from reset and returns one JSON object.  Throws Difference when a
// verdict is wrong, or is not what the workload means to measure.
std::string measure(const Cell &cell, const Shape &shape, const Options &options);

} // namespace bench

#endif
