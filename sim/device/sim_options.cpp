// SPDX-License-Identifier: Apache-2.0
#include "sim_options.h"

#include <cerrno>
#include <cstdlib>

namespace device {

namespace {

constexpr unsigned kMemoryClocksMax = 10000;

// Whether text is a decimal number, and which.
bool number(const std::string &text, uint64_t &value) {
    char *stop = nullptr;
    errno = 0;
    value = std::strtoull(text.c_str(), &stop, 10);
    return !text.empty() && text[0] >= '0' && text[0] <= '9' && *stop == '\0' && errno == 0;
}

// Destination of an option of memory; null for any other option.
unsigned *memory_option(const std::string &name, AxiTiming &memory) {
    return name == "memory_latency"  ? &memory.latency
           : name == "memory_spread" ? &memory.spread
           : name == "memory_gap"    ? &memory.gap
                                     : nullptr;
}

} // namespace

std::string parse(const char *text, Options &options) {
    std::string rest = text == nullptr ? "" : text;
    while (!rest.empty()) {
        const size_t end = rest.find('&');
        const std::string pair = rest.substr(0, end);
        rest = end == std::string::npos ? "" : rest.substr(end + 1);
        const size_t equals = pair.find('=');
        const std::string name = pair.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : pair.substr(equals + 1);
        if (name == "pauses") {
            options.pauses = true;
            if (!number(value, options.seed)) {
                return "found pauses=" + value + ", expected a decimal seed";
            }
        } else if (name == "lulls") {
            if (!number(value, options.lulls) || options.lulls < 1) {
                return "found lulls=" + value + ", expected clocks from 1 on";
            }
        } else if (unsigned *clocks = memory_option(name, options.memory)) {
            const unsigned least = name == "memory_spread" ? 0 : 1;
            uint64_t found = 0;
            if (!number(value, found) || found < least || found > kMemoryClocksMax) {
                return "found " + name + "=" + value + ", expected clocks from " +
                       std::to_string(least) + " to " + std::to_string(kMemoryClocksMax);
            }
            *clocks = static_cast<unsigned>(found);
        } else if (name == "wave" || name == "window") {
            options.wave = value;
            options.window = name == "window";
            if (value.empty()) {
                return "found " + name + " without a file name, expected " + name + "=FILE";
            }
        } else if (name == "link" || name == "record") {
            (name == "link" ? options.link : options.record) = value;
            if (value.empty()) {
                return "found " + name + " without a value, expected link=ADDRESS, record=STEM";
            }
        } else {
            return "found option '" + name +
                   "', expected pauses, lulls, memory_latency, memory_spread, memory_gap, wave, "
                   "window, link or record";
        }
    }
    if (options.lulls != 0 && !options.pauses) {
        return "found lulls without pauses";
    }
#if !VM_TRACE
    if (!options.wave.empty()) {
        return "this library was built without waveforms";
    }
#endif
    return "";
}

} // namespace device
