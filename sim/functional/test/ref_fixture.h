/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device without the driver: registers, doorbells and rings by hand.
 */
#ifndef REF_FIXTURE_H
#define REF_FIXTURE_H

#include "backend.h"
#include "expect.h"
#include "tmu_record.h"

static const tmu_backend_ops_t *const ops = &tmu_backend_ref;
static void *backend;
static tmu_dma_t rings[2];
static uint32_t taken;

static inline uint32_t queue_config(uint32_t first, uint32_t log2) {
    return first << TMU_QUEUE_CONFIG_FIRST_SHIFT | log2 << TMU_QUEUE_CONFIG_LOG2_SHIFT;
}

/* Configures a page with a ring of 16 entries at `memory`; whether the device took that. */
static inline bool commit(uint32_t page, uint32_t endpoint, uint32_t share,
                          const tmu_dma_t *memory) {
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

/* A device whose page 1 acts for endpoint 1 with the slots 32 to 63. */
static inline void start(void) {
    taken = 0;
    EXPECT_NUMBER(ops->open("tiny", &backend), TMU_OK);
    for (size_t i = 0; i < 2; i++) {
        EXPECT_NUMBER(ops->dma_alloc(backend, 1024, &rings[i]), TMU_OK);
    }
    EXPECT(commit(1, 1, queue_config(32, 5), &rings[0]));
}

static inline void stop(void) {
    ops->dma_free(backend, &rings[0]);
    ops->dma_free(backend, &rings[1]);
    ops->close(backend);
}

static inline uint64_t counter(uint32_t offset) {
    uint32_t value = 0;
    ops->write32(backend, TMU_REG_CONTROL, 1 << TMU_CONTROL_SNAPSHOT_SHIFT);
    EXPECT_NUMBER(ops->read32(backend, offset, &value), TMU_OK);
    return value;
}

static inline void write_commands(uint32_t page, const tmu_record_t *record, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        EXPECT_NUMBER(ops->doorbell_write(backend, page * TMU_DOORBELL_PAGE_BYTES, record, 64),
                      TMU_OK);
    }
}

static inline void run(unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        EXPECT_NUMBER(ops->progress(backend, 1), TMU_OK);
    }
}

static inline uint32_t idle(void) {
    uint32_t status = 0;
    EXPECT_NUMBER(ops->read32(backend, TMU_REG_STATUS, &status), TMU_OK);
    return status >> TMU_STATUS_IDLE_SHIFT & TMU_STATUS_IDLE_MASK;
}

/* Status of the answer to a record written into a page. */
static inline uint64_t status_of(uint32_t page, const tmu_record_t *record) {
    EXPECT_NUMBER(ops->doorbell_write(backend, page * TMU_DOORBELL_PAGE_BYTES, record, 64), TMU_OK);
    EXPECT_NUMBER(ops->progress(backend, 10), TMU_OK);
    const tmu_record_t *answer = (const tmu_record_t *)rings[0].memory + taken++;
    return TMU_FIELD_GET(answer, TMU_COMPLETION_STATUS);
}

#endif
