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
    while (at != NULL && (at->connection != connection->serial || at->id != id)) {
        at = at->next;
    }
    return at;
}

bool wire_connection_busy(const wire_model_t *model, const connection_t *connection) {
    const message_t *at = model->messages;
    while (at != NULL && at->connection != connection->serial) {
        at = at->next;
    }
    return at != NULL;
}

/* No further packet of the message is to come. */
static bool is_last(const uet_packet_t *packet) {
    return (packet->ses.flags & UET_SES_EOM) != 0 || packet->ses.opcode == UET_OP_MSG_ERROR ||
           packet->ses.kind == UET_NEXT_REQ_MEDIUM;
}

/* What the headers alone say, of a packet that begins a message. */
static uint8_t check_first(const wire_model_t *model, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    uint32_t bytes = (uint32_t)packet->payload_bytes;
    if (ses->opcode == UET_OP_MSG_ERROR) {
        return UET_RC_INITIATOR_ERR;
    }
    if (bytes != least(ses->request_length, model->config.payload_mtu)) {
        return UET_RC_OP_VIOLATION;
    }
    return (ses->flags & UET_SES_EOM) != 0 && bytes != ses->request_length ? UET_RC_OP_VIOLATION
                                                                           : UET_RC_OK;
}

static bool supported(const wire_model_t *model, const uet_ses_t *ses) {
    if (ses->opcode != UET_OP_DEFERRABLE_TSEND) {
        return ses->opcode == UET_OP_TAGGED_SEND || ses->opcode == UET_OP_MSG_ERROR;
    }
    for (uint32_t i = 0; i < model->endpoint_count; i++) {
        const wire_endpoint_t *at = &model->endpoints[i].is;
        if (at->deferrable && at->job == ses->job_id && at->pid == ses->pid_on_fep &&
            at->index == ses->resource_index) {
            return true;
        }
    }
    return false;
}

static uint8_t check_form(const wire_model_t *model, const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    bool medium = ses->kind == UET_NEXT_REQ_MEDIUM;
    if (ses->version != 0) {
        return UET_RC_UNCOR;
    }
    if (!supported(model, ses)) {
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

/* Job, then pid, then index. */
static uint8_t find_endpoint(const wire_model_t *model, const uet_ses_t *ses, uint32_t *number) {
    bool job = false;
    bool pid = false;
    for (uint32_t i = 0; i < model->endpoint_count; i++) {
        const wire_endpoint_t *at = &model->endpoints[i].is;
        bool same_job = at->job == ses->job_id;
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

/* Whether the endpoint takes a message that begins. */
static uint8_t check_endpoint(const wire_model_t *model, const uet_ses_t *ses, message_t *message) {
    uint8_t code = find_endpoint(model, ses, &message->endpoint);
    if (code != UET_RC_OK) {
        return code;
    }
    const endpoint_t *endpoint = &model->endpoints[message->endpoint];
    if (endpoint->disabled || endpoint->full) {
        return UET_RC_DISABLED_GEN;
    }
    if (endpoint->generation != ses->ri_generation) {
        message->generation = endpoint->generation;
        return UET_RC_BAD_GENERATION;
    }
    return (ses->flags & UET_SES_IE) != 0 ? UET_RC_INITIATOR_ERR : UET_RC_OK;
}

/* A message of a connection, in front of the others. */
static message_t *begin(wire_model_t *model, const connection_t *connection,
                        const uet_packet_t *packet) {
    const uet_ses_t *ses = &packet->ses;
    message_t *message = wire_take(model, sizeof *message);
    if (message == NULL) {
        return NULL;
    }
    message->state = MESSAGE_REFUSED;
    message->connection = connection->serial;
    message->id = ses->message_id;
    message->handle = ++model->handles;
    message->source = ses->initiator;
    message->match = ses->match_bits;
    message->length = ses->request_length;
    message->has_header_data = (ses->flags & UET_SES_HD) != 0;
    message->header_data = ses->header_data;
    message->code = UET_RC_OK;
    message->touched = model->now;
    message->next = model->messages;
    model->messages = message;
    return message;
}

/* The answer to each packet of a refused message. */
static void respond_refused(wire_model_t *model, message_t *message, const uet_packet_t *packet,
                            uet_ses_t *response) {
    respond(response, message->code);
    if (message->code == UET_RC_BAD_GENERATION) {
        response->ri_generation = message->generation;
    }
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

static uint8_t start(wire_model_t *model, const connection_t *connection,
                     const uet_packet_t *packet, uint8_t code, uet_ses_t *response) {
    message_t *message = begin(model, connection, packet);
    if (message == NULL) {
        return UET_NACK_NO_SES_MSG_AVAIL;
    }
    if (code == UET_RC_OK) {
        code = check_endpoint(model, &packet->ses, message);
    }
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

/* What is wrong with a packet that goes on with a message. */
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
    if (rest != NULL) {
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
        if (live != NULL) { /* which goes on as it was */
            respond(response, code != UET_RC_OK ? code : UET_RC_OP_VIOLATION);
            return 0;
        }
        return start(model, connection, packet, code, response);
    }
    if (live != NULL) {
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
    for (message_t *at = model->messages; at != NULL; at = next) {
        next = at->next;
        if (at->connection == connection->serial) {
            wire_message_end(model, at, UET_RC_DROPPED);
        }
    }
}

/* A message that does not go on ends with an error, not with silence (W7). */
void wire_messages_idle(wire_model_t *model) {
    message_t *next;
    for (message_t *at = model->messages; at != NULL; at = next) {
        next = at->next;
        if (at->connection != 0 && model->now - at->touched >= model->config.idle) {
            wire_message_end(model, at, UET_RC_DROPPED);
        }
    }
}
