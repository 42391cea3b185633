/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two endpoints, a switch that loses, repeats, reorders and corrupts frames between them, and
 * tagged messages in both directions of which every byte and every completion is checked (W1 to
 * W6).
 *
 * Each direction has classes of messages: one source, one endpoint and one range of tags, of which
 * receives ignore the low bits and sometimes the source.  Messages of a class therefore meet its
 * receives first to first, whenever each of them comes, and nothing of the endpoint says so.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "link_switch.h"
#include "uet_node.h"

enum { TRAFFIC_ERROR_BYTES = 512 };

typedef struct {
    uint64_t messages;    /* both directions together, at least 1 */
    uint64_t seed;        /* of the messages */
    link_shape_t link;    /* of the switch; its ports are two whatever it says */
    uint32_t payload_mtu; /* at most TRAFFIC_MTU_MOST */
    uint16_t window;
    uint64_t quota;    /* unexpected messages that every other endpoint keeps; 0: no limit */
    const char *pcap;  /* capture to write; NULL: none */
    bool close_midway; /* PDCs close and open again while messages are on their way */
    void (*progress)(uint64_t received);
} traffic_options_t;

enum { TRAFFIC_MTU_MOST = 4096 };

typedef struct {
    uint64_t received;
    uint64_t bytes;
    uint64_t truncated;
    uint64_t unexpected; /* completed at once by their receive: they were waiting */
    uint64_t time_ns;    /* simulated */
    uet_node_stats_t node[2];
    link_counts_t port[2];
    char error[TRAFFIC_ERROR_BYTES]; /* empty, or the first thing that is wrong */
} traffic_result_t;

/* Whether everything was right. */
bool traffic_run(const traffic_options_t *options, traffic_result_t *result);

#endif
