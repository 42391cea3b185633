/* SPDX-License-Identifier: Apache-2.0
 *
 * Every operation and every verdict, once and in small combinations.
 */
#include "fixture.h"

static void post_takes_the_oldest_waiting_message_R4_R5(void) {
    bench_t b = bench_open(1, 6);
    bench_arrive(&b, 1, 3, 5, 11);
    bench_arrive(&b, 1, 3, 5, 12);
    bench_post(&b, 1, 3, 5, 1);
    bench_post(&b, 1, TMU_ANY_SOURCE, TMU_ANY_TAG, 2);
    bench_post(&b, 1, 3, 5, 3);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 11, QUEUED, 0);
    EXPECT_ANSWER(&b, POST, 1, MATCHED, 11);
    EXPECT_ANSWER(&b, POST, 2, MATCHED, 12);
    EXPECT_ANSWER(&b, POST, 3, QUEUED, 0);
    bench_close(&b);
}

static void arrival_takes_the_oldest_receive_R3_R6(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    bench_post(&b, 2, TMU_ANY_SOURCE, 5, 1);
    bench_post(&b, 2, 9, 5, 2);
    bench_arrive(&b, 2, 9, 5, 11);
    bench_arrive(&b, 2, 9, 5, 12);
    bench_arrive(&b, 3, 9, 5, 13);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 11, MATCHED, 1);
    EXPECT_ANSWER(&b, ARRIVE, 12, MATCHED, 2);
    EXPECT_ANSWER(&b, ARRIVE, 13, QUEUED, 0);
    bench_close(&b);
}

static void a_match_carries_both_lengths_and_the_address(void) {
    bench_t b = bench_open(0, 6);
    bench_post(&b, 0, 4, 4, 1);
    bench_arrive(&b, 0, 4, 4, 11);
    bench_arrive(&b, 0, 4, 4, 12);
    bench_post(&b, 0, 4, 4, 2);
    bench_settle(&b);
    tmu_completion_t arrived = bench_answer(&b, TMU_OPCODE_ARRIVE, 11);
    EXPECT_NUMBER(arrived.message_length, 50);
    EXPECT_NUMBER(arrived.receive_length, 100);
    EXPECT_NUMBER(arrived.address, 0x1001);
    EXPECT_NUMBER(arrived.source, 4);
    EXPECT_NUMBER(arrived.match, UINT64_C(7) << 32 | 4);
    EXPECT_NUMBER(arrived.endpoint, 0);
    EXPECT(!arrived.truncated);
    tmu_completion_t posted = bench_answer(&b, TMU_OPCODE_POST, 2);
    EXPECT_NUMBER(posted.message_length, 50);
    EXPECT_NUMBER(posted.receive_length, 100);
    EXPECT_NUMBER(posted.address, 0x2000 + 12);
    bench_close(&b);
}

static void a_longer_message_is_truncated_R12(void) {
    bench_t b = bench_open(0, 6);
    tmu_receive_t receive = {.handle = 1, .length = 10};
    tmu_message_t message = {.handle = 11, .length = 11};
    SUBMIT(&b, tmu_post(b.queue, 0, &receive, NULL));
    SUBMIT(&b, tmu_arrive(b.queue, 0, &message));
    bench_settle(&b);
    tmu_completion_t c = bench_answer(&b, TMU_OPCODE_ARRIVE, 11);
    EXPECT_NUMBER(c.status, TMU_STATUS_MATCHED);
    EXPECT(c.truncated);
    EXPECT_NUMBER(c.message_length, 11);
    EXPECT_NUMBER(c.receive_length, 10);
    bench_close(&b);
}

static void probe_leaves_and_claim_takes_R8_R9(void) {
    bench_t b = bench_open(1, 6);
    tmu_key_t key;
    must(tmu_key_mpi(7, TMU_ANY_SOURCE, TMU_ANY_TAG, &key), NULL);
    bench_arrive(&b, 1, 3, 5, 11);
    SUBMIT(&b, tmu_probe(b.queue, 1, &key, 1));
    bench_claim(&b, 1, 3, 5, 2);
    bench_claim(&b, 1, 3, 5, 3);
    SUBMIT(&b, tmu_probe(b.queue, 1, &key, 4));
    bench_settle(&b);
    EXPECT_ANSWER(&b, PROBE, 1, FOUND, 11);
    EXPECT_ANSWER(&b, CLAIM, 2, MATCHED, 11);
    EXPECT_ANSWER(&b, CLAIM, 3, NONE, 0);
    EXPECT_ANSWER(&b, PROBE, 4, NONE, 0);
    bench_close(&b);
}

static void handles_are_the_callers_and_may_repeat_R15(void) {
    bench_t b = bench_open(1, 6);
    const uint64_t odd = UINT64_C(0xfedcba9876543210);
    bench_post(&b, 1, 1, 1, odd);
    bench_post(&b, 1, 2, 2, odd);
    bench_arrive(&b, 1, 2, 2, UINT64_MAX);
    bench_arrive(&b, 1, 1, 1, 0);
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, odd, QUEUED, 0);
    EXPECT_ANSWER(&b, ARRIVE, UINT64_MAX, MATCHED, odd);
    EXPECT_ANSWER(&b, ARRIVE, 0, MATCHED, odd);
    bench_close(&b);
}

static void verdicts_are_numbered_per_endpoint_R7(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    for (uint32_t i = 0; i < 6; i++) {
        bench_arrive(&b, i % 2, 1, 1, i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < 6; i++) {
        EXPECT_NUMBER(bench_answer(&b, TMU_OPCODE_ARRIVE, i).serial, i / 2);
    }
    bench_close(&b);
}

static void an_unknown_endpoint_is_refused_by_the_unit_R13(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_receive_id_t id = bench_post(&b, 4, 1, 1, 1);
    bench_arrive(&b, UINT32_MAX, 1, 1, 11);
    SUBMIT(&b, tmu_flush(b.queue, 9, NULL, 2));
    SUBMIT(&b, tmu_cancel(b.queue, 9, id, 3));
    bench_settle(&b);
    EXPECT_ANSWER(&b, POST, 1, REFUSED_ENDPOINT, 0);
    EXPECT_ANSWER(&b, ARRIVE, 11, REFUSED_ENDPOINT, 0);
    EXPECT_ANSWER(&b, FLUSH, 2, REFUSED_ENDPOINT, 0);
    EXPECT_ANSWER(&b, CANCEL, 3, REFUSED_ENDPOINT, 0);
    bench_close(&b);
}

static void a_queue_names_its_own_endpoint_only_R13(void) {
    bench_t b = bench_open(1, 6);
    tmu_message_t message = {.handle = 1};
    tmu_receive_t receive = {.handle = 1};
    tmu_key_t key = {0};
    EXPECT_NUMBER(tmu_arrive(b.queue, 2, &message), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device), "endpoint 2 on the queue of endpoint 1; only the "
                                          "privileged queue names other endpoints");
    EXPECT_NUMBER(tmu_post(b.queue, 0, &receive, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_probe(b.queue, 0, &key, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_cancel(b.queue, 0, TMU_RECEIVE_NONE, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_flush(b.queue, 4, NULL, 1), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 0);
    bench_close(&b);
}

static void lengths_beyond_48_bits_are_invalid(void) {
    bench_t b = bench_open(1, 6);
    tmu_message_t message = {.length = UINT64_C(1) << 48};
    tmu_receive_t receive = {.length = UINT64_C(1) << 48};
    EXPECT_NUMBER(tmu_arrive(b.queue, 1, &message), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "length 281474976710656 is too large; a length is below 2^48");
    EXPECT_NUMBER(tmu_post(b.queue, 1, &receive, NULL), TMU_ERR_INVALID);
    message.length--;
    SUBMIT(&b, tmu_arrive(b.queue, 1, &message));
    bench_settle(&b);
    bench_claim(&b, 1, 0, 0, 3);
    bench_close(&b);
}

static void a_flush_selects_a_context_R14(void) {
    bench_t b = bench_open(1, 6);
    tmu_receive_t other = {.key = {.match = UINT64_C(8) << 32}, .handle = 9};
    tmu_key_t context = {
        .match = UINT64_C(7) << 32, .ignore = UINT32_MAX, .source_ignore = UINT32_MAX};
    bench_post(&b, 1, 1, 1, 1);
    SUBMIT(&b, tmu_post(b.queue, 1, &other, NULL));
    bench_post(&b, 1, 2, 2, 2);
    bench_arrive(&b, 1, 5, 5, 11);
    bench_settle(&b);
    b.count = 0;
    SUBMIT(&b, tmu_flush(b.queue, 1, &context, 20));
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 4);
    EXPECT_NUMBER(b.log[0].other, 1);
    EXPECT_NUMBER(b.log[1].other, 2);
    EXPECT(!b.log[1].unexpected);
    EXPECT_NUMBER(b.log[2].other, 11);
    EXPECT(b.log[2].unexpected);
    EXPECT_NUMBER(b.log[3].status, TMU_STATUS_FLUSHED);
    EXPECT_NUMBER(b.log[3].removed_posted, 2);
    EXPECT_NUMBER(b.log[3].removed_unexpected, 1);
    EXPECT_NUMBER(b.log[3].handle, 20);
    tmu_depth_t depth;
    must(tmu_depth(b.device, 1, &depth), b.device);
    EXPECT_NUMBER(depth.posted, 1);
    EXPECT_NUMBER(depth.unexpected, 0);
    bench_close(&b);
}

static void all(void) {
    RUN(post_takes_the_oldest_waiting_message_R4_R5);
    RUN(arrival_takes_the_oldest_receive_R3_R6);
    RUN(a_match_carries_both_lengths_and_the_address);
    RUN(a_longer_message_is_truncated_R12);
    RUN(probe_leaves_and_claim_takes_R8_R9);
    RUN(handles_are_the_callers_and_may_repeat_R15);
    RUN(verdicts_are_numbered_per_endpoint_R7);
    RUN(an_unknown_endpoint_is_refused_by_the_unit_R13);
    RUN(a_queue_names_its_own_endpoint_only_R13);
    RUN(lengths_beyond_48_bits_are_invalid);
    RUN(a_flush_selects_a_context_R14);
}

int main(void) { return on_every_device(all); }
