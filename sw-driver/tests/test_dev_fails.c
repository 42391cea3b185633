/* SPDX-License-Identifier: Apache-2.0
 *
 * Sessions of a kernel driver whose unit fails: whoever polls learns it, and every operation that
 * was accepted ends once (R15).  And of a driver that says what cannot be.
 */
#include "fake_kernel.h"

static bench_t fake_open(uint32_t reserve) {
    bench_t b = {.chunk = 8};
    const tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 4};
    fake_start();
    kernel.reserve = reserve;
    must(tmu_open(kernel.uri, &b.device), NULL);
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    return b;
}

static void fake_close(bench_t *b) {
    tmu_close(b->device);
    fake_stop();
}

/* The sentence of a unit that has failed. */
static void expect_unit_failed(const bench_t *b) {
    tmu_completion_t completion;
    char sentence[512];
    size_t count = 77;
    (void)snprintf(sentence, sizeof sentence,
                   "%s: the unit has failed, and starts anew when all have closed it; see dmesg",
                   kernel.uri + strlen("dev:"));
    EXPECT_NUMBER(tmu_poll(b->queue, &completion, 1, &count), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), sentence);
    EXPECT_NUMBER(tmu_progress(b->device, 1), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(NULL), sentence);
    EXPECT_NUMBER(tmu_probe(b->queue, 0, &(tmu_key_t){0}, 1), TMU_ERR_DEVICE);
    EXPECT_NUMBER(count, 77);
}

#define EXPECT_UNANSWERED(completion, opcode_name, number)                                         \
    do {                                                                                           \
        EXPECT_NUMBER((completion).opcode, TMU_OPCODE_##opcode_name);                              \
        EXPECT_NUMBER((completion).status, TMU_STATUS_UNANSWERED);                                 \
        EXPECT_NUMBER((completion).handle, number);                                                \
        EXPECT_NUMBER((completion).endpoint, 0);                                                   \
    } while (0)

static void commands_in_flight_end(void) {
    bench_t b = fake_open(8);
    tmu_completion_t completions[8];
    size_t count = 0;
    must(tmu_post(b.queue, 0, &(tmu_receive_t){.handle = 11}, NULL), b.device);
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 12}), b.device);
    must(tmu_probe(b.queue, 0, &(tmu_key_t){0}, 13), b.device);
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 0);
    EXPECT_NUMBER(tmu_unanswered(b.queue, completions, 8, &count), TMU_AGAIN);
    kernel.state->failed = 1;
    expect_unit_failed(&b);
    must(tmu_unanswered(b.queue, completions, 2, &count), b.device);
    EXPECT_NUMBER(count, 2);
    EXPECT_UNANSWERED(completions[0], POST, 11);
    EXPECT_UNANSWERED(completions[1], ARRIVE, 12);
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 1);
    EXPECT_UNANSWERED(completions[0], PROBE, 13);
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 0);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 0);
    must(tmu_queue_close(b.queue), b.device);
    fake_close(&b);
}

/* R11: also those that the library has not sent, or whose command was lost. */
static void held_arrivals_end(void) {
    bench_t b = fake_open(0);
    tmu_completion_t completions[8];
    size_t count = 0;
    b.queue->looked_ns = INT64_MAX / 2; /* nothing is tried again by itself */
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 21, .source = 1}), b.device);
    fake_answer(0, TMU_OPCODE_ARRIVE, TMU_STATUS_STALLED, 21);
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 22, .source = 1}), b.device);
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 23, .source = 2}), b.device);
    EXPECT(tmu_endpoint_stalled(b.queue, 0));
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 1);
    kernel.state->failed = 1;
    expect_unit_failed(&b);
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 3);
    EXPECT_UNANSWERED(completions[0], ARRIVE, 23); /* in flight; the others are held */
    EXPECT_UNANSWERED(completions[1], ARRIVE, 21);
    EXPECT_UNANSWERED(completions[2], ARRIVE, 22);
    EXPECT(!tmu_endpoint_stalled(b.queue, 0));
    fake_close(&b);
}

/* A held arrival that is being tried again is one operation. */
static void an_attempt_ends_once(void) {
    bench_t b = fake_open(0);
    tmu_completion_t completions[8];
    size_t count = 0;
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 21, .source = 1}), b.device);
    fake_answer(0, TMU_OPCODE_ARRIVE, TMU_STATUS_STALLED, 21);
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    EXPECT(b.queue->pendings.oldest && b.queue->pendings.oldest->held);
    kernel.state->failed = 1;
    expect_unit_failed(&b);
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 1);
    EXPECT_UNANSWERED(completions[0], ARRIVE, 21);
    fake_close(&b);
}

static void answers_of_before_come_first(void) {
    bench_t b = fake_open(8);
    tmu_completion_t completions[8];
    size_t count = 0;
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 41}), b.device);
    must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 42}), b.device);
    fake_answer(0, TMU_OPCODE_ARRIVE, TMU_STATUS_QUEUED, 41);
    fake_answer(1, TMU_OPCODE_ARRIVE, TMU_STATUS_LATE, 42); /* which no arrival is answered */
    kernel.state->failed = 1;
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 1);
    EXPECT_NUMBER(completions[0].handle, 41);
    EXPECT_NUMBER(completions[0].status, TMU_STATUS_QUEUED);
    EXPECT_NUMBER(tmu_poll(b.queue, completions, 8, &count), TMU_ERR_DEVICE);
    must(tmu_unanswered(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 1);
    EXPECT_UNANSWERED(completions[0], ARRIVE, 42);
    fake_close(&b);
}

/* ---- a driver that says what cannot be ------------------------------------------------------- */

/* A session's numbers begin with 0 and go on, also where the unit's begin again. */
static void serial_numbers_of_the_unit_wrap_R7(void) {
    bench_t b = {.chunk = 8};
    const tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 4};
    tmu_completion_t completions[8];
    size_t count = 0;
    fake_start();
    kernel.first = UINT32_MAX - 1;
    must(tmu_open(kernel.uri, &b.device), NULL);
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    for (uint32_t i = 0; i < 4; i++) {
        must(tmu_arrive(b.queue, 0, &(tmu_message_t){.handle = 50 + i}), b.device);
        fake_answer(i, TMU_OPCODE_ARRIVE, TMU_STATUS_QUEUED, 50 + i);
    }
    must(tmu_poll(b.queue, completions, 8, &count), b.device);
    EXPECT_NUMBER(count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        EXPECT_NUMBER(completions[i].handle, 50 + i);
        EXPECT_NUMBER(completions[i].serial, i);
    }
    fake_close(&b);
}

static void queries_that_are_none_are_refused(void) {
    const struct tmu_ioctl_query wrong[] = {
        {.queues = UINT32_MAX},    {.command_slots = UINT32_MAX}, {.id_bits = 33},
        {.match_bits = 65},        {.source_bits = 33},           {.handle_bits = 65},
        {.queues = (1u << 20) + 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tmu_t *device = NULL;
        fake_start();
        kernel.says = wrong[i];
        EXPECT_NUMBER(tmu_open(kernel.uri, &device), TMU_ERR_DEVICE);
        EXPECT(strstr(tmu_error_text(NULL), "the kernel driver says what no unit is: "));
        fake_stop();
    }
}

static void queues_that_are_none_are_refused(void) {
    const struct tmu_ioctl_open wrong[] = {{.page = 64},          {.page = UINT32_MAX},
                                           {.commands_log2 = 10}, {.commands_log2 = 40},
                                           {.ring_log2 = 5},      {.ring_log2 = 200}};
    const tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 4};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        tmu_t *device = NULL;
        tmu_queue_t *queue = NULL;
        fake_start();
        must(tmu_open(kernel.uri, &device), NULL);
        kernel.opens = wrong[i];
        EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_DEVICE);
        EXPECT(strstr(tmu_error_text(NULL), "opened a queue that was not asked for: "));
        kernel.opens = (struct tmu_ioctl_open){0};
        must(tmu_queue_open(device, &attr, &queue), device);
        EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_DEVICE); /* its page again */
        tmu_close(device);
        fake_stop();
    }
}

int main(void) {
    RUN(commands_in_flight_end);
    RUN(held_arrivals_end);
    RUN(an_attempt_ends_once);
    RUN(answers_of_before_come_first);
    RUN(serial_numbers_of_the_unit_wrap_R7);
    RUN(queries_that_are_none_are_refused);
    RUN(queues_that_are_none_are_refused);
    return expect_summary();
}
