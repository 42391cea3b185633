/* SPDX-License-Identifier: Apache-2.0
 *
 * Doorbells, rings and registers past the driver, for programs that write them themselves: those
 * that keep to no rule (sim/campaigns/isolation, queues), and those that let an owner go or reset a
 * unit while commands are in flight, as a kernel driver does (sim/campaigns/soak).
 *
 * The driver opens, configures and closes the queue.  Of what is written here it knows nothing, and
 * what the unit answers is read here as well: between the first command and the last answer no
 * function of tmu.h that submits to the queue or polls it may be called, and a poll of another
 * queue must be kept away by tmu_raw_hold.
 * Nothing is checked; a wrong write is the unit's to refuse (R13).
 *
 * These functions are in the static library alone, and are no part of the installed interface.
 */
#ifndef TMU_RAW_H
#define TMU_RAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tmu/tmu.h"
#include "tmu_record.h"

/** Values of a queue that do not change while it is open. */
typedef struct tmu_raw_page {
    uint32_t number;   /**< of its doorbell page */
    uint32_t commands; /**< that may be in flight: its share of the command slots */
    uint32_t entries;  /**< of its ring */
} tmu_raw_page_t;

tmu_raw_page_t tmu_raw_page(const tmu_queue_t *queue);

/** Keeps polls of other queues from taking this one's answers, until it is released. */
void tmu_raw_hold(tmu_queue_t *queue);
void tmu_raw_release(tmu_queue_t *queue);

/**
 * One write of 4 or 64 bytes at an offset from the start of the queue's page, which may lie beyond
 * it.  TMU_AGAIN: the bus takes no more for now, nothing was written.
 */
tmu_result_t tmu_raw_doorbell(const tmu_queue_t *queue, uint64_t offset, const void *data,
                              size_t size);

/** A command in a slot of the page's window, counted from 0 and modulo their number. */
tmu_result_t tmu_raw_command(const tmu_queue_t *queue, uint32_t slot, tmu_record_t command);

/** The selective fields of a command: post, probe, claim, flush; the exact ones of an arrive. */
void tmu_raw_key(tmu_record_t *command, const tmu_key_t *key);

/** Claims that `count` completions have been read, modulo 2^32. */
tmu_result_t tmu_raw_consumer(const tmu_queue_t *queue, uint32_t count);

/** The completion after `read` others since the page was enabled; false if it is not there yet. */
bool tmu_raw_completion(const tmu_queue_t *queue, uint32_t read, tmu_completion_t *completion_p);

/** Has the page work with an empty ring, or not at all; whatever is in flight is lost. */
tmu_result_t tmu_raw_enable(tmu_queue_t *queue, bool enable);

/** Reads 8 bytes of the doorbell pages, after all writes before. */
tmu_result_t tmu_raw_read(tmu_t *device, uint64_t offset, uint64_t *value_p);

/** Writes a register. */
tmu_result_t tmu_raw_register(tmu_t *device, uint32_t offset, uint32_t value);

/** Resets the unit whatever is in flight (R14); pages are as tmu_raw_enable finds them. */
tmu_result_t tmu_raw_reset(tmu_t *device);

/** Records this thread's sentence (tmu_error_text) and returns `result`. */
tmu_result_t tmu_raw_error(tmu_result_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
