// SPDX-License-Identifier: Apache-2.0
#include "combiner.h"

#include "tmu/tmu_regs.h"

#include <cstring>

namespace vfu {

namespace {
constexpr unsigned kWordBytes = 4;
constexpr uint16_t kAll = 0xffff;
} // namespace

const Combiner::Command *Combiner::add(uint64_t offset, const uint8_t *data, unsigned size) {
    Partial &command = commands_[offset / TMU_DOORBELL_PAGE_BYTES];
    const uint64_t start = offset / kCommandBytes * kCommandBytes;
    const auto first = static_cast<unsigned>(offset - start);
    const unsigned words = ((1u << size / kWordBytes) - 1) << first / kWordBytes;
    if (command.have != 0 && (command.offset != start || (command.have & words) != 0)) {
        ++lost_;
        command.have = 0;
    }
    command.offset = start;
    command.have = static_cast<uint16_t>(command.have | words);
    std::memcpy(command.data.data() + first, data, size);
    if (command.have != kAll) {
        return nullptr;
    }
    command.have = 0;
    return &command.data;
}

void Combiner::forget(uint32_t page) {
    const auto found = commands_.find(page);
    if (found == commands_.end()) {
        return;
    }
    lost_ += found->second.have != 0 ? 1 : 0;
    commands_.erase(found);
}

} // namespace vfu
