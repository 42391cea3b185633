/* SPDX-License-Identifier: Apache-2.0 */
/* A device of the preset tiny with registered memory, for the driver's tests. */
#ifndef SPILL_FIXTURE_H
#define SPILL_FIXTURE_H

#include "fixture.h"

#define TABLE 64 /* entries of a queue on chip */
#define SEGMENT_CHUNKS (TMU_SPILL_SEGMENT_BYTES / TMU_SPILL_CHUNK_BYTES)
#define SEGMENT_ENTRIES (SEGMENT_CHUNKS * TMU_SPILL_CHUNK_ENTRIES)

static inline bench_t spill_open(uint32_t endpoint, uint32_t ring_log2, uint32_t segments) {
    bench_t b = bench_open(endpoint, ring_log2);
    must(tmu_spill_add(b.device, segments), b.device);
    return b;
}

/* Whether entries beyond the table lie there; the functional device keeps none in memory. */
static inline bool keeps_memory(const bench_t *b) {
    tmu_info_t info;
    must(tmu_query(b->device, &info), b->device);
    return info.filter_lanes > 0;
}

static inline tmu_spill_stats_t stats_of(const bench_t *b) {
    tmu_spill_stats_t stats;
    must(tmu_spill_stats(b->device, &stats), b->device);
    return stats;
}

/* Arrivals held back now. */
static inline uint64_t held(const bench_t *b) {
    tmu_flow_stats_t stats;
    must(tmu_flow_stats(b->device, &stats), b->device);
    return stats.held_now;
}

#endif
