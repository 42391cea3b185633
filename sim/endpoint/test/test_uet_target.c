/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that a target does not take as they are, each with its answer and its counter; afterwards
 * the next packet in order is taken as if nothing had happened (W6).  The number in a name is the
 * row of docs/wire.md's table of negative cases.
 */
#include "bench.h"

static bench_t bench;

static void nacked(uet_packet_t packet, unsigned code, bool names_pdc, uet_count_t count) {
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, code, names_pdc ? bench.peer_pdcid : 0, count);
    EXPECT_NUMBER(bench.last.pds.nack_psn, packet.pds.psn);
    EXPECT_NUMBER(bench.last.pds.dpdcid, packet.pds.spdcid);
    bench_expect_goes_on(&bench);
}

static void changed(size_t (*change)(uint8_t *, size_t), bool seal, uet_reason_t reason) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    bench_give_changed(&bench, &packet, change, seal);
    bench_expect_dropped(&bench, reason);
    bench_expect_goes_on(&bench);
}

static size_t flip_payload(uint8_t *frame, size_t bytes) {
    frame[bytes - 6] ^= 1;
    return bytes;
}

static void w6_case_01_crc(void) { changed(flip_payload, false, UET_CRC); }

static size_t longer_udp(uint8_t *frame, size_t bytes) {
    frame[39] += 1;
    return bytes;
}

/* The IPv4 header's checksum follows a change of one of its bytes by `more`. */
static void correct_checksum(uint8_t *frame, unsigned at, unsigned more) {
    unsigned sum = (unsigned)frame[24] << 8 | frame[25];
    unsigned step = at % 2 == 0 ? more << 8 : more;
    sum = sum >= step ? sum - step : sum + 0xffff - step;
    frame[24] = (uint8_t)(sum >> 8);
    frame[25] = (uint8_t)sum;
}

static size_t longer_ip(uint8_t *frame, size_t bytes) {
    frame[17] += 1;
    correct_checksum(frame, 17, 1);
    return bytes;
}

static void w6_case_02_lengths(void) {
    changed(longer_udp, true, UET_UDP_LENGTH);
    changed(longer_ip, false, UET_IP_LENGTH);
}

static size_t fragment(uint8_t *frame, size_t bytes) {
    frame[21] += 1;
    correct_checksum(frame, 21, 1);
    return bytes;
}

static size_t wrong_checksum(uint8_t *frame, size_t bytes) {
    frame[25] ^= 1;
    return bytes;
}

static size_t options(uint8_t *frame, size_t bytes) {
    frame[14] += 1;
    correct_checksum(frame, 14, 1);
    return bytes;
}

static void w6_case_03_internet_header(void) {
    changed(fragment, false, UET_IP_FRAGMENT);
    changed(wrong_checksum, false, UET_IP_CHECKSUM);
    changed(options, false, UET_IP_OPTIONS);
}

static size_t cut_in_pds(uint8_t *frame, size_t bytes) {
    (void)frame;
    return bytes - bytes + 42 + 8;
}

static void w6_case_04_cut(void) { changed(cut_in_pds, false, UET_IP_LENGTH); }

static size_t type_0(uint8_t *frame, size_t bytes) {
    frame[42] &= 0x07;
    return bytes;
}

static size_t type_15(uint8_t *frame, size_t bytes) {
    frame[42] = (uint8_t)((frame[42] & 0x07) | 15 << 3);
    return bytes;
}

static void w6_case_05_reserved_types(void) {
    changed(type_0, true, UET_PDS_TYPE);
    changed(type_15, true, UET_PDS_TYPE);
}

static void w1_case_06_unknown_pdc(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.dpdcid = (uint16_t)(bench.peer_pdcid + 1);
    nacked(packet, UET_NACK_INV_DPDCID, false, UET_COUNT_MISMATCH);
    bench_open(&bench);
    packet = bench_request(&bench);
    packet.pds.dpdcid = 0;
    nacked(packet, UET_NACK_INV_DPDCID, false, UET_COUNT_MISMATCH);
}

static void w8_case_07_pdc_of_another(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.spdcid = PDCID + 1;
    nacked(packet, UET_NACK_PDC_HDR_MISMATCH, false, UET_COUNT_MISMATCH);
}

static void w1_case_08_another_mode(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.type = UET_PDS_RUD_REQ;
    nacked(packet, UET_NACK_PDC_MODE_MISMATCH, true, UET_COUNT_MISMATCH);
}

static void w6_case_09_syn_without_request(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_syn(&bench);
    packet.pds.next_hdr = UET_NEXT_RSP;
    packet.ses = (uet_ses_t){.kind = UET_NEXT_RSP};
    packet.pds.psn_offset = 1;
    nacked(packet, UET_NACK_PDC_HDR_MISMATCH, false, UET_COUNT_MISMATCH);
}

static void w6_case_09_no_header_of_a_first_request(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_syn(&bench);
    packet.pds.next_hdr = packet.ses.kind = UET_NEXT_REQ_SMALL;
    packet.pds.psn_offset = 1;
    nacked(packet, UET_NACK_PDC_HDR_MISMATCH, false, UET_COUNT_MISMATCH);
    bench_open(&bench);
    packet.pds.type = UET_PDS_RUD_REQ; /* the mode is looked at first */
    nacked(packet, UET_NACK_PDC_MODE_MISMATCH, true, UET_COUNT_MISMATCH);
}

static void w6_case_10_syn_from_pdcid_0(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_syn(&bench);
    packet.pds.spdcid = 0;
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_MISMATCH);
    bench_expect_goes_on(&bench);
}

static void w5_case_11_no_pdc_left(void) {
    bench_create(&bench, 1);
    bench_post(&bench);
    uet_packet_t packet = bench_syn(&bench);
    bench_give(&bench, &packet);
    bench_expect_default(&bench);
    bench.peer_pdcid = bench.last.pds.spdcid;
    bench.next += 1;
    packet = bench_syn(&bench);
    packet.pds.spdcid = PDCID + 1;
    nacked(packet, UET_NACK_NO_PDC_AVAIL, false, UET_COUNT_NO_ROOM);
}

static void w1_case_12_syn_with_another_start(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_syn(&bench);
    packet.pds.psn_offset = 0; /* START is one less */
    nacked(packet, UET_NACK_INVALID_SYN, true, UET_COUNT_MISMATCH);
}

static void w6_case_12_syn_that_begins_beyond_the_window(void) {
    bench_create(&bench, 1);
    uet_packet_t packet = bench_syn(&bench);
    packet.pds.psn_offset = UET_WINDOW_MOST;
    packet.pds.psn += UET_WINDOW_MOST;
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, UET_NACK_INVALID_SYN, 0, UET_COUNT_MISMATCH);
    bench_post(&bench);
    packet = bench_syn(&bench); /* it has opened no PDC */
    bench_give(&bench, &packet);
    bench_expect_default(&bench);
    bench_destroy(&bench);
}

static uet_packet_t control(unsigned kind, unsigned flags) {
    uet_packet_t packet = bench_request(&bench);
    packet.pds.type = UET_PDS_CP;
    packet.pds.next_hdr = (uint8_t)kind;
    packet.pds.flags = (uint8_t)(UET_FLAG_ISROD | flags);
    packet.pds.clear_psn_offset = 0;
    packet.ses = (uet_ses_t){0};
    packet.payload_bytes = 0;
    return packet;
}

static void w6_case_37_control_packets(void) {
    bench_open(&bench);
    nacked(control(UET_CP_CREDIT, 0), UET_NACK_UNEXP_EVENT, true, UET_COUNT_UNSUPPORTED);
    bench_open(&bench);
    uet_packet_t packet = control(UET_CP_NOOP, UET_FLAG_AR);
    packet.pds.dpdcid = (uint16_t)(bench.peer_pdcid + 1);
    nacked(packet, UET_NACK_INV_DPDCID, false, UET_COUNT_MISMATCH);
}

static void w6_case_37_control_packets_with_syn(void) {
    bench_create(&bench, 1);
    uet_packet_t packet = control(UET_CP_NOOP, UET_FLAG_SYN | UET_FLAG_AR);
    bench_give(&bench, &packet); /* opens none */
    bench_expect_nack(&bench, UET_NACK_INV_DPDCID, 0, UET_COUNT_MISMATCH);
    bench_destroy(&bench);
    bench_open(&bench);
    packet = control(UET_CP_NOOP, UET_FLAG_SYN);
    packet.pds.psn_offset = 1;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.answers, 1);
    EXPECT_NUMBER(bench.last.pds.type, UET_PDS_ACK);
    EXPECT_NUMBER(bench.last.pds.cack_psn, bench.next);
    bench.next += 1;
    bench_expect_goes_on(&bench);
}

static void congestion_is_told_in_refusals_too(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.psn += 1;
    packet.envelope.ecn = 3;
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.pds.nack_code, UET_NACK_ROD_OOO);
    EXPECT_NUMBER(bench.last.pds.flags, UET_FLAG_M);
    bench_expect_goes_on(&bench);
}

static void w7_case_38_close_with_a_message_open(void) {
    (void)bench_second_of_three(&bench);
    uet_packet_t packet = control(UET_CP_CLOSE, UET_FLAG_AR);
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, UET_NACK_CLOSING_IN_ERR, bench.peer_pdcid, UET_COUNT_CONTROL);
    EXPECT_NUMBER(bench.received, 2);
    EXPECT_NUMBER(bench.completion.code, UET_RC_DROPPED);
    bench_destroy(&bench);
}

static void w1_case_39_after_close(void) {
    bench_open(&bench);
    uet_packet_t packet = control(UET_CP_CLOSE, UET_FLAG_AR);
    bench_give(&bench, &packet);
    EXPECT_NUMBER(bench.last.pds.type, UET_PDS_ACK);
    EXPECT_NUMBER(bench.last.pds.cack_psn, bench.next);
    bench.next += 1;
    packet = bench_request(&bench);
    bench_give(&bench, &packet);
    bench_expect_nack(&bench, UET_NACK_INV_DPDCID, 0, UET_COUNT_MISMATCH);
    packet = bench_syn(&bench); /* late, of the PDC that is closed: does not open it again */
    packet.pds.psn = START;
    bench_give(&bench, &packet);
    bench_expect_silence(&bench, UET_COUNT_DUPLICATE);
    EXPECT_NUMBER(bench.received, 1);
    bench_destroy(&bench);
}

static void w2_case_40_data_that_nobody_asked_for(void) {
    bench_open(&bench);
    uet_packet_t packet = bench_request(&bench);
    packet.pds.next_hdr = UET_NEXT_RSP_DATA;
    packet.ses = (uet_ses_t){.kind = UET_NEXT_RSP_DATA, .opcode = UET_RSP_RESPONSE_W_DATA};
    nacked(packet, UET_NACK_UNEXP_EVENT, true, UET_COUNT_UNSUPPORTED);
}

static size_t encrypted(uint8_t *frame, size_t bytes) {
    frame[42] = (uint8_t)((frame[42] & 0x07) | UET_PDS_TSS << 3);
    return bytes;
}

static size_t datagram(uint8_t *frame, size_t bytes) {
    frame[42] = (uint8_t)((frame[42] & 0x07) | UET_PDS_UUD_REQ << 3);
    return bytes;
}

static void w6_case_42_no_keys(void) {
    changed(encrypted, true, UET_ENCRYPTED);
    changed(datagram, true, UET_PDS_OMITTED);
}

int main(void) {
    RUN(w6_case_01_crc);
    RUN(w6_case_02_lengths);
    RUN(w6_case_03_internet_header);
    RUN(w6_case_04_cut);
    RUN(w6_case_05_reserved_types);
    RUN(w1_case_06_unknown_pdc);
    RUN(w8_case_07_pdc_of_another);
    RUN(w1_case_08_another_mode);
    RUN(w6_case_09_syn_without_request);
    RUN(w6_case_09_no_header_of_a_first_request);
    RUN(w6_case_10_syn_from_pdcid_0);
    RUN(w5_case_11_no_pdc_left);
    RUN(w1_case_12_syn_with_another_start);
    RUN(w6_case_12_syn_that_begins_beyond_the_window);
    RUN(w6_case_37_control_packets);
    RUN(w6_case_37_control_packets_with_syn);
    RUN(congestion_is_told_in_refusals_too);
    RUN(w7_case_38_close_with_a_message_open);
    RUN(w1_case_39_after_close);
    RUN(w2_case_40_data_that_nobody_asked_for);
    RUN(w6_case_42_no_keys);
    return expect_summary();
}
