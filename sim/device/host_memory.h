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

// Response codes of AXI.
constexpr uint8_t kOkay = 0;
constexpr uint8_t kDecodeError = 3;

class HostMemory {
  public:
    // Accesses that the unit may make.
    enum Access : unsigned { kRead = 1, kWrite = 2, kBoth = kRead | kWrite };

    // False where some of it is there already, and then nothing changes.
    bool add(uint64_t address, uint8_t *memory, size_t bytes, unsigned access = kBoth);
    void remove(uint64_t address);

    // A beat at the multiple of its size that holds `address`; false outside of all memory and
    // where the access is not allowed, and then nothing happens.  A write changes the bytes with a
    // strobe alone; the first word of a whole beat last, for it is what another process polls.
    bool write(uint64_t address, const Beat &data, uint64_t strobes);
    bool read(uint64_t address, Beat &data) const;

  private:
    struct Region {
        uint8_t *memory;
        size_t bytes;
        unsigned access;
    };
    uint8_t *find(uint64_t address, unsigned access) const;

    std::map<uint64_t, Region> regions_; // by bus address
};

} // namespace device
