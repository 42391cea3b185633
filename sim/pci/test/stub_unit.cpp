// SPDX-License-Identifier: Apache-2.0
// A library with the interface of sim/device/tmu_sim.h and next to nothing behind it, for tests of
// the process around it: registers are memory, and every command is its own completion.
// Options: `refuse` does not start; `die` fails with the first command.
#include "tmu/tmu_regs.h"
#include "tmu_sim.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <string>

namespace {

constexpr uint32_t kQueues = 3;
constexpr uint32_t kRegistersEnd = 0x800; // what lies behind is answered with an error
constexpr unsigned kRecordBytes = 64;

using Record = std::array<uint8_t, kRecordBytes>;

struct Region {
    uint8_t *memory;
    size_t bytes;
    unsigned access;
};

} // namespace

struct tmu_sim {
    bool dies = false;
    bool dead = false;
    uint64_t clock = 0;
    uint64_t produced = 0;
    std::array<uint32_t, kRegistersEnd / 4> registers{};
    std::deque<Record> waiting;
    std::map<uint64_t, Region> regions;
    tmu_sim_written_fn written = nullptr;
    void *user = nullptr;

    void power_up() {
        registers.fill(0);
        registers[TMU_REG_MAGIC / 4] = TMU_MAGIC;
        registers[TMU_REG_QUEUES / 4] = kQueues;
        registers[TMU_REG_PRESET / 4] = 1;
        registers[TMU_REG_STATUS / 4] = 1u << TMU_STATUS_READY_SHIFT | 1u << TMU_STATUS_IDLE_SHIFT;
        waiting.clear();
        produced = 0;
    }

    uint8_t *find(uint64_t address) {
        auto region = regions.upper_bound(address);
        if (region == regions.begin()) {
            return nullptr;
        }
        --region;
        const uint64_t offset = address - region->first;
        const bool there =
            offset + kRecordBytes <= region->second.bytes && (region->second.access & 2) != 0;
        return there ? region->second.memory + offset : nullptr;
    }

    // Rings of 16 records, whatever is asked for.
    void complete() {
        const uint64_t base = uint64_t{registers[TMU_REG_RING_BASE_HI / 4]} << 32 |
                              registers[TMU_REG_RING_BASE_LO / 4];
        const uint64_t address = base + produced++ % 16 * kRecordBytes;
        uint8_t *target = find(address);
        if (target != nullptr) {
            std::memcpy(target, waiting.front().data(), kRecordBytes);
        }
        waiting.pop_front();
        if (written != nullptr) {
            written(user, address, target != nullptr ? 1 : 0);
        }
    }
};

tmu_sim_t *tmu_sim_open(const char *options, char *error, size_t error_size) {
    if (std::strcmp(options, "refuse") == 0) {
        (void)std::snprintf(error, error_size, "told to refuse");
        return nullptr;
    }
    auto *sim = new tmu_sim;
    sim->dies = std::strcmp(options, "die") == 0;
    sim->power_up();
    return sim;
}

void tmu_sim_close(tmu_sim_t *sim) { delete sim; }

int tmu_sim_read32(tmu_sim_t *sim, uint32_t offset, uint32_t *value_p) {
    sim->clock += 4;
    if (sim->dead || offset >= kRegistersEnd) {
        return sim->dead ? -1 : 1;
    }
    *value_p = sim->registers[offset / 4];
    return 0;
}

int tmu_sim_write32(tmu_sim_t *sim, uint32_t offset, uint32_t value) {
    sim->clock += 4;
    if (sim->dead || offset >= kRegistersEnd) {
        return sim->dead ? -1 : 1;
    }
    sim->registers[offset / 4] = value;
    return 0;
}

int tmu_sim_doorbell(tmu_sim_t *sim, uint64_t, const void *data, size_t size) {
    if (sim->waiting.size() >= 2) {
        return 1;
    }
    Record record{};
    std::memcpy(record.data(), data, size);
    if (size == kRecordBytes) {
        sim->waiting.push_back(record);
    }
    return 0;
}

// Nothing is readable but the offset of the snapshot's number.
int tmu_sim_doorbell_read(tmu_sim_t *, uint64_t offset, uint64_t *value_p) {
    if (offset % TMU_DOORBELL_PAGE_BYTES != TMU_DOORBELL_PICTURE_OFFSET) {
        return 1;
    }
    *value_p = 0x1122334455667788;
    return 0;
}

int tmu_sim_memory_map(tmu_sim_t *sim, void *memory, size_t bytes, uint64_t bus_address,
                       unsigned access) {
    sim->regions[bus_address] = Region{static_cast<uint8_t *>(memory), bytes, access};
    return 0;
}

void tmu_sim_memory_unmap(tmu_sim_t *sim, uint64_t bus_address) { sim->regions.erase(bus_address); }

void tmu_sim_listen(tmu_sim_t *sim, tmu_sim_written_fn written, void *user) {
    sim->written = written;
    sim->user = user;
}

int tmu_sim_reset(tmu_sim_t *sim) {
    sim->power_up();
    return sim->dead ? -1 : 0;
}

int tmu_sim_progress(tmu_sim_t *sim, unsigned max_clocks) {
    if (sim->dead || (sim->dies && !sim->waiting.empty())) {
        sim->dead = true;
        return -1;
    }
    if (sim->waiting.empty() || max_clocks == 0) {
        sim->clock += max_clocks;
        return static_cast<int>(max_clocks);
    }
    sim->complete();
    ++sim->clock;
    return 1;
}

int tmu_sim_wave(tmu_sim_t *) { return -1; }

uint64_t tmu_sim_clock(const tmu_sim_t *sim) { return sim->clock; }

const char *tmu_sim_error(const tmu_sim_t *sim) { return sim->dead ? "assertion failed" : ""; }
