/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The model under frames and posts at random: what holds of every target, whatever it is given.
 *
 * W1 each message enters matching once; W2 a write lies inside a queued receive or a registered
 * buffer of the pool; W3 a completion announces no byte that was not written before; W5 a message
 * that was refused for want of room comes in later; W6 each frame is counted once.
 */
#include <stdlib.h>

#include "expect.h"
#include "forge.h"
#include "wire_model.h"

enum { RECEIVES = 64, SPACING = 0x1000, RECEIVE_BYTES = 200, BUFFERS = 8, STEPS = 20000 };

static const uint64_t POOL = 0x4000000;
static const uint64_t MEMORY = 0x8000000;

typedef struct {
    bool queued;
    uint32_t bytes;
    uint32_t written; /* from the beginning, without a gap */
} receive_t;

typedef struct {
    forge_t forge;
    wire_model_t *model;
    wire_result_t result;
    receive_t receive[FORGE_INDICES][RECEIVES];
    uint64_t posts;
    uint64_t parked[FORGE_INDICES];
    uint64_t freed[FORGE_INDICES];
    uint64_t completions;
    uint64_t now;
    unsigned kinds; /* of effects, seen */
} bench_t;

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;
static uint64_t seed = 1;
static bench_t bench;

static uint64_t receive_address(uint32_t endpoint, uint64_t slot) {
    return MEMORY + (endpoint * RECEIVES + slot) * SPACING;
}

static uint64_t buffer_address(uint32_t endpoint, uint64_t number) {
    return POOL + (endpoint * BUFFERS + number) * SPACING;
}

static void begin(void) {
    wire_config_t config = WIRE_CONFIG_DEFAULT;
    memset(&bench, 0, sizeof bench);
    config.ipv4 = FORGE_TARGET;
    config.payload_mtu = FORGE_MTU;
    config.pdcs = FORGE_STREAMS;
    config.responses = 6;
    config.ack_on_ecn = true;
    config.quarantine = 5000;
    config.reopen = 20000;
    config.idle = 60000;
    forge_begin(&bench.forge, seed, 80);
    bench.model = wire_model_new(&config);
    for (uint16_t index = 0; index < FORGE_INDICES; index++) {
        wire_endpoint_t endpoint = {
            .job = FORGE_JOB,
            .pid = FORGE_PID,
            .index = index,
            .pooled = true,
            .nack_shortage = index == 1,
            .answer_at_match = index == 2,
            .too_long = index == 0 ? WIRE_TOO_LONG : WIRE_TRUNCATE,
        };
        EXPECT_NUMBER(wire_model_endpoint(bench.model, &endpoint), index);
        for (uint64_t number = 0; number < BUFFERS; number++) {
            EXPECT(wire_model_pool(bench.model, index, buffer_address(index, number),
                                   number % 2 == 0 ? FORGE_MTU : 4 * FORGE_MTU));
        }
    }
}

/* W2: inside a receive that is queued, one byte behind the other. */
static void check_write(const wire_effect_t *effect) {
    uint64_t at = effect->address - receive_address(effect->endpoint, 0);
    receive_t *receive = &bench.receive[effect->endpoint][at / SPACING % RECEIVES];
    EXPECT(at / SPACING < RECEIVES);
    EXPECT(receive->queued);
    EXPECT_NUMBER(at % SPACING, receive->written);
    EXPECT(at % SPACING + effect->bytes <= receive->bytes);
    receive->written += (uint32_t)effect->bytes;
}

static void check_park(const wire_effect_t *effect) {
    uint64_t at = effect->address - buffer_address(effect->endpoint, 0);
    EXPECT(at / SPACING < BUFFERS);
    EXPECT(at % SPACING + effect->bytes <=
           (at / SPACING % 2 == 0 ? (unsigned)FORGE_MTU : 4u * FORGE_MTU));
    bench.parked[effect->endpoint] += effect->bytes;
}

/* W3: its bytes are written, and the receive is told once. */
static void check_completion(const wire_completion_t *completion) {
    receive_t *receive = &bench.receive[completion->endpoint][completion->handle % RECEIVES];
    EXPECT(receive->queued);
    EXPECT_NUMBER(completion->written, receive->written);
    EXPECT(completion->written <= completion->length);
    EXPECT(completion->code != UET_RC_OK ||
           completion->written ==
               (completion->length < receive->bytes ? completion->length : receive->bytes));
    receive->queued = false;
    bench.completions += 1;
}

static void check_effects(void) {
    for (size_t i = 0; i < bench.result.effects; i++) {
        const wire_effect_t *effect = &bench.result.effect[i];
        uet_packet_t answer;
        uet_error_t error;
        bench.kinds |= 1u << effect->kind;
        switch (effect->kind) {
        case WIRE_WRITE:
            check_write(effect);
            break;
        case WIRE_PARK:
            check_park(effect);
            break;
        case WIRE_FREE:
            bench.freed[effect->endpoint] += 1;
            break;
        case WIRE_SEND:
            EXPECT(uet_packet_decode(effect->data, effect->bytes, &settings, &answer, &error));
            EXPECT(uet_pds_is_ack(answer.pds.type) || uet_pds_is_nack(answer.pds.type));
            forge_answer(&bench.forge, &answer);
            break;
        case WIRE_COMPLETION:
            check_completion(&effect->completion);
        }
    }
}

static void frame(void) {
    uint8_t bytes[FORGE_ROOM];
    stream_t *from;
    uet_packet_t packet;
    uint64_t before = wire_model_counts(bench.model)->messages;
    size_t count = forge_frame(&bench.forge, bytes, &from, &packet);
    EXPECT(wire_model_frame(bench.model, bytes, count, 0, &bench.result));
    check_effects();
    uint64_t entered = wire_model_counts(bench.model)->messages - before;
    EXPECT(entered <= (bench.result.counter == WIRE_TAKEN)); /* W1 */
    if (bench.result.counter == WIRE_TAKEN || bench.result.counter == WIRE_CONTROL) {
        forge_taken(from, &packet);
    } else {
        EXPECT(bench.result.effects <= 1); /* W6: an answer at most */
    }
}

static void post(void) {
    lot_t *lot = &bench.forge.lot;
    uint32_t endpoint = lot_below(lot, FORGE_INDICES);
    receive_t *slot = &bench.receive[endpoint][bench.posts % RECEIVES];
    if (!slot->queued) {
        uint32_t bytes = lot_chance(lot, 300) ? lot_below(lot, RECEIVE_BYTES) : RECEIVE_BYTES;
        wire_receive_t receive = {
            .endpoint = endpoint,
            .match = lot_below(lot, 3),
            .ignore = lot_chance(lot, 600) ? UINT64_MAX : 0,
            .source = 1 + lot_below(lot, 2),
            .source_ignore = lot_chance(lot, 600) ? UINT32_MAX : 0,
            .address = receive_address(endpoint, bench.posts % RECEIVES),
            .bytes = bytes,
            .handle = bench.posts,
        };
        *slot = (receive_t){.queued = true, .bytes = bytes};
        EXPECT(wire_model_post(bench.model, &receive, &bench.result));
        check_effects();
    }
    bench.posts += 1;
}

static void w1_w6_hold_for_whatever_comes(void) {
    uint64_t sum = 0;
    uint64_t reasons = 0;
    begin();
    for (unsigned i = 0; i < STEPS && expect_failures == 0; i++) {
        uint32_t kind = lot_below(&bench.forge.lot, 256);
        if (kind < 170) {
            frame();
        } else if (kind < 225) {
            post();
        } else {
            bench.now += lot_below(&bench.forge.lot, 4000);
            EXPECT(wire_model_advance(bench.model, bench.now, &bench.result));
            check_effects();
        }
    }
    const wire_counts_t *counts = wire_model_counts(bench.model);
    for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
        sum += counts->counted[i];
    }
    for (unsigned i = 0; i < UET_REASONS; i++) {
        reasons += counts->reasons[i];
    }
    EXPECT_NUMBER(sum, counts->frames);
    EXPECT_NUMBER(reasons, counts->counted[WIRE_REFUSED_FRAME]);
    EXPECT(bench.completions <= counts->messages);
    EXPECT(bench.completions > STEPS / 100);
    EXPECT(counts->counted[WIRE_NO_ROOM] > 0);
    EXPECT_NUMBER(bench.kinds, 0x1f);
    wire_model_free(bench.model);
}

/* Frames of bytes that nobody has sealed are dropped, whatever they are. */
static void w6_random_bytes_change_nothing(void) {
    uint8_t bytes[256];
    lot_t lot = lot_seeded(seed);
    begin();
    for (unsigned i = 0; i < STEPS; i++) {
        uint32_t count = lot_below(&lot, sizeof bytes + 1);
        for (uint32_t at = 0; at < count; at++) {
            bytes[at] = (uint8_t)lot_draw(&lot);
        }
        if (count > 14 && lot_chance(&lot, 900)) {
            memcpy(bytes + 12, "\x08\x00\x45", 3);
        }
        EXPECT(wire_model_frame(bench.model, bytes, count, 0, &bench.result));
        EXPECT_NUMBER(bench.result.counter, WIRE_REFUSED_FRAME);
        EXPECT_NUMBER(bench.result.effects, 0);
    }
    EXPECT_NUMBER(wire_model_counts(bench.model)->counted[WIRE_REFUSED_FRAME], STEPS);
    wire_model_free(bench.model);
}

static void a_configuration_out_of_range_is_refused(void) {
    wire_config_t config = WIRE_CONFIG_DEFAULT;
    config.payload_mtu = 0;
    EXPECT(!wire_model_new(&config));
    config = (wire_config_t)WIRE_CONFIG_DEFAULT;
    config.window = 0x8000;
    EXPECT(!wire_model_new(&config));
    config.window = 1;
    config.endpoints = 1;
    wire_endpoint_t endpoint = {.job = 1};
    wire_receive_t receive = {.endpoint = 1};
    wire_model_t *model = wire_model_new(&config);
    EXPECT_NUMBER(wire_model_endpoint(model, &endpoint), 0);
    EXPECT_NUMBER(wire_model_endpoint(model, &endpoint), UINT32_MAX);
    EXPECT(!wire_model_post(model, &receive, &bench.result));
    receive.endpoint = 0;
    EXPECT(wire_model_post(model, &receive, &bench.result));
    EXPECT(wire_model_cancel(model, 0, 0));
    EXPECT(!wire_model_cancel(model, 0, 0));
    EXPECT_TEXT(wire_counter_name(WIRE_TAKEN), "taken");
    EXPECT(!wire_counter_name(WIRE_COUNTERS));
    wire_model_free(model);
}

int main(void) {
    seed = expect_seed(seed);
    RUN(w1_w6_hold_for_whatever_comes);
    RUN(w6_random_bytes_change_nothing);
    RUN(a_configuration_out_of_range_is_refused);
    return expect_summary();
}
