/* SPDX-License-Identifier: Apache-2.0 */
/* Envelopes, settings, errors and every layout of the codec, without vectors. */
#include <stdlib.h>

#include "../uet_crc.h"
#include "../uet_describe.h"
#include "expect.h"
#include "lot.h"

enum { ROOM = 512 };

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;
static const uint8_t payload[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static uint64_t seed = 1;

static uet_packet_t tagged_send(void) {
    uet_packet_t packet = {
        .envelope = {.source_low = 0x0a000001,
                     .destination_low = 0x0a000002,
                     .dont_fragment = 1,
                     .hop_limit = 64,
                     .source_port = 0xc123},
        .pds = {.type = UET_PDS_ROD_REQ, .next_hdr = UET_NEXT_REQ_STD, .spdcid = 1, .dpdcid = 2},
        .ses = {.kind = UET_NEXT_REQ_STD,
                .opcode = UET_OP_TAGGED_SEND,
                .flags = UET_SES_SOM | UET_SES_EOM | UET_SES_REL,
                .request_length = 8},
        .payload = payload,
        .payload_bytes = 8,
    };
    return packet;
}

static size_t encoded(const uet_settings_t *with, uint8_t frame[ROOM]) {
    uet_packet_t packet = tagged_send();
    uet_error_t error;
    size_t bytes = uet_packet_encode(&packet, with, frame, ROOM, &error);
    EXPECT(bytes != 0);
    return bytes;
}

/* The whole line that a frame is refused with. */
static void expect_refused(const uint8_t *frame, size_t bytes, const char *line) {
    char text[200];
    (void)uet_describe(frame, bytes, &settings, text, sizeof text);
    EXPECT_TEXT(text, line);
}

static void check_value_of_the_crc(void) {
    EXPECT_NUMBER(uet_crc32c((const uint8_t *)"123456789", 9), 0xe3069283);
}

/* Case 1. */
static void crc_as_set(void) {
    uint8_t frame[ROOM];
    uet_packet_t packet;
    uet_error_t error;
    for (unsigned coverage = 0; coverage < 3; coverage++) {
        for (unsigned order = 0; order < 2; order++) {
            uet_settings_t with = settings;
            with.crc = (uet_crc_coverage_t)coverage;
            with.crc_big_endian = order == 1;
            size_t bytes = encoded(&with, frame);
            EXPECT_NUMBER(bytes, coverage == UET_CRC_NONE ? 106 : 110);
            EXPECT(uet_packet_decode(frame, bytes, &with, &packet, &error));
            EXPECT_NUMBER(packet.payload_bytes, 8);
            frame[100] ^= 1;
            EXPECT(uet_packet_decode(frame, bytes, &with, &packet, &error) ==
                   (coverage == UET_CRC_NONE));
            frame[100] ^= 1;
            /* A router that rewrites the entropy is seen where the UDP header is covered. */
            frame[34] ^= 1;
            EXPECT(uet_packet_decode(frame, bytes, &with, &packet, &error) ==
                   (coverage != UET_CRC_ADDRESSES));
            frame[34] ^= 1;
            with.crc_big_endian = order == 0;
            EXPECT(uet_packet_decode(frame, bytes, &with, &packet, &error) ==
                   (coverage == UET_CRC_NONE));
        }
    }
}

/* Offsets of the headers with each envelope. */
static void envelopes(void) {
    for (unsigned form = 0; form < 12; form++) {
        uint8_t frame[ROOM];
        uet_packet_t packet = tagged_send();
        uet_packet_t again;
        uet_error_t error;
        uet_settings_t with = settings;
        unsigned tags = form % 3;
        bool ipv6 = form / 3 % 2 == 1;
        with.native = form / 6 == 1;
        packet.envelope.tags = (uint8_t)tags;
        packet.envelope.tag_type[0] = tags == 2 ? 0x88a8 : 0x8100;
        packet.envelope.tag_type[1] = 0x8100;
        packet.envelope.tag[0] = 7;
        packet.envelope.ipv6 = ipv6;
        packet.envelope.native = with.native;
        packet.envelope.source_high = ipv6 ? 0xfd00000000000000u : 0;
        packet.envelope.dont_fragment = !ipv6;
        size_t bytes = uet_packet_encode(&packet, &with, frame, ROOM, &error);
        EXPECT(uet_packet_decode(frame, bytes, &with, &again, &error));
        size_t expected = 14u + 4u * tags + (ipv6 ? 40u : 20u) + (with.native ? 4u : 8u);
        EXPECT_NUMBER(again.pds_at, expected);
        again.payload = packet.payload;
        EXPECT(memcmp(&again.pds, &packet.pds, sizeof packet.pds) == 0);
        EXPECT(memcmp(&again.ses, &packet.ses, sizeof packet.ses) == 0);
        EXPECT_NUMBER(again.envelope.source_high, packet.envelope.source_high);
        EXPECT_NUMBER(again.envelope.tag[0], tags == 0 ? 0 : 7);
        with.native = !with.native;
        if (packet.envelope.native) {
            EXPECT(!uet_packet_decode(frame, bytes, &with, &again, &error));
            EXPECT_NUMBER(error.reason, UET_FOREIGN);
        }
    }
}

/* Cases 2 and 3, padding of Ethernet, and frames of others. */
static void envelopes_that_are_refused(void) {
    uint8_t right[ROOM] = {0};
    uint8_t frame[ROOM];
    size_t bytes = encoded(&settings, right);
    uet_packet_t packet;
    uet_error_t error;
    static const struct {
        unsigned at;
        uint8_t value;
        uet_reason_t reason;
        bool sum; /* repair the header checksum */
    } cases[] = {
        {12, 0x09, UET_FOREIGN, false},    {14, 0x65, UET_IP_VERSION, true},
        {14, 0x46, UET_IP_OPTIONS, true},  {14, 0x44, UET_IP_OPTIONS, true},
        {17, 97, UET_IP_LENGTH, true},     {17, 27, UET_IP_LENGTH, true},
        {17, 95, UET_UDP_LENGTH, true},    {20, 0x20, UET_IP_FRAGMENT, true},
        {21, 0x01, UET_IP_FRAGMENT, true}, {22, 63, UET_IP_CHECKSUM, false},
        {23, 6, UET_FOREIGN, true},        {37, 0xba, UET_FOREIGN, false},
        {39, 77, UET_UDP_LENGTH, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memcpy(frame, right, sizeof frame);
        frame[cases[i].at] = cases[i].value;
        if (cases[i].sum) {
            frame[24] = frame[25] = 0;
            uint16_t sum = uet_ipv4_sum(frame + 14);
            frame[24] = (uint8_t)(sum >> 8);
            frame[25] = (uint8_t)sum;
        }
        EXPECT(!uet_packet_decode(frame, bytes, &settings, &packet, &error));
        EXPECT_NUMBER(error.reason, cases[i].reason);
    }
    /* Padding is no payload. */
    EXPECT(uet_packet_decode(right, bytes + 20, &settings, &packet, &error));
    EXPECT_NUMBER(packet.payload_bytes, 8);
}

/* Errors say the found value, its address and the expected value. */
static void errors_in_words(void) {
    uint8_t frame[ROOM];
    size_t bytes = encoded(&settings, frame);
    expect_refused(frame, bytes - 1,
                   "wrong IP length: ipv4 total_length at byte 16: found 0x60, expected at most "
                   "0x5f");
    frame[39] += 1;
    expect_refused(frame, bytes,
                   "wrong UDP length: udp udp_length at byte 38: found 0x4d, expected 0x4c");
    expect_refused(frame, 13,
                   "ends inside a header: ethernet bytes at byte 12: found 0x1, expected at least "
                   "0x2");
    char small[10];
    EXPECT_NUMBER(uet_describe(frame, 13, &settings, small, sizeof small), 81);
    EXPECT_TEXT(small, "ends insi");
}

/* Cases 4, 5 and 42: a type with too few bytes, reserved types, encrypted ones. */
static void types_that_are_refused(void) {
    for (unsigned type = 0; type < 32; type++) {
        uint8_t bytes[64] = {0};
        uet_pds_t pds;
        uet_error_t error;
        size_t length = 0;
        bytes[0] = (uint8_t)(type << 3);
        bool fine = uet_pds_decode(bytes, sizeof bytes, 0, &pds, &length, &error);
        bool known = (type >= 2 && type <= 3) || (type >= 7 && type <= 14);
        EXPECT(fine == known);
        if (!known) {
            bool omitted = type >= 4 && type <= 6;
            EXPECT_NUMBER(error.reason, type == 1 ? UET_ENCRYPTED
                                        : omitted ? UET_PDS_OMITTED
                                                  : UET_PDS_TYPE);
        } else {
            EXPECT(!uet_pds_decode(bytes, length - 1, 0, &pds, &length, &error));
            EXPECT_NUMBER(error.reason, UET_SHORT);
        }
    }
    for (unsigned kind = 1; kind <= 6; kind++) {
        uint8_t bytes[80] = {UET_OP_RENDEZVOUS_TSEND, UET_SES_SOM};
        uet_ses_t ses;
        uet_error_t error;
        static const size_t lengths[] = {0, 20, 32, 68, 12, 20, 12};
        size_t length = 0;
        EXPECT(uet_ses_decode(kind, bytes, sizeof bytes, 0, &ses, &length, &error));
        EXPECT_NUMBER(length, lengths[kind]);
        EXPECT(!uet_ses_decode(kind, bytes, lengths[kind] - 1, 0, &ses, &length, &error));
        EXPECT_NUMBER(error.reason, UET_SHORT);
    }
}

/* An encrypted packet carries no CRC and is told from one with a wrong CRC. */
static void encrypted_is_not_a_wrong_crc(void) {
    uint8_t frame[ROOM];
    size_t bytes = encoded(&settings, frame);
    uet_packet_t packet;
    uet_error_t error;
    frame[42] = UET_PDS_TSS << 3;
    EXPECT(!uet_packet_decode(frame, bytes, &settings, &packet, &error));
    EXPECT_NUMBER(error.reason, UET_ENCRYPTED);
}

/* Fields of one header neither overlap nor reach behind its end. */
static void expect_disjoint(const uet_layout_t *const layouts[], size_t count) {
    bool taken[80 * 8] = {false};
    size_t end = count == 0 ? 0 : layouts[count - 1]->bytes * 8;
    for (size_t l = 0; l < count; l++) {
        for (size_t i = 0; i < layouts[l]->count; i++) {
            const uet_field_t *field = &layouts[l]->fields[i];
            EXPECT(field->bit + field->width <= end);
            EXPECT(field->width <= field->size * 8);
            for (unsigned bit = field->bit; bit < field->bit + field->width; bit++) {
                EXPECT(!taken[bit]);
                taken[bit] = true;
            }
        }
    }
}

static void layouts_are_disjoint(void) {
    const uet_layout_t *layouts[UET_SES_PARTS];
    for (unsigned type = 0; type < 32; type++) {
        for (unsigned flags = 0; flags < 128; flags++) {
            const uet_layout_t *layout = uet_pds_layout(type, flags);
            expect_disjoint(&layout, layout ? 1 : 0);
        }
    }
    for (unsigned kind = 0; kind < 16; kind++) {
        for (unsigned opcode = 0; opcode < 64; opcode++) {
            for (unsigned flags = 0; flags < 64; flags++) {
                expect_disjoint(layouts, uet_ses_layouts(kind, opcode, flags, layouts));
            }
        }
    }
}

/* Any bytes, decoded and encoded, are the same but for reserved bits; again, exactly the same. */
static void there_and_back(void) {
    lot_t lot = lot_seeded(seed);
    (void)printf("seed %llu\n", (unsigned long long)seed);
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[80];
        uint8_t once[80] = {0};
        uint8_t twice[80] = {0};
        uet_pds_t pds;
        uet_ses_t ses;
        uet_error_t error;
        size_t length;
        size_t again;
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)lot_draw(&lot);
        }
        if (uet_pds_decode(bytes, sizeof bytes, 0, &pds, &length, &error)) {
            EXPECT_NUMBER(uet_pds_encode(&pds, once, sizeof once, 0, &error), length);
            EXPECT(uet_pds_decode(once, length, 0, &pds, &again, &error));
            EXPECT_NUMBER(uet_pds_encode(&pds, twice, sizeof twice, 0, &error), length);
            EXPECT(memcmp(once, twice, length) == 0);
        }
        unsigned kind = lot_below(&lot, 16);
        EXPECT(uet_ses_decode(kind, bytes, sizeof bytes, 0, &ses, &length, &error));
        EXPECT(uet_ses_encode(&ses, once, sizeof once, 0, &again, &error));
        EXPECT_NUMBER(again, length);
        EXPECT(uet_ses_decode(kind, once, length, 0, &ses, &again, &error));
        EXPECT(uet_ses_encode(&ses, twice, sizeof twice, 0, &again, &error));
        EXPECT(memcmp(once, twice, length) == 0);
    }
}

static void values_that_do_not_fit(void) {
    uint8_t frame[ROOM];
    uet_packet_t packet = tagged_send();
    uet_error_t error;
    char text[200];
    packet.ses.job_id = 0x1000000;
    EXPECT_NUMBER(uet_packet_encode(&packet, &settings, frame, ROOM, &error), 0);
    (void)uet_error_text(&error, text, sizeof text);
    EXPECT_TEXT(text, "value too large for its field: ses request job_id at byte 59: found "
                      "0x1000000, expected at most 0xffffff");
}

static void a_frame_in_words(void) {
    uint8_t frame[ROOM];
    char text[600];
    size_t bytes = encoded(&settings, frame);
    size_t length = uet_describe(frame, bytes, &settings, text, sizeof text);
    EXPECT_NUMBER(length, strlen(text));
    EXPECT(strstr(text, "10.0.0.1 > 10.0.0.2 entropy=0xc123 ecn=0 | ROD_REQ ") == text);
    EXPECT(strstr(text, " | REQ_STD TAGGED_SEND SOM EOM REL "));
    EXPECT(strstr(text, " request_length=8 | 8 bytes"));
    EXPECT(!strchr(text, '\n'));
}

int main(int count, char **arguments) {
    if (count > 1) {
        seed = strtoull(arguments[1], NULL, 0);
    }
    RUN(check_value_of_the_crc);
    RUN(crc_as_set);
    RUN(envelopes);
    RUN(envelopes_that_are_refused);
    RUN(errors_in_words);
    RUN(types_that_are_refused);
    RUN(encrypted_is_not_a_wrong_crc);
    RUN(layouts_are_disjoint);
    RUN(there_and_back);
    RUN(values_that_do_not_fit);
    RUN(a_frame_in_words);
    return expect_summary();
}
