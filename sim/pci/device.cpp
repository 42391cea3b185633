// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include "tmu/tmu_pci.h"
#include "tmu/tmu_regs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace vfu {

namespace {

// Clocks between two looks at the connection: some microseconds.
constexpr unsigned kStepClocks = 16;
// The unit is asked whether it is idle when so many clocks brought no completion.
constexpr unsigned kQuietClocks = 256;
constexpr unsigned kVectorBytes = 16;
constexpr unsigned kVectorControl = 12; // offset of the word whose bit 0 masks the vector
constexpr uint64_t kWindowBytesMin = 4096;
constexpr uint32_t kRegisterBytes = 4;

struct PresetName {
    uint32_t number;
    const char *name;
};
#define TMU_PRESET_NAME(name, number, ...) {number, name},
constexpr PresetName kPresets[] = {TMU_PRESET_TABLE(TMU_PRESET_NAME)};

uint64_t window(uint64_t bytes) {
    uint64_t size = kWindowBytesMin;
    while (size < bytes) {
        size *= 2;
    }
    return size;
}

uint32_t value_of(Unit &unit, uint32_t offset) {
    uint32_t value = 0;
    if (!unit.read(offset, value)) {
        throw UnitFailure("simulated hardware: register " + std::to_string(offset) +
                          " cannot be read");
    }
    return value;
}

} // namespace

Device::Shape::Shape(Unit &unit) {
    if (value_of(unit, TMU_REG_MAGIC) != TMU_MAGIC) {
        throw UnitFailure("simulated hardware: no tag-matching unit, its magic is wrong");
    }
    preset = value_of(unit, TMU_REG_PRESET);
    pages = value_of(unit, TMU_REG_QUEUES) + 1; // and the privileged one
    windows.vectors = std::min<uint32_t>(pages, TMU_PCI_VECTORS_MAX);
    windows.registers = window(TMU_REGISTER_BYTES);
    windows.doorbells = window(uint64_t{pages} * TMU_DOORBELL_PAGE_BYTES);
    windows.msix = 2 * window(uint64_t{windows.vectors} * kVectorBytes);
}

Device::Device(const std::string &library)
    : unit_(library), shape_(unit_), config_(shape_.windows), msix_(shape_.windows.msix),
      dma_(unit_), interrupts_(shape_.windows.vectors) {
    clear_vectors();
    unit_.listen(&Device::written, this);
}

const char *Device::preset() const {
    for (const auto &one : kPresets) {
        if (one.number == shape_.preset) {
            return one.name;
        }
    }
    return shape_.preset == TMU_PRESET_OWN ? "own" : "without a name";
}

void Device::written(void *user, uint64_t address, int stored) {
    auto *device = static_cast<Device *>(user);
    device->wrote_ = device->news_ = true;
    ++(stored != 0 ? device->counts_.completions : device->counts_.completions_refused);
    if (stored != 0) {
        for (const uint32_t page : device->rings_.pages(address)) {
            device->interrupts_.raise(page);
        }
    }
}

uint64_t Device::region_bytes(uint32_t region) const {
    switch (region) {
    case TMU_PCI_BAR_REGISTERS:
        return shape_.windows.registers;
    case TMU_PCI_BAR_DOORBELLS:
        return shape_.windows.doorbells;
    case TMU_PCI_BAR_MSIX:
        return shape_.windows.msix;
    case VFU_REGION_CONFIG:
        return ConfigSpace::kBytes;
    case VFU_REGION_TIME:
        return VFU_TIME_BYTES;
    default:
        return 0;
    }
}

uint32_t Device::region_flags(uint32_t region) const {
    if (region_bytes(region) == 0) {
        return 0;
    }
    return VFU_REGION_READABLE | VFU_REGION_WRITABLE;
}

int Device::register_access(uint64_t offset, uint32_t count, uint8_t *read, const uint8_t *write) {
    if (count != kRegisterBytes || offset % kRegisterBytes != 0) {
        return EINVAL;
    }
    const auto address = static_cast<uint32_t>(offset);
    uint32_t value = 0;
    bool well = false;
    wake();
    if (write != nullptr) {
        ++counts_.register_writes;
        std::memcpy(&value, write, sizeof value);
        well = unit_.write(address, value);
        const auto configured = well ? rings_.write(address, value) : std::nullopt;
        if (configured) {
            combiner_.forget(*configured);
        }
    } else {
        ++counts_.register_reads;
        well = unit_.read(address, value);
        std::memcpy(read, &value, sizeof value);
    }
    counts_.register_errors += well ? 0 : 1;
    return well ? 0 : EIO;
}

int Device::doorbell(uint64_t offset, uint32_t count, const uint8_t *data) {
    const bool command = offset % TMU_DOORBELL_PAGE_BYTES < TMU_DOORBELL_COMMAND_WINDOW_BYTES;
    const uint8_t *whole = data;
    uint32_t size = count;
    if (command && (count == 4 || count == 8) && offset % count == 0) {
        const Combiner::Command *combined = combiner_.add(offset, data, count);
        if (combined == nullptr) {
            return 0;
        }
        whole = combined->data();
        size = Combiner::kCommandBytes;
        offset -= offset % size;
    } else if ((count != 4 && count != TMU_DOORBELL_COMMAND_BYTES) || offset % count != 0) {
        return EINVAL;
    }
    // The unit itself refuses addresses behind the pages, as every bad address (R13).
    counts_.commands += command ? 1 : 0;
    unit_.doorbell(offset, whole, size);
    wake();
    return 0;
}

// Addresses without a word read as all ones, as on a bus: a client that passes accesses of a guest
// on has nothing to do with an error, and may end by it.
int Device::doorbell_read(uint64_t offset, uint32_t count, uint8_t *data) {
    uint64_t value = 0;
    std::memset(data, 0xff, count);
    if ((count != 4 && count != sizeof value) || offset % count != 0) {
        ++counts_.page_reads_empty;
        return 0;
    }
    ++counts_.page_reads;
    wake();
    const uint64_t inside = offset % sizeof value;
    if (!unit_.doorbell_read(offset - inside, value)) {
        ++counts_.page_reads_empty;
        return 0;
    }
    value >>= 8 * inside;
    std::memcpy(data, &value, count);
    return 0;
}

int Device::time_read(uint64_t offset, uint32_t count, uint8_t *data) {
    const uint64_t now = clock();
    if (offset != VFU_TIME_CLOCK || count != sizeof now) {
        return EINVAL;
    }
    std::memcpy(data, &now, sizeof now);
    return 0;
}

int Device::time_write(uint64_t offset, uint32_t count, const uint8_t *data) {
    uint32_t clocks = 0;
    if (offset != VFU_TIME_RUN || count != sizeof clocks) {
        return EINVAL;
    }
    std::memcpy(&clocks, data, sizeof clocks);
    if (clocks > VFU_TIME_RUN_MAX) {
        return EINVAL;
    }
    wake();
    // The sender waits for completions written while this message was under way.
    if (!news_) {
        counts_.clocks_on_demand += unit_.run(clocks);
    }
    news_ = false;
    return 0;
}

int Device::read(uint32_t region, uint64_t offset, uint32_t count, uint8_t *data) {
    const uint64_t bytes = region_bytes(region);
    if (count == 0 || offset > bytes || count > bytes - offset) {
        return EINVAL;
    }
    switch (region) {
    case TMU_PCI_BAR_REGISTERS:
        return register_access(offset, count, data, nullptr);
    case TMU_PCI_BAR_MSIX:
        std::memcpy(data, msix_.data() + offset, count);
        return 0;
    case VFU_REGION_CONFIG:
        config_.read(offset, count, data);
        return 0;
    case VFU_REGION_TIME:
        return time_read(offset, count, data);
    default: // region_bytes knows no other
        return doorbell_read(offset, count, data);
    }
}

int Device::write(uint32_t region, uint64_t offset, uint32_t count, const uint8_t *data) {
    const uint64_t bytes = region_bytes(region);
    if (count == 0 || offset > bytes || count > bytes - offset) {
        return EINVAL;
    }
    switch (region) {
    case TMU_PCI_BAR_REGISTERS:
        return register_access(offset, count, nullptr, data);
    case TMU_PCI_BAR_DOORBELLS:
        return doorbell(offset, count, data);
    case TMU_PCI_BAR_MSIX: {
        // The table is memory; pending bits are read only, and never set.
        const uint64_t end = std::min<uint64_t>(offset + count, bytes / 2);
        if (offset < end) {
            std::memcpy(msix_.data() + offset, data, end - offset);
        }
        return 0;
    }
    case VFU_REGION_CONFIG:
        if (config_.write(offset, count, data)) {
            reset();
        }
        dma_.allow(config_.bus_master());
        return 0;
    default:
        return time_write(offset, count, data);
    }
}

void Device::reset() {
    ++counts_.resets;
    config_.reset();
    dma_.allow(false);
    clear_vectors();
    rings_.clear();
    combiner_.clear();
    news_ = false;
    unit_.reset();
    wake();
}

void Device::clear_vectors() {
    std::fill(msix_.begin(), msix_.end(), uint8_t{0});
    for (unsigned vector = 0; vector < shape_.windows.vectors; ++vector) {
        msix_[vector * kVectorBytes + kVectorControl] = 1;
    }
}

void Device::release() {
    dma_.clear();
    interrupts_.clear();
    reset();
}

void Device::wake() {
    busy_ = true;
    quiet_ = 0;
}

void Device::step() {
    wrote_ = false;
    quiet_ += unit_.run(kStepClocks);
    if (wrote_) {
        quiet_ = 0;
    }
    if (quiet_ < kQuietClocks) {
        return;
    }
    quiet_ = 0;
    const uint32_t status = value_of(unit_, TMU_REG_STATUS);
    const uint32_t idle = status >> TMU_STATUS_IDLE_SHIFT & TMU_STATUS_IDLE_MASK;
    const uint32_t ready = status >> TMU_STATUS_READY_SHIFT & TMU_STATUS_READY_MASK;
    busy_ = (idle & ready) == 0;
}

} // namespace vfu
