// SPDX-License-Identifier: Apache-2.0
#include "unit.h"

#include <cstring>
#include <dlfcn.h>

namespace vfu {

namespace {
// A unit that takes no doorbell for so long will take none.
constexpr unsigned kDoorbellClocksMax = 100000;
} // namespace

template <class Function> void Unit::find(const char *name, Function &function) {
    void *symbol = ::dlsym(library_, name);
    if (symbol == nullptr) {
        throw UnitFailure(std::string("is no simulated device: it has no function ") + name);
    }
    std::memcpy(&function, &symbol, sizeof symbol); // ISO C++ has no cast for it
}

void Unit::load(const std::string &path) {
    library_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        throw UnitFailure(std::string("cannot be loaded: ") + ::dlerror());
    }
    find("tmu_sim_open", open_);
    find("tmu_sim_close", close_);
    find("tmu_sim_read32", read_);
    find("tmu_sim_write32", write_);
    find("tmu_sim_doorbell", doorbell_);
    find("tmu_sim_doorbell_read", doorbell_read_);
    find("tmu_sim_memory_map", map_);
    find("tmu_sim_memory_unmap", unmap_);
    find("tmu_sim_listen", listen_);
    find("tmu_sim_reset", reset_);
    find("tmu_sim_progress", progress_);
    find("tmu_sim_wave", wave_);
    find("tmu_sim_clock", clock_);
    find("tmu_sim_error", error_);
}

Unit::Unit(const std::string &library) {
    const size_t question = library.find('?');
    const std::string path = library.substr(0, question);
    const std::string options = question == std::string::npos ? "" : library.substr(question + 1);
    std::string problem;
    try {
        load(path);
        char error[200] = "";
        sim_ = open_(options.c_str(), error, sizeof error);
        if (sim_ == nullptr) {
            problem = "does not start with options '" + options + "': " + error;
        }
    } catch (const UnitFailure &failure) {
        problem = failure.what();
    }
    if (problem.empty()) {
        return;
    }
    if (library_ != nullptr) {
        (void)::dlclose(library_);
    }
    throw UnitFailure("'" + path + "' " + problem);
}

Unit::~Unit() {
    close_(sim_);
    (void)::dlclose(library_);
}

void Unit::fail() const {
    throw UnitFailure("simulated hardware, clock " + std::to_string(clock()) + ": " + error_(sim_));
}

bool Unit::read(uint32_t offset, uint32_t &value) {
    const int answer = read_(sim_, offset, &value);
    if (answer < 0) {
        fail();
    }
    return answer == 0;
}

bool Unit::write(uint32_t offset, uint32_t value) {
    const int answer = write_(sim_, offset, value);
    if (answer < 0) {
        fail();
    }
    return answer == 0;
}

void Unit::doorbell(uint64_t offset, const void *data, size_t size) {
    for (unsigned clocks = 0; clocks < kDoorbellClocksMax; ++clocks) {
        const int answer = doorbell_(sim_, offset, data, size);
        if (answer < 0) {
            fail();
        }
        if (answer == 0) {
            return;
        }
        (void)run(1);
    }
    throw UnitFailure("simulated hardware: took no doorbell in " +
                      std::to_string(kDoorbellClocksMax) + " clocks");
}

bool Unit::doorbell_read(uint64_t offset, uint64_t &value) {
    const int answer = doorbell_read_(sim_, offset, &value);
    if (answer < 0) {
        fail();
    }
    return answer == 0;
}

unsigned Unit::run(unsigned clocks) {
    const int ran = progress_(sim_, clocks);
    if (ran < 0) {
        fail();
    }
    return static_cast<unsigned>(ran);
}

void Unit::reset() {
    if (reset_(sim_) < 0) {
        fail();
    }
}

bool Unit::map(void *memory, size_t bytes, uint64_t address, unsigned access) {
    return map_(sim_, memory, bytes, address, access) == 0;
}

} // namespace vfu
