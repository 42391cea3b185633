/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every engine against the model, operation by operation, on random traffic: few keys, so that
 * much matches; MPI's wildcards and more sets of ignored bits than the fuzzy engine has slots for;
 * deep queues, holes, full tables.  TMU_SEED replays a run.
 */
#include <string.h>
#include <time.h>

#include "engines.h"
#include "expect.h"
#include "fuzzy_queue.h"
#include "tmu_model_ask.h"

static const char *const names[] = {ENGINES(ENGINE_MEMBER)};

static uint64_t seed;

/* xorshift64*. */
static uint64_t draw(uint64_t below) {
    seed ^= seed >> 12;
    seed ^= seed << 25;
    seed ^= seed >> 27;
    return (seed * UINT64_C(0x2545f4914f6cdd1d) >> 20) % below;
}

typedef struct {
    uint32_t endpoints;
    uint64_t quota;
    uint64_t capacity;
    uint64_t tags;     /* how many there are */
    uint64_t stride;   /* between tags */
    unsigned masks;    /* how many of the table below */
    unsigned posts;    /* of 100 */
    unsigned arrivals; /* of 100, posts not counted */
    unsigned operations;
} shape_t;

static const struct {
    uint64_t ignore;
    uint32_t source_ignore;
} masks[] = {
    {0, 0},   {0, UINT32_MAX},         {0x7fffffff, 0}, {0x7fffffff, UINT32_MAX}, {0xff, 0},
    {0, 0xf}, {0xffffffff00000000, 0}, {0xff00, 1},     {UINT64_MAX, UINT32_MAX}, {0x1, 0},
};

static engine_key_t random_key(const shape_t *shape, bool wild) {
    engine_key_t key = {
        .match = draw(3) << 32 | (uint32_t)(draw(shape->tags) * shape->stride - (draw(9) == 0)),
        .source = (uint32_t)draw(4),
    };
    if (wild && draw(2) == 0) {
        size_t mask = draw(shape->masks);
        key.ignore = masks[mask].ignore;
        key.source_ignore = masks[mask].source_ignore;
    }
    return key;
}

static engine_status_t expected_status(tmu_model_status_t status) {
    static const engine_status_t same[] = {
        [TMU_MODEL_MATCHED] = ENGINE_MATCHED,
        [TMU_MODEL_QUEUED] = ENGINE_QUEUED,
        [TMU_MODEL_FOUND] = ENGINE_FOUND,
        [TMU_MODEL_NONE] = ENGINE_NONE,
        [TMU_MODEL_CANCELLED] = ENGINE_CANCELLED,
        [TMU_MODEL_LATE] = ENGINE_LATE,
        [TMU_MODEL_FLUSHED] = ENGINE_FLUSHED,
        [TMU_MODEL_REFUSED_QUOTA] = ENGINE_REFUSED_QUOTA,
        [TMU_MODEL_REFUSED_ENDPOINT] = ENGINE_REFUSED_ENDPOINT,
        [TMU_MODEL_STALLED] = ENGINE_STALLED,
    };
    return same[status];
}

/* One random operation on both; false at the first difference. */
static bool agree(const engine_ops_t *ops, engine_t *engine, tmu_model_t *model,
                  const shape_t *shape, uint64_t handle) {
    const uint32_t endpoint = (uint32_t)draw(shape->endpoints + (draw(50) == 0));
    const uint64_t kind = draw(100);
    const uint64_t length = draw(3);
    engine_verdict_t found = {0};
    uint64_t removed[2] = {0, 0};
    const bool is_arrival = kind >= shape->posts && kind < shape->posts + shape->arrivals;
    const engine_key_t key = random_key(shape, !is_arrival);
    tmu_model_question_t question = {.endpoint = endpoint, .handle = handle, .length = length};
    TMU_MODEL_COPY_KEY(question.key, key);
    if (kind < shape->posts) {
        question.operation = TMU_MODEL_POST;
        found = ops->post(engine, endpoint, &key, handle, length);
    } else if (is_arrival) {
        question.operation = TMU_MODEL_ARRIVE;
        found = ops->arrive(engine, endpoint, &key, handle, length);
    } else if (draw(400) == 0) {
        question.operation = TMU_MODEL_FLUSH;
        question.key = TMU_MODEL_EVERYTHING;
        found = ops->flush(engine, endpoint, removed);
    } else if (draw(3) == 0) {
        question.operation = TMU_MODEL_CANCEL;
        question.target = draw(handle + 1);
        found = ops->cancel(engine, endpoint, question.target);
    } else {
        const bool take = draw(2) != 0;
        question.operation = take ? TMU_MODEL_CLAIM : TMU_MODEL_PROBE;
        found = ops->look(engine, endpoint, &key, take);
    }
    const tmu_model_verdict_t expected = tmu_model_ask(model, &question, NULL, NULL);
    return found.status == expected_status(expected.status) && found.other == expected.other &&
           (found.truncated != 0) == expected.truncated && removed[0] == expected.removed_posted &&
           removed[1] == expected.removed_unexpected;
}

static void compare(const char *name, const shape_t *shape) {
    const engine_ops_t *ops = engine_find(name);
    if (!ops) {
        (void)fprintf(stderr, "%s: not on this machine\n", name);
        return;
    }
    const engine_config_t config = {shape->endpoints, shape->capacity, shape->capacity,
                                    shape->quota, shape->quota};
    const tmu_model_config_t limits = {shape->endpoints, shape->capacity, shape->capacity,
                                       shape->quota, shape->quota};
    engine_t *engine = ops->create(&config);
    tmu_model_t *model = NULL;
    EXPECT(engine);
    EXPECT_NUMBER(tmu_model_create(&limits, &model), TMU_MODEL_OK);
    uint64_t first_difference = 0;
    for (uint64_t i = 1; i <= shape->operations && first_difference == 0; i++) {
        first_difference = agree(ops, engine, model, shape, i) ? 0 : i;
    }
    if (first_difference != 0) {
        (void)fprintf(stderr, "engine %s differs\n", name);
    }
    EXPECT_NUMBER(first_difference, 0);
    engine_stats_t stats;
    tmu_model_stats_t expected;
    ops->stats(engine, &stats);
    tmu_model_stats(model, &expected);
    EXPECT_NUMBER(stats.posted_max, expected.posted_max);
    EXPECT_NUMBER(stats.unexpected_max, expected.unexpected_max);
    ops->destroy(engine);
    tmu_model_destroy(model);
}

static void compare_all(const shape_t *shape) {
    const uint64_t start = seed;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        seed = start;
        compare(names[i], shape);
    }
}

static void r1_to_r14_shallow_queues(void) {
    compare_all(&(shape_t){3, 0, 0, 2, 1, 4, 40, 40, 60000});
}

static void r2_more_masks_than_slots(void) {
    compare_all(&(shape_t){1, 0, 0, 4, 1, 10, 40, 40, 20000});
    compare_all(&(shape_t){2, 200, 0, 500, 256, 10, 40, 40, 20000});
}

static void r3_deep_posted_queue(void) {
    compare_all(&(shape_t){1, 3000, 0, 5000, 65536, 4, 60, 35, 20000});
}

static void r4_deep_unexpected_queue(void) {
    compare_all(&(shape_t){1, 3000, 0, 5000, 256, 4, 35, 60, 20000});
}

static void r11_quotas_and_capacities(void) {
    compare_all(&(shape_t){4, 5, 0, 3, 1, 4, 45, 45, 20000});
    compare_all(&(shape_t){4, 0, 9, 9, 1, 10, 45, 45, 20000});
}

/* R10: two receives may have one handle; the oldest is cancelled. */
static void r10_the_oldest_of_one_handle_goes(void) {
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const engine_ops_t *ops = engine_find(names[i]);
        if (!ops) {
            continue;
        }
        engine_t *engine = ops->create(&(engine_config_t){.endpoints = 1});
        for (uint64_t tag = 0; tag < 8; tag++) {
            (void)ops->post(engine, 0, &(engine_key_t){.match = tag}, 5, 0);
        }
        EXPECT_NUMBER(ops->cancel(engine, 0, 5).status, ENGINE_CANCELLED);
        EXPECT_NUMBER(ops->arrive(engine, 0, &(engine_key_t){0}, 1, 0).status, ENGINE_QUEUED);
        EXPECT_NUMBER(ops->arrive(engine, 0, &(engine_key_t){.match = 1}, 1, 0).status,
                      ENGINE_MATCHED);
        ops->destroy(engine);
    }
}

/* The comparison would say nothing about false positives if there were none. */
static void a_false_positive_is_rejected(void) {
    uint64_t twin = 1;
    while (fuzzy_id(twin) != fuzzy_id(0)) {
        twin += 1;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const engine_ops_t *ops = engine_find(names[i]);
        if (strncmp(names[i], "fuzzy", 5) != 0 || !ops) {
            continue;
        }
        engine_t *engine = ops->create(&(engine_config_t){.endpoints = 1});
        for (uint64_t handle = 0; handle < 100; handle++) {
            const engine_key_t key = {.match = handle == 99 ? 0 : twin};
            EXPECT_NUMBER(ops->post(engine, 0, &key, handle, 0).status, ENGINE_QUEUED);
        }
        EXPECT_NUMBER(ops->arrive(engine, 0, &(engine_key_t){0}, 1, 0).other, 99);
        engine_stats_t stats;
        ops->stats(engine, &stats);
        EXPECT_NUMBER(stats.false_positives, 99);
        ops->destroy(engine);
    }
}

/* Tags that are equal in their lower bits have ids as different as any. */
static void strides_of_tags_share_few_ids(void) {
    for (uint64_t shift = 0; shift <= 16; shift++) {
        static uint16_t seen[65536];
        memset(seen, 0, sizeof seen);
        unsigned most = 0;
        for (uint64_t tag = 0; tag < 16384; tag++) {
            const engine_key_t key = {.match = 7ull << 32 | (uint32_t)(tag << shift), .source = 3};
            unsigned now = ++seen[fuzzy_id(ENGINE_KEY_MIXED(key, key))];
            most = now > most ? now : most;
        }
        EXPECT(most <= 8);
    }
}

static void an_unknown_engine_is_none(void) { EXPECT(!engine_find("quick")); }

int main(void) {
    seed = expect_seed((uint64_t)time(NULL)) * 2 + 1; /* never 0 */
    RUN(r1_to_r14_shallow_queues);
    RUN(r2_more_masks_than_slots);
    RUN(r3_deep_posted_queue);
    RUN(r4_deep_unexpected_queue);
    RUN(r10_the_oldest_of_one_handle_goes);
    RUN(r11_quotas_and_capacities);
    RUN(a_false_positive_is_rejected);
    RUN(strides_of_tags_share_few_ids);
    RUN(an_unknown_engine_is_none);
    return expect_summary();
}
