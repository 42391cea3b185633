// SPDX-License-Identifier: Apache-2.0
// Registers, doorbells, memory and interrupts by messages; argument: the stub unit's library.
#include "bench.h"

#include <array>
#include <cerrno>
#include <sys/eventfd.h>

namespace {

constexpr uint64_t kBus = 0x7f1200000000;
constexpr uint64_t kBytes = 8192;

void registers_take_whole_words() {
    Bench b;
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_REGISTERS, TMU_REG_MAGIC, 4).error(), 0);
    uint32_t magic = 0;
    const Reply reply = b.read(TMU_PCI_BAR_REGISTERS, TMU_REG_MAGIC, 4);
    std::memcpy(&magic, reply.payload.data() + sizeof(vfu_access_t), sizeof magic);
    EXPECT_NUMBER(magic, TMU_MAGIC);
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_REGISTERS, 0, 8).error(), EINVAL);
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_REGISTERS, 2, 4).error(), EINVAL);
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_REGISTERS, 0, 0).error(), EINVAL);
    // The unit's own error is another one than that of a message.
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_REGISTERS, 0x900, 4).error(), EIO);
    EXPECT_NUMBER(b.write32(0x900, 1), EIO);
    EXPECT_NUMBER(b.device.counts().register_errors, 2);
}

void accesses_out_of_range_are_refused() {
    Bench b;
    const uint8_t data[64] = {};
    const uint64_t sizes[] = {4096, 0, 16384, 0, 8192, 0, 0, 256, 0, 16, 0};
    for (uint32_t region = 0; region < 11; ++region) {
        for (const uint64_t offset : {sizes[region], sizes[region] - 3, uint64_t{1} << 40,
                                      ~uint64_t{0}, ~uint64_t{0} - 3}) {
            EXPECT_NUMBER(b.read(region, offset, 4).error(), EINVAL);
            EXPECT_NUMBER(b.write(region, offset, data, 4), EINVAL);
        }
    }
    EXPECT_NUMBER(b.read(VFU_REGION_CONFIG, 0, 0xffffffff).error(), EINVAL);
    EXPECT_NUMBER(b.read(0xffffffff, 0, 4).error(), EINVAL);
    EXPECT(b.alive);
}

void doorbells_are_commands_pieces_or_indices() {
    Bench b;
    uint8_t data[64] = {};
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 64, data, 64), 0);
    EXPECT_NUMBER(b.device.counts().commands, 1);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, TMU_DOORBELL_CONSUMER_OFFSET, data, 4), 0);
    EXPECT_NUMBER(b.device.counts().commands, 1);
    for (uint32_t i = 0; i < 64; i += 8) {
        EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 128 + i, data, 8), 0);
    }
    EXPECT_NUMBER(b.device.counts().commands, 2);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 32, data, 64), EINVAL);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 0, data, 16), EINVAL);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 2, data, 4), EINVAL);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, TMU_DOORBELL_CONSUMER_OFFSET, data, 8), EINVAL);
}

void pages_are_read_by_words() {
    Bench b;
    const uint64_t snapshot = TMU_DOORBELL_PAGE_BYTES + TMU_DOORBELL_PICTURE_OFFSET;
    // The data read stand behind four words that say where.
    using Words = std::array<uint32_t, 6>;
    using FewerWords = std::array<uint32_t, 5>;
    const Reply whole = b.read(TMU_PCI_BAR_DOORBELLS, snapshot, 8);
    EXPECT_NUMBER(whole.error(), 0);
    EXPECT_NUMBER(whole.part<Words>()[4], 0x55667788);
    EXPECT_NUMBER(whole.part<Words>()[5], 0x11223344);
    const Reply low = b.read(TMU_PCI_BAR_DOORBELLS, snapshot, 4);
    EXPECT_NUMBER(low.part<FewerWords>()[4], 0x55667788);
    const Reply high = b.read(TMU_PCI_BAR_DOORBELLS, snapshot + 4, 4);
    EXPECT_NUMBER(high.part<FewerWords>()[4], 0x11223344);
    EXPECT_NUMBER(b.device.counts().page_reads, 3);
}

void where_a_page_shows_nothing_it_reads_as_ones() {
    Bench b;
    const uint64_t snapshot = TMU_DOORBELL_PAGE_BYTES + TMU_DOORBELL_PICTURE_OFFSET;
    const std::vector<std::pair<uint64_t, uint32_t>> reads{
        {0, 8}, {0, 4}, {64, 4}, {snapshot, 1}, {snapshot, 2}, {snapshot, 16}, {snapshot + 4, 8}};
    for (const auto &[offset, count] : reads) {
        const Reply reply = b.read(TMU_PCI_BAR_DOORBELLS, offset, count);
        EXPECT_NUMBER(reply.error(), 0);
        EXPECT_NUMBER(reply.payload.size(), sizeof(vfu_access_t) + count);
        for (size_t i = sizeof(vfu_access_t); i < reply.payload.size(); ++i) {
            EXPECT_NUMBER(reply.payload[i], 0xff);
        }
    }
    EXPECT_NUMBER(b.device.counts().page_reads_empty, reads.size());
}

void several_writes_come_in_one_message() {
    Bench b;
    std::vector<uint8_t> writes;
    for (uint32_t i = 0; i < 8; ++i) {
        writes = writes + bytes_of(vfu_small_write_t{8u * i, TMU_PCI_BAR_DOORBELLS, 8, {}});
    }
    const Reply reply = b.ask(VFU_REGION_WRITE_MULTI, bytes_of(vfu_write_multi_t{8}) + writes);
    EXPECT_NUMBER(reply.error(), 0);
    EXPECT_NUMBER(reply.part<vfu_write_multi_t>().count, 8);
    EXPECT_NUMBER(b.device.counts().commands, 1);
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE_MULTI, bytes_of(vfu_write_multi_t{9}) + writes).error(),
                  EINVAL);
    const uint64_t wraps = ~uint64_t{0} / sizeof(vfu_small_write_t) + 1;
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE_MULTI, bytes_of(vfu_write_multi_t{wraps})).error(),
                  EINVAL);
    const vfu_small_write_t large{0, TMU_PCI_BAR_DOORBELLS, 64, {}};
    EXPECT_NUMBER(
        b.ask(VFU_REGION_WRITE_MULTI, bytes_of(vfu_write_multi_t{1}) + bytes_of(large)).error(),
        EINVAL);
}

void the_unit_reaches_what_is_mapped_r13() {
    Bench b;
    const SharedMemory memory(kBytes);
    EXPECT_NUMBER(b.map(kBus, 4096, {memory.file.number()}, 4096), 0);
    b.ring(kBus);
    b.command(0x5a);
    EXPECT_NUMBER(memory.data[4096], 0x5a); // at its offset in the file
    EXPECT_NUMBER(memory.data[4096 + 63], 0x5a);
    EXPECT_NUMBER(memory.data[0], 0);
    EXPECT_NUMBER(b.unmap(kBus, 4096), 0);
    b.command(0x66);
    EXPECT_NUMBER(memory.data[4096 + 64], 0);
    EXPECT_NUMBER(b.device.counts().completions, 1);
    EXPECT_NUMBER(b.device.counts().completions_refused, 1);
}

void memory_that_is_not_there_is_refused_r13() {
    Bench b;
    const SharedMemory memory(kBytes);
    const int file = memory.file.number();
    EXPECT_NUMBER(b.map(kBus, kBytes + 4096, {file}), EINVAL); // beyond the end of the file
    EXPECT_NUMBER(b.map(kBus, 4096, {file}, kBytes), EINVAL);
    EXPECT_NUMBER(b.map(kBus, 4096, {file}, ~uint64_t{4095}), EINVAL);
    EXPECT_NUMBER(b.map(kBus, 0, {file}), EINVAL);
    EXPECT_NUMBER(b.map(kBus, 100, {file}), EINVAL);
    EXPECT_NUMBER(b.map(kBus + 64, 4096, {file}), EINVAL);
    EXPECT_NUMBER(b.map(kBus, 4096, {file}, 64), EINVAL);
    EXPECT_NUMBER(b.map(~uint64_t{4095}, 8192, {file}), EINVAL); // wraps around
    EXPECT_NUMBER(b.map(kBus, 4096, {file}, 0, 4), EINVAL);
    EXPECT_NUMBER(b.map(kBus, 4096, {file, file}), EINVAL);
    EXPECT_NUMBER(b.map(kBus, kBytes, {file}), 0);
    EXPECT_NUMBER(b.map(kBus, kBytes, {file}), EEXIST);
    EXPECT_NUMBER(b.map(kBus + 4096, 4096, {file}), EEXIST);
    EXPECT_NUMBER(b.map(kBus - 4096, kBytes, {file}), EEXIST);
    EXPECT_NUMBER(b.map(0, kBus + 4096, {}), EEXIST);
    EXPECT_NUMBER(b.map(kBus - 4096, 4096, {file}), 0);
}

void whole_mappings_are_unmapped() {
    Bench b;
    const SharedMemory memory(kBytes);
    const auto unmapped = [&](uint64_t address, uint64_t size, uint32_t flags = 0) {
        const Reply reply =
            b.ask(VFU_DMA_UNMAP, bytes_of(vfu_dma_unmap_t{24, flags, address, size}));
        EXPECT_NUMBER(reply.error(), 0);
        return reply.part<vfu_dma_unmap_t>().size;
    };
    const auto map_all = [&] {
        EXPECT_NUMBER(b.map(kBus, 8192, {memory.file.number()}), 0);
        EXPECT_NUMBER(b.map(kBus + 8192, 4096, {memory.file.number()}), 0);
        EXPECT_NUMBER(b.map(kBus + 65536, 4096, {}), 0);
    };
    map_all();
    EXPECT_NUMBER(b.unmap(kBus, 4096), EINVAL); // a part of one
    EXPECT_NUMBER(b.unmap(kBus + 4096, 4096), EINVAL);
    EXPECT_NUMBER(b.unmap(kBus + 4096, 8192), EINVAL);
    EXPECT_NUMBER(b.unmap(0, kBus + 4096), EINVAL);
    EXPECT_NUMBER(b.unmap(kBus, 0), EINVAL);
    EXPECT_NUMBER(b.unmap(~uint64_t{4095}, 8192), EINVAL); // wraps around
    EXPECT_NUMBER(unmapped(kBus, 8192), 8192);
    EXPECT_NUMBER(unmapped(kBus, 8192), 0); // nothing is there, as QEMU may ask for
    EXPECT_NUMBER(unmapped(0, uint64_t{1} << 63), 8192);
    map_all();
    EXPECT_NUMBER(
        b.ask(VFU_DMA_UNMAP, bytes_of(vfu_dma_unmap_t{24, VFU_UNMAP_ALL, kBus, 4096})).error(),
        EINVAL);
    EXPECT_NUMBER(b.ask(VFU_DMA_UNMAP, bytes_of(vfu_dma_unmap_t{24, 1, kBus, 8192})).error(),
                  EINVAL);
    EXPECT_NUMBER(unmapped(0, 0, VFU_UNMAP_ALL), 16384);
    EXPECT_NUMBER(unmapped(0, 0, VFU_UNMAP_ALL), 0);
    b.ring(kBus);
    b.command(1);
    EXPECT_NUMBER(b.device.counts().completions_refused, 1);
}

void the_function_is_reset_by_its_configuration() {
    Bench b;
    const SharedMemory memory(kBytes);
    const uint8_t reset = 0x80;
    const uint16_t master = 4;
    EXPECT_NUMBER(b.map(kBus, kBytes, {memory.file.number()}), 0);
    b.ring(kBus);
    EXPECT_NUMBER(b.write(VFU_REGION_CONFIG, 0x59, &reset, 1), 0);
    EXPECT_NUMBER(b.device.counts().resets, 1);
    EXPECT_NUMBER(b.read(VFU_REGION_CONFIG, 4, 1).payload.at(16), 0); // no bus master any more
    b.command(1);
    EXPECT_NUMBER(b.device.counts().completions_refused, 1);
    EXPECT_NUMBER(b.write(VFU_REGION_CONFIG, 4, &master, 2), 0); // memory is still mapped
    b.ring(kBus);
    b.command(2);
    EXPECT_NUMBER(memory.data[64], 2);
}

void other_memory_is_not_touched_r13() {
    Bench b;
    const SharedMemory memory(kBytes);
    b.ring(kBus);
    EXPECT_NUMBER(b.map(kBus, 4096, {}), 0); // without a file
    b.command(1);
    EXPECT_NUMBER(b.unmap(kBus, 4096), 0);
    EXPECT_NUMBER(b.map(kBus, 4096, {memory.file.number()}, 0, VFU_MAY_READ), 0);
    b.command(2);
    EXPECT_NUMBER(b.unmap(kBus, 4096), 0);
    EXPECT_NUMBER(b.map(kBus, 4096, {memory.file.number()}), 0);
    const uint16_t nothing = 0;
    EXPECT_NUMBER(b.write(VFU_REGION_CONFIG, 4, &nothing, 2), 0); // no bus master
    b.command(3);
    EXPECT_NUMBER(b.device.counts().completions_refused, 3);
    for (size_t i = 0; i < kBytes; ++i) {
        EXPECT(memory.data[i] == 0);
    }
    const uint16_t master = 4;
    EXPECT_NUMBER(b.write(VFU_REGION_CONFIG, 4, &master, 2), 0);
    b.command(4);
    EXPECT_NUMBER(b.device.counts().completions, 1);
}

void a_file_that_shrinks_harms_nobody_r13() {
    Bench b;
    const SharedMemory memory(kBytes);
    EXPECT_NUMBER(b.map(kBus, kBytes, {memory.file.number()}), 0);
    b.ring(kBus + 4096);
    EXPECT(!vfu::DmaMap::taken_back());
    EXPECT_NUMBER(::ftruncate(memory.file.number(), 4096), 0);
    b.command(1);
    EXPECT(vfu::DmaMap::taken_back());
    EXPECT(!vfu::DmaMap::taken_back());
}

void interrupts_follow_completions() {
    Bench b;
    const SharedMemory memory(kBytes);
    const vfu::Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const auto assign = [&](uint32_t start, uint32_t count, const std::vector<int> &files) {
        const uint32_t flags = VFU_IRQ_DATA_EVENTFD | VFU_IRQ_TRIGGER;
        return b
            .ask(VFU_DEVICE_SET_IRQS,
                 bytes_of(vfu_irq_set_t{20, flags, VFU_IRQ_MSIX, start, count}), files)
            .error();
    };
    const auto heard = [&] {
        uint64_t times = 0;
        return ::read(event.number(), &times, sizeof times) == sizeof times ? times : 0;
    };
    EXPECT_NUMBER(b.map(kBus, kBytes, {memory.file.number()}), 0);
    b.ring(kBus);
    EXPECT_NUMBER(assign(1, 1, {event.number()}), 0);
    b.command(1);
    EXPECT_NUMBER(heard(), 0); // another page's
    EXPECT_NUMBER(assign(1, 2, {event.number(), event.number()}), 0);
    b.command(2);
    b.command(3);
    EXPECT_NUMBER(heard(), 2);
    EXPECT_NUMBER(assign(0, 4, {}), 0); // let go of
    b.command(4);
    EXPECT_NUMBER(heard(), 0);
    EXPECT_NUMBER(assign(4, 1, {event.number()}), EINVAL);
    EXPECT_NUMBER(assign(3, 2, {event.number(), event.number()}), EINVAL);
    EXPECT_NUMBER(assign(1, 2, {event.number()}), EINVAL);
    EXPECT_NUMBER(assign(0xffffffff, 2, {}), EINVAL);
    EXPECT_NUMBER(assign(2, 1, {event.number()}), 0);
    b.device.release();
    b.command(5);
    EXPECT_NUMBER(heard(), 0);
}

void interrupts_are_set_as_documented_only() {
    Bench b;
    const vfu::Descriptor event(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    const auto set = [&](uint32_t flags, uint32_t index, uint32_t start, uint32_t count,
                         const std::vector<uint8_t> &data = {}) {
        return b
            .ask(VFU_DEVICE_SET_IRQS,
                 bytes_of(vfu_irq_set_t{20, flags, index, start, count}) + data)
            .error();
    };
    const uint32_t trigger = VFU_IRQ_TRIGGER;
    EXPECT_NUMBER(
        b.ask(VFU_DEVICE_SET_IRQS,
              bytes_of(vfu_irq_set_t{20, VFU_IRQ_DATA_EVENTFD | trigger, VFU_IRQ_MSIX, 3, 1}),
              {event.number()})
            .error(),
        0);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, VFU_IRQ_MSIX, 3, 1), 0); // by hand
    EXPECT_NUMBER(set(VFU_IRQ_DATA_BOOL | trigger, VFU_IRQ_MSIX, 2, 2, {1, 0}), 0);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_BOOL | trigger, VFU_IRQ_MSIX, 2, 2, {0, 1}), 0);
    uint64_t times = 0;
    EXPECT_NUMBER(::read(event.number(), &times, sizeof times), sizeof times);
    EXPECT_NUMBER(times, 2);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_BOOL | trigger, VFU_IRQ_MSIX, 2, 2, {1}), EINVAL);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, VFU_IRQ_MSIX, 2, 2, {1}), EINVAL);
    EXPECT_NUMBER(set(trigger, VFU_IRQ_MSIX, 2, 2), EINVAL);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | 0x8, VFU_IRQ_MSIX, 0, 1), EINVAL); // a mask
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, 0, 0, 1), EINVAL);        // INTx: there is none
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, 5, 0, 0), EINVAL);
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, VFU_IRQ_MSIX, 0, 0), 0); // all off
    EXPECT_NUMBER(set(VFU_IRQ_DATA_NONE | trigger, VFU_IRQ_MSIX, 3, 1), 0);
    EXPECT(::read(event.number(), &times, sizeof times) < 0);
}

void the_vector_table_is_memory_and_the_rest_is_not() {
    Bench b;
    const uint32_t value = 0xfee00000;
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_MSIX, 12, 4).payload.at(16), 1); // masked after a reset
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_MSIX, 16, &value, 4), 0);
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_MSIX, 19, 1).payload.at(16), 0xfe);
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_MSIX, 4096, &value, 4), 0); // pending bits: no effect
    EXPECT_NUMBER(b.read(TMU_PCI_BAR_MSIX, 4099, 1).payload.at(16), 0);
}

void time_goes_on_by_request() {
    Bench b;
    const auto clock = [&] {
        uint64_t now = 0;
        const Reply reply = b.read(VFU_REGION_TIME, VFU_TIME_CLOCK, 8);
        EXPECT_NUMBER(reply.error(), 0);
        std::memcpy(&now, reply.payload.data() + sizeof(vfu_access_t), sizeof now);
        return now;
    };
    const uint64_t before = clock();
    uint32_t clocks = 1000;
    EXPECT_NUMBER(b.write(VFU_REGION_TIME, VFU_TIME_RUN, &clocks, 4), 0);
    EXPECT_NUMBER(clock() - before, 1000);
    EXPECT_NUMBER(b.device.counts().clocks_on_demand, 1000);
    clocks = VFU_TIME_RUN_MAX + 1;
    EXPECT_NUMBER(b.write(VFU_REGION_TIME, VFU_TIME_RUN, &clocks, 4), EINVAL);
    EXPECT_NUMBER(b.write(VFU_REGION_TIME, VFU_TIME_CLOCK, &clocks, 4), EINVAL);
    EXPECT_NUMBER(b.read(VFU_REGION_TIME, VFU_TIME_RUN, 4).error(), EINVAL);
    EXPECT_NUMBER(b.read(VFU_REGION_TIME, 0, 4).error(), EINVAL);
}

void an_idle_unit_sleeps_and_a_message_wakes_it() {
    Bench b;
    for (unsigned i = 0; i < 100; ++i) {
        b.device.step();
    }
    EXPECT(!b.device.busy());
    const uint8_t data[64] = {};
    EXPECT_NUMBER(b.write(TMU_PCI_BAR_DOORBELLS, 0, data, 64), 0);
    EXPECT(b.device.busy());
}

} // namespace

int main(int count, char **values) {
    if (count != 2) {
        return 2;
    }
    stub_library = values[1];
    RUN(registers_take_whole_words);
    RUN(accesses_out_of_range_are_refused);
    RUN(doorbells_are_commands_pieces_or_indices);
    RUN(pages_are_read_by_words);
    RUN(where_a_page_shows_nothing_it_reads_as_ones);
    RUN(several_writes_come_in_one_message);
    RUN(the_unit_reaches_what_is_mapped_r13);
    RUN(memory_that_is_not_there_is_refused_r13);
    RUN(whole_mappings_are_unmapped);
    RUN(the_function_is_reset_by_its_configuration);
    RUN(other_memory_is_not_touched_r13);
    RUN(a_file_that_shrinks_harms_nobody_r13);
    RUN(interrupts_follow_completions);
    RUN(interrupts_are_set_as_documented_only);
    RUN(the_vector_table_is_memory_and_the_rest_is_not);
    RUN(time_goes_on_by_request);
    RUN(an_idle_unit_sleeps_and_a_message_wakes_it);
    return expect_summary();
}
