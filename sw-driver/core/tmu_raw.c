/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_raw.h"

#include <stdarg.h>
#include <stdio.h>

#include "tmu_ring_read.h"

#define SLOTS (TMU_DOORBELL_COMMAND_WINDOW_BYTES / TMU_DOORBELL_COMMAND_BYTES)

tmu_raw_page_t tmu_raw_page(const tmu_queue_t *queue) {
    return (tmu_raw_page_t){.number = queue->page.number,
                            .commands = UINT32_C(1) << queue->page.commands_log2,
                            .entries = queue->entries};
}

void tmu_raw_hold(tmu_queue_t *queue) { pthread_mutex_lock(&queue->lock); }

void tmu_raw_release(tmu_queue_t *queue) { pthread_mutex_unlock(&queue->lock); }

tmu_result_t tmu_raw_doorbell(const tmu_queue_t *queue, uint64_t offset, const void *data,
                              size_t size) {
    const tmu_t *device = queue->device;
    const uint64_t page = (uint64_t)queue->page.number * TMU_DOORBELL_PAGE_BYTES;
    return device->ops->doorbell_write(device->backend, page + offset, data, size);
}

tmu_result_t tmu_raw_command(const tmu_queue_t *queue, uint32_t slot, tmu_record_t command) {
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
        command.word[i] = tmu_le64(command.word[i]);
    }
    return tmu_raw_doorbell(queue, (uint64_t)(slot % SLOTS) * TMU_DOORBELL_COMMAND_BYTES, &command,
                            sizeof command);
}

void tmu_raw_key(tmu_record_t *command, const tmu_key_t *key) { tmu_wire_key(command, key); }

tmu_result_t tmu_raw_consumer(const tmu_queue_t *queue, uint32_t count) {
    return tmu_queue_write_consumer(queue, count);
}

bool tmu_raw_completion(const tmu_queue_t *queue, uint32_t read, tmu_completion_t *completion_p) {
    tmu_record_t record;
    if (!tmu_ring_read(queue, read, &record)) {
        return false;
    }
    tmu_wire_completion(&record, completion_p);
    /* A ring is cleared when its page is disabled, and half of all laps have the phase 0. */
    return completion_p->status != 0;
}

tmu_result_t tmu_raw_enable(tmu_queue_t *queue, bool enable) {
    return tmu_queue_configure(queue, enable);
}

tmu_result_t tmu_raw_read(tmu_t *device, uint64_t offset, uint64_t *value_p) {
    return device->ops->page_read64(device->backend, offset, value_p);
}

tmu_result_t tmu_raw_register(tmu_t *device, uint32_t offset, uint32_t value) {
    return device->ops->write32(device->backend, offset, value);
}

tmu_result_t tmu_raw_reset(tmu_t *device) { return device->control->reset(device); }

tmu_result_t tmu_raw_error(tmu_result_t result, const char *format, ...) {
    char sentence[256];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return tmu_error_set(result, "%s", sentence);
}
