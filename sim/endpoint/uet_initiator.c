/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The initiator's half of a PDC: SYN, window, cumulative acknowledgement, go-back-N, clear, close.
 * A packet is made again from its message until it is answered; no copy is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "uet_state.h"

static record_t *record_of(initiator_t *pdc, uint32_t psn) { return &pdc->ring[psn % RING]; }

static initiator_t *find(uet_node_t *node, uint32_t address, uint32_t job) {
    initiator_t *pdc = node->initiators;
    while (pdc && (pdc->address != address || pdc->job != job)) {
        pdc = pdc->next;
    }
    return pdc;
}

/* No number of a closed PDC is used again before all others were (quarantine of PDCIDs). */
static initiator_t *open_pdc(uet_node_t *node, uint32_t address, uint32_t job) {
    initiator_t *pdc = calloc(1, sizeof *pdc);
    if (!pdc) {
        return NULL;
    }
    node->last_pdcid = (uint16_t)(node->last_pdcid == UINT16_MAX ? 1 : node->last_pdcid + 1);
    /* At least 2^16 away from the last numbers. */
    pdc->start = node->last_start + 0x10000u + uet_random_below(node, 0x100000);
    pdc->state = PDC_OPENING;
    pdc->address = address;
    pdc->job = job;
    pdc->pdcid = node->last_pdcid;
    pdc->psn = pdc->start;
    pdc->cack = pdc->start - 1;
    pdc->clear = pdc->start - 1;
    pdc->deadline = UET_NEVER;
    pdc->next = node->initiators;
    node->initiators = pdc;
    node->stats.opened += 1;
    return pdc;
}

void uet_initiator_free(uet_node_t *node, initiator_t *pdc) {
    initiator_t **at = &node->initiators;
    while (*at != pdc) {
        at = &(*at)->next;
    }
    *at = pdc->next;
    node->last_start = pdc->psn;
    node->stats.closed += 1;
    free(pdc);
}

static void arm(uet_node_t *node, initiator_t *pdc) {
    unsigned doubled = pdc->attempts < 20 ? pdc->attempts : 20;
    uet_time_t wait = node->config.retransmit << doubled;
    wait = wait < node->config.retransmit_most ? wait : node->config.retransmit_most;
    pdc->deadline = node->now + wait;
}

static void fill_pdcids(const initiator_t *pdc, uet_pds_t *pds, uint32_t psn) {
    pds->psn = psn;
    pds->spdcid = pdc->pdcid;
    pds->dpdcid = pdc->peer;
    if (pdc->state == PDC_OPENING) {
        pds->flags |= UET_FLAG_SYN;
        pds->psn_offset = (uint16_t)(psn - pdc->start);
    }
}

static void send_control(uet_node_t *node, initiator_t *pdc, uet_cp_t kind, uint32_t psn,
                         uint8_t flags, uint32_t payload) {
    uet_packet_t packet = {0};
    packet.pds.type = UET_PDS_CP;
    packet.pds.next_hdr = (uint8_t)kind;
    packet.pds.flags = (uint8_t)(flags | UET_FLAG_ISROD);
    packet.pds.payload = payload;
    fill_pdcids(pdc, &packet.pds, psn);
    uet_transmit(node, &packet, pdc->address, true);
}

static void fill_request(const record_t *record, uet_ses_t *ses) {
    const uet_send_t *send = &record->message->send;
    ses->kind = UET_NEXT_REQ_STD;
    ses->opcode = record->abort ? UET_OP_MSG_ERROR : UET_OP_TAGGED_SEND;
    unsigned flags = UET_SES_REL;
    flags |= record->som ? UET_SES_SOM : 0u;
    flags |= record->eom ? UET_SES_EOM : 0u;
    flags |= record->som && send->has_header_data ? UET_SES_HD : 0u;
    ses->flags = (uint8_t)flags;
    ses->message_id = record->id;
    ses->ri_generation = record->generation;
    ses->job_id = send->to.job;
    ses->pid_on_fep = send->to.pid;
    ses->resource_index = send->to.index;
    ses->initiator = send->initiator;
    ses->match_bits = send->match;
    ses->request_length = send->bytes;
    ses->header_data = send->header_data;
    ses->message_offset = record->offset;
    ses->payload_length = (uint16_t)record->bytes;
}

/* Bytes that can no longer be read are marked as unusable, and the target ends the message. */
static const uint8_t *payload_of(uet_node_t *node, const record_t *record, uet_ses_t *ses) {
    const uet_send_t *send = &record->message->send;
    const uet_unit_t *unit = node->callbacks.unit;
    if (record->bytes == 0) {
        return NULL;
    }
    if (!unit) {
        return (const uint8_t *)send->data + record->offset;
    }
    const uint8_t *bytes =
        unit->fetch(node->callbacks.context, send, record->offset, record->bytes);
    if (!bytes) {
        ses->flags = (uint8_t)(ses->flags | UET_SES_IE);
        return node->zeros;
    }
    return bytes;
}

static void transmit(uet_node_t *node, initiator_t *pdc, uint32_t psn, bool again) {
    record_t *record = record_of(pdc, psn);
    uet_packet_t packet = {0};
    bool fills = psn_distance(psn, pdc->cack) >= node->config.window;
    bool ask = again || record->eom || fills || pdc->state == PDC_OPENING ||
               pdc->since_ar + 1 >= node->config.window / 2u;
    uint8_t flags = (uint8_t)((ask ? UET_FLAG_AR : 0) | (again ? UET_FLAG_RETX : 0));
    pdc->since_ar = ask ? 0 : pdc->since_ar + 1;
    node->stats.sent_again += again;
    if (!record->message) {
        send_control(node, pdc, UET_CP_CLOSE, psn, (uint8_t)(flags | UET_FLAG_AR), 0);
        return;
    }
    packet.pds.type = UET_PDS_ROD_REQ;
    packet.pds.next_hdr = UET_NEXT_REQ_STD;
    packet.pds.flags = flags;
    /* Answers that this tells of are forgotten by the target; never ahead of the packet. */
    int32_t clear = psn_distance(pdc->clear, psn);
    packet.pds.clear_psn_offset = (int16_t)(clear > 0 ? 0 : clear);
    pdc->clear_asked = pdc->clear_asked && clear > 0; /* told of less than was asked for */
    fill_pdcids(pdc, &packet.pds, psn);
    fill_request(record, &packet.ses);
    packet.payload = payload_of(node, record, &packet.ses);
    packet.payload_bytes = record->bytes;
    uet_transmit(node, &packet, pdc->address, true);
}

/* Makes the next packet of the current message. */
static void cut(uet_node_t *node, initiator_t *pdc) {
    message_t *message = pdc->current;
    record_t *record = record_of(pdc, pdc->psn);
    uint32_t left = message->send.bytes - message->cut;
    uint32_t bytes = left < node->config.payload_mtu ? left : node->config.payload_mtu;
    bool abort = message->started && message->code != UET_RC_OK;
    *record = (record_t){
        .message = message,
        .id = message->id,
        .generation = message->generation,
        .som = !message->started,
        .eom = abort || bytes == left,
        .abort = abort,
        .offset = message->cut,
        .bytes = abort ? 0 : bytes,
    };
    message->cut += record->bytes;
    message->started = true;
    message->open += 1;
    if (record->eom) {
        pdc->current = NULL;
    }
}

static bool all_answered(initiator_t *pdc) {
    for (uint32_t psn = pdc->cack + 1; psn != pdc->psn; psn++) {
        if (!record_of(pdc, psn)->answered) {
            return false;
        }
    }
    return true;
}

static void send_next(uet_node_t *node, initiator_t *pdc) {
    bool alone = all_answered(pdc); /* then nothing older has a time limit */
    uint32_t psn = pdc->psn++;
    pdc->cack_asked = false;
    transmit(node, pdc, psn, false);
    if (pdc->deadline == UET_NEVER || alone) {
        arm(node, pdc);
    }
}

/* The target may forget answers, and its CACK goes on. */
static void clear(uet_node_t *node, initiator_t *pdc) {
    send_control(node, pdc, UET_CP_CLEAR, 0, 0, pdc->clear);
    pdc->clear_asked = false;
    pdc->cack_asked = false;
}

/*
 * The last packet is answered and others before it are not: their CACK waited for a clear, and no
 * packet is on its way whose answer would tell it.  Once, until something moves; then the timer.
 */
static void ask_for_cack(uet_node_t *node, initiator_t *pdc) {
    if (pdc->cack + 1 != pdc->psn && record_of(pdc, pdc->psn - 1)->answered && !pdc->cack_asked) {
        pdc->cack_asked = true;
        send_control(node, pdc, UET_CP_ACK_REQ, pdc->psn - 1, 0, 0);
    }
}

static void pump(uet_node_t *node, initiator_t *pdc) {
    while (pdc->state != PDC_CLOSE_WAIT &&
           psn_distance(pdc->psn, pdc->cack) <= node->config.window) {
        if (!pdc->current && !pdc->closing) {
            pdc->current = uet_flow_start(node, pdc->address, pdc->job);
        }
        if (!pdc->current) {
            break;
        }
        cut(node, pdc);
        send_next(node, pdc);
    }
    if (pdc->clear_asked) {
        clear(node, pdc);
    }
    ask_for_cack(node, pdc);
    if (pdc->closing && pdc->state == PDC_ESTABLISHED && !pdc->current && all_answered(pdc)) {
        *record_of(pdc, pdc->psn) = (record_t){0};
        pdc->state = PDC_CLOSE_WAIT;
        send_next(node, pdc);
    }
}

void uet_initiator_pump(uet_node_t *node) {
    for (const flow_t *flow = node->flows; flow; flow = flow->next) {
        uint32_t address = flow->to.address;
        uint32_t job = flow->to.job;
        if (uet_flow_waits(node, address, job) && !find(node, address, job)) {
            (void)open_pdc(node, address, job);
        }
    }
    for (initiator_t *pdc = node->initiators; pdc; pdc = pdc->next) {
        pump(node, pdc);
    }
}

/* Sends again what has no answer, from a number on. */
void uet_initiator_go_back(uet_node_t *node, initiator_t *pdc, uint32_t from) {
    for (uint32_t psn = from; psn != pdc->psn; psn++) {
        if (!record_of(pdc, psn)->answered) {
            transmit(node, pdc, psn, true);
        }
    }
    arm(node, pdc);
}

/* The target is gone, or is given up: what began on this PDC ends with an error (W7). */
void uet_initiator_lose(uet_node_t *node, initiator_t *pdc) {
    uint32_t address = pdc->address;
    uint32_t job = pdc->job;
    uet_initiator_free(node, pdc);
    uet_flow_lost(node, address, job);
}

static void time_out(uet_node_t *node, initiator_t *pdc) {
    pdc->attempts += 1;
    node->stats.timeouts += 1;
    if (node->config.attempts != 0 && pdc->attempts > node->config.attempts) {
        uet_initiator_lose(node, pdc);
        return;
    }
    pdc->has_gone_back = false;
    if (!all_answered(pdc)) {
        uet_initiator_go_back(node, pdc, pdc->cack + 1);
        return;
    }
    clear(node, pdc);
    arm(node, pdc);
}

void uet_initiator_timers(uet_node_t *node) {
    initiator_t *next;
    for (initiator_t *pdc = node->initiators; pdc; pdc = next) {
        next = pdc->next;
        if (pdc->deadline <= node->now) {
            time_out(node, pdc);
        }
    }
}

uet_time_t uet_initiator_next(const uet_node_t *node) {
    uet_time_t first = UET_NEVER;
    for (const initiator_t *pdc = node->initiators; pdc; pdc = pdc->next) {
        first = pdc->deadline < first ? pdc->deadline : first;
    }
    return first;
}

/* The PDC that an answer is for. */
initiator_t *uet_initiator_of(uet_node_t *node, const uet_packet_t *packet) {
    initiator_t *pdc = node->initiators;
    while (pdc &&
           (pdc->pdcid != packet->pds.dpdcid || pdc->address != packet->envelope.source_low)) {
        pdc = pdc->next;
    }
    return pdc;
}

static void answer(uet_node_t *node, initiator_t *pdc, uint32_t psn, const uet_ses_t *response) {
    record_t *record = record_of(pdc, psn);
    if (record->answered) {
        return;
    }
    record->answered = true;
    pdc->answers += 1;
    pdc->attempts = 0;
    if (record->message) {
        uet_flow_answer(node, record, response);
    }
}

bool uet_initiator_awaits(const initiator_t *pdc, uint32_t psn) {
    return psn_distance(psn, pdc->cack) > 0 && psn_distance(psn, pdc->psn) < 0;
}

/* Marks ACK_PSN with the response that came along, all up to CACK as well and expected. */
static void take_ack(uet_node_t *node, initiator_t *pdc, const uet_packet_t *packet) {
    const uet_pds_t *pds = &packet->pds;
    const uet_ses_t *ses = &packet->ses;
    uint32_t psn = psn_at(pds->cack_psn, pds->ack_psn_offset);
    bool answers = ses->kind == UET_NEXT_RSP && !(pds->flags & UET_FLAG_P);
    if (answers && uet_initiator_awaits(pdc, psn)) {
        const record_t *record = record_of(pdc, psn);
        if (!record->message || record->id == ses->message_id) {
            answer(node, pdc, psn, ses);
        }
    } else if (answers && ses->opcode == UET_RSP_RESPONSE) {
        uet_flow_owed(node, pdc->address, ses);
    }
    while (psn_distance(pds->cack_psn, pdc->cack) > 0) {
        pdc->cack += 1;
        pdc->cack_asked = false;
        pdc->has_gone_back = false;
        answer(node, pdc, pdc->cack, NULL);
    }
    while (pdc->clear + 1 != pdc->psn && (psn_distance(pdc->clear + 1, pdc->cack) <= 0 ||
                                          record_of(pdc, pdc->clear + 1)->answered)) {
        pdc->clear += 1;
    }
    pdc->clear_asked = pdc->clear_asked || (pds->flags & UET_FLAG_REQ) == UET_FLAG_REQ_CLEAR;
    pdc->closing = pdc->closing || (pds->flags & UET_FLAG_REQ) == UET_FLAG_REQ_CLOSE;
}

uet_count_t uet_initiator_ack(uet_node_t *node, const uet_packet_t *packet) {
    const uet_pds_t *pds = &packet->pds;
    initiator_t *pdc = uet_initiator_of(node, packet);
    if (!pdc || pds->spdcid == 0 || (pdc->peer != 0 && pdc->peer != pds->spdcid) ||
        psn_distance(pds->cack_psn, pdc->psn) >= 0 ||
        psn_distance(pds->cack_psn, pdc->start) < -1) {
        return UET_COUNT_ACK_IGNORED;
    }
    if (pdc->state == PDC_OPENING) {
        pdc->peer = pds->spdcid;
        pdc->state = PDC_ESTABLISHED;
    }
    uint64_t before = pdc->answers;
    bool stale = psn_distance(pds->cack_psn, pdc->cack) < 0;
    take_ack(node, pdc, packet);
    if (pdc->state == PDC_CLOSE_WAIT && pdc->cack + 1 == pdc->psn) {
        uet_initiator_free(node, pdc);
        return UET_COUNT_ACK;
    }
    if (pdc->cack + 1 == pdc->psn) {
        pdc->deadline = UET_NEVER;
    } else if (pdc->answers != before) {
        arm(node, pdc);
    }
    return stale ? UET_COUNT_ACK_IGNORED : UET_COUNT_ACK;
}
