// SPDX-License-Identifier: Apache-2.0
#include "host_memory.h"

#include <cstring>

namespace device {

void HostMemory::add(uint64_t address, uint8_t *memory, size_t bytes) {
    regions_[address] = Region{memory, bytes};
}

void HostMemory::remove(const uint8_t *memory) {
    for (auto it = regions_.begin(); it != regions_.end(); ++it)
        if (it->second.memory == memory) {
            regions_.erase(it);
            return;
        }
}

uint8_t *HostMemory::find(uint64_t address) const {
    address -= address % kBeatBytes;
    auto it = regions_.upper_bound(address);
    if (it == regions_.begin())
        return nullptr;
    --it;
    const uint64_t offset = address - it->first;
    return offset + kBeatBytes > it->second.bytes ? nullptr : it->second.memory + offset;
}

bool HostMemory::write(uint64_t address, const Beat &data, uint64_t strobes) {
    uint8_t *target = find(address);
    if (target == nullptr)
        return false;
    for (unsigned i = 0; i < kBeatBytes; ++i)
        if (strobes >> i & 1)
            target[i] = data[i];
    return true;
}

bool HostMemory::read(uint64_t address, Beat &data) const {
    const uint8_t *source = find(address);
    if (source == nullptr)
        return false;
    std::memcpy(data.data(), source, kBeatBytes);
    return true;
}

} // namespace device
