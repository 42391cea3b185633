/* SPDX-License-Identifier: Apache-2.0 */
/* A run's result as one JSON object on one line. */
#ifndef TMU_REPLAY_REPORT_H
#define TMU_REPLAY_REPORT_H

#include "replay.h"

/* `what` is the trace's path, or the words for a random workload; with `soak` what the ledger says
 * is there too. */
void report_json(FILE *out, const tmu_info_t *info, const char *what, const replay_result_t *result,
                 bool soak);

#endif
