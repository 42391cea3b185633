// SPDX-License-Identifier: Apache-2.0
// A device around the stub unit and a client that has agreed on a version with it.
#pragma once

#include "client.h"
#include "expect.h"
#include "session.h"
#include "tmu/tmu_pci.h"
#include "tmu/tmu_regs.h"

#include <memory>

inline const char *stub_library;

inline vfu_version_t version(unsigned major, unsigned minor) {
    return {static_cast<uint16_t>(major), static_cast<uint16_t>(minor)};
}

inline std::vector<uint8_t> text(const std::string &characters) {
    const auto *first = reinterpret_cast<const uint8_t *>(characters.c_str());
    return {first, first + characters.size() + 1};
}

struct Bench {
    explicit Bench(bool agreed = true) : device(stub_library) {
        connect();
        if (agreed) {
            EXPECT_NUMBER(ask(VFU_VERSION, bytes_of(version(0, 1))).error(), 0);
            const uint16_t master = 4;
            EXPECT_NUMBER(write(VFU_REGION_CONFIG, 4, &master, sizeof master), 0);
        }
    }

    void connect() {
        int ends[2] = {-1, -1};
        (void)::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
        client = std::make_unique<Client>(ends[0]);
        session =
            std::make_unique<vfu::Session>(vfu::Channel(vfu::Descriptor(ends[1])), device, counts);
    }

    Reply ask(uint16_t command, const std::vector<uint8_t> &payload,
              const std::vector<int> &files = {}, uint32_t flags = 0) {
        client->send(command, payload, files, flags);
        alive = session->serve();
        return client->receive();
    }

    int write(uint32_t region, uint64_t offset, const void *data, uint32_t count) {
        const auto *first = static_cast<const uint8_t *>(data);
        const vfu_access_t access{offset, region, count};
        return ask(VFU_REGION_WRITE, bytes_of(access) + std::vector<uint8_t>(first, first + count))
            .error();
    }

    int write32(uint32_t offset, uint32_t value) {
        return write(TMU_PCI_BAR_REGISTERS, offset, &value, sizeof value);
    }

    Reply read(uint32_t region, uint64_t offset, uint32_t count) {
        return ask(VFU_REGION_READ, bytes_of(vfu_access_t{offset, region, count}));
    }

    int map(uint64_t address, uint64_t size, const std::vector<int> &files, uint64_t offset = 0,
            uint32_t flags = VFU_MAY_READ | VFU_MAY_WRITE) {
        return ask(VFU_DMA_MAP, bytes_of(vfu_dma_map_t{32, flags, offset, address, size}), files)
            .error();
    }

    int unmap(uint64_t address, uint64_t size) {
        return ask(VFU_DMA_UNMAP, bytes_of(vfu_dma_unmap_t{24, 0, address, size})).error();
    }

    // A ring of page 2 at this bus address; the stub writes there whatever comes.
    void ring(uint64_t address) {
        EXPECT_NUMBER(write32(TMU_REG_PAGE_SELECT, 2), 0);
        EXPECT_NUMBER(write32(TMU_REG_RING_BASE_LO, static_cast<uint32_t>(address)), 0);
        EXPECT_NUMBER(write32(TMU_REG_RING_BASE_HI, static_cast<uint32_t>(address >> 32)), 0);
        EXPECT_NUMBER(write32(TMU_REG_RING_CONFIG, 4u << TMU_RING_CONFIG_LOG2_SHIFT |
                                                       1u << TMU_RING_CONFIG_ENABLE_SHIFT),
                      0);
        EXPECT_NUMBER(write32(TMU_REG_PAGE_COMMIT, 1), 0);
    }

    // A command of page 2 whose bytes are all the same, and its completion.
    void command(uint8_t value) {
        const std::vector<uint8_t> bytes(64, value);
        EXPECT_NUMBER(write(TMU_PCI_BAR_DOORBELLS, 2 * TMU_DOORBELL_PAGE_BYTES, bytes.data(), 64),
                      0);
        device.step();
    }

    vfu::Device device;
    vfu::SessionCounts counts;
    std::unique_ptr<vfu::Session> session;
    std::unique_ptr<Client> client;
    bool alive = true;
};
