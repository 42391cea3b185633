// SPDX-License-Identifier: Apache-2.0
#include "rings.h"

#include "tmu/tmu_regs.h"

#include <iterator>

namespace vfu {

namespace {
constexpr uint64_t kLow = UINT32_MAX;
constexpr unsigned kWord = 32;
} // namespace

std::optional<uint32_t> Rings::write(uint32_t offset, uint32_t value) {
    switch (offset) {
    case TMU_REG_PAGE_SELECT:
        selected_ = value;
        break;
    case TMU_REG_RING_BASE_LO:
        base_ = (base_ & ~kLow) | value;
        break;
    case TMU_REG_RING_BASE_HI:
        base_ = (base_ & kLow) | uint64_t{value} << kWord;
        break;
    case TMU_REG_RING_CONFIG:
        config_ = value;
        break;
    case TMU_REG_PAGE_COMMIT:
        if ((value >> TMU_PAGE_COMMIT_COMMIT_SHIFT & TMU_PAGE_COMMIT_COMMIT_MASK) != 0) {
            commit();
            return selected_;
        }
        break;
    case TMU_REG_CONTROL:
        if ((value >> TMU_CONTROL_RESET_SHIFT & TMU_CONTROL_RESET_MASK) != 0) {
            rings_.clear();
            by_page_.clear();
        }
        break;
    default:
        break;
    }
    return std::nullopt;
}

void Rings::commit() {
    const auto old = by_page_.find(selected_);
    if (old != by_page_.end()) {
        rings_.erase(old->second);
        by_page_.erase(old);
    }
    const uint32_t log2 = config_ >> TMU_RING_CONFIG_LOG2_SHIFT & TMU_RING_CONFIG_LOG2_MASK;
    const bool enabled =
        (config_ >> TMU_RING_CONFIG_ENABLE_SHIFT & TMU_RING_CONFIG_ENABLE_MASK) != 0;
    if (!enabled) {
        return;
    }
    const uint64_t start = base_ / TMU_DOORBELL_COMMAND_BYTES * TMU_DOORBELL_COMMAND_BYTES;
    by_page_[selected_] =
        rings_.emplace(start, Ring{selected_, uint64_t{TMU_DOORBELL_COMMAND_BYTES} << log2});
}

void Rings::clear() { *this = Rings(); }

std::vector<uint32_t> Rings::pages(uint64_t address) const {
    std::vector<uint32_t> found;
    const auto after = rings_.upper_bound(address);
    if (after == rings_.begin()) {
        return found;
    }
    for (auto ring = rings_.lower_bound(std::prev(after)->first); ring != after; ++ring) {
        if (address - ring->first < ring->second.bytes) {
            found.push_back(ring->second.page);
        }
    }
    return found;
}

} // namespace vfu
