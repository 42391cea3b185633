/* SPDX-License-Identifier: Apache-2.0 */
/* Connections (PDCs): their table, the responses that they keep, acknowledgements, refusals. */
#include <stdlib.h>

#include "wire_state.h"

enum { ECN_EXPERIENCED = 3 };

uint8_t wire_marked(const uet_packet_t *packet) {
    return packet->envelope.ecn == ECN_EXPERIENCED ? UET_FLAG_M : 0;
}

void wire_refuse(wire_model_t *model, const uet_packet_t *packet, const connection_t *connection,
                 uint8_t code, uint32_t payload) {
    uet_packet_t out = {0};
    out.pds.type = UET_PDS_NACK;
    out.pds.flags = (uint8_t)((packet->pds.flags & UET_FLAG_RETX) | wire_marked(packet));
    out.pds.nack_code = code;
    out.pds.nack_psn = packet->pds.psn;
    out.pds.spdcid = !connection ? 0 : connection->pdcid;
    out.pds.dpdcid = packet->pds.spdcid;
    out.pds.payload = payload;
    wire_effect_send(model, packet, &out);
}

/* All up to it is accepted, and no response that the initiator has to clear is at or below it. */
uint32_t wire_cack(const wire_model_t *model, connection_t *connection) {
    uint32_t cack = connection->expected - 1;
    const response_t *kept = connection->responses;
    while (kept && kept->owed) {
        kept = kept->next;
    }
    if (kept && !model->config.cack_runs_past) {
        cack = kept->psn - 1;
    }
    if (psn_ahead(cack, connection->cack) > 0) {
        connection->cack = cack;
    }
    return connection->cack;
}

void wire_acknowledge(wire_model_t *model, connection_t *connection, const uet_packet_t *packet,
                      uint32_t psn, const uet_ses_t *response) {
    uet_packet_t out = {0};
    out.pds.type = UET_PDS_ACK;
    out.pds.flags = (uint8_t)((packet->pds.flags & UET_FLAG_RETX) | wire_marked(packet));
    out.pds.cack_psn = wire_cack(model, connection);
    out.pds.ack_psn_offset = (int16_t)psn_ahead(psn, out.pds.cack_psn);
    out.pds.spdcid = connection->pdcid;
    out.pds.dpdcid = connection->spdcid;
    if (response) {
        out.pds.next_hdr = UET_NEXT_RSP;
        out.ses = *response;
        if (response->opcode == UET_RSP_RESPONSE) {
            out.pds.flags |= UET_FLAG_REQ_CLEAR;
        }
    }
    wire_effect_send(model, packet, &out);
    connection->unacknowledged = 0;
}

void wire_clear(connection_t *connection, uint32_t clear) {
    if (psn_ahead(clear, connection->expected) >= 0 || psn_ahead(clear, connection->clear) <= 0) {
        return; /* beyond what was accepted, or back */
    }
    connection->clear = clear;
    response_t **at = &connection->responses;
    while (*at) {
        response_t *kept = *at;
        if (psn_ahead(kept->psn, clear) <= 0 && !kept->owed) {
            *at = kept->next;
            free(kept);
        } else {
            at = &kept->next;
        }
    }
}

const response_t *wire_response(const connection_t *connection, uint32_t psn) {
    const response_t *kept = connection->responses;
    while (kept && kept->psn != psn) {
        kept = kept->next;
    }
    return kept;
}

uint32_t wire_responses(const connection_t *connection) {
    uint32_t count = 0;
    for (const response_t *kept = connection->responses; kept; kept = kept->next) {
        count += 1;
    }
    return count;
}

/* The youngest number is the highest. */
void wire_keep(wire_model_t *model, connection_t *connection, uint32_t psn, const uet_ses_t *ses) {
    response_t *kept = wire_take(model, sizeof *kept);
    response_t **at = &connection->responses;
    while (*at) {
        at = &(*at)->next;
    }
    if (kept) {
        *kept = (response_t){.psn = psn, .owed = ses->opcode == UET_RSP_NO_RESPONSE, .ses = *ses};
        *at = kept;
    }
}

bool wire_same_peer(const connection_t *connection, const uet_packet_t *packet) {
    const uet_envelope_t *envelope = &packet->envelope;
    return connection->ipv6 == envelope->ipv6 && connection->source[0] == envelope->source_high &&
           connection->source[1] == envelope->source_low &&
           connection->destination[0] == envelope->destination_high &&
           connection->destination[1] == envelope->destination_low &&
           connection->spdcid == packet->pds.spdcid;
}

connection_t *wire_by_peer(const wire_model_t *model, const uet_packet_t *packet) {
    connection_t *at = model->connections;
    while (at && (at->closed || !wire_same_peer(at, packet))) {
        at = at->next;
    }
    return at;
}

connection_t *wire_by_number(const wire_model_t *model, uint16_t pdcid) {
    connection_t *at = model->connections;
    while (at && (at->closed || at->pdcid != pdcid)) {
        at = at->next;
    }
    return at;
}

uint32_t wire_start(const uet_packet_t *packet) { return packet->pds.psn - packet->pds.psn_offset; }

/* Of a connection that has ended not long ago. */
bool wire_belated(const wire_model_t *model, const uet_packet_t *packet) {
    for (const connection_t *at = model->connections; at; at = at->next) {
        if (at->closed && wire_same_peer(at, packet) && at->start == wire_start(packet)) {
            return true;
        }
    }
    return false;
}

static void release(wire_model_t *model, connection_t *connection) {
    connection_t **at = &model->connections;
    while (*at != connection) {
        at = &(*at)->next;
    }
    *at = connection->next;
    while (connection->responses) {
        response_t *next = connection->responses->next;
        free(connection->responses);
        connection->responses = next;
    }
    free(connection);
}

void wire_connections_forget(wire_model_t *model) {
    connection_t *next;
    for (connection_t *at = model->connections; at; at = next) {
        next = at->next;
        if (at->closed && at->forget <= model->now) {
            release(model, at);
        }
    }
}

void wire_connections_free(wire_model_t *model) {
    while (model->connections) {
        release(model, model->connections);
    }
}

void wire_close(wire_model_t *model, connection_t *connection) {
    connection->closed = true;
    connection->forget = model->now + model->config.quarantine;
    if (model->config.quarantine == 0) {
        release(model, connection);
    }
}

connection_t *wire_open(wire_model_t *model, const uet_packet_t *packet, uint16_t pdcid) {
    const uet_envelope_t *envelope = &packet->envelope;
    connection_t *opened = wire_take(model, sizeof *opened);
    if (!opened) {
        return NULL;
    }
    while (pdcid == 0 || wire_by_number(model, pdcid)) {
        pdcid = (uint16_t)(pdcid + 1);
    }
    opened->serial = ++model->serials;
    opened->ipv6 = envelope->ipv6;
    opened->source[0] = envelope->source_high;
    opened->source[1] = envelope->source_low;
    opened->destination[0] = envelope->destination_high;
    opened->destination[1] = envelope->destination_low;
    opened->spdcid = packet->pds.spdcid;
    opened->pdcid = pdcid;
    opened->start = opened->expected = wire_start(packet);
    opened->clear = opened->cack = opened->start - 1;
    opened->next = model->connections;
    model->connections = opened;
    return opened;
}

bool wire_has_room(const wire_model_t *model) {
    uint32_t count = 0;
    for (const connection_t *at = model->connections; at; at = at->next) {
        count += 1;
    }
    return count < model->config.pdcs;
}

void wire_settle(wire_model_t *model, uint64_t serial, const uet_packet_t *packet, uint32_t psn,
                 const uet_ses_t *ses) {
    connection_t *connection = model->connections;
    while (connection && (connection->closed || connection->serial != serial)) {
        connection = connection->next;
    }
    if (!connection) {
        return; /* closed by its initiator, which needs no answer */
    }
    for (response_t *kept = connection->responses; kept; kept = kept->next) {
        if (kept->psn == psn && kept->owed) {
            kept->owed = false;
            kept->ses = *ses;
            wire_acknowledge(model, connection, packet, psn, ses);
        }
    }
}
