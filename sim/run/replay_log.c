/* SPDX-License-Identifier: Apache-2.0 */
#include "replay_run.h"

#include <inttypes.h>

int run_log(run_t *run) {
    replay_result_t *result = run->result;
    const bool right = run_mismatches(run) == 0;
    for (size_t i = 0; i < run->workload->count; ++i) {
        const tmu_trace_op_t *op = &run->workload->ops[i];
        tmu_log_record_t *log = &run->outcomes[i];
        if (log->verdict == 0 && op->kind == TMU_TRACE_ARRIVE) {
            log->verdict = TMU_LOG_HELD;
            ++result->held;
        }
        result->matches += log->verdict == TMU_LOG_MATCHED;
        result->refused +=
            log->verdict == TMU_LOG_REFUSED_QUOTA || log->verdict == TMU_LOG_REFUSED_ENDPOINT;
        result->refused_endpoint += log->verdict == TMU_LOG_REFUSED_ENDPOINT;
        if (run->options->verdicts && tmu_log_write(run->options->verdicts, op, log) != 0 &&
            right) {
            (void)snprintf(run->error, run->error_size,
                           "cannot write the verdict of line %" PRIu64 " to the log", op->line);
            return -1;
        }
    }
    return 0;
}
