/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory registered with the unit: hosts without memory, devices that do not take any, memory that
 * fails.
 */
#include "fixture.h"
#include "tmu_internal.h"

static tmu_backend_ops_t faulty;
static unsigned allocations_left;
static int allocations_now;
static uint32_t faulty_offset;
static uint32_t faulty_value;

static tmu_result_t faulty_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    if (bytes == TMU_SPILL_SEGMENT_BYTES && allocations_left-- == 0) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a test");
    }
    allocations_now++;
    return tmu_backend_ref.dma_alloc(backend, bytes, dma_p);
}

static void faulty_free(void *backend, tmu_dma_t *dma) {
    allocations_now--;
    tmu_backend_ref.dma_free(backend, dma);
}

static tmu_result_t faulty_read(void *backend, uint32_t offset, uint32_t *value_p) {
    if (offset == faulty_offset) {
        *value_p = faulty_value;
        return TMU_OK;
    }
    return tmu_backend_ref.read32(backend, offset, value_p);
}

static tmu_t *open_faulty(uint32_t offset, uint32_t value) {
    tmu_t *device = NULL;
    faulty = tmu_backend_ref;
    faulty.dma_alloc = faulty_alloc;
    faulty.dma_free = faulty_free;
    faulty.read32 = faulty_read;
    faulty_offset = offset;
    faulty_value = value;
    allocations_left = 100;
    allocations_now = 0;
    must(tmu_open_backend(&faulty, "tiny", &device), NULL);
    return device;
}

static void without_memory_nothing_is_registered(void) {
    tmu_t *device = open_faulty(UINT32_MAX, 0);
    tmu_spill_stats_t stats;
    allocations_left = 2;
    EXPECT_NUMBER(tmu_spill_add(device, 3), TMU_ERR_MEMORY);
    EXPECT_TEXT(tmu_error_text(device), "no memory for a test");
    EXPECT_NUMBER(allocations_now, 0);
    must(tmu_spill_stats(device, &stats), device);
    EXPECT_NUMBER(stats.segments, 0);
    allocations_left = 2;
    must(tmu_spill_add(device, 2), device);
    EXPECT_NUMBER(allocations_now, 2);
    tmu_close(device);
    EXPECT_NUMBER(allocations_now, 0);
}

static void a_device_that_does_not_take_a_segment_is_unusable(void) {
    tmu_t *device = open_faulty(TMU_REG_SPILL_STATUS, 1 | 1 << TMU_SPILL_STATUS_ERROR_SHIFT);
    EXPECT_NUMBER(tmu_spill_add(device, 1), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(device),
                "the device did not take segment 0 of spill memory: SPILL_STATUS is 0x101");
    EXPECT_NUMBER(tmu_spill_add(device, 1), TMU_ERR_DEVICE);
    tmu_close(device);
    EXPECT_NUMBER(allocations_now, 0);
    device = open_faulty(TMU_REG_SPILL_STATUS, 1);
    EXPECT_NUMBER(tmu_spill_add(device, 2), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(device),
                "the device did not take segment 1 of spill memory: SPILL_STATUS is 0x1");
    tmu_close(device);
    EXPECT_NUMBER(allocations_now, 0);
}

static void a_device_of_interface_2_0_takes_none(void) {
    tmu_t *device = open_faulty(TMU_REG_CAPABILITIES, 3);
    tmu_spill_stats_t stats;
    must(tmu_spill_stats(device, &stats), device);
    EXPECT_NUMBER(stats.chunks, 0);
    EXPECT_NUMBER(tmu_spill_add(device, 1), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device),
                "0 segments of spill memory and 1 more: the device takes 0 at most");
    tmu_close(device);
}

/* ---- memory that fails ----------------------------------------------------------------------- */

/* A device that answers nothing: the test does. */
static tmu_result_t swallow(void *backend, uint64_t offset, const void *data, size_t size) {
    (void)backend;
    (void)offset;
    (void)data;
    (void)size;
    return TMU_OK;
}

/* Answers the oldest command in flight. */
static void forge(tmu_queue_t *queue, uint8_t status) {
    const tmu_pending_t *command = queue->pendings.oldest;
    tmu_record_t *record = (tmu_record_t *)queue->ring.memory + queue->consumed;
    TMU_FIELD_SET(record, TMU_COMPLETION_ENDPOINT, 1);
    TMU_FIELD_SET(record, TMU_COMPLETION_OPCODE, command->opcode);
    TMU_FIELD_SET(record, TMU_COMPLETION_STATUS, status);
    TMU_FIELD_SET(record, TMU_COMPLETION_HANDLE,
                  TMU_FIELD_GET(&command->command, TMU_COMMAND_HANDLE));
    TMU_FIELD_SET(record, TMU_COMPLETION_PHASE, 1);
}

static void failed_memory_is_told_to_whoever_asks_R13(void) {
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    tmu_queue_t *queue = NULL;
    const tmu_key_t key = {0};
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    tmu_backend_ops_t mute = tmu_backend_ref;
    tmu_t *device = NULL;
    mute.doorbell_write = swallow;
    must(tmu_open_backend(&mute, "tiny", &device), NULL);
    must(tmu_spill_add(device, 1), device);
    must(tmu_queue_open(device, &attr, &queue), device);
    must(tmu_post(queue, 1, &(tmu_receive_t){.handle = 1}, &id), device);
    must(tmu_arrive(queue, 1, &(tmu_message_t){.handle = 2}), device);
    must(tmu_probe(queue, 1, &key, 3), device);
    must(tmu_claim(queue, 1, &key, 4), device);
    must(tmu_cancel(queue, 1, id, 5), device);
    must(tmu_flush(queue, 1, NULL, 6), device);
    for (uint64_t handle = 1; handle <= 6; handle++) {
        tmu_completion_t c = {0};
        size_t count = 0;
        forge(queue, TMU_STATUS_SPILL_FAILED);
        must(tmu_poll(queue, &c, 1, &count), device);
        EXPECT_NUMBER(count, 1);
        EXPECT_NUMBER(c.status, TMU_STATUS_SPILL_FAILED);
        EXPECT_NUMBER(c.handle, handle);
    }
    EXPECT_NUMBER(tmu_queue_in_flight(queue), 0);
    must(tmu_reset(device), device);
    tmu_close(device);
}

int main(void) {
    RUN(without_memory_nothing_is_registered);
    RUN(a_device_that_does_not_take_a_segment_is_unusable);
    RUN(a_device_of_interface_2_0_takes_none);
    RUN(failed_memory_is_told_to_whoever_asks_R13);
    return expect_summary();
}
