/* SPDX-License-Identifier: Apache-2.0
 *
 * A card: a unit whose messages arrive from a network and leave by it (docs/card.md).
 *
 * The opener of a device with the capabilities network and send starts its network, gives queues
 * names, peers and registered memory, and posts receives into that memory; all of it is the
 * privileged driver's, so that no process can send as another or reach what it has not registered
 * (W8). On such a device:
 * - tmu_arrive is answered `malformed`: messages come by frames alone.
 * - A receive takes an entry of the ring of the queue that posts it until it is completed,
 *   cancelled or flushed, and a command needs two: so a queue that nobody reads holds up no other
 *   (W5).  Nobody is told of a message that meets a receive of a queue which was closed (W8).
 * - A message that meets a receive is told on that queue by a completion of opcode arrive: `other`
 *   is the receive's handle, `handle` the message's header data, `message_length` and
 *   `receive_length` are both lengths (R12); status `matched` when its bytes lie in the receive
 *   (W3), `removed` when its sender or memory failed (W7).
 * - A post that meets a waiting message completes `matched` when the card has moved that, or
 *   `removed`; `other` is its header data.
 * - A claim completes with the message's bytes at `address`, in its endpoint's pool, until
 *   tmu_net_release.
 * - tmu_reset forgets names, peers and memory; the network is started again as at first.
 */
#ifndef TMU_TMU_NET_H
#define TMU_TMU_NET_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Settings of a card, and of all that speak with it. */
typedef struct tmu_net_attr {
    uint32_t address;     /**< its own, of IPv4 */
    uint32_t payload_mtu; /**< bytes of a packet; 0 = 4,096 */
    /** log2 of the longest message, and of a buffer of a pool; 0 = 16 */
    uint32_t message_log2;
    uint32_t retransmit_us; /**< before a packet is sent again at first; 0 = the device's own */
    uint32_t attempts; /**< times without an answer after which a peer is given up; 0 = never */
} tmu_net_attr_t;

/** Name of an endpoint in its card. */
typedef struct tmu_net_name {
    uint32_t job;   /**< 24 bits */
    uint16_t pid;   /**< PIDonFEP, 12 bits */
    uint16_t index; /**< resource index, 12 bits */
} tmu_net_name_t;

/** A destination, and who messages to it are from. */
typedef struct tmu_net_peer {
    uint32_t address; /**< of IPv4 */
    tmu_net_name_t name;
    uint32_t initiator; /**< the source that receives at the peer compare */
} tmu_net_peer_t;

/** Memory that messages are received into and sent from. */
typedef struct tmu_net_memory {
    void *memory;     /**< zeroed */
    uint64_t address; /**< for receives and pieces */
    size_t bytes;
    uint32_t number; /**< in the card's table */
} tmu_net_memory_t;

/** Bytes within registered memory. */
typedef struct tmu_net_piece {
    uint64_t address;
    uint32_t bytes;
} tmu_net_piece_t;

/** A message to send: pieces, or at most TMU_SEND_INLINE_BYTES at `data`, which are copied. */
typedef struct tmu_net_send {
    uint32_t peer;  /**< as tmu_net_peer_add named it */
    uint32_t bytes; /**< at `data`; 0 with pieces */
    uint64_t match;
    uint64_t header_data;
    bool has_header_data;
    const void *data;
    const tmu_net_piece_t *pieces;
    size_t piece_count; /**< at most TMU_SEND_PIECES_MOST */
    uint64_t handle;    /**< the caller's, returned unchanged */
} tmu_net_send_t;

/** Part of a send's completion beside both lengths. */
typedef struct tmu_net_sent {
    uint32_t peer;
    uint8_t code;  /**< of Ultra Ethernet, as the target answered */
    bool given_up; /**< the target did not answer (W7) */
} tmu_net_sent_t;

/** Counters of the network since it was started, modulo 2^32 (W6). */
typedef struct tmu_net_counts {
    uint32_t accepted;     /**< frames that were read */
    uint32_t dropped;      /**< frames that were not, for any reason */
    uint32_t delivered;    /**< packets, to the unit and behind it */
    uint32_t control;      /**< control packets that were carried out */
    uint32_t refused;      /**< packets refused by a NACK */
    uint32_t duplicate;    /**< packets that were known */
    uint32_t out_of_order; /**< packets behind a gap */
    uint32_t unasked;      /**< answers to nothing */
    uint32_t answers;      /**< answers that were taken */
    uint32_t frames_sent;
    uint32_t sent_again; /**< packets of these */
    uint32_t timeouts;
    uint32_t messages_taken;   /**< that entered the unit */
    uint32_t messages_refused; /**< that their endpoint had no room for, or no name */
    uint32_t no_room;          /**< packets refused for a shortage; they come again */
    uint32_t link_full;        /**< frames that the link had no room for */
} tmu_net_counts_t;

/**
 * Starts the network with these settings.
 * Errors: TMU_ERR_INVALID for a device without one, or settings out of range; TMU_ERR_BUSY when it
 * has been started; TMU_ERR_MEMORY, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_net_start_sized(tmu_t *device, const tmu_net_attr_t *attr, size_t size);

/**
 * Gives the queue's endpoint a name, and with its first one a pool of its own for unexpected
 * messages (W2); the queue can send several pieces from here on.
 * Errors: TMU_ERR_INVALID; TMU_ERR_BUSY when the card has no room for it; TMU_ERR_MEMORY,
 * TMU_ERR_DEVICE.
 */
tmu_result_t tmu_net_name_add(tmu_queue_t *queue, const tmu_net_name_t *name);

/** Takes a name away: messages to it are refused from here on.  Errors as above. */
tmu_result_t tmu_net_name_remove(tmu_queue_t *queue, const tmu_net_name_t *name);

/**
 * Adds a peer that the queues of `endpoint` may send to; `*peer_p` is its number.
 * Errors: TMU_ERR_INVALID, TMU_ERR_BUSY when the table is full, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_net_peer_add(tmu_t *device, uint32_t endpoint, const tmu_net_peer_t *peer,
                              uint32_t *peer_p);

/** Removes it.  TMU_ERR_BUSY while a send to it is under way. */
tmu_result_t tmu_net_peer_remove(tmu_t *device, uint32_t peer);

/** Allocates memory and registers it for the endpoint alone.  Errors: TMU_ERR_INVALID,
 * TMU_ERR_BUSY when the table is full, TMU_ERR_MEMORY, TMU_ERR_DEVICE. */
tmu_result_t tmu_net_memory_new(tmu_t *device, uint32_t endpoint, size_t bytes,
                                tmu_net_memory_t *memory_p);

/** Frees it.  TMU_ERR_BUSY while a send of its bytes is under way.  A message that is still being
 * received into it ends with an error. */
tmu_result_t tmu_net_memory_free(tmu_t *device, const tmu_net_memory_t *memory);

/**
 * Sends a message (W4): completes `sent` when the target has it, with the bytes that it took as
 * `receive_length` and `truncated` when these are fewer (R12); `undelivered` when the target
 * refused it or was given up; `refused_peer` for a peer of another endpoint and `refused_memory`
 * for bytes that the endpoint has not registered (W8).  Until then its memory may not change.
 * TMU_AGAIN as for other operations.  Errors: TMU_ERR_INVALID, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_net_send(tmu_queue_t *queue, uint32_t endpoint, const tmu_net_send_t *send);

/** Reads that part. */
tmu_net_sent_t tmu_net_sent(const tmu_completion_t *completion);

/** Bytes of a message that a claim took, at its completion's `address`. */
const void *tmu_net_claimed(tmu_t *device, const tmu_completion_t *completion);

/** Gives its buffer to other messages.  Errors: TMU_ERR_INVALID, TMU_ERR_DEVICE. */
tmu_result_t tmu_net_release(tmu_t *device, const tmu_completion_t *completion);

/** tmu_net_counts(device, counts_p) reads the counters.  Errors: TMU_ERR_INVALID, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_net_counts_sized(tmu_t *device, tmu_net_counts_t *counts_p, size_t size);

static inline tmu_result_t tmu_net_start(tmu_t *device, const tmu_net_attr_t *attr) {
    return tmu_net_start_sized(device, attr, sizeof *attr);
}

static inline tmu_result_t tmu_net_counts(tmu_t *device, tmu_net_counts_t *counts_p) {
    return tmu_net_counts_sized(device, counts_p, sizeof *counts_p);
}

#ifdef __cplusplus
}
#endif

#endif
