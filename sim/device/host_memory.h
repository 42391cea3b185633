// SPDX-License-Identifier: Apache-2.0
// Memory of the host that the unit may reach, by bus address.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace device {

constexpr unsigned kBeatBytes = 64;
using Beat = std::array<uint8_t, kBeatBytes>;

// What AXI's responses say.
constexpr uint8_t kOkay = 0;
constexpr uint8_t kDecodeError = 3;

class HostMemory {
  public:
    void add(uint64_t address, uint8_t *memory, size_t bytes);
    void remove(const uint8_t *memory);

    // A beat at the multiple of its size that holds `address`; false outside of all memory, and
    // then nothing happens.  A write changes the bytes with a strobe alone.
    bool write(uint64_t address, const Beat &data, uint64_t strobes);
    bool read(uint64_t address, Beat &data) const;

  private:
    struct Region {
        uint8_t *memory;
        size_t bytes;
    };
    uint8_t *find(uint64_t address) const;

    std::map<uint64_t, Region> regions_; // by bus address
};

} // namespace device
