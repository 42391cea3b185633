/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cards over a switch that loses one frame of a hundred: the driver's sends, receives, peers
 * and registered memory.
 */
#include "card_fixture.h"
#include "tmu_raw.h"

enum { SEND_AT = 0, RECEIVE_AT = 1 << 17, LONG = 9000 };

static tmu_completion_t expect_next(unsigned side, uint8_t opcode, uint8_t status,
                                    uint64_t handle) {
    const tmu_completion_t c = take(side);
    EXPECT_NUMBER(c.opcode, opcode);
    EXPECT_NUMBER(c.status, status);
    EXPECT_NUMBER(c.handle, handle);
    return c;
}

/* Status of the answer to a command as it is; `read` answers came before it. */
static uint64_t status_of(const tmu_queue_t *queue, uint32_t read, const tmu_record_t *command) {
    tmu_completion_t c = {0};
    EXPECT_NUMBER(tmu_raw_command(queue, 0, *command), TMU_OK);
    EXPECT_NUMBER(tmu_progress(cards[0].device, 64), TMU_OK);
    EXPECT(tmu_raw_completion(queue, read, &c));
    return c.status;
}

static void r13_a_send_that_contradicts_itself_is_malformed(void) {
    cards_start("0", 12, 0);
    tmu_net_counts_t counts;
    tmu_record_t good = {0};
    tmu_record_t list = {0};
    const uint64_t base = cards[0].memory.address;
    TMU_FIELD_SET(&good, TMU_SEND_OPCODE, TMU_OPCODE_SEND);
    TMU_FIELD_SET(&good, TMU_SEND_PEER, cards[0].peer);
    tmu_record_t wrong[7] = {good, good, good, good, good, good, good};
    TMU_FIELD_SET(&wrong[0], TMU_SEND_LENGTH, TMU_SEND_INLINE_BYTES + 1);
    TMU_FIELD_SET(&wrong[1], TMU_SEND_PIECES, TMU_SEND_PIECES_MOST + 1);
    TMU_FIELD_SET(&wrong[2], TMU_SEND_HEADER_DATA, 1);
    TMU_FIELD_SET(&wrong[3], TMU_SEND_RESERVED0, 1);
    TMU_FIELD_SET(&wrong[4], TMU_SEND_RESERVED3, 1);
    TMU_FIELD_SET(&wrong[5], TMU_SEND_MEMORY, 1);
    TMU_FIELD_SET(&wrong[6], TMU_SEND_PIECES, 1);
    TMU_FIELD_SET(&wrong[6], TMU_SEND_INLINE1, 1);
    for (uint32_t i = 0; i < 7; i++) {
        EXPECT_NUMBER(status_of(cards[0].queue, i, &wrong[i]), TMU_STATUS_MALFORMED);
    }
    list.word[0] = base; /* of a list whose sum is another length than the command's */
    list.word[1] = 8 | (uint64_t)cards[0].memory.number << TMU_PIECE_MEMORY_SHIFT;
    list.word[3] = 0;
    memcpy(bytes_at(0, 0), &list, sizeof list);
    TMU_FIELD_SET(&good, TMU_SEND_PIECES, 2);
    TMU_FIELD_SET(&good, TMU_SEND_ADDRESS, base);
    TMU_FIELD_SET(&good, TMU_SEND_MEMORY, cards[0].memory.number);
    TMU_FIELD_SET(&good, TMU_SEND_LENGTH, 9);
    EXPECT_NUMBER(status_of(cards[0].queue, 7, &good), TMU_STATUS_MALFORMED);
    TMU_FIELD_SET(&good, TMU_SEND_ADDRESS, base + 8); /* not at a multiple of 64 */
    EXPECT_NUMBER(status_of(cards[0].queue, 8, &good), TMU_STATUS_REFUSED_MEMORY);
    EXPECT_NUMBER(tmu_net_counts(cards[0].device, &counts), TMU_OK);
    EXPECT_NUMBER(counts.frames_sent, 0);
    cards_stop();
}

/* Sends with these handles have been told, in any order. */
static void expect_sent(uint64_t first, uint64_t last) {
    uint64_t left = 0;
    for (uint64_t handle = first; handle <= last; handle++) {
        left |= UINT64_C(1) << handle;
    }
    for (uint64_t count = first; count <= last; count++) {
        const tmu_completion_t c = take(0);
        EXPECT_NUMBER(c.status, TMU_STATUS_SENT);
        left &= ~(UINT64_C(1) << c.handle);
    }
    EXPECT_NUMBER(left, 0);
}

static void w3_an_expected_message_lies_in_its_receive(void) {
    cards_start("0.01", expect_seed(1), 0);
    fill(0, SEND_AT, LONG, 1);
    submit_post(1, 42, RECEIVE_AT, LONG, 7);
    (void)expect_next(1, TMU_OPCODE_POST, TMU_STATUS_QUEUED, 7);
    submit_send(0, 42, SEND_AT, LONG, 9);
    tmu_completion_t c = expect_next(1, TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, 1009);
    EXPECT_NUMBER(c.other, 7);
    EXPECT_NUMBER(c.match, 42);
    EXPECT_NUMBER(c.source, 5);
    EXPECT_NUMBER(c.message_length, LONG);
    EXPECT_NUMBER(c.truncated, 0);
    EXPECT_NUMBER(memcmp(bytes_at(1, RECEIVE_AT), bytes_at(0, SEND_AT), LONG), 0);
    EXPECT_NUMBER(bytes_at(1, RECEIVE_AT)[LONG], 0);
    c = expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 9);
    EXPECT_NUMBER(c.message_length, LONG);
    EXPECT_NUMBER(c.receive_length, LONG);
    EXPECT_NUMBER(tmu_net_sent(&c).peer, cards[0].peer);
    cards_stop();
}

static void w3_an_unexpected_message_is_moved_by_the_card(void) {
    cards_start("0.01", 2, 0);
    fill(0, SEND_AT, LONG, 3);
    submit_send(0, 42, SEND_AT, LONG, 9);
    (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 9);
    fill(0, SEND_AT, LONG, 4); /* W4: its memory is the sender's again */
    submit_post(1, 42, RECEIVE_AT, LONG, 7);
    const tmu_completion_t c = expect_next(1, TMU_OPCODE_POST, TMU_STATUS_MATCHED, 7);
    EXPECT_NUMBER(c.other, 1009);
    EXPECT_NUMBER(c.address, cards[1].memory.address + RECEIVE_AT);
    fill(0, SEND_AT, LONG, 3);
    EXPECT_NUMBER(memcmp(bytes_at(1, RECEIVE_AT), bytes_at(0, SEND_AT), LONG), 0);
    cards_stop();
}

static void a_claimed_message_is_released(void) {
    cards_start("0", 3, 0);
    const tmu_key_t key = {.match = 42, .source_ignore = UINT32_MAX};
    for (unsigned i = 0; i < 600; i++) { /* more than there are buffers */
        fill(0, SEND_AT, 100, i);
        submit_send(0, 42, SEND_AT, 100, i);
        (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, i);
        EXPECT_NUMBER(tmu_claim(cards[1].queue, ENDPOINT, &key, 8), TMU_OK);
        const tmu_completion_t c = expect_next(1, TMU_OPCODE_CLAIM, TMU_STATUS_MATCHED, 8);
        EXPECT_NUMBER(c.other, 1000 + i);
        const void *bytes = tmu_net_claimed(cards[1].device, &c);
        EXPECT(bytes && memcmp(bytes, bytes_at(0, SEND_AT), 100) == 0);
        EXPECT_NUMBER(tmu_net_release(cards[1].device, &c), TMU_OK);
    }
    cards_stop();
}

static void r12_a_shorter_receive_is_told_to_both(void) {
    cards_start("0.01", 4, 0);
    fill(0, SEND_AT, LONG, 5);
    submit_post(1, 42, RECEIVE_AT, 5000, 7);
    submit_send(0, 42, SEND_AT, LONG, 9);
    tmu_completion_t c = expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 9);
    EXPECT_NUMBER(c.truncated, 1);
    EXPECT_NUMBER(c.receive_length, 5000);
    (void)take(1);
    c = expect_next(1, TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, 1009);
    EXPECT_NUMBER(c.truncated, 1);
    EXPECT_NUMBER(c.message_length, LONG);
    EXPECT_NUMBER(c.receive_length, 5000);
    EXPECT_NUMBER(bytes_at(1, RECEIVE_AT)[5000], 0);
    cards_stop();
}

static void pieces_are_gathered_and_few_bytes_are_inline(void) {
    cards_start("0.01", 5, 0);
    const uint64_t base = cards[0].memory.address;
    const tmu_net_piece_t pieces[] = {{base, 1}, {base + 100, 3000}, {base + 9, 0}, {base + 7, 77}};
    tmu_net_send_t send = {.peer = cards[0].peer, .match = 1, .pieces = pieces, .piece_count = 4};
    fill(0, 0, 4000, 6);
    submit_post(1, 1, RECEIVE_AT, LONG, 7);
    EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_OK);
    (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 0);
    (void)take(1);
    EXPECT_NUMBER(take(1).message_length, 3078);
    const uint8_t *got = bytes_at(1, RECEIVE_AT);
    EXPECT_NUMBER(got[0], bytes_at(0, 0)[0]);
    EXPECT_NUMBER(memcmp(got + 1, bytes_at(0, 100), 3000), 0);
    EXPECT_NUMBER(memcmp(got + 3001, bytes_at(0, 7), 77), 0);
    const char text[] = "inline, 24 bytes at most";
    for (uint32_t bytes = 0; bytes <= TMU_SEND_INLINE_BYTES; bytes++) {
        send = (tmu_net_send_t){.peer = cards[0].peer, .match = 1, .data = text, .bytes = bytes};
        EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_OK);
        (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 0);
        submit_post(1, 1, RECEIVE_AT, LONG, 7);
        EXPECT_NUMBER(take(1).message_length, bytes);
        EXPECT_NUMBER(memcmp(got, text, bytes), 0);
    }
    send.bytes = TMU_SEND_INLINE_BYTES + 1;
    EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_ERR_INVALID);
    cards_stop();
}

static void w7_a_peer_that_is_not_there_is_given_up_by_name(void) {
    cards_start("0.01", 6, 3);
    const tmu_net_peer_t nobody = {address_of(7), name_of(7), 5};
    const tmu_net_peer_t unknown = {address_of(1), name_of(7), 5};
    uint32_t peers[2];
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &nobody, &peers[0]), TMU_OK);
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &unknown, &peers[1]), TMU_OK);
    for (unsigned i = 0; i < 2; i++) {
        const tmu_net_send_t send = {.peer = peers[i], .handle = i};
        EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_OK);
        EXPECT_NUMBER(tmu_progress(cards[0].device, 64), TMU_OK);
        if (i == 0) {
            EXPECT_NUMBER(tmu_net_peer_remove(cards[0].device, peers[i]), TMU_ERR_BUSY);
        }
        const tmu_completion_t c = expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_UNDELIVERED, i);
        EXPECT_NUMBER(tmu_net_sent(&c).peer, peers[i]);
        EXPECT_NUMBER(tmu_net_sent(&c).given_up, i == 0);
        EXPECT_NUMBER(c.receive_length, 0);
        submit_post(1, 42, RECEIVE_AT, 8, 7); /* others go on */
        submit_send(0, 42, SEND_AT, 8, 9);
        (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 9);
    }
    cards_stop();
}

static void w8_nobody_sends_as_another_or_reaches_what_is_not_registered(void) {
    cards_start("0", 7, 0);
    const tmu_queue_attr_t attr = {.endpoint = 2, .ring_log2 = 6};
    const tmu_net_name_t name = {JOB, 9, 9};
    const tmu_net_piece_t stolen = {cards[0].memory.address, 8};
    tmu_queue_t *thief = NULL;
    tmu_completion_t c = {0};
    size_t count = 0;
    tmu_net_send_t send = {.peer = cards[0].peer, .data = "12345678", .bytes = 8};
    const tmu_net_peer_t peer = {address_of(1), name_of(1), 66};
    uint32_t own = 0;
    EXPECT_NUMBER(tmu_queue_open(cards[0].device, &attr, &thief), TMU_OK);
    EXPECT_NUMBER(tmu_net_name_add(thief, &name), TMU_OK);
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, 2, &peer, &own), TMU_OK);
    EXPECT_NUMBER(tmu_net_send(thief, 2, &send), TMU_OK); /* to another's peer */
    EXPECT_NUMBER(tmu_progress(cards[0].device, 64), TMU_OK);
    EXPECT_NUMBER(tmu_poll(thief, &c, 1, &count), TMU_OK);
    EXPECT_NUMBER(c.status, TMU_STATUS_REFUSED_PEER);
    for (size_t pieces = 1; pieces <= 2; pieces++) { /* another's memory */
        const tmu_net_piece_t list[] = {stolen, stolen};
        send = (tmu_net_send_t){.peer = own, .pieces = list, .piece_count = pieces};
        EXPECT_NUMBER(tmu_net_send(thief, 2, &send), TMU_OK);
        EXPECT_NUMBER(tmu_progress(cards[0].device, 64), TMU_OK);
        EXPECT_NUMBER(tmu_poll(thief, &c, 1, &count), TMU_OK);
        EXPECT_NUMBER(c.status, TMU_STATUS_REFUSED_MEMORY);
    }
    const tmu_receive_t receive = {.address = stolen.address, .length = 8};
    EXPECT_NUMBER(tmu_post(thief, 2, &receive, NULL), TMU_ERR_INVALID);
    const tmu_message_t message = {.match = 42};
    EXPECT_NUMBER(tmu_arrive(thief, 2, &message), TMU_OK);
    EXPECT_NUMBER(tmu_progress(cards[0].device, 64), TMU_OK);
    EXPECT_NUMBER(tmu_poll(thief, &c, 1, &count), TMU_OK);
    EXPECT_NUMBER(c.status, TMU_STATUS_MALFORMED);
    run_quietly(1, 20);
    cards_stop();
}

static void w5_a_full_endpoint_holds_up_no_other_and_loses_nothing(void) {
    cards_start("0.01", 8, 0);
    const tmu_queue_attr_t attr = {.endpoint = 2, .ring_log2 = 6};
    const tmu_net_name_t name = {JOB, 4, 16};
    const tmu_net_peer_t peer = {address_of(1), name, 5};
    tmu_queue_t *other = NULL;
    uint32_t beside = 0;
    EXPECT_NUMBER(tmu_quota_set(cards[1].device, ENDPOINT, 0, 2), TMU_OK);
    EXPECT_NUMBER(tmu_queue_open(cards[1].device, &attr, &other), TMU_OK);
    EXPECT_NUMBER(tmu_net_name_add(other, &name), TMU_OK);
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &peer, &beside), TMU_OK);
    for (unsigned i = 0; i < 5; i++) {
        fill(0, 100 * i, 100, i);
        submit_send(0, 42, 100 * i, 100, i);
    }
    expect_sent(0, 1);
    run_quietly(0, 50);
    const tmu_net_send_t send = {.peer = beside, .handle = 77};
    EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_OK);
    (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 77);
    for (unsigned i = 0; i < 5; i++) { /* in their order */
        submit_post(1, 42, RECEIVE_AT, 100, i);
        tmu_completion_t c = take(1);
        if (c.status == TMU_STATUS_QUEUED) {
            c = take(1);
            EXPECT_NUMBER(c.handle, 1000 + i);
        } else {
            EXPECT_NUMBER(c.other, 1000 + i);
        }
        EXPECT_NUMBER(c.status, TMU_STATUS_MATCHED);
        EXPECT_NUMBER(memcmp(bytes_at(1, RECEIVE_AT), bytes_at(0, 100 * i), 100), 0);
    }
    expect_sent(2, 4);
    cards_stop();
}

static void w9_a_card_that_was_reset_takes_what_is_sent_afterwards(void) {
    cards_start("0", 9, 0);
    submit_send(0, 42, SEND_AT, 8, 1);
    (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 1);
    EXPECT_NUMBER(tmu_reset(cards[1].device), TMU_OK);
    card_start(1, 0);
    submit_send(0, 42, SEND_AT, 8, 2); /* on a connection that has died */
    const tmu_completion_t c = expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_UNDELIVERED, 2);
    EXPECT(tmu_net_sent(&c).given_up);
    submit_post(1, 42, RECEIVE_AT, 8, 7);
    (void)expect_next(1, TMU_OPCODE_POST, TMU_STATUS_QUEUED, 7);
    submit_send(0, 42, SEND_AT, 8, 3);
    (void)expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_SENT, 3);
    (void)expect_next(1, TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, 1003);
    cards_stop();
}

static void w4_memory_of_a_send_under_way_stays(void) {
    cards_start("0", 10, 0);
    const tmu_net_peer_t nobody = {address_of(7), name_of(7), 5};
    const tmu_net_piece_t piece = {cards[0].memory.address, 8};
    tmu_net_send_t send = {.pieces = &piece, .piece_count = 1};
    EXPECT_NUMBER(tmu_net_peer_add(cards[0].device, ENDPOINT, &nobody, &send.peer), TMU_OK);
    EXPECT_NUMBER(tmu_net_send(cards[0].queue, ENDPOINT, &send), TMU_OK);
    run_quietly(0, 20);
    EXPECT_NUMBER(tmu_net_memory_free(cards[0].device, &cards[0].memory), TMU_ERR_BUSY);
    EXPECT_NUMBER(tmu_net_memory_free(cards[1].device, &cards[1].memory), TMU_OK);
    EXPECT_NUMBER(tmu_net_memory_free(cards[1].device, &cards[1].memory), TMU_ERR_INVALID);
    cards_stop();
}

static void w7_a_receive_whose_memory_is_gone_ends_with_an_error(void) {
    cards_start("0", 11, 0);
    submit_post(1, 42, RECEIVE_AT, 8, 7);
    (void)expect_next(1, TMU_OPCODE_POST, TMU_STATUS_QUEUED, 7);
    EXPECT_NUMBER(tmu_net_memory_free(cards[1].device, &cards[1].memory), TMU_OK);
    submit_send(0, 42, SEND_AT, 8, 1);
    const tmu_completion_t c = expect_next(0, TMU_OPCODE_SEND, TMU_STATUS_UNDELIVERED, 1);
    EXPECT(!tmu_net_sent(&c).given_up);
    EXPECT_NUMBER(expect_next(1, TMU_OPCODE_ARRIVE, TMU_STATUS_REMOVED, 1001).other, 7);
    cards_stop();
}

int main(int count, char **values) {
    if (count != 2 || !mkdtemp(folder)) {
        (void)fprintf(stderr, "usage: test_card SWITCH\n");
        return 2;
    }
    card_fixture_begin(values[1]);
    RUN(w3_an_expected_message_lies_in_its_receive);
    RUN(w3_an_unexpected_message_is_moved_by_the_card);
    RUN(a_claimed_message_is_released);
    RUN(r12_a_shorter_receive_is_told_to_both);
    RUN(pieces_are_gathered_and_few_bytes_are_inline);
    RUN(w7_a_peer_that_is_not_there_is_given_up_by_name);
    RUN(w8_nobody_sends_as_another_or_reaches_what_is_not_registered);
    RUN(w5_a_full_endpoint_holds_up_no_other_and_loses_nothing);
    RUN(w9_a_card_that_was_reset_takes_what_is_sent_afterwards);
    RUN(r13_a_send_that_contradicts_itself_is_malformed);
    RUN(w4_memory_of_a_send_under_way_stays);
    if (!on_hardware) { /* where docs/card.md says what it does instead */
        RUN(w7_a_receive_whose_memory_is_gone_ends_with_an_error);
    }
    (void)rmdir(folder);
    return expect_summary();
}
