/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The example packets P1 to P20 as a story: what a target does with each, and, where an example is
 * an answer, that the model's is the same to the byte.
 */
#include "expect.h"
#include "vector_file.h"
#include "wire_model.h"

enum { ADDRESS = 0x100000, ROOM = 4096, SPDCID = 0x101, PDCID = 0x202, INITIATOR_NODE = 1 };

static const uet_settings_t settings = UET_SETTINGS_DEFAULT;
static wire_model_t *model;
static wire_result_t result;
static vector_t vector; /* the example that was read last */
static uet_packet_t answer;
static uint64_t posts;

/* A target with the address 10.0.0.`last`, and an endpoint at its pid and index of the examples. */
static void open_model(unsigned last, wire_config_t config, wire_endpoint_t endpoint) {
    config.ipv4 = 0x0a000000u + last;
    config.payload_mtu = 1024;
    endpoint.job = 0xabcd;
    endpoint.pid = last == INITIATOR_NODE ? 1 : 3;
    endpoint.index = last == INITIATOR_NODE ? 16 : 15;
    wire_model_free(model);
    model = wire_model_new(&config);
    EXPECT(model);
    EXPECT_NUMBER(wire_model_endpoint(model, &endpoint), 0);
    posts = 0;
}

static void read_example(unsigned number) {
    char path[512];
    (void)snprintf(path, sizeof path, "%s/p%02u.txt", UET_VECTORS, number);
    EXPECT(vector_read(path, &vector));
}

static void post(uint32_t bytes) {
    wire_receive_t receive = {
        .match = 0x20000002a, .source = 5, .address = ADDRESS, .bytes = bytes, .handle = ++posts};
    EXPECT(wire_model_post(model, &receive, &result));
}

/* The frame that answers; none with `effects` 0 frames. */
static const wire_effect_t *sent(void) {
    const wire_effect_t *frame = NULL;
    for (size_t i = 0; i < result.effects; i++) {
        if (result.effect[i].kind == WIRE_SEND) {
            EXPECT(!frame);
            frame = &result.effect[i];
        }
    }
    return frame;
}

static void decode_answer(void) {
    uet_error_t error;
    const wire_effect_t *frame = sent();
    EXPECT(frame);
    if (frame) {
        EXPECT(uet_packet_decode(frame->data, frame->bytes, &settings, &answer, &error));
    }
}

static void give(unsigned number, wire_counter_t counter) {
    read_example(number);
    EXPECT(wire_model_frame(model, vector.frame, vector.bytes, PDCID, &result));
    EXPECT_NUMBER(result.counter, counter);
}

/* The same with some fields changed. */
#define GIVE_CHANGED(number, expected, change)                                                     \
    do {                                                                                           \
        uint8_t frame[VECTOR_BYTES];                                                               \
        uet_packet_t packet;                                                                       \
        uet_error_t error;                                                                         \
        read_example(number);                                                                      \
        EXPECT(uet_packet_decode(vector.frame, vector.bytes, &settings, &packet, &error));         \
        change;                                                                                    \
        size_t bytes = uet_packet_encode(&packet, &settings, frame, sizeof frame, &error);         \
        EXPECT(wire_model_frame(model, frame, bytes, PDCID, &result));                             \
        EXPECT_NUMBER(result.counter, expected);                                                   \
    } while (0)

/* The answer is this example, to the byte. */
static void expect_example(unsigned number) {
    const wire_effect_t *frame = sent();
    read_example(number);
    EXPECT(frame && frame->bytes == vector.bytes &&
           memcmp(frame->data, vector.frame, vector.bytes) == 0);
}

static void expect_response(unsigned opcode, unsigned code, unsigned list, uint32_t modified) {
    decode_answer();
    EXPECT_NUMBER(answer.pds.type, UET_PDS_ACK);
    EXPECT_NUMBER(answer.ses.opcode, opcode);
    EXPECT_NUMBER(answer.ses.return_code, code);
    EXPECT_NUMBER(answer.ses.list, list);
    EXPECT_NUMBER(answer.ses.modified_length, modified);
}

/* Bytes at an offset of the receive, as the examples have them, in front of all else. */
static void expect_written(size_t index, uint32_t offset, size_t bytes) {
    EXPECT(index < result.effects && result.effect[index].kind == WIRE_WRITE);
    EXPECT_NUMBER(result.effect[index].address, ADDRESS + offset);
    EXPECT_NUMBER(result.effect[index].bytes, bytes);
    for (uint32_t k = 0; bytes > 8 && k < bytes; k++) {
        EXPECT_NUMBER(result.effect[index].data[k], (uint8_t)((offset + k) * 7 + 3));
    }
    EXPECT(bytes != 8 || memcmp(result.effect[index].data, "OpenTMU!", 8) == 0);
}

static const wire_completion_t *completion(size_t index) {
    static const wire_completion_t none;
    EXPECT(index < result.effects && result.effect[index].kind == WIRE_COMPLETION);
    return index < result.effects ? &result.effect[index].completion : &none;
}

static const wire_config_t usual = WIRE_CONFIG_DEFAULT;

/* P1 to P3: a connection opens with a message; the answer is P2. */
static void begin(void) {
    post(ROOM);
    give(1, WIRE_TAKEN);
    EXPECT_NUMBER(result.effects, 3);
    expect_written(0, 0, 8);
    EXPECT_NUMBER(completion(1)->length, 8);
    EXPECT(!completion(1)->has_header_data);
    expect_example(2);
    post(ROOM);
    give(3, WIRE_TAKEN);
    expect_written(0, 0, 8);
    EXPECT_NUMBER(completion(1)->header_data, 5);
    EXPECT(completion(1)->has_header_data);
    expect_response(UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED, 8);
    EXPECT_NUMBER(answer.pds.cack_psn, 0x12001);
}

static void w1_w3_p1_to_p8_messages_of_one_packet_and_of_three(void) {
    open_model(2, usual, (wire_endpoint_t){0});
    begin();
    post(ROOM);
    give(4, WIRE_TAKEN);
    EXPECT_NUMBER(result.effects, 1); /* no answer was asked for */
    expect_written(0, 0, 1024);
    give(6, WIRE_GAP); /* P5 is missing */
    EXPECT_NUMBER(result.effects, 1);
    expect_example(8);
    give(6, WIRE_GAP);
    EXPECT_NUMBER(result.effects, 0); /* told once */
    give(5, WIRE_TAKEN);
    expect_written(0, 1024, 1024);
    GIVE_CHANGED(6, WIRE_TAKEN, packet.envelope.ecn = 3);
    expect_written(0, 2048, 452);
    EXPECT_NUMBER(completion(1)->length, 2500);
    expect_response(UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED, 2500); /* as in P7 */
    EXPECT_NUMBER(answer.pds.flags, UET_FLAG_M);
    EXPECT_NUMBER(answer.pds.cack_psn, 0x12004);
    EXPECT_NUMBER(wire_model_counts(model)->messages, 3);
}

/* The numbers up to P9 to P11's, with receives; then message 3 without one. */
static void third_message(void) {
    begin();
    post(ROOM);
    give(4, WIRE_TAKEN);
    give(5, WIRE_TAKEN);
    give(6, WIRE_TAKEN);
    GIVE_CHANGED(1, WIRE_TAKEN,
                 (packet.pds.psn = 0x12005, packet.pds.flags = UET_FLAG_AR,
                  packet.pds.dpdcid = PDCID, packet.ses.message_id = 3));
}

static void w5_p9_no_room(void) {
    wire_config_t config = usual;
    config.no_match_first = true;
    open_model(2, config, (wire_endpoint_t){.pooled = true});
    third_message();
    EXPECT_NUMBER(result.effects, 1);
    expect_example(9);
    GIVE_CHANGED(1, WIRE_TAKEN,
                 (packet.pds.psn = 0x12006, packet.pds.flags = 0, packet.pds.dpdcid = PDCID,
                  packet.pds.clear_psn_offset = -2));
    expect_response(UET_RSP_RESPONSE, UET_RC_DISABLED_GEN, UET_LIST_EXPECTED, 0);
    EXPECT_NUMBER(answer.pds.cack_psn, 0x12004);
    post(ROOM); /* room again: the next generation */
    GIVE_CHANGED(1, WIRE_TAKEN,
                 (packet.pds.psn = 0x12007, packet.pds.flags = 0, packet.pds.dpdcid = PDCID));
    expect_response(UET_RSP_RESPONSE, UET_RC_BAD_GENERATION, UET_LIST_EXPECTED, 0);
    EXPECT_NUMBER(answer.ses.ri_generation, 1);
}

static void w2_p10_p11_the_answer_follows_the_match(void) {
    open_model(2, usual, (wire_endpoint_t){.pooled = true, .answer_at_match = true});
    EXPECT(wire_model_pool(model, 0, 0x900000, 4));
    EXPECT(wire_model_pool(model, 0, 0x800000, 64));
    third_message();
    EXPECT_NUMBER(result.effect[0].kind, WIRE_PARK);
    EXPECT_NUMBER(result.effect[0].address, 0x800000);
    EXPECT_NUMBER(result.effects, 2);
    expect_example(10);
    GIVE_CHANGED(18, WIRE_CONTROL,
                 (packet.pds.next_hdr = UET_CP_ACK_REQ, packet.pds.psn = 0x12005));
    decode_answer();
    EXPECT_NUMBER(answer.pds.nack_code, UET_NACK_RCVD_SES_PROCG);
    post(ROOM);
    EXPECT_NUMBER(result.effects, 4);
    expect_written(0, 0, 8);
    EXPECT_NUMBER(result.effect[1].kind, WIRE_FREE);
    EXPECT_NUMBER(result.effect[1].address, 0x800000);
    EXPECT_NUMBER(completion(2)->written, 8);
    expect_example(11);
}

static void w6_p12_to_p19_what_is_not_spoken_and_the_end(void) {
    open_model(2, usual, (wire_endpoint_t){0});
    third_message();
    give(12, WIRE_TAKEN);
    expect_response(UET_RSP_RESPONSE, UET_RC_UNSUPPORTED_OP, UET_LIST_EXPECTED, 0);
    give(15, WIRE_TAKEN);
    expect_response(UET_RSP_RESPONSE, UET_RC_UNSUPPORTED_OP, UET_LIST_EXPECTED, 0);
    EXPECT_NUMBER(answer.pds.cack_psn, 0x12005); /* P15 clears the answer to message 3 */
    GIVE_CHANGED(6, WIRE_TAKEN,
                 (packet.pds.psn = 0x12008, packet.ses.message_id = 5,
                  packet.ses.opcode = UET_OP_MSG_ERROR));
    expect_response(UET_RSP_RESPONSE, UET_RC_UNSUPPORTED_OP, UET_LIST_EXPECTED, 0);
    give(18, WIRE_CONTROL);
    EXPECT_NUMBER(result.effects, 0);
    give(19, WIRE_CONTROL);
    decode_answer();
    EXPECT_NUMBER(answer.pds.next_hdr, UET_NEXT_NONE);
    EXPECT_NUMBER(answer.pds.cack_psn, 0x12009);
    give(1, WIRE_DUPLICATE); /* belated: opens nothing (W1) */
    EXPECT_NUMBER(result.effects, 0);
    EXPECT(wire_model_advance(model, usual.quarantine, &result));
    give(1, WIRE_TAKEN);
}

static void p15_deferrable_sends_can_be_plain_ones(void) {
    wire_config_t config = usual;
    config.deferrable = true;
    open_model(2, config, (wire_endpoint_t){0});
    post(ROOM);
    give(1, WIRE_TAKEN);
    GIVE_CHANGED(15, WIRE_TAKEN, (packet.pds.psn = 0x12001, packet.pds.flags = UET_FLAG_AR));
    expect_response(UET_RSP_DEFAULT, UET_RC_OK, UET_LIST_EXPECTED, 65536);
}

static void w6_p13_p14_p17_at_the_other_end(void) {
    open_model(INITIATOR_NODE, usual, (wire_endpoint_t){0});
    give(13, WIRE_MISMATCH);
    decode_answer();
    EXPECT_NUMBER(answer.pds.nack_code, UET_NACK_PDC_MODE_MISMATCH);
    give(17, WIRE_TAKEN);
    expect_response(UET_RSP_RESPONSE, UET_RC_UNSUPPORTED_OP, UET_LIST_EXPECTED, 0);
    static const unsigned answers[] = {2, 7, 8, 9, 10, 11, 16, 20};
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        give(answers[i], WIRE_ANSWER);
        EXPECT_NUMBER(result.effects, 0);
    }
    give(3, WIRE_FOREIGN);
    open_model(2, usual, (wire_endpoint_t){0});
    give(14, WIRE_MISMATCH);
    decode_answer();
    EXPECT_NUMBER(answer.pds.nack_code, UET_NACK_INV_DPDCID);
}

static void w1_p20_no_connection(void) {
    open_model(2, usual, (wire_endpoint_t){0});
    give(3, WIRE_MISMATCH);
    EXPECT_NUMBER(result.effects, 1);
    expect_example(20);
}

int main(void) {
    RUN(w1_w3_p1_to_p8_messages_of_one_packet_and_of_three);
    RUN(w5_p9_no_room);
    RUN(w2_p10_p11_the_answer_follows_the_match);
    RUN(w6_p12_to_p19_what_is_not_spoken_and_the_end);
    RUN(p15_deferrable_sends_can_be_plain_ones);
    RUN(w6_p13_p14_p17_at_the_other_end);
    RUN(w1_p20_no_connection);
    wire_model_free(model);
    return expect_summary();
}
