/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One endpoint, 10.0.0.2, and forged packets from a peer, 10.0.0.1: what it answers and counts. The
 * model of the wire says the same of each.
 */
#ifndef BENCH_H
#define BENCH_H

#include <string.h>

#include "expect_law.h"

enum {
    OURS = 0x0a000002,
    PEER = 0x0a000001,
    JOB = 0xabcd,
    PID = 3,
    INDEX = 15,
    PDCID = 0x101, /* the peer's */
    START = 0x12000,
    PAYLOAD_MTU = 64,
    RECEIVE_BYTES = 200,
    FRAME_ROOM = 512
};

typedef struct {
    uet_node_t *node;
    wire_judge_t *judge;
    uint16_t peer_pdcid; /* of the endpoint, once it has told */
    uint32_t next;       /* PSN of the next request */
    unsigned answers;    /* since the last packet was given */
    uint8_t answer[FRAME_ROOM];
    uet_packet_t last; /* decoded from it */
    unsigned received;
    uet_received_t completion;
    unsigned sent;
    uet_sent_t told;
    uint8_t buffer[8][RECEIVE_BYTES];
    unsigned posted;
    uet_node_stats_t before;
} bench_t;

static const uet_settings_t bench_settings = UET_SETTINGS_DEFAULT;
static const uint8_t bench_payload[RECEIVE_BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};

static inline void on_frame(void *context, const uint8_t *frame, size_t bytes) {
    bench_t *bench = context;
    uet_error_t error;
    bench->answers += 1;
    wire_judge_sent(bench->judge, frame, bytes);
    memcpy(bench->answer, frame, bytes);
    EXPECT(uet_packet_decode(bench->answer, bytes, &bench_settings, &bench->last, &error));
    EXPECT_NUMBER(bench->last.envelope.destination_low, PEER);
}

static inline void on_sent(void *context, const uet_sent_t *sent) {
    bench_t *bench = context;
    bench->sent += 1;
    bench->told = *sent;
}

static inline void on_received(void *context, const uet_received_t *received) {
    bench_t *bench = context;
    bench->received += 1;
    bench->completion = *received;
    uet_law_received(bench->judge, received, bench->buffer[received->handle % 8]);
}

/* With an endpoint and no PDC. */
static inline void bench_create(bench_t *bench, uint32_t pdcs) {
    uet_node_config_t config = UET_NODE_DEFAULT;
    uet_callbacks_t callbacks = {bench, on_frame, on_sent, on_received, NULL};
    memset(bench, 0, sizeof *bench);
    config.address = OURS;
    config.payload_mtu = PAYLOAD_MTU;
    config.pdcs = pdcs;
    config.window = 8;
    wire_endpoint_t endpoint = {.job = JOB, .pid = PID, .index = INDEX};
    bench->node = uet_node_create(&config, &callbacks);
    bench->judge = uet_law_judge(&config);
    bench->next = START;
    EXPECT_NUMBER(uet_node_endpoint(bench->node, JOB, PID, INDEX), 0);
    EXPECT_NUMBER(wire_model_endpoint(wire_judge_model(bench->judge), &endpoint), 0);
}

static inline void bench_destroy(bench_t *bench) { expect_law(bench->judge, bench->node); }

/* A receive that takes any message. */
static inline void bench_post_of(bench_t *bench, uint32_t bytes) {
    uet_receive_t receive = {
        .ignore = UINT64_MAX,
        .source_ignore = UINT32_MAX,
        .buffer = bench->buffer[bench->posted % 8],
        .bytes = bytes,
        .handle = bench->posted,
    };
    wire_receive_t law = {
        .ignore = UINT64_MAX,
        .source_ignore = UINT32_MAX,
        .address = (uintptr_t)receive.buffer,
        .bytes = bytes,
        .handle = bench->posted,
    };
    bench->posted += 1;
    wire_judge_post(bench->judge, &law);
    EXPECT(uet_node_post(bench->node, &receive));
}

static inline void bench_post(bench_t *bench) { bench_post_of(bench, RECEIVE_BYTES); }

static inline void bench_enable(bench_t *bench, bool enable) {
    wire_judge_enable(bench->judge, 0, enable);
    uet_node_enable(bench->node, 0, enable);
}

static inline void bench_advance(bench_t *bench, uet_time_t now) {
    wire_judge_advance(bench->judge, now);
    uet_node_advance(bench->node, now);
}

/* The next request on the PDC: a whole message of 8 bytes. */
static inline uet_packet_t bench_request(bench_t *bench) {
    uet_packet_t packet = {
        .envelope = {.destination_mac = 0x020000000000 | OURS,
                     .source_mac = 0x020000000000 | PEER,
                     .source_low = PEER,
                     .destination_low = OURS,
                     .dont_fragment = 1,
                     .hop_limit = 64,
                     .source_port = 0xc123},
        .pds = {.type = UET_PDS_ROD_REQ,
                .next_hdr = UET_NEXT_REQ_STD,
                .flags = UET_FLAG_AR,
                .clear_psn_offset = -1,
                .psn = bench->next,
                .spdcid = PDCID,
                .dpdcid = bench->peer_pdcid},
        .ses = {.kind = UET_NEXT_REQ_STD,
                .opcode = UET_OP_TAGGED_SEND,
                .flags = UET_SES_SOM | UET_SES_EOM | UET_SES_REL,
                .message_id = 7,
                .job_id = JOB,
                .pid_on_fep = PID,
                .resource_index = INDEX,
                .initiator = 5,
                .match_bits = 0x20000002a,
                .request_length = 8},
        .payload = bench_payload,
        .payload_bytes = 8,
    };
    return packet;
}

/* The same with SYN. */
static inline uet_packet_t bench_syn(bench_t *bench) {
    uet_packet_t packet = bench_request(bench);
    packet.pds.flags = UET_FLAG_AR | UET_FLAG_SYN;
    packet.pds.dpdcid = 0;
    return packet;
}

/* A packet of a message of several: from `offset`, of `length` bytes altogether. */
static inline uet_packet_t bench_part(bench_t *bench, uint16_t id, uint32_t offset,
                                      uint32_t length) {
    uet_packet_t packet = bench_request(bench);
    uint32_t left = length - offset;
    uint32_t bytes = left < PAYLOAD_MTU ? left : PAYLOAD_MTU;
    unsigned flags = UET_SES_REL;
    flags |= offset == 0 ? UET_SES_SOM : 0u;
    flags |= bytes == left ? UET_SES_EOM : 0u;
    packet.ses.flags = (uint8_t)flags;
    packet.ses.message_id = id;
    packet.ses.request_length = length;
    packet.ses.message_offset = offset;
    packet.ses.payload_length = (uint16_t)(offset == 0 ? 0 : bytes);
    packet.payload_bytes = bytes;
    return packet;
}

static inline void bench_give_changed(bench_t *bench, const uet_packet_t *packet,
                                      size_t (*change)(uint8_t *frame, size_t bytes), bool seal) {
    uint8_t frame[FRAME_ROOM];
    uet_packet_t copy = *packet;
    uet_error_t error;
    size_t bytes = uet_packet_encode(&copy, &bench_settings, frame, sizeof frame, &error);
    EXPECT(bytes != 0);
    if (change) {
        bytes = change(frame, bytes);
    }
    if (seal) {
        uet_packet_seal(&copy.envelope, &bench_settings, frame);
    }
    bench->answers = 0;
    bench->before = *uet_node_stats(bench->node);
    wire_judge_frame(bench->judge, frame, bytes);
    uet_node_frame(bench->node, frame, bytes);
}

/* Gives a packet, or what `change` makes of its frame; what was counted before is kept. */
static inline void bench_give(bench_t *bench, const uet_packet_t *packet) {
    bench_give_changed(bench, packet, NULL, false);
}

/* One more frame, and one more in exactly one counter. */
static inline void expect_counted(const bench_t *bench, int count, int reason) {
    const uet_node_stats_t *after = uet_node_stats(bench->node);
    EXPECT_NUMBER(after->frames, bench->before.frames + 1);
    for (int i = 0; i < UET_COUNTS; i++) {
        EXPECT_NUMBER(after->counted[i] - bench->before.counted[i], i == count);
    }
    for (int i = 0; i < UET_REASONS; i++) {
        EXPECT_NUMBER(after->refused[i] - bench->before.refused[i], i == reason);
    }
}

/* Exactly this was answered, and the frame was counted there and nowhere else (W6). */
static inline void bench_expect_nack(const bench_t *bench, unsigned code, unsigned spdcid,
                                     uet_count_t count) {
    EXPECT_NUMBER(bench->answers, 1);
    EXPECT_NUMBER(bench->last.pds.type, UET_PDS_NACK);
    EXPECT_NUMBER(bench->last.pds.nack_code, code);
    EXPECT_NUMBER(bench->last.pds.spdcid, spdcid);
    expect_counted(bench, (int)count, -1);
}

static inline void bench_expect_response(const bench_t *bench, unsigned return_code) {
    EXPECT_NUMBER(bench->answers, 1);
    EXPECT_NUMBER(bench->last.pds.type, UET_PDS_ACK);
    EXPECT_NUMBER(bench->last.ses.opcode, UET_RSP_RESPONSE);
    EXPECT_NUMBER(bench->last.ses.return_code, return_code);
    EXPECT_NUMBER(bench->last.pds.flags & UET_FLAG_REQ, UET_FLAG_REQ_CLEAR);
    expect_counted(bench, UET_COUNT_TAKEN, -1);
}

static inline void bench_expect_default(const bench_t *bench) {
    EXPECT_NUMBER(bench->answers, 1);
    EXPECT_NUMBER(bench->last.pds.type, UET_PDS_ACK);
    EXPECT_NUMBER(bench->last.ses.opcode, UET_RSP_DEFAULT);
    EXPECT_NUMBER(bench->last.ses.return_code, UET_RC_OK);
    expect_counted(bench, UET_COUNT_TAKEN, -1);
}

/* And with a PDC on which one message has come. */
static inline void bench_open(bench_t *bench) {
    bench_create(bench, 4);
    bench_post(bench);
    uet_packet_t syn = bench_syn(bench);
    bench_give(bench, &syn);
    bench_expect_default(bench);
    bench->peer_pdcid = bench->last.pds.spdcid;
    bench->next += 1;
    EXPECT(bench->peer_pdcid != 0);
    EXPECT_NUMBER(bench->received, 1);
}

static inline void bench_expect_silence(const bench_t *bench, uet_count_t count) {
    EXPECT_NUMBER(bench->answers, 0);
    expect_counted(bench, (int)count, -1);
}

static inline void bench_expect_dropped(const bench_t *bench, uet_reason_t reason) {
    EXPECT_NUMBER(bench->answers, 0);
    expect_counted(bench, -1, (int)reason);
}

/* The next request in its order is taken and well: nothing has changed. */
static inline void bench_expect_goes_on(bench_t *bench) {
    unsigned received = bench->received;
    bench_post(bench);
    uet_packet_t packet = bench_request(bench);
    packet.ses.message_id = 99;
    bench_give(bench, &packet);
    bench->next += 1;
    bench_expect_default(bench);
    EXPECT_NUMBER(bench->next - 1 - bench->last.pds.cack_psn, bench->last.pds.ack_psn_offset);
    EXPECT_NUMBER(bench->received, received + 1);
    EXPECT_NUMBER(bench->completion.written, 8);
    bench_destroy(bench);
}

/* A message of three packets: the first is taken, then comes another one than the second. */
static inline uet_packet_t bench_second_of_three(bench_t *bench) {
    bench_open(bench);
    bench_post(bench);
    uet_packet_t first = bench_part(bench, 8, 0, 150);
    bench_give(bench, &first);
    bench_expect_default(bench);
    bench->next += 1;
    return bench_part(bench, 8, PAYLOAD_MTU, 150);
}

#endif
