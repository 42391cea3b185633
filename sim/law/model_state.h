/* SPDX-License-Identifier: Apache-2.0 */
/* State of the model: private to sim/law, included by its two sources only. */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

#include "tmu_model.h"

typedef struct node {
    struct node *next; /* younger */
    struct node *previous;
    tmu_model_entry_t entry;
} node_t;

typedef struct {
    node_t *oldest;
    node_t *youngest;
    uint64_t depth;
    uint64_t depth_max;
    uint64_t quota; /* 0 = no limit */
    uint64_t reserve;
} list_t;

typedef struct {
    list_t queue[2]; /* by tmu_model_queue_t */
    uint32_t next_serial;
} endpoint_t;

typedef struct {
    uint64_t capacity; /* 0 = no limit */
    uint64_t reserves; /* of all endpoints together */
    uint64_t depth;
    uint64_t depth_max;
    uint64_t endpoint_depth_max;
} total_t;

struct tmu_model {
    endpoint_t *endpoint;
    uint32_t endpoints;
    total_t total[2]; /* by tmu_model_queue_t */
    uint64_t chunks;  /* of memory beyond the capacities */
    bool full[2];     /* memory and table have no room for an entry of the queue */
    tmu_model_stats_t stats;
};

/* Appends as the youngest; false if the host has no memory, and then nothing changed. */
bool model_append(tmu_model_t *model, const tmu_model_entry_t *entry);

/* Unlinks and frees; the others keep their order. */
void model_discard(tmu_model_t *model, node_t *node);

/* Counts a finished verdict under `operations` and under its status, and gives it its endpoint's
 * next serial number (R7).  Returns its status. */
tmu_model_status_t model_answer(tmu_model_t *model, uint64_t *operations,
                                tmu_model_verdict_t *verdict);

#endif
