/* SPDX-License-Identifier: Apache-2.0 */
#include "target_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;

static void wrong(target_bench_t *bench, const char *sentence) {
    if (bench->error[0] == '\0') {
        (void)snprintf(bench->error, sizeof bench->error, "%s", sentence);
    }
}

static void on_frame(void *context, const uint8_t *frame, size_t bytes) {
    target_bench_t *bench = context;
    uet_packet_t answer;
    uet_error_t error;
    wire_judge_sent(bench->judge, frame, bytes);
    if (uet_packet_decode(frame, bytes, &settings, &answer, &error)) {
        forge_answer(&bench->forge, &answer);
    } else {
        wrong(bench, "an answer cannot be decoded");
    }
}

static void on_received(void *context, const uet_received_t *received) {
    target_bench_t *bench = context;
    const unsigned slot = (unsigned)(received->handle % BENCH_RECEIVES);
    if (!bench->buffer[slot]) {
        wrong(bench, "a receive completed that does not wait");
        return;
    }
    uet_law_received(bench->judge, received, bench->buffer[slot]);
    for (uint32_t i = received->written; i < bench->room[slot]; i++) {
        if (bench->buffer[slot][i] != 0) {
            wrong(bench, "W2: a byte behind the message was written");
        }
    }
    free(bench->buffer[slot]);
    bench->buffer[slot] = NULL;
    bench->completed += 1;
}

static void on_sent(void *context, const uet_sent_t *sent) {
    (void)context;
    (void)sent;
}

bool target_bench_begin(target_bench_t *bench, uint64_t seed, uint32_t wrong_of_1024) {
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
    if (!bench->node || !bench->judge) {
        return false;
    }
    for (uint16_t index = 0; index < FORGE_INDICES; index++) {
        const wire_endpoint_t endpoint = {
            .job = FORGE_JOB, .pid = FORGE_PID, .index = index, .unexpected = index * 2u};
        const uint32_t number = uet_node_endpoint(bench->node, FORGE_JOB, FORGE_PID, index);
        uet_node_quota(bench->node, number, endpoint.unexpected);
        if (wire_model_endpoint(wire_judge_model(bench->judge), &endpoint) != number) {
            return false;
        }
    }
    return true;
}

static void post(target_bench_t *bench) {
    lot_t *lot = &bench->forge.lot;
    const unsigned slot = (unsigned)(bench->posts % BENCH_RECEIVES);
    if (bench->buffer[slot]) {
        bench->posts += 1;
        return;
    }
    const uint32_t bytes =
        lot_chance(lot, 300) ? lot_below(lot, BENCH_RECEIVE_BYTES) : BENCH_RECEIVE_BYTES;
    bench->buffer[slot] = calloc(1, bytes + (bytes == 0));
    if (!bench->buffer[slot]) {
        return;
    }
    const uet_receive_t receive = {
        .endpoint = lot_below(lot, FORGE_INDICES),
        .match = lot_below(lot, 3),
        .ignore = lot_chance(lot, 600) ? UINT64_MAX : 0,
        .source = 1 + lot_below(lot, 2),
        .source_ignore = lot_chance(lot, 600) ? UINT32_MAX : 0,
        .buffer = bench->buffer[slot],
        .bytes = bytes,
        .handle = bench->posts,
    };
    const wire_receive_t law = {
        .endpoint = receive.endpoint,
        .match = receive.match,
        .ignore = receive.ignore,
        .source = receive.source,
        .source_ignore = receive.source_ignore,
        .address = (uintptr_t)receive.buffer,
        .bytes = receive.bytes,
        .handle = receive.handle,
    };
    bench->room[slot] = bytes;
    bench->posts += 1;
    wire_judge_post(bench->judge, &law);
    if (!uet_node_post(bench->node, &receive)) {
        wrong(bench, "a receive was not taken");
    }
}

static void enable(target_bench_t *bench) {
    const bool on = lot_chance(&bench->forge.lot, 900);
    const uint32_t endpoint = lot_below(&bench->forge.lot, FORGE_INDICES);
    wire_judge_enable(bench->judge, endpoint, on);
    uet_node_enable(bench->node, endpoint, on);
}

static void advance(target_bench_t *bench) {
    bench->now += lot_below(&bench->forge.lot, 4000);
    wire_judge_advance(bench->judge, bench->now);
    uet_node_advance(bench->node, bench->now);
}

void target_bench_disturb(target_bench_t *bench) {
    const uint32_t kind = lot_below(&bench->forge.lot, 86);
    if (kind < 50) {
        post(bench);
    } else if (kind < 82) {
        advance(bench);
    } else {
        enable(bench);
    }
}

static uint64_t taken(const target_bench_t *bench) {
    const uet_node_stats_t *stats = uet_node_stats(bench->node);
    return stats->counted[UET_COUNT_TAKEN] + stats->counted[UET_COUNT_CONTROL];
}

void target_bench_give(target_bench_t *bench, const uint8_t *frame, size_t bytes, stream_t *from,
                       const uet_packet_t *packet) {
    const uint64_t before = taken(bench);
    wire_judge_frame(bench->judge, frame, bytes);
    uet_node_frame(bench->node, frame, bytes);
    if (taken(bench) != before) {
        forge_taken(from, packet);
    }
}

const char *target_bench_error(const target_bench_t *bench) {
    const char *judged = wire_judge_error(bench->judge);
    return judged[0] != '\0' ? judged : bench->error;
}

const char *target_bench_end(target_bench_t *bench, uint64_t counted[WIRE_COUNTERS]) {
    char error[UET_LAW_ERROR_BYTES] = "";
    wire_judge_finish(bench->judge);
    const wire_counts_t *counts = wire_model_counts(wire_judge_model(bench->judge));
    if (!uet_law_counts(uet_node_stats(bench->node), counts, error)) {
        wrong(bench, error);
    }
    if (wire_judge_error(bench->judge)[0] != '\0') {
        (void)snprintf(bench->error, sizeof bench->error, "%s", wire_judge_error(bench->judge));
    }
    for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
        counted[i] += counts->counted[i];
    }
    wire_judge_free(bench->judge);
    uet_node_destroy(bench->node);
    for (unsigned i = 0; i < BENCH_RECEIVES; i++) {
        free(bench->buffer[i]);
    }
    return bench->error;
}
