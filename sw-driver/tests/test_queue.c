/* SPDX-License-Identifier: Apache-2.0
 *
 * Queues and completion rings: laps, space, back-pressure, arguments.
 */
#include "fixture.h"

static void completions_survive_many_laps(void) {
    bench_t b = bench_open(1, 4); /* 16 entries */
    tmu_key_t key = {0};
    b.chunk = 5;
    for (uint64_t i = 0; i < 1000; i++) {
        SUBMIT(&b, tmu_probe(b.queue, 1, &key, i));
    }
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 1000);
    for (uint64_t i = 0; i < b.count; i++) {
        EXPECT_NUMBER(b.log[i].handle, i);
        EXPECT_NUMBER(b.log[i].serial, i);
    }
    bench_close(&b);
}

static void no_more_commands_are_in_flight_than_ring_entries(void) {
    bench_t b = bench_open(1, 4);
    tmu_key_t key = {0};
    size_t count = 0;
    unsigned accepted = 0;
    for (unsigned i = 0; i < 200; i++) { /* runs the device but never polls */
        accepted += tmu_probe(b.queue, 1, &key, i) == TMU_OK;
        run_device(b.device, 64);
    }
    EXPECT_NUMBER(accepted, 16);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue), 16);
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 0), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 16);
    must(tmu_poll(b.queue, NULL, 0, &count), b.device);
    EXPECT_NUMBER(count, 0);
    bench_close(&b);
}

/* Probes a queue that nobody polls until it takes no more. */
static unsigned fill(tmu_t *device, tmu_queue_t *queue, uint32_t endpoint) {
    tmu_key_t key = {0};
    unsigned accepted = 0;
    for (unsigned i = 0; i < 200; i++) {
        accepted += tmu_probe(queue, endpoint, &key, i) == TMU_OK;
        run_device(device, 64);
    }
    return accepted;
}

static void no_more_commands_are_in_flight_than_the_share(void) {
    bench_t b = bench_open(1, 6); /* a ring of 64; the share that the driver chooses has 32 */
    bench_t other = b;
    tmu_queue_attr_t attr = {.endpoint = 2, .ring_log2 = 6, .commands_log2 = 3};
    tmu_key_t key = {0};
    must(tmu_queue_open(b.device, &attr, &other.queue), b.device);
    EXPECT_NUMBER(fill(b.device, other.queue, 2), 8);
    EXPECT_NUMBER(tmu_queue_in_flight(other.queue), 8);
    EXPECT_NUMBER(fill(b.device, b.queue, 1), 32); /* the other queue goes on */
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 0), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(tmu_probe(other.queue, 2, &key, 0), TMU_AGAIN);
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 0), TMU_OK);
    bench_settle(&other);
    EXPECT_NUMBER(bench_counter(&b, "queue_overruns"), 0);
    bench_close(&b);
}

static void a_ring_that_is_not_drained_stops_its_own_queue_alone_R13(void) {
    bench_t b = bench_open(1, 4);
    bench_t idle = b;
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4, .commands_log2 = 6};
    tmu_key_t key = {0};
    must(tmu_queue_open(b.device, &attr, &idle.queue), b.device);
    EXPECT_NUMBER(fill(b.device, idle.queue, 1), 16); /* its ring is full */
    for (uint64_t i = 0; i < 100; i++) {
        SUBMIT(&b, tmu_probe(b.queue, 1, &key, i));
    }
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 100);
    EXPECT_NUMBER(bench_counter(&b, "ring_overruns"), 0);
    idle.count = 0;
    bench_settle(&idle);
    EXPECT_NUMBER(idle.count, 16);
    bench_close(&b);
}

static void pages_and_slots_run_out(void) {
    enum { QUEUES = 64 }; /* of the preset tiny, which has 512 slots */
    tmu_t *device = NULL;
    tmu_queue_t *queues[QUEUES];
    tmu_queue_t *queue = NULL;
    tmu_queue_attr_t attr = {.endpoint = 0, .ring_log2 = 5, .commands_log2 = 3};
    must(tmu_open(test_uri, &device), NULL);
    for (size_t i = 0; i < QUEUES - 1; i++) {
        must(tmu_queue_open(device, &attr, &queues[i]), device);
    }
    attr.commands_log2 = 4;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(device),
                "no 16 of the 512 command slots are free side by side; close a queue, or open "
                "queues with a smaller commands_log2");
    must(tmu_queue_close(queues[1]), device);
    must(tmu_queue_close(queues[2]), device);
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY); /* 8 to 23 is no share */
    attr.commands_log2 = 0;
    must(tmu_queue_open(device, &attr, &queues[1]), device); /* 8 slots are what is left */
    must(tmu_queue_open(device, &attr, &queues[2]), device);
    must(tmu_queue_open(device, &attr, &queues[QUEUES - 1]), device);
    EXPECT_NUMBER(fill(device, queues[1], 0), 8);
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(device), "all 64 queues of the device are open");
    attr.endpoint = TMU_ENDPOINT_ANY;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(device),
                "no 1 of the 512 command slots are free side by side; close a queue, or open "
                "queues with a smaller commands_log2");
    must(tmu_queue_close(queues[5]), device);
    must(tmu_queue_open(device, &attr, &queue), device);
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(device), "the privileged queue is open already");
    tmu_close(device);
}

static void polling_one_by_one_loses_nothing(void) {
    bench_t b = bench_open(1, 5);
    b.chunk = 1;
    for (uint32_t i = 0; i < 60; i++) {
        bench_arrive(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    for (uint32_t i = 0; i < 60; i++) {
        EXPECT_NUMBER(b.log[i].handle, i);
    }
    bench_close(&b);
}

static void a_flush_may_be_larger_than_the_ring(void) {
    bench_t b = bench_open(1, 4);
    tmu_key_t key = {0};
    b.chunk = 3;
    for (uint32_t i = 0; i < 60; i++) {
        bench_post(&b, 1, 1, 1, i);
        bench_arrive(&b, 1, 2, 2, 100 + i);
    }
    bench_settle(&b);
    b.count = 0;
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 999));
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 1), TMU_AGAIN);
    tmu_depth_t depth;
    EXPECT_NUMBER(tmu_depth(b.device, 1, &depth), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 121);
    for (uint32_t i = 0; i < 120; i++) {
        EXPECT_NUMBER(b.log[i].status, TMU_STATUS_REMOVED);
        EXPECT_NUMBER(b.log[i].other, i < 60 ? i : 100 + i - 60);
        EXPECT_NUMBER(b.log[i].unexpected, i >= 60);
    }
    EXPECT_NUMBER(b.log[120].status, TMU_STATUS_FLUSHED);
    EXPECT_NUMBER(b.log[120].removed_posted, 60);
    EXPECT_NUMBER(b.log[120].removed_unexpected, 60);
    bench_close(&b);
}

static void a_small_flush_leaves_the_pipeline_open(void) {
    bench_t b = bench_open(1, 4);
    tmu_key_t key = {0};
    for (uint32_t i = 0; i < 10; i++) {
        bench_post(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    b.count = 0;
    SUBMIT(&b, tmu_flush(b.queue, 1, NULL, 999)); /* 11 of 16 ring entries */
    for (uint64_t i = 0; i < 5; i++) {
        EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, i), TMU_OK);
    }
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 5), TMU_AGAIN);
    bench_settle(&b);
    EXPECT_NUMBER(b.count, 16);
    EXPECT_NUMBER(b.log[15].handle, 4);
    bench_close(&b);
}

static void arguments_out_of_range_are_named(void) {
    tmu_t *device = NULL;
    tmu_queue_t *queue = NULL;
    must(tmu_open(test_uri, &device), NULL);
    tmu_queue_attr_t attr = {.endpoint = 4, .ring_log2 = 6};
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device),
                "endpoint 4 is out of range: the device has endpoints 0 to 3");
    attr.endpoint = 3;
    attr.ring_log2 = 3;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device), "ring_log2 is 3; it must lie between 4 and 16");
    attr.ring_log2 = 17;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
    EXPECT(!queue);
    EXPECT_NUMBER(tmu_queue_open(device, NULL, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device), "attr and queue_p must not be NULL");
    attr.ring_log2 = 16;
    const uint32_t sizes[] = {10, 16, UINT32_MAX};
    for (size_t i = 0; i < 3; i++) {
        char sentence[80];
        attr.commands_log2 = sizes[i];
        (void)snprintf(sentence, sizeof sentence,
                       "commands_log2 is %u: the device has 512 command slots", sizes[i]);
        EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
        EXPECT_TEXT(tmu_error_text(device), sentence);
    }
    attr.commands_log2 = 9; /* all of them */
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_OK);
    EXPECT_NUMBER(tmu_queue_close(queue), TMU_OK);
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_OK);
    tmu_close(device);
}

static void missing_objects_are_invalid(void) {
    tmu_message_t message = {0};
    tmu_receive_t receive = {0};
    tmu_key_t key = {0};
    size_t count = 0;
    EXPECT_NUMBER(tmu_queue_open(NULL, NULL, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_close(NULL), TMU_OK);
    EXPECT_NUMBER(tmu_queue_observe(NULL, NULL, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_in_flight(NULL), 0);
    EXPECT_NUMBER(tmu_post(NULL, 0, &receive, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_arrive(NULL, 0, &message), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_probe(NULL, 0, &key, 0), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_claim(NULL, 0, &key, 0), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_cancel(NULL, 0, 0, 0), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_flush(NULL, 0, &key, 0), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_poll(NULL, NULL, 0, &count), TMU_ERR_INVALID);
    EXPECT(!tmu_endpoint_stalled(NULL, 0));
}

static void a_queue_in_use_does_not_close(void) {
    bench_t b = bench_open(1, 6);
    tmu_key_t key = {0};
    SUBMIT(&b, tmu_probe(b.queue, 1, &key, 1));
    EXPECT_NUMBER(tmu_queue_close(b.queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(b.device), "page 0 has 1 operations in flight and 0 held arrivals");
    bench_settle(&b);
    EXPECT_NUMBER(tmu_queue_close(b.queue), TMU_OK);
    bench_close(&b);
}

static void a_reopened_ring_starts_its_first_lap(void) {
    bench_t b = bench_open(1, 4);
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    tmu_key_t key = {0};
    for (uint64_t round = 0; round < 5; round++) {
        b.count = 0;
        for (uint64_t i = 0; i < 7 + round; i++) {
            SUBMIT(&b, tmu_probe(b.queue, 1, &key, i));
        }
        bench_settle(&b);
        EXPECT_NUMBER(b.count, 7 + round);
        if (round % 2 == 0) {
            must(tmu_reset(b.device), b.device);
        } else {
            must(tmu_queue_close(b.queue), b.device);
            must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
        }
    }
    bench_close(&b);
}

static void all(void) {
    RUN(completions_survive_many_laps);
    RUN(no_more_commands_are_in_flight_than_ring_entries);
    RUN(no_more_commands_are_in_flight_than_the_share);
    RUN(a_ring_that_is_not_drained_stops_its_own_queue_alone_R13);
    RUN(pages_and_slots_run_out);
    RUN(polling_one_by_one_loses_nothing);
    RUN(a_flush_may_be_larger_than_the_ring);
    RUN(a_small_flush_leaves_the_pipeline_open);
    RUN(arguments_out_of_range_are_named);
    RUN(missing_objects_are_invalid);
    RUN(a_queue_in_use_does_not_close);
    RUN(a_reopened_ring_starts_its_first_lap);
}

int main(void) { return on_every_device(all); }
