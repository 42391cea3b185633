/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Generated from hw/src/tmu/registers, layout and params by ./tmu generate. Do not edit. */
#ifndef TMU_TMU_INFO_H
#define TMU_TMU_INFO_H
#include <stdbool.h>
#include <stdint.h>

/* clang-format off */
/** What the device says that it is: the discovery block. */
typedef struct tmu_info {
    const char *scheme; /**< of the URI; lives as long as the library */
    uint16_t interface_major;
    uint16_t interface_minor;
    /** A session beside others: endpoints are those of the session alone. */
    bool shared;
    /** Number of the preset this unit was built from; 65535 is a configuration of one's
     * own. */
    uint32_t preset;
    /** Endpoints; they are numbered from 0. */
    uint32_t endpoints;
    /** Posted receives on chip, all endpoints together. */
    uint32_t posted_entries;
    /** Unexpected messages on chip, all together. */
    uint32_t unexpected_entries;
    /** Lanes of a row of a match array. */
    uint32_t lanes;
    /** Receive id bits; the id with all of them set names no receive. */
    uint32_t id_bits;
    /** Match bits kept. */
    uint32_t match_bits;
    /** Source bits kept. */
    uint32_t source_bits;
    /** Handle bits kept. */
    uint32_t handle_bits;
    /** Address bits kept. */
    uint32_t address_bits;
    /** Length bits kept. */
    uint32_t length_bits;
    /** Submission queues, a doorbell page each, numbered from 0; the privileged page has
     * this number. */
    uint32_t queues;
    /** Commands that can wait on chip; QUEUE_CONFIG gives each page its share. */
    uint32_t command_slots;
    /** What this unit can do. */
    uint32_t capabilities;
    /** Of each queue, the oldest entries, searched at one operation a clock. */
    uint32_t array_entries;
    /** Filter ids compared in one clock, of the entries beyond the arrays; 0 is none. */
    uint32_t filter_lanes;
    /** Bits of a filter id. */
    uint32_t filter_bits;
    /** Segments of 2 MiB that the unit can take for queues that continue in memory. */
    uint32_t spill_segments;
    /** Match bits that MPI's tag takes, from bit 0 on: the highest is its sign (R2). The
     * context lies above. */
    uint32_t tag_bits;
} tmu_info_t;
/* clang-format on */

#endif
