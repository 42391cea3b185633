/* SPDX-License-Identifier: Apache-2.0 */
#include "tally.h"

#include <string.h>

void tally_add(tally_t *tally, unsigned kind, const tmu_model_verdict_t *verdict) {
    if ((size_t)verdict->status <= TMU_MODEL_HELD) {
        ++tally->verdicts[kind][verdict->status];
    }
    tally->truncated += verdict->truncated;
    tally->removed_posted += verdict->removed_posted;
    tally->removed_unexpected += verdict->removed_unexpected;
}

/* Operations of a kind that reached an endpoint which is there. */
static uint64_t effective(const tally_t *tally, unsigned kind) {
    uint64_t sum = 0;
    for (unsigned status = 0; status <= TMU_MODEL_HELD; ++status) {
        if (status != TMU_MODEL_REFUSED_ENDPOINT) {
            sum += tally->verdicts[kind][status];
        }
    }
    return sum;
}

/* Every verdict is of a command, and is a completion beside those that a flush reports. */
static uint64_t commands(const tally_t *tally) {
    uint64_t sum = 0;
    for (unsigned kind = 0; kind <= TMU_TRACE_FLUSH; ++kind) {
        for (unsigned status = 0; status <= TMU_MODEL_HELD; ++status) {
            sum += tally->verdicts[kind][status];
        }
    }
    return sum;
}

size_t tally_counters(const tally_t *tally, const tmu_model_stats_t *stats, bool depths,
                      tmu_counter_t counters[TALLY_COUNTERS]) {
    const uint64_t(*v)[TMU_MODEL_HELD + 1] = tally->verdicts;
    const tmu_counter_t all[] = {
        {"posts", effective(tally, TMU_TRACE_POST)},
        {"arrivals", effective(tally, TMU_TRACE_ARRIVE)},
        {"probes", effective(tally, TMU_TRACE_PROBE)},
        {"claims", effective(tally, TMU_TRACE_CLAIM)},
        {"cancels", effective(tally, TMU_TRACE_CANCEL)},
        {"flushes", effective(tally, TMU_TRACE_FLUSH)},
        {"post_matched", v[TMU_TRACE_POST][TMU_MODEL_MATCHED]},
        {"post_queued", v[TMU_TRACE_POST][TMU_MODEL_QUEUED]},
        {"post_refused", v[TMU_TRACE_POST][TMU_MODEL_REFUSED_QUOTA]},
        {"arrive_matched", v[TMU_TRACE_ARRIVE][TMU_MODEL_MATCHED]},
        {"arrive_queued", v[TMU_TRACE_ARRIVE][TMU_MODEL_QUEUED]},
        {"arrive_stalled", v[TMU_TRACE_ARRIVE][TMU_MODEL_STALLED]},
        {"probe_found", v[TMU_TRACE_PROBE][TMU_MODEL_FOUND]},
        {"claim_matched", v[TMU_TRACE_CLAIM][TMU_MODEL_MATCHED]},
        {"cancelled", v[TMU_TRACE_CANCEL][TMU_MODEL_CANCELLED]},
        {"cancel_late", v[TMU_TRACE_CANCEL][TMU_MODEL_LATE]},
        {"removed_posted", tally->removed_posted},
        {"removed_unexpected", tally->removed_unexpected},
        {"truncated", tally->truncated},
        {"refused_endpoint", stats->refused_endpoint},
        {"commands", commands(tally)},
        {"completions", commands(tally) + tally->removed_posted + tally->removed_unexpected},
        {"posted_depth_max", stats->posted_max},
        {"unexpected_depth_max", stats->unexpected_max},
    };
    const size_t count = sizeof all / sizeof all[0] - (depths ? 0 : 2);
    _Static_assert(sizeof all / sizeof all[0] <= TALLY_COUNTERS, "room for every counter");
    memcpy(counters, all, count * sizeof all[0]);
    return count;
}
