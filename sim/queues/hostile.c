/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include "tmu_internal.h"

static tmu_result_t doorbell(const worker_t *worker, uint32_t offset, const void *data,
                             size_t size) {
    const tmu_t *device = worker->queue->device;
    const uint64_t page = (uint64_t)worker->queue->page.number * TMU_DOORBELL_PAGE_BYTES;
    return device->ops->doorbell_write(device->backend, page + offset, data, size);
}

tmu_result_t hostile_write(worker_t *worker) {
    const bool bad = worker->kind == WORKER_BAD;
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMMAND_OPCODE, bad ? UINT64_C(0xee) : TMU_OPCODE_PROBE);
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++)
        record.word[i] = tmu_le64(record.word[i]);
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; result == TMU_OK && i < worker->window; i++) {
        result = doorbell(worker, 0, &record, sizeof record);
        worker->submitted += result == TMU_OK;
    }
    if (result == TMU_OK && bad) {
        /* Whatever was written, it claims to have read. */
        const uint32_t index = tmu_le32((uint32_t)worker->submitted);
        result = doorbell(worker, TMU_DOORBELL_CONSUMER_OFFSET, &index, sizeof index);
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}
