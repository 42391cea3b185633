// SPDX-License-Identifier: Apache-2.0
#include "spill_memory.h"

#include "tmu/tmu_regs.h"

namespace device {

namespace {
constexpr uint64_t kPageBytes = 4096;
constexpr AxiPort kPort{"spill memory", 2,       4,       1,        false,
                        kSpillAw,       kSpillW, kSpillB, kSpillAr, kSpillR};
} // namespace

SpillMemory::SpillMemory(HostMemory &memory, const AxiTiming &timing)
    : AxiMemory(memory, timing, kPort) {}

void SpillMemory::add_segment(uint64_t base) {
    if (forgotten_) {
        segments_.clear();
    }
    forgotten_ = false;
    segments_.insert(base - base % kPageBytes);
}

void SpillMemory::check_write(uint64_t address) {
    auto segment = segments_.upper_bound(address);
    if (segment == segments_.begin() || address - *--segment >= uint64_t{TMU_SPILL_SEGMENT_BYTES}) {
        blame("a write outside of the segments registered with the unit", address);
    }
}

} // namespace device
