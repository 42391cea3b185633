/* SPDX-License-Identifier: Apache-2.0 */
/* Writes into a queue's doorbell page past the driver, for who keeps to no rule. */
#ifndef RAW_DOORBELL_H
#define RAW_DOORBELL_H

#include "tmu_internal.h"

/** TMU_AGAIN when the bus takes no more for now. */
static inline tmu_result_t raw_doorbell(const tmu_queue_t *queue, uint64_t offset, const void *data,
                                        size_t size) {
    const tmu_t *device = queue->device;
    const uint64_t page = (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES;
    return device->ops->doorbell_write(device->backend, page + offset, data, size);
}

/** A command in the page's first slot. */
static inline tmu_result_t raw_command(const tmu_queue_t *queue, tmu_record_t command) {
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++)
        command.word[i] = tmu_le64(command.word[i]);
    return raw_doorbell(queue, 0, &command, sizeof command);
}

/** Claims that `count` completions have been read. */
static inline tmu_result_t raw_consumer(const tmu_queue_t *queue, uint64_t count) {
    const uint32_t index = tmu_le32((uint32_t)count);
    return raw_doorbell(queue, TMU_DOORBELL_CONSUMER_OFFSET, &index, sizeof index);
}

#endif
