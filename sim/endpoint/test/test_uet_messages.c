/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that a target refuses or cuts short: what is answered, what the receive is told (W2,
 * W7). Afterwards the next packet in order is taken as if nothing had happened.  The number in a
 * name is the row of docs/wire.md's table of negative cases.
 */
#include "bench.h"

static bench_t bench;

/* A request on an open PDC that is answered with a return code; it counts as accepted. */
static void refused(uet_packet_t packet, unsigned return_code) {
    bench_give(&bench, &packet);
    bench_expect_response(&bench, return_code);
    EXPECT_NUMBER(bench.received, 1);
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

#define REFUSED(change, code)                                                                      \
    do {                                                                                           \
        bench_open(&bench);                                                                        \
        uet_packet_t packet = bench_request(&bench);                                               \
        change;                                                                                    \
        refused(packet, code);                                                                     \
    } while (0)

static void w6_case_17_version(void) { REFUSED(packet.ses.version = 1, UET_RC_UNCOR); }

static void w6_case_18_opcode(void) {
    REFUSED(packet.ses.opcode = UET_OP_SEND, UET_RC_UNSUPPORTED_OP);
    REFUSED(packet.ses.opcode = UET_OP_TSEND_ATOMIC, UET_RC_UNSUPPORTED_OP);
    REFUSED(packet.ses.opcode = 0x30, UET_RC_UNSUPPORTED_OP);
}

static void w8_case_19_unknown_endpoint(void) {
    REFUSED(packet.ses.job_id = JOB + 1, UET_RC_BAD_JOB_ID);
    REFUSED(packet.ses.pid_on_fep = PID + 1, UET_RC_BAD_PID);
    REFUSED(packet.ses.resource_index = INDEX + 1, UET_RC_BAD_INDEX);
    REFUSED(packet.ses.flags &= (uint8_t)~UET_SES_REL, UET_RC_BAD_PID);
}

static void w5_case_20_generation(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.ses.ri_generation = 9;
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_BAD_GENERATION);
    EXPECT_NUMBER(bench.last.ses.ri_generation, 0);
    bench.next += 1;
    bench_enable(&bench, false);
    packet = bench_request(&bench);
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_DISABLED_GEN);
    bench.next += 1;
    bench_enable(&bench, true);
    packet = bench_request(&bench);
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_BAD_GENERATION);
    EXPECT_NUMBER(bench.last.ses.ri_generation, 1);
    bench_destroy(&bench);
}

static void w2_case_21_first_payload(void) {
    REFUSED(packet.ses.request_length = 9, UET_RC_OP_VIOLATION);
    REFUSED(packet.payload_bytes = 7, UET_RC_OP_VIOLATION);
}

static void w2_case_22_medium(void) {
    REFUSED((packet.pds.next_hdr = packet.ses.kind = UET_NEXT_REQ_MEDIUM,
             packet.ses.request_length = 9),
            UET_RC_OP_VIOLATION);
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.next_hdr = packet.ses.kind = UET_NEXT_REQ_MEDIUM;
    packet.ses.flags = UET_SES_REL | UET_SES_SOM;
    refused(packet, UET_RC_OP_VIOLATION);
}

/* The packet is refused, and its matched receive ends with that error, not in silence. */
static void broken(uet_packet_t packet, unsigned return_code) {
    bench_give(&bench, &packet);
    bench_expect_response(&bench, return_code);
    bench.next += 1;
    EXPECT_NUMBER(bench.received, 2);
    EXPECT_NUMBER(bench.completion.code, return_code);
    EXPECT_NUMBER(bench.completion.written, PAYLOAD_MTU);
    bench_expect_goes_on(&bench);
}

#define BROKEN(change, code)                                                                       \
    do {                                                                                           \
        uet_packet_t packet = bench_second_of_three(&bench);                                       \
        change;                                                                                    \
        broken(packet, code);                                                                      \
    } while (0)

static void w2_case_23_payload_length(void) {
    BROKEN(packet.ses.payload_length -= 1, UET_RC_OP_VIOLATION);
}

static void w2_case_24_offsets(void) {
    BROKEN(packet.ses.message_offset = 140, UET_RC_BAD_ADDR);
    BROKEN(packet.ses.message_offset = 65, UET_RC_OP_VIOLATION);
}

static void w2_case_25_ends_early(void) {
    BROKEN(packet.ses.flags |= UET_SES_EOM, UET_RC_OP_VIOLATION);
}

static void w1_case_26_id_in_use(void) {
    uet_packet_t second = bench_second_of_three(&bench);
    uet_packet_t other = bench_part(&bench, 8, 0, 150);
    bench_give(&bench, &other);
    bench_expect_response(&bench, UET_RC_OP_VIOLATION);
    bench.next += 1;
    second.pds.psn = bench.next;
    bench_give(&bench, &second); /* the first message goes on */
    bench_expect_default(&bench);
    bench.next += 1;
    uet_packet_t third = bench_part(&bench, 8, 2 * PAYLOAD_MTU, 150);
    bench_give(&bench, &third);
    bench_expect_default(&bench);
    EXPECT_NUMBER(bench.completion.code, UET_RC_OK);
    EXPECT_NUMBER(bench.completion.written, 150);
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

static void w2_case_25_one_packet_ends_early(void) {
    REFUSED((packet.ses.request_length = 2 * PAYLOAD_MTU, packet.payload_bytes = PAYLOAD_MTU),
            UET_RC_OP_VIOLATION);
    REFUSED((packet.ses.request_length = 2 * PAYLOAD_MTU, packet.payload_bytes = PAYLOAD_MTU,
             packet.ses.job_id += 1), /* the endpoint is looked at first */
            UET_RC_BAD_JOB_ID);
}

static void w1_case_26_what_is_wrong_by_itself_is_told_first(void) {
    uet_packet_t second = bench_second_of_three(&bench);
    uet_packet_t other = bench_part(&bench, 8, 0, 150);
    other.ses.version = 1;
    bench_give(&bench, &other);
    bench_expect_response(&bench, UET_RC_UNCOR);
    bench.next += 1;
    second.pds.psn = bench.next;
    bench_give(&bench, &second); /* the first message goes on */
    bench_expect_default(&bench);
    bench.next += 1;
    bench_destroy(&bench);
}

/* A medium header carries a whole message: none is open behind it. */
static void w2_case_22_medium_leaves_nothing_open(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.next_hdr = packet.ses.kind = UET_NEXT_REQ_MEDIUM;
    packet.ses.flags = UET_SES_REL | UET_SES_SOM;
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_OP_VIOLATION);
    bench.next += 1;
    packet = bench_request(&bench);
    packet.pds = (uet_pds_t){.type = UET_PDS_CP,
                             .next_hdr = UET_CP_CLOSE,
                             .flags = UET_FLAG_AR,
                             .psn = bench.next,
                             .spdcid = PDCID,
                             .dpdcid = bench.peer_pdcid};
    packet.ses = (uet_ses_t){0};
    packet.payload_bytes = 0;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.pds.type, UET_PDS_ACK);
    bench_destroy(&bench);
}

/* A refused message ends with MSG_ERROR, with EOM or without. */
static void w7_case_29_message_error_ends_what_was_refused(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_part(&bench, 8, 0, 150);
    packet.ses.ri_generation = 9;
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_BAD_GENERATION);
    bench.next += 1;
    packet = bench_part(&bench, 8, PAYLOAD_MTU, 150);
    packet.ses.opcode = UET_OP_MSG_ERROR;
    packet.ses.payload_length = 0;
    packet.payload_bytes = 0;
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_BAD_GENERATION);
    bench.next += 1;
    packet = bench_part(&bench, 8, 2 * PAYLOAD_MTU, 150);
    refused(packet, UET_RC_OP_VIOLATION); /* of no message */
}

static void w2_case_27_no_message(void) {
    bench_open(&bench);
    refused(bench_part(&bench, 9, PAYLOAD_MTU, 150), UET_RC_OP_VIOLATION);
}

static void w2_case_28_length_changes(void) {
    BROKEN(packet.ses.request_length = 151, UET_RC_OP_VIOLATION);
    uet_packet_t packet = bench_second_of_three(&bench);
    packet.ses.match_bits = 1; /* those of the first packet count */
    bench_give(&bench, &packet);
    bench_expect_default(&bench);
    bench.next += 1;
    packet = bench_part(&bench, 8, 2 * PAYLOAD_MTU, 150);
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.completion.match, 0x20000002a);
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

static void w7_case_29_message_error(void) {
    REFUSED((packet.ses.opcode = UET_OP_MSG_ERROR), UET_RC_INITIATOR_ERR);
    REFUSED((packet.ses.opcode = UET_OP_MSG_ERROR, packet.ses.flags = UET_SES_EOM | UET_SES_REL,
             packet.payload_bytes = 0),
            UET_RC_INITIATOR_ERR);
    BROKEN((packet.ses.opcode = UET_OP_MSG_ERROR, packet.ses.flags |= UET_SES_EOM,
            packet.ses.payload_length = 0, packet.payload_bytes = 0),
           UET_RC_INITIATOR_ERR);
}

static void w2_case_30_payload_in_error(void) {
    REFUSED(packet.ses.flags |= UET_SES_IE, UET_RC_INITIATOR_ERR);
    BROKEN(packet.ses.flags |= UET_SES_IE, UET_RC_INITIATOR_ERR);
}

static void w3_case_31_no_bytes(void) {
    bench_open(&bench);
    bench_post(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.ses.request_length = 0;
    packet.payload_bytes = 0;
    bench_give(&bench, &packet);
    bench_expect_default(&bench);
    EXPECT_NUMBER(bench.received, 2);
    EXPECT_NUMBER(bench.completion.length, 0);
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

static void r12_case_32_truncated(void) {
    bench_open(&bench);
    bench_post_of(&bench, 3);
    uet_packet_t packet = bench_request(&bench);
    bench_give(&bench, &packet);
    bench_expect_response(&bench, UET_RC_OK);
    EXPECT_NUMBER(bench.last.ses.modified_length, 3);
    EXPECT_NUMBER(bench.completion.length, 8);
    EXPECT_NUMBER(bench.completion.written, 3);
    EXPECT_NUMBER(bench.buffer[1][2], 3);
    EXPECT_NUMBER(bench.buffer[1][3], 0); /* W2 */
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

static void w6_case_41_ready_to_restart(void) {
    REFUSED((packet.ses.opcode = UET_OP_DEFERRABLE_RTR), UET_RC_UNSUPPORTED_OP);
}

int main(void) {
    RUN(w6_case_17_version);
    RUN(w6_case_18_opcode);
    RUN(w8_case_19_unknown_endpoint);
    RUN(w5_case_20_generation);
    RUN(w2_case_21_first_payload);
    RUN(w2_case_22_medium);
    RUN(w2_case_23_payload_length);
    RUN(w2_case_24_offsets);
    RUN(w2_case_25_ends_early);
    RUN(w2_case_25_one_packet_ends_early);
    RUN(w1_case_26_id_in_use);
    RUN(w1_case_26_what_is_wrong_by_itself_is_told_first);
    RUN(w2_case_22_medium_leaves_nothing_open);
    RUN(w7_case_29_message_error_ends_what_was_refused);
    RUN(w2_case_27_no_message);
    RUN(w2_case_28_length_changes);
    RUN(w7_case_29_message_error);
    RUN(w2_case_30_payload_in_error);
    RUN(w3_case_31_no_bytes);
    RUN(r12_case_32_truncated);
    RUN(w6_case_41_ready_to_restart);
    return expect_summary();
}
