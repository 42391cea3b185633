/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An endpoint under packets with every kind of fault, held against the model of the wire: two
 * implementations that share nothing but codec and matching answer, complete and count alike
 * (W1 to W6).
 */
#include "expect.h"
#include "target_bench.h"

static uint64_t seed = 1;

static void give_frame(target_bench_t *bench) {
    uint8_t frame[FORGE_ROOM];
    stream_t *from;
    uet_packet_t packet;
    const size_t bytes = forge_frame(&bench->forge, frame, &from, &packet);
    const bool again = lot_chance(&bench->forge.lot, 60);
    for (unsigned i = 0; i < 1u + again; i++) {
        target_bench_give(bench, frame, bytes, from, &packet);
    }
}

/* The counters that were hit; with enough steps all but a few that no packet of it can reach. */
static unsigned run(uint64_t number, uint32_t wrong_of_1024, unsigned steps) {
    static target_bench_t bench;
    uint64_t counted[WIRE_COUNTERS] = {0};
    unsigned hit = 0;
    EXPECT(target_bench_begin(&bench, number, wrong_of_1024));
    for (unsigned i = 0; i < steps && target_bench_error(&bench)[0] == '\0'; i++) {
        if (lot_below(&bench.forge.lot, 256) < 170) {
            give_frame(&bench);
        } else {
            target_bench_disturb(&bench);
        }
    }
    EXPECT(bench.completed > steps / 1000);
    EXPECT_TEXT(target_bench_end(&bench, counted), "");
    for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
        hit |= counted[i] > 0 ? 1u << i : 0u;
    }
    return hit;
}

static void w1_w6_packets_with_few_faults(void) { (void)run(seed, 40, 20000); }

static void w1_w6_packets_with_many_faults(void) {
    unsigned hit = 0;
    for (uint64_t i = 0; i < 8; i++) {
        hit |= run(seed * 100 + i, 300, 5000);
    }
    EXPECT_NUMBER(hit, (1u << WIRE_COUNTERS) - 1 - (1u << WIRE_ANSWER)); /* none was made */
}

int main(void) {
    seed = expect_seed(seed);
    RUN(w1_w6_packets_with_few_faults);
    RUN(w1_w6_packets_with_many_faults);
    return expect_summary();
}
