// SPDX-License-Identifier: Apache-2.0
#include "config_space.h"

#include "tmu/tmu_pci.h"

#include <cstring>
#include <linux/pci_regs.h>

namespace vfu {

namespace {
// The MSI-X capability.
constexpr size_t kMsix = 0x40;
constexpr uint16_t kMsixEnableAndMask = PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL;
// The PCI Express capability; an endpoint without one has no reset of its own.
constexpr size_t kExpress = 0x50;
constexpr uint16_t kExpressVersion = 2; // and an endpoint
constexpr size_t kDeviceCapabilities = kExpress + PCI_EXP_DEVCAP;
constexpr size_t kDeviceControl = kExpress + PCI_EXP_DEVCTL;
constexpr uint16_t kDeviceControlWritable =
    0x79ff;                            // errors to report, sizes and orders of requests
constexpr uint8_t kInitiateFlr = 0x80; // of the upper byte; reads as 0
constexpr size_t kLinkCapabilities = kExpress + PCI_EXP_LNKCAP;
constexpr size_t kLinkStatus = kExpress + PCI_EXP_LNKSTA;
constexpr uint16_t kLinkSlowest = 0x11; // one lane of the first generation
} // namespace

void ConfigSpace::put(size_t offset, size_t count, uint64_t value) {
    std::memcpy(bytes_.data() + offset, &value, count);
}

void ConfigSpace::allow(size_t offset, size_t count, uint64_t mask) {
    std::memcpy(writable_.data() + offset, &mask, count);
}

void ConfigSpace::window(unsigned number, uint64_t bytes) {
    const size_t offset = PCI_BASE_ADDRESS_0 + 4 * number;
    put(offset, 8, PCI_BASE_ADDRESS_MEM_TYPE_64);
    allow(offset, 8, ~(bytes - 1));
}

ConfigSpace::ConfigSpace(const Shape &shape) {
    put(PCI_VENDOR_ID, 2, TMU_PCI_VENDOR);
    put(PCI_DEVICE_ID, 2, TMU_PCI_DEVICE);
    allow(PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE);
    put(PCI_STATUS, 2, PCI_STATUS_CAP_LIST);
    put(PCI_REVISION_ID, 1, TMU_PCI_REVISION);
    put(PCI_CLASS_PROG, 3, TMU_PCI_CLASS);
    allow(PCI_CACHE_LINE_SIZE, 1, 0xff);
    window(TMU_PCI_BAR_REGISTERS, shape.registers);
    window(TMU_PCI_BAR_DOORBELLS, shape.doorbells);
    window(TMU_PCI_BAR_MSIX, shape.msix);
    put(PCI_SUBSYSTEM_VENDOR_ID, 2, TMU_PCI_VENDOR);
    put(PCI_SUBSYSTEM_ID, 2, TMU_PCI_DEVICE);
    put(PCI_CAPABILITY_LIST, 1, kMsix);
    allow(PCI_INTERRUPT_LINE, 1, 0xff);
    put(kMsix, 1, PCI_CAP_ID_MSIX);
    put(kMsix + 1, 1, kExpress);
    put(kMsix + 2, 2, shape.vectors - 1);
    allow(kMsix + 2, 2, kMsixEnableAndMask);
    put(kMsix + 4, 4, TMU_PCI_BAR_MSIX);
    put(kMsix + 8, 4, shape.msix / 2 | TMU_PCI_BAR_MSIX);
    put(kExpress, 1, PCI_CAP_ID_EXP);
    put(kExpress + 2, 2, kExpressVersion);
    put(kDeviceCapabilities, 4, PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR);
    allow(kDeviceControl, 2, kDeviceControlWritable);
    put(kLinkCapabilities, 4, kLinkSlowest);
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
           (data[control - offset] & kInitiateFlr) != 0;
}

bool ConfigSpace::bus_master() const { return (bytes_[PCI_COMMAND] & PCI_COMMAND_MASTER) != 0; }

} // namespace vfu
