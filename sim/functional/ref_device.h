/* SPDX-License-Identifier: Apache-2.0
 *
 * The functional device: the reference model, or with `engine=NAME` a software engine, with the
 * unit's registers, doorbell pages and completion rings around it, so that every line of the driver
 * above a backend runs.
 *
 * Its library has the interface of sim/device/tmu_sim.h; the driver loads it for `ref:`.
 * Its options follow the colon there: PRESET[?engine=NAME&link=ADDRESS&record=STEM
 * &PARAMETER=NUMBER...].
 * With a link it is a card (card.h), whose network runs in real time.
 * The device has no waveform, no memory of the caller's and no reset but the register's.
 *
 * A step answers one command and knows no time: latencies read 0.
 * Every doorbell write is taken at once: a command waits in its page's share of the command slots,
 * and one that finds no free slot is dropped and counted.
 * Pages with commands are served in turn, one command each; a page whose ring has no room for an
 * answer is passed over, so that it stops nobody but itself (R13).
 *
 * Into memory registered for spill it writes nothing, and a dump shows all entries as if they were
 * on chip; but it counts them by chunks (ref_chunks.h), so that it says that memory is used up
 * where the hardware would that has nothing under way.  A flush of a part of a queue counts as one
 * of its oldest entries there.
 */
#ifndef TMU_REF_DEVICE_H
#define TMU_REF_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ref_chunks.h"
#include "ref_matcher.h"
#include "tmu/tmu_regs.h"
#include "tmu_record.h"
#include "tmu_sim.h"
#include "unit_record.h"

/* Registers with windows of filter ids. */
#define REF_ERROR_BYTES 512
#define REF_LINK_BYTES 128
#define REF_RECORD_BYTES 1024
#define REF_FILTER_WINDOWS ((TMU_REG_FILTER_HIGH_HI - TMU_REG_FILTER_SOURCE) / 4 + 1)

/* One row of the generated preset table, or a configuration that the URI describes. */
typedef struct ref_preset {
    const char *name;
    uint32_t number;
#define REF_MEMBER(name, least, most) uint32_t name;
    TMU_PARAMETER_TABLE(REF_MEMBER)
#undef REF_MEMBER
} ref_preset_t;

/* Match bits that are kept: the context above the tag. */
static inline uint32_t ref_match_bits(const ref_preset_t *preset) {
    return preset->context_bits + preset->tag_bits;
}

/* The hardware's counters by name, in register order. */
enum {
#define REF_ROW(name, offset) REF_COUNTER_##name,
    TMU_COUNTER_TABLE(REF_ROW)
#undef REF_ROW
        REF_COUNTERS
};

/* A submission queue: a ring, and commands that wait in a share of the slots. */
typedef struct ref_page {
    uint64_t base;
    uint32_t log2;
    uint32_t produced;
    uint32_t consumer;
    uint32_t endpoint;
    uint32_t first; /* of its slots */
    uint32_t share; /* slots, a power of two */
    uint32_t head;  /* oldest waiting command, counted from `first` */
    uint32_t count; /* commands that wait */
    bool enabled;
    bool in_turn;  /* it is in the list of pages to serve */
    uint32_t owed; /* completions that a card's network will bring or has */
    uint32_t life; /* configurations: what an earlier owner is owed is told to nobody (W8) */
} ref_page_t;

/* Completions of one command; only a flush has more than one. */
typedef struct ref_answers {
    tmu_record_t *records;
    size_t count;
    size_t capacity;
    size_t next;      /* to write into the ring */
    uint64_t waiting; /* clocks that the ring has been full */
    uint32_t page;
} ref_answers_t;

/* Memory that the device may write; a ring outside of it is counted, not written. */
typedef struct ref_region {
    struct ref_region *next;
    uint64_t address;
    size_t bytes;
} ref_region_t;

/* Entries of the tables reserved for an endpoint. */
typedef struct ref_reserve {
    uint32_t posted;
    uint32_t unexpected;
} ref_reserve_t;

/* The interface of a simulated device knows it by this name. */
typedef struct tmu_sim ref_device_t;

struct ref_card;

struct tmu_sim {
    struct ref_card *card;       /* its network side, if it has a link */
    char link[REF_LINK_BYTES];   /* the link's address; empty: none */
    char stem[REF_RECORD_BYTES]; /* of the record's files; empty: none */
    unit_record_t *record;       /* of what its unit decides, or NULL */
    char error[REF_ERROR_BYTES]; /* what is wrong with the options, or with the device */
    ref_preset_t own;            /* what the URI describes */
    const ref_preset_t *preset;  /* it, to read */
    const ref_matcher_ops_t *match;
    const char *engine; /* its name */
    void *matcher;
    ref_page_t *pages;
    tmu_record_t *slots;
    uint32_t *turns; /* pages with commands; the one to serve next is at turn_first */
    uint32_t turn_first;
    uint32_t turn_count;
    ref_answers_t answers;
    ref_region_t *regions;
    uint64_t clock;
    bool wrote; /* to memory, in this step */
    bool out_of_memory;
    bool matcher_wrong; /* it has named an entry that is not there */

    uint32_t page_select;
    uint32_t ring_base_lo;
    uint32_t ring_base_hi;
    uint32_t ring_config;
    uint32_t page_endpoint;
    uint32_t queue_config;
    uint32_t page_error;
    uint32_t endpoint_select;
    uint32_t quota_posted;
    uint32_t quota_unexpected;
    uint32_t reserve_posted;
    uint32_t reserve_unexpected;
    uint32_t ring_patience;
    uint32_t filter_windows[REF_FILTER_WINDOWS]; /* kept, and of no effect on lists */
    uint32_t endpoint_error;
    uint32_t depth_posted;
    uint32_t depth_unexpected;
    uint32_t spill_base_lo;
    uint32_t spill_base_hi;
    uint32_t fault_select;
    uint32_t spill_select;
    bool look_error;         /* the last look was at an endpoint that is not there */
    uint32_t segments;       /* of memory that is registered */
    ref_chunks_t chunks;     /* once there is one */
    bool full;               /* it had no slot for the last command's entry, if that had one */
    ref_reserve_t *reserves; /* by endpoint */
    uint32_t spill_error;    /* the last commit was one too many */
    uint64_t counters[REF_COUNTERS];
    uint64_t snapshot[REF_COUNTERS];      /* that registers show */
    uint64_t page_snapshot[REF_COUNTERS]; /* that the pages show */
    uint32_t page_snapshots;              /* so many there were */
};

/* Nothing is left to write; the memory stays. */
static inline void ref_answers_clear(ref_answers_t *answers) {
    answers->count = 0;
    answers->next = 0;
    answers->waiting = 0;
}

/* ref_registers.c */

/* Gives kept registers what they hold at the start. */
void ref_registers_start(ref_device_t *device);
/* As tmu_sim_read32 and tmu_sim_write32. */
int ref_read_register(ref_device_t *device, uint32_t offset, uint32_t *value_p);
int ref_write_register(ref_device_t *device, uint32_t offset, uint32_t value);

/* Copies all counters as they are now. */
void ref_counters_copy(ref_device_t *device, uint64_t counters[REF_COUNTERS]);

/* Creates the matcher for the preset, in place of one that a reset throws away; false and a
 * sentence without memory. */
bool ref_matcher_create(ref_device_t *device);

/* ref_options.c */

/* Reads preset, parameters and engine; false and a sentence where one is unknown. */
bool ref_options_read(ref_device_t *device, const char *options);

/* ref_decode.c */

/* Whether a command has a form error (R13). */
bool ref_malformed(const ref_device_t *device, const tmu_record_t *command);

/* The id that names no receive. */
uint32_t ref_id_none(const ref_device_t *device);

/* ref_commands.c */

/* Carries one command of a page out and fills `device->answers`. */
void ref_execute(ref_device_t *device, uint32_t page, const tmu_record_t *command);

/* Carries out the arrival of a message from a card's network; its completion, which nobody is told
 * yet. */
tmu_record_t ref_execute_arrival(ref_device_t *device, uint32_t endpoint,
                                 const tmu_record_t *command);

/* ref_device.c */

/* Writes a completion into the ring of a page, which has room for it. */
void ref_write_completion(ref_device_t *device, uint32_t page, tmu_record_t *record);

/* ref_spill.c */

/* Takes a segment, or sets the error bit and changes nothing. */
void ref_spill_commit(ref_device_t *device, uint32_t value);

/* Without memory, as after a reset. */
void ref_spill_clear(ref_device_t *device);

/* Gives the selected endpoint the reserves that are written down. */
void ref_spill_reserve(ref_device_t *device);

/* Tells the matcher, before a command that may be queued, whether its entry has a slot. */
void ref_spill_prepare(ref_device_t *device, tmu_model_queue_t queue, uint32_t endpoint);

/* Takes over a command's effect on the queues. */
void ref_spill_follow(ref_device_t *device, uint8_t opcode, const tmu_model_verdict_t *verdict);

/* Number of free chunks. */
uint32_t ref_spill_free(const ref_device_t *device);

/* Whether memory, and not only a quota, refuses what was refused just now. */
bool ref_spill_used_up(const ref_device_t *device);

/* ref_snapshot.c */

/* Takes the snapshot that the pages show; at once, however old the last one is. */
void ref_snapshot_take(ref_device_t *device);

/* Reads a word of the snapshot on a page; 1 and counted where nothing is readable. */
int ref_snapshot_read(ref_device_t *device, uint64_t offset, uint64_t *value_p);

/* ref_pages.c */

/* Takes the selected page's configuration over, or sets the error bit and changes nothing. */
void ref_page_commit(ref_device_t *device);

/* Takes a command into the page's share, or drops and counts it. */
void ref_page_push(ref_device_t *device, uint32_t page, const tmu_record_t *command);

/* Whether one more completion fits. */
bool ref_ring_has_room(const ref_page_t *page);

/* The next command in turn whose ring has room; false if there is none.  It leaves its slot. */
bool ref_page_pop(ref_device_t *device, uint32_t *page_p, tmu_record_t *command_p);

/* Whether some command waits for more than room in its ring. */
bool ref_page_work(const ref_device_t *device);

/* Disables a page; the commands that wait in it are lost. */
void ref_page_disable(ref_device_t *device, uint32_t page);

/* Every page as after power-on, for a reset. */
void ref_pages_clear(ref_device_t *device);

#endif
