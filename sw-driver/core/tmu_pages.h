/* SPDX-License-Identifier: Apache-2.0
 *
 * Which doorbell pages are open, and which command slots are theirs.
 *
 * Every function expects the device's lock held.
 */
#ifndef TMU_PAGES_H
#define TMU_PAGES_H

#include "tmu/tmu.h"

/* A page and its share of the command slots. */
typedef struct tmu_page {
    uint32_t number;
    uint32_t first;         /* slot of the share; a multiple of its size */
    uint32_t commands_log2; /* size of the share */
} tmu_page_t;

typedef struct tmu_pages {
    uint32_t queues; /* ordinary pages; the privileged one has this number */
    uint32_t slots;
    uint8_t *open;  /* by page: 1 */
    uint8_t *taken; /* by slot: 1 */
} tmu_pages_t;

/* TMU_ERR_INVALID and a sentence for a share of more slots than there are. */
tmu_result_t tmu_pages_check(uint32_t slots, uint32_t commands_log2);

tmu_result_t tmu_pages_init(tmu_pages_t *pages, uint32_t queues, uint32_t slots);
void tmu_pages_free(tmu_pages_t *pages);

/*
 * Takes a page, the lowest free one or the privileged one, and the lowest aligned free share of
 * 2^commands_log2 slots; 0 takes the largest there is up to 2^most_log2.
 * Errors: TMU_ERR_INVALID for more slots than the device has, TMU_ERR_BUSY when a page or slots are
 * not to be had; then nothing is taken.
 */
tmu_result_t tmu_pages_take(tmu_pages_t *pages, bool privileged, uint32_t commands_log2,
                            uint32_t most_log2, tmu_page_t *page_p);

void tmu_pages_give(tmu_pages_t *pages, const tmu_page_t *page);

#endif
