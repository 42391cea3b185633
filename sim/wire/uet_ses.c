/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sections and tables are those of the Ultra Ethernet specification 1.0 as implementations cite
 * them.  Certainty of each layout: docs/wire.md.
 */
#include "uet_ses.h"

#include <string.h>

#define FIELD(member, byte, skip, width) UET_FIELD(uet_ses_t, member, byte, skip, width)

/* The first 12 bytes of every request, agreed; bytes 2 and 3 differ by header. */
static const uet_field_t common_fields[] = {
    FIELD(opcode, 0, 2, 6),           FIELD(version, 1, 0, 2), FIELD(flags, 1, 2, 6),
    FIELD(ri_generation, 4, 0, 8),    FIELD(job_id, 5, 0, 24), FIELD(pid_on_fep, 8, 4, 12),
    FIELD(resource_index, 10, 4, 12),
};
static const uet_field_t id_fields[] = {FIELD(message_id, 2, 0, 16)};
static const uet_field_t short_fields[] = {FIELD(request_length, 2, 2, 14)};

/* Bytes 12 to 19. */
static const uet_field_t offset_fields[] = {FIELD(buffer_offset, 12, 0, 64)};
static const uet_field_t token_fields[] = {
    FIELD(initiator_token, 12, 0, 32),
    FIELD(target_token, 16, 0, 32),
};
/* Figure 3-14, agreed: the medium header has header data here when HD says so. */
static const uet_field_t early_data_fields[] = {FIELD(header_data, 12, 0, 64)};

/* Bytes 20 to 31, the same in standard and medium headers: agreed. */
static const uet_field_t match_fields[] = {
    FIELD(initiator, 20, 0, 32),
    FIELD(match_bits, 24, 0, 64),
};
static const uet_field_t key_fields[] = {
    FIELD(initiator, 20, 0, 32),
    FIELD(memory_key, 24, 0, 64),
};
/* Order of the two tokens: two sources against one, an assumption. */
static const uet_field_t restart_fields[] = {
    FIELD(initiator, 20, 0, 32),
    FIELD(initiator_token, 24, 0, 32),
    FIELD(target_token, 28, 0, 32),
};

/* Tables 3-8 (first packet) and 3-9 (further ones), agreed. */
static const uet_field_t first_fields[] = {
    FIELD(header_data, 32, 0, 64),
    FIELD(request_length, 40, 0, 32),
};
static const uet_field_t further_fields[] = {
    FIELD(payload_length, 34, 2, 14),
    FIELD(message_offset, 36, 0, 32),
    FIELD(request_length, 40, 0, 32),
};

/* Figure 3-15: three sources; a fourth has a pid of 14 bits. */
static const uet_field_t rendezvous_fields[] = {
    FIELD(eager_length, 44, 0, 32),    FIELD(read_ri_generation, 48, 0, 8),
    FIELD(read_pid_on_fep, 49, 0, 12), FIELD(read_resource_index, 50, 4, 12),
    FIELD(read_offset, 52, 0, 64),     FIELD(read_memory_key, 60, 0, 64),
};

/* Table 3-11: six sources; one has four bytes more. */
static const uet_field_t response_fields[] = {
    FIELD(list, 0, 0, 2),        FIELD(opcode, 0, 2, 6),           FIELD(version, 1, 0, 2),
    FIELD(return_code, 1, 2, 6), FIELD(message_id, 2, 0, 16),      FIELD(ri_generation, 4, 0, 8),
    FIELD(job_id, 5, 0, 24),     FIELD(modified_length, 8, 0, 32),
};
/* Table 3-12, agreed. */
static const uet_field_t data_fields[] = {
    FIELD(list, 0, 0, 2),
    FIELD(opcode, 0, 2, 6),
    FIELD(version, 1, 0, 2),
    FIELD(return_code, 1, 2, 6),
    FIELD(message_id, 2, 0, 16),
    FIELD(job_id, 5, 0, 24),
    FIELD(read_request_message_id, 8, 0, 16),
    FIELD(payload_length, 10, 2, 14),
    FIELD(modified_length, 12, 0, 32),
    FIELD(message_offset, 16, 0, 32),
};
/* Table 3-13: three sources; one leaves out the last eight bytes. */
static const uet_field_t small_data_fields[] = {
    FIELD(list, 0, 0, 2),        FIELD(opcode, 0, 2, 6),          FIELD(version, 1, 0, 2),
    FIELD(return_code, 1, 2, 6), FIELD(payload_length, 2, 2, 14), FIELD(job_id, 5, 0, 24),
    FIELD(psn, 8, 0, 32),
};

static const uet_layout_t common = UET_LAYOUT("ses request", common_fields, 12);
static const uet_layout_t with_id = UET_LAYOUT("ses request", id_fields, 12);
static const uet_layout_t with_length = UET_LAYOUT("ses request", short_fields, 12);
static const uet_layout_t with_offset = UET_LAYOUT("ses request", offset_fields, 20);
static const uet_layout_t with_tokens = UET_LAYOUT("ses deferrable", token_fields, 20);
static const uet_layout_t with_early_data = UET_LAYOUT("ses medium", early_data_fields, 20);
static const uet_layout_t with_match = UET_LAYOUT("ses request", match_fields, 32);
static const uet_layout_t with_key = UET_LAYOUT("ses request", key_fields, 32);
static const uet_layout_t with_restart = UET_LAYOUT("ses ready to restart", restart_fields, 32);
static const uet_layout_t with_data = UET_LAYOUT("ses standard", first_fields, 44);
static const uet_layout_t with_position = UET_LAYOUT("ses standard", further_fields, 44);
static const uet_layout_t rendezvous = UET_LAYOUT("ses rendezvous", rendezvous_fields, 68);
static const uet_layout_t response = UET_LAYOUT("ses response", response_fields, 12);
static const uet_layout_t response_data = UET_LAYOUT("ses response with data", data_fields, 20);
static const uet_layout_t response_small =
    UET_LAYOUT("ses small response with data", small_data_fields, 12);

bool uet_ses_is_request(unsigned kind) { return kind >= 1 && kind <= 3; }
bool uet_ses_is_response(unsigned kind) { return kind >= 4 && kind <= 6; }

/* Bytes 20 to 31 by opcode. */
static const uet_layout_t *middle(unsigned opcode) {
    switch (opcode) {
    case UET_OP_WRITE:
    case UET_OP_READ:
    case UET_OP_ATOMIC:
    case UET_OP_FETCHING_ATOMIC:
        return &with_key;
    case UET_OP_DEFERRABLE_RTR:
        return &with_restart;
    default:
        return &with_match;
    }
}

static bool deferrable(unsigned opcode) {
    return opcode == UET_OP_DEFERRABLE_SEND || opcode == UET_OP_DEFERRABLE_TSEND;
}

size_t uet_ses_layouts(unsigned kind, unsigned opcode, unsigned flags,
                       const uet_layout_t *layouts[UET_SES_PARTS]) {
    bool first = (flags & UET_SES_SOM) != 0;
    size_t count = 0;
    if (uet_ses_is_response(kind)) {
        const uet_layout_t *const responses[] = {&response, &response_data, &response_small};
        layouts[count++] = responses[kind - 4];
        return count;
    }
    if (!uet_ses_is_request(kind)) {
        return 0;
    }
    layouts[count++] = &common;
    layouts[count++] = kind == 3 ? &with_id : &with_length;
    if (kind == 1) { /* small: 20 bytes and no match bits */
        layouts[count++] = &with_offset;
        return count;
    }
    if (kind == 2) {
        layouts[count++] = (flags & UET_SES_HD) != 0 ? &with_early_data : &with_offset;
        layouts[count++] = middle(opcode);
        return count;
    }
    layouts[count++] = deferrable(opcode) ? &with_tokens : &with_offset;
    layouts[count++] = middle(opcode);
    layouts[count++] = first ? &with_data : &with_position;
    if (first && (opcode == UET_OP_RENDEZVOUS_SEND || opcode == UET_OP_RENDEZVOUS_TSEND)) {
        layouts[count++] = &rendezvous;
    }
    return count;
}

bool uet_ses_decode(unsigned kind, const uint8_t *bytes, size_t count, size_t offset,
                    uet_ses_t *ses, size_t *length, uet_error_t *error) {
    const uet_layout_t *layouts[UET_SES_PARTS];
    unsigned opcode = count >= 2 ? bytes[0] & 0x3fu : 0;
    unsigned flags = count >= 2 ? bytes[1] & 0x3fu : 0;
    size_t parts = uet_ses_layouts(kind, opcode, flags, layouts);
    memset(ses, 0, sizeof *ses);
    ses->kind = (uint8_t)kind;
    *length = parts == 0 ? 0 : layouts[parts - 1]->bytes;
    if (count < *length) {
        *error = (uet_error_t){
            UET_SHORT, layouts[parts - 1]->name, "bytes", offset, count, UET_AT_LEAST, *length};
        return false;
    }
    for (size_t i = 0; i < parts; i++) {
        uet_layout_decode(layouts[i], bytes, ses);
    }
    return true;
}

bool uet_ses_encode(const uet_ses_t *ses, uint8_t *bytes, size_t room, size_t offset,
                    size_t *length, uet_error_t *error) {
    const uet_layout_t *layouts[UET_SES_PARTS];
    size_t parts = uet_ses_layouts(ses->kind, ses->opcode, ses->flags, layouts);
    *length = parts == 0 ? 0 : layouts[parts - 1]->bytes;
    if (room < *length) {
        *error = (uet_error_t){
            UET_NO_ROOM, layouts[parts - 1]->name, "bytes", offset, room, UET_AT_LEAST, *length};
        return false;
    }
    memset(bytes, 0, *length);
    for (size_t i = 0; i < parts; i++) {
        if (!uet_layout_encode(layouts[i], ses, bytes, offset, error)) {
            return false;
        }
    }
    return true;
}
