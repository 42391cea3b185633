// SPDX-License-Identifier: Apache-2.0
#include "sim_print.h" // before Verilator's header, which it redirects

#include "tmu_sim.h"

#include "axi_agents.h"
#include "network.h"
#include "sim_options.h"
#include "spill_memory.h"
#include "tmu/tmu_regs.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

namespace {

constexpr unsigned kRegisterClocksMax = 10000;
constexpr unsigned kResetClocks = 4;
constexpr size_t kAlignment = 4096;
constexpr int kTraceLevels = 99;
// When a card is closed: the time that its peers have, how long they may be silent meanwhile, and
// clocks between two looks at both.
constexpr std::chrono::seconds kLeave(5);
constexpr std::chrono::milliseconds kSilence(500);
constexpr unsigned kLeaveClocks = 256;

} // namespace

// State that the hardware does not reset starts at random: nothing may depend on it.
static VerilatedContext *prepared(VerilatedContext &context, uint64_t seed) {
    context.randReset(2);
    context.randSeed(static_cast<int>(1 + seed % 0x7ffffffe));
    return &context;
}

// The other ends of the unit's ports; made anew with every reset, as transfers under way are lost.
struct Ends {
    Ends(device::HostMemory &host, device::HostPort::Listener &listener,
         const device::AxiTiming &timing)
        : memory(host, listener), memory_port(memory), spill(host, timing), spill_port(spill) {}

    // Sentence about what the hardware must not do and did; empty if there is none.
    const std::string &problem() const {
        return memory.problem().empty() ? spill.problem() : memory.problem();
    }

    device::DoorbellAgent doorbells;
    device::HostPort memory;
    device::HostAgent memory_port;
    device::SpillMemory spill;
    device::SpillAgent spill_port;
};

struct tmu_sim {
    explicit tmu_sim(const device::Options &options)
        : top(prepared(context, options.seed)), pauses(options.pauses, options.seed, options.lulls),
          timing(options.memory) {}

    void reset();
    // One clock; false once an assertion has failed.
    bool cycle();
    int access();
    // End of a card's part in its network.
    void leave();
    // Looks for memory that a register write registers with the unit.
    void watch(uint32_t offset, uint32_t value);

    VerilatedContext context;
    device::Top top;
    device::Pauses pauses;
    device::HostMemory host;
    device::HostPort::Listener listener;
    device::AxiTiming timing;
    std::unique_ptr<Ends> ends;
    device::Network network;
    uint64_t spill_base = 0; // as the unit's registers have it
    uint64_t clock = 0;
    bool wrote = false;
    std::string error;
#if VM_TRACE
    std::unique_ptr<VerilatedFstC> wave;
    bool dumps = true; // the wave is being written

    void dump(uint64_t time) {
        if (wave && dumps) {
            wave->dump(time);
        }
    }
#endif
};

void tmu_sim::reset() {
    ends = std::make_unique<Ends>(host, listener, timing);
    network.reset();
    spill_base = 0;
    top.s_axil_awvalid = top.s_axil_wvalid = top.s_axil_arvalid = 0;
    top.s_axil_bready = top.s_axil_rready = 1;
    top.reset = 1;
    for (unsigned i = 0; i < kResetClocks; ++i) {
        cycle();
    }
    top.reset = 0;
}

bool tmu_sim::cycle() {
    if (context.gotError() || context.gotFinish()) {
        return false;
    }
    device::printed = &error;
    network.enter();
    pauses.clock();
    ends->doorbells.drive(top, pauses);
    ends->memory_port.drive(top, pauses);
    ends->spill_port.drive(top, pauses);
    network.drive(top, pauses);
    top.clock = 0;
    top.eval();
#if VM_TRACE
    dump(clock * TMU_SIM_WAVE_PS);
#endif
    const bool running = !top.reset;
    if (running) {
        ends->doorbells.sample(top);
        ends->memory_port.sample(top, pauses);
        wrote = ends->memory.take_wrote() || wrote;
        ends->spill_port.sample(top, pauses);
        network.sample(top);
    }
    top.clock = 1;
    top.eval();
#if VM_TRACE
    dump(clock * TMU_SIM_WAVE_PS + TMU_SIM_WAVE_PS / 2);
#endif
    ++clock;
    context.timeInc(2);
    device::printed = nullptr;
    if (!ends->problem().empty() || !network.problem().empty()) {
        error = ends->problem().empty() ? network.problem() : ends->problem();
        context.gotError(true); // it goes no further
    }
    return !context.gotError() && !context.gotFinish();
}

// Answers peers until they are silent, since an acknowledgement may have been lost.
void tmu_sim::leave() {
    using Time = std::chrono::steady_clock;
    const auto end = Time::now() + kLeave;
    auto heard = Time::now();
    while (network.is_busy() && Time::now() < end && Time::now() - heard < kSilence) {
        for (unsigned i = 0; i < kLeaveClocks; ++i) {
            if (!cycle()) {
                return;
            }
        }
        heard = network.take_moved() ? Time::now() : heard;
    }
    const std::string problem = network.close();
    if (!problem.empty()) {
        (void)std::fprintf(stderr, "tmu: %s\n", problem.c_str());
    }
}

void tmu_sim::watch(uint32_t offset, uint32_t value) {
    constexpr unsigned kWord = 32;
    constexpr uint64_t kLow = UINT32_MAX;
    if (offset == TMU_REG_SPILL_BASE_LO) {
        spill_base = (spill_base & ~kLow) | value;
    } else if (offset == TMU_REG_SPILL_BASE_HI) {
        spill_base = (spill_base & kLow) | uint64_t{value} << kWord;
    } else if (offset == TMU_REG_SPILL_COMMIT && (value >> TMU_SPILL_COMMIT_ADD_SHIFT & 1) != 0) {
        ends->spill.add_segment(spill_base);
    } else if (offset == TMU_REG_CONTROL && (value >> TMU_CONTROL_RESET_SHIFT & 1) != 0) {
        ends->spill.take_back();
        network.software_reset();
    }
}

// Runs until the register access that is offered has been answered.
int tmu_sim::access() {
    for (unsigned i = 0; i < kRegisterClocksMax; ++i) {
        // Transfers on this clock edge show before it: look with the inputs settled.
        top.clock = 0;
        top.eval();
        const bool written = top.s_axil_awvalid && top.s_axil_awready;
        const bool read = top.s_axil_arvalid && top.s_axil_arready;
        const bool answered = top.s_axil_bvalid || top.s_axil_rvalid;
        const int response = top.s_axil_bvalid ? top.s_axil_bresp : top.s_axil_rresp;
        if (!cycle()) {
            return -1;
        }
        if (written) {
            top.s_axil_awvalid = top.s_axil_wvalid = 0;
        }
        if (read) {
            top.s_axil_arvalid = 0;
        }
        if (answered) {
            return response == 0 ? 0 : 1;
        }
    }
    error = "a register access was not answered within " + std::to_string(kRegisterClocksMax) +
            " clocks";
    return -1;
}

tmu_sim_t *tmu_sim_open(const char *options_text, char *error, size_t error_size) {
    device::Options options;
    const std::string problem = device::parse(options_text, options);
    if (!problem.empty()) {
        std::snprintf(error, error_size, "%s", problem.c_str());
        return nullptr;
    }
    auto *sim = new tmu_sim(options);
    sim->context.fatalOnError(false);
    sim->context.assertOn(true);
#if VM_TRACE
    if (!options.wave.empty()) {
        sim->context.traceEverOn(true);
        sim->wave = std::make_unique<VerilatedFstC>();
        sim->top.trace(sim->wave.get(), kTraceLevels);
        sim->wave->open(options.wave.c_str());
        if (!sim->wave->isOpen()) {
            std::snprintf(error, error_size, "cannot write the waveform %s", options.wave.c_str());
            delete sim;
            return nullptr;
        }
        sim->dumps = !options.window;
    }
#endif
    const std::string refused = sim->network.open(options);
    if (!refused.empty()) {
        std::snprintf(error, error_size, "%s", refused.c_str());
        delete sim;
        return nullptr;
    }
    sim->reset();
    return sim;
}

void tmu_sim_close(tmu_sim_t *sim) {
    if (sim == nullptr) {
        return;
    }
    sim->leave();
    device::printed = &sim->error;
    sim->top.final();
#if VM_TRACE
    if (sim->wave) {
        sim->wave->close();
    }
#endif
    device::printed = nullptr;
    delete sim;
}

int tmu_sim_read32(tmu_sim_t *sim, uint32_t offset, uint32_t *value_p) {
    if (offset >= TMU_REGISTER_BYTES) {
        return 1; // no bus routes such an address to the unit
    }
    sim->top.s_axil_araddr = static_cast<uint16_t>(offset);
    sim->top.s_axil_arvalid = 1;
    const int result = sim->access();
    if (result == 0) {
        *value_p = sim->top.s_axil_rdata;
    }
    return result;
}

int tmu_sim_write32(tmu_sim_t *sim, uint32_t offset, uint32_t value) {
    if (offset >= TMU_REGISTER_BYTES) {
        return 1; // no bus routes such an address to the unit
    }
    sim->watch(offset, value);
    sim->top.s_axil_awaddr = static_cast<uint16_t>(offset);
    sim->top.s_axil_wdata = value;
    sim->top.s_axil_wstrb = 0xf;
    sim->top.s_axil_awvalid = 1;
    sim->top.s_axil_wvalid = 1;
    return sim->access();
}

int tmu_sim_doorbell(tmu_sim_t *sim, uint64_t offset, const void *data, size_t size) {
    if ((size != 4 && size != 64) || offset % size != 0) {
        sim->error = "a doorbell write has 4 or 64 bytes at a multiple of its size";
        return -1;
    }
    if (sim->ends->doorbells.full()) {
        return 1;
    }
    device::DoorbellAgent::Write write{offset, static_cast<unsigned>(size), {}};
    std::memcpy(write.data.data(), data, size);
    sim->ends->doorbells.push(write);
    return 0;
}

int tmu_sim_doorbell_read(tmu_sim_t *sim, uint64_t offset, uint64_t *value_p) {
    if (offset % sizeof *value_p != 0) {
        sim->error = "a doorbell page is read by 8 bytes at a multiple of 8";
        return -1;
    }
    int response = 0;
    sim->ends->doorbells.read(offset);
    for (unsigned i = 0; i < kRegisterClocksMax; ++i) {
        if (!sim->cycle()) {
            return -1;
        }
        if (sim->ends->doorbells.answered(*value_p, response)) {
            return response == 0 ? 0 : 1;
        }
    }
    sim->error =
        "a doorbell page was not read within " + std::to_string(kRegisterClocksMax) + " clocks";
    return -1;
}

void *tmu_sim_memory_alloc(tmu_sim_t *sim, size_t bytes, uint64_t *bus_address_p) {
    const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    void *memory = rounded == 0 ? nullptr : std::aligned_alloc(kAlignment, rounded);
    if (memory == nullptr) {
        sim->error = "no memory for " + std::to_string(bytes) + " bytes";
        return nullptr;
    }
    std::memset(memory, 0, rounded);
    *bus_address_p = reinterpret_cast<uintptr_t>(memory);
    sim->host.add(*bus_address_p, static_cast<uint8_t *>(memory), bytes);
    return memory;
}

void tmu_sim_memory_free(tmu_sim_t *sim, void *memory) {
    sim->host.remove(reinterpret_cast<uintptr_t>(memory)); // its bus address
    std::free(memory);
}

int tmu_sim_memory_map(tmu_sim_t *sim, void *memory, size_t bytes, uint64_t bus_address,
                       unsigned access) {
    return sim->host.add(bus_address, static_cast<uint8_t *>(memory), bytes, access) ? 0 : 1;
}

void tmu_sim_memory_unmap(tmu_sim_t *sim, uint64_t bus_address) { sim->host.remove(bus_address); }

void tmu_sim_listen(tmu_sim_t *sim, tmu_sim_written_fn written, void *user) {
    sim->listener = [written, user](uint64_t address, bool stored) {
        written(user, address, stored ? 1 : 0);
    };
}

int tmu_sim_reset(tmu_sim_t *sim) {
    sim->reset();
    return sim->error.empty() ? 0 : -1;
}

int tmu_sim_progress(tmu_sim_t *sim, unsigned max_clocks) {
    sim->wrote = false;
    unsigned ran = 0;
    while (ran < max_clocks && !sim->wrote) {
        if (!sim->cycle()) {
            return -1;
        }
        ++ran;
    }
    return static_cast<int>(ran);
}

int tmu_sim_wave(tmu_sim_t *sim) {
#if VM_TRACE
    if (sim->wave) {
        sim->dumps = !sim->dumps;
        sim->wave->flush();
        return sim->dumps ? 1 : 0;
    }
#endif
    (void)sim;
    return -1;
}

uint64_t tmu_sim_clock(const tmu_sim_t *sim) { return sim->clock; }

const char *tmu_sim_error(const tmu_sim_t *sim) { return sim->error.c_str(); }
