/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

#include "raw_doorbell.h"
#include "tmu_barrier.h"

tmu_result_t page_open(page_t *page, tmu_t *device, const tmu_queue_attr_t *attr) {
    *page = (page_t){0};
    return tmu_queue_open(device, attr, &page->queue);
}

tmu_result_t page_close(page_t *page) {
    const tmu_result_t result = tmu_queue_close(page->queue);
    page->queue = NULL;
    return result;
}

tmu_result_t page_stop(page_t *page) { return tmu_queue_configure(page->queue, false); }

tmu_result_t page_start(page_t *page) {
    *page = (page_t){.queue = page->queue};
    return tmu_queue_configure(page->queue, true);
}

tmu_result_t page_settle(tmu_t *device) {
    uint64_t number = 0;
    return device->ops->page_read64(device->backend, TMU_DOORBELL_PICTURE_OFFSET, &number);
}

tmu_result_t page_send(page_t *page, const operation_t *op) {
    tmu_record_t command = operation_command(op);
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++)
        command.word[i] = tmu_le64(command.word[i]);
    const tmu_result_t result = raw_doorbell(
        page->queue, (uint64_t)page->slot * TMU_DOORBELL_COMMAND_BYTES, &command, sizeof command);
    if (result == TMU_OK)
        page->slot =
            (page->slot + 1) % (TMU_DOORBELL_COMMAND_WINDOW_BYTES / TMU_DOORBELL_COMMAND_BYTES);
    return result;
}

bool page_take(page_t *page, tmu_completion_t *found_p) {
    const tmu_queue_t *queue = page->queue;
    const uint64_t *words = (const uint64_t *)queue->ring.memory +
                            (page->read & (queue->entries - 1)) * (size_t)TMU_RECORD_WORDS;
    const uint64_t lap = page->read >> queue->ring_log2;
    tmu_record_t record;
    record.word[TMU_COMPLETION_PHASE_WORD] =
        tmu_le64(tmu_load_phase_word(&words[TMU_COMPLETION_PHASE_WORD]));
    if (TMU_FIELD_GET(&record, TMU_COMPLETION_PHASE) != (~lap & 1))
        return false;
    for (size_t i = 0; i < TMU_RECORD_WORDS; i++)
        if (i != TMU_COMPLETION_PHASE_WORD)
            record.word[i] = tmu_le64(words[i]);
    tmu_wire_completion(&record, found_p);
    /* A ring is cleared when its page is stopped, and half of all laps have the phase 0. */
    if (found_p->status == 0)
        return false;
    page->read++;
    return true;
}

tmu_result_t page_announce(page_t *page) {
    tmu_order_reads_before_consumer();
    const tmu_result_t result = raw_consumer(page->queue, page->read);
    if (result == TMU_OK)
        page->announced = page->read;
    return result;
}

uint32_t page_ring(const page_t *page) { return page->queue->entries; }

uint32_t page_share(const page_t *page) { return 1u << page->queue->page.commands_log2; }
