/* SPDX-License-Identifier: Apache-2.0 */
/* The semantic header: requests (standard, medium, small), rendezvous extension, responses. */
#ifndef UET_SES_H
#define UET_SES_H

#include "uet_field.h"

typedef enum {
    UET_OP_NO_OP = 0x00,
    UET_OP_WRITE = 0x01,
    UET_OP_READ = 0x02,
    UET_OP_ATOMIC = 0x03,
    UET_OP_FETCHING_ATOMIC = 0x04,
    UET_OP_SEND = 0x05,
    UET_OP_RENDEZVOUS_SEND = 0x06,
    UET_OP_DATAGRAM_SEND = 0x07,
    UET_OP_DEFERRABLE_SEND = 0x08,
    UET_OP_TAGGED_SEND = 0x09,
    UET_OP_RENDEZVOUS_TSEND = 0x0a,
    UET_OP_DEFERRABLE_TSEND = 0x0b,
    UET_OP_DEFERRABLE_RTR = 0x0c,
    UET_OP_TSEND_ATOMIC = 0x0d,
    UET_OP_TSEND_FETCH_ATOMIC = 0x0e,
    UET_OP_MSG_ERROR = 0x0f
} uet_opcode_t;

typedef enum {
    UET_RSP_DEFAULT = 0,
    UET_RSP_RESPONSE = 1,
    UET_RSP_RESPONSE_W_DATA = 2,
    UET_RSP_NO_RESPONSE = 3
} uet_response_t;

typedef enum { UET_LIST_EXPECTED = 0, UET_LIST_OVERFLOW = 1 } uet_list_t;

typedef enum {
    UET_RC_NULL = 0x00,
    UET_RC_OK = 0x01,
    UET_RC_BAD_GENERATION = 0x02,
    UET_RC_DISABLED = 0x03,
    UET_RC_DISABLED_GEN = 0x04,
    UET_RC_NO_MATCH = 0x05,
    UET_RC_UNSUPPORTED_OP = 0x06,
    UET_RC_UNSUPPORTED_SIZE = 0x07,
    UET_RC_HOST_UNSUCCESS_CMPL = 0x0e,
    UET_RC_OP_VIOLATION = 0x18,
    UET_RC_BAD_INDEX = 0x19,
    UET_RC_BAD_PID = 0x1a,
    UET_RC_BAD_JOB_ID = 0x1b,
    UET_RC_BAD_MKEY = 0x1c,
    UET_RC_BAD_ADDR = 0x1d,
    UET_RC_CANCELLED = 0x1e,
    UET_RC_UNDELIVERABLE = 0x1f,
    UET_RC_UNCOR = 0x20,
    UET_RC_TOO_LONG = 0x22,
    UET_RC_INITIATOR_ERR = 0x23,
    UET_RC_DROPPED = 0x24
} uet_return_code_t;

enum { /* flags of a request */
       UET_SES_DC = 0x20,
       UET_SES_IE = 0x10,
       UET_SES_REL = 0x08,
       UET_SES_HD = 0x04,
       UET_SES_EOM = 0x02,
       UET_SES_SOM = 0x01
};

enum { UET_MEDIUM_LIMIT = 0x3fff }; /* bytes in a message with medium header */

/* One structure for all headers; a header uses the members that its layouts list. */
typedef struct {
    uint8_t kind;   /* next_hdr of the packet delivery header; 0 and 7 to 15: no header read */
    uint8_t list;   /* responses */
    uint8_t opcode; /* of a request, or of a response */
    uint8_t version;
    uint8_t flags; /* requests */
    uint8_t return_code;
    uint16_t message_id; /* medium and small have none */
    uint32_t request_length;
    uint8_t ri_generation;
    uint32_t job_id;
    uint16_t pid_on_fep;
    uint16_t resource_index;
    uint64_t buffer_offset;
    uint32_t initiator_token; /* deferrable sends: in place of buffer_offset; RTR: of match_bits */
    uint32_t target_token;
    uint32_t initiator;
    uint64_t match_bits;
    uint64_t memory_key; /* WRITE, READ, atomics: in place of match_bits */
    uint64_t header_data;
    uint16_t payload_length;
    uint32_t message_offset;
    uint32_t eager_length; /* rendezvous, to read_memory_key */
    uint8_t read_ri_generation;
    uint16_t read_pid_on_fep;
    uint16_t read_resource_index;
    uint64_t read_offset;
    uint64_t read_memory_key;
    uint32_t modified_length; /* responses, as is the rest */
    uint16_t read_request_message_id;
    uint32_t psn;
} uet_ses_t;

bool uet_ses_is_request(unsigned kind);
bool uet_ses_is_response(unsigned kind);

/*
 * The layouts that make up a header; fields of all count from its first byte.  `kind`, `opcode` and
 * `flags` decide.  Returns how many, 0 for a kind without a header.
 */
enum { UET_SES_PARTS = 6 };
size_t uet_ses_layouts(unsigned kind, unsigned opcode, unsigned flags,
                       const uet_layout_t *layouts[UET_SES_PARTS]);

/* The kind says which header; with a kind that has none nothing is read and `*length` is 0. */
bool uet_ses_decode(unsigned kind, const uint8_t *bytes, size_t count, size_t offset,
                    uet_ses_t *ses, size_t *length, uet_error_t *error);
bool uet_ses_encode(const uet_ses_t *ses, uint8_t *bytes, size_t room, size_t offset,
                    size_t *length, uet_error_t *error);

#endif
