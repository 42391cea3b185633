/* SPDX-License-Identifier: Apache-2.0 */
/* Many queues whose endpoints outgrow full tables all at once, past the driver. */
#ifndef TMU_ISOLATION_CROWD_H
#define TMU_ISOLATION_CROWD_H

#include "tmu/tmu.h"

typedef struct crowd {
    tmu_queue_t **queues;
    uint64_t *written; /* commands of each queue */
    uint32_t count;
    uint32_t next;
} crowd_t;

/* Opens `count` queues for endpoints from `first` on, `endpoints` of them in turn. */
tmu_result_t crowd_open(crowd_t *crowd, tmu_t *device, uint32_t first, uint32_t endpoints,
                        uint32_t count);

/* Of the next queue a command that nothing on chip answers, and its ring as read. */
tmu_result_t crowd_strike(crowd_t *crowd);

/* Closes all queues; what was written is not waited for. */
tmu_result_t crowd_close(crowd_t *crowd);

#endif
