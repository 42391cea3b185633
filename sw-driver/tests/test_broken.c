/* SPDX-License-Identifier: Apache-2.0
 *
 * Completions that break the interface: forged into the ring of a device that answers nothing.
 */
#include "fixture.h"
#include "tmu_internal.h"

static tmu_backend_ops_t mute;

static tmu_result_t swallow(void *backend, uint64_t offset, const void *data, size_t size) {
    (void)backend;
    (void)offset;
    (void)data;
    (void)size;
    return TMU_OK;
}

static bench_t mute_open(void) {
    bench_t b = {.chunk = 4};
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    mute = tmu_backend_ref;
    mute.doorbell_write = swallow;
    must(tmu_open_backend(&mute, "tiny", &b.device), NULL);
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    return b;
}

/* The handle that the oldest command in flight was sent with. */
static uint64_t sent(const bench_t *b) {
    return TMU_FIELD_GET(&b->queue->pendings.oldest->command, TMU_COMMAND_HANDLE);
}

/* Writes one completion and expects the sentence that it leads to. */
static void forge(bench_t *b, uint8_t opcode, uint8_t status, uint64_t handle, uint64_t other,
                  const char *sentence) {
    tmu_completion_t c;
    size_t count = 77;
    tmu_record_t *record = b->queue->ring.memory;
    record += b->queue->consumed;
    TMU_FIELD_SET(record, TMU_COMPLETION_ENDPOINT, 1);
    TMU_FIELD_SET(record, TMU_COMPLETION_OPCODE, opcode);
    TMU_FIELD_SET(record, TMU_COMPLETION_STATUS, status);
    TMU_FIELD_SET(record, TMU_COMPLETION_HANDLE, handle);
    TMU_FIELD_SET(record, TMU_COMPLETION_OTHER, other);
    TMU_FIELD_SET(record, TMU_COMPLETION_PHASE, 1);
    EXPECT_NUMBER(tmu_poll(b->queue, &c, 1, &count), TMU_ERR_DEVICE);
    EXPECT_NUMBER(count, 77);
    EXPECT_TEXT(tmu_error_text(b->device), sentence);
    EXPECT_NUMBER(tmu_poll(b->queue, &c, 1, &count), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_probe(b->queue, 1, &(tmu_key_t){0}, 1), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_reset(b->device), TMU_ERR_DEVICE);
    EXPECT_NUMBER(tmu_quota_set(b->device, 1, 0, 0), TMU_ERR_DEVICE);
    tmu_close(b->device);
}

static void an_answer_to_nothing(void) {
    bench_t b = mute_open();
    forge(&b, TMU_OPCODE_PROBE, TMU_STATUS_NONE, 0, 0,
          "page 0: a completion of opcode 3 at endpoint 1 has handle 0x0, and no command in flight "
          "has these");
}

static void an_answer_to_another_probe(void) {
    bench_t b = mute_open();
    must(tmu_probe(b.queue, 1, &(tmu_key_t){0}, 0x11), b.device);
    EXPECT_NUMBER(sent(&b), 0); /* a name of the queue's: the caller's goes no further */
    forge(
        &b, TMU_OPCODE_PROBE, TMU_STATUS_NONE, 0x11, 0,
        "page 0: a completion of opcode 3 at endpoint 1 has handle 0x11, and no command in flight "
        "has these");
}

static void an_answer_to_another_opcode(void) {
    bench_t b = mute_open();
    must(tmu_probe(b.queue, 1, &(tmu_key_t){0}, 0x11), b.device);
    forge(&b, TMU_OPCODE_CLAIM, TMU_STATUS_NONE, sent(&b), 0,
          "page 0: a completion of opcode 4 at endpoint 1 has handle 0x0, and no command in flight "
          "has these");
}

static void an_answer_to_another_arrival(void) {
    bench_t b = mute_open();
    must(tmu_arrive(b.queue, 1, &(tmu_message_t){.handle = 5}), b.device);
    forge(&b, TMU_OPCODE_ARRIVE, TMU_STATUS_QUEUED, 6, 0,
          "page 0: a completion of opcode 2 at endpoint 1 has handle 0x6, and no command in flight "
          "has these");
}

static void an_answer_that_does_not_fit(void) {
    bench_t b = mute_open();
    must(tmu_probe(b.queue, 1, &(tmu_key_t){0}, 5), b.device);
    forge(&b, TMU_OPCODE_PROBE, TMU_STATUS_QUEUED, sent(&b), 0,
          "page 0: opcode 3 was answered with status 2");
}

static void an_unknown_status(void) {
    bench_t b = mute_open();
    must(tmu_claim(b.queue, 1, &(tmu_key_t){0}, 5), b.device);
    forge(&b, TMU_OPCODE_CLAIM, 99, sent(&b), 0, "page 0: opcode 4 was answered with status 99");
}

static void a_receive_that_is_not_there_R15(void) {
    bench_t b = mute_open();
    must(tmu_arrive(b.queue, 1, &(tmu_message_t){.handle = 5}), b.device);
    forge(&b, TMU_OPCODE_ARRIVE, TMU_STATUS_MATCHED, 5, 0x700000001,
          "page 0: the completion names receive 0x700000001, which is not in the unit");
}

static void a_message_that_is_not_there_R15(void) {
    bench_t b = mute_open();
    must(tmu_claim(b.queue, 1, &(tmu_key_t){0}, 5), b.device);
    forge(&b, TMU_OPCODE_CLAIM, TMU_STATUS_MATCHED, sent(&b), 6,
          "page 0: status 1 for opcode 4 contradicts what endpoint 1 contains");
}

static void a_stall_with_room_R11(void) {
    bench_t b = mute_open();
    must(tmu_arrive(b.queue, 1, &(tmu_message_t){.handle = 5}), b.device);
    forge(&b, TMU_OPCODE_ARRIVE, TMU_STATUS_STALLED, 5, 0,
          "page 0: status 11 for opcode 2 contradicts what endpoint 1 contains");
}

int main(void) {
    RUN(an_answer_to_nothing);
    RUN(an_answer_to_another_probe);
    RUN(an_answer_to_another_opcode);
    RUN(an_answer_to_another_arrival);
    RUN(an_answer_that_does_not_fit);
    RUN(an_unknown_status);
    RUN(a_receive_that_is_not_there_R15);
    RUN(a_message_that_is_not_there_R15);
    RUN(a_stall_with_room_R11);
    return expect_summary();
}
