/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An endpoint under packets with every kind of fault, held against the model of the wire: two
 * implementations that share nothing but codec and matching answer, complete and count alike
 * (W1 to W6).
 */

#include "expect_law.h"
#include "forge.h"

enum { RECEIVES = 48, RECEIVE_BYTES = 200 };

typedef struct {
    forge_t forge;
    uet_node_t *node;
    wire_judge_t *judge;
    uint64_t now;
    uint64_t posts;
    bool busy[RECEIVES];
    uint8_t buffer[RECEIVES][RECEIVE_BYTES];
    uint64_t completed;
    uint64_t broken;
} bench_t;

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;

static void on_frame(void *context, const uint8_t *frame, size_t bytes) {
    bench_t *bench = context;
    uet_packet_t answer;
    uet_error_t error;
    wire_judge_sent(bench->judge, frame, bytes);
    EXPECT(uet_packet_decode(frame, bytes, &settings, &answer, &error));
    forge_answer(&bench->forge, &answer);
}

static void on_received(void *context, const uet_received_t *received) {
    bench_t *bench = context;
    unsigned slot = (unsigned)(received->handle % RECEIVES);
    EXPECT(bench->busy[slot]);
    uet_law_received(bench->judge, received, bench->buffer[slot]);
    bench->busy[slot] = false;
    bench->completed += 1;
    bench->broken += received->code != UET_RC_OK;
}

static void on_sent(void *context, const uet_sent_t *sent) {
    (void)context;
    (void)sent;
}

static void begin(bench_t *bench, uint64_t seed, uint32_t wrong_of_1024) {
    uet_node_config_t config = UET_NODE_DEFAULT;
    uet_callbacks_t callbacks = {bench, on_frame, on_sent, on_received, NULL};
    memset(bench, 0, sizeof *bench);
    config.address = FORGE_TARGET;
    config.payload_mtu = FORGE_MTU;
    config.pdcs = FORGE_STREAMS;
    config.stored = 4;
    config.ack_trigger = 2048;
    config.reopen = 20000;
    config.quarantine = 5000;
    config.idle = 60000;
    forge_begin(&bench->forge, seed, wrong_of_1024);
    bench->node = uet_node_create(&config, &callbacks);
    bench->judge = uet_law_judge(&config);
    for (uint16_t index = 0; index < FORGE_INDICES; index++) {
        wire_endpoint_t endpoint = {
            .job = FORGE_JOB, .pid = FORGE_PID, .index = index, .unexpected = index * 2u};
        uint32_t number = uet_node_endpoint(bench->node, FORGE_JOB, FORGE_PID, index);
        uet_node_quota(bench->node, number, endpoint.unexpected);
        EXPECT_NUMBER(wire_model_endpoint(wire_judge_model(bench->judge), &endpoint), number);
    }
}

static void post(bench_t *bench) {
    lot_t *lot = &bench->forge.lot;
    unsigned slot = (unsigned)(bench->posts % RECEIVES);
    if (bench->busy[slot]) {
        bench->posts += 1;
        return;
    }
    uet_receive_t receive = {
        .endpoint = lot_below(lot, FORGE_INDICES),
        .match = lot_below(lot, 3),
        .ignore = lot_chance(lot, 600) ? UINT64_MAX : 0,
        .source = 1 + lot_below(lot, 2),
        .source_ignore = lot_chance(lot, 600) ? UINT32_MAX : 0,
        .buffer = bench->buffer[slot],
        .bytes = lot_chance(lot, 300) ? lot_below(lot, RECEIVE_BYTES) : RECEIVE_BYTES,
        .handle = bench->posts,
    };
    wire_receive_t law = {
        .endpoint = receive.endpoint,
        .match = receive.match,
        .ignore = receive.ignore,
        .source = receive.source,
        .source_ignore = receive.source_ignore,
        .address = (uintptr_t)receive.buffer,
        .bytes = receive.bytes,
        .handle = receive.handle,
    };
    memset(bench->buffer[slot], 0, RECEIVE_BYTES);
    bench->busy[slot] = true;
    bench->posts += 1;
    wire_judge_post(bench->judge, &law);
    EXPECT(uet_node_post(bench->node, &receive));
}

static uint64_t taken(const bench_t *bench) {
    const uet_node_stats_t *stats = uet_node_stats(bench->node);
    return stats->counted[UET_COUNT_TAKEN] + stats->counted[UET_COUNT_CONTROL];
}

static void give_frame(bench_t *bench) {
    uint8_t frame[FORGE_ROOM];
    stream_t *from;
    uet_packet_t packet;
    size_t bytes = forge_frame(&bench->forge, frame, &from, &packet);
    uint64_t before = taken(bench);
    bool again = lot_chance(&bench->forge.lot, 60);
    for (unsigned i = 0; i < 1u + again; i++) {
        wire_judge_frame(bench->judge, frame, bytes);
        uet_node_frame(bench->node, frame, bytes);
    }
    if (taken(bench) != before) {
        forge_taken(from, &packet);
    }
}

static void advance(bench_t *bench) {
    bench->now += lot_below(&bench->forge.lot, 4000);
    wire_judge_advance(bench->judge, bench->now);
    uet_node_advance(bench->node, bench->now);
}

static void enable(bench_t *bench, bool on) {
    uint32_t endpoint = lot_below(&bench->forge.lot, FORGE_INDICES);
    wire_judge_enable(bench->judge, endpoint, on);
    uet_node_enable(bench->node, endpoint, on);
}

static uint64_t seed = 1;

/* The counters that were hit; with enough steps all but a few that no packet of it can reach. */
static unsigned run(uint64_t number, uint32_t wrong_of_1024, unsigned steps) {
    static bench_t bench;
    unsigned hit = 0;
    begin(&bench, number, wrong_of_1024);
    for (unsigned i = 0; i < steps && wire_judge_error(bench.judge)[0] == '\0'; i++) {
        uint32_t kind = lot_below(&bench.forge.lot, 256);
        if (kind < 170) {
            give_frame(&bench);
        } else if (kind < 220) {
            post(&bench);
        } else if (kind < 252) {
            advance(&bench);
        } else {
            enable(&bench, lot_chance(&bench.forge.lot, 900));
        }
    }
    const wire_counts_t *counts = wire_model_counts(wire_judge_model(bench.judge));
    for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
        hit += counts->counted[i] > 0 ? 1u << i : 0u;
    }
    EXPECT(bench.completed > steps / 1000);
    expect_law(bench.judge, bench.node);
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
