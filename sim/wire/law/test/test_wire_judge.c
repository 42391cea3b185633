/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge, with the model itself as the target: no difference, and each thing that a target can
 * do otherwise is one.
 */
#include <stdlib.h>

#include "expect.h"
#include "forge.h"
#include "wire_judge.h"

enum { RECEIVES = 64, RECEIVE_BYTES = 256, STEPS = 400, FAULT_FROM = 100 };

typedef enum {
    FAULT_NONE,
    ANSWER_MISSING,
    ANSWER_TWICE,
    ANSWER_BYTE,
    ANSWER_PADDED_WRONG,
    COMPLETION_MISSING,
    COMPLETION_TWICE,
    COMPLETION_SHORT,
    COMPLETION_OF_ANOTHER,
    COMPLETION_CODE,
    RECEIVE_BYTE,
    FAULTS
} fault_t;

static wire_judge_t *judge;
static wire_model_t *target;
static fault_t fault; /* the next time that it can be made */
static uint64_t posts;
static uint8_t memory[RECEIVES][RECEIVE_BYTES];

static bool now(fault_t which) {
    bool is = fault == which;
    fault = is ? FAULT_NONE : fault;
    return is;
}

static void tell_frame(const wire_effect_t *effect) {
    uint8_t frame[FORGE_ROOM] = {0};
    size_t bytes = effect->bytes < 60 ? 60 : effect->bytes; /* as a card pads it */
    memcpy(frame, effect->data, effect->bytes);
    if (now(ANSWER_MISSING)) {
        return;
    }
    frame[effect->bytes - 10] ^= now(ANSWER_BYTE);
    bytes += now(ANSWER_PADDED_WRONG) ? 9 : 0;
    wire_judge_sent(judge, frame, bytes);
    if (now(ANSWER_TWICE)) {
        wire_judge_sent(judge, frame, bytes);
    }
}

static void tell_completion(const wire_completion_t *right) {
    uint8_t *data = memory[right->handle % RECEIVES];
    wire_completion_t completion = *right;
    if (now(COMPLETION_MISSING)) {
        return;
    }
    completion.code ^= now(COMPLETION_CODE);
    completion.handle += now(COMPLETION_OF_ANOTHER);
    if (right->written != 0) {
        completion.written -= now(COMPLETION_SHORT);
        data[right->written - 1] ^= now(RECEIVE_BYTE);
    }
    wire_judge_completed(judge, &completion, data);
    if (now(COMPLETION_TWICE)) {
        wire_judge_completed(judge, &completion, data);
    }
}

static void tell(const wire_result_t *result) {
    for (size_t i = 0; i < result->effects; i++) {
        const wire_effect_t *effect = &result->effect[i];
        if (effect->kind == WIRE_WRITE) {
            memcpy(&memory[0][0] + effect->address, effect->data, effect->bytes);
        } else if (effect->kind == WIRE_SEND) {
            tell_frame(effect);
        } else if (effect->kind == WIRE_COMPLETION) {
            tell_completion(&effect->completion);
        }
    }
}

static void post(lot_t *lot) {
    wire_result_t result;
    wire_receive_t receive = {
        .endpoint = lot_below(lot, FORGE_INDICES),
        .ignore = UINT64_MAX,
        .source_ignore = UINT32_MAX,
        .address = posts % RECEIVES * RECEIVE_BYTES,
        .bytes = RECEIVE_BYTES,
        .handle = posts,
    };
    posts += 1;
    wire_judge_post(judge, &receive);
    EXPECT(wire_model_post(target, &receive, &result));
    tell(&result);
}

static void add_endpoints(wire_model_t *model) {
    for (uint16_t index = 0; index < FORGE_INDICES; index++) {
        wire_endpoint_t endpoint = {.job = FORGE_JOB, .pid = FORGE_PID, .index = index};
        EXPECT_NUMBER(wire_model_endpoint(model, &endpoint), index);
    }
}

/* Whether the judge found a difference. */
static bool differs(fault_t made) {
    forge_t forge;
    wire_result_t result;
    wire_config_t config = WIRE_CONFIG_DEFAULT;
    config.ipv4 = FORGE_TARGET;
    config.payload_mtu = FORGE_MTU;
    forge_begin(&forge, 1, 0);
    judge = wire_judge_new(&config);
    target = wire_model_new(&config);
    fault = FAULT_NONE;
    posts = 0;
    add_endpoints(target);
    add_endpoints(wire_judge_model(judge));
    for (unsigned i = 0; i < STEPS; i++) {
        uint8_t frame[FORGE_ROOM];
        stream_t *from;
        uet_packet_t packet;
        fault = i == FAULT_FROM ? made : fault;
        size_t bytes = forge_frame(&forge, frame, &from, &packet);
        wire_judge_frame(judge, frame, bytes);
        EXPECT(wire_model_frame(target, frame, bytes, 0, &result));
        tell(&result);
        if (result.counter == WIRE_TAKEN) {
            forge_taken(from, &packet);
        }
        if (lot_chance(&forge.lot, 400) && posts < RECEIVES) {
            post(&forge.lot);
        }
    }
    wire_judge_finish(judge);
    EXPECT_NUMBER(fault, FAULT_NONE); /* it could be made */
    bool found = wire_judge_error(judge)[0] != '\0';
    EXPECT(!found || strstr(wire_judge_error(judge), "expected"));
    wire_model_free(target);
    wire_judge_free(judge);
    return found;
}

static void a_target_that_is_right_is_right(void) { EXPECT(!differs(FAULT_NONE)); }

static void every_difference_is_found(void) {
    for (unsigned made = FAULT_NONE + 1; made < FAULTS; made++) {
        bool found = differs((fault_t)made);
        EXPECT(found);
        if (!found) {
            (void)fprintf(stderr, "    fault %u\n", made);
        }
    }
}

int main(void) {
    RUN(a_target_that_is_right_is_right);
    RUN(every_difference_is_found);
    return expect_summary();
}
