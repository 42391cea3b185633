/* SPDX-License-Identifier: Apache-2.0
 *
 * libtmu: the host driver of the OpenTMU tag-matching unit.
 *
 * A program opens a device by URI (tmu_open), opens queues on it (tmu_queue_open), submits
 * operations (tmu_post, tmu_arrive, ...), and collects their completions (tmu_poll).
 *
 * Ordering: the operations of one queue are matched in the order of their submission (R7), except
 * an arrival that flow control holds back, which takes its turn when it is admitted (R11).
 * Between queues there is no order, also when they act for the same endpoint.
 * Completions may come in another order: one that needs a queue's part in memory is overtaken by
 * others.  The serial numbers of an endpoint's verdicts are the order in which they were matched.
 *
 * Threads: every function may be called from any thread.
 * The operations and tmu_poll take the queue's own lock and no other, so threads with a queue each
 * run side by side, and threads that share a queue wait for each other.
 * All other functions may wait for every thread that is within a call on the device.
 * Closing a queue or a device, and tmu_reset, need that no other thread uses what they end.
 *
 * Processes: a device is of the process that opened it.  In a child of fork every call on it is
 * TMU_ERR_DEVICE, and tmu_close closes the child's copies of files and nothing else, so that a
 * child may end in any manner.
 *
 * An observer runs inside a call, maybe of a thread that polls another queue, and must not call the
 * library.
 *
 * Outputs come last, are named `_p`, and are written only when TMU_OK is returned.
 */
#ifndef TMU_TMU_H
#define TMU_TMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opcodes (TMU_OPCODE_*), verdicts (TMU_STATUS_*), registers and layouts, generated from the
 * hardware source. */
#include "tmu/tmu_info.h"
#include "tmu/tmu_key.h"
#include "tmu/tmu_regs.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Result of a call of this library; the unit's verdicts are TMU_STATUS_*, in completions. */
typedef enum tmu_result {
    TMU_OK = 0,
    TMU_AGAIN,       /**< nothing happened; poll (and tmu_progress), then repeat the call */
    TMU_ERR_INVALID, /**< an argument is outside what the function or this device accepts */
    TMU_ERR_URI,     /**< the URI's scheme, preset, option or library is unknown or unusable */
    TMU_ERR_VERSION, /**< the device speaks another major version of the interface */
    TMU_ERR_DEVICE,  /**< the device broke the interface: wrong magic, bus error, bad completion */
    TMU_ERR_MEMORY,  /**< the host has no memory for it */
    TMU_ERR_BUSY,    /**< all pages or slots are taken, or the object is still in use */
} tmu_result_t;

/** An opened device. */
typedef struct tmu tmu_t;

/** A submission queue: a doorbell page, a share of the command slots, and a completion ring. */
typedef struct tmu_queue tmu_queue_t;

/** Names one posted receive for tmu_cancel: {generation, index}, never reused for another one. */
typedef uint64_t tmu_receive_id_t;

/** Names no receive; cancelling it is answered `late` by the unit. */
#define TMU_RECEIVE_NONE UINT64_MAX

/** The largest quota (tmu_quota_set). */
#define TMU_QUOTA_MAX (UINT32_C(1) << 20)

/** Endpoint of the privileged queue, which may name any; a device has one such queue. */
#define TMU_ENDPOINT_ANY UINT32_MAX

/** Wildcards of tmu_key_mpi; neither is a value that a rank or a tag argument can take. */
#define TMU_ANY_SOURCE INT64_C(-1)
#define TMU_ANY_TAG INT64_MIN

/** A receive to post. */
typedef struct tmu_receive {
    tmu_key_t key;
    uint64_t handle;  /**< the caller's, returned unchanged (R15) */
    uint64_t address; /**< of the buffer, as the network side needs it */
    uint64_t length;  /**< of the buffer in bytes, below 2^48 */
} tmu_receive_t;

/** One entry of an endpoint's queues, as tmu_dump reads it. */
typedef struct tmu_entry {
    bool unexpected; /**< a waiting message; otherwise a posted receive */
    bool spilled;    /**< lies in memory (tmu_spill_add), behind those on chip */
    uint32_t endpoint;
    uint32_t position; /**< 0 is the endpoint's oldest in that queue */
    tmu_key_t key;     /**< a message ignores nothing */
    uint64_t handle;
    uint64_t address; /**< of the receive's buffer or of the message */
    uint64_t length;
} tmu_entry_t;

/** Entries that an endpoint has in the unit now. */
typedef struct tmu_depth {
    uint32_t posted;
    uint32_t unexpected;
} tmu_depth_t;

/** Attributes with which a queue is opened. */
typedef struct tmu_queue_attr {
    uint32_t endpoint;  /**< that it acts for, or TMU_ENDPOINT_ANY: the privileged queue */
    uint32_t ring_log2; /**< log2 of the completion ring's entries, 4 to 16 */
    /** log2 of the operations in flight at most; 0 = the driver's choice: 5, or less when the ring
     * or what is left of the device's command slots is smaller */
    uint32_t commands_log2;
} tmu_queue_attr_t;

/** Counts of flow control on a device since it was opened or reset (R11). */
typedef struct tmu_flow_stats {
    uint64_t stalls;   /**< attempts that the unit answered `stalled` */
    uint64_t resumes;  /**< held arrivals that were admitted later */
    uint64_t held_now; /**< arrivals held back now */
    uint64_t held_max; /**< the most that were held back at once */
} tmu_flow_stats_t;

/** Receives one entry of a dump; returning false ends the dump early. */
typedef bool (*tmu_dump_fn)(void *user, const tmu_entry_t *entry);

/** Sees one raw completion of a queue, in ring order, before flow control does; the order in which
 * operations were matched is that of the serial numbers. */
typedef void (*tmu_observe_fn)(void *user, const tmu_completion_t *completion);

/* ---- device ------------------------------------------------------------------------------- */

/**
 * Opens the device that a URI names, checks its magic and interface version, and resets it.
 *
 * `ref:PRESET` is a functional model in this process, with `?engine=NAME` by a software engine
 * (docs/engines.md), with `?link=unix:PATH` as a card (tmu/tmu_net.h);
 * `sim:LIBRARY[?pauses=SEED&wave=FILE]` is the simulated hardware in this process, by its library's
 * path or the preset's name; `vfu:SOCKET` is a PCI device in another process, over vfio-user;
 * `vfio:ADDRESS` is a PCI function. The opener owns these: commands by others would defeat its flow
 * control. `dev:FILE[?endpoints=N&posted=N&unexpected=N]` is a session of the kernel driver, and
 * others may be beside it: it has N endpoints (1 if not said), numbered from 0, each with a reserve
 * of so many slots as the driver grants (docs/kernel-driver.md).  What would concern others is
 * TMU_ERR_INVALID there: the privileged queue and so dumps, reserves, memory, filter windows and
 * flipped bits.  Counters are those of the whole unit.
 * `share:SOCKET` with the same options is such a session of the program tmu-share (docs/mpi.md).
 * Errors: TMU_ERR_URI, TMU_ERR_VERSION, TMU_ERR_BUSY when another process has the device,
 * TMU_ERR_DEVICE, TMU_ERR_MEMORY; tmu_error_text(NULL) has the sentence.
 */
tmu_result_t tmu_open(const char *uri, tmu_t **device_p);

/** Closes a device and the queues still open on it.  NULL is allowed. */
void tmu_close(tmu_t *device);

/** tmu_query(device, info_p) copies what the discovery block said at opening.  No errors. */
tmu_result_t tmu_query_sized(tmu_t *device, tmu_info_t *info_p, size_t size);

/**
 * Empties both tables of all endpoints (R14) and forgets receives, held arrivals and completions
 * that were not polled; queues stay open, quotas, reserves and filter windows stay set, and memory
 * stays registered.
 * TMU_AGAIN while operations are in flight on any queue.  Errors: TMU_ERR_DEVICE.
 * In a session it empties the session's endpoints.
 */
tmu_result_t tmu_reset(tmu_t *device);

/**
 * Limits an endpoint to `posted` receives and `unexpected` messages in the unit, on chip and in
 * memory together; 0 = no limit but the room that there is.
 * Held arrivals are tried against the new quota.
 * TMU_AGAIN while operations are in flight on any queue.  Errors: TMU_ERR_INVALID for an endpoint
 * that the device does not have and for a quota above TMU_QUOTA_MAX, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_quota_set(tmu_t *device, uint32_t endpoint, uint32_t posted, uint32_t unexpected);

/**
 * Keeps slots on chip for an endpoint (R11, R13): as long as it has fewer receives or messages
 * there, others cannot fill them.  What others have there already stays until it leaves.
 * TMU_AGAIN as for tmu_quota_set.  Errors: TMU_ERR_INVALID for an endpoint that the device does not
 * have, where a table has fewer slots than all reserves together, and for a device that was built
 * without; TMU_ERR_DEVICE.
 */
tmu_result_t tmu_reserve_set(tmu_t *device, uint32_t endpoint, uint32_t posted,
                             uint32_t unexpected);

/**
 * Reads how deep an endpoint's queues are in the unit, between two commands.
 * TMU_AGAIN while a flush is in flight: it may wait for ring space, which only polling returns.
 * Errors: TMU_ERR_INVALID for an endpoint that the device does not have, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p);

/** tmu_flow_stats(device, stats_p) copies what flow control did, over all queues.  No errors. */
tmu_result_t tmu_flow_stats_sized(tmu_t *device, tmu_flow_stats_t *stats_p, size_t size);

/**
 * Lets a simulated device run until it wrote to host memory, at most `max_clocks` clocks; real
 * devices run by themselves and this does nothing.
 * tmu_poll and the submitting functions never advance a simulated device.
 * Errors: TMU_ERR_DEVICE, for example when an assertion of the hardware fails.
 */
tmu_result_t tmu_progress(tmu_t *device, unsigned max_clocks);

/** Clocks that a simulated device ran (the model counts commands); 0 on a real device. */
uint64_t tmu_clock(tmu_t *device);

/* ---- queues ------------------------------------------------------------------------------- */

/**
 * tmu_queue_open(device, attr, queue_p) opens a queue that acts for an endpoint; any number of them
 * may act for the same.
 * The driver picks its page and its share of the command slots.
 * Errors: TMU_ERR_INVALID for an endpoint or a size out of range, TMU_ERR_BUSY when all queues or
 * too many of the slots are taken or the privileged queue is open, TMU_ERR_MEMORY, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_queue_open_sized(tmu_t *device, const tmu_queue_attr_t *attr, size_t size,
                                  tmu_queue_t **queue_p);

/**
 * Closes a queue and disables its page; receives that it posted stay in the unit, and any queue of
 * their endpoint may cancel them.
 * TMU_ERR_BUSY while it has operations in flight or held arrivals, and then it stays open.
 * NULL is allowed.
 */
tmu_result_t tmu_queue_close(tmu_queue_t *queue);

/** Sets the queue's observer; NULL removes it.  No errors. */
tmu_result_t tmu_queue_observe(tmu_queue_t *queue, tmu_observe_fn observe, void *user);

/* ---- operations --------------------------------------------------------------------------- *
 *
 * All are asynchronous: TMU_OK means accepted, and exactly one completion with the operation's
 * handle follows (a flush has one per removed entry before its last one).
 * TMU_AGAIN means that nothing happened: too much is in flight on this queue, or flow control needs
 * operations before it, rarely also of other queues, to end first. `endpoint` must be the queue's
 * own, or TMU_ERR_INVALID; the privileged queue takes any, and the unit answers refused_endpoint
 * for one that it does not have (R13).
 */

/** Key of MPI's (context, source, tag), wildcards too (R2); TMU_ERR_INVALID beyond 32 bits. */
tmu_result_t tmu_key_mpi(uint32_t context, int64_t source, int64_t tag, tmu_key_t *key_p);

/** As tmu_key_mpi; TMU_ERR_INVALID for what has no room in the bits that the device keeps. */
tmu_result_t tmu_key_mpi_for(const tmu_info_t *info, uint32_t context, int64_t source, int64_t tag,
                             tmu_key_t *key_p);

/**
 * Posts a receive (R4, R5): completes matched, queued, refused_quota (for want of memory as well)
 * or refused_endpoint.
 * `*id_p` (may be NULL) names it for tmu_cancel.
 */
tmu_result_t tmu_post(tmu_queue_t *queue, uint32_t endpoint, const tmu_receive_t *receive,
                      tmu_receive_id_t *id_p);

/**
 * Delivers a message (R3, R6): completes matched, queued or refused_endpoint.
 * One that the unit cannot admit is held back inside the library and tried again when a completed
 * operation of any queue may have changed that, once that queue and then this one were polled; its
 * source's later arrivals on this queue wait behind it (R11).
 * Errors beside the common ones: TMU_ERR_MEMORY when there is no room to hold it.
 */
tmu_result_t tmu_arrive(tmu_queue_t *queue, uint32_t endpoint, const tmu_message_t *message);

/** Looks for the oldest matching unexpected message and changes nothing (R8): found or none. */
tmu_result_t tmu_probe(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle);

/** Takes the oldest matching unexpected message for the claimer alone (R9): matched or none. */
tmu_result_t tmu_claim(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle);

/**
 * Cancels a receive that any queue of the endpoint posted: the unit answers cancelled or late,
 * never both (R10). A target that ended, belongs to another endpoint or is TMU_RECEIVE_NONE is
 * answered late, by the unit as well.
 */
tmu_result_t tmu_cancel(tmu_queue_t *queue, uint32_t endpoint, tmu_receive_id_t target,
                        uint64_t handle);

/**
 * Removes the endpoint's entries that `key` selects, NULL = all (R14): one `removed` completion for
 * each, those of a queue oldest first, then `flushed` with both counts.  A key bit is compared if
 * neither side ignores it.
 */
tmu_result_t tmu_flush(tmu_queue_t *queue, uint32_t endpoint, const tmu_key_t *key,
                       uint64_t handle);

/**
 * Copies up to `max` completions of the queue in ring order; `*count_p` may be 0.
 * Also drives held arrivals and returns ring space, so it must be called while anything is pending.
 * Errors: TMU_ERR_DEVICE when a completion breaks the interface, or the device is found to be gone
 * or to have failed while something is in flight, within 10 ms of polling; it stays unusable then.
 * Completions that came before are copied first; tmu_unanswered ends the other operations.
 */
tmu_result_t tmu_poll(tmu_queue_t *queue, tmu_completion_t *completions, size_t max,
                      size_t *count_p);

/**
 * An eventfd to wait for when there is nothing else to do, signalled when the unit has written a
 * completion for this queue.  Read its 8 bytes, call tmu_poll until it finds nothing, then wait,
 * with a limit: a device that fails signals nothing, but in a session of the kernel driver.
 * The eventfd belongs to the library until tmu_close.
 * Errors: TMU_ERR_INVALID when this queue has no interrupt, TMU_ERR_DEVICE, TMU_ERR_MEMORY.
 */
tmu_result_t tmu_queue_event_fd(tmu_queue_t *queue, int *fd_p);

/** Operations of the queue that the unit has not answered yet; held arrivals are not counted. */
size_t tmu_queue_in_flight(tmu_queue_t *queue);

/** Whether the endpoint has an arrival held back by flow control, on any queue (R11). */
bool tmu_endpoint_stalled(tmu_queue_t *queue, uint32_t endpoint);

/**
 * Calls `dump` with every entry that an endpoint has on chip and in memory, receives first, oldest
 * first; runs the device until it is done.  All other calls wait for it.
 * TMU_AGAIN while operations are in flight on any queue or completions of this one wait for a poll.
 * Errors: TMU_ERR_INVALID when the queue is not privileged, TMU_ERR_MEMORY, TMU_ERR_DEVICE, also
 * when a bit was lost of what tells where entries lie, or of one; older entries were shown then.
 */
tmu_result_t tmu_dump(tmu_queue_t *queue, uint32_t endpoint, tmu_dump_fn dump, void *user);

#ifdef __cplusplus
}
#endif

/* Headers of the device's facts, and of its settings for its traffic. */
#include "tmu/tmu_counters.h"
#include "tmu/tmu_failure.h"
#include "tmu/tmu_fault.h"
#include "tmu/tmu_filter.h"
#include "tmu/tmu_spill.h"
#include "tmu/tmu_text.h"

#include "tmu/tmu_sizes.h"
#include "tmu/tmu_version.h"

#endif
