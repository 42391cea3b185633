/* SPDX-License-Identifier: Apache-2.0
 *
 * Ring entries of a card's receives: which queue keeps them, and what others have freed of them.
 *
 * A queue is known by its page and a number of its own, since another one may have the page later.
 */
#include "tmu_internal.h"

static bool is_of(uint64_t one, uint64_t other) { return one >> 32 == other >> 32; }

void tmu_network_entry_keep(tmu_queue_t *queue, tmu_receive_id_t id) {
    if (!tmu_network_is_card(&queue->device->info)) {
        return;
    }
    _Atomic uint64_t *freed = &queue->device->network.freed[queue->page.number];
    if (!is_of(atomic_load(freed), queue->keeper)) {
        atomic_store(freed, queue->keeper & ~(uint64_t)UINT32_MAX);
    }
    tmu_receive_keep(&queue->device->receives, id, queue->keeper);
}

void tmu_network_entry_free(tmu_queue_t *queue, uint64_t keeper) {
    if (!tmu_network_is_card(&queue->device->info)) {
        return;
    }
    if (keeper == queue->keeper) {
        queue->credits--;
        return;
    }
    _Atomic uint64_t *freed = &queue->device->network.freed[(uint32_t)keeper];
    uint64_t old = atomic_load(freed);
    while (is_of(old, keeper) && !atomic_compare_exchange_weak(freed, &old, old + 1)) {
        /* a queue that was closed since has no entries */
    }
}

void tmu_network_entries_collect(tmu_queue_t *queue) {
    if (!queue->device->network.started) {
        return;
    }
    _Atomic uint64_t *freed = &queue->device->network.freed[queue->page.number];
    const uint64_t found = atomic_load(freed);
    if (is_of(found, queue->keeper) && (uint32_t)found != 0) {
        atomic_fetch_sub(freed, (uint32_t)found);
        queue->credits -= (uint32_t)found;
    }
}
