/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_law.h"

#include <inttypes.h>
#include <stdio.h>

wire_config_t uet_law_config(const uet_node_config_t *config) {
    wire_config_t law = WIRE_CONFIG_DEFAULT;
    law.wire = config->wire;
    law.ipv4 = config->address;
    law.payload_mtu = config->payload_mtu;
    law.window = UET_WINDOW_MOST;
    law.pdcs = config->pdcs;
    law.responses = config->stored;
    law.ack_trigger = config->ack_trigger;
    law.endpoints = config->endpoints;
    law.quarantine = config->quarantine;
    law.reopen = config->reopen;
    law.idle = config->idle;
    law.length_most = config->message_most;
    return law;
}

wire_judge_t *uet_law_judge(const uet_node_config_t *config) {
    wire_config_t law = uet_law_config(config);
    return wire_judge_new(&law);
}

void uet_law_received(wire_judge_t *judge, const uet_received_t *received, const void *data) {
    wire_completion_t completion = {
        .handle = received->handle,
        .endpoint = received->endpoint,
        .source = received->source,
        .match = received->match,
        .length = received->length,
        .written = received->written,
        .has_header_data = received->has_header_data,
        .header_data = received->header_data,
        .code = received->code,
    };
    wire_judge_completed(judge, &completion, data);
}

bool uet_law_counts(const uet_node_stats_t *stats, const wire_counts_t *right,
                    char error[UET_LAW_ERROR_BYTES]) {
    const uint64_t *node = stats->counted;
    const uint64_t *law = right->counted;
    const struct {
        const char *name;
        uint64_t found;
        uint64_t expected;
    } pairs[] = {
        {"frames", stats->frames, right->frames},
        {"messages", stats->messages_taken, right->messages},
        {"foreign", node[UET_COUNT_FOREIGN], law[WIRE_FOREIGN]},
        {"taken", node[UET_COUNT_TAKEN], law[WIRE_TAKEN]},
        {"duplicate", node[UET_COUNT_DUPLICATE], law[WIRE_DUPLICATE] + law[WIRE_REPEATED]},
        {"out of order", node[UET_COUNT_OUT_OF_ORDER], law[WIRE_GAP] + law[WIRE_BEYOND]},
        {"mismatch", node[UET_COUNT_MISMATCH], law[WIRE_MISMATCH]},
        {"no room", node[UET_COUNT_NO_ROOM], law[WIRE_NO_ROOM]},
        {"unsupported", node[UET_COUNT_UNSUPPORTED], law[WIRE_UNSUPPORTED]},
        {"control", node[UET_COUNT_CONTROL], law[WIRE_CONTROL]},
        {"answers",
         node[UET_COUNT_ACK] + node[UET_COUNT_ACK_IGNORED] + node[UET_COUNT_NACK] +
             node[UET_COUNT_NACK_IGNORED],
         law[WIRE_ANSWER]},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (pairs[i].found != pairs[i].expected) {
            (void)snprintf(error, UET_LAW_ERROR_BYTES,
                           "W6: counter %s: found %" PRIu64 ", expected %" PRIu64, pairs[i].name,
                           pairs[i].found, pairs[i].expected);
            return false;
        }
    }
    for (unsigned reason = 0; reason < UET_REASONS; reason++) {
        if (stats->refused[reason] != right->reasons[reason]) {
            (void)snprintf(error, UET_LAW_ERROR_BYTES,
                           "W6: frames refused for %s: found %" PRIu64 ", expected %" PRIu64,
                           uet_reason_text((uet_reason_t)reason), stats->refused[reason],
                           right->reasons[reason]);
            return false;
        }
    }
    return true;
}
