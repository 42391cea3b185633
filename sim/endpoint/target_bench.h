/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A target under packets with faults, held against the model of the wire (W1 to W6): receives,
 * times and endpoints that are switched, as a seed has them.
 */
#ifndef TARGET_BENCH_H
#define TARGET_BENCH_H

#include "forge.h"
#include "uet_law.h"

enum { BENCH_RECEIVES = 48, BENCH_RECEIVE_BYTES = 200, BENCH_ERROR_BYTES = 512 };

typedef struct {
    forge_t forge;
    uet_node_t *node;
    wire_judge_t *judge;
    uint64_t now;
    uint64_t posts;
    uint8_t *buffer[BENCH_RECEIVES]; /* of receives that wait, each of its own bytes; or NULL */
    uint32_t room[BENCH_RECEIVES];
    uint64_t completed;
    char error[BENCH_ERROR_BYTES]; /* empty, or the first thing that was wrong */
} target_bench_t;

/* False without memory. */
bool target_bench_begin(target_bench_t *bench, uint64_t seed, uint32_t wrong_of_1024);
/* Posts a receive, lets time pass, or switches an endpoint. */
void target_bench_disturb(target_bench_t *bench);
/* Gives a frame; `from` and `packet` as forge_frame told them. */
void target_bench_give(target_bench_t *bench, const uint8_t *frame, size_t bytes, stream_t *from,
                       const uet_packet_t *packet);
/* The first difference so far; empty without one. */
const char *target_bench_error(const target_bench_t *bench);
/* Compares what is left, and the counters (W6), and frees all but the bench; adds its counters. */
const char *target_bench_end(target_bench_t *bench, uint64_t counted[WIRE_COUNTERS]);

#endif
