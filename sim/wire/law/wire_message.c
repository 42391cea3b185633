/* SPDX-License-Identifier: Apache-2.0 */
/* Requests in their order: the first check that fails gives the answer. */
#include <string.h>

#include "wire_state.h"

enum { SINGLE = UET_SES_SOM | UET_SES_EOM };

static void respond(uet_ses_t *response, uint8_t code) {
    response->opcode = UET_RSP_RESPONSE;
    response->return_code = code;
    response->modified_length = 0;
}

static message_t *message_of(const wire_model_t *model, const connection_t *connection,
                             uint16_t id) {
    message_t *at = model->messages;
    while (at && (at->connection != connection->serial || at->id != id)) {
        at = at->next;
    }
    return at;
}

bool wire_connection_busy(const wire_model_t *model, const connection_t *connection) {
    const message_t *at = model->messages;
    while (at && at->connection != connection->serial) {
        at = at->next;
    }
    return at;
}

/* No further packet of the message is to come. */
static bool is_last(const uet_packet_t *packet) {
    return (packet->ses.flags & UET_SES_EOM) != 0 || packet->ses.opcode == UET_OP_MSG_ERROR ||
           packet->ses.kind == UET_NEXT_REQ_MEDIUM;
}

/* Checks the headers alone of a packet that begins a message. */
static uint8_t check_first(const wire_model_t *model, const uet_packet_t *packet) {
    const wire_config_t *config = &model->config;
    uint32_t length = packet->ses.request_length;
    if (packet->ses.opcode == UET_OP_MSG_ERROR) {
        return UET_RC_INITIATOR_ERR;
    }
    if (packet->payload_bytes != least(length, config->payload_mtu)) {
        return UET_RC_OP_VIOLATION;
    }
    return config->length_most != 0 && length > config->length_most ? UET_RC_UNSUPPORTED_SIZE
                                                                    : UET_RC_OK;
}

static bool supported(const wire_model_t *model, unsigned opcode) {
    return opcode == UET_OP_TAGGED_SEND || opcode == UET_OP_MSG_ERROR ||
           (opcode == UET_OP_DEFERRABLE_TSEND && model->config.deferrable);
}

static uint8_t check_form(const wire_model_t *model, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    bool medium = ses->kind == UET_NEXT_REQ_MEDIUM;
    if (ses->version != 0) {
        return UET_RC_UNCOR;
    }
    if (!supported(model, ses->opcode)) {
        return UET_RC_UNSUPPORTED_OP;
    }
    if (medium && ses->opcode == UET_OP_MSG_ERROR) {
        return UET_RC_INITIATOR_ERR; /* of no message, for it has no id */
    }
    if (medium &&
        ((ses->flags & SINGLE) != SINGLE || ses->request_length != packet->payload_bytes)) {
        return UET_RC_OP_VIOLATION;
    }
    if ((ses->flags & UET_SES_SOM) != 0) {
        return check_first(model, packet);
    }
    return ses->opcode != UET_OP_MSG_ERROR && ses->payload_length != packet->payload_bytes
               ? UET_RC_OP_VIOLATION
               : UET_RC_OK;
}

/* Job, then pid, then index.  An absolute pid has no job. */
static uint8_t find_endpoint(const wire_model_t *model, const uet_ses_t *ses, uint32_t *number) {
    bool absolute = (ses->flags & UET_SES_REL) == 0;
    bool job = absolute;
    bool pid = false;
    for (uint32_t i = 0; i < model->endpoint_count; i++) {
        const wire_endpoint_t *at = &model->endpoints[i].is;
        bool same_job = at->absolute == absolute && (absolute || at->job == ses->job_id);
        bool same_pid = same_job && at->pid == ses->pid_on_fep;
        if (same_pid && at->index == ses->resource_index) {
            *number = i;
            return UET_RC_OK;
        }
        job = job || same_job;
        pid = pid || same_pid;
    }
    if (model->config.undeliverable) {
        return UET_RC_UNDELIVERABLE;
    }
    return pid ? UET_RC_BAD_INDEX : job ? UET_RC_BAD_PID : UET_RC_BAD_JOB_ID;
}

/* Whether the endpoint takes a message that begins; `*generation` is that of its answer. */
static uint8_t check_endpoint(const wire_model_t *model, const uet_packet_t *packet,
                              uint32_t *number, uint8_t *generation) {
    const uet_ses_t *ses = &packet->ses;
    uint8_t code = find_endpoint(model, ses, number);
    if (code != UET_RC_OK) {
        return code;
    }
    const endpoint_t *endpoint = &model->endpoints[*number];
    if (endpoint->disabled || endpoint->full) {
        return endpoint->is.no_generation ? UET_RC_DISABLED : UET_RC_DISABLED_GEN;
    }
    if (endpoint->generation != ses->ri_generation) {
        *generation = endpoint->generation;
        return UET_RC_BAD_GENERATION;
    }
    if ((ses->flags & UET_SES_IE) != 0) {
        return UET_RC_INITIATOR_ERR;
    }
    bool last = (ses->flags & UET_SES_EOM) != 0;
    return last && packet->payload_bytes != ses->request_length ? UET_RC_OP_VIOLATION : UET_RC_OK;
}

/* A message of a connection, in front of the others. */
static message_t *begin(wire_model_t *model, const connection_t *connection,
                        const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    message_t *message = wire_take(model, sizeof *message);
    if (!message) {
        return NULL;
    }
    message->state = MESSAGE_REFUSED;
    message->connection = connection->serial;
    message->id = ses->message_id;
    message->handle = ++model->handles;
    message->source = ses->initiator;
    message->match = ses->match_bits;
    message->length = ses->request_length;
    message->generation = ses->ri_generation;
    message->has_header_data = (ses->flags & UET_SES_HD) != 0;
    message->header_data = ses->header_data;
    message->code = UET_RC_OK;
    message->touched = model->now;
    message->next = model->messages;
    model->messages = message;
    return message;
}

/* Each packet of a refused message has the same answer. */
static void respond_refused(wire_model_t *model, message_t *message, const uet_packet_t *packet,
                            uet_ses_t *response) {
    respond(response, message->code);
    response->ri_generation = message->generation;
    if (is_last(packet)) {
        wire_message_free(model, message);
    }
}

/* The last byte is in: the answer says where it went, and how much of it (R12). */
static void end_well(wire_model_t *model, message_t *message, const connection_t *connection,
                     const uet_packet_t *packet, uet_ses_t *response) {
    bool parked = message->state == MESSAGE_PARKED;
    uint32_t room = parked ? message->length : message->room;
    response->modified_length = least(message->length, room);
    if (parked && model->endpoints[message->endpoint].is.answer_at_match) {
        response->opcode = UET_RSP_NO_RESPONSE;
        message->owed_by = connection->serial;
        message->owed_psn = packet->pds.psn;
        message->last = *packet;
    } else if (parked || room < message->length) {
        response->opcode = UET_RSP_RESPONSE;
        response->list = parked ? UET_LIST_OVERFLOW : UET_LIST_EXPECTED;
    }
    wire_message_end(model, message, UET_RC_OK);
}

/* A message begins; `live`: its id is that of one whose end has not come. */
static uint8_t start(wire_model_t *model, const connection_t *connection,
                     const uet_packet_t *packet, uint8_t code, bool live, uet_ses_t *response) {
    uint32_t endpoint = 0;
    uint8_t generation = packet->ses.ri_generation;
    code = code == UET_RC_OK ? check_endpoint(model, packet, &endpoint, &generation) : code;
    if (live) { /* which goes on as it was */
        respond(response, code != UET_RC_OK ? code : UET_RC_OP_VIOLATION);
        response->ri_generation = generation;
        return 0;
    }
    message_t *message = begin(model, connection, packet);
    if (!message) {
        return UET_NACK_NO_SES_MSG_AVAIL;
    }
    message->endpoint = endpoint;
    message->generation = generation;
    if (code == UET_RC_OK) {
        wire_arrival_t arrival = wire_arrive(model, message);
        if (arrival.nack != 0) {
            wire_message_free(model, message);
            return arrival.nack;
        }
        code = arrival.code;
    }
    if (code != UET_RC_OK) {
        message->code = code;
        respond_refused(model, message, packet, response);
        return 0;
    }
    wire_payload(model, message, packet->payload, (uint32_t)packet->payload_bytes);
    if (is_last(packet)) {
        end_well(model, message, connection, packet, response);
    }
    return 0;
}

/* Checks a packet that continues a message; a return code, or 0. */
static uint8_t check_rest(const message_t *message, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    uint64_t end = (uint64_t)ses->message_offset + packet->payload_bytes;
    bool last = (ses->flags & UET_SES_EOM) != 0;
    if (ses->opcode == UET_OP_MSG_ERROR || (ses->flags & UET_SES_IE) != 0) {
        return UET_RC_INITIATOR_ERR;
    }
    if (ses->request_length != message->length) {
        return UET_RC_OP_VIOLATION;
    }
    if (end > message->length) {
        return UET_RC_BAD_ADDR;
    }
    return ses->message_offset != message->arrived || last != (end == message->length)
               ? UET_RC_OP_VIOLATION
               : UET_RC_OK;
}

/* The receive ends with an error; the rest of the message has the same answer. */
static void break_off(wire_model_t *model, message_t *message, const connection_t *connection,
                      const uet_packet_t *packet, uint8_t code) {
    message_t *rest = is_last(packet) ? NULL : begin(model, connection, packet);
    if (rest) {
        rest->id = message->id;
        rest->code = code;
    }
    wire_message_end(model, message, code);
}

static void go_on(wire_model_t *model, message_t *message, const connection_t *connection,
                  const uet_packet_t *packet, uint8_t code, uet_ses_t *response) {
    message->touched = model->now;
    if (message->state == MESSAGE_REFUSED) {
        respond_refused(model, message, packet, response);
        return;
    }
    code = code == UET_RC_OK ? check_rest(message, packet) : code;
    if (code != UET_RC_OK) {
        respond(response, code);
        break_off(model, message, connection, packet, code);
        return;
    }
    wire_payload(model, message, packet->payload, (uint32_t)packet->payload_bytes);
    if (is_last(packet)) {
        end_well(model, message, connection, packet, response);
    }
}

uint8_t wire_request(wire_model_t *model, connection_t *connection, const uet_packet_t *packet,
                     uet_ses_t *response) {
    const uet_ses_t *ses = &packet->ses;
    if (ses->version == 0 && ses->opcode == UET_OP_NO_OP) {
        return 0;
    }
    uint8_t code = check_form(model, packet);
    message_t *live =
        ses->kind == UET_NEXT_REQ_MEDIUM ? NULL : message_of(model, connection, ses->message_id);
    if ((ses->flags & UET_SES_SOM) != 0) {
        return start(model, connection, packet, code, live, response);
    }
    if (live) {
        go_on(model, live, connection, packet, code, response);
    } else if (code != UET_RC_OK) {
        respond(response, code);
    } else {
        respond(response,
                ses->opcode == UET_OP_MSG_ERROR ? UET_RC_INITIATOR_ERR : UET_RC_OP_VIOLATION);
    }
    return 0;
}

void wire_connection_lost(wire_model_t *model, const connection_t *connection) {
    message_t *next;
    for (message_t *at = model->messages; at; at = next) {
        next = at->next;
        if (at->connection == connection->serial) {
            wire_message_end(model, at, UET_RC_DROPPED);
        }
    }
}

/* A message that does not go on ends with an error, not with silence (W7). */
void wire_messages_idle(wire_model_t *model) {
    message_t *next;
    for (message_t *at = model->messages; at; at = next) {
        next = at->next;
        if (at->connection != 0 && model->now - at->touched >= model->config.idle) {
            wire_message_end(model, at, UET_RC_DROPPED);
        }
    }
}
