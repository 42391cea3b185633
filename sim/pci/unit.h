// SPDX-License-Identifier: Apache-2.0
// The simulated unit: a library with the interface of sim/device/tmu_sim.h, loaded by name.
#pragma once

#include "tmu_sim.h"

#include <stdexcept>
#include <string>

namespace vfu {

// The hardware is dead, or there is none: nothing goes on.
struct UnitFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class Unit {
  public:
    // `library` is LIBRARY[?options], as behind `sim:` in a URI.
    explicit Unit(const std::string &library);
    ~Unit();
    Unit(const Unit &) = delete;
    Unit &operator=(const Unit &) = delete;

    // False where the unit answers with an error.
    bool read(uint32_t offset, uint32_t &value);
    bool write(uint32_t offset, uint32_t value);
    // Runs the unit until it has room for the write.
    void doorbell(uint64_t offset, const void *data, size_t size);
    // 8 bytes of a page; false where the unit answers with an error.
    bool doorbell_read(uint64_t offset, uint64_t &value);
    // Clocks run: until a completion was written, at most so many.
    unsigned run(unsigned clocks);
    void reset();
    // Pauses the waveform, or has it go on: 1 when it does now, 0 when not, -1 where there is none.
    int wave() { return wave_(sim_); }
    uint64_t clock() const { return clock_(sim_); }

    // False where some of it is mapped already.
    bool map(void *memory, size_t bytes, uint64_t address, unsigned access);
    void unmap(uint64_t address) { unmap_(sim_, address); }
    void listen(tmu_sim_written_fn written, void *user) { listen_(sim_, written, user); }

  private:
    template <class Function> void find(const char *name, Function &function);
    [[noreturn]] void fail() const;
    void load(const std::string &path);

    void *library_ = nullptr;
    tmu_sim_t *sim_ = nullptr;
    decltype(&tmu_sim_open) open_ = nullptr;
    decltype(&tmu_sim_close) close_ = nullptr;
    decltype(&tmu_sim_read32) read_ = nullptr;
    decltype(&tmu_sim_write32) write_ = nullptr;
    decltype(&tmu_sim_doorbell) doorbell_ = nullptr;
    decltype(&tmu_sim_doorbell_read) doorbell_read_ = nullptr;
    decltype(&tmu_sim_memory_map) map_ = nullptr;
    decltype(&tmu_sim_memory_unmap) unmap_ = nullptr;
    decltype(&tmu_sim_listen) listen_ = nullptr;
    decltype(&tmu_sim_reset) reset_ = nullptr;
    decltype(&tmu_sim_progress) progress_ = nullptr;
    decltype(&tmu_sim_wave) wave_ = nullptr;
    decltype(&tmu_sim_clock) clock_ = nullptr;
    decltype(&tmu_sim_error) error_ = nullptr;
};

} // namespace vfu
