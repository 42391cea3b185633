/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from hw/src/tmu/registers, layout and params by ./tmu generate. Do not edit. */
#ifndef TMU_TMU_KEY_H
#define TMU_TMU_KEY_H
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/** What a receive, probe, claim or flush compares; a 1 in an ignore mask leaves a bit out (R1). */
typedef struct tmu_key {
    uint64_t match;
    uint64_t ignore;
    uint32_t source;
    uint32_t source_ignore;
} tmu_key_t;

/** A message that arrives. */
typedef struct tmu_message {
    uint64_t match;
    uint32_t source;
    uint64_t handle; /**< the caller's, returned unchanged (R15) */
    uint64_t place;  /**< where the message waits while it is unexpected */
    uint64_t length; /**< in bytes, below 2^48 */
} tmu_message_t;

/** A decoded completion.  Fields that an opcode does not have are 0. */
typedef struct tmu_completion {
    uint8_t opcode;   /**< TMU_OPCODE_*: the operation that it answers */
    uint8_t status;   /**< TMU_STATUS_*: the verdict */
    bool truncated;   /**< the message is longer than its receive (R12) */
    bool unexpected;  /**< status removed: the entry was a message, not a receive */
    uint32_t endpoint; /**< endpoint of the operation */
    uint32_t serial;  /**< the verdict's number in its endpoint's order (R7) */
    uint32_t source;  /**< of the message or entry */
    uint64_t handle;  /**< of the operation */
    uint64_t other;   /**< of the partner: receive, message or removed entry */
    uint64_t match;   /**< match bits of the message or entry */
    uint64_t message_length;     /**< bytes of the message */
    uint64_t receive_length;     /**< bytes of the receive */
    uint64_t address;            /**< receive's buffer, message's address, or the entry's own */
    uint32_t removed_posted;     /**< status flushed: receives removed */
    uint32_t removed_unexpected; /**< status flushed: messages removed */
    uint16_t unit_latency;       /**< clocks in the matching unit, saturating */
    uint16_t host_latency;       /**< clocks including the host interface, saturating */
} tmu_completion_t;

/* clang-format on */
#endif
