/* SPDX-License-Identifier: Apache-2.0 */
#include "hostile.h"

#include "tmu_raw.h"

tmu_result_t hostile_write(worker_t *worker) {
    const bool bad = worker->kind == WORKER_BAD;
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMMAND_OPCODE, bad ? UINT64_C(0xee) : TMU_OPCODE_PROBE);
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; result == TMU_OK && i < worker->window; i++) {
        result = tmu_raw_command(worker->queue, 0, record);
        worker->submitted += result == TMU_OK;
    }
    if (result == TMU_OK && bad) {
        /* Whatever was written, it claims to have read. */
        result = tmu_raw_consumer(worker->queue, (uint32_t)(worker->submitted));
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}
