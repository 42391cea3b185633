/* SPDX-License-Identifier: Apache-2.0 OR GPL-2.0-only */
/* Generated from hw/src/tmu/registers, layout and params by ./tmu generate. Do not edit. */
#ifndef TMU_QUERY_H
#define TMU_QUERY_H
#include <linux/types.h>

/* clang-format off */
/* The unit, as its discovery registers have it, and its memory. */
struct tmu_ioctl_query {
    __u32 size;
    __u32 version;
    __u32 interface_version;
    /* Number of the preset this unit was built from; 65535 is a configuration of one's
     * own. */
    __u32 preset;
    /* Endpoints; they are numbered from 0. */
    __u32 endpoints;
    /* Posted receives on chip, all endpoints together. */
    __u32 posted_entries;
    /* Unexpected messages on chip, all together. */
    __u32 unexpected_entries;
    /* Lanes of a row of a match array. */
    __u32 lanes;
    /* Match bits kept. */
    __u32 match_bits;
    /* Source bits kept. */
    __u32 source_bits;
    /* Handle bits kept. */
    __u32 handle_bits;
    /* Address bits kept. */
    __u32 address_bits;
    /* Length bits kept. */
    __u32 length_bits;
    /* Receive id bits; the id with all of them set names no receive. */
    __u32 id_bits;
    /* Commands that can wait on chip; QUEUE_CONFIG gives each page its share. */
    __u32 command_slots;
    /* What this unit can do. */
    __u32 capabilities;
    /* Of each queue, the oldest entries, searched at one operation a clock. */
    __u32 array_entries;
    /* Filter ids compared in one clock, of the entries beyond the arrays; 0 is none. */
    __u32 filter_lanes;
    /* Bits of a filter id. */
    __u32 filter_bits;
    /* Submission queues, a doorbell page each, numbered from 0; the privileged page has
     * this number. */
    __u32 queues;
    /* Interrupts; pages from this number on have none. */
    __u32 vectors;
    /* Memory that is registered with the unit, in segments. */
    __u32 spill_segments;
    /* Chunks of it in which nothing lies. */
    __u32 spill_free;
    /* Match bits that MPI's tag takes, from bit 0 on: the highest is its sign (R2). The
     * context lies above. */
    __u32 tag_bits;
};
/* clang-format on */

#endif
