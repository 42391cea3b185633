// SPDX-License-Identifier: Apache-2.0
// The configuration space of the unit as a PCI function: who it is, three windows, MSI-X, and
// that it can be reset.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace vfu {

class ConfigSpace {
  public:
    static constexpr size_t kBytes = 256;

    struct Shape {
        uint64_t registers; // bytes of the windows, powers of two
        uint64_t doorbells;
        uint64_t msix;
        unsigned vectors;
    };

    explicit ConfigSpace(const Shape &shape);

    // As a reset leaves it.
    void reset();

    // Both within kBytes; a write changes what software may change, and says whether it asks for
    // a reset of the function.
    void read(size_t offset, size_t count, uint8_t *data) const;
    bool write(size_t offset, size_t count, const uint8_t *data);

    // Whether software lets the function access memory.
    bool bus_master() const;

  private:
    void put(size_t offset, size_t count, uint64_t value);
    void allow(size_t offset, size_t count, uint64_t mask);
    void window(unsigned number, uint64_t bytes);

    std::array<uint8_t, kBytes> bytes_{};
    std::array<uint8_t, kBytes> writable_{};
};

} // namespace vfu
