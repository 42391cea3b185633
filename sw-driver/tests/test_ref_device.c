/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device by itself: what it says to input that the driver never gives (R13).
 */
#include "expect.h"
#include "ref_device.h"

static const tmu_backend_ops_t *const ops = &tmu_backend_ref;
static void *backend;
static tmu_dma_t rings[2];
static uint32_t taken;

static uint32_t queue_config(uint32_t first, uint32_t log2) {
    return first << TMU_QUEUE_CONFIG_FIRST_SHIFT | log2 << TMU_QUEUE_CONFIG_LOG2_SHIFT;
}

/** Configures a page with a ring of 16 entries at `memory`; whether the device took that. */
static bool commit(uint32_t page, uint32_t endpoint, uint32_t share, const tmu_dma_t *memory) {
    uint32_t status = 0;
    ops->write32(backend, TMU_REG_PAGE_SELECT, page);
    ops->write32(backend, TMU_REG_RING_BASE_LO, (uint32_t)memory->bus_address);
    ops->write32(backend, TMU_REG_RING_BASE_HI, (uint32_t)(memory->bus_address >> 32));
    ops->write32(backend, TMU_REG_RING_CONFIG, 4 | 1 << TMU_RING_CONFIG_ENABLE_SHIFT);
    ops->write32(backend, TMU_REG_PAGE_ENDPOINT, endpoint);
    ops->write32(backend, TMU_REG_QUEUE_CONFIG, share);
    ops->write32(backend, TMU_REG_PAGE_COMMIT, 1);
    EXPECT_NUMBER(ops->read32(backend, TMU_REG_PAGE_STATUS, &status), TMU_OK);
    EXPECT(status == 0 || status == 1 << TMU_PAGE_STATUS_ERROR_SHIFT);
    return status == 0;
}

/** A device whose page 1 acts for endpoint 1 with the slots 32 to 63. */
static void start(void) {
    taken = 0;
    EXPECT_NUMBER(ops->open("tiny", &backend), TMU_OK);
    for (size_t i = 0; i < 2; i++) {
        EXPECT_NUMBER(ops->dma_alloc(backend, 1024, &rings[i]), TMU_OK);
    }
    EXPECT(commit(1, 1, queue_config(32, 5), &rings[0]));
}

static void stop(void) {
    ops->dma_free(backend, &rings[0]);
    ops->dma_free(backend, &rings[1]);
    ops->close(backend);
}

static uint64_t counter(uint32_t offset) {
    uint32_t value = 0;
    ops->write32(backend, TMU_REG_CONTROL, 1 << TMU_CONTROL_SNAPSHOT_SHIFT);
    EXPECT_NUMBER(ops->read32(backend, offset, &value), TMU_OK);
    return value;
}

/** Status of the answer to a record written into a page. */
static uint64_t status_of(uint32_t page, const tmu_record_t *record) {
    EXPECT_NUMBER(ops->doorbell_write(backend, page * TMU_DOORBELL_PAGE_BYTES, record, 64), TMU_OK);
    EXPECT_NUMBER(ops->progress(backend, 10), TMU_OK);
    const tmu_record_t *answer = (const tmu_record_t *)rings[0].memory + taken++;
    return TMU_FIELD_GET(answer, TMU_COMPLETION_STATUS);
}

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

static void write_commands(uint32_t page, const tmu_record_t *record, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        EXPECT_NUMBER(ops->doorbell_write(backend, page * TMU_DOORBELL_PAGE_BYTES, record, 64),
                      TMU_OK);
    }
}

static void run(unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        EXPECT_NUMBER(ops->progress(backend, 1), TMU_OK);
    }
}

static uint32_t idle(void) {
    uint32_t status = 0;
    EXPECT_NUMBER(ops->read32(backend, TMU_REG_STATUS, &status), TMU_OK);
    return status >> TMU_STATUS_IDLE_SHIFT & TMU_STATUS_IDLE_MASK;
}

static void commands_beyond_the_share_are_dropped_and_counted(void) {
    start();
    tmu_record_t r = {0};
    write_commands(1, &r, 35); /* a share of 32 */
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_QUEUE_OVERRUNS_LO), 3);
    EXPECT_NUMBER(idle(), 0);
    run(16);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 16);
    write_commands(1, &r, 17); /* 16 slots are free again */
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_QUEUE_OVERRUNS_LO), 4);
    stop();
}

static void a_full_ring_stops_its_own_page_alone_R13(void) {
    start();
    const uint32_t consumed = tmu_le32(16);
    tmu_record_t r = {0};
    EXPECT(commit(0, 1, queue_config(0, 5), &rings[1])); /* another page of the same endpoint */
    write_commands(1, &r, 20);
    run(100);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 16); /* the other 4 do not start */
    EXPECT_NUMBER(idle(), 1);
    write_commands(0, &r, 10);
    EXPECT_NUMBER(idle(), 0);
    run(10);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 26);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_COMPLETION_STALL_CLOCKS_LO), 0);
    EXPECT_NUMBER(ops->doorbell_write(backend, 4096 + TMU_DOORBELL_CONSUMER_OFFSET, &consumed, 4),
                  TMU_OK);
    run(4);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 30);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_RING_OVERRUNS_LO), 0);
    stop();
}

static void pages_are_served_in_turn(void) {
    start();
    tmu_record_t r = {0};
    EXPECT(commit(64, 99, queue_config(0, 5), &rings[1])); /* the privileged one: no endpoint */
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_ARRIVE);
    write_commands(1, &r, 6);
    TMU_FIELD_SET(&r, TMU_COMMAND_ENDPOINT, 1);
    write_commands(64, &r, 3);
    run(9);
    const tmu_record_t *own = rings[0].memory;
    const tmu_record_t *privileged = rings[1].memory;
    const uint64_t serials[] = {0, 2, 4, 6, 7, 8};
    for (size_t i = 0; i < 6; i++) {
        EXPECT_NUMBER(TMU_FIELD_GET(&own[i], TMU_COMPLETION_SERIAL), serials[i]);
    }
    for (size_t i = 0; i < 3; i++) {
        EXPECT_NUMBER(TMU_FIELD_GET(&privileged[i], TMU_COMPLETION_SERIAL), 2 * i + 1);
    }
    stop();
}

static void a_wrong_configuration_changes_nothing(void) {
    start();
    tmu_record_t r = {0};
    EXPECT(!commit(65, 0, queue_config(64, 5), &rings[1])); /* no such page */
    EXPECT(!commit(1, 4, queue_config(64, 5), &rings[1]));  /* no such endpoint */
    EXPECT(!commit(1, 1, queue_config(48, 5), &rings[1]));  /* not a multiple of its size */
    EXPECT(!commit(1, 1, queue_config(512, 5), &rings[1])); /* beyond the slots */
    EXPECT(!commit(1, 1, queue_config(0, 10), &rings[1]));  /* larger than all of them */
    EXPECT(commit(64, 4, queue_config(512 - 16, 4), &rings[1]));
    ops->write32(backend, TMU_REG_PAGE_SELECT, 1);
    const uint32_t sizes[] = {3, 17};
    for (size_t i = 0; i < 2; i++) {
        uint32_t status = 0;
        ops->write32(backend, TMU_REG_RING_CONFIG, sizes[i] | 1 << TMU_RING_CONFIG_ENABLE_SHIFT);
        ops->write32(backend, TMU_REG_PAGE_COMMIT, 1);
        EXPECT_NUMBER(ops->read32(backend, TMU_REG_PAGE_STATUS, &status), TMU_OK);
        EXPECT_NUMBER(status, 1 << TMU_PAGE_STATUS_ERROR_SHIFT);
    }
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_PROBE);
    EXPECT_NUMBER(status_of(1, &r), TMU_STATUS_NONE); /* still endpoint 1, in the first ring */
    EXPECT_NUMBER(TMU_FIELD_GET((tmu_record_t *)rings[0].memory, TMU_COMPLETION_ENDPOINT), 1);
    stop();
}

static void a_configured_page_loses_its_commands(void) {
    start();
    tmu_record_t r = {0};
    write_commands(1, &r, 5);
    EXPECT(commit(1, 1, queue_config(32, 5), &rings[0]));
    run(10);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 0);
    ops->write32(backend, TMU_REG_RING_CONFIG, 0); /* a page that is closed may have any size */
    ops->write32(backend, TMU_REG_PAGE_COMMIT, 1);
    write_commands(1, &r, 5);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_DISABLED_DROPS_LO), 5);
    stop();
}

/** A flush of 20 receives in a ring of 16 entries. */
static void large_flush(void) {
    tmu_record_t r = {0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_POST);
    EXPECT(commit(0, 1, queue_config(0, 5), &rings[1]));
    for (unsigned i = 0; i < 20; i++) {
        const uint32_t consumed = tmu_le32(i);
        (void)ops->doorbell_write(backend, TMU_DOORBELL_CONSUMER_OFFSET, &consumed, 4);
        write_commands(0, &r, 1);
        run(1);
    }
    r = (tmu_record_t){0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, TMU_OPCODE_FLUSH);
    write_commands(1, &r, 1);
    write_commands(1, &(tmu_record_t){0}, 2);
}

static void a_large_flush_waits_for_the_consumer(void) {
    start();
    const uint32_t consumed = tmu_le32(16);
    large_flush();
    run(50);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_FLUSHES_LO), 1);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 0);
    EXPECT_NUMBER(idle(), 0);
    EXPECT_NUMBER(ops->doorbell_write(backend, 4096 + TMU_DOORBELL_CONSUMER_OFFSET, &consumed, 4),
                  TMU_OK);
    run(10);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 2);
    EXPECT_NUMBER(idle(), 1);
    stop();
}

static void a_full_ring_is_given_up_after_its_patience(void) {
    start();
    EXPECT_NUMBER(ops->write32(backend, TMU_REG_RING_PATIENCE, 100), TMU_OK);
    large_flush();
    run(60);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_RING_OVERRUNS_LO), 0);
    run(60);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_RING_OVERRUNS_LO), 1);
    /* The two that waited, and all that come now, are dropped. */
    write_commands(1, &(tmu_record_t){0}, 1);
    run(10);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_DISABLED_DROPS_LO), 3);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 0);
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
    } registers[] = {{TMU_REG_PAGE_SELECT, UINT32_MAX},   {TMU_REG_RING_BASE_LO, UINT32_MAX},
                     {TMU_REG_RING_BASE_HI, UINT32_MAX},  {TMU_REG_RING_CONFIG, 0x11f},
                     {TMU_REG_RING_PATIENCE, UINT32_MAX}, {TMU_REG_ENDPOINT_SELECT, UINT32_MAX},
                     {TMU_REG_PAGE_ENDPOINT, UINT32_MAX}, {TMU_REG_QUEUE_CONFIG, 0xfffff},
                     {TMU_REG_QUOTA_POSTED, UINT32_MAX},  {TMU_REG_QUOTA_UNEXPECTED, UINT32_MAX}};
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
    RUN(unknown_registers_are_errors);
    RUN(a_ring_outside_shared_memory_is_not_written);
    RUN(commands_beyond_the_share_are_dropped_and_counted);
    RUN(a_full_ring_stops_its_own_page_alone_R13);
    RUN(pages_are_served_in_turn);
    RUN(a_wrong_configuration_changes_nothing);
    RUN(a_configured_page_loses_its_commands);
    RUN(a_large_flush_waits_for_the_consumer);
    RUN(a_full_ring_is_given_up_after_its_patience);
    RUN(a_consumer_ahead_of_the_producer_stops_nobody);
    RUN(kept_registers_have_their_defined_bits);
    return expect_summary();
}
