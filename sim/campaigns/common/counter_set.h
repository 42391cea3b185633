/* SPDX-License-Identifier: Apache-2.0 */
/* The few of the unit's counters that a measurement is about, by their names. */
#ifndef COUNTER_SET_H
#define COUNTER_SET_H

#include "tmu/tmu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* More than any unit has. */
#define COUNTERS_OF_A_UNIT 128
#define COUNTER_SET_MOST 16

/* A counter of the unit and its name in reports; neighbours with one name are added up there.  A
 * table ends with a row without a counter. */
typedef struct counter_row {
    const char *counter;
    const char *name;
} counter_row_t;

typedef struct counter_set {
    uint64_t value[COUNTER_SET_MOST]; /* by row of the table */
} counter_set_t;

/* Adds what the unit counted since its reset, all of one moment; a counter that it does not have
 * is 0.  Errors: those of tmu_counters. */
static inline tmu_result_t counter_set_add(counter_set_t *set, const counter_row_t *rows,
                                           tmu_t *device) {
    tmu_counter_t found[COUNTERS_OF_A_UNIT];
    size_t all = 0;
    const tmu_result_t result = tmu_counters(device, found, COUNTERS_OF_A_UNIT, &all);
    for (size_t i = 0; result == TMU_OK && i < all && i < COUNTERS_OF_A_UNIT; i++) {
        for (size_t j = 0; rows[j].counter; j++) {
            if (strcmp(found[i].name, rows[j].counter) == 0) {
                set->value[j] += found[i].value;
            }
        }
    }
    return result;
}

static inline void counter_set_subtract(counter_set_t *set, const counter_set_t *before) {
    for (size_t i = 0; i < COUNTER_SET_MOST; i++) {
        set->value[i] -= before->value[i];
    }
}

/* As members of a JSON object. */
static inline void counter_set_print(const counter_set_t *set, const counter_row_t *rows) {
    const char *comma = "";
    for (size_t i = 0; rows[i].counter; comma = ", ") {
        const char *name = rows[i].name;
        uint64_t sum = 0;
        do {
            sum += set->value[i++];
        } while (rows[i].counter && strcmp(rows[i].name, name) == 0);
        (void)printf("%s\"%s\": %" PRIu64, comma, name, sum);
    }
}

#endif
