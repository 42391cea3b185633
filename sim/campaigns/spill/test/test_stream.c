/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a stream, and that it notices every kind of wrong answer. */
#include "expect.h"
#include "stream.h"

#include <stdlib.h>

#define ENDPOINT 3
#define ROOM 4096

/* A library that answers at once what it is told to, in the order of submission or backwards. */
static struct {
    tmu_completion_t answers[ROOM];
    size_t count;
    size_t given;
    uint64_t standing[ROOM]; /* handles, oldest first */
    size_t entries;
    size_t position; /* of the entry that was taken last */
    size_t depth;    /* before it was taken */
    bool backwards;
    void (*spoil)(tmu_completion_t *completion);
    uint64_t spoils; /* this handle's answer */
} device;

static void forget(void) { memset(&device, 0, sizeof device); }

static void answer(uint8_t status, uint64_t handle, uint64_t other) {
    tmu_completion_t c = {.status = status, .endpoint = ENDPOINT, .handle = handle, .other = other};
    c.serial = UINT32_MAX - 5 + (uint32_t)handle;
    c.host_latency = 9;
    if (device.spoil && device.spoils == handle) {
        device.spoil(&c);
    }
    device.answers[device.count++] = c;
}

static void append(uint64_t handle) {
    device.standing[device.entries++] = handle;
    answer(TMU_STATUS_QUEUED, handle, 0);
}

static void take(uint64_t key, uint64_t handle) {
    size_t i = 0;
    while (device.standing[i] != key) {
        i++;
    }
    device.position = i;
    device.depth = device.entries;
    for (device.entries--; i < device.entries; i++) {
        device.standing[i] = device.standing[i + 1];
    }
    answer(TMU_STATUS_MATCHED, handle, key);
}

tmu_result_t tmu_queue_open_sized(tmu_t *unit, const tmu_queue_attr_t *attr, size_t size,
                                  tmu_queue_t **queue_p) {
    (void)unit;
    *queue_p = NULL;
    return size == sizeof *attr && attr->endpoint == ENDPOINT ? TMU_OK : TMU_ERR_INVALID;
}

tmu_result_t tmu_queue_close(tmu_queue_t *queue) {
    (void)queue;
    return TMU_OK;
}

static bool messages; /* receives take them */

tmu_result_t tmu_post(tmu_queue_t *queue, uint32_t endpoint, const tmu_receive_t *receive,
                      tmu_receive_id_t *id_p) {
    (void)queue, (void)endpoint, (void)id_p;
    if (messages) {
        take(receive->key.match, receive->handle);
    } else {
        append(receive->handle);
    }
    return TMU_OK;
}

tmu_result_t tmu_arrive(tmu_queue_t *queue, uint32_t endpoint, const tmu_message_t *message) {
    (void)queue, (void)endpoint;
    if (messages) {
        append(message->handle);
    } else {
        take(message->match, message->handle);
    }
    return TMU_OK;
}

tmu_result_t tmu_poll(tmu_queue_t *queue, tmu_completion_t *completions, size_t max,
                      size_t *count_p) {
    (void)queue;
    size_t count = 0;
    while (count < max && device.given < device.count) {
        completions[count++] = device.answers[device.given++];
    }
    for (size_t i = 0; device.backwards && i < count / 2; i++) {
        const tmu_completion_t c = completions[i];
        completions[i] = completions[count - 1 - i];
        completions[count - 1 - i] = c;
    }
    *count_p = count;
    return TMU_OK;
}

/* Fills a stream and works through steps; how many answers it found wrong. */
static uint64_t wrong_after(position_t position, bool unexpected, uint32_t window, size_t steps) {
    stream_t stream;
    messages = unexpected;
    EXPECT_NUMBER(stream_open(&stream, NULL, ENDPOINT, window), 0);
    stream_forget(&stream, unexpected, unexpected);
    EXPECT_NUMBER(stream_reserve(&stream, 20, steps), true);
    stream.position = position;
    while (stream.count < 20) {
        EXPECT_NUMBER(stream_fill(&stream, 20), TMU_OK);
        EXPECT_NUMBER(stream_collect(&stream), TMU_OK);
    }
    stream.measures = true;
    const uint64_t limit = stream.submitted + 2 * steps;
    while (stream.completed < limit) {
        EXPECT_NUMBER(stream_work(&stream, limit), TMU_OK);
        EXPECT_NUMBER(stream_collect(&stream), TMU_OK);
    }
    EXPECT_NUMBER(stream.count, 20);
    if (!device.spoil) {
        EXPECT_NUMBER(stream.takes.count, steps);
        EXPECT_NUMBER(stream.appends.count, steps);
    }
    const uint64_t wrong = stream.wrong;
    EXPECT_NUMBER(stream_close(&stream), TMU_OK);
    return wrong;
}

static void right_answers_are_right_in_any_order_R3_R4_R7(void) {
    for (int p = POSITION_OLDEST; p <= POSITION_FIFO; p++) {
        for (int unexpected = 0; unexpected <= 1; unexpected++) {
            for (int backwards = 0; backwards <= 1; backwards++) {
                forget();
                device.backwards = backwards;
                EXPECT_NUMBER(wrong_after((position_t)p, unexpected, 16, 200), 0);
            }
        }
    }
}

static void positions_are_those_asked_for(void) {
    forget();
    (void)wrong_after(POSITION_OLDEST, false, 1, 1);
    EXPECT_NUMBER(device.position, 0);
    EXPECT_NUMBER(device.depth, 21); /* the receive of the step is there already */
    forget();
    (void)wrong_after(POSITION_YOUNGEST, false, 1, 1);
    EXPECT_NUMBER(device.position, 19);
    forget();
    (void)wrong_after(POSITION_YOUNGEST, true, 1, 1);
    EXPECT_NUMBER(device.position, 19);
    EXPECT_NUMBER(device.depth, 20);
}

static void wrong_status(tmu_completion_t *c) { c->status = TMU_STATUS_STALLED; }
static void wrong_other(tmu_completion_t *c) { c->other ^= 1; }
static void wrong_serial(tmu_completion_t *c) { c->serial ^= 1; }
static void wrong_endpoint(tmu_completion_t *c) { c->endpoint ^= 1; }
static void wrong_latency(tmu_completion_t *c) { c->unit_latency = c->host_latency + 1; }

static void every_wrong_answer_is_noticed_R3_R7_R13(void) {
    static void (*const spoils[])(tmu_completion_t *) = {wrong_status, wrong_other, wrong_serial,
                                                         wrong_endpoint, wrong_latency};
    for (size_t i = 0; i < sizeof spoils / sizeof spoils[0]; i++) {
        forget();
        device.spoil = spoils[i];
        device.spoils = 27; /* a take */
        EXPECT_NUMBER(wrong_after(POSITION_OLDEST, false, 4, 20), 1);
    }
    forget();
    device.spoil = wrong_status;
    device.spoils = 26; /* an append */
    EXPECT_NUMBER(wrong_after(POSITION_OLDEST, false, 4, 20), 1);
}

static void twice(tmu_completion_t *c) { c->handle--; }

static void an_answer_that_nobody_expects_is_noticed_R15(void) {
    forget();
    device.spoil = twice;
    device.spoils = 27;
    /* The one that was answered twice, and nobody waits for the other one in this short run. */
    EXPECT_NUMBER(wrong_after(POSITION_OLDEST, false, 4, 20) >= 1, true);
}

int main(void) {
    RUN(right_answers_are_right_in_any_order_R3_R4_R7);
    RUN(positions_are_those_asked_for);
    RUN(every_wrong_answer_is_noticed_R3_R7_R13);
    RUN(an_answer_that_nobody_expects_is_noticed_R15);
    return expect_summary();
}
