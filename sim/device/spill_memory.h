// SPDX-License-Identifier: Apache-2.0
// The other end of the unit's port to spill memory: it writes inside of registered segments alone.
#pragma once

#include "axi_memory.h"

#include <set>

namespace device {

class SpillMemory : public AxiMemory {
  public:
    SpillMemory(HostMemory &memory, const AxiTiming &timing);

    // The segment at this address is registered with the unit.
    void add_segment(uint64_t base);
    // The unit was told to forget all segments; accesses under way may still arrive until the next
    // one is registered.
    void take_back() { forgotten_ = true; }

  private:
    void check_write(uint64_t address) override;

    std::set<uint64_t> segments_;
    bool forgotten_ = false;
};

} // namespace device
