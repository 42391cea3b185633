/* SPDX-License-Identifier: Apache-2.0
 *
 * Submission queues of the functional device: shares, turns, configuration, full rings.
 */
#include "ref_fixture.h"

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

/* A flush of 20 receives in a ring of 16 entries. */
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
    /* 20 posts, the flush and two malformed ones; of the flush also its 20 reports. */
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_COMMANDS_LO), 23);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_COMPLETIONS_LO), 43);
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
    /* The two that waited are lost; what comes now is dropped and counted. */
    write_commands(1, &(tmu_record_t){0}, 1);
    run(10);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_DISABLED_DROPS_LO), 1);
    EXPECT_NUMBER(counter(TMU_REG_COUNTER_MALFORMED_LO), 0);
    stop();
}

int main(void) {
    RUN(commands_beyond_the_share_are_dropped_and_counted);
    RUN(a_full_ring_stops_its_own_page_alone_R13);
    RUN(pages_are_served_in_turn);
    RUN(a_wrong_configuration_changes_nothing);
    RUN(a_configured_page_loses_its_commands);
    RUN(a_large_flush_waits_for_the_consumer);
    RUN(a_full_ring_is_given_up_after_its_patience);
    return expect_summary();
}
