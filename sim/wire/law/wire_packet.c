/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Effect of each packet on its connection (W1).  The first rule that applies decides; a refusal is
 * a NACK, and a refused packet has changed no state (W6).
 */
#include "wire_state.h"

enum { FARTHEST = 0x8000 /* back that an acknowledgement can name */ };

static bool is_rud(unsigned type) { return type == UET_PDS_RUD_REQ || type == UET_PDS_RUD_CC_REQ; }

static bool has_flag(const uet_packet_t *packet, unsigned flag) {
    return (packet->pds.flags & flag) != 0;
}

static bool readable(const uet_packet_t *packet) {
    return packet->pds.next_hdr == UET_NEXT_REQ_MEDIUM || packet->pds.next_hdr == UET_NEXT_REQ_STD;
}

/* A request with SYN: its connection; NULL: answered, and `*counter` says how it counts. */
static connection_t *synchronise(wire_model_t *model, const uet_packet_t *packet, uint16_t pdcid,
                                 wire_counter_t *counter) {
    connection_t *known = wire_by_peer(model, packet);
    *counter = WIRE_MISMATCH;
    if (packet->pds.spdcid == 0) {
        return NULL;
    }
    if (is_rud(packet->pds.type)) {
        wire_refuse(model, packet, known, UET_NACK_PDC_MODE_MISMATCH, 0);
        return NULL;
    }
    if (!readable(packet)) {
        wire_refuse(model, packet, NULL, UET_NACK_PDC_HDR_MISMATCH, 0);
        return NULL;
    }
    if (wire_belated(model, packet)) {
        *counter = WIRE_DUPLICATE;
        return NULL;
    }
    if (!known && !wire_has_room(model)) {
        *counter = WIRE_NO_ROOM;
        wire_refuse(model, packet, NULL, UET_NACK_NO_PDC_AVAIL, 0);
        return NULL;
    }
    int32_t ahead = !known ? packet->pds.psn_offset : psn_ahead(packet->pds.psn, known->expected);
    if ((known && known->start != wire_start(packet)) || ahead >= (int32_t)model->config.window) {
        wire_refuse(model, packet, known, UET_NACK_INVALID_SYN, 0);
        return NULL;
    }
    return known ? known : wire_open(model, packet, pdcid);
}

/* Any other packet: the connection that it names.  A control packet opens none. */
static connection_t *locate(wire_model_t *model, const uet_packet_t *packet) {
    bool syn = has_flag(packet, UET_FLAG_SYN);
    if (syn && packet->pds.spdcid == 0) {
        return NULL;
    }
    connection_t *named =
        syn ? wire_by_peer(model, packet) : wire_by_number(model, packet->pds.dpdcid);
    if (!named) {
        wire_refuse(model, packet, NULL, UET_NACK_INV_DPDCID, 0);
    } else if (!wire_same_peer(named, packet)) {
        wire_refuse(model, packet, NULL, UET_NACK_PDC_HDR_MISMATCH, 0);
    } else if (is_rud(packet->pds.type)) {
        wire_refuse(model, packet, named, UET_NACK_PDC_MODE_MISMATCH, 0);
    } else {
        return named;
    }
    return NULL;
}

static uet_ses_t default_response(const uet_packet_t *packet) {
    return (uet_ses_t){
        .kind = UET_NEXT_RSP,
        .opcode = UET_RSP_DEFAULT,
        .return_code = UET_RC_OK,
        .message_id = packet->ses.message_id,
        .ri_generation = packet->ses.ri_generation,
        .job_id = packet->ses.job_id,
        .modified_length = packet->ses.request_length,
    };
}

/* The answer to a number that was accepted, once more. */
static void answer_again(wire_model_t *model, connection_t *connection,
                         const uet_packet_t *packet) {
    uet_ses_t well = default_response(packet);
    const response_t *kept = wire_response(connection, packet->pds.psn);
    const uet_ses_t *plain = packet->pds.type == UET_PDS_CP ? NULL : &well;
    wire_acknowledge(model, connection, packet, packet->pds.psn, kept ? &kept->ses : plain);
}

static bool nameable(const wire_model_t *model, connection_t *connection, uint32_t psn) {
    return psn_ahead(psn, wire_cack(model, connection)) >= -FARTHEST;
}

/* Not the number that is expected. */
static wire_counter_t out_of_order(wire_model_t *model, connection_t *connection,
                                   const uet_packet_t *packet, int32_t ahead) {
    if (ahead >= (int32_t)model->config.window) {
        wire_refuse(model, packet, connection, UET_NACK_PSN_OOR_WINDOW, 0);
        return WIRE_BEYOND;
    }
    if (ahead > 0) { /* told once for each gap */
        if (!connection->told) {
            connection->told = true;
            wire_refuse(model, packet, connection, UET_NACK_ROD_OOO, connection->expected);
        }
        return WIRE_GAP;
    }
    bool again = has_flag(packet, UET_FLAG_RETX) || model->config.all_duplicates;
    if (!again || !nameable(model, connection, packet->pds.psn)) {
        return WIRE_DUPLICATE;
    }
    answer_again(model, connection, packet);
    return WIRE_REPEATED;
}

static void accept(connection_t *connection) {
    connection->expected += 1;
    connection->told = false;
}

static bool must_answer(wire_model_t *model, connection_t *connection, const uet_packet_t *packet,
                        const uet_ses_t *response) {
    uint32_t bytes = (uint32_t)packet->payload_bytes;
    bool congested = model->config.ack_on_ecn && wire_marked(packet) != 0;
    connection->unacknowledged += bytes < model->config.ack_least ? model->config.ack_least : bytes;
    return has_flag(packet, UET_FLAG_AR | UET_FLAG_SYN) || congested ||
           (packet->ses.flags & UET_SES_EOM) != 0 || response->opcode != UET_RSP_DEFAULT ||
           connection->unacknowledged >= model->config.ack_trigger;
}

/* A request that is expected. */
static wire_counter_t take(wire_model_t *model, connection_t *connection,
                           const uet_packet_t *packet) {
    if (packet->pds.clear_psn_offset <= 0) {
        int32_t back = packet->pds.clear_psn_offset;
        wire_clear(connection, packet->pds.psn + (uint32_t)back);
    }
    if (wire_responses(connection) >= model->config.responses) { /* one more might be kept */
        wire_refuse(model, packet, connection, UET_NACK_NO_GTD_DEL_AVAIL, 0);
        return WIRE_NO_ROOM;
    }
    uet_ses_t response = default_response(packet);
    uint8_t nack = wire_request(model, connection, packet, &response);
    if (nack != 0) {
        wire_refuse(model, packet, connection, nack, 0);
        return WIRE_NO_ROOM;
    }
    accept(connection);
    if (response.opcode != UET_RSP_DEFAULT) {
        wire_keep(model, connection, packet->pds.psn, &response);
    }
    if (must_answer(model, connection, packet, &response)) {
        wire_acknowledge(model, connection, packet, packet->pds.psn, &response);
    }
    return WIRE_TAKEN;
}

/* NOOP and CLOSE that are expected. */
static wire_counter_t take_control(wire_model_t *model, connection_t *connection,
                                   const uet_packet_t *packet) {
    bool closes = packet->pds.next_hdr == UET_CP_CLOSE;
    if (closes && wire_connection_busy(model, connection)) {
        wire_refuse(model, packet, connection, UET_NACK_CLOSING_IN_ERR, 0);
        wire_connection_lost(model, connection);
        wire_close(model, connection);
        return WIRE_CONTROL;
    }
    accept(connection);
    if (closes) { /* the initiator has all answers */
        wire_clear(connection, packet->pds.psn);
    }
    if (has_flag(packet, UET_FLAG_AR | UET_FLAG_SYN)) {
        wire_acknowledge(model, connection, packet, packet->pds.psn, NULL);
    }
    if (closes) {
        wire_close(model, connection);
    }
    return WIRE_CONTROL;
}

static void probe(wire_model_t *model, connection_t *connection, const uet_packet_t *packet) {
    uet_packet_t out = {0};
    out.pds.type = UET_PDS_ACK;
    out.pds.flags =
        (uint8_t)((packet->pds.flags & UET_FLAG_RETX) | UET_FLAG_P | wire_marked(packet));
    out.pds.cack_psn = wire_cack(model, connection);
    out.pds.ack_psn_offset = (int16_t)packet->pds.probe_opaque;
    out.pds.spdcid = connection->pdcid;
    out.pds.dpdcid = connection->spdcid;
    wire_effect_send(model, packet, &out);
}

/* The answer to a number, or that it has not come, or that its answer is not known yet. */
static wire_counter_t answer_asked(wire_model_t *model, connection_t *connection,
                                   const uet_packet_t *packet) {
    uint32_t psn = packet->pds.psn;
    const response_t *kept = wire_response(connection, psn);
    if (psn_ahead(psn, connection->expected) >= 0) {
        wire_refuse(model, packet, connection, UET_NACK_PKT_NOT_RCVD, 0);
    } else if (!nameable(model, connection, psn)) {
        return WIRE_DUPLICATE;
    } else if (kept && kept->owed) {
        wire_refuse(model, packet, connection, UET_NACK_RCVD_SES_PROCG, 0);
    } else {
        wire_acknowledge(model, connection, packet, psn, !kept ? NULL : &kept->ses);
    }
    return WIRE_CONTROL;
}

static wire_counter_t control(wire_model_t *model, const uet_packet_t *packet) {
    connection_t *connection = locate(model, packet);
    if (!connection) {
        return WIRE_MISMATCH;
    }
    switch (packet->pds.next_hdr) {
    case UET_CP_CLEAR:
        wire_clear(connection, packet->pds.payload);
        return WIRE_CONTROL;
    case UET_CP_ACK_REQ:
        return answer_asked(model, connection, packet);
    case UET_CP_PROBE:
        probe(model, connection, packet);
        return WIRE_CONTROL;
    case UET_CP_NOOP:
    case UET_CP_CLOSE: {
        int32_t ahead = psn_ahead(packet->pds.psn, connection->expected);
        return ahead != 0 ? out_of_order(model, connection, packet, ahead)
                          : take_control(model, connection, packet);
    }
    default:
        wire_refuse(model, packet, connection, UET_NACK_UNEXP_EVENT, 0);
        return WIRE_UNSUPPORTED;
    }
}

wire_counter_t wire_packet(wire_model_t *model, const uet_packet_t *packet, uint16_t pdcid) {
    wire_counter_t counter = WIRE_MISMATCH;
    if (packet->pds.type == UET_PDS_CP) {
        return control(model, packet);
    }
    connection_t *connection = has_flag(packet, UET_FLAG_SYN)
                                   ? synchronise(model, packet, pdcid, &counter)
                                   : locate(model, packet);
    if (!connection) {
        return counter;
    }
    if (!readable(packet)) {
        wire_refuse(model, packet, connection, UET_NACK_UNEXP_EVENT, 0);
        return WIRE_UNSUPPORTED;
    }
    int32_t ahead = psn_ahead(packet->pds.psn, connection->expected);
    return ahead != 0 ? out_of_order(model, connection, packet, ahead)
                      : take(model, connection, packet);
}
