/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operations of the provider on the unit, and their answers, counted on this side of the
 * driver, to be compared with the unit's own counters at the end.
 */
#ifndef TMU_PROVIDER_COUNTS_H
#define TMU_PROVIDER_COUNTS_H

#include "tmu/tmu.h"

#include <stdio.h>

#define COUNTS_OPCODES 8u
#define COUNTS_STATUSES 32u
#define COUNTS_NAMES 24u

typedef struct {
    uint64_t asked[COUNTS_OPCODES];                     /* submitted, by opcode */
    uint64_t answered[COUNTS_OPCODES][COUNTS_STATUSES]; /* raw completions, attempts included */
    uint64_t truncated;
    uint64_t removed_posted;
    uint64_t removed_unexpected;
} counts_t;

/* Counts a raw completion, as an observer of the queue sees it. */
void counts_answer(counts_t *counts, const tmu_completion_t *completion);

/* Counts that the unit must have, under the names of its counters; returns their number. */
size_t counts_expected(const counts_t *counts, tmu_counter_t expected[static COUNTS_NAMES]);

/* Counters of a unit as they were read. */
typedef struct {
    const tmu_counter_t *counters;
    size_t count;
} counts_reading_t;

/*
 * Compares with the unit's counters, and what was asked with what was answered; `held` arrivals
 * are still held back by flow control.  The counters of a unit that is shared were `before` when it
 * was opened, and since then have grown by what others did as well, so they may be higher; of an
 * unshared one `before` is NULL.  Returns the differences, one sentence for each of them to
 * `report` (may be NULL), as members of a JSON list without its brackets.
 */
size_t counts_compare(const counts_t *counts, uint64_t held, counts_reading_t unit,
                      const counts_reading_t *before, FILE *report);

#endif
