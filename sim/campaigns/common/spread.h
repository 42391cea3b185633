/* SPDX-License-Identifier: Apache-2.0 */
/* Latencies of completions in three figures. */
#ifndef LATENCY_SPREAD_H
#define LATENCY_SPREAD_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct spread {
    uint16_t p50;
    uint16_t p99;
    uint16_t max;
} spread_t;

static inline int spread_by_value(const void *left, const void *right) {
    const uint16_t a = *(const uint16_t *)left;
    const uint16_t b = *(const uint16_t *)right;
    return (a > b) - (a < b);
}

/* Sorts the values; all 0 without any. */
static inline spread_t spread_of(uint16_t *values, size_t count) {
    if (count == 0) {
        return (spread_t){0};
    }
    qsort(values, count, sizeof *values, spread_by_value);
    return (spread_t){values[count / 2], values[count * 99 / 100], values[count - 1]};
}

/* As a member of a JSON object. */
static inline void spread_print(const char *name, const spread_t *s) {
    (void)printf("\"%s\": {\"p50\": %u, \"p99\": %u, \"max\": %u}", name, s->p50, s->p99, s->max);
}

#endif
