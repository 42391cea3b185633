// SPDX-License-Identifier: Apache-2.0
// Options behind the library's name in the URI of a simulated device.
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include "axi_memory.h"

#include <cstdint>
#include <string>

namespace device {

struct Options {
    bool pauses = false;
    uint64_t seed = 0;
    uint64_t lulls = 0;
    AxiTiming memory;
    std::string wave;
    bool window = false;
    std::string link;   // of a card
    std::string record; // of a card: the files' name without their endings
};

// Empty, or what is wrong with the options.
std::string parse(const char *text, Options &options);

} // namespace device

#endif
