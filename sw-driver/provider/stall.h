/* SPDX-License-Identifier: Apache-2.0 */
/* A unit that is full: who waits for room, and since when, in a sentence for the user. */
#ifndef TMU_PROVIDER_STALL_H
#define TMU_PROVIDER_STALL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct unit unit_t;

typedef struct {
    uint64_t since;   /* milliseconds; when something waited first, and nothing has changed since */
    uint64_t resumes; /* of the driver, then */
    uint64_t epoch;   /* of the unit, then */
    bool told;        /* that nothing changes */
} stall_t;

/*
 * Looks, as often as every few milliseconds, whether arrivals are held back or a receive of the
 * caller's is refused (R11) and nothing has moved for some seconds: a program whose messages do not
 * fit would stop in silence.  Told once for each standstill.
 */
void stall_look(unit_t *unit, bool receive_waits, uint64_t now_ms);

#endif
