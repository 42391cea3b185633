/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_describe.h"

#define NAME(table, index) ((index) < sizeof(table) / sizeof *(table) ? (table)[index] : NULL)

const char *uet_pds_type_name(unsigned type) {
    static const char *const names[] = {
        NULL,     "TSS",     "RUD_REQ", "ROD_REQ", "RUDI_REQ", "RUDI_RESP",  "UUD_REQ",    "ACK",
        "ACK_CC", "ACK_CCX", "NACK",    "CP",      "NACK_CCX", "RUD_CC_REQ", "ROD_CC_REQ",
    };
    return NAME(names, type);
}

const char *uet_next_name(unsigned next_hdr) {
    static const char *const names[] = {"NONE", "REQ_SMALL", "REQ_MEDIUM",    "REQ_STD",
                                        "RSP",  "RSP_DATA",  "RSP_DATA_SMALL"};
    return NAME(names, next_hdr);
}

const char *uet_cp_name(unsigned ctl_type) {
    static const char *const names[] = {"NOOP",       "ACK_REQ",    "CLEAR", "CLEAR_REQ",
                                        "CLOSE",      "CLOSE_REQ",  "PROBE", "CREDIT",
                                        "CREDIT_REQ", "NEGOTIATION"};
    return NAME(names, ctl_type);
}

/* Tables 3-58 and 3-59. */
const char *uet_nack_name(unsigned code) {
    static const char *const names[] = {
        NULL,
        "TRIMMED",
        "TRIMMED_LASTHOP",
        "TRIMMED_ACK",
        "NO_PDC_AVAIL",
        "NO_CCC_AVAIL",
        "NO_BITMAP",
        "NO_PKT_BUFFER",
        "NO_GTD_DEL_AVAIL",
        "NO_SES_MSG_AVAIL",
        "NO_RESOURCE",
        "PSN_OOR_WINDOW",
        NULL,
        "ROD_OOO",
        "INV_DPDCID",
        "PDC_HDR_MISMATCH",
        "CLOSING",
        "CLOSING_IN_ERR",
        "PKT_NOT_RCVD",
        "GTD_RESP_UNAVAIL",
        "ACK_WITH_DATA",
        "INVALID_SYN",
        "PDC_MODE_MISMATCH",
        "NEW_START_PSN",
        "RCVD_SES_PROCG",
        "UNEXP_EVENT",
        "RCVR_INFER_LOSS",
    };
    return NAME(names, code);
}

/* Table 3-17. */
const char *uet_opcode_name(unsigned opcode) {
    static const char *const names[] = {
        "NO_OP",
        "WRITE",
        "READ",
        "ATOMIC",
        "FETCHING_ATOMIC",
        "SEND",
        "RENDEZVOUS_SEND",
        "DATAGRAM_SEND",
        "DEFERRABLE_SEND",
        "TAGGED_SEND",
        "RENDEZVOUS_TSEND",
        "DEFERRABLE_TSEND",
        "DEFERRABLE_RTR",
        "TSEND_ATOMIC",
        "TSEND_FETCH_ATOMIC",
        "MSG_ERROR",
    };
    return NAME(names, opcode);
}

const char *uet_response_name(unsigned opcode) {
    static const char *const names[] = {"DEFAULT", "RESPONSE", "RESPONSE_W_DATA", "NO_RESPONSE"};
    return NAME(names, opcode);
}

/* Table 3-19; the codes of atomic operations have no name here. */
const char *uet_return_code_name(unsigned code) {
    static const char *const names[] = {
        [0x00] = "NULL",
        [0x01] = "OK",
        [0x02] = "BAD_GENERATION",
        [0x03] = "DISABLED",
        [0x04] = "DISABLED_GEN",
        [0x05] = "NO_MATCH",
        [0x06] = "UNSUPPORTED_OP",
        [0x07] = "UNSUPPORTED_SIZE",
        [0x08] = "AT_INVALID",
        [0x09] = "AT_PERM",
        [0x0a] = "AT_ATS_ERROR",
        [0x0b] = "AT_NO_TRANS",
        [0x0c] = "AT_OUT_OF_RANGE",
        [0x0d] = "HOST_POISONED",
        [0x0e] = "HOST_UNSUCCESS_CMPL",
        [0x17] = "PERM_VIOLATION",
        [0x18] = "OP_VIOLATION",
        [0x19] = "BAD_INDEX",
        [0x1a] = "BAD_PID",
        [0x1b] = "BAD_JOB_ID",
        [0x1c] = "BAD_MKEY",
        [0x1d] = "BAD_ADDR",
        [0x1e] = "CANCELLED",
        [0x1f] = "UNDELIVERABLE",
        [0x20] = "UNCOR",
        [0x21] = "UNCOR_TRNSNT",
        [0x22] = "TOO_LONG",
        [0x23] = "INITIATOR_ERR",
        [0x24] = "DROPPED",
    };
    return NAME(names, code);
}
