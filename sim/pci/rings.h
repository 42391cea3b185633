// SPDX-License-Identifier: Apache-2.0
// Which doorbell page a completion belongs to: the unit says where it writes, not for whom, so that
// the registers that configure pages are looked at on their way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace vfu {

class Rings {
  public:
    // A register write that the unit took; the page, if it configures one.
    std::optional<uint32_t> write(uint32_t offset, uint32_t value);
    void clear();

    // The pages whose ring begins where the ring does that holds this address: one, unless a driver
    // has given several pages the same ring.
    std::vector<uint32_t> pages(uint64_t address) const;

  private:
    struct Ring {
        uint32_t page;
        uint64_t bytes;
    };
    void commit();

    uint32_t selected_ = 0;
    uint64_t base_ = 0;
    uint32_t config_ = 0;
    using ByAddress = std::multimap<uint64_t, Ring>; // bus addresses
    ByAddress rings_;
    std::map<uint32_t, ByAddress::iterator> by_page_;
};

} // namespace vfu
