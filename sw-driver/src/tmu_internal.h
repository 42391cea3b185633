/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver's source files share.  Every function here expects the device's lock held.
 */
#ifndef TMU_INTERNAL_H
#define TMU_INTERNAL_H

#include <pthread.h>

#include "backend.h"
#include "tmu_flow.h"
#include "tmu_receive.h"
#include "tmu_wire.h"

/** A command that the unit has not answered yet. */
typedef struct tmu_pending {
    tmu_record_t command;
    uint64_t handle;     /* the caller's; the command of a post carries its receive id instead */
    tmu_receive_id_t id; /* post: the receive; cancel: the pinned target; otherwise NONE */
    uint32_t endpoint;
    uint32_t credits; /* completions that may still come, each needing a ring entry */
    tmu_held_t *held; /* set while this is another attempt of a held arrival */
    uint8_t opcode;
} tmu_pending_t;

struct tmu_queue {
    tmu_t *device;
    tmu_queue_t *next;
    uint32_t page;
    uint32_t entries; /* of the ring, of pending and of done */
    uint32_t ring_log2;
    tmu_dma_t ring;
    uint32_t consumed;  /* completions taken from the ring, modulo 2^32 */
    uint32_t announced; /* of these, how many the unit knows of */
    uint32_t slot;      /* command slot of the page to write next */
    uint32_t credits;   /* sum of the pending commands' credits */

    tmu_pending_t *pending; /* oldest at pending_head; answered in order */
    uint32_t pending_head;
    uint32_t pending_count;

    tmu_completion_t *done; /* decoded, waiting for tmu_poll */
    uint32_t done_head;
    uint32_t done_count;
    tmu_entry_t entry; /* the last inspected entry */

    uint32_t held; /* held arrivals that came by this queue */
    tmu_observe_fn observe;
    void *observe_user;
};

struct tmu {
    pthread_mutex_t lock;
    const tmu_backend_ops_t *ops;
    void *backend;
    tmu_error_t error;
    tmu_info_t info;
    tmu_queue_t *queues;
    size_t in_flight; /* over all queues */
    bool broken;      /* a completion broke the interface; nothing after it can be trusted */
    tmu_flow_t flow;
    tmu_receives_t receives;
};

/** An operation on its way to the unit. */
typedef struct tmu_operation {
    tmu_record_t command; /* all but opcode and endpoint, which submission fills in */
    uint64_t handle;
    tmu_receive_id_t id;
    uint32_t endpoint;
    uint8_t opcode;
} tmu_operation_t;

/* tmu_device.c */
tmu_result_t tmu_open_backend(const tmu_backend_ops_t *ops, const char *rest, tmu_t **device_p);
tmu_result_t tmu_device_read(tmu_t *device, uint32_t offset, uint32_t *value_p);
tmu_result_t tmu_device_write(tmu_t *device, uint32_t offset, uint32_t value);

/** Waits until `mask` of the register reads as `value`, letting a simulated device run. */
tmu_result_t tmu_device_wait(tmu_t *device, uint32_t offset, uint32_t mask, uint32_t value);

/* tmu_endpoint.c */
tmu_result_t tmu_quota_write(tmu_t *device, uint32_t endpoint, tmu_depth_t quota);

/* tmu_filter.c */

/** What the registers hold after power-on: source, tag and context of MPI. */
extern const tmu_filter_windows_t tmu_filter_default;

tmu_result_t tmu_filter_write(tmu_t *device, const tmu_filter_windows_t *windows);

/* tmu_queue.c */
tmu_result_t tmu_queue_configure(tmu_queue_t *queue, bool enable);

/** Tells the unit that consumed ring entries are free; TMU_AGAIN leaves that for the next call. */
tmu_result_t tmu_queue_announce(tmu_queue_t *queue);

/** Ring entries that no pending command may need. */
uint32_t tmu_queue_credits_free(const tmu_queue_t *queue);

tmu_pending_t *tmu_queue_pending_oldest(tmu_queue_t *queue);
void tmu_queue_pending_pop(tmu_queue_t *queue);
void tmu_queue_done_push(tmu_queue_t *queue, const tmu_completion_t *completion);

/* tmu_ring.c */

/** Takes completions from the ring until it is empty or `done` is full. */
tmu_result_t tmu_ring_drain(tmu_queue_t *queue);

/** The same for every queue whose answers anybody waits for, then tries a held arrival. */
tmu_result_t tmu_ring_poll(tmu_queue_t *queue);

/* tmu_submit.c */

/** Sends an operation that flow control has admitted. */
tmu_result_t tmu_submit_command(tmu_queue_t *queue, const tmu_operation_t *operation,
                                uint32_t credits, tmu_held_t *held, bool alone);

/** Sends or holds an operation as flow control admits it; the caller's lock is held. */
tmu_result_t tmu_submit(tmu_queue_t *queue, tmu_operation_t *operation);

#endif
