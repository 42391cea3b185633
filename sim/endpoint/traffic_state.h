/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by traffic.c, which makes messages, and traffic_judge.c, which judges them. */
#ifndef TRAFFIC_STATE_H
#define TRAFFIC_STATE_H

#include "link_capture.h"
#include "lot.h"
#include "traffic.h"
#include "traffic_class.h"
#include "uet_law.h"

enum { DEPTH = 32, GUARD = 64, UNWRITTEN = 0xa5, REUSED = 0xee };

/* The messages of one direction and class; each call's buffer is that of its number in DEPTH. */
typedef struct {
    uint64_t sent;      /* handed to the sender */
    uint64_t completed; /* that the sender was told of, in any order */
    uint64_t posted;
    uint64_t received;
    bool busy[DEPTH];
    uint8_t out[DEPTH][TRAFFIC_BYTES_MOST];
    uint8_t in[DEPTH][GUARD + TRAFFIC_BYTES_MOST + GUARD];
} class_t;

struct side {
    struct traffic *traffic;
    unsigned number;
};

typedef struct traffic {
    const traffic_options_t *options;
    traffic_result_t *result;
    lot_t lot;
    uint64_t now;
    uint64_t each; /* messages of a class */
    struct side side[2];
    uet_node_t *node[2];
    wire_judge_t *judge[2]; /* of each node */
    link_switch_t *network;
    link_capture_t *capture;
    class_t *class[2][TRAFFIC_CLASSES]; /* by direction: 0 is from side 0 to side 1 */
} traffic_t;

/* The first fault is kept. */
void traffic_wrong(traffic_t *traffic, const char *form, ...);

/* Callbacks of the endpoints; the context is a struct side. */
void traffic_on_sent(void *context, const uet_sent_t *sent);
void traffic_on_received(void *context, const uet_received_t *received);

/* Checks the acts of this side as a target against the model of the wire. */
void traffic_check_law(traffic_t *traffic, unsigned side);

/* Each frame is counted once (W6), each message has entered matching once (W1). */
void traffic_check_counts(traffic_t *traffic);

#endif
