/* SPDX-License-Identifier: Apache-2.0
 *
 * Types and functions that the driver's source files share, and the locks that guard them.
 *
 * - A queue's lock guards the queue: submitting and polling take it and no other, so that threads
 *   with a queue each never wait for one another.
 * - The device's lock guards what is off that path: registers, the list of queues, pages and
 *   shares.  It is taken before a queue's lock.
 * - The holder of a queue's lock may only try the device's or another queue's, never wait for it.
 * - Bounds and receive ids are shared without a lock of these two.
 */
#ifndef TMU_INTERNAL_H
#define TMU_INTERNAL_H

#include <pthread.h>
#include <sys/types.h>

#include "backend.h"
#include "control.h"
#include "tmu_flow.h"
#include "tmu_network.h"
#include "tmu_pages.h"
#include "tmu_pending.h"
#include "tmu_receive.h"
#include "tmu_wire.h"

struct tmu_queue {
    /* These do not change while the queue is open. */
    tmu_t *device;
    tmu_queue_t *next; /* under the device's lock */
    tmu_page_t page;
    uint32_t endpoint; /* or TMU_ENDPOINT_ANY */
    uint32_t entries;  /* of the ring and of done */
    uint32_t ring_log2;
    tmu_dma_t ring;

    _Alignas(TMU_CACHE_LINE) pthread_mutex_t lock; /* of everything below */
    uint32_t consumed;  /* completions taken from the ring, modulo 2^32 */
    uint32_t announced; /* of these, how many the unit knows of */
    uint32_t slot;      /* command slot of the page to write next */
    uint32_t credits;   /* sum of the pending commands' credits, and of a card's receives' */
    uint64_t keeper;    /* number of its own above, page's below: of ring entries (tmu_network.h) */
    uint32_t flushes;   /* in flight */

    tmu_pendings_t pendings;

    tmu_completion_t *done; /* decoded, waiting for tmu_poll */
    uint32_t done_head;
    uint32_t done_count;
    tmu_entry_t entry; /* the last inspected entry */

    tmu_flow_t flow;
    int64_t
        looked_ns;  /* when a session last tried held arrivals that others may have made room for */
    uint32_t looks; /* for memory that found none, since that last made held arrivals be tried */
    tmu_receive_cache_t ids;
    tmu_net_memory_t lists; /* of a send's pieces, by the command's slot; of a queue with a name */
    tmu_observe_fn observe;
    void *observe_user;
};

struct tmu {
    pid_t owner;    /* the process that opened it, and no child of that (tmu_process.c) */
    unsigned forks; /* that there were when it was opened */
    const tmu_backend_ops_t *ops;
    const tmu_control_ops_t *control;
    void *backend;
    tmu_info_t info;
    tmu_granted_t *granted; /* by endpoint, in a session; NULL for who has the unit alone */
    tmu_queue_t *queues;
    tmu_pages_t pages;
    tmu_dma_t *segments;    /* room for info.spill_segments; NULL before the first is registered */
    uint32_t segment_count; /* registered with the unit */
    pthread_mutex_t lock;
    tmu_bounds_t bounds;
    tmu_receives_t receives;
    tmu_network_t network; /* of a card */
    uint32_t opened;       /* queues, all that there have been */

    /* A completion broke the interface: nothing after it can be trusted.  Set once, sentence first,
     * by whoever gets the lock of the sentence. */
    atomic_flag breaking;
    atomic_bool broken;
    char broken_text[256];
};

/* An operation on its way to the unit. */
typedef struct tmu_operation {
    tmu_record_t command; /* all but opcode and endpoint, which submission fills in */
    uint64_t handle;
    tmu_receive_id_t id;
    uint32_t endpoint;
    uint8_t opcode;
} tmu_operation_t;

/* tmu_device.c */

/* Every kind of device, and NULL behind them. */
const tmu_backend_ops_t *const *tmu_backends(void);

tmu_result_t tmu_open_backend(const tmu_backend_ops_t *ops, const char *rest, tmu_t **device_p);
tmu_result_t tmu_device_read(tmu_t *device, uint32_t offset, uint32_t *value_p);
tmu_result_t tmu_device_write(tmu_t *device, uint32_t offset, uint32_t value);

/* Waits until `mask` of the register reads as `value`, letting a simulated device run. */
tmu_result_t tmu_device_wait(tmu_t *device, uint32_t offset, uint32_t mask, uint32_t value);

/* Marks the device as unusable, for the reason that this thread's error text gives. */
tmu_result_t tmu_device_break(tmu_t *device);

/* Marks the device as unusable if `result` is TMU_ERR_DEVICE; returns it. */
tmu_result_t tmu_device_broke(tmu_t *device, tmu_result_t result);

/* TMU_ERR_DEVICE and the reason as this thread's error text once the device is unusable, and in a
 * child of the process that opened it. */
tmu_result_t tmu_device_check(tmu_t *device);

/* Takes the device's lock and that of every queue: no other thread is within a call then. */
void tmu_device_stop(tmu_t *device);
void tmu_device_go(tmu_t *device);

/* Whether nothing is in flight and no held arrival is being tried; the device is stopped. */
bool tmu_device_still(const tmu_t *device);

/* tmu_process.c */

/* Makes a device that is being opened this process's. */
void tmu_process_own(tmu_t *device);

/* Whether this process opened it. */
bool tmu_process_owns(const tmu_t *device);

/* TMU_ERR_DEVICE and a sentence in a child of fork; costs no system call. */
tmu_result_t tmu_process_check(const tmu_t *device);

/* tmu_endpoint.c */
tmu_result_t tmu_endpoint_check(const tmu_t *device, uint32_t endpoint);

/* tmu_filter.c */

/* Windows in the registers after power-on: source, tag and context of MPI. */
extern const tmu_filter_windows_t tmu_filter_default;

/* The same for a unit's own widths. */
tmu_filter_windows_t tmu_filter_of(const tmu_info_t *info);

tmu_result_t tmu_filter_write(tmu_t *device, const tmu_filter_windows_t *windows);

/* tmu_spill.c */

/* Registers all segments again, after a reset; the device is stopped. */
tmu_result_t tmu_spill_restore(tmu_t *device);

/* Takes all segments back and frees them. */
void tmu_spill_free(tmu_t *device);

/* tmu_spill_dump.c: the device is stopped, and still. */

/* Receiver of a dump's entries, and whether it wants more. */
typedef struct tmu_dump_to {
    tmu_dump_fn dump;
    void *user;
    bool *go_on_p;
} tmu_dump_to_t;

/* Waits until no entry moves from memory to the chip any more. */
tmu_result_t tmu_spill_rest(tmu_t *device, uint32_t endpoint);

/*
 * Shows what a queue has in memory, oldest first; `which` names the queue, and its position is that
 * of the next entry.
 */
tmu_result_t tmu_spill_dump(tmu_t *device, tmu_entry_t *which, const tmu_dump_to_t *to);

/*
 * While nothing but the want of memory holds arrivals back, asks the unit whether a chunk is free:
 * entries that move from memory to the chip free some without a completion.  Nothing happens while
 * another thread has the device's lock.  The queue's lock is held.
 */
tmu_result_t tmu_spill_look(tmu_queue_t *queue);

/* Before an entry goes to memory of which no room is known, reads how much is free. */
tmu_result_t tmu_spill_measure(tmu_t *device);

/* tmu_queue.c: the device's lock is held. */
tmu_result_t tmu_queue_configure(tmu_queue_t *queue, bool enable);

/* Closes a queue, whatever it has in flight. */
tmu_result_t tmu_queue_remove(tmu_queue_t *queue);

/* tmu_ring.c: the queue's lock is held. */

/* Writes the page's consumer index: so many completions, modulo 2^32, have been read. */
tmu_result_t tmu_queue_write_consumer(const tmu_queue_t *queue, uint32_t count);

/* Tells the unit that consumed ring entries are free; TMU_AGAIN leaves that for the next call. */
tmu_result_t tmu_queue_announce(tmu_queue_t *queue);

/* Ring entries that no pending command may need. */
uint32_t tmu_queue_credits_free(const tmu_queue_t *queue);

/* Takes completions from the ring until it is empty or `done` is full. */
tmu_result_t tmu_ring_drain(tmu_queue_t *queue);

/* Takes the oldest decoded completion; false if there is none. */
bool tmu_ring_pop(tmu_queue_t *queue, tmu_completion_t *completion_p);

/* tmu_submit.c: the queue's lock is held. */

/* Sends an operation that flow control has admitted. */
tmu_result_t tmu_submit_command(tmu_queue_t *queue, const tmu_operation_t *operation,
                                uint32_t credits, tmu_held_t *held, bool alone);

/* Checks what every operation needs: a working device, and an endpoint that the queue may name
 * (R13). */
tmu_result_t tmu_queue_check(tmu_queue_t *queue, uint32_t endpoint);

/* Sends or holds an operation as flow control admits it. */
tmu_result_t tmu_submit(tmu_queue_t *queue, tmu_operation_t *operation);

#endif
