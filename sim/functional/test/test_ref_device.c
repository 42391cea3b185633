/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device by itself: what it says to input that the driver never gives (R13).
 */
#include "ref_fixture.h"

static void malformed_commands_are_answered(void) {
    start();
    tmu_record_t r = {0};
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED); /* a cleared slot */
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_INSPECT + 1);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED);
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_CANCEL);
    TMU_FIELD_SET(&r, TMU_COMMAND_MATCH, 1);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED);
    r = (tmu_record_t){0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_ARRIVE);
    TMU_FIELD_SET(&r, TMU_COMMAND_RESERVED6, 1);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED);
    r = (tmu_record_t){0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_POST);
    TMU_FIELD_SET(&r, TMU_COMMAND_RECEIVE_ID, 0xfffff);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED);
    TMU_FIELD_SET(&r, TMU_COMMAND_RECEIVE_ID, 0xffffe);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_QUEUED);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 5);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_POSTS_LO), 1);
    stop();
}

static void inspect_needs_the_privileged_page(void) {
    start();
    tmu_record_t r = {0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_INSPECT);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_REFUSED_PRIVILEGE);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_REFUSED_PRIVILEGE_LO), 1);
    stop();
}

static void the_pages_configuration_decides_the_endpoint_R13(void) {
    start();
    tmu_record_t r = {0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_ARRIVE);
    TMU_FIELD_SET(&r, TMU_COMMAND_ENDPOINT, 3);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_QUEUED);
    EXPECT_NUMBER(TMU_FIELD_GET((tmu_record_t *)rings[0].memory, TMU_COMPLETION_ENDPOINT), 1);
    EXPECT(commit(1, 2, queue_config(32, 5), &rings[0]));
    taken = 0;
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_QUEUED);
    EXPECT_NUMBER(TMU_FIELD_GET((tmu_record_t *)rings[0].memory, TMU_COMPLETION_ENDPOINT), 2);
    stop();
}

static void wrong_doorbells_are_dropped_and_counted(void) {
    start();
    tmu_record_t r = {0};
    const uint64_t page = TMU_DOORBELL_PAGE_BYTES;
    EXPECT_NUMBER(ops->doorbell_write(backend, page, &r, 4), TMU_OK);
    EXPECT_NUMBER(ops->doorbell_write(backend, page + 8, &r, 64), TMU_OK);
    EXPECT_NUMBER(ops->doorbell_write(backend, page + 2048, &r, 64), TMU_OK);
    EXPECT_NUMBER(ops->doorbell_write(backend, 65 * page, &r, 64), TMU_OK); /* 64 is privileged */
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_DOORBELL_ERRORS_LO), 4);
    EXPECT_NUMBER(ops->doorbell_write(backend, 2 * page, &r, 64), TMU_OK); /* page not enabled */
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_DISABLED_DROPS_LO), 1);
    stop();
}

static void a_unit_without_a_network_refuses_a_send(void) {
    tmu_record_t r = {0};
    uint32_t value = 0;
    start();
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_SEND);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_MALFORMED);
    EXPECT_NUMBER(ops->read32(backend, TMU_REG_WIRE_TABLES, &value), TMU_ERR_DEVICE);
    EXPECT_NUMBER(ops->write32(backend, TMU_REG_PEER_COMMAND, 1), TMU_ERR_DEVICE);
    EXPECT_NUMBER(ops->open("tiny?link=", &backend), TMU_ERR_URI);
    EXPECT_TEXT(tmu_error_text(NULL), "link: found '', expected unix:PATH or tap:NAME");
    EXPECT_NUMBER(ops->open("tiny?link=unix:/nowhere/s", &backend), TMU_ERR_URI);
    stop();
}

static void unknown_registers_are_errors(void) {
    uint32_t value = 5;
    start();
    EXPECT_NUMBER(ops->read32(backend, 0xffc, &value), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), "register read at 0xffc was answered with an error");
    EXPECT_NUMBER(ops->write32(backend, TMU_REG_MAGIC, 1), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), "register write at 0x000 was answered with an error");
    EXPECT_NUMBER(value, 5);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_REGISTER_ERRORS_LO), 2);
    ops->write32(backend, TMU_REG_ENDPOINT_SELECT, 4);
    ops->write32(backend, TMU_REG_ENDPOINT_COMMAND, 1);
    EXPECT_NUMBER(ops->read32(backend, TMU_REG_ENDPOINT_STATUS, &value), TMU_OK);
    EXPECT_NUMBER(value, 1 << TMU_ENDPOINT_STATUS_ERROR_SHIFT);
    stop();
}

static void a_ring_outside_shared_memory_is_not_written(void) {
    start();
    ops->write32(backend, TMU_REG_RING_BASE_HI, 0xffffff00);
    ops->write32(backend, TMU_REG_PAGE_COMMIT, 1);
    tmu_record_t r = {0};
    EXPECT_NUMBER(status_of(1, &r), 0);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_COMPLETION_ERRORS_LO), 1);
    stop();
}

static void a_consumer_ahead_of_the_producer_stops_nobody(void) {
    start();
    const uint32_t wrong[] = {tmu_le32(1000), tmu_le32(0x80000000), tmu_le32(0xffffff00)};
    tmu_record_t r = {0};
    for (unsigned lap = 0; lap < 3; lap++) { /* 3 laps of 16 entries, none with room to spare */
        EXPECT_NUMBER(
            ops->doorbell_write(backend, 4096 + TMU_DOORBELL_CONSUMER_OFFSET, &wrong[lap], 4),
            TMU_OK);
        for (unsigned i = 0; i < 16; i++) {
            EXPECT_NUMBER(ops->doorbell_write(backend, 4096, &r, 64), TMU_OK);
            EXPECT_NUMBER(ops->progress(backend, 2), TMU_OK);
        }
    }
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 48);
    stop();
}

static void kept_registers_have_their_defined_bits(void) {
    static const struct {
        uint32_t offset;
        uint32_t bits;
    } registers[] = {
        {TMU_REG_PAGE_SELECT, UINT32_MAX},    {TMU_REG_RING_BASE_LO, UINT32_MAX},
        {TMU_REG_RING_BASE_HI, UINT32_MAX},   {TMU_REG_RING_CONFIG, 0x11f},
        {TMU_REG_RING_PATIENCE, UINT32_MAX},  {TMU_REG_ENDPOINT_SELECT, UINT32_MAX},
        {TMU_REG_PAGE_ENDPOINT, UINT32_MAX},  {TMU_REG_QUEUE_CONFIG, 0xfffff},
        {TMU_REG_QUOTA_POSTED, UINT32_MAX},   {TMU_REG_QUOTA_UNEXPECTED, UINT32_MAX},
        {TMU_REG_RESERVE_POSTED, UINT32_MAX}, {TMU_REG_RESERVE_UNEXPECTED, UINT32_MAX}};
    start();
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        uint32_t value = 0;
        EXPECT_NUMBER(ops->write32(backend, registers[i].offset, UINT32_MAX), TMU_OK);
        EXPECT_NUMBER(ops->read32(backend, registers[i].offset, &value), TMU_OK);
        EXPECT_NUMBER(value, registers[i].bits);
    }
    stop();
}

int main(void) {
    RUN(malformed_commands_are_answered);
    RUN(inspect_needs_the_privileged_page);
    RUN(the_pages_configuration_decides_the_endpoint_R13);
    RUN(wrong_doorbells_are_dropped_and_counted);
    RUN(a_unit_without_a_network_refuses_a_send);
    RUN(unknown_registers_are_errors);
    RUN(a_ring_outside_shared_memory_is_not_written);
    RUN(a_consumer_ahead_of_the_producer_stops_nobody);
    RUN(kept_registers_have_their_defined_bits);
    return expect_summary();
}
