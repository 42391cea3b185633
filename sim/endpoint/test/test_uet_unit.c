/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A node whose unit matches and has the memory, and one that sends to it with memory of a unit's:
 * where bytes go, when that is told, and what becomes of memory that is gone.
 */
#include <string.h>

#include "expect.h"
#include "uet_node.h"

enum { MTU = 64, LONGEST = 1000, FRAMES = 64, ROOM = 256, LENGTH = 150 };

typedef struct {
    uet_node_t *node;
    uint8_t frame[FRAMES][ROOM]; /* that it has sent */
    size_t bytes[FRAMES];
    unsigned sent_frames;
    unsigned taken_frames;
    uet_unit_answer_t answer; /* of its unit */
    uet_receive_t receive;    /* that its unit gives */
    bool no_memory;
    uint64_t message;
    unsigned received;
    uet_received_t completion;
    unsigned sent;
    uet_sent_t told;
} side_t;

static side_t side[2]; /* the sender, the target */
static uint8_t out[LONGEST + 1];
static uint8_t in[LONGEST];
static uint8_t store[LONGEST];

static void on_frame(void *context, const uint8_t *frame, size_t bytes) {
    side_t *from = context;
    EXPECT(bytes <= ROOM);
    memcpy(from->frame[from->sent_frames % FRAMES], frame, bytes);
    from->bytes[from->sent_frames % FRAMES] = bytes;
    from->sent_frames += 1;
}

static void on_sent(void *context, const uet_sent_t *sent) {
    side_t *at = context;
    at->sent += 1;
    at->told = *sent;
}

static void on_received(void *context, const uet_received_t *received) {
    side_t *at = context;
    at->received += 1;
    at->completion = *received;
}

static uet_unit_answer_t arrive(void *context, const uet_message_t *message,
                                uet_receive_t *receive) {
    side_t *at = context;
    at->message = message->number;
    EXPECT_NUMBER(message->header_data, 77);
    *receive = at->receive;
    return at->answer;
}

static bool write_bytes(void *context, void *buffer, uint32_t offset, const uint8_t *bytes,
                        uint32_t count) {
    const side_t *at = context;
    if (!at->no_memory) {
        memcpy((uint8_t *)buffer + offset, bytes, count);
    }
    return !at->no_memory;
}

static const uint8_t *fetch(void *context, const uet_send_t *send, uint32_t offset,
                            uint32_t count) {
    const side_t *at = context;
    EXPECT(offset + count <= send->bytes);
    return at->no_memory ? NULL : (const uint8_t *)send->data + offset;
}

static void start(uet_unit_answer_t answer, void *buffer, uint32_t bytes) {
    static const uet_unit_t unit = {arrive, write_bytes, fetch};
    memset(side, 0, sizeof side);
    memset(in, 0, sizeof in);
    memset(store, 0, sizeof store);
    for (unsigned i = 0; i < 2; i++) {
        uet_node_config_t config = UET_NODE_DEFAULT;
        uet_callbacks_t callbacks = {&side[i], on_frame, on_sent, on_received, &unit};
        config.address = 1 + i;
        config.payload_mtu = MTU;
        config.message_most = LONGEST;
        side[i].node = uet_node_create(&config, &callbacks);
        EXPECT_NUMBER(uet_node_endpoint(side[i].node, 1, 2, 3), 0);
    }
    for (unsigned i = 0; i < sizeof out; i++) {
        out[i] = (uint8_t)(7 * i + 3);
    }
    side[1].answer = answer;
    side[1].receive = (uet_receive_t){.buffer = buffer, .bytes = bytes, .handle = 5};
}

static void stop(void) {
    uet_node_destroy(side[0].node);
    uet_node_destroy(side[1].node);
}

static void send_message(uint32_t bytes) {
    uet_send_t send = {.to = {2, 1, 2, 3},
                       .match = 42,
                       .data = out,
                       .bytes = bytes,
                       .has_header_data = true,
                       .header_data = 77,
                       .handle = 9};
    EXPECT(uet_node_send(side[0].node, &send));
}

/* Carries at most `most` frames of each side to the other. */
static void carry(unsigned most) {
    for (unsigned count = 0; count < most; count++) {
        for (unsigned i = 0; i < 2; i++) {
            side_t *from = &side[i];
            if (from->taken_frames != from->sent_frames) {
                unsigned at = from->taken_frames++ % FRAMES;
                uet_node_frame(side[1 - i].node, from->frame[at], from->bytes[at]);
            }
        }
    }
}

static void expect_received(uint32_t written, const uint8_t *bytes) {
    EXPECT_NUMBER(side[1].received, 1);
    EXPECT_NUMBER(side[1].completion.code, UET_RC_OK);
    EXPECT_NUMBER(side[1].completion.handle, 5);
    EXPECT_NUMBER(side[1].completion.length, LENGTH);
    EXPECT_NUMBER(side[1].completion.written, written);
    EXPECT_NUMBER(memcmp(bytes, out, written), 0);
    EXPECT_NUMBER(bytes[written], 0);
}

static void w2_bytes_go_to_the_receive_of_the_unit(void) {
    start(UET_UNIT_MATCHED, in, 100);
    send_message(LENGTH);
    carry(20);
    expect_received(100, in);
    EXPECT_NUMBER(side[0].told.code, UET_RC_OK);
    EXPECT_NUMBER(side[0].told.modified, 100);
    stop();
}

static void w3_a_receive_that_comes_midway_is_told_at_the_end(void) {
    start(UET_UNIT_QUEUED, store, LENGTH);
    send_message(LENGTH);
    carry(1);
    uet_receive_t receive = {.buffer = in, .bytes = LONGEST, .handle = 5};
    uet_node_taken(side[1].node, side[1].message, &receive);
    EXPECT_NUMBER(side[1].received, 0);
    EXPECT_NUMBER(memcmp(in, out, MTU), 0);
    carry(20);
    expect_received(LENGTH, in);
    EXPECT_NUMBER(store[MTU], 0);
    stop();
}

static void a_message_is_taken_where_it_lies(void) {
    start(UET_UNIT_QUEUED, store, LENGTH);
    send_message(LENGTH);
    carry(20);
    EXPECT_NUMBER(side[0].told.modified, LENGTH);
    uet_receive_t receive = {.bytes = UINT32_MAX, .handle = 5};
    uet_node_taken(side[1].node, side[1].message, &receive);
    expect_received(LENGTH, store);
    stop();
}

static void w5_a_full_endpoint_takes_the_message_later(void) {
    start(UET_UNIT_FULL, in, LONGEST);
    send_message(LENGTH);
    carry(20);
    EXPECT_NUMBER(side[0].sent, 0);
    side[1].answer = UET_UNIT_MATCHED;
    uet_node_room(side[1].node, 0);
    for (unsigned step = 1; step <= 20; step++) {
        uet_node_advance(side[0].node, step * UINT64_C(1000000));
        uet_node_advance(side[1].node, step * UINT64_C(1000000));
        carry(20);
    }
    expect_received(LENGTH, in);
    EXPECT_NUMBER(side[0].told.code, UET_RC_OK);
    stop();
}

static void w7_memory_of_the_target_that_is_gone_ends_both_with_an_error(void) {
    start(UET_UNIT_MATCHED, in, LONGEST);
    side[1].no_memory = true;
    send_message(LENGTH);
    carry(20);
    EXPECT_NUMBER(side[1].received, 1);
    EXPECT_NUMBER(side[1].completion.code, UET_RC_HOST_UNSUCCESS_CMPL);
    EXPECT_NUMBER(side[0].told.code, UET_RC_HOST_UNSUCCESS_CMPL);
    EXPECT(!side[0].told.given_up);
    stop();
}

static void w7_memory_of_the_sender_that_is_gone_ends_both_with_an_error(void) {
    start(UET_UNIT_QUEUED, store, LENGTH);
    send_message(LENGTH);
    carry(1);
    side[0].no_memory = true;
    side[0].taken_frames = side[0].sent_frames; /* the rest is lost, and sent again */
    for (unsigned step = 1; step <= 20; step++) {
        uet_node_advance(side[0].node, step * UINT64_C(1000000));
        carry(20);
    }
    EXPECT_NUMBER(side[0].told.code, UET_RC_INITIATOR_ERR);
    uet_receive_t receive = {.buffer = in, .bytes = LONGEST, .handle = 5};
    uet_node_taken(side[1].node, side[1].message, &receive);
    EXPECT_NUMBER(side[1].received, 1);
    EXPECT_NUMBER(side[1].completion.code, UET_RC_INITIATOR_ERR);
    stop();
}

static void a_message_that_is_too_long_is_refused(void) {
    start(UET_UNIT_MATCHED, in, LONGEST);
    send_message(LONGEST + 1);
    carry(40);
    EXPECT_NUMBER(side[0].told.code, UET_RC_UNSUPPORTED_SIZE);
    EXPECT_NUMBER(side[1].message, 0);
    stop();
}

static void a_removed_endpoint_has_no_name(void) {
    start(UET_UNIT_MATCHED, in, LONGEST);
    uet_node_remove(side[1].node, 0);
    send_message(8);
    carry(20);
    EXPECT_NUMBER(side[0].told.code, UET_RC_BAD_JOB_ID);
    stop();
}

int main(void) {
    RUN(w2_bytes_go_to_the_receive_of_the_unit);
    RUN(w3_a_receive_that_comes_midway_is_told_at_the_end);
    RUN(a_message_is_taken_where_it_lies);
    RUN(w5_a_full_endpoint_takes_the_message_later);
    RUN(w7_memory_of_the_target_that_is_gone_ends_both_with_an_error);
    RUN(w7_memory_of_the_sender_that_is_gone_ends_both_with_an_error);
    RUN(a_message_that_is_too_long_is_refused);
    RUN(a_removed_endpoint_has_no_name);
    return expect_summary();
}
