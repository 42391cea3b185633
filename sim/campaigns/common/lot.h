/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed repeats, the same on every machine: splitmix64. */
#ifndef RANDOM_LOT_H
#define RANDOM_LOT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct lot {
    uint64_t state;
} lot_t;

static inline uint64_t lot_draw(lot_t *lot) {
    uint64_t z = (lot->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Seeds far apart: with neighbours as states one sequence would only begin elsewhere in another. */
static inline lot_t lot_seeded(uint64_t seed) {
    lot_t lot = {seed};
    lot.state = lot_draw(&lot);
    return lot;
}

/* A number below a limit. */
static inline uint32_t lot_below(lot_t *lot, uint32_t limit) {
    return (uint32_t)(((lot_draw(lot) >> 32) * limit) >> 32);
}

static inline bool lot_chance(lot_t *lot, uint32_t of_1024) {
    return lot_below(lot, 1024) < of_1024;
}

#endif
