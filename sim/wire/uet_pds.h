/* SPDX-License-Identifier: Apache-2.0 */
/* The packet delivery header: requests, acknowledgements, refusals, control packets. */
#ifndef UET_PDS_H
#define UET_PDS_H

#include "uet_field.h"

typedef enum {
    UET_PDS_TSS = 1,
    UET_PDS_RUD_REQ = 2,
    UET_PDS_ROD_REQ = 3,
    UET_PDS_RUDI_REQ = 4,
    UET_PDS_RUDI_RESP = 5,
    UET_PDS_UUD_REQ = 6,
    UET_PDS_ACK = 7,
    UET_PDS_ACK_CC = 8,
    UET_PDS_ACK_CCX = 9,
    UET_PDS_NACK = 10,
    UET_PDS_CP = 11,
    UET_PDS_NACK_CCX = 12,
    UET_PDS_RUD_CC_REQ = 13,
    UET_PDS_ROD_CC_REQ = 14
} uet_pds_type_t;

/* Next header; in control packets the same bits are the kind of packet. */
typedef enum {
    UET_NEXT_NONE = 0,
    UET_NEXT_REQ_SMALL = 1,
    UET_NEXT_REQ_MEDIUM = 2,
    UET_NEXT_REQ_STD = 3,
    UET_NEXT_RSP = 4,
    UET_NEXT_RSP_DATA = 5,
    UET_NEXT_RSP_DATA_SMALL = 6
} uet_next_t;

typedef enum {
    UET_CP_NOOP = 0,
    UET_CP_ACK_REQ = 1,
    UET_CP_CLEAR = 2,
    UET_CP_CLEAR_REQ = 3,
    UET_CP_CLOSE = 4,
    UET_CP_CLOSE_REQ = 5,
    UET_CP_PROBE = 6,
    UET_CP_CREDIT = 7,
    UET_CP_CREDIT_REQ = 8,
    UET_CP_NEGOTIATION = 9
} uet_cp_t;

enum { /* flags of requests and control packets */
       UET_FLAG_ISROD = 0x20,
       UET_FLAG_RETX = 0x10,
       UET_FLAG_AR = 0x08,
       UET_FLAG_SYN = 0x04
};
enum { /* flags of acknowledgements; M, RETX and NT also of refusals */
       UET_FLAG_M = 0x20,
       UET_FLAG_P = 0x08,
       UET_FLAG_NT = 0x08,
       UET_FLAG_REQ = 0x06,
       UET_FLAG_REQ_CLEAR = 0x02,
       UET_FLAG_REQ_CLOSE = 0x04
};

typedef enum {
    UET_NACK_TRIMMED = 0x01,
    UET_NACK_TRIMMED_LASTHOP = 0x02,
    UET_NACK_NO_PDC_AVAIL = 0x04,
    UET_NACK_NO_CCC_AVAIL = 0x05,
    UET_NACK_NO_BITMAP = 0x06,
    UET_NACK_NO_PKT_BUFFER = 0x07,
    UET_NACK_NO_GTD_DEL_AVAIL = 0x08,
    UET_NACK_NO_SES_MSG_AVAIL = 0x09,
    UET_NACK_NO_RESOURCE = 0x0a,
    UET_NACK_PSN_OOR_WINDOW = 0x0b,
    UET_NACK_ROD_OOO = 0x0d,
    UET_NACK_INV_DPDCID = 0x0e,
    UET_NACK_PDC_HDR_MISMATCH = 0x0f,
    UET_NACK_CLOSING = 0x10,
    UET_NACK_CLOSING_IN_ERR = 0x11,
    UET_NACK_PKT_NOT_RCVD = 0x12,
    UET_NACK_GTD_RESP_UNAVAIL = 0x13,
    UET_NACK_INVALID_SYN = 0x15,
    UET_NACK_PDC_MODE_MISMATCH = 0x16,
    UET_NACK_RCVD_SES_PROCG = 0x18,
    UET_NACK_UNEXP_EVENT = 0x19,
    UET_NACK_RCVR_INFER_LOSS = 0x1a
} uet_nack_t;

/* One structure for all types; a type uses the members that its layout lists. */
typedef struct {
    uint8_t type;
    uint8_t next_hdr; /* of a control packet: ctl_type */
    uint8_t flags;
    int16_t clear_psn_offset; /* requests: CLEAR_PSN - psn */
    uint32_t psn;             /* requests and control packets */
    uint16_t spdcid;
    uint16_t dpdcid;     /* requests and control packets: without SYN only */
    uint8_t pdc_info;    /* with SYN, as is the next */
    uint16_t psn_offset; /* psn - Start_PSN */
    uint8_t ccc_id;      /* *_CC_REQ, as is the next */
    uint32_t credit_target;
    int16_t ack_psn_offset; /* ACK_PSN - CACK_PSN */
    uint32_t cack_psn;
    uint8_t cc_type; /* ACK_CC, ACK_CCX, to `state` */
    uint8_t cc_flags;
    uint8_t mpr;
    int16_t sack_psn_offset;
    uint64_t sack_bitmap;
    uint64_t state;
    uint64_t state_more; /* ACK_CCX and NACK_CCX, which has both words */
    uint8_t nack_code;
    uint8_t vendor_code;
    uint32_t nack_psn;
    uint16_t probe_opaque;
    uint32_t payload; /* NACK, CP */
} uet_pds_t;

/* Fields of an ACK_CC's 64 bits `state` when cc_type is 0. */
typedef struct {
    uint16_t service_time;
    uint8_t restore_cwnd;
    uint8_t rcv_cwnd_pend;
    uint32_t rcvd_bytes;
    uint16_t ooo_count;
} uet_nscc_t;

uet_nscc_t uet_nscc(uint64_t state);

bool uet_pds_is_request(unsigned type); /* RUD or ROD, with congestion control or without */
bool uet_pds_is_ack(unsigned type);
bool uet_pds_is_nack(unsigned type);

/* The layout that a type has with these flags; NULL for one that is not read. */
const uet_layout_t *uet_pds_layout(unsigned type, unsigned flags);

/* `offset` is the header's in the frame; `*length` receives its bytes. */
bool uet_pds_decode(const uint8_t *bytes, size_t count, size_t offset, uet_pds_t *pds,
                    size_t *length, uet_error_t *error);
/* The bytes of the header, 0 with an error. */
size_t uet_pds_encode(const uet_pds_t *pds, uint8_t *bytes, size_t room, size_t offset,
                      uet_error_t *error);

#endif
