/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's part of a card's network: what was written into its tables, so that memory is found
 * by its address.  Its lock is taken with a queue's or the device's held.
 */
#ifndef TMU_NETWORK_H
#define TMU_NETWORK_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend.h"
#include "tmu/tmu_net.h"
#include "tmu_record.h"

/* Registered memory, by its number. */
typedef struct tmu_net_region {
    tmu_dma_t dma; /* memory NULL: none */
    uint32_t endpoint;
} tmu_net_region_t;

typedef struct tmu_network {
    pthread_mutex_t lock;
    bool started;
    tmu_dma_t *pools; /* of unexpected messages, by endpoint; memory NULL: none */
    uint32_t pool_log2;
    uint32_t peer_count; /* sizes of the card's tables */
    uint32_t region_count;
    uint32_t region_end; /* no memory has a number from here on */
    uint32_t message_count;
    bool *peers;
    tmu_net_region_t *regions;
    _Atomic uint64_t *freed; /* by page: its queue's, and ring entries that other queues freed */
} tmu_network_t;

void tmu_network_init(tmu_network_t *network);

/* Frees what belongs to a device that is closed or was reset. */
void tmu_network_clear(tmu_t *device);

/* Forgets a queue that is closed. */
void tmu_network_forget(tmu_t *device, const tmu_queue_t *queue);

/* Number of the registered memory of an endpoint that all these bytes lie in; false for none. */
bool tmu_network_find(tmu_network_t *network, uint32_t endpoint, uint64_t address, uint64_t bytes,
                      uint32_t *number_p);

/*
 * A receive that waits keeps an entry of the ring of the queue that posted it, whose page is told
 * of its message; whichever queue cancels or flushes it frees that entry.  The queue's lock is
 * held.
 */
void tmu_network_entry_keep(tmu_queue_t *queue, tmu_receive_id_t id);
void tmu_network_entry_free(tmu_queue_t *queue, uint64_t keeper);
/* Takes over what other queues have freed. */
void tmu_network_entries_collect(tmu_queue_t *queue);

/* Fills in the registered memory of a receive; TMU_ERR_INVALID where there is none. */
tmu_result_t tmu_network_receive(tmu_queue_t *queue, uint32_t endpoint,
                                 const tmu_receive_t *receive, tmu_record_t *command);

/* As tmu_net_memory_new and tmu_net_memory_free; the device's lock is held. */
tmu_result_t tmu_network_memory_new(tmu_t *device, uint32_t endpoint, size_t bytes,
                                    tmu_net_memory_t *memory_p);
tmu_result_t tmu_network_memory_free(tmu_t *device, const tmu_net_memory_t *memory);

/* Whether the device is a card. */
bool tmu_network_is_card(const tmu_info_t *info);

#endif
