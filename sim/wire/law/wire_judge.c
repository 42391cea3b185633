/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_judge.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "uet_describe.h"

enum { ERROR_BYTES = 1600, LINE_BYTES = 700, ETHERNET_LEAST = 60 };

/* Something that the target did. */
typedef struct done {
    struct done *next;
    bool completes; /* else a frame */
    wire_completion_t completion;
    uint8_t *data;
    size_t bytes;
} done_t;

/* A receive as the model writes it. */
typedef struct shadow {
    struct shadow *next;
    wire_receive_t receive;
    uint8_t *data;
} shadow_t;

typedef enum { GIVEN_NOTHING, GIVEN_FRAME, GIVEN_POST, GIVEN_ADVANCE, GIVEN_ENABLE } given_t;

struct wire_judge {
    wire_model_t *model;
    uet_settings_t wire;
    given_t given;
    uint64_t inputs;
    uint8_t *frame;
    size_t bytes;
    wire_receive_t receive;
    uint64_t now;
    uint32_t endpoint;
    bool enable;
    done_t *done; /* the oldest first */
    shadow_t *shadows;
    char error[ERROR_BYTES];
};

static void wrong(wire_judge_t *judge, const char *form, ...) {
    va_list arguments;
    if (judge->error[0] != '\0') {
        return;
    }
    int length = snprintf(judge->error, ERROR_BYTES, "input %" PRIu64 ": ", judge->inputs);
    va_start(arguments, form);
    (void)vsnprintf(judge->error + length, ERROR_BYTES - (size_t)length, form, arguments);
    va_end(arguments);
    if (judge->given == GIVEN_FRAME) {
        size_t used = strlen(judge->error);
        (void)snprintf(judge->error + used, ERROR_BYTES - used, "; after ");
        used = strlen(judge->error);
        (void)uet_describe(judge->frame, judge->bytes, &judge->wire, judge->error + used,
                           ERROR_BYTES - used);
    }
}

wire_judge_t *wire_judge_new(const wire_config_t *config) {
    wire_judge_t *judge = calloc(1, sizeof *judge);
    if (!judge) {
        return NULL;
    }
    judge->wire = config->wire;
    judge->model = wire_model_new(config);
    if (!judge->model) {
        free(judge);
        return NULL;
    }
    return judge;
}

static void forget_done(wire_judge_t *judge) {
    while (judge->done) {
        done_t *next = judge->done->next;
        free(judge->done->data);
        free(judge->done);
        judge->done = next;
    }
}

static void forget_shadow(wire_judge_t *judge, shadow_t *shadow) {
    shadow_t **at = &judge->shadows;
    while (*at != shadow) {
        at = &(*at)->next;
    }
    *at = shadow->next;
    free(shadow->data);
    free(shadow);
}

void wire_judge_free(wire_judge_t *judge) {
    if (!judge) {
        return;
    }
    forget_done(judge);
    while (judge->shadows) {
        forget_shadow(judge, judge->shadows);
    }
    free(judge->frame);
    wire_model_free(judge->model);
    free(judge);
}

wire_model_t *wire_judge_model(wire_judge_t *judge) { return judge->model; }

const char *wire_judge_error(const wire_judge_t *judge) { return judge->error; }

static uint8_t *copy_of(const uint8_t *bytes, size_t count) {
    uint8_t *copy = malloc(count == 0 ? 1 : count);
    if (copy && count != 0) {
        memcpy(copy, bytes, count);
    }
    return copy;
}

static void add_done(wire_judge_t *judge, const done_t *done) {
    done_t *added = malloc(sizeof *added);
    done_t **at = &judge->done;
    if (!added || !done->data) {
        wrong(judge, "no memory");
        free(added);
        free(done->data);
        return;
    }
    *added = *done;
    while (*at) {
        at = &(*at)->next;
    }
    *at = added;
}

void wire_judge_sent(wire_judge_t *judge, const uint8_t *frame, size_t bytes) {
    uet_packet_t packet;
    uet_error_t error;
    bool read = uet_packet_decode(frame, bytes, &judge->wire, &packet, &error);
    if (judge->error[0] == '\0' &&
        (!read || uet_pds_is_ack(packet.pds.type) || uet_pds_is_nack(packet.pds.type))) {
        add_done(judge, &(done_t){.data = copy_of(frame, bytes), .bytes = bytes});
    }
}

void wire_judge_completed(wire_judge_t *judge, const wire_completion_t *completion,
                          const uint8_t *data) {
    if (judge->error[0] == '\0') {
        add_done(judge, &(done_t){.completes = true,
                                  .completion = *completion,
                                  .data = copy_of(data, completion->written),
                                  .bytes = completion->written});
    }
}

/* The next thing of a kind that the target did; NULL: none.  It is the caller's to free. */
static done_t *take_done(wire_judge_t *judge, bool completes) {
    done_t **at = &judge->done;
    while (*at && (*at)->completes != completes) {
        at = &(*at)->next;
    }
    done_t *taken = *at;
    if (taken) {
        *at = taken->next;
    }
    return taken;
}

static void in_words(const wire_judge_t *judge, const uint8_t *frame, size_t bytes,
                     char line[LINE_BYTES]) {
    (void)uet_describe(frame, bytes, &judge->wire, line, LINE_BYTES);
}

/* Padding of Ethernet may follow. */
static bool same_frame(const done_t *done, const wire_effect_t *expected) {
    size_t bytes = expected->bytes;
    if (bytes > done->bytes || memcmp(done->data, expected->data, bytes) != 0) {
        return false;
    }
    for (size_t at = bytes; at < done->bytes; at++) {
        if (done->data[at] != 0) {
            return false;
        }
    }
    return done->bytes == bytes || done->bytes == ETHERNET_LEAST;
}

static void compare_frame(wire_judge_t *judge, const wire_effect_t *expected) {
    char found[LINE_BYTES] = "no frame";
    char right[LINE_BYTES];
    done_t *done = take_done(judge, false);
    if (!done || !same_frame(done, expected)) {
        size_t at = 0;
        while (done && at < done->bytes && at < expected->bytes &&
               done->data[at] == expected->data[at]) {
            at += 1;
        }
        if (done) {
            in_words(judge, done->data, done->bytes, found);
        }
        in_words(judge, expected->data, expected->bytes, right);
        wrong(judge, "found %s, expected %s (byte %zu of the frame)", found, right, at);
    }
    if (done) {
        free(done->data);
        free(done);
    }
}

static shadow_t *shadow_of(const wire_judge_t *judge, uint32_t endpoint, uint64_t handle) {
    shadow_t *at = judge->shadows;
    while (at && (at->receive.endpoint != endpoint || at->receive.handle != handle)) {
        at = at->next;
    }
    return at;
}

static void compare_fields(wire_judge_t *judge, const wire_completion_t *found,
                           const wire_completion_t *right) {
    if (found->endpoint != right->endpoint || found->handle != right->handle ||
        found->source != right->source || found->match != right->match ||
        found->length != right->length || found->written != right->written ||
        found->code != right->code || found->has_header_data != right->has_header_data ||
        (right->has_header_data && found->header_data != right->header_data)) {
        wrong(judge,
              "found the completion of receive %" PRIu64 ": source %" PRIu32 ", match %#" PRIx64
              ", %" PRIu32 " of %" PRIu32 " bytes, code %u, expected that of receive %" PRIu64
              ": %" PRIu32 ", %#" PRIx64 ", %" PRIu32 " of %" PRIu32 ", %u",
              found->handle, found->source, found->match, found->written, found->length,
              found->code, right->handle, right->source, right->match, right->written,
              right->length, right->code);
    }
}

static void compare_completion(wire_judge_t *judge, const wire_completion_t *right) {
    done_t *done = take_done(judge, true);
    shadow_t *shadow = shadow_of(judge, right->endpoint, right->handle);
    if (!done) {
        wrong(judge, "found no completion, expected that of receive %" PRIu64, right->handle);
    } else {
        compare_fields(judge, &done->completion, right);
        for (size_t at = 0; at < done->bytes && judge->error[0] == '\0'; at++) {
            if (done->data[at] != shadow->data[at]) {
                wrong(judge, "receive %" PRIu64 ": byte %zu: found %u, expected %u", right->handle,
                      at, done->data[at], shadow->data[at]);
            }
        }
        free(done->data);
        free(done);
    }
    if (shadow) {
        forget_shadow(judge, shadow);
    }
}

/* Into the receive that holds the address; the model writes nowhere else (W2). */
static void write_shadow(wire_judge_t *judge, const wire_effect_t *effect) {
    for (shadow_t *at = judge->shadows; at; at = at->next) {
        uint64_t offset = effect->address - at->receive.address;
        if (effect->address >= at->receive.address && effect->bytes <= at->receive.bytes &&
            offset <= at->receive.bytes - effect->bytes) {
            memcpy(at->data + offset, effect->data, effect->bytes);
            return;
        }
    }
    wrong(judge, "W2: the model writes %zu bytes at %#" PRIx64 ", outside of every receive",
          effect->bytes, effect->address);
}

/* The number that the target gives to a connection that begins: its answer names it. */
static uint16_t named(const wire_judge_t *judge) {
    uet_packet_t packet;
    uet_error_t error;
    for (const done_t *at = judge->done; at; at = at->next) {
        if (!at->completes &&
            uet_packet_decode(at->data, at->bytes, &judge->wire, &packet, &error)) {
            return packet.pds.spdcid;
        }
    }
    return 0;
}

static bool ask_model(wire_judge_t *judge, wire_result_t *result) {
    *result = (wire_result_t){0};
    switch (judge->given) {
    case GIVEN_FRAME:
        return wire_model_frame(judge->model, judge->frame, judge->bytes, named(judge), result);
    case GIVEN_POST:
        return wire_model_post(judge->model, &judge->receive, result);
    case GIVEN_ADVANCE:
        return wire_model_advance(judge->model, judge->now, result);
    case GIVEN_ENABLE:
        wire_model_enable(judge->model, judge->endpoint, judge->enable);
        return true;
    case GIVEN_NOTHING:
        return true;
    }
    return false;
}

/* Compares what the target did with what the last input brings about. */
static void compare(wire_judge_t *judge) {
    wire_result_t result;
    if (judge->error[0] != '\0') {
        return;
    }
    if (!ask_model(judge, &result)) {
        wrong(judge, "the model has no memory, or the receive no endpoint");
    }
    for (size_t i = 0; i < result.effects && judge->error[0] == '\0'; i++) {
        const wire_effect_t *effect = &result.effect[i];
        if (effect->kind == WIRE_WRITE) {
            write_shadow(judge, effect);
        } else if (effect->kind == WIRE_SEND) {
            compare_frame(judge, effect);
        } else if (effect->kind == WIRE_COMPLETION) {
            compare_completion(judge, &effect->completion);
        }
    }
    for (const done_t *at = judge->done; at && judge->error[0] == '\0'; at = at->next) {
        char line[LINE_BYTES];
        in_words(judge, at->data, at->bytes, line);
        wrong(judge, "found %s, expected nothing", at->completes ? "a completion" : line);
    }
    forget_done(judge);
}

static void give(wire_judge_t *judge, given_t given) {
    compare(judge);
    judge->given = given;
    judge->inputs += 1;
}

void wire_judge_frame(wire_judge_t *judge, const uint8_t *frame, size_t bytes) {
    give(judge, GIVEN_FRAME);
    free(judge->frame);
    judge->frame = copy_of(frame, bytes);
    judge->bytes = bytes;
    if (!judge->frame) {
        judge->given = GIVEN_NOTHING;
        wrong(judge, "no memory");
    }
}

void wire_judge_post(wire_judge_t *judge, const wire_receive_t *receive) {
    give(judge, GIVEN_POST);
    judge->receive = *receive;
    shadow_t *shadow = malloc(sizeof *shadow);
    uint8_t *data = calloc(1, receive->bytes == 0 ? 1 : receive->bytes);
    if (!shadow || !data) {
        wrong(judge, "no memory");
        free(shadow);
        free(data);
        return;
    }
    *shadow = (shadow_t){judge->shadows, *receive, data};
    judge->shadows = shadow;
}

void wire_judge_advance(wire_judge_t *judge, uint64_t now) {
    give(judge, GIVEN_ADVANCE);
    judge->now = now;
}

void wire_judge_enable(wire_judge_t *judge, uint32_t endpoint, bool enable) {
    give(judge, GIVEN_ENABLE);
    judge->endpoint = endpoint;
    judge->enable = enable;
}

void wire_judge_finish(wire_judge_t *judge) { give(judge, GIVEN_NOTHING); }
