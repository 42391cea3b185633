// SPDX-License-Identifier: Apache-2.0
// Requests of a client and their answers; argument: the stub unit's library.
#include "bench.h"

#include <cerrno>

namespace {

void the_first_message_is_the_version() {
    Bench b(false);
    EXPECT_NUMBER(b.ask(VFU_DEVICE_RESET, {}).error(), EINVAL);
    const Reply reply =
        b.ask(VFU_VERSION, bytes_of(version(0, 7)) + text(R"({"capabilities":{"max_msg_fds":1,
                                               "write_multiple":true,"migration":{"x":1}}})"));
    EXPECT_NUMBER(reply.error(), 0);
    EXPECT_NUMBER(reply.part<vfu_version_t>().major, 0);
    EXPECT_NUMBER(reply.part<vfu_version_t>().minor, 1);
    // A subset of what the client can do.
    EXPECT_TEXT(reinterpret_cast<const char *>(reply.payload.data()) + 4,
                "{\"capabilities\":{\"max_msg_fds\":16,\"write_multiple\":true}}");
    EXPECT_NUMBER(b.ask(VFU_VERSION, bytes_of(version(0, 1))).error(), EINVAL); // only once
    EXPECT_NUMBER(b.ask(VFU_DEVICE_RESET, {}).error(), 0);
}

void an_older_minor_version_is_kept_to() {
    Bench b(false);
    const Reply reply = b.ask(VFU_VERSION, bytes_of(version(0, 0)));
    EXPECT_NUMBER(reply.part<vfu_version_t>().minor, 0);
}

void another_major_version_ends_the_connection() {
    Bench b(false);
    EXPECT_NUMBER(b.ask(VFU_VERSION, bytes_of(version(1, 0))).error(), EPROTONOSUPPORT);
    EXPECT(!b.alive);
    EXPECT_TEXT(b.session->problem().c_str(),
                "asked for version 1.0 of the protocol, expected 0.x");
}

void capabilities_have_to_be_json() {
    Bench b(false);
    const auto asked = bytes_of(version(0, 1));
    EXPECT_NUMBER(b.ask(VFU_VERSION, {0, 0}).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_VERSION, asked + text("capabilities")).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_VERSION, asked + std::vector<uint8_t>{'{', '}'}).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_VERSION, asked + text("{}")).error(), 0);
}

void malformed_headers_end_the_connection() {
    const struct {
        vfu_header_t header;
        const char *problem;
    } wrong[] = {
        {{1, VFU_DEVICE_RESET, 15, 0, 0}, "sent a message of 15 bytes, expected 16 to 65600"},
        {{1, VFU_DEVICE_RESET, 0, 0, 0}, "sent a message of 0 bytes, expected 16 to 65600"},
        {{1, VFU_DEVICE_RESET, 0xffffffff, 0, 0},
         "sent a message of 4294967295 bytes, expected 16 to 65600"},
        {{1, VFU_DEVICE_RESET, 16, VFU_TYPE_REPLY, 0},
         "sent a message of type 1, expected a command"},
        {{1, VFU_DEVICE_RESET, 16, 0xf, 0}, "sent a message of type 15, expected a command"},
    };
    for (const auto &one : wrong) {
        Bench b;
        b.client->send_raw(bytes_of(one.header));
        EXPECT(!b.session->serve());
        EXPECT_TEXT(b.session->problem().c_str(), one.problem);
    }
}

void a_message_may_come_in_pieces_and_break_off() {
    Bench b;
    const vfu_header_t header{41, VFU_DEVICE_GET_INFO, 32, 0, 0};
    const auto whole = bytes_of(header) + bytes_of(vfu_device_info_t{16, 0, 0, 0});
    for (const uint8_t byte : whole) {
        EXPECT(!b.client->receive().there);
        b.client->send_raw({byte});
        EXPECT(b.session->serve());
    }
    EXPECT_NUMBER(b.client->receive().payload.size(), 16);
    b.client->send_raw({1, 2, 3});
    EXPECT(b.session->serve());
    b.client->close();
    EXPECT(!b.session->serve());
    EXPECT_TEXT(b.session->problem().c_str(), "went away in the middle of a message");
}

void a_client_that_closes_is_no_problem() {
    Bench b;
    b.client->close();
    EXPECT(!b.session->serve());
    EXPECT_TEXT(b.session->problem().c_str(), "");
}

void too_many_files_end_the_connection() {
    Bench b;
    const SharedMemory memory(4096);
    const std::vector<int> files(17, memory.file.number());
    b.client->send(VFU_DEVICE_RESET, {}, files);
    EXPECT(!b.session->serve());
    EXPECT_TEXT(b.session->problem().c_str(), "sent more file descriptors with a message than 16");
}

void unknown_commands_are_refused() {
    Bench b;
    for (const unsigned command : {0u, 6u, 11u, 12u, 14u, 16u, 17u, 18u, 0xffffu}) {
        EXPECT_NUMBER(b.ask(static_cast<uint16_t>(command), {}).error(), ENOTSUP);
    }
    EXPECT_NUMBER(b.counts.refused, 9);
    EXPECT_NUMBER(b.ask(VFU_DEVICE_RESET, {}).error(), 0);
}

void wrong_sizes_are_refused() {
    Bench b;
    const struct {
        uint16_t command;
        size_t bytes;
    } fixed[] = {
        {VFU_DMA_MAP, 32},         {VFU_DMA_UNMAP, 24},
        {VFU_DEVICE_GET_INFO, 16}, {VFU_DEVICE_GET_REGION_INFO, 32},
        {VFU_DEVICE_RESET, 0},     {VFU_DEVICE_GET_IRQ_INFO, 16},
        {VFU_REGION_READ, 16},
    };
    for (const auto &one : fixed) {
        if (one.bytes > 0) {
            EXPECT_NUMBER(b.ask(one.command, {}).error(), EINVAL);
            const std::vector<uint8_t> less(one.bytes - 1);
            EXPECT_NUMBER(b.ask(one.command, less).error(), EINVAL);
        }
        const std::vector<uint8_t> more(one.bytes + 1);
        EXPECT_NUMBER(b.ask(one.command, more).error(), EINVAL);
    }
    // All zero: the answer would not fit into no bytes.
    EXPECT_NUMBER(b.ask(VFU_DEVICE_GET_INFO, std::vector<uint8_t>(16)).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_DEVICE_GET_REGION_INFO, std::vector<uint8_t>(32)).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_DEVICE_GET_IRQ_INFO, std::vector<uint8_t>(16)).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_DEVICE_SET_IRQS, std::vector<uint8_t>(19)).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE, std::vector<uint8_t>(15)).error(), EINVAL);
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE_MULTI, std::vector<uint8_t>(7)).error(), EINVAL);
    const vfu_access_t four{0, TMU_PCI_BAR_REGISTERS, 4};
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE, bytes_of(four) + std::vector<uint8_t>(3)).error(),
                  EINVAL);
    EXPECT_NUMBER(b.ask(VFU_REGION_WRITE, bytes_of(four) + std::vector<uint8_t>(5)).error(),
                  EINVAL);
    EXPECT(b.alive);
}

void no_reply_means_no_reply() {
    Bench b;
    EXPECT(!b.ask(VFU_DEVICE_RESET, {}, {}, VFU_NO_REPLY).there);
    EXPECT(!b.ask(VFU_DEVICE_RESET, {1}, {}, VFU_NO_REPLY).there); // nor of an error
    EXPECT_NUMBER(b.counts.refused, 1);
    EXPECT_NUMBER(b.counts.posted, 2);
}

void the_device_is_described() {
    Bench b;
    const auto info = b.ask(VFU_DEVICE_GET_INFO, bytes_of(vfu_device_info_t{16, 0, 0, 0}));
    EXPECT_NUMBER(info.part<vfu_device_info_t>().flags, VFU_DEVICE_HAS_RESET | VFU_DEVICE_IS_PCI);
    EXPECT_NUMBER(info.part<vfu_device_info_t>().regions, 10);
    EXPECT_NUMBER(info.part<vfu_device_info_t>().interrupts, 5);
    const uint64_t sizes[] = {4096, 0, 16384, 0, 8192, 0, 0, 256, 0, 16};
    for (uint32_t i = 0; i < 10; ++i) {
        const auto region =
            b.ask(VFU_DEVICE_GET_REGION_INFO, bytes_of(vfu_region_info_t{32, 0, i, 0, 0, 0}))
                .part<vfu_region_info_t>();
        EXPECT_NUMBER(region.index, i);
        EXPECT_NUMBER(region.size, sizes[i]);
        EXPECT_NUMBER(region.argsz, i == 9 ? 48 : 32);
        EXPECT_NUMBER(region.capability_offset, 0);
    }
    EXPECT_NUMBER(
        b.ask(VFU_DEVICE_GET_REGION_INFO, bytes_of(vfu_region_info_t{32, 0, 10, 0, 0, 0})).error(),
        EINVAL);
    const auto time =
        b.ask(VFU_DEVICE_GET_REGION_INFO, bytes_of(vfu_region_info_t{48, 0, 9, 0, 0, 0}));
    EXPECT_NUMBER(time.payload.size(), 48);
    EXPECT_NUMBER(time.part<vfu_region_info_t>().capability_offset, 32);
    for (uint32_t i = 0; i < 5; ++i) {
        const auto irq = b.ask(VFU_DEVICE_GET_IRQ_INFO, bytes_of(vfu_irq_info_t{16, 0, i, 0}));
        EXPECT_NUMBER(irq.part<vfu_irq_info_t>().count, i == VFU_IRQ_MSIX ? 4 : 0);
    }
    EXPECT_NUMBER(b.ask(VFU_DEVICE_GET_IRQ_INFO, bytes_of(vfu_irq_info_t{16, 0, 5, 0})).error(),
                  EINVAL);
}

} // namespace

int main(int count, char **values) {
    if (count != 2) {
        return 2;
    }
    stub_library = values[1];
    RUN(the_first_message_is_the_version);
    RUN(an_older_minor_version_is_kept_to);
    RUN(another_major_version_ends_the_connection);
    RUN(capabilities_have_to_be_json);
    RUN(malformed_headers_end_the_connection);
    RUN(a_message_may_come_in_pieces_and_break_off);
    RUN(a_client_that_closes_is_no_problem);
    RUN(too_many_files_end_the_connection);
    RUN(unknown_commands_are_refused);
    RUN(wrong_sizes_are_refused);
    RUN(no_reply_means_no_reply);
    RUN(the_device_is_described);
    return expect_summary();
}
