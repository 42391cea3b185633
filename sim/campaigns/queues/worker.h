/* SPDX-License-Identifier: Apache-2.0 */
/* One submission queue under load: what it asks, and whether it is answered right. */
#ifndef TMU_QUEUES_WORKER_H
#define TMU_QUEUES_WORKER_H

#include "tmu/tmu.h"

/* Kind of a queue's traffic. */
typedef enum worker_kind {
    WORKER_PAIRS,   /* a receive, then its message, with a key that no other queue has */
    WORKER_CANCELS, /* cancels of receives that are not there */
    WORKER_REFUSED, /* posts to an endpoint whose quota is used up */
    WORKER_UNREAD,  /* good commands without end, a completion ring that is never read */
    WORKER_BAD,     /* malformed commands without end, a consumer index that says what suits it */
} worker_kind_t;

typedef struct worker {
    tmu_queue_t *queue;
    uint32_t number;
    uint32_t endpoint;
    uint32_t window; /* operations in flight at most */
    worker_kind_t kind;
    uint64_t submitted; /* also the next operation's handle */
    uint64_t completed;
    uint64_t wrong;   /* verdicts that are not the law's */
    uint16_t *clocks; /* host latency of each measured operation */
    size_t measured;
    size_t room; /* of `clocks`; what is beyond is not kept */
} worker_t;

/* Whether the owner keeps to no rule: nothing that it is answered is judged. */
bool worker_is_hostile(const worker_t *worker);

/* Submits as many operations as the window and the driver let in. */
tmu_result_t worker_submit(worker_t *worker);

/* Takes and judges what is answered; `measure` keeps latencies. */
tmu_result_t worker_collect(worker_t *worker, bool measure);

#endif
