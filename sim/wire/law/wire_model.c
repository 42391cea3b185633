/* SPDX-License-Identifier: Apache-2.0 */
#include "wire_model.h"

#include <stdlib.h>

#include "wire_state.h"

enum { WINDOW_MOST = 0x7fff };

static bool possible(const wire_config_t *config) {
    return config->payload_mtu >= 1 && config->window >= 1 && config->window <= WINDOW_MOST &&
           config->pdcs >= 1 && config->pdcs < UINT16_MAX && config->responses >= 1 &&
           config->endpoints >= 1;
}

wire_model_t *wire_model_new(const wire_config_t *config) {
    tmu_model_config_t law = {.endpoints = config->endpoints};
    wire_model_t *model = possible(config) ? calloc(1, sizeof *model) : NULL;
    if (!model) {
        return NULL;
    }
    model->config = *config;
    model->endpoints = calloc(config->endpoints, sizeof *model->endpoints);
    if (!model->endpoints || tmu_model_create(&law, &model->law) != TMU_MODEL_OK) {
        wire_model_free(model);
        return NULL;
    }
    return model;
}

void wire_model_free(wire_model_t *model) {
    if (!model) {
        return;
    }
    wire_effects_clear(model);
    free(model->effects);
    while (model->messages) {
        wire_message_free(model, model->messages);
    }
    wire_connections_free(model);
    for (uint32_t i = 0; i < model->endpoint_count; i++) {
        while (model->endpoints[i].pool) {
            buffer_t *next = model->endpoints[i].pool->next;
            free(model->endpoints[i].pool);
            model->endpoints[i].pool = next;
        }
    }
    free(model->endpoints);
    tmu_model_destroy(model->law);
    free(model);
}

uint32_t wire_model_endpoint(wire_model_t *model, const wire_endpoint_t *endpoint) {
    if (model->endpoint_count == model->config.endpoints) {
        return UINT32_MAX;
    }
    uint32_t number = model->endpoint_count++;
    model->endpoints[number] = (endpoint_t){.is = *endpoint};
    (void)tmu_model_set_quota(model->law, number, 0, endpoint->unexpected);
    return number;
}

bool wire_model_pool(wire_model_t *model, uint32_t endpoint, uint64_t address, uint32_t bytes) {
    buffer_t *buffer = wire_take(model, sizeof *buffer);
    if (!buffer) {
        return false;
    }
    *buffer = (buffer_t){.address = address, .bytes = bytes};
    buffer_t **at = &model->endpoints[endpoint].pool;
    while (*at) {
        at = &(*at)->next;
    }
    *at = buffer;
    return true;
}

void wire_model_enable(wire_model_t *model, uint32_t endpoint, bool enable) {
    endpoint_t *at = &model->endpoints[endpoint];
    if (enable && at->disabled) {
        if (!at->is.no_generation) {
            at->generation += 1;
        }
    }
    at->disabled = !enable;
}

static bool is_ours(const wire_model_t *model, const uet_envelope_t *envelope) {
    const wire_config_t *config = &model->config;
    return envelope->ipv6 ? envelope->destination_high == config->ipv6_high &&
                                envelope->destination_low == config->ipv6_low
                          : config->ipv4 != 0 && envelope->destination_low == config->ipv4;
}

static wire_counter_t frame(wire_model_t *model, const uint8_t *bytes, size_t count, uint16_t pdcid,
                            uet_reason_t *reason) {
    uet_packet_t packet;
    uet_error_t error;
    *reason = UET_FINE;
    if (!uet_packet_decode(bytes, count, &model->config.wire, &packet, &error)) {
        *reason = error.reason;
        return WIRE_REFUSED_FRAME;
    }
    if (!is_ours(model, &packet.envelope)) {
        return WIRE_FOREIGN;
    }
    if (uet_pds_is_ack(packet.pds.type) || uet_pds_is_nack(packet.pds.type)) {
        return WIRE_ANSWER;
    }
    return wire_packet(model, &packet, pdcid);
}

bool wire_model_frame(wire_model_t *model, const uint8_t *bytes, size_t count, uint16_t pdcid,
                      wire_result_t *result) {
    uet_reason_t reason;
    wire_effects_clear(model);
    wire_counter_t counter = frame(model, bytes, count, pdcid, &reason);
    model->counts.frames += 1;
    model->counts.counted[counter] += 1;
    if (counter == WIRE_REFUSED_FRAME) {
        model->counts.reasons[reason] += 1;
    }
    *result = (wire_result_t){counter, reason, model->effect_count, model->effects};
    return !model->no_memory;
}

bool wire_model_advance(wire_model_t *model, uint64_t now, wire_result_t *result) {
    wire_effects_clear(model);
    model->now = now > model->now ? now : model->now;
    wire_connections_forget(model);
    wire_messages_idle(model);
    for (uint32_t i = 0; i < model->endpoint_count; i++) {
        endpoint_t *endpoint = &model->endpoints[i];
        if (endpoint->full && endpoint->reopen <= model->now) {
            wire_endpoint_opens(endpoint);
        }
    }
    *result = (wire_result_t){.effects = model->effect_count, .effect = model->effects};
    return !model->no_memory;
}

const wire_counts_t *wire_model_counts(const wire_model_t *model) { return &model->counts; }

const char *wire_counter_name(unsigned counter) {
    static const char *const names[WIRE_COUNTERS] = {
        "refused frame",     "foreign",  "answer",    "taken",
        "control",           "repeated", "duplicate", "gap",
        "beyond the window", "mismatch", "no room",   "unsupported",
    };
    return counter < WIRE_COUNTERS ? names[counter] : NULL;
}
