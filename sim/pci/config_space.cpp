// SPDX-License-Identifier: Apache-2.0
#include "config_space.h"

#include "tmu/tmu_pci.h"

#include <cstring>

namespace vfu {

namespace {
// Offsets, and bits, of PCI's header of type 0.
constexpr size_t kVendor = 0x00;
constexpr size_t kDevice = 0x02;
constexpr size_t kCommand = 0x04;
constexpr uint16_t kCommandMemory = 0x2;
constexpr uint16_t kCommandMaster = 0x4;
constexpr uint16_t kCommandNoIntx = 0x400;
constexpr size_t kStatus = 0x06;
constexpr uint16_t kStatusCapabilities = 0x10;
constexpr size_t kRevision = 0x08;
constexpr size_t kClass = 0x09;
constexpr size_t kCacheLine = 0x0c;
constexpr size_t kWindows = 0x10;
constexpr uint64_t kWindow64Bits = 0x4;
constexpr size_t kSubsystemVendor = 0x2c;
constexpr size_t kSubsystem = 0x2e;
constexpr size_t kCapabilities = 0x34;
constexpr size_t kInterruptLine = 0x3c;
// The MSI-X capability.
constexpr size_t kMsix = 0x40;
constexpr uint8_t kMsixId = 0x11;
constexpr uint16_t kMsixEnableAndMask = 0xc000;
// The PCI Express capability; an endpoint without one has no reset of its own.
constexpr size_t kExpress = 0x50;
constexpr uint8_t kExpressId = 0x10;
constexpr uint16_t kExpressVersion = 2; // and an endpoint
constexpr size_t kDeviceAbilities = kExpress + 4;
constexpr uint32_t kErrorsByRole = 0x8000;
constexpr uint32_t kFunctionReset = 0x10000000;
constexpr size_t kDeviceControl = kExpress + 8;
constexpr uint16_t kDeviceControlMay = 0x79ff; // errors to report, sizes and orders of requests
constexpr uint8_t kStartReset = 0x80;          // of the upper byte; reads as 0
constexpr size_t kLinkAbilities = kExpress + 12;
constexpr size_t kLinkStatus = kExpress + 18;
constexpr uint16_t kLinkSlowest = 0x11; // one lane of the first generation
} // namespace

void ConfigSpace::put(size_t offset, size_t count, uint64_t value) {
    std::memcpy(bytes_.data() + offset, &value, count);
}

void ConfigSpace::allow(size_t offset, size_t count, uint64_t mask) {
    std::memcpy(writable_.data() + offset, &mask, count);
}

void ConfigSpace::window(unsigned number, uint64_t bytes) {
    const size_t offset = kWindows + 4 * number;
    put(offset, 8, kWindow64Bits);
    allow(offset, 8, ~(bytes - 1));
}

ConfigSpace::ConfigSpace(const Shape &shape) {
    put(kVendor, 2, TMU_PCI_VENDOR);
    put(kDevice, 2, TMU_PCI_DEVICE);
    allow(kCommand, 2, kCommandMemory | kCommandMaster | kCommandNoIntx);
    put(kStatus, 2, kStatusCapabilities);
    put(kRevision, 1, TMU_PCI_REVISION);
    put(kClass, 3, TMU_PCI_CLASS);
    allow(kCacheLine, 1, 0xff);
    window(TMU_PCI_BAR_REGISTERS, shape.registers);
    window(TMU_PCI_BAR_DOORBELLS, shape.doorbells);
    window(TMU_PCI_BAR_MSIX, shape.msix);
    put(kSubsystemVendor, 2, TMU_PCI_VENDOR);
    put(kSubsystem, 2, TMU_PCI_DEVICE);
    put(kCapabilities, 1, kMsix);
    allow(kInterruptLine, 1, 0xff);
    put(kMsix, 1, kMsixId);
    put(kMsix + 1, 1, kExpress);
    put(kMsix + 2, 2, shape.vectors - 1);
    allow(kMsix + 2, 2, kMsixEnableAndMask);
    put(kMsix + 4, 4, TMU_PCI_BAR_MSIX);
    put(kMsix + 8, 4, shape.msix / 2 | TMU_PCI_BAR_MSIX);
    put(kExpress, 1, kExpressId);
    put(kExpress + 2, 2, kExpressVersion);
    put(kDeviceAbilities, 4, kErrorsByRole | kFunctionReset);
    allow(kDeviceControl, 2, kDeviceControlMay);
    put(kLinkAbilities, 4, kLinkSlowest);
    put(kLinkStatus, 2, kLinkSlowest);
}

void ConfigSpace::reset() {
    for (size_t i = 0; i < kBytes; ++i) {
        bytes_[i] = static_cast<uint8_t>(bytes_[i] & ~writable_[i]);
    }
}

void ConfigSpace::read(size_t offset, size_t count, uint8_t *data) const {
    std::memcpy(data, bytes_.data() + offset, count);
}

bool ConfigSpace::write(size_t offset, size_t count, const uint8_t *data) {
    for (size_t i = 0; i < count; ++i) {
        const uint8_t mask = writable_[offset + i];
        uint8_t &byte = bytes_[offset + i];
        byte = static_cast<uint8_t>((byte & ~mask) | (data[i] & mask));
    }
    const size_t control = kDeviceControl + 1;
    return offset <= control && control < offset + count &&
           (data[control - offset] & kStartReset) != 0;
}

bool ConfigSpace::bus_master() const { return (bytes_[kCommand] & kCommandMaster) != 0; }

} // namespace vfu
