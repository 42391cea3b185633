/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmark's check: right engines pass every kind of cell, a wrong one is seen. */
#include "bench_cell.h"
#include "expect.h"

static const engine_ops_t *real;

/* Takes the right receive and names another. */
static engine_verdict_t wrong_arrive(engine_t *engine, uint32_t endpoint, const engine_key_t *key,
                                     uint64_t handle, uint64_t length) {
    engine_verdict_t verdict = real->arrive(engine, endpoint, key, handle, length);
    verdict.other += handle == 7 && verdict.other == 20;
    return verdict;
}

static bench_result_t run(const engine_ops_t *engine, bench_kind_t kind, bench_position_t position,
                          unsigned depth) {
    const bench_shape_t shape = {kind, position, depth, 32, 3};
    bench_workload_t workload;
    bench_result_t result = {.wrong = UINT64_MAX};
    EXPECT_NUMBER(bench_workload_make(&shape, &workload), 0);
    EXPECT_NUMBER(bench_cell(engine, &workload, &result), 0);
    bench_workload_free(&workload);
    return result;
}

static void every_cell_is_right_on_every_engine(void) {
    static const char *const names[] = {"fuzzy", "fuzzy-portable", "list"};
    static const unsigned depths[] = {0, 1, 17, 200};
    for (unsigned k = 0; k < BENCH_KINDS; k++) {
        for (unsigned p = 0; p < BENCH_POSITIONS; p++) {
            for (unsigned i = 0; i < 12; i++) {
                const unsigned depth = depths[i / 3];
                if (!bench_exists((bench_kind_t)k, (bench_position_t)p)) {
                    continue;
                }
                const bench_result_t result =
                    run(engine_find(names[i % 3]), (bench_kind_t)k, (bench_position_t)p, depth);
                EXPECT_NUMBER(result.wrong, 0);
                EXPECT_NUMBER(result.checked, 2 * 96 + (k == BENCH_PAIRED ? 2 * depth : depth));
                EXPECT(result.median > 0 && result.least <= result.median);
            }
        }
    }
}

static void one_wrong_verdict_is_seen(void) {
    real = engine_find("fuzzy");
    engine_ops_t wrong = *real;
    wrong.arrive = wrong_arrive;
    EXPECT_NUMBER(run(&wrong, BENCH_EXACT, BENCH_OLDEST, 16).wrong, 1);
    EXPECT_NUMBER(run(real, BENCH_EXACT, BENCH_OLDEST, 16).wrong, 0);
}

/* Tags that differ in few bits only cost the fuzzy engine few candidates. */
static void colliding_tags_cause_few_false_positives(void) {
    const engine_ops_t *engine = engine_find("fuzzy");
    for (unsigned k = BENCH_MOD256; k <= BENCH_MOD65536; k++) {
        const bench_result_t result = run(engine, (bench_kind_t)k, BENCH_YOUNGEST, 4096);
        EXPECT(result.stats.false_positives <= 96);
    }
}

int main(void) {
    RUN(every_cell_is_right_on_every_engine);
    RUN(one_wrong_verdict_is_seen);
    RUN(colliding_tags_cause_few_false_positives);
    return expect_summary();
}
