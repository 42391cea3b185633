/* SPDX-License-Identifier: Apache-2.0 */
/* The reports of an endpoint's flushes, kept until the flush has its own verdict (R14). */
#ifndef SOAK_REMOVALS_H
#define SOAK_REMOVALS_H

#include "ledger.h"
#include "tmu/tmu.h"
#include "tmu_model.h"

/* All zero: none. */
typedef struct removals {
    tmu_completion_t *found;
    size_t count;
    size_t room;
} removals_t;

void removals_free(removals_t *removals);

/* False without memory. */
bool removals_keep(removals_t *removals, const tmu_completion_t *found);

/* The reports of the flush with that handle go to the ledger; they are kept. */
void removals_tell(const removals_t *removals, uint64_t flush, ledger_t *ledger);

/*
 * Whether the next report of a flush names this entry.  Each queue's reports come oldest first;
 * between the queues there is no order: `next` is where to go on, of receives and of messages.
 */
bool removals_next_is(const removals_t *removals, uint64_t flush, size_t next[2],
                      const tmu_model_entry_t *entry);

/* Forgets the reports of a flush, and says how many there were. */
size_t removals_forget(removals_t *removals, uint64_t flush);

#endif
