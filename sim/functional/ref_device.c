/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device as a library (sim/device/tmu_sim.h).
 */
#include "card.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tmu_barrier.h"

#define MAPPED_BYTES ((size_t)1 << 20) /* of memory that is mapped, at least */

void tmu_sim_close(ref_device_t *device) {
    while (device->regions) {
        ref_region_t *region = device->regions;
        device->regions = region->next;
        free(region);
    }
    card_close(device->card);
    if (!unit_record_close(device->record)) {
        (void)fprintf(stderr, "%s: the record could not be written\n", device->stem);
    }
    ref_chunks_destroy(&device->chunks);
    if (device->match) {
        device->match->destroy(device->matcher);
    }
    free(device->answers.records);
    free(device->reserves);
    free(device->slots);
    free(device->turns);
    free(device->pages);
    free(device);
}

/* Sets up the state that the options ask for; false and a sentence without memory. */
static bool start(ref_device_t *device) {
    const ref_preset_t *preset = device->preset;
    ref_registers_start(device);
    device->pages = calloc(preset->queues + 1, sizeof *device->pages);
    device->turns = calloc(preset->queues + 1, sizeof *device->turns);
    device->slots = calloc(preset->command_slots, sizeof *device->slots);
    device->reserves = calloc(preset->endpoints, sizeof *device->reserves);
    if (!device->pages || !device->turns || !device->slots || !device->reserves) {
        (void)snprintf(device->error, sizeof device->error, "no memory for a functional device");
        return false;
    }
    if (!ref_matcher_create(device)) {
        return false;
    }
    if (device->stem[0] != '\0') {
        device->record = unit_record_open(device->stem, device->error, sizeof device->error);
        if (!device->record) {
            return false;
        }
    }
    device->card = device->link[0] != '\0' ? card_open(device, device->link) : NULL;
    return device->link[0] == '\0' || device->card;
}

ref_device_t *tmu_sim_open(const char *options, char *error, size_t error_size) {
    ref_device_t *device = calloc(1, sizeof *device);
    if (!device) {
        (void)snprintf(error, error_size, "no memory for a functional device");
        return NULL;
    }
    if (!ref_options_read(device, options) || !start(device)) {
        (void)snprintf(error, error_size, "%s", device->error);
        tmu_sim_close(device);
        return NULL;
    }
    return device;
}

int tmu_sim_read32(ref_device_t *device, uint32_t offset, uint32_t *value_p) {
    return ref_read_register(device, offset, value_p);
}

int tmu_sim_write32(ref_device_t *device, uint32_t offset, uint32_t value) {
    return ref_write_register(device, offset, value);
}

/* Always 0: the unit takes every write. */
int tmu_sim_doorbell(ref_device_t *device, uint64_t offset, const void *data, size_t size) {
    uint64_t page = offset / TMU_DOORBELL_PAGE_BYTES;
    uint64_t inside = offset % TMU_DOORBELL_PAGE_BYTES;
    bool in_pages = page <= device->preset->queues;
    bool command = in_pages && size == TMU_DOORBELL_COMMAND_BYTES &&
                   inside < TMU_DOORBELL_COMMAND_WINDOW_BYTES &&
                   inside % TMU_DOORBELL_COMMAND_BYTES == 0;
    bool word = in_pages && size == sizeof(uint32_t);
    bool consumer = word && inside == TMU_DOORBELL_CONSUMER_OFFSET;
    bool ask = word && inside == TMU_DOORBELL_ASK_OFFSET;
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
        ref_snapshot_take(device);
    } else {
        device->counters[REF_COUNTER_doorbell_errors]++;
    }
    return 0;
}

int tmu_sim_doorbell_read(ref_device_t *device, uint64_t offset, uint64_t *value_p) {
    return ref_snapshot_read(device, offset, value_p);
}

/* Zeroed memory; much of it costs nothing before it is touched. */
static void *memory_new(size_t alignment, size_t bytes) {
    if (bytes < MAPPED_BYTES) {
        void *memory = aligned_alloc(alignment, bytes);
        return memory ? memset(memory, 0, bytes) : NULL;
    }
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory != MAP_FAILED ? memory : NULL;
}

static void memory_delete(void *memory, size_t bytes) {
    if (bytes < MAPPED_BYTES) {
        free(memory);
    } else {
        (void)munmap(memory, bytes);
    }
}

void *tmu_sim_memory_alloc(ref_device_t *device, size_t bytes, uint64_t *bus_address_p) {
    size_t alignment = bytes < 4096 ? 64 : 4096;
    size_t rounded = (bytes + alignment - 1) & ~(alignment - 1);
    ref_region_t *region = malloc(sizeof *region);
    void *memory = region ? memory_new(alignment, rounded) : NULL;
    if (!memory) {
        free(region);
        return NULL;
    }
    *region = (ref_region_t){
        .address = (uint64_t)(uintptr_t)memory, .bytes = rounded, .next = device->regions};
    device->regions = region;
    *bus_address_p = region->address;
    return memory;
}

void tmu_sim_memory_free(ref_device_t *device, void *memory) {
    for (ref_region_t **link = &device->regions; *link; link = &(*link)->next) {
        if ((*link)->address == (uint64_t)(uintptr_t)memory) {
            ref_region_t *region = *link;
            *link = region->next;
            memory_delete(memory, region->bytes);
            free(region);
            return;
        }
    }
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

/* The phase-bearing word goes last. */
void ref_write_completion(ref_device_t *device, uint32_t number, tmu_record_t *record) {
    ref_page_t *page = &device->pages[number];
    uint32_t size = UINT32_C(1) << page->log2;
    uint64_t address = page->base + (page->produced & (size - 1)) * sizeof *record;
    TMU_FIELD_SET(record, TMU_COMPLETION_PHASE, ~(page->produced >> page->log2) & 1);
    page->produced++;
    device->wrote = true;
    device->counters[REF_COUNTER_completions]++;
    if (!writable(device, address)) {
        device->counters[REF_COUNTER_completion_errors]++;
        return;
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

/*
 * Writes answers while the ring has room.
 * A command started with room for one, so only a flush can find its ring full here.
 */
static void write_answers(ref_device_t *device) {
    ref_answers_t *answers = &device->answers;
    const ref_page_t *page = &device->pages[answers->page];
    for (; answers->next < answers->count && ref_ring_has_room(page); answers->next++) {
        ref_write_completion(device, answers->page, &answers->records[answers->next]);
    }
    if (answers->next == answers->count) {
        ref_answers_clear(answers);
    }
}

/* Answers that found their ring full wait, but not for ever: then the page is disabled (R13). */
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

/* One clock: the rest of the last command's answers, or one more command. */
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
    if (device->card) {
        card_write_completions(device->card);
    }
}

static bool failed(const ref_device_t *device) {
    return device->out_of_memory || device->matcher_wrong;
}

int tmu_sim_progress(ref_device_t *device, unsigned max_clocks) {
    unsigned run = 0;
    device->wrote = false;
    if (device->card && !card_progress(device->card) && !ref_page_work(device)) {
        (void)sched_yield(); /* time passes for its peers as well */
    }
    for (; run < max_clocks && !device->wrote && !failed(device); run++) {
        step(device);
    }
    if (device->matcher_wrong) {
        (void)snprintf(device->error, sizeof device->error,
                       "the engine '%s' gave a verdict on an entry that is not there",
                       device->engine);
    } else if (device->out_of_memory) {
        (void)snprintf(device->error, sizeof device->error, "the engine '%s' has no memory left",
                       device->engine);
    }
    return failed(device) ? -1 : (int)run;
}

uint64_t tmu_sim_clock(const ref_device_t *device) { return device->clock; }

const char *tmu_sim_error(const ref_device_t *device) { return device->error; }
