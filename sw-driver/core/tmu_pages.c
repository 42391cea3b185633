/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_pages.h"

#include <stdlib.h>
#include <string.h>

#include "backend.h"

tmu_result_t tmu_pages_init(tmu_pages_t *pages, uint32_t queues, uint32_t slots) {
    *pages = (tmu_pages_t){.queues = queues, .slots = slots};
    pages->open = calloc((size_t)queues + 1, 1);
    pages->taken = calloc(slots, 1);
    return pages->open && pages->taken ? TMU_OK : TMU_ERR_MEMORY;
}

void tmu_pages_free(tmu_pages_t *pages) {
    free(pages->open);
    free(pages->taken);
    *pages = (tmu_pages_t){0};
}

/* The lowest free share of this size; false if there is none. */
static bool find_share(const tmu_pages_t *pages, uint32_t log2, uint32_t *first_p) {
    uint32_t size = UINT32_C(1) << log2;
    for (uint32_t first = 0; first + size <= pages->slots; first += size) {
        if (!memchr(pages->taken + first, 1, size)) {
            *first_p = first;
            return true;
        }
    }
    return false;
}

tmu_result_t tmu_pages_check(uint32_t slots, uint32_t commands_log2) {
    return commands_log2 <= TMU_QUEUE_CONFIG_LOG2_MASK && slots >> commands_log2 != 0
               ? TMU_OK
               : tmu_error_set(TMU_ERR_INVALID,
                               "commands_log2 is %u: the device has %u command slots",
                               commands_log2, slots);
}

tmu_result_t tmu_pages_take(tmu_pages_t *pages, bool privileged, uint32_t commands_log2,
                            uint32_t most_log2, tmu_page_t *page_p) {
    tmu_page_t page = {.number = privileged ? pages->queues : 0};
    tmu_result_t result = tmu_pages_check(pages->slots, commands_log2);
    if (result != TMU_OK) {
        return result;
    }
    if (privileged && pages->open[page.number]) {
        return tmu_error_set(TMU_ERR_BUSY, "the privileged queue is open already");
    }
    while (!privileged && page.number < pages->queues && pages->open[page.number]) {
        page.number++;
    }
    if (!privileged && page.number == pages->queues) {
        return tmu_error_set(TMU_ERR_BUSY, "all %u queues of the device are open", pages->queues);
    }
    page.commands_log2 = commands_log2 > 0 ? commands_log2 : most_log2;
    bool found = find_share(pages, page.commands_log2, &page.first);
    while (!found && commands_log2 == 0 && page.commands_log2 > 0) {
        page.commands_log2--;
        found = find_share(pages, page.commands_log2, &page.first);
    }
    if (!found) {
        return tmu_error_set(TMU_ERR_BUSY,
                             "no %u of the %u command slots are free side by side; close a queue, "
                             "or open queues with a smaller commands_log2",
                             1u << page.commands_log2, pages->slots);
    }
    pages->open[page.number] = 1;
    memset(pages->taken + page.first, 1, (size_t)1 << page.commands_log2);
    *page_p = page;
    return TMU_OK;
}

void tmu_pages_give(tmu_pages_t *pages, const tmu_page_t *page) {
    pages->open[page->number] = 0;
    memset(pages->taken + page->first, 0, (size_t)1 << page->commands_log2);
}
