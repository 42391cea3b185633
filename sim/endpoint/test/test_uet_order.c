/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets of an open PDC whose number is not the expected one, and what the initiator clears (W1,
 * W6).  The number in a name is the row of docs/wire.md's table of negative cases.
 */
#include "bench.h"

static bench_t bench;

static void w1_case_13_behind_a_gap(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.psn += 1;
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, UET_NACK_ROD_OOO, bench.peer_pdcid, UET_COUNT_OUT_OF_ORDER);
    EXPECT_NUMBER(bench.last.pds.payload, bench.next);
    bench_give(&bench, &packet); /* told once for each gap */
    bench_expect_silence(&bench, UET_COUNT_OUT_OF_ORDER);
    bench_expect_goes_on(&bench);
}

static void w1_case_14_beyond_the_window(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.psn += UET_WINDOW_MOST;
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, UET_NACK_PSN_OOR_WINDOW, bench.peer_pdcid, UET_COUNT_OUT_OF_ORDER);
    bench_expect_goes_on(&bench);
}

static void w1_case_15_accepted_before(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.psn -= 1;
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_DUPLICATE);
    packet.pds.flags |= UET_FLAG_RETX;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.answers, 1);
    EXPECT_NUMBER(bench.last.ses.opcode, UET_RSP_DEFAULT);
    EXPECT_NUMBER(bench.received, 1);
    bench_expect_goes_on(&bench);
}

static void w1_case_15_too_far_back_to_be_named(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.flags |= UET_FLAG_RETX;
    packet.pds.psn -= 0x8002; /* an offset from CACK has 16 bits */
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_DUPLICATE);
    packet.pds.psn += 1;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.pds.ack_psn_offset, INT16_MIN);
    bench_expect_goes_on(&bench);
}

/* A request that is refused, and whose answer is kept; the bench has yet to go on to the next. */
static uet_packet_t open_refused(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.ses.opcode = UET_OP_WRITE;
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_UNSUPPORTED_OP);
    return packet;
}

/* Packets that were accepted before, or come too early, clear nothing (W6). */
static void w6_case_15_only_what_is_expected_clears(void) {
    uet_packet_t packet = open_refused();
    bench.next += 1;
    packet.pds.flags |= UET_FLAG_RETX;
    packet.pds.clear_psn_offset = 0;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.ses.return_code, UET_RC_UNSUPPORTED_OP);
    EXPECT_NUMBER(bench.last.pds.cack_psn, bench.next - 2);
    bench_expect_goes_on(&bench);
}

static void w1_case_15_a_kept_answer_is_given_again(void) {
    uet_packet_t packet = open_refused();
    packet.pds.flags |= UET_FLAG_RETX;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.ses.return_code, UET_RC_UNSUPPORTED_OP);
    bench.next += 1;
    uet_packet_t clear = bench_request(&bench); /* its clear_psn_offset lets the answer go */
    bench_post(&bench);
    bench_give(&bench, &clear);
    bench_expect_default(&bench);
    bench.next += 1;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.ses.opcode, UET_RSP_DEFAULT);
    bench_expect_goes_on(&bench);
}

static void w6_case_16_clear_ahead(void) {
    uet_packet_t packet = open_refused();
    bench.next += 1;
    uet_packet_t ahead = bench_request(&bench);
    ahead.pds.clear_psn_offset = 5;
    bench_post(&bench);
    bench_give(&bench, &ahead);
    bench_expect_default(&bench);
    bench.next += 1;
    packet.pds.flags |= UET_FLAG_RETX;
    bench_give(&bench, &packet); /* still kept */
    EXPECT_NUMBER(bench.last.ses.return_code, UET_RC_UNSUPPORTED_OP);
    bench_expect_goes_on(&bench);
}

int main(void) {
    RUN(w1_case_13_behind_a_gap);
    RUN(w1_case_14_beyond_the_window);
    RUN(w1_case_15_accepted_before);
    RUN(w1_case_15_too_far_back_to_be_named);
    RUN(w6_case_15_only_what_is_expected_clears);
    RUN(w1_case_15_a_kept_answer_is_given_again);
    RUN(w6_case_16_clear_ahead);
    return expect_summary();
}
