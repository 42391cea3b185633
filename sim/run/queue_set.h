/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of a replay: the privileged one, or in a session one for each of its endpoints. */
#pragma once

#include "tmu/tmu.h"

typedef struct {
    tmu_queue_t **queues;
    size_t count;
    bool shared; /* a session's */
} queue_set_t;

/* Opens them, each with an observer; on an error those that were opened are in the set. */
tmu_result_t queue_set_open(queue_set_t *set, tmu_t *device, tmu_observe_fn observe, void *user);
void queue_set_close(queue_set_t *set);

/* The queue for an endpoint's operations; NULL where a session has no such endpoint. */
tmu_queue_t *queue_set_find(const queue_set_t *set, uint32_t endpoint);

/* Operations that the unit has not answered yet. */
size_t queue_set_in_flight(const queue_set_t *set);
