// SPDX-License-Identifier: Apache-2.0
// The other end of the port to host memory: completions, and a card's payload.
#pragma once

#include "axi_memory.h"

#include <functional>

namespace device {

class HostPort : public AxiMemory {
  public:
    // Hears of each completion that is written: where it went, and whether memory is there.
    using Listener = std::function<void(uint64_t address, bool stored)>;

    // The listener may be empty.
    HostPort(HostMemory &memory, Listener &listener);

    // Whether completions were written since this was asked last.
    bool take_wrote();

  private:
    void wrote(uint64_t address, unsigned id, bool stored) override;

    Listener &listener_;
    bool wrote_ = false;
};

} // namespace device
