/* SPDX-License-Identifier: Apache-2.0 */
#include "uet_describe.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct {
    char *text;
    size_t room;
    size_t length; /* of the whole, also of what did not fit */
} line_t;

__attribute__((format(printf, 2, 3))) static void add(line_t *line, const char *format, ...) {
    va_list arguments;
    size_t left = line->length < line->room ? line->room - line->length : 0;
    va_start(arguments, format);
    int length = vsnprintf(left == 0 ? NULL : line->text + line->length, left, format, arguments);
    va_end(arguments);
    line->length += length < 0 ? 0 : (size_t)length;
}

static void add_address(line_t *line, bool ipv6, uint64_t high, uint64_t low) {
    if (!ipv6) {
        add(line, "%u.%u.%u.%u", (unsigned)(low >> 24 & 255), (unsigned)(low >> 16 & 255),
            (unsigned)(low >> 8 & 255), (unsigned)(low & 255));
        return;
    }
    for (unsigned i = 0; i < 8; i++) {
        uint64_t half = i < 4 ? high : low;
        add(line, "%s%x", i == 0 ? "" : ":", (unsigned)(half >> (48 - 16 * (i % 4)) & 0xffff));
    }
}

static void add_envelope(line_t *line, const uet_envelope_t *envelope) {
    for (unsigned i = 0; i < envelope->tags; i++) {
        add(line, "vlan %u ", envelope->tag[i] & 0xfffu);
    }
    add_address(line, envelope->ipv6, envelope->source_high, envelope->source_low);
    add(line, " > ");
    add_address(line, envelope->ipv6, envelope->destination_high, envelope->destination_low);
    add(line, " entropy=0x%x ecn=%u%s", envelope->source_port, envelope->ecn,
        envelope->native ? " native" : "");
}

static void add_code(line_t *line, const char *name, unsigned value) {
    if (name) {
        add(line, " %s", name);
    } else {
        add(line, " code 0x%x", value);
    }
}

/* A letter or word for each flag that is set. */
static void add_flags(line_t *line, unsigned flags, const char *const names[], size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (flags >> i & 1 && names[i]) {
            add(line, " %s", names[i]);
        }
    }
}

/* Fields that the line has said in words already. */
static bool said(const char *name) {
    static const char *const names[] = {"type",    "next_hdr", "flags",       "opcode",
                                        "version", "list",     "return_code", "nack_code"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void add_fields(line_t *line, const uet_layout_t *layout, const void *structure) {
    for (size_t i = 0; i < layout->count; i++) {
        const uet_field_t *field = &layout->fields[i];
        uint64_t value = uet_member_get(field, structure);
        if (said(field->name)) {
            continue;
        }
        if (field->is_signed) {
            add(line, " %s=%" PRId64, field->name, (int64_t)value);
        } else if (strstr(field->name, "length")) {
            add(line, " %s=%" PRIu64, field->name, value);
        } else {
            add(line, " %s=0x%" PRIx64, field->name, value);
        }
    }
}

static void add_pds(line_t *line, const uet_pds_t *pds) {
    static const char *const request[7] = {NULL, NULL, "SYN", "AR", "RETX", NULL, NULL};
    static const char *const control[7] = {NULL, NULL, "SYN", "AR", "RETX", "ISROD", NULL};
    static const char *const ack[7] = {NULL, "clear", "close", "P", "RETX", "M", NULL};
    static const char *const nack[7] = {NULL, NULL, NULL, "NT", "RETX", "M", NULL};
    add(line, " | ");
    add(line, "%s", uet_pds_type_name(pds->type));
    if (pds->type == UET_PDS_CP) {
        add_code(line, uet_cp_name(pds->next_hdr), pds->next_hdr);
        add_flags(line, pds->flags, control, 7);
    } else if (uet_pds_is_nack(pds->type)) {
        add_code(line, uet_nack_name(pds->nack_code), pds->nack_code);
        add_flags(line, pds->flags, nack, 7);
    } else {
        add_flags(line, pds->flags, uet_pds_is_ack(pds->type) ? ack : request, 7);
    }
    add_fields(line, uet_pds_layout(pds->type, pds->flags), pds);
}

static void add_ses(line_t *line, const uet_packet_t *packet) {
    static const char *const flags[6] = {"SOM", "EOM", "HD", "REL", "IE", "DC"};
    const uet_ses_t *ses = &packet->ses;
    const uet_layout_t *layouts[UET_SES_PARTS];
    size_t parts = uet_ses_layouts(ses->kind, ses->opcode, ses->flags, layouts);
    if (parts == 0) {
        if (ses->kind != UET_NEXT_NONE) {
            add(line, " | next header %u is not read", ses->kind);
        }
        return;
    }
    add(line, " | %s", uet_next_name(ses->kind));
    if (uet_ses_is_request(ses->kind)) {
        add_code(line, uet_opcode_name(ses->opcode), ses->opcode);
        add_flags(line, ses->flags, flags, 6);
    } else {
        add_code(line, uet_response_name(ses->opcode), ses->opcode);
        add_code(line, uet_return_code_name(ses->return_code), ses->return_code);
        add(line, ses->list == UET_LIST_EXPECTED   ? " expected"
                  : ses->list == UET_LIST_OVERFLOW ? " overflow"
                                                   : " other list");
    }
    if (ses->version != 0) {
        add(line, " version=%u", ses->version);
    }
    for (size_t i = 0; i < parts; i++) {
        add_fields(line, layouts[i], ses);
    }
}

size_t uet_describe_packet(const uet_packet_t *packet, char *text, size_t room) {
    line_t line = {text, room, 0};
    add_envelope(&line, &packet->envelope);
    add_pds(&line, &packet->pds);
    add_ses(&line, packet);
    if (packet->payload_bytes != 0) {
        add(&line, " | %zu bytes", packet->payload_bytes);
    }
    return line.length;
}

size_t uet_describe(const uint8_t *frame, size_t bytes, const uet_settings_t *settings, char *text,
                    size_t room) {
    uet_packet_t packet;
    uet_error_t error;
    if (!uet_packet_decode(frame, bytes, settings, &packet, &error)) {
        return uet_error_text(&error, text, room);
    }
    return uet_describe_packet(&packet, text, room);
}
