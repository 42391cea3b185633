/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps: both queues of one endpoint, oldest first.
 */
#include "fixture.h"

typedef struct seen {
    tmu_entry_t entry[128];
    size_t count;
    size_t stop_after;
} seen_t;

static bool note(void *user, const tmu_entry_t *entry) {
    seen_t *seen = user;
    seen->entry[seen->count++] = *entry;
    return seen->count < seen->stop_after;
}

static void a_dump_shows_one_endpoints_entries(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    seen_t seen = {.stop_after = 32};
    bench_post(&b, 0, 1, 1, 50);
    bench_post(&b, 2, 1, 1, 51);
    bench_post(&b, 1, TMU_ANY_SOURCE, 5, 1);
    bench_post(&b, 2, 1, 1, 52);
    bench_post(&b, 1, 6, TMU_ANY_TAG, 2);
    bench_arrive(&b, 3, 1, 1, 60);
    bench_arrive(&b, 1, 9, 9, 61);
    bench_settle(&b);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 3);
    EXPECT_NUMBER(seen.entry[0].handle, 1);
    EXPECT_NUMBER(seen.entry[0].position, 0);
    EXPECT_NUMBER(seen.entry[0].endpoint, 1);
    EXPECT_NUMBER(seen.entry[0].key.match, UINT64_C(7) << 32 | 5);
    EXPECT_NUMBER(seen.entry[0].key.source_ignore, UINT32_MAX);
    EXPECT_NUMBER(seen.entry[0].address, 0x1001);
    EXPECT_NUMBER(seen.entry[0].length, 100);
    EXPECT_NUMBER(seen.entry[1].handle, 2);
    EXPECT_NUMBER(seen.entry[1].position, 1);
    EXPECT_NUMBER(seen.entry[1].key.ignore, 0x7fffffff);
    EXPECT_NUMBER(seen.entry[1].key.source, 6);
    EXPECT_NUMBER(seen.entry[2].handle, 61);
    EXPECT(seen.entry[2].unexpected);
    EXPECT_NUMBER(seen.entry[2].length, 50);
    EXPECT_NUMBER(seen.entry[2].address, 0x2000 + 61);
    EXPECT_NUMBER(seen.entry[2].key.ignore, 0);
    bench_close(&b);
}

static void a_dump_changes_nothing_and_may_stop_early(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 4);
    seen_t seen = {.stop_after = 2};
    for (uint32_t i = 0; i < 20; i++) { /* more than the ring */
        bench_post(&b, 1, 1, 1, i);
    }
    bench_settle(&b);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 2);
    seen = (seen_t){.stop_after = 32};
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 20);
    bench_arrive(&b, 1, 1, 1, 100);
    bench_settle(&b);
    EXPECT_ANSWER(&b, ARRIVE, 100, MATCHED, 0);
    bench_close(&b);
}

static void a_dump_passes_over_what_has_left(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    const uint64_t expected[] = {1, 2, 4, 6, 8, 9, 11, 12, 22, 23};
    const size_t count = sizeof expected / sizeof expected[0];
    tmu_receive_id_t id[10];
    seen_t seen = {.stop_after = 32};
    for (uint32_t i = 0; i < 10; i++) {
        id[i] = bench_post(&b, 1, 1, (int32_t)i, i);
    }
    bench_settle(&b);
    SUBMIT(&b, tmu_cancel(b.queue, 1, id[5], 100)); /* in the middle */
    bench_arrive(&b, 1, 1, 0, 101);                 /* the oldest */
    bench_arrive(&b, 1, 1, 7, 102);
    bench_settle(&b);
    (void)bench_post(&b, 1, 1, 11, 11);
    SUBMIT(&b, tmu_cancel(b.queue, 1, id[3], 103));
    (void)bench_post(&b, 1, 1, 12, 12);
    for (uint32_t i = 20; i < 24; i++) {
        bench_arrive(&b, 1, 2, (int32_t)i, i);
    }
    bench_settle(&b);
    bench_claim(&b, 1, 2, 20, 104);
    bench_claim(&b, 1, 2, 21, 105);
    bench_settle(&b);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, count);
    for (size_t i = 0; i < count && i < seen.count; i++) {
        EXPECT_NUMBER(seen.entry[i].handle, expected[i]);
        EXPECT_NUMBER(seen.entry[i].position, i < 8 ? i : i - 8);
        EXPECT_NUMBER(seen.entry[i].unexpected, i >= 8);
    }
    bench_close(&b);
}

/* As many entries as the device holds, after some of the older ones have left. */
static void a_dump_of_a_full_table_shows_every_entry(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    tmu_info_t info;
    tmu_receive_id_t id[64];
    seen_t seen = {.stop_after = 128};
    must(tmu_query(b.device, &info), b.device);
    EXPECT_NUMBER(info.posted_entries, 64);
    for (uint32_t i = 0; i < 64; i++) {
        id[i] = bench_post(&b, 1, 1, (int32_t)i, i);
    }
    for (uint32_t i = 3; i < 33; i += 3) {
        SUBMIT(&b, tmu_cancel(b.queue, 1, id[i], 1000 + i));
    }
    bench_settle(&b);
    for (uint32_t i = 100; i < 110; i++) {
        (void)bench_post(&b, 1, 1, (int32_t)i, i);
    }
    bench_settle(&b);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, info.posted_entries);
    for (size_t i = 1; i < seen.count; i++) {
        EXPECT(seen.entry[i].handle > seen.entry[i - 1].handle);
        EXPECT_NUMBER(seen.entry[i].position, i);
    }
    bench_close(&b);
}

static void a_dump_needs_privilege_and_rest(void) {
    bench_t b = bench_open(TMU_ENDPOINT_ANY, 6);
    bench_t own = b;
    tmu_queue_attr_t attr = {.endpoint = 1, .ring_log2 = 4};
    tmu_key_t key = {0};
    seen_t seen = {.stop_after = 32};
    must(tmu_queue_open(b.device, &attr, &own.queue), b.device);
    EXPECT_NUMBER(tmu_dump(own.queue, 1, note, &seen), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device), "a dump needs the privileged queue; this is page 0");
    EXPECT_NUMBER(tmu_dump(b.queue, 4, note, &seen), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(b.device),
                "endpoint 4 is out of range: the device has endpoints 0 to 3");
    EXPECT_NUMBER(tmu_dump(NULL, 1, note, &seen), TMU_ERR_INVALID);
    SUBMIT(&own, tmu_probe(own.queue, 1, &key, 1));
    EXPECT_NUMBER(tmu_dump(b.queue, 1, note, &seen), TMU_AGAIN);
    bench_settle(&own);
    must(tmu_dump(b.queue, 1, note, &seen), b.device);
    EXPECT_NUMBER(seen.count, 0);
    bench_close(&b);
}

static void all(void) {
    RUN(a_dump_shows_one_endpoints_entries);
    RUN(a_dump_changes_nothing_and_may_stop_early);
    RUN(a_dump_passes_over_what_has_left);
    RUN(a_dump_of_a_full_table_shows_every_entry);
    RUN(a_dump_needs_privilege_and_rest);
}

int main(void) { return on_every_device(all); }
