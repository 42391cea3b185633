/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of a PDC in their order: checks, message contexts, answers.  The first check that fails
 * gives the answer.
 */
#include <stdlib.h>

#include "uet_state.h"

static inbound_t *context_of(const uet_node_t *node, uint64_t pdc, uint16_t id) {
    inbound_t *at = node->inbound;
    while (at && (at->pdc != pdc || at->id != id)) {
        at = at->next;
    }
    return at;
}

bool uet_receive_open(const uet_node_t *node, uint64_t pdc) {
    for (const inbound_t *at = node->inbound; at; at = at->next) {
        if (at->pdc == pdc) {
            return true;
        }
    }
    return false;
}

static void respond(uet_ses_t *response, uint8_t code) {
    response->opcode = UET_RSP_RESPONSE;
    response->return_code = code;
    response->modified_length = 0;
}

/* Job, then pid, then index. */
static uint8_t find_endpoint(const uet_node_t *node, const uet_ses_t *ses, uint32_t *number) {
    uint8_t code = UET_RC_BAD_JOB_ID;
    if ((ses->flags & UET_SES_REL) == 0) { /* a service, whatever the job: there is none */
        return UET_RC_BAD_PID;
    }
    for (uint32_t i = 0; i < node->endpoint_count; i++) {
        const endpoint_t *at = &node->endpoints[i];
        if (at->removed || at->job != ses->job_id) {
            continue;
        }
        if (code == UET_RC_BAD_JOB_ID) {
            code = UET_RC_BAD_PID;
        }
        if (at->pid != ses->pid_on_fep) {
            continue;
        }
        code = UET_RC_BAD_INDEX;
        if (at->index == ses->resource_index) {
            *number = i;
            return UET_RC_OK;
        }
    }
    return code;
}

/* Checks the headers alone. */
static uint8_t check_form(const uet_node_t *node, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    bool medium = ses->kind == UET_NEXT_REQ_MEDIUM;
    bool single = (ses->flags & (UET_SES_SOM | UET_SES_EOM)) == (UET_SES_SOM | UET_SES_EOM);
    uint32_t most = node->config.payload_mtu;
    if (ses->version != 0) {
        return UET_RC_UNCOR;
    }
    if (ses->opcode == UET_OP_MSG_ERROR && (medium || (ses->flags & UET_SES_SOM) != 0)) {
        return UET_RC_INITIATOR_ERR;
    }
    if (ses->opcode != UET_OP_TAGGED_SEND && ses->opcode != UET_OP_MSG_ERROR) {
        return UET_RC_UNSUPPORTED_OP;
    }
    if (medium && (!single || ses->request_length != packet->payload_bytes)) {
        return UET_RC_OP_VIOLATION;
    }
    if ((ses->flags & UET_SES_SOM) == 0) {
        return ses->opcode == UET_OP_TAGGED_SEND && ses->payload_length != packet->payload_bytes
                   ? UET_RC_OP_VIOLATION
                   : UET_RC_OK;
    }
    uint32_t first = ses->request_length < most ? ses->request_length : most;
    if (packet->payload_bytes != first) {
        return UET_RC_OP_VIOLATION;
    }
    most = node->config.message_most;
    return most != 0 && ses->request_length > most ? UET_RC_UNSUPPORTED_SIZE : UET_RC_OK;
}

/* Whether the endpoint may take a message that starts; `*generation` is the right one. */
static uint8_t check_endpoint(const uet_node_t *node, const uet_packet_t *packet, uint32_t *number,
                              uint8_t *generation) {
    const uet_ses_t *ses = &packet->ses;
    uint8_t code = find_endpoint(node, ses, number);
    if (code != UET_RC_OK) {
        return code;
    }
    const endpoint_t *endpoint = &node->endpoints[*number];
    if (!endpoint->enabled || endpoint->off) {
        return UET_RC_DISABLED_GEN;
    }
    if (endpoint->generation != ses->ri_generation) {
        *generation = endpoint->generation;
        return UET_RC_BAD_GENERATION;
    }
    if ((ses->flags & UET_SES_IE) != 0) {
        return UET_RC_INITIATOR_ERR;
    }
    bool last = (ses->flags & UET_SES_EOM) != 0;
    return last && ses->request_length != packet->payload_bytes ? UET_RC_OP_VIOLATION : UET_RC_OK;
}

static void fill_inbound(uet_node_t *node, inbound_t *inbound, uint64_t pdc,
                         const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    inbound->pdc = pdc;
    inbound->id = ses->message_id;
    inbound->source = ses->initiator;
    inbound->match = ses->match_bits;
    inbound->length = ses->request_length;
    inbound->has_header_data = (ses->flags & UET_SES_HD) != 0;
    inbound->header_data = ses->header_data;
    inbound->code = UET_RC_OK;
    inbound->touched = node->now;
    inbound->handle = ++node->handles;
}

/* The context of a message whose rest is to be answered alike. */
static void refuse_rest(inbound_t *inbound, uint8_t code, uint8_t generation) {
    inbound->state = INBOUND_REFUSED;
    inbound->code = code;
    inbound->generation = generation;
}

/* No packet of the message follows. */
static bool is_last(const uet_packet_t *packet) {
    return (packet->ses.flags & UET_SES_EOM) != 0 || packet->ses.opcode == UET_OP_MSG_ERROR ||
           packet->ses.kind == UET_NEXT_REQ_MEDIUM;
}

static void answer_end(const inbound_t *inbound, uet_ses_t *response) {
    uint32_t room = inbound->state == INBOUND_MATCHED ? inbound->receive.bytes : inbound->length;
    response->list = inbound->state == INBOUND_OVERFLOW ? UET_LIST_OVERFLOW : UET_LIST_EXPECTED;
    response->modified_length = inbound->length < room ? inbound->length : room;
    if (inbound->code != UET_RC_OK) { /* memory was gone when bytes were to be written */
        respond(response, inbound->code);
        return;
    }
    if (inbound->state == INBOUND_OVERFLOW || room < inbound->length) {
        response->opcode = UET_RSP_RESPONSE;
    }
}

/* A message starts.  False without memory: the packet is not taken. */
static bool start(uet_node_t *node, uint64_t pdc, const uet_packet_t *packet, uint8_t code,
                  uet_ses_t *response) {
    const uet_ses_t *ses = &packet->ses;
    bool last = is_last(packet);
    uint8_t generation = ses->ri_generation;
    inbound_t *inbound = calloc(1, sizeof *inbound);
    if (!inbound) {
        return false;
    }
    fill_inbound(node, inbound, pdc, packet);
    if (code == UET_RC_OK) {
        code = check_endpoint(node, packet, &inbound->endpoint, &generation);
    }
    inbound->next = node->inbound;
    node->inbound = inbound;
    if (code == UET_RC_OK) {
        code = uet_arrival_match(node, inbound);
    }
    if (code == UET_RC_NULL) {
        uet_arrival_free(node, inbound);
        return false;
    }
    if (code != UET_RC_OK) {
        node->stats.messages_refused += 1;
        respond(response, code);
        response->ri_generation = generation;
        refuse_rest(inbound, code, generation);
        if (last) {
            uet_arrival_free(node, inbound);
        }
        return true;
    }
    uet_arrival_write(node, inbound, 0, packet->payload, (uint32_t)packet->payload_bytes);
    if (last) {
        answer_end(inbound, response);
        uet_arrival_end(node, inbound, UET_RC_OK);
    }
    return true;
}

/* A message that was taken goes on; the code that its answer has. */
static uint8_t check_rest(const inbound_t *inbound, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    uint64_t end = (uint64_t)ses->message_offset + packet->payload_bytes;
    bool last = (ses->flags & UET_SES_EOM) != 0;
    if (ses->opcode == UET_OP_MSG_ERROR || (ses->flags & UET_SES_IE) != 0) {
        return UET_RC_INITIATOR_ERR;
    }
    if (ses->request_length != inbound->length) {
        return UET_RC_OP_VIOLATION;
    }
    if (end > inbound->length) {
        return UET_RC_BAD_ADDR;
    }
    if (ses->message_offset != inbound->arrived || last != (end == inbound->length)) {
        return UET_RC_OP_VIOLATION;
    }
    return UET_RC_OK;
}

static void go_on(uet_node_t *node, inbound_t *inbound, const uet_packet_t *packet, uint8_t code,
                  uet_ses_t *response) {
    bool last = is_last(packet);
    inbound->touched = node->now;
    if (inbound->state == INBOUND_REFUSED) {
        respond(response, inbound->code);
        response->ri_generation = inbound->generation;
        if (last) {
            uet_arrival_free(node, inbound);
        }
        return;
    }
    code = code == UET_RC_OK ? check_rest(inbound, packet) : code;
    if (code != UET_RC_OK) { /* no byte more; the receive ends with an error */
        uint64_t pdc = inbound->pdc;
        uint16_t id = inbound->id;
        respond(response, code);
        uet_arrival_end(node, inbound, code);
        inbound = last ? NULL : calloc(1, sizeof *inbound);
        if (inbound) {
            *inbound = (inbound_t){.next = node->inbound, .pdc = pdc, .id = id};
            inbound->touched = node->now;
            refuse_rest(inbound, code, packet->ses.ri_generation);
            node->inbound = inbound;
        }
        return;
    }
    uet_arrival_write(node, inbound, inbound->arrived, packet->payload,
                      (uint32_t)packet->payload_bytes);
    if (last) {
        answer_end(inbound, response);
        uet_arrival_end(node, inbound, UET_RC_OK);
    }
}

bool uet_receive_request(uet_node_t *node, uint64_t pdc, const uet_packet_t *packet,
                         uet_ses_t *response, uint8_t *nack) {
    const uet_ses_t *ses = &packet->ses;
    uint8_t code = check_form(node, packet);
    bool medium = ses->kind == UET_NEXT_REQ_MEDIUM;
    inbound_t *live = medium ? NULL : context_of(node, pdc, ses->message_id);
    *nack = UET_NACK_NO_SES_MSG_AVAIL;
    if (ses->opcode == UET_OP_NO_OP && code == UET_RC_UNSUPPORTED_OP) {
        return true;
    }
    if ((ses->flags & UET_SES_SOM) != 0) {
        if (live) { /* the first message goes on */
            uint32_t endpoint;
            uint8_t generation = ses->ri_generation;
            if (code == UET_RC_OK) {
                code = check_endpoint(node, packet, &endpoint, &generation);
            }
            respond(response, code != UET_RC_OK ? code : UET_RC_OP_VIOLATION);
            response->ri_generation = generation;
            return true;
        }
        bool alone = code != UET_RC_OK && is_last(packet);
        if (alone) {
            respond(response, code);
            return true;
        }
        return start(node, pdc, packet, code, response);
    }
    if (!live) {
        bool stray = code == UET_RC_OK && ses->opcode == UET_OP_MSG_ERROR;
        respond(response, stray               ? UET_RC_INITIATOR_ERR
                          : code != UET_RC_OK ? code
                                              : UET_RC_OP_VIOLATION);
        return true;
    }
    go_on(node, live, packet, code, response);
    return true;
}

void uet_receive_lost(uet_node_t *node, uint64_t pdc) {
    inbound_t *next;
    for (inbound_t *at = node->inbound; at; at = next) {
        next = at->next;
        if (at->pdc == pdc) {
            uet_arrival_end(node, at, UET_RC_DROPPED);
        }
    }
}

/* A partly received message that does not go on ends with an error, not with silence (W7). */
void uet_receive_timers(uet_node_t *node) {
    inbound_t *next;
    for (inbound_t *at = node->inbound; at; at = next) {
        next = at->next;
        if (at->pdc != 0 && at->touched + node->config.idle <= node->now) {
            uet_arrival_end(node, at, UET_RC_DROPPED);
        }
    }
    for (uint32_t i = 0; i < node->endpoint_count; i++) {
        endpoint_t *endpoint = &node->endpoints[i];
        if (endpoint->off && endpoint->reopen <= node->now) {
            endpoint->off = false;
            endpoint->generation += 1;
        }
    }
}

uet_time_t uet_receive_next(const uet_node_t *node) {
    uet_time_t first = UET_NEVER;
    for (const inbound_t *at = node->inbound; at; at = at->next) {
        uet_time_t end = at->touched + node->config.idle;
        first = at->pdc != 0 && end < first ? end : first;
    }
    for (uint32_t i = 0; i < node->endpoint_count; i++) {
        const endpoint_t *endpoint = &node->endpoints[i];
        first = endpoint->off && endpoint->reopen < first ? endpoint->reopen : first;
    }
    return first;
}
