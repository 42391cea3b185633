// SPDX-License-Identifier: Apache-2.0
#include "host_port.h"

namespace device {

namespace {
constexpr unsigned kCompletions = 0; // the id of their writes
constexpr unsigned kBurstMax = 4096 / kBeatBytes;
constexpr AxiTiming kPromptly{0, 0, 1};
constexpr AxiPort kPort{"host memory", 4,        kBurstMax, kBurstMax, true,
                        kMemoryAw,     kMemoryW, kMemoryB,  kMemoryAr, kMemoryR};
} // namespace

HostPort::HostPort(HostMemory &memory, Listener &listener)
    : AxiMemory(memory, kPromptly, kPort), listener_(listener) {}

bool HostPort::take_wrote() {
    const bool wrote = wrote_;
    wrote_ = false;
    return wrote;
}

void HostPort::wrote(uint64_t address, unsigned id, bool stored) {
    if (id != kCompletions) {
        return;
    }
    wrote_ = wrote_ || stored;
    if (listener_) {
        listener_(address, stored);
    }
}

} // namespace device
