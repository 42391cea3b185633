/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A doorbell page and its ring, below the driver's calls, as a kernel driver has them.
 *
 * The driver opens, configures and closes the page; commands and answers go past it, because it
 * lets nobody go, and no unit be reset, while commands are in flight.
 */
#ifndef SOAK_PAGE_H
#define SOAK_PAGE_H

#include "operation.h"
#include "tmu_raw.h"

typedef struct page {
    tmu_queue_t *queue; /* NULL: not open */
    uint32_t read;      /* completions */
    uint32_t announced; /* of them */
    uint32_t slot;      /* that the next command is written to, of all that ever were */
} page_t;

tmu_result_t page_open(page_t *page, tmu_t *device, const tmu_queue_attr_t *attr);
/* Whatever it has in flight is lost. */
tmu_result_t page_close(page_t *page);

/* Disables it: what has not begun never will.  All answers of what has begun are in the ring when
 * this returns; those that were there before have to be taken first. */
tmu_result_t page_stop(page_t *page);
/* With an empty ring, after page_stop or after a reset of the unit. */
tmu_result_t page_start(page_t *page);

/* Returns when all that was written to pages before has arrived. */
tmu_result_t page_settle(tmu_t *device);

/* TMU_AGAIN: the bus takes no more for now. */
tmu_result_t page_send(page_t *page, const operation_t *op);

/* The next answer, if there is one. */
bool page_take(page_t *page, tmu_completion_t *found_p);

/* Answers that the unit may think are not read yet. */
static inline uint32_t page_unannounced(const page_t *page) { return page->read - page->announced; }
tmu_result_t page_announce(page_t *page);

/* Entries of the ring. */
uint32_t page_ring(const page_t *page);
/* Commands that it may have in flight. */
uint32_t page_share(const page_t *page);

#endif
