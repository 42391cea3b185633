/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The target's half of a PDC: packets in their order and once (W1), answers that are kept until the
 * initiator has them, refusals.  A refusal or an acknowledgement is never answered by a refusal.
 */
#include <string.h>

#include "uet_state.h"

enum { ECN_EXPERIENCED = 3, FARTHEST = 0x8000 /* back that an acknowledgement can name */ };

static bool is_rod(unsigned type) { return type == UET_PDS_ROD_REQ || type == UET_PDS_ROD_CC_REQ; }

/* RETX as in the packet that is answered, M if that has met congestion. */
static uint8_t flags_back(const uet_packet_t *packet) {
    unsigned flags = packet->pds.flags & (unsigned)UET_FLAG_RETX;
    flags |= packet->envelope.ecn == ECN_EXPERIENCED ? UET_FLAG_M : 0u;
    return (uint8_t)flags;
}

static void nack(uet_node_t *node, const uet_packet_t *packet, const target_t *pdc, uint8_t code,
                 uint32_t payload) {
    uet_packet_t out = {0};
    out.envelope.source_port = packet->envelope.source_port;
    out.pds.type = UET_PDS_NACK;
    out.pds.flags = flags_back(packet);
    out.pds.nack_code = code;
    out.pds.nack_psn = packet->pds.psn;
    out.pds.spdcid = !pdc ? 0 : pdc->pdcid;
    out.pds.dpdcid = packet->pds.spdcid;
    out.pds.payload = payload;
    uet_transmit(node, &out, (uint32_t)packet->envelope.source_low, false);
}

/* The highest number up to which all is accepted and no kept answer is outstanding. */
static uint32_t cack_of(const target_t *pdc) {
    return pdc->stored == 0 ? pdc->expected - 1 : pdc->store[0].psn - 1;
}

static void ack(uet_node_t *node, const uet_packet_t *packet, target_t *pdc, uint32_t psn,
                const uet_ses_t *response) {
    uet_packet_t out = {0};
    bool kept = response && response->opcode == UET_RSP_RESPONSE;
    out.envelope.source_port = packet->envelope.source_port;
    out.pds.type = UET_PDS_ACK;
    out.pds.flags = (uint8_t)(flags_back(packet) | (kept ? UET_FLAG_REQ_CLEAR : 0));
    out.pds.cack_psn = cack_of(pdc);
    out.pds.ack_psn_offset = (int16_t)psn_distance(psn, out.pds.cack_psn);
    out.pds.spdcid = pdc->pdcid;
    out.pds.dpdcid = pdc->peer;
    if (response) {
        out.pds.next_hdr = UET_NEXT_RSP;
        out.ses = *response;
    }
    uet_transmit(node, &out, pdc->address, false);
    pdc->bytes = 0;
}

static void forget_stored(target_t *pdc, uint32_t clear) {
    unsigned gone = 0;
    while (gone < pdc->stored && psn_distance(pdc->store[gone].psn, clear) <= 0) {
        gone += 1;
    }
    memmove(pdc->store, pdc->store + gone, (pdc->stored - gone) * sizeof *pdc->store);
    pdc->stored -= gone;
}

/* A number that is beyond what was accepted, or that goes back, is not taken. */
static void apply_clear(target_t *pdc, uint32_t clear) {
    if (psn_distance(clear, pdc->expected) < 0 && psn_distance(clear, pdc->clear) > 0) {
        pdc->clear = clear;
        forget_stored(pdc, clear);
    }
}

static const uet_ses_t *stored_for(const target_t *pdc, uint32_t psn) {
    for (unsigned i = 0; i < pdc->stored; i++) {
        if (pdc->store[i].psn == psn) {
            return &pdc->store[i].response;
        }
    }
    return NULL;
}

static target_t *by_number(uet_node_t *node, uint16_t pdcid) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        target_t *pdc = &node->targets[i];
        if (pdc->used && !pdc->closed && pdc->pdcid == pdcid) {
            return pdc;
        }
    }
    return NULL;
}

static uint32_t start_of(const uet_packet_t *packet) {
    return packet->pds.psn - packet->pds.psn_offset;
}

/* The PDC of an initiator: the live one, or one that is remembered and began with this number. */
static target_t *by_initiator(uet_node_t *node, const uet_packet_t *packet, bool closed) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        target_t *pdc = &node->targets[i];
        if (pdc->used && pdc->closed == closed && pdc->address == packet->envelope.source_low &&
            pdc->peer == packet->pds.spdcid && (!closed || pdc->start == start_of(packet))) {
            return pdc;
        }
    }
    return NULL;
}

/* Never 0; no number is given again before all others were, nor while it is in use. */
static uint16_t fresh_pdcid(uet_node_t *node) {
    do {
        node->last_target = (uint16_t)(node->last_target + 1);
    } while (node->last_target == 0 || by_number(node, node->last_target));
    return node->last_target;
}

static bool has_room(const uet_node_t *node) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        if (!node->targets[i].used) {
            return true;
        }
    }
    return false;
}

static target_t *open_pdc(uet_node_t *node, const uet_packet_t *packet) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        target_t *pdc = &node->targets[i];
        if (pdc->used) {
            continue;
        }
        memset(pdc, 0, sizeof *pdc);
        pdc->serial = ++node->target_serial;
        pdc->pdcid = fresh_pdcid(node);
        pdc->used = true;
        pdc->address = (uint32_t)packet->envelope.source_low;
        pdc->peer = packet->pds.spdcid;
        pdc->start = start_of(packet);
        pdc->expected = pdc->start;
        pdc->clear = pdc->start - 1;
        return pdc;
    }
    return NULL;
}

static void close_pdc(uet_node_t *node, target_t *pdc) {
    pdc->closed = true;
    pdc->forget = node->now + node->config.quarantine;
}

static bool readable(const uet_packet_t *packet) {
    return packet->pds.next_hdr == UET_NEXT_REQ_STD || packet->pds.next_hdr == UET_NEXT_REQ_MEDIUM;
}

/* A request with SYN: the PDC it opens or belongs to; NULL: answered, and counts as `*count`. */
static target_t *synchronise(uet_node_t *node, const uet_packet_t *packet, uet_count_t *count) {
    target_t *pdc = by_initiator(node, packet, false);
    *count = UET_COUNT_MISMATCH;
    if (packet->pds.spdcid == 0) {
        return NULL;
    }
    if (!is_rod(packet->pds.type)) {
        nack(node, packet, pdc, UET_NACK_PDC_MODE_MISMATCH, 0);
        return NULL;
    }
    if (!readable(packet)) {
        nack(node, packet, NULL, UET_NACK_PDC_HDR_MISMATCH, 0);
        return NULL;
    }
    if (by_initiator(node, packet, true)) { /* late, of a PDC that has ended (W1) */
        *count = UET_COUNT_DUPLICATE;
        return NULL;
    }
    bool known = pdc;
    int32_t ahead = known ? psn_distance(packet->pds.psn, pdc->expected) : packet->pds.psn_offset;
    bool invalid = ahead >= UET_WINDOW_MOST || (known && start_of(packet) != pdc->start);
    if (!known && !has_room(node)) {
        *count = UET_COUNT_NO_ROOM;
        nack(node, packet, NULL, UET_NACK_NO_PDC_AVAIL, 0);
        return NULL;
    }
    if (invalid) {
        nack(node, packet, pdc, UET_NACK_INVALID_SYN, 0);
        return NULL;
    }
    return known ? pdc : open_pdc(node, packet);
}

/* A control packet opens no PDC, with SYN either. */
static target_t *locate(uet_node_t *node, const uet_packet_t *packet, uet_count_t *count) {
    const uet_pds_t *pds = &packet->pds;
    bool syn = (pds->flags & UET_FLAG_SYN) != 0;
    if (syn && uet_pds_is_request(pds->type)) {
        return synchronise(node, packet, count);
    }
    *count = UET_COUNT_MISMATCH;
    if (syn && pds->spdcid == 0) {
        return NULL;
    }
    target_t *pdc = syn ? by_initiator(node, packet, false) : by_number(node, pds->dpdcid);
    if (!pdc) {
        nack(node, packet, NULL, UET_NACK_INV_DPDCID, 0);
        return NULL;
    }
    if (pdc->peer != pds->spdcid || pdc->address != packet->envelope.source_low) {
        nack(node, packet, NULL, UET_NACK_PDC_HDR_MISMATCH, 0);
        return NULL;
    }
    if (uet_pds_is_request(pds->type) && !is_rod(pds->type)) {
        nack(node, packet, pdc, UET_NACK_PDC_MODE_MISMATCH, 0);
        return NULL;
    }
    return pdc;
}

static uet_ses_t default_response(const uet_packet_t *packet) {
    uet_ses_t response = {
        .kind = UET_NEXT_RSP,
        .opcode = UET_RSP_DEFAULT,
        .return_code = UET_RC_OK,
        .message_id = packet->ses.message_id,
        .ri_generation = packet->ses.ri_generation,
        .job_id = packet->ses.job_id,
        .modified_length = packet->ses.request_length,
    };
    return response;
}

/* Whether an acknowledgement, which counts from CACK, reaches back to a number. */
static bool can_name(const target_t *pdc, uint32_t psn) {
    return psn_distance(psn, cack_of(pdc)) >= -FARTHEST;
}

/*
 * Not the next number.  One that was accepted is answered again if it says that it is sent again,
 * and never delivered again (W1); one behind a gap is refused, once for each gap.
 */
static uet_count_t out_of_order(uet_node_t *node, const uet_packet_t *packet, target_t *pdc,
                                int32_t ahead) {
    const uet_pds_t *pds = &packet->pds;
    if (ahead < 0) {
        if ((pds->flags & UET_FLAG_RETX) != 0 && can_name(pdc, pds->psn)) {
            uet_ses_t response = default_response(packet);
            const uet_ses_t *stored = stored_for(pdc, pds->psn);
            bool bare = pds->type == UET_PDS_CP;
            ack(node, packet, pdc, pds->psn, stored ? stored : bare ? NULL : &response);
        }
        return UET_COUNT_DUPLICATE;
    }
    if (ahead >= UET_WINDOW_MOST) {
        nack(node, packet, pdc, UET_NACK_PSN_OOR_WINDOW, 0);
    } else if (!pdc->told) {
        pdc->told = true;
        nack(node, packet, pdc, UET_NACK_ROD_OOO, pdc->expected);
    }
    return UET_COUNT_OUT_OF_ORDER;
}

static bool must_ack(const uet_node_t *node, const uet_packet_t *packet, target_t *pdc,
                     const uet_ses_t *response) {
    uint32_t bytes = (uint32_t)packet->payload_bytes;
    pdc->bytes += bytes < 1024 ? 1024 : bytes;
    return (packet->pds.flags & (UET_FLAG_AR | UET_FLAG_SYN)) != 0 ||
           (packet->ses.flags & UET_SES_EOM) != 0 || response->opcode != UET_RSP_DEFAULT ||
           pdc->bytes >= node->config.ack_trigger;
}

uet_count_t uet_target_request(uet_node_t *node, const uet_packet_t *packet) {
    const uet_pds_t *pds = &packet->pds;
    uet_count_t count;
    uint8_t code = 0;
    target_t *pdc = locate(node, packet, &count);
    if (!pdc) {
        return count;
    }
    if (!readable(packet)) {
        nack(node, packet, pdc, UET_NACK_UNEXP_EVENT, 0);
        return UET_COUNT_UNSUPPORTED;
    }
    int32_t ahead = psn_distance(pds->psn, pdc->expected);
    if (ahead != 0) {
        return out_of_order(node, packet, pdc, ahead);
    }
    if (pds->clear_psn_offset <= 0) { /* before a shortage of kept answers, which it may end */
        apply_clear(pdc, psn_at(pds->psn, pds->clear_psn_offset));
    }
    if (pdc->stored >= node->config.stored) { /* the answer might have to be kept */
        nack(node, packet, pdc, UET_NACK_NO_GTD_DEL_AVAIL, 0);
        return UET_COUNT_NO_ROOM;
    }
    uet_ses_t response = default_response(packet);
    if (!uet_receive_request(node, pdc->serial, packet, &response, &code)) {
        nack(node, packet, pdc, code, 0);
        return UET_COUNT_NO_ROOM;
    }
    pdc->expected += 1;
    pdc->told = false;
    if (response.opcode == UET_RSP_RESPONSE) {
        pdc->store[pdc->stored++] = (stored_t){pds->psn, response};
    }
    if (must_ack(node, packet, pdc, &response)) {
        ack(node, packet, pdc, pds->psn, &response);
    }
    return UET_COUNT_TAKEN;
}

/* NOOP and CLOSE have a number of their own and come in order. */
static uet_count_t numbered(uet_node_t *node, const uet_packet_t *packet, target_t *pdc) {
    const uet_pds_t *pds = &packet->pds;
    int32_t ahead = psn_distance(pds->psn, pdc->expected);
    if (ahead != 0) {
        return out_of_order(node, packet, pdc, ahead);
    }
    if (pds->next_hdr == UET_CP_CLOSE && uet_receive_open(node, pdc->serial)) {
        nack(node, packet, pdc, UET_NACK_CLOSING_IN_ERR, 0);
        uet_receive_lost(node, pdc->serial);
        close_pdc(node, pdc);
        return UET_COUNT_CONTROL;
    }
    pdc->expected += 1;
    pdc->told = false;
    if (pds->next_hdr == UET_CP_CLOSE) { /* the initiator has all answers */
        apply_clear(pdc, pdc->expected - 1);
    }
    if ((pds->flags & (UET_FLAG_AR | UET_FLAG_SYN)) != 0) {
        ack(node, packet, pdc, pds->psn, NULL);
    }
    if (pds->next_hdr == UET_CP_CLOSE) {
        close_pdc(node, pdc);
    }
    return UET_COUNT_CONTROL;
}

/* The answer to a number again, or that it has not come. */
static uet_count_t acknowledge_again(uet_node_t *node, const uet_packet_t *packet, target_t *pdc) {
    if (psn_distance(packet->pds.psn, pdc->expected) >= 0) {
        nack(node, packet, pdc, UET_NACK_PKT_NOT_RCVD, 0);
        return UET_COUNT_CONTROL;
    }
    if (!can_name(pdc, packet->pds.psn)) {
        return UET_COUNT_DUPLICATE;
    }
    ack(node, packet, pdc, packet->pds.psn, stored_for(pdc, packet->pds.psn));
    return UET_COUNT_CONTROL;
}

static void probe(uet_node_t *node, const uet_packet_t *packet, target_t *pdc) {
    uet_packet_t out = {0};
    out.envelope.source_port = packet->envelope.source_port;
    out.pds.type = UET_PDS_ACK;
    out.pds.flags = (uint8_t)(flags_back(packet) | UET_FLAG_P);
    out.pds.cack_psn = cack_of(pdc);
    out.pds.ack_psn_offset = (int16_t)packet->pds.probe_opaque;
    out.pds.spdcid = pdc->pdcid;
    out.pds.dpdcid = pdc->peer;
    uet_transmit(node, &out, pdc->address, false);
}

uet_count_t uet_target_control(uet_node_t *node, const uet_packet_t *packet) {
    uet_count_t count;
    target_t *pdc = locate(node, packet, &count);
    if (!pdc) {
        return count;
    }
    switch (packet->pds.next_hdr) {
    case UET_CP_NOOP:
    case UET_CP_CLOSE:
        return numbered(node, packet, pdc);
    case UET_CP_ACK_REQ:
        return acknowledge_again(node, packet, pdc);
    case UET_CP_CLEAR:
        apply_clear(pdc, packet->pds.payload);
        return UET_COUNT_CONTROL;
    case UET_CP_PROBE:
        probe(node, packet, pdc);
        return UET_COUNT_CONTROL;
    default:
        nack(node, packet, pdc, UET_NACK_UNEXP_EVENT, 0);
        return UET_COUNT_UNSUPPORTED;
    }
}

void uet_target_timers(uet_node_t *node) {
    for (uint32_t i = 0; i < node->config.pdcs; i++) {
        target_t *pdc = &node->targets[i];
        if (pdc->used && pdc->closed && pdc->forget <= node->now) {
            pdc->used = false;
        }
    }
}
