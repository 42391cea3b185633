/* SPDX-License-Identifier: Apache-2.0 */
#include "shuffle.h"

#include <stdlib.h>
#include <string.h>

#include "tmu_barrier.h"
#include "tmu_record.h"

#define PAGES 65 /* of the preset tiny, the privileged one included */

typedef struct page {
    tmu_dma_t inner; /* where the device writes */
    uint32_t taken;
    tmu_record_t *outer; /* where the driver reads */
    uint32_t produced;
    uint32_t log2;
    tmu_record_t *waiting; /* in the order in which the device gave them */
    uint32_t count;
} page_t;

struct shuffle {
    void *ref;
    uint64_t state;
    uint32_t select;
    uint32_t base_lo;
    uint32_t base_hi;
    uint32_t config;
    page_t pages[PAGES];
};

static const tmu_backend_ops_t *const device = &tmu_backend_ref;

static uint32_t pick(shuffle_t *shuffle, uint32_t below) {
    shuffle->state = shuffle->state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(shuffle->state >> 33) % below;
}

shuffle_t *shuffle_open(void *ref, uint64_t seed) {
    shuffle_t *shuffle = calloc(1, sizeof *shuffle);
    if (shuffle) {
        shuffle->ref = ref;
        shuffle->state = seed;
    }
    return shuffle;
}

static void page_clear(shuffle_t *shuffle, page_t *page) {
    if (page->inner.memory) {
        device->dma_free(shuffle->ref, &page->inner);
    }
    free(page->waiting);
    *page = (page_t){0};
}

void shuffle_close(shuffle_t *shuffle) {
    for (uint32_t i = 0; shuffle && i < PAGES; i++) {
        page_clear(shuffle, &shuffle->pages[i]);
    }
    free(shuffle);
}

/* Gives the page that is selected a ring of the device's own. */
static tmu_result_t divert(shuffle_t *shuffle) {
    page_t *page = &shuffle->pages[shuffle->select % PAGES];
    page_clear(shuffle, page);
    page->log2 = TMU_REGISTER_GET(shuffle->config, TMU_RING_CONFIG_LOG2);
    size_t bytes = sizeof(tmu_record_t) << page->log2;
    page->outer = (tmu_record_t *)(uintptr_t)((uint64_t)shuffle->base_hi << 32 | shuffle->base_lo);
    page->waiting = malloc(bytes);
    tmu_result_t result = device->dma_alloc(shuffle->ref, bytes, &page->inner);
    if (!page->waiting || result != TMU_OK) {
        return TMU_ERR_MEMORY;
    }
    uint64_t base = page->inner.bus_address;
    (void)device->write32(shuffle->ref, TMU_REG_RING_BASE_LO, (uint32_t)base);
    (void)device->write32(shuffle->ref, TMU_REG_RING_BASE_HI, (uint32_t)(base >> 32));
    return TMU_OK;
}

tmu_result_t shuffle_write32(shuffle_t *shuffle, uint32_t offset, uint32_t value) {
    tmu_result_t result = TMU_OK;
    switch (offset) {
    case TMU_REG_PAGE_SELECT:
        shuffle->select = value;
        break;
    case TMU_REG_RING_BASE_LO:
        shuffle->base_lo = value;
        break;
    case TMU_REG_RING_BASE_HI:
        shuffle->base_hi = value;
        break;
    case TMU_REG_RING_CONFIG:
        shuffle->config = value;
        break;
    case TMU_REG_PAGE_COMMIT:
        result = divert(shuffle);
        break;
    default:
        break;
    }
    return result == TMU_OK ? device->write32(shuffle->ref, offset, value) : result;
}

/* Takes what the device has written. */
static void gather(page_t *page) {
    const tmu_record_t *ring = page->inner.memory;
    uint32_t size = UINT32_C(1) << page->log2;
    for (;;) {
        tmu_record_t record = ring[page->taken & (size - 1)];
        if (TMU_FIELD_GET(&record, TMU_COMPLETION_PHASE) != (~(page->taken >> page->log2) & 1)) {
            return;
        }
        page->waiting[page->count++] = record;
        page->taken++;
    }
}

static bool same_command(const tmu_record_t *a, const tmu_record_t *b) {
    return TMU_FIELD_GET(a, TMU_COMPLETION_OPCODE) == TMU_FIELD_GET(b, TMU_COMPLETION_OPCODE) &&
           TMU_FIELD_GET(a, TMU_COMPLETION_HANDLE) == TMU_FIELD_GET(b, TMU_COMPLETION_HANDLE);
}

/* Passes one on: that at the index, or an earlier one of the same command. */
static void pass_on(page_t *page, uint32_t index) {
    uint32_t size = UINT32_C(1) << page->log2;
    for (uint32_t i = 0; i < index; i++) {
        if (same_command(&page->waiting[i], &page->waiting[index])) {
            index = i;
        }
    }
    tmu_record_t record = page->waiting[index];
    page->count--;
    memmove(&page->waiting[index], &page->waiting[index + 1],
            (page->count - index) * sizeof record);
    TMU_FIELD_SET(&record, TMU_COMPLETION_PHASE, ~(page->produced >> page->log2) & 1);
    uint64_t *words = page->outer[page->produced & (size - 1)].word;
    memcpy(words + 1, record.word + 1, sizeof record - sizeof record.word[0]);
    tmu_store_phase_word(&words[TMU_COMPLETION_PHASE_WORD], record.word[TMU_COMPLETION_PHASE_WORD]);
    page->produced++;
}

tmu_result_t shuffle_progress(shuffle_t *shuffle, unsigned max_clocks) {
    tmu_result_t result = device->progress(shuffle->ref, max_clocks);
    for (uint32_t i = 0; i < PAGES; i++) {
        page_t *page = &shuffle->pages[i];
        if (page->inner.memory) {
            gather(page);
        }
        while (page->count > 0 && pick(shuffle, 4) != 0) {
            pass_on(page, pick(shuffle, page->count));
        }
    }
    return result;
}
