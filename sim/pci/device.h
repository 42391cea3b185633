// SPDX-License-Identifier: Apache-2.0
// The unit as a PCI device: what each region does, and when the unit has to run.
#pragma once

#include "combiner.h"
#include "config_space.h"
#include "dma_map.h"
#include "interrupts.h"
#include "rings.h"
#include "unit.h"

#include <cstdint>
#include <vector>

namespace vfu {

struct DeviceCounts {
    uint64_t register_reads = 0;
    uint64_t register_writes = 0;
    uint64_t register_errors = 0;
    uint64_t page_reads = 0;
    uint64_t page_reads_empty = 0; // of the pages, where they show nothing
    uint64_t commands = 0;
    uint64_t completions = 0;
    uint64_t completions_refused = 0; // no memory was there
    uint64_t clocks_on_demand = 0;    // that a client waited for
    uint64_t resets = 0;
};

class Device {
  public:
    explicit Device(const std::string &library);

    // Bytes of a region; 0 for one that is not there.
    uint64_t region_bytes(uint32_t region) const;
    uint32_t region_flags(uint32_t region) const;

    // 0, or what is wrong as an errno value.
    int read(uint32_t region, uint64_t offset, uint32_t count, uint8_t *data);
    int write(uint32_t region, uint64_t offset, uint32_t count, const uint8_t *data);

    // As after power-up, but for memory that is mapped and eventfds.
    void reset();
    // Nothing is left of the client either.
    void release();

    // Whether there is work, as far as is known, and a step of it.
    bool busy() const { return busy_; }
    void step();

    DmaMap &dma() { return dma_; }
    Interrupts &interrupts() { return interrupts_; }
    const DeviceCounts &counts() const { return counts_; }
    uint64_t lost_pieces() const { return combiner_.lost(); }
    uint64_t clock() const { return unit_.clock(); }
    int wave() { return unit_.wave(); }
    const char *preset() const;

  private:
    struct Shape {
        explicit Shape(Unit &unit);
        uint32_t preset;
        uint32_t pages;
        ConfigSpace::Shape windows;
    };
    static void written(void *user, uint64_t address, int stored);
    void wake();
    void clear_vectors();
    int register_access(uint64_t offset, uint32_t count, uint8_t *read, const uint8_t *write);
    int doorbell(uint64_t offset, uint32_t count, const uint8_t *data);
    int doorbell_read(uint64_t offset, uint32_t count, uint8_t *data);
    int time_read(uint64_t offset, uint32_t count, uint8_t *data);
    int time_write(uint64_t offset, uint32_t count, const uint8_t *data);

    Unit unit_;
    Shape shape_;
    ConfigSpace config_;
    std::vector<uint8_t> msix_;
    DmaMap dma_;
    Interrupts interrupts_;
    Rings rings_;
    Combiner combiner_;
    DeviceCounts counts_;
    bool busy_ = true;
    bool wrote_ = false; // since the last step
    bool news_ = false;  // a completion of which nobody who waits for time was told
    unsigned quiet_ = 0; // clocks without a completion
};

} // namespace vfu
