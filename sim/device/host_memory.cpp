// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

#include <cstring>
#include <iterator>

namespace device {

namespace {
constexpr unsigned kWordBytes = 8;
constexpr uint64_t kWholeBeat = ~uint64_t{0};

void store(uint8_t *target, const Beat &data, unsigned word, int order) {
    uint64_t value = 0;
    std::memcpy(&value, data.data() + word * kWordBytes, kWordBytes);
    __atomic_store_n(reinterpret_cast<uint64_t *>(target) + word, value, order);
}
} // namespace

bool HostMemory::add(uint64_t address, uint8_t *memory, size_t bytes, unsigned access) {
    if (bytes == 0 || address + (bytes - 1) < address) {
        return false;
    }
    const auto next = regions_.lower_bound(address);
    if (next != regions_.end() && next->first - address < bytes) {
        return false;
    }
    if (next != regions_.begin()) {
        const auto &[start, before] = *std::prev(next);
        if (address - start < before.bytes) {
            return false;
        }
    }
    regions_[address] = Region{memory, bytes, access};
    return true;
}

void HostMemory::remove(uint64_t address) { regions_.erase(address); }

uint8_t *HostMemory::find(uint64_t address, unsigned access) const {
    address -= address % kBeatBytes;
    auto it = regions_.upper_bound(address);
    if (it == regions_.begin()) {
        return nullptr;
    }
    --it;
    const Region &region = it->second;
    const uint64_t offset = address - it->first;
    if (offset >= region.bytes || region.bytes - offset < kBeatBytes ||
        (region.access & access) == 0) {
        return nullptr;
    }
    return region.memory + offset;
}

bool HostMemory::write(uint64_t address, const Beat &data, uint64_t strobes) {
    uint8_t *target = find(address, kWrite);
    if (target == nullptr) {
        return false;
    }
    if (strobes == kWholeBeat) {
        for (unsigned word = 1; word < kBeatBytes / kWordBytes; ++word) {
            store(target, data, word, __ATOMIC_RELAXED);
        }
        store(target, data, 0, __ATOMIC_RELEASE);
        return true;
    }
    for (unsigned i = 0; i < kBeatBytes; ++i) {
        if (strobes >> i & 1) {
            target[i] = data[i];
        }
    }
    return true;
}

bool HostMemory::read(uint64_t address, Beat &data) const {
    const uint8_t *source = find(address, kRead);
    if (source == nullptr) {
        return false;
    }
    std::memcpy(data.data(), source, kBeatBytes);
    return true;
}

} // namespace device
