/* SPDX-License-Identifier: Apache-2.0
 *
 * Fate of a frame on an impaired link.
 *
 * The fate of a frame depends on the seed, the port and the frame's number at that port alone: the
 * same frames in have the same fate again, whenever they come and whatever other ports do.
 */
#ifndef LINK_FATE_H
#define LINK_FATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A reordered frame lets 1 to so many frames of its port pass. */
#define LINK_PASSED_MAX 4u
/* Ethernet header: its bytes are not corrupted, so that the frame comes to its station. */
#define LINK_HEADER_BYTES 14u

/* Chances from 0 to 1. */
typedef struct link_impairments {
    double drop;
    double duplicate;
    double reorder;
    double corrupt;
    uint64_t seed;
} link_impairments_t;

typedef struct link_fate {
    bool dropped;
    bool duplicated;
    bool corrupted;
    unsigned passed;      /* frames that it lets pass, 0: it keeps its turn */
    size_t corrupted_bit; /* of the frame, counted from bit 0 of its first byte */
} link_fate_t;

/* The fate of frame `number` of a port. */
link_fate_t link_fate(const link_impairments_t *impairments, unsigned port, uint64_t number,
                      size_t bytes);

/* The fate in words, for a capture; empty when nothing happens to the frame. */
void link_fate_text(const link_fate_t *fate, char *text, size_t room);

#endif
