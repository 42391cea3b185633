/* SPDX-License-Identifier: Apache-2.0 */
#include "log_line.h"

static tmu_log_verdict_t log_verdict(const tmu_completion_t *c) {
    switch (c->status) {
    case TMU_STATUS_MATCHED:
        return TMU_LOG_MATCHED;
    case TMU_STATUS_QUEUED:
        return TMU_LOG_QUEUED;
    case TMU_STATUS_FOUND:
        return TMU_LOG_FOUND;
    case TMU_STATUS_NONE:
        return TMU_LOG_NONE;
    case TMU_STATUS_CANCELLED:
        return TMU_LOG_CANCELLED;
    case TMU_STATUS_LATE:
        return TMU_LOG_LATE;
    case TMU_STATUS_FLUSHED:
        return TMU_LOG_REMOVED;
    case TMU_STATUS_REFUSED_QUOTA:
        return TMU_LOG_REFUSED_QUOTA;
    case TMU_STATUS_REFUSED_ENDPOINT:
        return TMU_LOG_REFUSED_ENDPOINT;
    default:
        return 0; /* nothing that a trace can cause: the checker has counted it */
    }
}

tmu_log_record_t log_line_of(const tmu_completion_t *c) {
    return (tmu_log_record_t){
        .verdict = log_verdict(c),
        .truncated = c->truncated,
        .other = c->other,
        .removed_posted = c->removed_posted,
        .removed_unexpected = c->removed_unexpected,
    };
}
