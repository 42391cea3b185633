/* SPDX-License-Identifier: Apache-2.0
 *
 * Submission queues of the functional device: configuration, shares of the slots, whose turn it is.
 */
#include <string.h>

#include "ref_device.h"

bool ref_ring_has_room(const ref_page_t *page) {
    /* Only an exact lap ahead of the consumer is full, so that a wrong index stops nobody (R13). */
    return page->produced - page->consumer != UINT32_C(1) << page->log2;
}

/* Whether a page's next command may start.  On a card it may be a receive that waits, which is owed
 * a completion beside its answer, as all are that wait: so an unread ring holds up nobody (W5). */
static bool may_start(const ref_device_t *device, const ref_page_t *page) {
    const uint32_t size = UINT32_C(1) << page->log2;
    const uint32_t used = page->produced - page->consumer;
    return !device->card ? ref_ring_has_room(page) : used <= size && size - used >= page->owed + 2;
}

/* Whether a page may be enabled with this configuration. */
static bool acceptable(const ref_device_t *device, const ref_page_t *page) {
    bool privileged = device->page_select == device->preset->queues;
    return page->log2 >= TMU_RING_LOG2_MIN && page->log2 <= TMU_RING_LOG2_MAX &&
           (privileged || page->endpoint < device->preset->endpoints) &&
           page->first % page->share == 0 &&
           page->first + page->share <= device->preset->command_slots;
}

void ref_page_commit(ref_device_t *device) {
    uint64_t base = (uint64_t)device->ring_base_hi << 32 | device->ring_base_lo;
    ref_page_t page = {
        .base = base & ~(uint64_t)(sizeof(tmu_record_t) - 1),
        .log2 = TMU_REGISTER_GET(device->ring_config, TMU_RING_CONFIG_LOG2),
        .enabled = TMU_REGISTER_GET(device->ring_config, TMU_RING_CONFIG_ENABLE) != 0,
        .endpoint = device->page_endpoint,
        .first = TMU_REGISTER_GET(device->queue_config, TMU_QUEUE_CONFIG_FIRST),
        .share = UINT32_C(1) << TMU_REGISTER_GET(device->queue_config, TMU_QUEUE_CONFIG_LOG2),
    };
    device->page_error = device->page_select > device->preset->queues ||
                         (page.enabled && !acceptable(device, &page));
    if (device->page_error != 0) {
        return;
    }
    ref_page_t *old = &device->pages[device->page_select];
    page.in_turn = old->in_turn; /* the list passes over it while nothing waits */
    page.life = old->life + 1;
    *old = page;
    if (device->answers.page == device->page_select) {
        ref_answers_clear(&device->answers); /* the rest of a flush belongs to the old ring */
    }
}

static void take_turn(ref_device_t *device, uint32_t number) {
    uint32_t room = device->preset->queues + 1;
    device->turns[(device->turn_first + device->turn_count) % room] = number;
    device->turn_count++;
    device->pages[number].in_turn = true;
}

void ref_page_push(ref_device_t *device, uint32_t number, const tmu_record_t *command) {
    ref_page_t *page = &device->pages[number];
    if (!page->enabled) {
        device->counters[REF_COUNTER_disabled_drops]++;
        return;
    }
    if (page->count == page->share) {
        device->counters[REF_COUNTER_queue_overruns]++;
        return;
    }
    device->slots[page->first + (page->head + page->count) % page->share] = *command;
    page->count++;
    if (!page->in_turn) {
        take_turn(device, number);
    }
}

bool ref_page_pop(ref_device_t *device, uint32_t *page_p, tmu_record_t *command_p) {
    bool found = false;
    for (uint32_t left = device->turn_count; left > 0 && !found; left--) {
        uint32_t number = device->turns[device->turn_first];
        ref_page_t *page = &device->pages[number];
        device->turn_first = (device->turn_first + 1) % (device->preset->queues + 1);
        device->turn_count--;
        page->in_turn = false;
        if (page->count > 0 && may_start(device, page)) {
            *command_p = device->slots[page->first + page->head];
            *page_p = number;
            page->head = (page->head + 1) % page->share;
            page->count--;
            found = true;
        }
        if (page->count > 0) {
            take_turn(device, number);
        }
    }
    return found;
}

bool ref_page_work(const ref_device_t *device) {
    for (uint32_t i = 0; i < device->turn_count; i++) {
        uint32_t at = (device->turn_first + i) % (device->preset->queues + 1);
        const ref_page_t *page = &device->pages[device->turns[at]];
        if (page->count > 0 && may_start(device, page)) {
            return true;
        }
    }
    return false;
}

void ref_page_disable(ref_device_t *device, uint32_t number) {
    ref_page_t *page = &device->pages[number];
    page->count = 0;
    page->enabled = false;
}

void ref_pages_clear(ref_device_t *device) {
    memset(device->pages, 0, (device->preset->queues + 1) * sizeof *device->pages);
    device->turn_count = 0;
    ref_answers_clear(&device->answers);
}
