/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_workload.h"

#include <stdlib.h>
#include <string.h>

#include "tmu_model.h"

#define HOLE_GROUP 16
#define ANY_TAG UINT64_C(0x7fffffff)
#define ANY_SOURCE UINT32_MAX

const char *const bench_kind_names[BENCH_KINDS] = {
    "exact",        "any_source",     "any_tag", "both",          "mixed",
    "equal_mod256", "equal_mod65536", "fifo",    "hole_workload", "paired",
};
const char *const bench_position_names[BENCH_POSITIONS] = {"oldest", "youngest", "random"};

int bench_exists(bench_kind_t kind, bench_position_t position) {
    switch (kind) {
    case BENCH_FIFO:
        return position == BENCH_OLDEST;
    case BENCH_HOLES:
        return position == BENCH_RANDOM;
    case BENCH_PAIRED:
        return position == BENCH_YOUNGEST;
    default:
        return 1;
    }
}

/* The receives that are there, by age, and the numbers of keys that none of them has. */
typedef struct {
    struct {
        uint32_t number;
        uint64_t handle;
    } live[BENCH_DEPTH_MAX + HOLE_GROUP];
    size_t count;
    uint32_t vacant[BENCH_DEPTH_MAX + HOLE_GROUP];
    size_t vacant_first;
    size_t vacant_count;
    uint64_t next_handle;
    uint64_t random;
} plan_t;

static size_t draw(plan_t *plan, size_t below) {
    plan->random = plan->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)((plan->random >> 33) % below);
}

/* The key of a message for receive `number`: receives of one workload never take another's, except
 * in the FIFO. */
static void message_key(bench_kind_t kind, uint32_t number, uint64_t *match, uint32_t *source) {
    const uint64_t context = UINT64_C(1) << 32;
    *match = context | number;
    *source = number % 61;
    switch (kind) {
    case BENCH_ANY_TAG:
        *match = context | (number * 7u & ANY_TAG);
        *source = number;
        break;
    case BENCH_BOTH:
    case BENCH_MIXED:
        *match = (uint64_t)number << 32 | (number * 7u & ANY_TAG);
        break;
    case BENCH_MOD256:
        *match = context | (uint64_t)number << 8;
        *source = 3;
        break;
    case BENCH_MOD65536:
        *match = context | (uint64_t)number << 16;
        *source = 3;
        break;
    case BENCH_FIFO:
        *match = context | 5;
        *source = 3;
        break;
    default:
        break;
    }
}

static engine_key_t receive_key(bench_kind_t kind, uint32_t number) {
    engine_key_t key = {0};
    message_key(kind, number, &key.match, &key.source);
    const unsigned turn = kind == BENCH_MIXED ? number % 4 : 0;
    if (kind == BENCH_ANY_SOURCE || kind == BENCH_BOTH || (turn & 1) != 0) {
        key.source = 0;
        key.source_ignore = ANY_SOURCE;
    }
    if (kind == BENCH_ANY_TAG || kind == BENCH_BOTH || (turn & 2) != 0) {
        key.match &= ~ANY_TAG;
        key.ignore = ANY_TAG;
    }
    return key;
}

/* The next receive: its key is the one that has been vacant longest. */
static bench_post_t plan_post(plan_t *plan, bench_kind_t kind) {
    const size_t room = sizeof plan->vacant / sizeof plan->vacant[0];
    const uint32_t number = plan->vacant[plan->vacant_first];
    plan->vacant_first = (plan->vacant_first + 1) % room;
    plan->vacant_count -= 1;
    plan->live[plan->count].number = number;
    plan->live[plan->count].handle = plan->next_handle;
    plan->count += 1;
    return (bench_post_t){receive_key(kind, number), plan->next_handle++};
}

/* A message for the receive at `position` (oldest = 0), whose handle goes to *taken. */
static bench_arrival_t plan_arrival(plan_t *plan, bench_kind_t kind, size_t position,
                                    uint64_t *taken) {
    const size_t room = sizeof plan->vacant / sizeof plan->vacant[0];
    const uint32_t number = plan->live[position].number;
    bench_arrival_t arrival = {.handle = 7};
    message_key(kind, number, &arrival.key.match, &arrival.key.source);
    *taken = plan->live[position].handle;
    plan->count -= 1;
    memmove(&plan->live[position], &plan->live[position + 1],
            (plan->count - position) * sizeof plan->live[0]);
    plan->vacant[(plan->vacant_first + plan->vacant_count) % room] = number;
    plan->vacant_count += 1;
    return arrival;
}

static size_t position_of(plan_t *plan, const bench_shape_t *shape, unsigned in_round) {
    if (shape->kind == BENCH_HOLES) {
        bool last = in_round == HOLE_GROUP - 1;
        return last ? 0 : shape->depth + draw(plan, plan->count - shape->depth);
    }
    switch (shape->position) {
    case BENCH_OLDEST:
        return 0;
    case BENCH_YOUNGEST:
        return plan->count - 1;
    default:
        return draw(plan, plan->count);
    }
}

static void plan_all(plan_t *plan, bench_workload_t *workload) {
    const bench_shape_t *shape = &workload->shape;
    plan->vacant_count = shape->depth + workload->group;
    for (uint32_t i = 0; i < plan->vacant_count; i++) {
        plan->vacant[i] = i;
    }
    for (uint32_t i = 0; i < shape->depth; i++) {
        if (workload->fill) {
            /* A context of its own: no receive takes it. */
            workload->fill[i] =
                (bench_arrival_t){{.match = UINT64_C(0x77) << 32 | i, .source = i % 61}, i};
        }
        workload->resident[i] = plan_post(plan, shape->kind);
    }
    for (size_t i = 0; i < workload->pairs; i += workload->group) {
        for (unsigned g = 0; g < workload->group; g++) {
            workload->post[i + g] = plan_post(plan, shape->kind);
        }
        for (unsigned g = 0; g < workload->group; g++) {
            workload->arrival[i + g] = plan_arrival(plan, shape->kind, position_of(plan, shape, g),
                                                    &workload->expected[i + g]);
        }
    }
}

static bool model_post(tmu_model_t *model, const bench_post_t *post) {
    tmu_model_receive_t receive = {.handle = post->handle, .receive_id = TMU_MODEL_NO_RECEIVE_ID};
    TMU_MODEL_COPY_KEY(receive.key, post->key);
    tmu_model_verdict_t verdict;
    return tmu_model_post(model, &receive, &verdict) == TMU_MODEL_QUEUED;
}

static bool model_arrival(tmu_model_t *model, const bench_arrival_t *arrival,
                          tmu_model_status_t status, uint64_t other) {
    tmu_model_message_t message = {.handle = arrival->handle};
    TMU_MODEL_COPY_VALUES(message, arrival->key);
    tmu_model_verdict_t verdict;
    return tmu_model_arrive(model, &message, &verdict) == status && verdict.other == other;
}

/* Whether the law's verdicts are the intended ones. */
static bool model_agrees(const bench_workload_t *workload) {
    tmu_model_t *model = NULL;
    if (tmu_model_create(&(tmu_model_config_t){.endpoints = 1}, &model) != TMU_MODEL_OK) {
        return false;
    }
    bool agrees = true;
    for (unsigned i = 0; i < workload->shape.depth && workload->fill; i++) {
        agrees = agrees && model_arrival(model, &workload->fill[i], TMU_MODEL_QUEUED, 0);
    }
    for (unsigned i = 0; i < workload->shape.depth; i++) {
        agrees = agrees && model_post(model, &workload->resident[i]);
    }
    for (size_t i = 0; i < workload->pairs && agrees; i += workload->group) {
        for (unsigned g = 0; g < workload->group; g++) {
            agrees = agrees && model_post(model, &workload->post[i + g]);
        }
        for (unsigned g = 0; g < workload->group; g++) {
            agrees = agrees && model_arrival(model, &workload->arrival[i + g], TMU_MODEL_MATCHED,
                                             workload->expected[i + g]);
        }
    }
    tmu_model_destroy(model);
    return agrees;
}

int bench_workload_make(const bench_shape_t *shape, bench_workload_t *workload) {
    *workload = (bench_workload_t){
        .shape = *shape,
        .group = shape->kind == BENCH_HOLES ? HOLE_GROUP : 1,
        .pairs = (size_t)shape->batch * shape->batches,
    };
    const size_t pairs = workload->pairs;
    plan_t *plan = calloc(1, sizeof *plan);
    workload->resident = calloc(shape->depth + 1, sizeof *workload->resident);
    workload->post = calloc(pairs, sizeof *workload->post);
    workload->arrival = calloc(pairs, sizeof *workload->arrival);
    workload->expected = calloc(pairs, sizeof *workload->expected);
    bool paired = shape->kind == BENCH_PAIRED;
    workload->fill = paired ? calloc(shape->depth + 1, sizeof *workload->fill) : NULL;
    int result = -1;
    if (plan && workload->resident && workload->post && workload->arrival && workload->expected &&
        (workload->fill || !paired)) {
        plan->next_handle = 1;
        plan->random = shape->depth + 1;
        plan_all(plan, workload);
        result = model_agrees(workload) ? 0 : -1;
    }
    free(plan);
    if (result != 0) {
        bench_workload_free(workload);
    }
    return result;
}

void bench_workload_free(bench_workload_t *workload) {
    free(workload->fill);
    free(workload->resident);
    free(workload->post);
    free(workload->arrival);
    free(workload->expected);
    *workload = (bench_workload_t){0};
}
