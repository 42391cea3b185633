/* SPDX-License-Identifier: Apache-2.0 */
/* A node held against the model of the wire: its settings in the model's words, and its counters.
 */
#ifndef UET_LAW_H
#define UET_LAW_H

#include "uet_node.h"
#include "wire_judge.h"

wire_config_t uet_law_config(const uet_node_config_t *config);

/* A judge without endpoints; NULL without memory. */
wire_judge_t *uet_law_judge(const uet_node_config_t *config);

/* Tells the judge a node's report of a receive. */
void uet_law_received(wire_judge_t *judge, const uet_received_t *received, const void *data);

/* Whether each counter of the node has what the model counts there (W6); else why not. */
enum { UET_LAW_ERROR_BYTES = 256 };
bool uet_law_counts(const uet_node_stats_t *stats, const wire_counts_t *right,
                    char error[UET_LAW_ERROR_BYTES]);

#endif
