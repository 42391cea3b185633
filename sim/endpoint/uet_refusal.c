/* SPDX-License-Identifier: Apache-2.0 */
/* Action of an initiator on a NACK, by the class of its code. */
#include "uet_state.h"

typedef enum {
    ACTION_IGNORE, /* reserved or removed code */
    ACTION_TIMER,  /* a shortage at the target: the timer sends again */
    ACTION_AGAIN,  /* a packet is missing: go back to the first one without an answer */
    ACTION_FROM,   /* the same, from the packet that the payload names */
    ACTION_LOSE    /* the PDC has ended */
} action_t;

static action_t action_of(unsigned code) {
    switch (code) {
    case UET_NACK_ROD_OOO:
        return ACTION_FROM;
    case UET_NACK_TRIMMED:
    case UET_NACK_TRIMMED_LASTHOP:
    case UET_NACK_PKT_NOT_RCVD:
    case UET_NACK_RCVR_INFER_LOSS:
        return ACTION_AGAIN;
    case UET_NACK_NO_PDC_AVAIL:
    case UET_NACK_NO_CCC_AVAIL:
    case UET_NACK_NO_BITMAP:
    case UET_NACK_NO_PKT_BUFFER:
    case UET_NACK_NO_GTD_DEL_AVAIL:
    case UET_NACK_NO_SES_MSG_AVAIL:
    case UET_NACK_NO_RESOURCE:
    case UET_NACK_PSN_OOR_WINDOW:
    case UET_NACK_RCVD_SES_PROCG:
        return ACTION_TIMER;
    case UET_NACK_INV_DPDCID:
    case UET_NACK_PDC_HDR_MISMATCH:
    case UET_NACK_CLOSING:
    case UET_NACK_CLOSING_IN_ERR:
    case UET_NACK_GTD_RESP_UNAVAIL:
    case UET_NACK_INVALID_SYN:
    case UET_NACK_PDC_MODE_MISMATCH:
    case UET_NACK_UNEXP_EVENT:
        return ACTION_LOSE;
    default:
        return ACTION_IGNORE;
    }
}

/* Once for each loss: not again before CACK has moved or a timer has run out. */
static void go_back_once(uet_node_t *node, initiator_t *pdc, uint32_t from) {
    if (pdc->has_gone_back && pdc->went_back == pdc->cack) {
        return;
    }
    pdc->has_gone_back = true;
    pdc->went_back = pdc->cack;
    uet_initiator_go_back(node, pdc, from);
}

/* A refusal whose numbers do not fit the PDC changes nothing. */
uet_count_t uet_initiator_nack(uet_node_t *node, const uet_packet_t *packet) {
    const uet_pds_t *pds = &packet->pds;
    initiator_t *pdc = uet_initiator_of(node, packet);
    action_t action = action_of(pds->nack_code);
    if (!pdc || action == ACTION_IGNORE || !uet_initiator_awaits(pdc, pds->nack_psn) ||
        (pds->spdcid != 0 && pdc->peer != 0 && pds->spdcid != pdc->peer)) {
        return UET_COUNT_NACK_IGNORED;
    }
    if (pdc->state == PDC_OPENING && pds->spdcid != 0) {
        pdc->peer = pds->spdcid;
        pdc->state = PDC_ESTABLISHED;
    }
    bool plausible =
        psn_distance(pds->payload, pdc->cack) > 0 && psn_distance(pds->payload, pds->nack_psn) <= 0;
    if (action == ACTION_FROM && plausible) {
        go_back_once(node, pdc, pds->payload);
    } else if (action == ACTION_FROM || action == ACTION_AGAIN) {
        go_back_once(node, pdc, pdc->cack + 1);
    } else if (action == ACTION_LOSE && pdc->state == PDC_CLOSE_WAIT &&
               pds->nack_code == UET_NACK_INV_DPDCID) {
        uet_initiator_free(node, pdc); /* closed before, and its acknowledgement was lost */
    } else if (action == ACTION_LOSE) {
        uet_initiator_lose(node, pdc);
    }
    return UET_COUNT_NACK;
}
