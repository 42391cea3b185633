/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of the filter ids: kept, chosen from traffic, and never a part of a verdict.
 */
#include "fixture.h"
#include "tmu_internal.h"

#define DEEP 64 /* entries of the preset tiny; half of them lie beyond the array */

static void expect_windows(const tmu_filter_windows_t *found, uint64_t low, uint64_t high,
                           uint32_t source) {
    EXPECT_NUMBER(found->low, low);
    EXPECT_NUMBER(found->high, high);
    EXPECT_NUMBER(found->source, source);
}

static void windows_are_kept_by_a_reset(void) {
    bench_t b = bench_open(1, 6);
    const tmu_filter_windows_t mine = {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210),
                                       0x5a5a1234};
    tmu_filter_windows_t found = {0};
    must(tmu_filter_get(b.device, &found), b.device);
    expect_windows(&found, UINT32_MAX, (uint64_t)UINT32_MAX << 32, UINT32_MAX);
    must(tmu_filter_set(b.device, &mine), b.device);
    must(tmu_reset(b.device), b.device);
    must(tmu_filter_get(b.device, &found), b.device);
    expect_windows(&found, mine.low, mine.high, mine.source);
    bench_close(&b);
}

static void null_is_invalid(void) {
    bench_t b = bench_open(1, 6);
    tmu_filter_windows_t windows = {0};
    EXPECT_NUMBER(tmu_filter_set(b.device, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_set(NULL, &windows), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_get(b.device, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_get(NULL, &windows), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_choose(NULL, &windows), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_filter_choose(&(tmu_filter_sample_t){0}, NULL), TMU_ERR_INVALID);
    bench_close(&b);
}

/* Traffic of an interface whose receives leave the low byte of the match bits to the sender. */
#define SENDERS_BYTE 0xffu

static uint64_t sent(uint64_t i) { return i << 8 | (i * 37 & SENDERS_BYTE); }

static void post_deep(bench_t *b, uint64_t i) {
    tmu_receive_t receive = {.key = {.match = i << 8, .ignore = SENDERS_BYTE, .source = 1},
                             .handle = i};
    SUBMIT(b, tmu_post(b->queue, 1, &receive, NULL));
}

static void arrive_deep(bench_t *b, uint64_t i) {
    tmu_message_t message = {.match = sent(i), .source = 1, .handle = 1000 + i};
    SUBMIT(b, tmu_arrive(b->queue, 1, &message));
}

static void post_all(bench_t *b) {
    b->count = 0;
    for (uint64_t i = 0; i < DEEP; i++) {
        post_deep(b, i);
    }
    bench_settle(b);
}

/* The youngest first, so that half of the searches go beyond the array; all find their own. */
static void take_all(bench_t *b) {
    for (uint64_t i = DEEP; i-- > 0;) {
        arrive_deep(b, i);
    }
    bench_settle(b);
    for (uint64_t i = 0; i < DEEP; i++) {
        EXPECT_ANSWER(b, POST, i, QUEUED, 0);
        EXPECT_ANSWER(b, ARRIVE, 1000 + i, MATCHED, i);
    }
}

/* Both queues deep, one after the other; returns how many filter hits were false. */
static uint64_t deep_traffic(bench_t *b) {
    uint64_t before = bench_counter(b, "filter_false");
    post_all(b);
    take_all(b);
    b->count = 0;
    for (uint64_t i = 0; i < DEEP; i++) {
        arrive_deep(b, i);
    }
    bench_settle(b);
    for (uint64_t i = DEEP; i-- > 0;) {
        post_deep(b, i);
    }
    bench_settle(b);
    for (uint64_t i = 0; i < DEEP; i++) {
        EXPECT_ANSWER(b, ARRIVE, 1000 + i, QUEUED, 0);
        EXPECT_ANSWER(b, POST, i, MATCHED, 1000 + i);
    }
    return bench_counter(b, "filter_false") - before;
}

static tmu_filter_windows_t chosen_windows(void) {
    tmu_filter_sample_t sample = {0};
    tmu_filter_windows_t windows = {0};
    for (uint64_t i = 0; i < DEEP; i++) {
        tmu_filter_observe(&sample, i << 8, SENDERS_BYTE, 1, 0);
        tmu_filter_observe(&sample, sent(i), 0, 1, 0);
    }
    must(tmu_filter_choose(&sample, &windows), NULL);
    return windows;
}

/* Whether the device has a filter; the tables are those of the preset tiny in any case. */
static bool has_filter(const bench_t *b) {
    tmu_info_t info;
    must(tmu_query(b->device, &info), b->device);
    EXPECT_NUMBER(info.posted_entries, DEEP);
    EXPECT(info.filter_lanes > 0 ? info.array_entries == DEEP / 2 && info.filter_bits == 32
                                 : info.array_entries == DEEP && info.filter_bits == 0);
    return info.filter_lanes > 0;
}

static void windows_change_the_work_and_no_verdict(void) {
    bench_t b = bench_open(1, 6);
    const tmu_filter_windows_t blind = {0, 0, 0};
    const tmu_filter_windows_t chosen = chosen_windows();
    uint64_t with_defaults = deep_traffic(&b);
    must(tmu_filter_set(b.device, &blind), b.device);
    uint64_t with_none = deep_traffic(&b);
    must(tmu_filter_set(b.device, &chosen), b.device);
    uint64_t candidates = bench_counter(&b, "filter_candidates");
    uint64_t with_chosen = deep_traffic(&b);
    candidates = bench_counter(&b, "filter_candidates") - candidates;
    if (has_filter(&b)) {
        /* The 32 receives beyond the array, then 32 messages; each younger one passes the older. */
        EXPECT(with_none >= 2 * 32 * 31 / 2 - 64);
        EXPECT(with_defaults >= with_none - 64);
        EXPECT_NUMBER(with_chosen, 0);
        EXPECT(candidates >= 32);
    } else {
        EXPECT_NUMBER(with_none + with_defaults + with_chosen + candidates, 0);
    }
    bench_close(&b);
}

static void windows_wait_until_no_entry_lies_beyond_the_arrays(void) {
    bench_t b = bench_open(1, 6);
    const tmu_filter_windows_t chosen = chosen_windows();
    post_all(&b);
    must(tmu_filter_set(b.device, &chosen), b.device);
    uint64_t before = bench_counter(&b, "filter_false");
    take_all(&b);
    uint64_t old_windows = bench_counter(&b, "filter_false") - before;
    EXPECT(!has_filter(&b) || old_windows > 0);
    EXPECT_NUMBER(deep_traffic(&b), 0);
    bench_close(&b);
}

/* ---- the choice ---------------------------------------------------------------------------- */

static tmu_filter_windows_t choose(const tmu_filter_sample_t *sample) {
    tmu_filter_windows_t windows = {0};
    EXPECT_NUMBER(tmu_filter_choose(sample, &windows), TMU_OK);
    return windows;
}

/* MPI keys, a quarter of them with each of no, one or both wildcards. */
static tmu_filter_sample_t mpi_sample(uint32_t contexts, int32_t tags, uint32_t sources) {
    tmu_filter_sample_t sample = {0};
    for (uint32_t i = 0; i < 40000; i++) {
        tmu_key_t key;
        uint32_t mix = i * 2654435761u;
        int64_t source = mix >> 30 & 1 ? TMU_ANY_SOURCE : (int64_t)((mix >> 7) % sources);
        int64_t tag = mix >> 31 ? TMU_ANY_TAG : (int32_t)(mix >> 5) % tags;
        must(tmu_key_mpi((mix >> 3) % contexts, source, tag, &key), NULL);
        tmu_filter_observe(&sample, key.match, key.ignore, key.source, key.source_ignore);
    }
    return sample;
}

static void without_a_sample_windows_suit_mpi(void) {
    tmu_filter_windows_t windows = choose(&(tmu_filter_sample_t){0});
    expect_windows(&windows, UINT32_MAX, (uint64_t)UINT32_MAX << 32, UINT32_MAX);
}

static void a_wildcard_leaves_the_other_window_alone(void) {
    tmu_filter_sample_t sample = mpi_sample(4, 1000, 64);
    tmu_filter_windows_t windows = choose(&sample);
    expect_windows(&windows, 0x3ff, UINT64_C(3) << 32, 0x3f);
}

static void the_field_that_varies_most_gets_the_larger_piece(void) {
    tmu_filter_sample_t sample = mpi_sample(4096, 8, 64);
    tmu_filter_windows_t windows = choose(&sample);
    expect_windows(&windows, UINT64_C(0xfff) << 32, 7, 0x3f);
}

static void a_constant_context_keeps_its_window(void) {
    tmu_filter_sample_t sample = mpi_sample(1, 1000, 1);
    tmu_filter_windows_t windows = choose(&sample);
    expect_windows(&windows, 0x3ff, (uint64_t)UINT32_MAX << 32, UINT32_MAX);
}

static void without_wildcards_both_windows_have_all_that_varies(void) {
    tmu_filter_sample_t sample = {0};
    const uint64_t varied = UINT64_C(0x7ffff0fffff0ffc0);
    uint64_t state = 1;
    for (uint32_t i = 0; i < 200; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        tmu_filter_observe(&sample, (state ^ state >> 29) & varied, 0, i & 0xf0, 0);
    }
    tmu_filter_windows_t windows = choose(&sample);
    expect_windows(&windows, varied, varied, 0xf0);
}

/* The low byte of the source is mostly ignored: one bit of it would make the piece useless. */
static void source_bits_that_are_mostly_ignored_are_left_out(void) {
    tmu_filter_sample_t sample = {0};
    for (uint32_t i = 0; i < 4096; i++) {
        tmu_filter_observe(&sample, 0, 0, i, i % 16 == 0 ? 0 : 0xff);
    }
    expect_windows(&(tmu_filter_windows_t){.source = choose(&sample).source}, 0, 0, 0xf00);
    tmu_filter_sample_t seldom = {0};
    for (uint32_t i = 0; i < 4096; i++) {
        tmu_filter_observe(&seldom, 0, 0, i, i == 0 ? 0xfff : 0);
    }
    EXPECT_NUMBER(choose(&seldom).source, 0xfff);
}

/* More sets of ignored bits than a sample counts: none is forgotten. */
static void further_masks_are_counted_as_their_union(void) {
    tmu_filter_sample_t sample = {0};
    uint64_t keys = 0;
    for (uint32_t bit = 0; bit < 16; bit++) {
        for (uint64_t i = 0; i < 16; i++) {
            tmu_filter_observe(&sample, i * 0x1111, UINT64_C(1) << bit, 0, 0);
        }
    }
    uint64_t ignored = 0;
    for (size_t i = 0; i < TMU_FILTER_MASKS; i++) {
        ignored |= sample.match_masks[i].ignore;
        keys += sample.match_masks[i].keys;
    }
    EXPECT_NUMBER(ignored, 0xffff);
    EXPECT_NUMBER(sample.match_masks[TMU_FILTER_MASKS - 1].ignore, 0xfff8);
    EXPECT_NUMBER(keys, 256);
    EXPECT_NUMBER(sample.keys, 256);
    tmu_filter_windows_t windows = choose(&sample);
    EXPECT_NUMBER(windows.low & windows.high, 0);
    EXPECT((windows.low | windows.high) != 0);
}

/* ---- opening ------------------------------------------------------------------------------- */

static tmu_result_t used_open(const char *rest, void **backend_p) {
    tmu_result_t result = tmu_backend_ref.open(rest, backend_p);
    if (result == TMU_OK) {
        result = tmu_backend_ref.write32(*backend_p, TMU_REG_FILTER_LOW_HI, 0xdead);
    }
    return result;
}

static void opening_forgets_the_windows_of_the_program_before(void) {
    tmu_backend_ops_t used = tmu_backend_ref;
    tmu_t *device = NULL;
    tmu_filter_windows_t found = {0};
    used.open = used_open;
    must(tmu_open_backend(&used, "tiny", &device), NULL);
    must(tmu_filter_get(device, &found), device);
    expect_windows(&found, UINT32_MAX, (uint64_t)UINT32_MAX << 32, UINT32_MAX);
    tmu_close(device);
}

static void all(void) {
    RUN(windows_are_kept_by_a_reset);
    RUN(null_is_invalid);
    RUN(windows_change_the_work_and_no_verdict);
    RUN(windows_wait_until_no_entry_lies_beyond_the_arrays);
}

int main(void) {
    RUN(without_a_sample_windows_suit_mpi);
    RUN(a_wildcard_leaves_the_other_window_alone);
    RUN(the_field_that_varies_most_gets_the_larger_piece);
    RUN(a_constant_context_keeps_its_window);
    RUN(without_wildcards_both_windows_have_all_that_varies);
    RUN(source_bits_that_are_mostly_ignored_are_left_out);
    RUN(further_masks_are_counted_as_their_union);
    RUN(opening_forgets_the_windows_of_the_program_before);
    return on_every_device(all);
}
