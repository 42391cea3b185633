/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections and tables are those of the Ultra Ethernet specification 1.0 as implementations cite
 * them.  Certainty of each layout: docs/wire.md.
 */
#include "uet_pds.h"

#include <string.h>

#define FIELD(member, byte, skip, width) UET_FIELD(uet_pds_t, member, byte, skip, width)
#define SIGNED(member, byte, width) UET_SIGNED(uet_pds_t, member, byte, width)

/* Two bytes before everything else: agreed by several implementations. */
#define PROLOGUE FIELD(type, 0, 0, 5), FIELD(next_hdr, 0, 5, 4), FIELD(flags, 1, 1, 7)
#define PROLOGUE_BYTES 2u

/* Table 3-33, agreed.  With SYN the last 16 bits tell where the PDC's numbers start. */
#define REQUEST PROLOGUE, SIGNED(clear_psn_offset, 2, 16), FIELD(psn, 4, 0, 32), PDCID_SOURCE
#define PDCID_SOURCE FIELD(spdcid, 8, 0, 16)
#define WITH_SYN FIELD(pdc_info, 10, 0, 4), FIELD(psn_offset, 10, 4, 12)
#define WITHOUT_SYN FIELD(dpdcid, 10, 0, 16)
/* Four bytes more when the receiver grants credit: agreed. */
#define CREDIT FIELD(ccc_id, 12, 0, 8), FIELD(credit_target, 13, 0, 24)

static const uet_field_t request[] = {REQUEST, WITHOUT_SYN};
static const uet_field_t request_syn[] = {REQUEST, WITH_SYN};
static const uet_field_t request_cc[] = {REQUEST, WITHOUT_SYN, CREDIT};
static const uet_field_t request_cc_syn[] = {REQUEST, WITH_SYN, CREDIT};

/* Table 3-35, agreed. */
#define ACK                                                                                        \
    PROLOGUE, SIGNED(ack_psn_offset, 2, 16), FIELD(cack_psn, 4, 0, 32), PDCID_SOURCE, WITHOUT_SYN
/* Table 3-36, agreed. */
#define CONGESTION                                                                                 \
    FIELD(cc_type, 12, 0, 4), FIELD(cc_flags, 12, 4, 4), FIELD(mpr, 13, 0, 8),                     \
        SIGNED(sack_psn_offset, 14, 16), FIELD(sack_bitmap, 16, 0, 64), FIELD(state, 24, 0, 64)

static const uet_field_t ack[] = {ACK};
static const uet_field_t ack_cc[] = {ACK, CONGESTION};
/* 40 bytes in two sources, 32 and 44 in others: an assumption, never sent. */
static const uet_field_t ack_ccx[] = {ACK, CONGESTION, FIELD(state_more, 32, 0, 64)};

/* Figure 3-59, agreed; the longer form is one source's. */
#define NACK                                                                                       \
    PROLOGUE, FIELD(nack_code, 2, 0, 8), FIELD(vendor_code, 3, 0, 8), FIELD(nack_psn, 4, 0, 32),   \
        PDCID_SOURCE, WITHOUT_SYN, FIELD(payload, 12, 0, 32)

static const uet_field_t nack[] = {NACK};
static const uet_field_t nack_ccx[] = {NACK, FIELD(state, 16, 0, 64), FIELD(state_more, 24, 0, 64)};

/* Table 3-38, agreed. */
#define CONTROL                                                                                    \
    PROLOGUE, FIELD(probe_opaque, 2, 0, 16), FIELD(psn, 4, 0, 32), PDCID_SOURCE,                   \
        FIELD(payload, 12, 0, 32)

static const uet_field_t control[] = {CONTROL, WITHOUT_SYN};
static const uet_field_t control_syn[] = {CONTROL, WITH_SYN};

uet_nscc_t uet_nscc(uint64_t state) {
    uet_nscc_t nscc = {
        .service_time = (uint16_t)(state >> 48),
        .restore_cwnd = (uint8_t)(state >> 47 & 1),
        .rcv_cwnd_pend = (uint8_t)(state >> 40 & 0x7f),
        .rcvd_bytes = (uint32_t)(state >> 16 & 0xffffff),
        .ooo_count = (uint16_t)state,
    };
    return nscc;
}

bool uet_pds_is_request(unsigned type) {
    return type == UET_PDS_RUD_REQ || type == UET_PDS_ROD_REQ || type == UET_PDS_RUD_CC_REQ ||
           type == UET_PDS_ROD_CC_REQ;
}

bool uet_pds_is_ack(unsigned type) {
    return type == UET_PDS_ACK || type == UET_PDS_ACK_CC || type == UET_PDS_ACK_CCX;
}

bool uet_pds_is_nack(unsigned type) { return type == UET_PDS_NACK || type == UET_PDS_NACK_CCX; }

const uet_layout_t *uet_pds_layout(unsigned type, unsigned flags) {
    static const uet_layout_t requests[2] = {UET_LAYOUT("pds request", request, 12),
                                             UET_LAYOUT("pds request", request_syn, 12)};
    static const uet_layout_t requests_cc[2] = {UET_LAYOUT("pds request", request_cc, 16),
                                                UET_LAYOUT("pds request", request_cc_syn, 16)};
    static const uet_layout_t controls[2] = {UET_LAYOUT("pds control", control, 16),
                                             UET_LAYOUT("pds control", control_syn, 16)};
    static const uet_layout_t others[] = {
        [UET_PDS_ACK] = UET_LAYOUT("pds ack", ack, 12),
        [UET_PDS_ACK_CC] = UET_LAYOUT("pds ack_cc", ack_cc, 32),
        [UET_PDS_ACK_CCX] = UET_LAYOUT("pds ack_ccx", ack_ccx, 40),
        [UET_PDS_NACK] = UET_LAYOUT("pds nack", nack, 16),
        [UET_PDS_NACK_CCX] = UET_LAYOUT("pds nack_ccx", nack_ccx, 32),
    };
    bool syn = (flags & UET_FLAG_SYN) != 0;
    switch (type) {
    case UET_PDS_RUD_REQ:
    case UET_PDS_ROD_REQ:
        return &requests[syn];
    case UET_PDS_RUD_CC_REQ:
    case UET_PDS_ROD_CC_REQ:
        return &requests_cc[syn];
    case UET_PDS_CP:
        return &controls[syn];
    default:
        return type < sizeof others / sizeof *others && others[type].fields ? &others[type] : NULL;
    }
}

static bool refuse(uet_error_t *error, uet_error_t why) {
    *error = why;
    return false;
}

bool uet_pds_decode(const uint8_t *bytes, size_t count, size_t offset, uet_pds_t *pds,
                    size_t *length, uet_error_t *error) {
    memset(pds, 0, sizeof *pds);
    if (count < PROLOGUE_BYTES) {
        return refuse(error, (uet_error_t){UET_SHORT, "pds prologue", "bytes", offset, count,
                                           UET_AT_LEAST, PROLOGUE_BYTES});
    }
    unsigned type = (unsigned)uet_bits_get(bytes, 0, 5);
    const uet_layout_t *layout = uet_pds_layout(type, bytes[1] & 0x7fu);
    if (!layout) {
        bool omitted =
            type == UET_PDS_RUDI_REQ || type == UET_PDS_RUDI_RESP || type == UET_PDS_UUD_REQ;
        uet_reason_t reason = type == UET_PDS_TSS ? UET_ENCRYPTED
                              : omitted           ? UET_PDS_OMITTED
                                                  : UET_PDS_TYPE;
        return refuse(error, (uet_error_t){reason, "pds prologue", "type", offset, type,
                                           UET_EXACTLY, UET_PDS_ROD_REQ});
    }
    if (count < layout->bytes) {
        return refuse(error, (uet_error_t){UET_SHORT, layout->name, "bytes", offset, count,
                                           UET_AT_LEAST, layout->bytes});
    }
    uet_layout_decode(layout, bytes, pds);
    *length = layout->bytes;
    return true;
}

size_t uet_pds_encode(const uet_pds_t *pds, uint8_t *bytes, size_t room, size_t offset,
                      uet_error_t *error) {
    const uet_layout_t *layout = uet_pds_layout(pds->type, pds->flags);
    if (!layout) {
        *error = (uet_error_t){UET_PDS_TYPE, "pds prologue", "type",         offset,
                               pds->type,    UET_EXACTLY,    UET_PDS_ROD_REQ};
        return 0;
    }
    if (room < layout->bytes) {
        *error = (uet_error_t){UET_NO_ROOM, layout->name, "bytes",      offset,
                               room,        UET_AT_LEAST, layout->bytes};
        return 0;
    }
    memset(bytes, 0, layout->bytes);
    return uet_layout_encode(layout, pds, bytes, offset, error) ? layout->bytes : 0;
}
