/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device behind `ref:PRESET`: the reference model with the unit's registers,
 * doorbell pages and completion rings around it, so that every line of the driver above a backend
 * runs.
 *
 * It answers one command a step and knows no time: latencies read 0.
 * Doorbell writes are taken in order and wait when the command queue is full, consumer indices
 * included, as on the bus.
 */
#ifndef TMU_REF_DEVICE_H
#define TMU_REF_DEVICE_H

#include "backend.h"
#include "tmu_model.h"
#include "tmu_wire.h"

/** Registers with windows of filter ids. */
#define REF_FILTER_WINDOWS ((TMU_REG_FILTER_HIGH_HI - TMU_REG_FILTER_SOURCE) / 4 + 1)

/** One row of the generated preset table. */
typedef struct ref_preset {
    const char *name;
    uint32_t number;
    uint32_t endpoints;
    uint32_t posted_entries;
    uint32_t unexpected_entries;
    uint32_t lanes;
    uint32_t match_bits;
    uint32_t source_bits;
    uint32_t handle_bits;
    uint32_t address_bits;
    uint32_t length_bits;
    uint32_t id_bits;
    uint32_t command_queue;
} ref_preset_t;

/** The hardware's counters by name, in register order. */
enum {
#define REF_ROW(name, offset) REF_COUNTER_##name,
    TMU_COUNTER_TABLE(REF_ROW)
#undef REF_ROW
        REF_COUNTERS
};

typedef struct ref_page {
    uint64_t base;
    uint32_t log2;
    uint32_t produced;
    uint32_t consumer;
    bool enabled;
} ref_page_t;

typedef struct ref_command {
    uint32_t page;
    tmu_record_t record;
} ref_command_t;

/** Completions of one command; only a flush has more than one. */
typedef struct ref_answers {
    tmu_record_t *records;
    size_t count;
    size_t capacity;
    size_t next;      /* to write into the ring */
    uint64_t waiting; /* clocks that the ring has been full */
    uint32_t page;
} ref_answers_t;

/** Memory that the device may write; a ring outside of it is counted, not written. */
typedef struct ref_region {
    struct ref_region *next;
    uint64_t address;
    size_t bytes;
} ref_region_t;

typedef struct ref_device {
    tmu_error_t *error;
    const ref_preset_t *preset;
    tmu_model_t *model;
    ref_page_t *pages;
    ref_command_t *queue; /* oldest at queue_head */
    uint32_t queue_head;
    uint32_t queue_count;
    ref_answers_t answers;
    ref_region_t *regions;
    uint64_t clock;
    bool wrote; /* to memory, in this step */
    bool out_of_memory;

    uint32_t page_select;
    uint32_t ring_base_lo;
    uint32_t ring_base_hi;
    uint32_t ring_config;
    uint32_t endpoint_select;
    uint32_t quota_posted;
    uint32_t quota_unexpected;
    uint32_t ring_patience;
    uint32_t filter_windows[REF_FILTER_WINDOWS]; /* kept, and of no effect on lists */
    uint32_t endpoint_error;
    uint32_t depth_posted;
    uint32_t depth_unexpected;
    uint64_t counters[REF_COUNTERS];
    uint64_t snapshot[REF_COUNTERS];
} ref_device_t;

/** Nothing is left to write; the memory stays. */
static inline void ref_answers_clear(ref_answers_t *answers) {
    answers->count = 0;
    answers->next = 0;
    answers->waiting = 0;
}

/* ref_registers.c */

/** Gives kept registers what they hold at the start. */
void ref_registers_start(ref_device_t *device);
tmu_result_t ref_read32(void *backend, uint32_t offset, uint32_t *value_p);
tmu_result_t ref_write32(void *backend, uint32_t offset, uint32_t value);

/** Creates the model for the preset, in place of one that a reset throws away. */
tmu_result_t ref_model_create(ref_device_t *device);

/* ref_commands.c */

/** Carries one command out and fills `device->answers`. */
void ref_execute(ref_device_t *device, const ref_command_t *command);

#endif
