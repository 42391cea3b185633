/* SPDX-License-Identifier: Apache-2.0 */
/* The few of the unit's counters that a measurement is about, by their names. */
#ifndef COUNTER_SUMS_H
#define COUNTER_SUMS_H

#include "tmu/tmu.h"

#include <string.h>

/* More than any unit has. */
#define COUNTER_SUMS_MOST 128

/* A counter of the unit is added to `*value`; one value may have several. */
typedef struct counter_sum {
    const char *name;
    uint64_t *value;
} counter_sum_t;

/* Adds what the unit counted since its reset, all of one moment.  Values of counters that it does
 * not have stay as they are.  Errors: those of tmu_counters. */
static inline tmu_result_t counter_sums(tmu_t *device, const counter_sum_t *sums, size_t count) {
    tmu_counter_t found[COUNTER_SUMS_MOST];
    size_t all = 0;
    const tmu_result_t result = tmu_counters(device, found, COUNTER_SUMS_MOST, &all);
    for (size_t i = 0; result == TMU_OK && i < all && i < COUNTER_SUMS_MOST; i++)
        for (size_t j = 0; j < count; j++)
            if (strcmp(found[i].name, sums[j].name) == 0)
                *sums[j].value += found[i].value;
    return result;
}

#endif
