/* SPDX-License-Identifier: Apache-2.0
 *
 * `ref:PRESET[?OPTIONS]`: the functional device as a backend.
 */
#include <stdlib.h>
#include <string.h>

#include "ref_device.h"
#include "tmu_barrier.h"

static void ref_close(void *backend) {
    ref_device_t *device = backend;
    while (device->regions) {
        ref_region_t *region = device->regions;
        device->regions = region->next;
        free(region);
    }
    ref_chunks_destroy(&device->chunks);
    device->match->destroy(device->matcher);
    free(device->answers.records);
    free(device->reserves);
    free(device->slots);
    free(device->turns);
    free(device->pages);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static tmu_result_t ref_open(const char *rest, void **backend_p) {
    ref_device_t *device = calloc(1, sizeof *device);
    if (!device) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for a functional device");
    }
    pthread_mutex_init(&device->lock, NULL);
    tmu_result_t result = ref_uri_read(device, rest);
    if (result != TMU_OK) {
        ref_close(device);
        return result;
    }
    ref_registers_start(device);
    const ref_preset_t *preset = device->preset;
    device->pages = calloc(preset->queues + 1, sizeof *device->pages);
    device->turns = calloc(preset->queues + 1, sizeof *device->turns);
    device->slots = calloc(preset->command_slots, sizeof *device->slots);
    device->reserves = calloc(preset->endpoints, sizeof *device->reserves);
    result = device->pages && device->turns && device->slots && device->reserves
                 ? ref_matcher_create(device)
                 : tmu_error_set(TMU_ERR_MEMORY, "no memory for a functional device");
    if (result != TMU_OK) {
        ref_close(device);
        return result;
    }
    *backend_p = device;
    return TMU_OK;
}

static tmu_result_t ref_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = ref_read_register(device, offset, value_p);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t ref_write32(void *backend, uint32_t offset, uint32_t value) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = ref_write_register(device, offset, value);
    pthread_mutex_unlock(&device->lock);
    return result;
}

/** Never TMU_AGAIN: the unit takes every write. */
static tmu_result_t ref_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    ref_device_t *device = backend;
    uint64_t page = offset / TMU_DOORBELL_PAGE_BYTES;
    uint64_t inside = offset % TMU_DOORBELL_PAGE_BYTES;
    bool in_pages = page <= device->preset->queues;
    bool command = in_pages && size == TMU_DOORBELL_COMMAND_BYTES &&
                   inside < TMU_DOORBELL_COMMAND_WINDOW_BYTES &&
                   inside % TMU_DOORBELL_COMMAND_BYTES == 0;
    bool word = in_pages && size == sizeof(uint32_t);
    bool consumer = word && inside == TMU_DOORBELL_CONSUMER_OFFSET;
    bool ask = word && inside == TMU_DOORBELL_ASK_OFFSET;
    pthread_mutex_lock(&device->lock);
    if (command) {
        tmu_record_t record;
        memcpy(&record, data, sizeof record);
        for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
            record.word[i] = tmu_le64(record.word[i]);
        }
        ref_page_push(device, (uint32_t)page, &record);
    } else if (consumer) {
        uint32_t index = 0;
        memcpy(&index, data, sizeof index);
        device->pages[page].consumer = tmu_le32(index);
    } else if (ask) {
        ref_picture_take(device);
    } else {
        device->counters[REF_COUNTER_doorbell_errors]++;
    }
    pthread_mutex_unlock(&device->lock);
    return TMU_OK;
}

static tmu_result_t ref_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = ref_picture_read(device, offset, value_p);
    pthread_mutex_unlock(&device->lock);
    return result;
}

static tmu_result_t ref_dma_alloc(void *backend, size_t bytes, tmu_dma_t *dma_p) {
    ref_device_t *device = backend;
    size_t alignment = bytes < 4096 ? 64 : 4096;
    size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
    ref_region_t *region = malloc(sizeof *region);
    void *memory = aligned_alloc(alignment, rounded);
    if (!region || !memory) {
        free(region);
        free(memory);
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %zu bytes of shared memory", bytes);
    }
    memset(memory, 0, rounded);
    *region = (ref_region_t){.address = (uint64_t)(uintptr_t)memory, .bytes = rounded};
    pthread_mutex_lock(&device->lock);
    region->next = device->regions;
    device->regions = region;
    pthread_mutex_unlock(&device->lock);
    *dma_p = (tmu_dma_t){.memory = memory, .bus_address = region->address, .bytes = bytes};
    return TMU_OK;
}

static void ref_dma_free(void *backend, tmu_dma_t *dma) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    for (ref_region_t **link = &device->regions; *link; link = &(*link)->next) {
        if ((*link)->address == dma->bus_address) {
            ref_region_t *region = *link;
            *link = region->next;
            free(region);
            break;
        }
    }
    pthread_mutex_unlock(&device->lock);
    free(dma->memory);
    *dma = (tmu_dma_t){0};
}

static bool writable(const ref_device_t *device, uint64_t address) {
    for (const ref_region_t *region = device->regions; region; region = region->next) {
        if (address >= region->address &&
            address + sizeof(tmu_record_t) <= region->address + region->bytes) {
            return true;
        }
    }
    return false;
}

/**
 * Writes answers while the ring has room; the phase-bearing word goes last.
 * A command started with room for one, so only a flush can find its ring full here.
 */
static void write_answers(ref_device_t *device) {
    ref_answers_t *answers = &device->answers;
    ref_page_t *page = &device->pages[answers->page];
    uint32_t size = UINT32_C(1) << page->log2;
    for (; answers->next < answers->count && page->produced - page->consumer != size;
         answers->next++) {
        tmu_record_t *record = &answers->records[answers->next];
        uint64_t address = page->base + (page->produced & (size - 1)) * sizeof *record;
        TMU_FIELD_SET(record, TMU_COMPLETION_PHASE, ~(page->produced >> page->log2) & 1);
        page->produced++;
        device->wrote = true;
        device->counters[REF_COUNTER_completions]++;
        if (!writable(device, address)) {
            device->counters[REF_COUNTER_completion_errors]++;
            continue;
        }
        uint64_t *words = (uint64_t *)(uintptr_t)address;
        for (size_t i = 0; i < TMU_RECORD_WORDS; i++) {
            if (i != TMU_COMPLETION_PHASE_WORD) {
                words[i] = tmu_le64(record->word[i]);
            }
        }
        tmu_store_phase_word(&words[TMU_COMPLETION_PHASE_WORD],
                             tmu_le64(record->word[TMU_COMPLETION_PHASE_WORD]));
    }
    if (answers->next == answers->count) {
        ref_answers_clear(answers);
    }
}

/** Answers that found their ring full wait, but not for ever: then the page is disabled (R13). */
static void wait_for_ring(ref_device_t *device) {
    ref_answers_t *answers = &device->answers;
    bool waits = answers->count > 0;
    device->counters[REF_COUNTER_completion_stall_clocks] += waits;
    answers->waiting = waits ? answers->waiting + 1 : 0;
    if (device->ring_patience != 0 && answers->waiting > device->ring_patience) {
        ref_page_disable(device, answers->page);
        device->counters[REF_COUNTER_ring_overruns]++;
        ref_answers_clear(answers);
    }
}

/** One clock: the rest of the last command's answers, or one more command. */
static void step(ref_device_t *device) {
    device->clock++;
    uint32_t page = 0;
    tmu_record_t command;
    if (device->answers.count == 0 && ref_page_pop(device, &page, &command)) {
        if (device->counters[REF_COUNTER_first_accept] == 0) {
            device->counters[REF_COUNTER_first_accept] = device->clock;
        }
        device->counters[REF_COUNTER_commands]++;
        device->counters[REF_COUNTER_busy_clocks]++;
        device->counters[REF_COUNTER_last_verdict] = device->clock;
        ref_execute(device, page, &command);
    }
    if (device->answers.count > 0) {
        write_answers(device);
        wait_for_ring(device);
    }
}

static bool failed(const ref_device_t *device) {
    return device->out_of_memory || device->matcher_wrong;
}

static tmu_result_t ref_progress(void *backend, unsigned max_clocks) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    device->wrote = false;
    for (unsigned i = 0; i < max_clocks && !device->wrote && !failed(device); i++) {
        step(device);
    }
    tmu_result_t result = TMU_OK;
    if (device->matcher_wrong) {
        result = tmu_error_set(TMU_ERR_DEVICE,
                               "the engine '%s' gave a verdict on an entry that is not there",
                               device->engine);
    } else if (device->out_of_memory) {
        result =
            tmu_error_set(TMU_ERR_MEMORY, "the engine '%s' has no memory left", device->engine);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

static uint64_t ref_clock(void *backend) {
    ref_device_t *device = backend;
    pthread_mutex_lock(&device->lock);
    uint64_t clock = device->clock;
    pthread_mutex_unlock(&device->lock);
    return clock;
}

const tmu_backend_ops_t tmu_backend_ref = {
    .scheme = "ref",
    .open = ref_open,
    .close = ref_close,
    .read32 = ref_read32,
    .write32 = ref_write32,
    .doorbell_write = ref_doorbell_write,
    .page_read64 = ref_page_read64,
    .dma_alloc = ref_dma_alloc,
    .dma_free = ref_dma_free,
    .progress = ref_progress,
    .clock = ref_clock,
};
