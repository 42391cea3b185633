/* SPDX-License-Identifier: Apache-2.0 */
/* Operations and verdicts in words, for reports of differences. */
#ifndef TMU_REPLAY_DESCRIBE_H
#define TMU_REPLAY_DESCRIBE_H

#include "tmu/tmu.h"
#include "tmu_model.h"
#include "tmu_trace.h"

#include <stdio.h>

/* One line, as a raw form of the trace format would have it. */
void describe_op(FILE *out, const tmu_trace_op_t *op);
void describe_completion(FILE *out, const tmu_completion_t *completion);
void describe_expected(FILE *out, const tmu_model_verdict_t *verdict);

/* A unit's status in a word. */
const char *describe_status(unsigned status);

#endif
