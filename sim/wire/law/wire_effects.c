/* SPDX-License-Identifier: Apache-2.0 */
/* Effects of a call of the model, in their order. */
#include <stdlib.h>
#include <string.h>

#include "wire_state.h"

enum { ANSWER_BYTES = 160, HOPS = 64 };

void *wire_take(wire_model_t *model, size_t bytes) {
    void *taken = calloc(1, bytes == 0 ? 1 : bytes);
    model->no_memory = model->no_memory || !taken;
    return taken;
}

void wire_effects_clear(wire_model_t *model) {
    for (size_t i = 0; i < model->effect_count; i++) {
        free((void *)(uintptr_t)model->effects[i].data);
    }
    model->effect_count = 0;
}

static wire_effect_t *add(wire_model_t *model, wire_effect_kind_t kind, uint32_t endpoint) {
    if (model->effect_count == model->effect_room) {
        size_t room = 2 * model->effect_room + 8;
        wire_effect_t *more = realloc(model->effects, room * sizeof *more);
        if (!more) {
            model->no_memory = true;
            return NULL;
        }
        model->effects = more;
        model->effect_room = room;
    }
    wire_effect_t *effect = &model->effects[model->effect_count++];
    *effect = (wire_effect_t){.kind = kind, .endpoint = endpoint};
    return effect;
}

void wire_effect_write(wire_model_t *model, wire_effect_kind_t kind, uint32_t endpoint,
                       uint64_t address, const uint8_t *data, size_t bytes) {
    wire_effect_t *effect = add(model, kind, endpoint);
    if (!effect) {
        return;
    }
    effect->address = address;
    if (bytes != 0) {
        uint8_t *copy = wire_take(model, bytes);
        if (copy) {
            memcpy(copy, data, bytes);
            effect->data = copy;
            effect->bytes = bytes;
        }
    }
}

void wire_effect_complete(wire_model_t *model, const wire_completion_t *completion) {
    wire_effect_t *effect = add(model, WIRE_COMPLETION, completion->endpoint);
    if (effect) {
        effect->completion = *completion;
    }
}

void wire_effect_send(wire_model_t *model, const uet_packet_t *packet, uet_packet_t *answer) {
    const uet_envelope_t *in = &packet->envelope;
    uint8_t frame[ANSWER_BYTES];
    uet_error_t error;
    uet_envelope_t *out = &answer->envelope;
    *out = (uet_envelope_t){
        .destination_mac = in->source_mac,
        .source_mac = in->destination_mac,
        .tags = in->tags,
        .ipv6 = in->ipv6,
        .native = in->native,
        .source_high = in->destination_high,
        .source_low = in->destination_low,
        .destination_high = in->source_high,
        .destination_low = in->source_low,
        .dont_fragment = in->ipv6 ? 0 : 1,
        .hop_limit = HOPS,
        .dscp = model->config.dscp,
        .source_port = in->source_port, /* the path of the request */
    };
    memcpy(out->tag_type, in->tag_type, sizeof out->tag_type);
    memcpy(out->tag, in->tag, sizeof out->tag);
    size_t bytes = uet_packet_encode(answer, &model->config.wire, frame, sizeof frame, &error);
    wire_effect_write(model, WIRE_SEND, 0, 0, frame, bytes);
}
