/* SPDX-License-Identifier: Apache-2.0
 *
 * A functional device whose completions reach their rings in another order than it gave them, as
 * those of a unit do that overtakes commands which have to look into memory.
 *
 * The device writes into rings of its own; what it wrote is passed on at random, later ones first
 * or earlier ones, but for what belongs to one command: the reports of a flush come before its
 * verdict.
 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include "backend.h"

typedef struct shuffle shuffle_t;

/* Wraps a device that ref's backend has opened; NULL without memory. */
shuffle_t *shuffle_open(void *ref, uint64_t seed);
void shuffle_close(shuffle_t *shuffle);

/* As the backend's functions of these names. */
tmu_result_t shuffle_write32(shuffle_t *shuffle, uint32_t offset, uint32_t value);
tmu_result_t shuffle_progress(shuffle_t *shuffle, unsigned max_clocks);

#endif
