/* SPDX-License-Identifier: Apache-2.0
 *
 * Counters by the registers and from a queue's page, and pages that misbehave.
 */
#include "fixture.h"
#include "tmu_internal.h"

#define COUNTERS_MAX 128

typedef struct snapshot {
    tmu_counter_t counters[COUNTERS_MAX];
    size_t count;
} snapshot_t;

static uint64_t value_of(const snapshot_t *snapshot, const char *name) {
    for (size_t i = 0; i < snapshot->count; i++) {
        if (strcmp(snapshot->counters[i].name, name) == 0) {
            return snapshot->counters[i].value;
        }
    }
    abort();
}

static snapshot_t from_page(const bench_t *b) {
    snapshot_t snapshot = {0};
    must(tmu_queue_counters(b->queue, snapshot.counters, COUNTERS_MAX, &snapshot.count), b->device);
    return snapshot;
}

static snapshot_t from_registers(const bench_t *b) {
    snapshot_t snapshot = {0};
    must(tmu_counters(b->device, snapshot.counters, COUNTERS_MAX, &snapshot.count), b->device);
    return snapshot;
}

/* Whether a counter stands still while nothing is asked of the unit. */
static bool rests(const char *name) { return !strstr(name, "clocks") && !strstr(name, "_idle_"); }

static void pages_show_what_registers_show(void) {
    bench_t b = bench_open(1, 6);
    bench_t other = bench_another(&b, 2);
    uint64_t clocks = 0;
    for (uint64_t round = 1; round <= 3; round++) {
        for (uint64_t i = 0; i < 5; i++) {
            (void)bench_post(&b, 1, 1, (int32_t)i, 100 * round + i);
            bench_arrive(&b, 1, 1, (int32_t)(2 * i), 200 * round + i);
        }
        bench_settle(&b);
        const snapshot_t mine = from_page(&b);
        const snapshot_t others = from_page(&other);
        const snapshot_t registers = from_registers(&b);
        EXPECT_NUMBER(value_of(&mine, "posts"), 5 * round);
        EXPECT_NUMBER(value_of(&mine, "arrivals"), 5 * round);
        EXPECT(mine.count == registers.count && others.count == registers.count);
        for (size_t i = 0; i < registers.count; i++) {
            const tmu_counter_t *counter = &registers.counters[i];
            EXPECT_TEXT(mine.counters[i].name, counter->name);
            if (rests(counter->name)) {
                EXPECT_NUMBER(mine.counters[i].value, counter->value);
                EXPECT_NUMBER(others.counters[i].value, counter->value);
            }
        }
        EXPECT(value_of(&mine, "clocks") > clocks || round == 1);
        clocks = value_of(&mine, "clocks");
        EXPECT(value_of(&others, "clocks") >= clocks);
        EXPECT(value_of(&registers, "clocks") >= value_of(&others, "clocks"));
    }
    free(other.log);
    bench_close(&b);
}

static void a_page_shows_no_counter_of_before_a_reset_R14(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    (void)bench_post(&b, 1, 1, 1, 1);
    bench_settle(&b);
    snapshot_t snapshot = from_page(&b);
    EXPECT_NUMBER(value_of(&snapshot, "posts"), 1);
    must(tmu_reset(b.device), b.device);
    snapshot = from_page(&b);
    EXPECT_NUMBER(value_of(&snapshot, "posts"), 0);
    EXPECT_NUMBER(value_of(&snapshot, "commands"), 0);
    bench_close(&b);
}

static void arguments_are_checked(void) {
    bench_t b = bench_open(1, 4);
    tmu_counter_t counters[2];
    size_t count = 0;
    EXPECT_NUMBER(tmu_queue_counters(NULL, counters, 2, &count), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, NULL, 2, &count), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 2, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, NULL, 0, &count), TMU_OK);
    EXPECT(count > 30);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 2, &count), TMU_OK);
    EXPECT_TEXT(counters[1].name, "posts");
    bench_close(&b);
}

/* The functional device with pages that show something else. */
static tmu_backend_ops_t odd;
static uint64_t odd_number;
static uint64_t odd_step;

static tmu_result_t odd_page_read64(void *backend, uint64_t offset, uint64_t *value_p) {
    if (offset % TMU_DOORBELL_PAGE_BYTES != TMU_DOORBELL_PICTURE_OFFSET) {
        return tmu_backend_ref.page_read64(backend, offset, value_p);
    }
    *value_p = (uint32_t)odd_number;
    odd_number += odd_step;
    return TMU_OK;
}

static unsigned asks;

/* The first one is forgotten, as by a reset of another thread. */
static tmu_result_t odd_doorbell_write(void *backend, uint64_t offset, const void *data,
                                       size_t size) {
    bool is_ask = offset % TMU_DOORBELL_PAGE_BYTES == TMU_DOORBELL_ASK_OFFSET;
    asks += is_ask;
    return is_ask && asks == 1 ? TMU_OK
                               : tmu_backend_ref.doorbell_write(backend, offset, data, size);
}

static tmu_result_t old_read32(void *backend, uint32_t offset, uint32_t *value_p) {
    tmu_result_t result = tmu_backend_ref.read32(backend, offset, value_p);
    *value_p = offset == TMU_REG_INTERFACE_VERSION ? 0x20005 : *value_p;
    return result;
}

static bench_t odd_open(uint64_t number, uint64_t step) {
    const tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    bench_t b = {0};
    odd_number = number;
    odd_step = step;
    must(tmu_open_backend(&odd, "tiny", &b.device), NULL);
    must(tmu_queue_open(b.device, &attr, &b.queue), b.device);
    return b;
}

static void a_forgotten_ask_is_asked_again_R14(void) {
    tmu_counter_t counters[4];
    size_t count = 0;
    odd = tmu_backend_ref;
    odd.doorbell_write = odd_doorbell_write;
    asks = 0;
    bench_t b = odd_open(0, 0);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_OK);
    EXPECT_NUMBER(asks, 2);
    tmu_close(b.device);
}

static void odd_pages_are_reported(void) {
    tmu_counter_t counters[4];
    size_t count = 77;
    odd = tmu_backend_ref;
    odd.page_read64 = odd_page_read64;
    bench_t b = odd_open(1, 0); /* never whole */
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_ERR_DEVICE);
    EXPECT_TEXT(tmu_error_text(b.device),
                "page 0: no snapshot of the counters came in 100000 looks");
    tmu_close(b.device);
    b = odd_open(10, 0); /* never a new one */
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_ERR_DEVICE);
    tmu_close(b.device);
    b = odd_open(10, 2); /* another one each time */
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_AGAIN);
    tmu_close(b.device);
    b = odd_open(UINT32_MAX - 1, 1); /* its number begins again; whole every other time */
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_AGAIN);
    tmu_close(b.device);
    EXPECT_NUMBER(count, 77);
    odd.page_read64 = tmu_backend_ref.page_read64;
    odd.read32 = old_read32;
    b = odd_open(0, 0);
    EXPECT_NUMBER(tmu_queue_counters(b.queue, counters, 4, &count), TMU_ERR_VERSION);
    EXPECT_TEXT(tmu_error_text(b.device),
                "the device speaks interface 2.5; pages show counters from 2.6 on");
    tmu_close(b.device);
}

static void all(void) {
    RUN(pages_show_what_registers_show);
    RUN(a_page_shows_no_counter_of_before_a_reset_R14);
    RUN(arguments_are_checked);
    RUN(a_forgotten_ask_is_asked_again_R14);
    RUN(odd_pages_are_reported);
}

int main(void) { return on_every_device(all); }
