/* SPDX-License-Identifier: Apache-2.0
 *
 * A learning Ethernet switch with impaired links, without sockets and clocks: frames and times are
 * the caller's.
 *
 * A frame that comes in meets its fate (link_fate.h) before the switch sees it.  What is left goes
 * to the port of its destination, or to all others where that is not known.  Each port has a
 * bounded queue of frames that leave when their delay is over and the rate of the port allows; a
 * frame that finds it full is counted and gone, and no other port feels it.
 */
#ifndef LINK_SWITCH_H
#define LINK_SWITCH_H

#include "link.h"
#include "link_fate.h"

#define LINK_PORTS_MAX 64u
/* Frames that wait at a port, their bytes altogether. */
#define LINK_PORT_BYTES (2u * 1024u * 1024u)
/* A reordered frame goes on after so long if no frame comes that could pass it. */
#define LINK_HELD_NS UINT64_C(10000000)
#define LINK_NEVER UINT64_MAX

typedef struct link_shape {
    unsigned ports;
    link_impairments_t impairments;
    uint64_t delay_ns;
    double gbps; /* of each port; 0: not limited */
} link_shape_t;

/*
 * Every frame that a port has received is in one of dropped, runts, filtered, forwarded and
 * flooded, or held.  A copy for a port is in one of its sent, overflowed, lost and waiting.
 */
typedef struct link_counts {
    uint64_t received;
    uint64_t received_bytes;
    uint64_t dropped;   /* by impairment */
    uint64_t runts;     /* without whole addresses */
    uint64_t filtered;  /* the destination is behind the same port, or nobody else is there */
    uint64_t forwarded; /* to one port */
    uint64_t flooded;   /* to all other ports: a group, or a station that is not known */
    uint64_t held;      /* reordered, not yet passed */
    uint64_t copies;    /* made of its frames for other ports */
    uint64_t duplicated;
    uint64_t reordered;
    uint64_t corrupted;
    uint64_t sent;
    uint64_t sent_bytes;
    uint64_t overflowed; /* found the queue of the port full */
    uint64_t lost;       /* waited when the port was closed */
    uint64_t waiting;
} link_counts_t;

typedef struct link_switch link_switch_t;

/* NULL when memory is used up. */
link_switch_t *link_switch_new(const link_shape_t *shape);
void link_switch_free(link_switch_t *sw);

/* A port takes part while it is open; closing it forgets its stations and what waits for it. */
void link_switch_open(link_switch_t *sw, unsigned port);
void link_switch_close(link_switch_t *sw, unsigned port, uint64_t now_ns);

/* A frame of 1 to LINK_FRAME_MAX bytes comes in at an open port; its fate. */
link_fate_t link_switch_receive(link_switch_t *sw, unsigned port, const uint8_t *frame,
                                size_t bytes, uint64_t now_ns);

/* The frame that may leave a port, NULL if there is none; link_switch_sent() takes it away. */
const uint8_t *link_switch_ready(const link_switch_t *sw, unsigned port, uint64_t now_ns,
                                 size_t *bytes_p);
void link_switch_sent(link_switch_t *sw, unsigned port);

/* When the first frame of a port may leave, LINK_NEVER if there is none. */
uint64_t link_switch_leaves(const link_switch_t *sw, unsigned port);

/* Lets reordered frames go on whose time is over, with `all` every one; the time of the next. */
uint64_t link_switch_release(link_switch_t *sw, uint64_t now_ns, bool all);

const link_counts_t *link_switch_counts(const link_switch_t *sw, unsigned port);

/* Whether the counters of all ports agree with each other; otherwise a sentence in `error`. */
bool link_counts_agree(const link_counts_t *counts, unsigned ports, char error[LINK_ERROR_BYTES]);

#endif
