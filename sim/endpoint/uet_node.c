/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_node.h"

#include <stdlib.h>
#include <string.h>

#include "uet_state.h"

enum { PORT = 0xc000, DSCP_ANSWER = 46, ECN_REQUEST = 2 };

static const uint64_t MAC = 0x020000000000;

uint32_t uet_random_below(uet_node_t *node, uint32_t limit) {
    node->random = node->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(((node->random >> 32) * limit) >> 32);
}

void uet_transmit(uet_node_t *node, uet_packet_t *packet, uint32_t address, bool request) {
    uet_error_t error;
    uet_envelope_t *envelope = &packet->envelope;
    envelope->destination_mac = MAC | address;
    envelope->source_mac = MAC | node->config.address;
    envelope->source_low = node->config.address;
    envelope->destination_low = address;
    envelope->dont_fragment = 1;
    envelope->hop_limit = 64;
    envelope->dscp = request ? 0 : DSCP_ANSWER;
    envelope->ecn = request ? ECN_REQUEST : 0;
    if (request) { /* one path for each PDC; an answer copies it */
        envelope->source_port = (uint16_t)(PORT | (packet->pds.spdcid & 0x3fff));
    }
    size_t bytes =
        uet_packet_encode(packet, &node->config.wire, node->frame, sizeof node->frame, &error);
    if (bytes == 0) {
        abort(); /* the configuration was checked: every packet of ours fits */
    }
    node->stats.sent_frames += 1;
    node->callbacks.frame(node->callbacks.context, node->frame, bytes);
}

static bool possible(const uet_node_config_t *config) {
    return config->payload_mtu >= 1 && config->payload_mtu <= 8192 && config->window >= 2 &&
           config->window <= UET_WINDOW_MOST && config->pdcs >= 1 && config->pdcs < UINT16_MAX &&
           config->endpoints >= 1 && config->stored >= 1 && config->stored <= UET_STORED_MOST &&
           config->retransmit >= 1 && config->retransmit < (uet_time_t)1 << 40;
}

uet_node_t *uet_node_create(const uet_node_config_t *config, const uet_callbacks_t *callbacks) {
    tmu_model_config_t law = {.endpoints = config->endpoints};
    uet_node_t *node = possible(config) ? calloc(1, sizeof *node) : NULL;
    if (!node) {
        return NULL;
    }
    node->config = *config;
    node->callbacks = *callbacks;
    node->random = config->seed;
    node->last_start = uet_random_below(node, UINT32_MAX);
    node->targets = calloc(config->pdcs, sizeof *node->targets);
    node->endpoints = calloc(config->endpoints, sizeof *node->endpoints);
    if (!node->targets || !node->endpoints ||
        (!callbacks->unit && tmu_model_create(&law, &node->model) != TMU_MODEL_OK)) {
        uet_node_destroy(node);
        return NULL;
    }
    return node;
}

#define FREE_LIST(type, list)                                                                      \
    for (type *at = (list), *next; at; at = next) {                                                \
        next = at->next;                                                                           \
        free(at);                                                                                  \
    }

void uet_node_destroy(uet_node_t *node) {
    if (!node) {
        return;
    }
    while (node->inbound) {
        uet_arrival_free(node, node->inbound);
    }
    for (flow_t *flow = node->flows; flow; flow = flow->next) {
        FREE_LIST(message_t, flow->oldest)
    }
    FREE_LIST(flow_t, node->flows)
    FREE_LIST(initiator_t, node->initiators)
    FREE_LIST(posted_t, node->posted)
    tmu_model_destroy(node->model);
    free(node->targets);
    free(node->endpoints);
    free(node);
}

uint32_t uet_node_endpoint(uet_node_t *node, uint32_t job, uint16_t pid, uint16_t index) {
    if (node->endpoint_count == node->config.endpoints) {
        return UINT32_MAX;
    }
    node->endpoints[node->endpoint_count] =
        (endpoint_t){.job = job, .pid = pid, .index = index, .enabled = true};
    return node->endpoint_count++;
}

void uet_node_remove(uet_node_t *node, uint32_t endpoint) {
    node->endpoints[endpoint].removed = true;
}

void uet_node_quota(uet_node_t *node, uint32_t endpoint, uint64_t messages) {
    (void)tmu_model_set_quota(node->model, endpoint, 0, messages);
}

void uet_node_enable(uet_node_t *node, uint32_t endpoint, bool enable) {
    endpoint_t *at = &node->endpoints[endpoint];
    if (enable && !at->enabled) {
        at->generation += 1;
    }
    at->enabled = enable;
}

bool uet_node_send(uet_node_t *node, const uet_send_t *send) {
    flow_t *flow = uet_flow_find(node, &send->to);
    message_t *message = calloc(1, sizeof *message);
    if (!flow || !message) {
        free(message);
        return false;
    }
    message->flow = flow;
    message->send = *send;
    message->code = UET_RC_OK;
    if (!flow->oldest) {
        flow->oldest = message;
    } else {
        flow->youngest->next = message;
    }
    flow->youngest = message;
    uet_initiator_pump(node);
    return true;
}

static uet_count_t dispatch(uet_node_t *node, const uet_packet_t *packet) {
    unsigned type = packet->pds.type;
    if (packet->envelope.ipv6 || packet->envelope.destination_low != node->config.address) {
        return UET_COUNT_FOREIGN;
    }
    if (uet_pds_is_ack(type)) {
        return uet_initiator_ack(node, packet);
    }
    if (uet_pds_is_nack(type)) {
        return uet_initiator_nack(node, packet);
    }
    return type == UET_PDS_CP ? uet_target_control(node, packet) : uet_target_request(node, packet);
}

void uet_node_frame(uet_node_t *node, const uint8_t *frame, size_t bytes) {
    uet_packet_t packet;
    uet_error_t error;
    node->stats.frames += 1;
    if (!uet_packet_decode(frame, bytes, &node->config.wire, &packet, &error)) {
        node->stats.refused[error.reason] += 1;
        return;
    }
    node->stats.counted[dispatch(node, &packet)] += 1;
    uet_initiator_pump(node);
}

void uet_node_advance(uet_node_t *node, uet_time_t now) {
    node->now = now > node->now ? now : node->now;
    uet_target_timers(node);
    uet_receive_timers(node);
    uet_initiator_timers(node);
    uet_flow_timers(node);
    uet_initiator_pump(node);
}

uet_time_t uet_node_next(const uet_node_t *node) {
    uet_time_t times[] = {uet_initiator_next(node), uet_flow_next(node), uet_receive_next(node)};
    uet_time_t first = UET_NEVER;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        first = times[i] < first ? times[i] : first;
    }
    return first;
}

void uet_node_close(uet_node_t *node) {
    for (initiator_t *pdc = node->initiators; pdc; pdc = pdc->next) {
        pdc->closing = true;
    }
    uet_initiator_pump(node);
}

bool uet_node_quiet(const uet_node_t *node) {
    for (const flow_t *flow = node->flows; flow; flow = flow->next) {
        if (flow->oldest) {
            return false;
        }
    }
    return !node->initiators;
}

bool uet_node_is_alone(const uet_node_t *node) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        if (node->targets[i].used && !node->targets[i].closed) {
            return false;
        }
    }
    return true;
}

const uet_node_stats_t *uet_node_stats(const uet_node_t *node) { return &node->stats; }
