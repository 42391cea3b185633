/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Matching by the reference model or by a unit, and what becomes of payload: into the buffer of the
 * receive that was matched and nowhere else (W2), or into a store until a receive takes it.
 */
#include <stdlib.h>
#include <string.h>

#include "uet_state.h"

static posted_t *take_posted(uet_node_t *node, uint64_t handle) {
    posted_t **at = &node->posted;
    while ((*at)->handle != handle) {
        at = &(*at)->next;
    }
    posted_t *posted = *at;
    *at = posted->next;
    return posted;
}

void uet_arrival_free(uet_node_t *node, inbound_t *inbound) {
    inbound_t **at = &node->inbound;
    while (*at != inbound) {
        at = &(*at)->next;
    }
    *at = inbound->next;
    free(inbound->owned);
    free(inbound);
}

static void turn_on(endpoint_t *endpoint) {
    if (endpoint->off) {
        endpoint->off = false;
        endpoint->generation += 1;
    }
}

static uet_unit_answer_t match_here(uet_node_t *node, inbound_t *inbound) {
    tmu_model_verdict_t verdict;
    tmu_model_message_t message = {
        .match = inbound->match,
        .source = inbound->source,
        .endpoint = inbound->endpoint,
        .handle = inbound->handle,
        .length = inbound->length,
    };
    inbound->owned = malloc(inbound->length == 0 ? 1 : inbound->length);
    if (!inbound->owned) {
        return UET_UNIT_FAILED;
    }
    inbound->stored = inbound->owned;
    switch (tmu_model_arrive(node->model, &message, &verdict)) {
    case TMU_MODEL_MATCHED: {
        posted_t *posted = take_posted(node, verdict.other);
        inbound->receive = posted->receive;
        free(posted);
        return UET_UNIT_MATCHED;
    }
    case TMU_MODEL_QUEUED:
        return UET_UNIT_QUEUED;
    case TMU_MODEL_STALLED:
        return UET_UNIT_FULL;
    default:
        return UET_UNIT_FAILED;
    }
}

static uet_unit_answer_t match_there(uet_node_t *node, inbound_t *inbound) {
    uet_message_t message = {
        .number = inbound->handle,
        .endpoint = inbound->endpoint,
        .source = inbound->source,
        .match = inbound->match,
        .length = inbound->length,
        .has_header_data = inbound->has_header_data,
        .header_data = inbound->header_data,
    };
    uet_unit_answer_t answer =
        node->callbacks.unit->arrive(node->callbacks.context, &message, &inbound->receive);
    inbound->stored = inbound->receive.buffer;
    return answer;
}

/* UET_RC_OK, or what refuses it; UET_RC_NULL without memory, and nothing has changed. */
uint8_t uet_arrival_match(uet_node_t *node, inbound_t *inbound) {
    endpoint_t *endpoint = &node->endpoints[inbound->endpoint];
    switch (!node->callbacks.unit ? match_here(node, inbound) : match_there(node, inbound)) {
    case UET_UNIT_MATCHED:
        inbound->state = INBOUND_MATCHED;
        break;
    case UET_UNIT_QUEUED:
        inbound->state = INBOUND_OVERFLOW;
        break;
    case UET_UNIT_FULL: /* this endpoint alone, and in order (W5, R11) */
        endpoint->off = true;
        endpoint->reopen = node->now + node->config.reopen;
        return UET_RC_DISABLED_GEN;
    default:
        return UET_RC_NULL;
    }
    node->stats.messages_taken += 1;
    return UET_RC_OK;
}

static bool put(uet_node_t *node, void *to, uint32_t offset, const uint8_t *bytes, uint32_t count) {
    const uet_unit_t *unit = node->callbacks.unit;
    if (unit) {
        return unit->write(node->callbacks.context, to, offset, bytes, count);
    }
    memcpy((uint8_t *)to + offset, bytes, count);
    return true;
}

void uet_arrival_write(uet_node_t *node, inbound_t *inbound, uint32_t offset, const uint8_t *bytes,
                       uint32_t count) {
    void *to = inbound->stored;
    uint32_t room = inbound->length;
    inbound->arrived += count;
    if (inbound->state == INBOUND_MATCHED) {
        to = inbound->receive.buffer;
        room = inbound->receive.bytes;
    }
    if (offset >= room || count == 0) {
        return;
    }
    if (!put(node, to, offset, bytes, count < room - offset ? count : room - offset)) {
        inbound->code = UET_RC_HOST_UNSUCCESS_CMPL;
    }
}

static void complete(uet_node_t *node, inbound_t *inbound) {
    uint32_t written =
        inbound->arrived < inbound->receive.bytes ? inbound->arrived : inbound->receive.bytes;
    uet_received_t received = {
        .handle = inbound->receive.handle,
        .endpoint = inbound->endpoint,
        .source = inbound->source,
        .match = inbound->match,
        .length = inbound->length,
        .written = written,
        .has_header_data = inbound->has_header_data,
        .header_data = inbound->header_data,
        .code = inbound->code,
    };
    uet_arrival_free(node, inbound);
    node->callbacks.received(node->callbacks.context, &received);
}

void uet_arrival_end(uet_node_t *node, inbound_t *inbound, uint8_t code) {
    inbound->code = code != UET_RC_OK ? code : inbound->code;
    inbound->pdc = 0;
    if (inbound->state == INBOUND_REFUSED) {
        uet_arrival_free(node, inbound);
    } else if (inbound->state == INBOUND_MATCHED) {
        complete(node, inbound);
    }
    /* Else it stays in the queue; the receive that takes it hears of the code. */
}

void uet_node_taken(uet_node_t *node, uint64_t message, const uet_receive_t *receive) {
    inbound_t *inbound = node->inbound;
    while (inbound->handle != message) {
        inbound = inbound->next;
    }
    uint32_t arrived = inbound->arrived;
    inbound->receive = *receive;
    inbound->state = INBOUND_MATCHED;
    if (!receive->buffer && receive->bytes != 0) { /* packets to come go there as well */
        inbound->receive.buffer = inbound->stored;
    } else {
        inbound->arrived = 0;
        uet_arrival_write(node, inbound, 0, inbound->stored, arrived);
    }
    if (inbound->pdc == 0) {
        complete(node, inbound);
    }
}

void uet_node_room(uet_node_t *node, uint32_t endpoint) { turn_on(&node->endpoints[endpoint]); }

bool uet_node_post(uet_node_t *node, const uet_receive_t *receive) {
    tmu_model_verdict_t verdict;
    posted_t *posted = calloc(1, sizeof *posted);
    if (!posted || receive->endpoint >= node->endpoint_count) {
        free(posted);
        return false;
    }
    posted->receive = *receive;
    posted->handle = ++node->handles;
    endpoint_t *endpoint = &node->endpoints[receive->endpoint];
    tmu_model_receive_t entry = {
        .key = {.match = receive->match,
                .ignore = receive->ignore,
                .source = receive->source,
                .source_ignore = receive->source_ignore},
        .endpoint = receive->endpoint,
        .receive_id = endpoint->receives,
        .handle = posted->handle,
        .length = receive->bytes,
    };
    tmu_model_status_t status = tmu_model_post(node->model, &entry, &verdict);
    if (status != TMU_MODEL_QUEUED && status != TMU_MODEL_MATCHED) {
        free(posted);
        return false;
    }
    endpoint->receives = (endpoint->receives + 1) % TMU_MODEL_NO_RECEIVE_ID;
    turn_on(endpoint);
    if (status == TMU_MODEL_QUEUED) {
        posted->next = node->posted;
        node->posted = posted;
        return true;
    }
    free(posted);
    uet_node_taken(node, verdict.other, receive);
    return true;
}
