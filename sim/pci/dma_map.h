// SPDX-License-Identifier: Apache-2.0
// Memory of the client that the unit may reach.
#pragma once

#include "descriptor.h"
#include "unit.h"
#include "vfu_protocol.h"

#include <cstdint>
#include <map>

namespace vfu {

class DmaMap {
  public:
    static constexpr uint64_t kPageBytes = 4096;
    static constexpr size_t kMapsMax = 65535;

    explicit DmaMap(Unit &unit) : unit_(unit) {}
    ~DmaMap() { clear(); }
    DmaMap(const DmaMap &) = delete;
    DmaMap &operator=(const DmaMap &) = delete;

    // 0, or what is wrong as an errno value.  Without a file the range is known, and an access
    // there is answered like one outside of all ranges.
    int map(const vfu_dma_map_t &request, const Descriptor &file);
    // Ends every mapping in the range, of which there may be none; one that lies in it only in part
    // is refused, and then nothing is unmapped.  `bytes` are those that were.
    int unmap(const vfu_dma_unmap_t &request, uint64_t &bytes);
    void clear();

    // Whether the unit reaches anything at all; PCI's bus master bit.
    void allow(bool allowed);

    // Whether the client has taken memory back that it had mapped, since this was last asked.  What
    // the unit finds there instead is memory of nobody, so that the process goes on.
    static bool taken_back();

  private:
    struct Range {
        uint64_t bytes;
        void *memory; // nullptr where there is no file
        unsigned access;
    };
    using Ranges = std::map<uint64_t, Range>;
    int enter(uint64_t address, const Range &range);
    Ranges::iterator leave(Ranges::iterator range);

    Unit &unit_;
    bool allowed_ = false;
    Ranges ranges_; // by bus address
};

} // namespace vfu
