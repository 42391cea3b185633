// SPDX-License-Identifier: Apache-2.0
// Parts of the device process, each alone.
#include "combiner.h"
#include "config_space.h"
#include "expect.h"
#include "rings.h"
#include "tmu/tmu_pci.h"
#include "tmu/tmu_regs.h"

#include <string>
#include <vector>

namespace {

constexpr vfu::ConfigSpace::Shape kShape{4096, 65536, 8192, 65};

uint64_t config(const vfu::ConfigSpace &space, size_t offset, size_t count) {
    uint64_t value = 0;
    space.read(offset, count, reinterpret_cast<uint8_t *>(&value));
    return value;
}

void set(vfu::ConfigSpace &space, size_t offset, size_t count, uint64_t value) {
    space.write(offset, count, reinterpret_cast<const uint8_t *>(&value));
}

void the_function_says_who_it_is() {
    const vfu::ConfigSpace space(kShape);
    EXPECT_NUMBER(config(space, 0x00, 2), TMU_PCI_VENDOR);
    EXPECT_NUMBER(config(space, 0x02, 2), TMU_PCI_DEVICE);
    EXPECT_NUMBER(config(space, 0x08, 4), TMU_PCI_CLASS << 8 | TMU_PCI_REVISION);
    EXPECT_NUMBER(config(space, 0x0e, 1), 0);      // one function, type 0
    EXPECT_NUMBER(config(space, 0x3d, 1), 0);      // no interrupt pin
    EXPECT_NUMBER(config(space, 0x06, 2), 0x10);   // it has capabilities
    EXPECT_NUMBER(config(space, 0x34, 1), 0x40);   // the first one
    EXPECT_NUMBER(config(space, 0x40, 2), 0x5011); // MSI-X, and where the next one is
    EXPECT_NUMBER(config(space, 0x42, 2), 64);     // vectors less one
    EXPECT_NUMBER(config(space, 0x44, 4), TMU_PCI_BAR_MSIX);
    EXPECT_NUMBER(config(space, 0x48, 4), 4096 + TMU_PCI_BAR_MSIX);
    EXPECT_NUMBER(config(space, 0x50, 4), 0x00020010);   // an endpoint of PCI Express, the last
    EXPECT_NUMBER(config(space, 0x54, 4) >> 28, 1);      // it can be reset
    EXPECT_NUMBER(config(space, 0x5c, 4) & 0x3ff, 0x11); // a link that makes sense
    EXPECT_NUMBER(config(space, 0x62, 2), 0x11);
}

void a_reset_is_asked_for_by_one_bit() {
    vfu::ConfigSpace space(kShape);
    const uint8_t control[2] = {0x10, 0x28};
    const uint8_t reset[4] = {0, 0, 0, 0xa8};
    EXPECT(!space.write(0x58, 2, control));
    EXPECT_NUMBER(config(space, 0x58, 2), 0x2810);
    EXPECT(space.write(0x59, 1, reset + 3));
    EXPECT(space.write(0x56, 4, reset));
    EXPECT(!space.write(0x55, 4, reset));          // the lower byte alone
    EXPECT_NUMBER(config(space, 0x58, 2), 0x28a8); // the bit itself reads as 0
}

void windows_tell_their_size() {
    vfu::ConfigSpace space(kShape);
    set(space, 0x10, 8, ~0ull);
    set(space, 0x18, 8, ~0ull);
    set(space, 0x20, 8, ~0ull);
    EXPECT_NUMBER(config(space, 0x10, 8), ~0ull << 12 | 4); // 64 bits wide
    EXPECT_NUMBER(config(space, 0x18, 8), ~0ull << 16 | 4);
    EXPECT_NUMBER(config(space, 0x20, 8), ~0ull << 13 | 4);
    space.reset();
    EXPECT_NUMBER(config(space, 0x10, 8), 4);
}

void software_changes_only_what_it_may() {
    vfu::ConfigSpace space(kShape);
    EXPECT(!space.bus_master());
    const std::vector<uint8_t> ones(vfu::ConfigSpace::kBytes, 0xff);
    space.write(0, ones.size(), ones.data());
    EXPECT(space.bus_master());
    EXPECT_NUMBER(config(space, 0x00, 4), TMU_PCI_DEVICE << 16 | TMU_PCI_VENDOR);
    EXPECT_NUMBER(config(space, 0x04, 2), 0x0406);
    EXPECT_NUMBER(config(space, 0x42, 2), 0xc040);
    EXPECT_NUMBER(config(space, 0x48, 4), 4096 + TMU_PCI_BAR_MSIX);
    space.reset();
    EXPECT(!space.bus_master());
    EXPECT_NUMBER(config(space, 0x42, 2), 64);
}

void pieces_make_a_command() {
    vfu::Combiner combiner;
    vfu::Combiner::Command command{};
    for (unsigned i = 0; i < command.size(); ++i) {
        command[i] = static_cast<uint8_t>(i + 1);
    }
    const vfu::Combiner::Command *whole = nullptr;
    for (unsigned i = 0; i < 64; i += 8) {
        EXPECT(whole == nullptr);
        // Another page's command at the same time does not disturb it.
        EXPECT(i == 56 || combiner.add(TMU_DOORBELL_PAGE_BYTES + i, command.data(), 8) == nullptr);
        whole = combiner.add(128 + (i + 8) % 64, command.data() + (i + 8) % 64, 8);
    }
    EXPECT(whole != nullptr && *whole == command);
    EXPECT_NUMBER(combiner.lost(), 0);
}

void incomplete_commands_are_counted() {
    vfu::Combiner combiner;
    const uint8_t piece[8] = {};
    EXPECT(combiner.add(0, piece, 8) == nullptr);
    EXPECT(combiner.add(64, piece, 8) == nullptr); // another command: the first is lost
    EXPECT_NUMBER(combiner.lost(), 1);
    EXPECT(combiner.add(64, piece, 4) == nullptr); // the same bytes again
    EXPECT_NUMBER(combiner.lost(), 2);
    for (uint64_t i = 4; i < 60; i += 4) {
        EXPECT(combiner.add(64 + i, piece, 4) == nullptr);
    }
    EXPECT(combiner.add(64 + 60, piece, 4) != nullptr);
    EXPECT_NUMBER(combiner.lost(), 2);
}

void configure(vfu::Rings &rings, uint32_t page, uint64_t base, uint32_t log2, bool enable) {
    rings.write(TMU_REG_PAGE_SELECT, page);
    rings.write(TMU_REG_RING_BASE_LO, static_cast<uint32_t>(base));
    rings.write(TMU_REG_RING_BASE_HI, static_cast<uint32_t>(base >> 32));
    rings.write(TMU_REG_RING_CONFIG, log2 << TMU_RING_CONFIG_LOG2_SHIFT |
                                         (enable ? 1u : 0u) << TMU_RING_CONFIG_ENABLE_SHIFT);
    rings.write(TMU_REG_PAGE_COMMIT, 1u << TMU_PAGE_COMMIT_COMMIT_SHIFT);
}

using Pages = std::vector<uint32_t>;

void a_completion_finds_its_page() {
    vfu::Rings rings;
    configure(rings, 7, 0x7f0000001000, 4, true);
    configure(rings, 9, 0x7f0000001400, 5, true);
    EXPECT(rings.pages(0x7f0000000fff).empty());
    EXPECT(rings.pages(0x7f0000001000) == Pages{7});
    EXPECT(rings.pages(0x7f00000013c0) == Pages{7});
    EXPECT(rings.pages(0x7f0000001400) == Pages{9});
    EXPECT(rings.pages(0x7f0000001bc0) == Pages{9});
    EXPECT(rings.pages(0x7f0000001c00).empty());
    configure(rings, 7, 0x7f0000001000, 4, false);
    EXPECT(rings.pages(0x7f0000001000).empty());
    configure(rings, 9, 0x10000, 4, true); // it moves
    EXPECT(rings.pages(0x7f0000001400).empty());
    EXPECT(rings.pages(0x10000) == Pages{9});
    rings.write(TMU_REG_CONTROL, 1u << TMU_CONTROL_RESET_SHIFT);
    EXPECT(rings.pages(0x10000).empty());
}

void pages_of_one_ring_are_all_told() {
    vfu::Rings rings;
    configure(rings, 1, 0x2000, 4, true);
    configure(rings, 2, 0x2000, 5, true);
    EXPECT(rings.pages(0x2000) == (Pages{1, 2}));
    EXPECT(rings.pages(0x2400) == Pages{2}); // behind the shorter one
    configure(rings, 2, 0x2000, 5, false);
    EXPECT(rings.pages(0x2000) == Pages{1}); // which it was before as well
    configure(rings, 1, 0x2000, 4, false);
    EXPECT(rings.pages(0x2000).empty());
}

} // namespace

int main() {
    RUN(the_function_says_who_it_is);
    RUN(a_reset_is_asked_for_by_one_bit);
    RUN(windows_tell_their_size);
    RUN(software_changes_only_what_it_may);
    RUN(pieces_make_a_command);
    RUN(incomplete_commands_are_counted);
    RUN(a_completion_finds_its_page);
    RUN(pages_of_one_ring_are_all_told);
    return expect_summary();
}
