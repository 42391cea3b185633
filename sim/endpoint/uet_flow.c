/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages on their way out, in the order of each destination, through refusals by generation: when
 * one is refused none starts before all that were sent are answered; then all that were refused go
 * again in their order, so that none overtakes another (W1, W5).
 */
#include <stdlib.h>

#include "uet_state.h"

static bool same(const uet_address_t *a, const uet_address_t *b) {
    return a->address == b->address && a->job == b->job && a->pid == b->pid && a->index == b->index;
}

flow_t *uet_flow_find(uet_node_t *node, const uet_address_t *to) {
    flow_t **at = &node->flows;
    while (*at && !same(&(*at)->to, to)) {
        at = &(*at)->next;
    }
    if (!*at && (*at = calloc(1, sizeof **at))) {
        (*at)->to = *to;
        (*at)->resend = UET_NEVER;
    }
    return *at;
}

bool uet_flow_id_used(const uet_node_t *node, uint16_t id) {
    for (const flow_t *flow = node->flows; flow; flow = flow->next) {
        for (const message_t *at = flow->oldest; at; at = at->next) {
            if (at->state != MESSAGE_WAITING && at->id == id) {
                return true;
            }
        }
    }
    return false;
}

static uint16_t fresh_id(uet_node_t *node) {
    do {
        node->last_message = (uint16_t)(node->last_message + 1);
    } while (node->last_message == 0 || uet_flow_id_used(node, node->last_message));
    return node->last_message;
}

/* The flow's first message that has not begun, unless it has to wait. */
static message_t *startable(const flow_t *flow) {
    message_t *message = flow->oldest;
    if (flow->blocked) {
        return NULL;
    }
    while (message && message->state != MESSAGE_WAITING) {
        if (flow->probing) {
            return NULL;
        }
        message = message->next;
    }
    return message;
}

static bool towards(const flow_t *flow, uint32_t address, uint32_t job) {
    return flow->to.address == address && flow->to.job == job;
}

bool uet_flow_waits(const uet_node_t *node, uint32_t address, uint32_t job) {
    for (const flow_t *flow = node->flows; flow; flow = flow->next) {
        if (towards(flow, address, job) && startable(flow)) {
            return true;
        }
    }
    return false;
}

/* Flows take turns: the one that is served moves to the end of the list. */
static void move_to_end(uet_node_t *node, flow_t *flow) {
    flow_t **at = &node->flows;
    while (*at != flow) {
        at = &(*at)->next;
    }
    *at = flow->next;
    while (*at) {
        at = &(*at)->next;
    }
    *at = flow;
    flow->next = NULL;
}

message_t *uet_flow_start(uet_node_t *node, uint32_t address, uint32_t job) {
    for (flow_t *flow = node->flows; flow; flow = flow->next) {
        message_t *message = towards(flow, address, job) ? startable(flow) : NULL;
        if (message) {
            message->id = fresh_id(node);
            message->generation = flow->generation;
            message->state = MESSAGE_SENDING;
            message->code = UET_RC_OK;
            message->cut = 0;
            message->modified = message->send.bytes;
            message->started = message->answered = message->owed = false;
            move_to_end(node, flow);
            return message;
        }
    }
    return NULL;
}

static bool by_generation(unsigned code) {
    return code == UET_RC_BAD_GENERATION || code == UET_RC_DISABLED_GEN || code == UET_RC_NO_MATCH;
}

/* When all that was sent is answered, what was refused may go again. */
static void schedule(uet_node_t *node, flow_t *flow) {
    for (const message_t *at = flow->oldest; at; at = at->next) {
        if (at->state == MESSAGE_SENDING) {
            return;
        }
    }
    unsigned doubled = flow->refusals < 4 ? flow->refusals : 4;
    uet_time_t wait = node->config.refused_wait << doubled;
    wait += uet_random_below(node, (uint32_t)(wait < UINT32_MAX ? wait : UINT32_MAX));
    flow->refusals += 1;
    flow->resend = flow->at_once ? node->now : node->now + wait;
}

static void remove_message(flow_t *flow, message_t *message) {
    message_t **at = &flow->oldest;
    message_t *before = NULL;
    while (*at != message) {
        before = *at;
        at = &(*at)->next;
    }
    *at = message->next;
    if (flow->youngest == message) {
        flow->youngest = before;
    }
    free(message);
}

static void complete(uet_node_t *node, message_t *message, bool given_up) {
    flow_t *flow = message->flow;
    uet_sent_t sent = {message->send.handle, message->code, given_up, message->modified, flow->to};
    remove_message(flow, message);
    node->callbacks.sent(node->callbacks.context, &sent);
}

/* A sender gets its completion when every packet and the message are answered (W4). */
static void finish(uet_node_t *node, message_t *message) {
    flow_t *flow = message->flow;
    if (!message->answered || message->open != 0 || message->owed) {
        return;
    }
    if (by_generation(message->code)) {
        message->state = MESSAGE_REFUSED;
    } else {
        flow->probing = flow->blocked && flow->probing;
        flow->refusals = 0;
        complete(node, message, false);
    }
    if (flow->blocked) {
        schedule(node, flow);
    }
}

static void note_code(message_t *message, const uet_ses_t *response) {
    flow_t *flow = message->flow;
    if (response->return_code == UET_RC_OK || message->code != UET_RC_OK) {
        return;
    }
    message->code = response->return_code;
    if (!by_generation(response->return_code)) {
        return;
    }
    if (!flow->blocked) {
        flow->at_once = false;
    }
    flow->blocked = true;
    if (response->return_code == UET_RC_BAD_GENERATION) {
        flow->generation = response->ri_generation;
        flow->at_once = true;
    }
}

void uet_flow_answer(uet_node_t *node, record_t *record, const uet_ses_t *response) {
    message_t *message = record->message;
    message->open -= 1;
    if (response) {
        note_code(message, response);
        if (record->eom) {
            message->modified = response->modified_length;
            message->owed = response->opcode == UET_RSP_NO_RESPONSE;
        }
    }
    message->answered = message->answered || record->eom;
    finish(node, message);
}

void uet_flow_owed(uet_node_t *node, uint32_t address, const uet_ses_t *response) {
    for (flow_t *flow = node->flows; flow; flow = flow->next) {
        for (message_t *at = flow->oldest; at; at = at->next) {
            if (flow->to.address == address && at->state == MESSAGE_SENDING && at->owed &&
                at->id == response->message_id) {
                note_code(at, response);
                at->modified = response->modified_length;
                at->owed = false;
                finish(node, at);
                return;
            }
        }
    }
}

void uet_flow_lost(uet_node_t *node, uint32_t address, uint32_t job) {
    for (flow_t *flow = node->flows; flow; flow = flow->next) {
        message_t *next;
        if (!towards(flow, address, job)) {
            continue;
        }
        for (message_t *at = flow->oldest; at; at = next) {
            next = at->next;
            if (at->state == MESSAGE_SENDING) {
                at->code = UET_RC_UNDELIVERABLE;
                complete(node, at, true);
            }
        }
        if (flow->blocked) {
            schedule(node, flow);
        }
    }
}

static void resend(flow_t *flow) {
    for (message_t *at = flow->oldest; at; at = at->next) {
        at->state = MESSAGE_WAITING;
    }
    flow->resend = UET_NEVER;
    flow->blocked = false;
    flow->probing = true;
    flow->at_once = false;
}

void uet_flow_timers(uet_node_t *node) {
    for (flow_t *flow = node->flows; flow; flow = flow->next) {
        if (flow->resend <= node->now) {
            resend(flow);
        }
    }
}

uet_time_t uet_flow_next(const uet_node_t *node) {
    uet_time_t first = UET_NEVER;
    for (const flow_t *flow = node->flows; flow; flow = flow->next) {
        first = flow->resend < first ? flow->resend : first;
    }
    return first;
}
