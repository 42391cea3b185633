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
        must(tmu_progress(b.device, 64), b.device);
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

static void no_more_commands_are_in_flight_than_wait_on_chip(void) {
    bench_t b = bench_open(1, 6); /* rings of 64: the device's command queue is the limit */
    tmu_queue_attr_t attr = {.endpoint = 2, .ring_log2 = 6};
    tmu_queue_t *other = NULL;
    tmu_info_t info;
    tmu_key_t key = {0};
    must(tmu_queue_open(b.device, &attr, &other), b.device);
    must(tmu_query(b.device, &info), b.device);
    unsigned accepted = 0;
    for (unsigned i = 0; i < 200; i++) { /* runs the device but never polls */
        accepted += tmu_probe(b.queue, 1, &key, i) == TMU_OK;
        accepted += tmu_probe(other, 2, &key, i) == TMU_OK;
        must(tmu_progress(b.device, 64), b.device);
    }
    EXPECT_NUMBER(accepted, info.command_queue);
    EXPECT_NUMBER(tmu_queue_in_flight(b.queue) + tmu_queue_in_flight(other), info.command_queue);
    bench_settle(&b);
    EXPECT_NUMBER(tmu_probe(b.queue, 1, &key, 0), TMU_OK);
    bench_close(&b);
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
    EXPECT_TEXT(tmu_error_text(device), "page 4 is out of range: the device has endpoints 0 to 3 "
                                        "and the privileged page");
    attr.endpoint = 3;
    attr.ring_log2 = 3;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device), "ring_log2 is 3; it must lie between 4 and 16");
    attr.ring_log2 = 17;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_INVALID);
    EXPECT(queue == NULL);
    EXPECT_NUMBER(tmu_queue_open(device, NULL, &queue), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(device), "attr and queue_p must not be NULL");
    attr.ring_log2 = 16;
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_OK);
    EXPECT_NUMBER(tmu_queue_open(device, &attr, &queue), TMU_ERR_BUSY);
    EXPECT_TEXT(tmu_error_text(device), "page 3 is open already");
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
    EXPECT_TEXT(tmu_error_text(b.device), "page 1 has 1 operations in flight and 0 held arrivals");
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
    RUN(no_more_commands_are_in_flight_than_wait_on_chip);
    RUN(polling_one_by_one_loses_nothing);
    RUN(a_flush_may_be_larger_than_the_ring);
    RUN(a_small_flush_leaves_the_pipeline_open);
    RUN(arguments_out_of_range_are_named);
    RUN(missing_objects_are_invalid);
    RUN(a_queue_in_use_does_not_close);
    RUN(a_reopened_ring_starts_its_first_lap);
}

int main(void) { return on_every_device(all); }
