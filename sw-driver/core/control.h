/* SPDX-License-Identifier: Apache-2.0
 *
 * Acts off the data path: finding out what the device is, resetting it, giving queues their
 * pages and rings, and reading depths and counters.
 *
 * The owner of a device does that by its registers (control_registers.c); a session asks the
 * program that shares the device (control_session.c).  Doorbells, rings, bounds and flow control
 * see no difference, but that a session's endpoints have other numbers in the unit.
 *
 * Every function expects the device's lock held, or that nobody else has the device yet.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "backend.h"
#include "tmu_pages.h"

/* An endpoint as the unit knows it. */
typedef struct tmu_granted {
    uint32_t number;
    uint32_t serial; /* that the unit gives its first verdict; in a session it has 0 */
} tmu_granted_t;

typedef struct tmu_control_ops {
    /* Fills in device->info, and in a session device->granted. */
    tmu_result_t (*discover)(tmu_t *device);

    /* Sets an empty device up, once all of its parts are there. */
    tmu_result_t (*start)(tmu_t *device);

    /* Empties the device; limits and memory are as before, queues are as tmu_queue_configure finds
     * them. */
    tmu_result_t (*reset)(tmu_t *device);

    /* Gives a page, slots and a ring; `most_log2` as for tmu_pages_take.  All of it or nothing. */
    tmu_result_t (*queue_take)(tmu_t *device, const tmu_queue_attr_t *attr, uint32_t most_log2,
                               tmu_page_t *page_p, tmu_dma_t *ring_p);
    /* Has the page work with an empty ring, or not at all. */
    tmu_result_t (*queue_set)(tmu_queue_t *queue, bool enable);
    void (*queue_give)(tmu_t *device, const tmu_page_t *page, tmu_dma_t *ring);

    tmu_result_t (*limits)(tmu_t *device, uint32_t endpoint, tmu_depth_t quota,
                           tmu_depth_t reserve);
    tmu_result_t (*depth)(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p);
    /* Copies up to `max` counters of a snapshot, in the order of TMU_COUNTER_TABLE. */
    tmu_result_t (*counters)(tmu_t *device, uint64_t *values, size_t max);
    tmu_result_t (*spill_stats)(tmu_t *device, tmu_spill_stats_t *stats_p);
} tmu_control_ops_t;

extern const tmu_control_ops_t tmu_control_registers;
extern const tmu_control_ops_t tmu_control_session;

/* Takes the INTERFACE_VERSION register's value into device->info; TMU_ERR_VERSION and a sentence
 * for another major one. */
tmu_result_t tmu_control_version(tmu_t *device, uint32_t version);

/* TMU_ERR_INVALID with a sentence in a session, for what would concern all others. */
tmu_result_t tmu_control_check(const tmu_t *device, const char *what);

#endif
