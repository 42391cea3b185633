/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a test in which the model of the wire judges a node. */
#ifndef EXPECT_LAW_H
#define EXPECT_LAW_H

#include "expect.h"
#include "uet_law.h"

/* Nothing differed, nothing is left to be done, and the counters are the model's (W6); frees both.
 */
static inline void expect_law(wire_judge_t *judge, uet_node_t *node) {
    char error[UET_LAW_ERROR_BYTES] = "";
    wire_judge_finish(judge);
    EXPECT_TEXT(wire_judge_error(judge), "");
    (void)uet_law_counts(uet_node_stats(node), wire_model_counts(wire_judge_model(judge)), error);
    EXPECT_TEXT(error, "");
    wire_judge_free(judge);
    uet_node_destroy(node);
}

#endif
