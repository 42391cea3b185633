/* SPDX-License-Identifier: Apache-2.0 */
#include "page.h"

tmu_result_t page_open(page_t *page, tmu_t *device, const tmu_queue_attr_t *attr) {
    *page = (page_t){0};
    return tmu_queue_open(device, attr, &page->queue);
}

tmu_result_t page_close(page_t *page) {
    const tmu_result_t result = tmu_queue_close(page->queue);
    page->queue = NULL;
    return result;
}

tmu_result_t page_stop(page_t *page) { return tmu_raw_enable(page->queue, false); }

tmu_result_t page_start(page_t *page) {
    *page = (page_t){.queue = page->queue};
    return tmu_raw_enable(page->queue, true);
}

tmu_result_t page_settle(tmu_t *device) {
    uint64_t number = 0;
    return tmu_raw_read(device, TMU_DOORBELL_PICTURE_OFFSET, &number);
}

tmu_result_t page_send(page_t *page, const operation_t *op) {
    const tmu_result_t result = tmu_raw_command(page->queue, page->slot, operation_command(op));
    page->slot += result == TMU_OK;
    return result;
}

bool page_take(page_t *page, tmu_completion_t *found_p) {
    const bool there = tmu_raw_completion(page->queue, page->read, found_p);
    page->read += there;
    return there;
}

tmu_result_t page_announce(page_t *page) {
    const tmu_result_t result = tmu_raw_consumer(page->queue, page->read);
    if (result == TMU_OK) {
        page->announced = page->read;
    }
    return result;
}

uint32_t page_ring(const page_t *page) { return tmu_raw_page(page->queue).entries; }

uint32_t page_share(const page_t *page) { return tmu_raw_page(page->queue).commands; }
