/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers to an initiator: forged, stale and repeated ones change nothing (W6, W8),
 * losses are mended once, and a sender hears of its message when all of it is answered (W4).
 */
#include "bench.h"

static bench_t bench;
static uint8_t data[4 * PAYLOAD_MTU];

/* Two messages are on their way: three packets and one, PSNs first to first + 3. */
static uint32_t first;
static uint16_t pdcid;

static uet_send_t message(uint32_t bytes, uint64_t handle) {
    uet_send_t send = {.to = {PEER, JOB, PID, INDEX},
                       .initiator = 5,
                       .match = 1,
                       .data = data,
                       .bytes = bytes,
                       .handle = handle};
    return send;
}

static void start(void) {
    uet_send_t send = message(3 * PAYLOAD_MTU, 1);
    bench_create(&bench, 4);
    EXPECT(uet_node_send(bench.node, &send));
    EXPECT_NUMBER(bench.answers, 3);
    EXPECT_NUMBER(bench.last.pds.flags, UET_FLAG_SYN | UET_FLAG_AR);
    first = bench.last.pds.psn - bench.last.pds.psn_offset;
    pdcid = bench.last.pds.spdcid;
    send = message(8, 2);
    EXPECT(uet_node_send(bench.node, &send));
    EXPECT_NUMBER(bench.answers, 4);
}

/* Packet `at`, counted from the first, is answered; all up to `cack` are acknowledged. */
static uet_packet_t ack(int cack, int at) {
    uet_packet_t packet = bench_request(&bench);
    packet.pds = (uet_pds_t){.type = UET_PDS_ACK,
                             .next_hdr = UET_NEXT_RSP,
                             .cack_psn = first + (unsigned)cack,
                             .ack_psn_offset = (int16_t)(at - cack),
                             .spdcid = 0x202,
                             .dpdcid = pdcid};
    packet.ses = (uet_ses_t){.kind = UET_NEXT_RSP,
                             .opcode = UET_RSP_DEFAULT,
                             .return_code = UET_RC_OK,
                             .message_id = at < 3 ? 1 : 2,
                             .job_id = JOB,
                             .modified_length = at < 3 ? 3 * PAYLOAD_MTU : 8};
    packet.payload_bytes = 0;
    return packet;
}

static uet_packet_t nack(unsigned code, int at, uint32_t payload) {
    uet_packet_t packet = ack(0, 0);
    packet.pds = (uet_pds_t){.type = UET_PDS_NACK,
                             .nack_code = (uint8_t)code,
                             .nack_psn = first + (unsigned)at,
                             .spdcid = 0x202,
                             .dpdcid = pdcid,
                             .payload = payload};
    packet.ses = (uet_ses_t){0};
    return packet;
}

/* Everything is acknowledged: both senders hear of it, and nothing was disturbed before. */
static void finish(void) {
    uet_packet_t packet = ack(3, 3);
    unsigned sent = bench.sent;
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_ACK);
    EXPECT_NUMBER(sent, 0);
    EXPECT_NUMBER(bench.sent, 2);
    EXPECT_NUMBER(bench.told.code, UET_RC_OK);
    bench_destroy(&bench);
}

static void ignored(uet_packet_t packet) {
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_ACK_IGNORED);
    EXPECT_NUMBER(bench.sent, 0);
    finish();
}

#define IGNORED(change)                                                                            \
    do {                                                                                           \
        start();                                                                                   \
        uet_packet_t packet = ack(3, 3);                                                           \
        change;                                                                                    \
        ignored(packet);                                                                           \
    } while (0)

static void w8_case_33_forged_acknowledgements(void) {
    IGNORED(packet.pds.dpdcid += 1);
    IGNORED(packet.pds.spdcid = 0);
    IGNORED(packet.pds.cack_psn += 1);
    IGNORED(packet.envelope.source_low += 1);
    start();
    uet_packet_t packet = ack(1, 1);
    bench_give(&bench, &packet); /* tells the target's number: another one is none of its */
    bench_expect_silence(&bench, UET_COUNT_ACK);
    packet = ack(3, 3);
    packet.pds.spdcid = 0x203;
    ignored(packet);
}

static void w4_case_33_a_stale_one_takes_nothing_back(void) {
    start();
    uet_packet_t packet = ack(1, 1);
    bench_give(&bench, &packet);
    packet = ack(0, 0);
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_ACK_IGNORED);
    finish();
}

static void w4_case_34_an_answer_to_another_message(void) {
    start();
    uet_packet_t packet = ack(-1, 3);
    packet.ses.message_id = 77;
    packet.ses.opcode = UET_RSP_RESPONSE;
    packet.ses.return_code = UET_RC_OP_VIOLATION;
    bench_give(&bench, &packet); /* the acknowledgement counts, its answer does not */
    bench_expect_silence(&bench, UET_COUNT_ACK);
    EXPECT_NUMBER(bench.sent, 0);
    finish();
}

static void w6_case_35_refusals_of_nothing(void) {
    const unsigned codes[] = {UET_NACK_ROD_OOO, 0x03, 0x0c, 0x80};
    const int packets[] = {4, 0, 0, 0};
    for (unsigned i = 0; i < 4; i++) {
        start();
        uet_packet_t packet = nack(codes[i], packets[i], 0);
        bench_give(&bench, &packet);
        bench_expect_silence(&bench, UET_COUNT_NACK_IGNORED);
        finish();
    }
}

static void w1_case_36_one_loss_is_mended_once(void) {
    start();
    uet_packet_t packet = ack(0, 0);
    bench_give(&bench, &packet);
    for (unsigned round = 0; round < 3; round++) {
        packet = nack(UET_NACK_ROD_OOO, 2 + (int)round % 2, first + 1);
        bench_give(&bench, &packet);
        EXPECT_NUMBER(bench.answers, round == 0 ? 3 : 0); /* PSNs first + 1 to first + 3 */
        if (round == 0) {
            EXPECT_NUMBER(bench.last.pds.flags & UET_FLAG_RETX, UET_FLAG_RETX);
        }
    }
    EXPECT_NUMBER(uet_node_stats(bench.node)->sent_again, 3);
    finish();
}

static void w1_a_timer_goes_back_to_the_first_without_an_answer(void) {
    start();
    uet_packet_t packet = ack(1, 1);
    bench_give(&bench, &packet);
    bench.answers = 0;
    bench_advance(&bench, uet_node_next(bench.node) - 1);
    EXPECT_NUMBER(bench.answers, 0);
    bench_advance(&bench, uet_node_next(bench.node));
    EXPECT_NUMBER(bench.answers, 2);
    EXPECT_NUMBER(bench.last.pds.psn, first + 3);
    finish();
}

static void w4_an_answer_alone_is_no_completion(void) {
    start();
    uet_packet_t packet = ack(-1, 2); /* the last packet of the first message, not those before */
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.sent, 0);
    finish();
}

static void w7_a_pdc_that_dies_ends_its_messages_with_an_error(void) {
    start();
    uet_packet_t packet = nack(UET_NACK_INV_DPDCID, 0, 0);
    packet.pds.spdcid = 0;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.sent, 2);
    EXPECT(bench.told.given_up);
    EXPECT_NUMBER(bench.told.code, UET_RC_UNDELIVERABLE);
    EXPECT_NUMBER(bench.told.to.address, PEER);
    EXPECT(uet_node_quiet(bench.node));
    bench_destroy(&bench);
}

static void w5_what_was_refused_goes_again_in_its_order(void) {
    start();
    uet_packet_t packet = ack(3, 3);
    packet.ses.opcode = UET_RSP_RESPONSE;
    packet.ses.return_code = UET_RC_BAD_GENERATION;
    packet.ses.ri_generation = 4;
    packet.ses.modified_length = 0;
    bench_give(&bench, &packet); /* the first was taken, the second not */
    EXPECT_NUMBER(bench.sent, 1);
    EXPECT_NUMBER(bench.told.handle, 1);
    bench.answers = 0;
    bench_advance(&bench, uet_node_next(bench.node));
    EXPECT_NUMBER(bench.answers, 1);
    EXPECT_NUMBER(bench.last.ses.ri_generation, 4);
    EXPECT_NUMBER(bench.last.ses.request_length, 8);
    EXPECT_NUMBER(bench.last.pds.psn, first + 4);
    bench_destroy(&bench);
}

int main(void) {
    RUN(w8_case_33_forged_acknowledgements);
    RUN(w4_case_33_a_stale_one_takes_nothing_back);
    RUN(w4_case_34_an_answer_to_another_message);
    RUN(w6_case_35_refusals_of_nothing);
    RUN(w1_case_36_one_loss_is_mended_once);
    RUN(w1_a_timer_goes_back_to_the_first_without_an_answer);
    RUN(w4_an_answer_alone_is_no_completion);
    RUN(w7_a_pdc_that_dies_ends_its_messages_with_an_error);
    RUN(w5_what_was_refused_goes_again_in_its_order);
    return expect_summary();
}
