/* SPDX-License-Identifier: Apache-2.0 */
#include "workload.h"

#include "fit.h"
#include "lot.h"

#include <stdio.h>
#include <stdlib.h>

/* Endpoints of a soak, at most; its operations between two changes of quotas or reserves, on
 * average; resets of one workload; of 256 operations, how many are probes, claims and cancels at
 * least. */
#define SOAK_ENDPOINTS 256u
#define SOAK_LIMITS_EVERY 200u
#define SOAK_RESETS 2u
#define SOAK_RARE 16u

static int index_ids(workload_t *workload) {
    workload->requests = id_map_create(workload->count);
    workload->messages = id_map_create(workload->count);
    if (!workload->requests || !workload->messages) {
        return -1;
    }
    for (size_t i = 0; i < workload->count; ++i) {
        const tmu_trace_op_t *op = &workload->ops[i];
        id_map_put(op->kind == TMU_TRACE_ARRIVE ? workload->messages : workload->requests, op->id,
                   i);
    }
    return 0;
}

int workload_read(workload_t *workload, const char *path, char *error, size_t error_size) {
    *workload = (workload_t){0};
    if (tmu_trace_read(path, &workload->trace, error, error_size) != 0) {
        return -1;
    }
    workload->ops = tmu_trace_ops(workload->trace);
    workload->count = tmu_trace_count(workload->trace);
    if (index_ids(workload) == 0) {
        return 0;
    }
    workload_free(workload);
    (void)snprintf(error, error_size, "no memory for the trace %s", path);
    return -1;
}

void workload_free(workload_t *workload) {
    id_map_destroy(workload->requests);
    id_map_destroy(workload->messages);
    tmu_trace_free(workload->trace);
    free(workload->made);
    free(workload->events);
    *workload = (workload_t){0};
}

size_t workload_find(const workload_t *workload, bool arrival, uint64_t handle) {
    return id_map_get(arrival ? workload->messages : workload->requests, handle);
}

/* ---- random workloads --------------------------------------------------------------------- */

/* Parameters of one workload's operations, drawn from its seed. */
typedef struct {
    lot_t lot;
    uint32_t endpoints;
    uint32_t contexts;
    uint32_t sources;
    uint32_t tags;
    unsigned any_source; /* of 256 receives, so many have it */
    unsigned any_tag;
    unsigned raw;        /* of 256 receives, so many have an arbitrary mask */
    unsigned post_share; /* of 256 posts and arrivals, so many are posts now */
    uint32_t swing;      /* operations after which that share changes, at most */
    uint32_t swing_left;
    int64_t surplus;    /* posts made less arrivals made */
    unsigned rare;      /* of 256 operations, so many are probes, claims and cancels */
    unsigned flush;     /* of 65,536 operations, so many are flushes */
    uint64_t posts[64]; /* numbers of the last posts, for cancels */
    uint32_t post_endpoints[64];
    size_t post_count;
    size_t resets[SOAK_RESETS];              /* of a soak: before these operations */
    uint32_t reserve[SOAK_ENDPOINTS + 1][2]; /* of receives and messages; the last one is the sum */
} maker_t;

static uint64_t draw(maker_t *maker) { return lot_draw(&maker->lot); }

static uint32_t below(maker_t *maker, uint32_t limit) { return lot_below(&maker->lot, limit); }

static bool chance(maker_t *maker, unsigned of_256) { return below(maker, 256) < of_256; }

/* A different number for every index, spread over all bits of a handle, so that each is used. */
static uint64_t spread(const workload_shape_t *shape, uint64_t index) {
    return fit_spread(index, shape->unit->handle_bits);
}

/* Whether both tables shall fill up: arrivals are then held back all the time, which is slow. */
static bool has_pressure(maker_t *maker, const workload_shape_t *shape) {
    return shape->entries <= 1024 && below(maker, 16) == 0;
}

static void shape_traffic(maker_t *maker, const workload_shape_t *shape) {
    const uint32_t wanted = shape->soak ? SOAK_ENDPOINTS : 8;
    const uint32_t most = shape->endpoints < wanted ? shape->endpoints : wanted;
    const bool small = shape->entries <= 1024;
    maker->lot.state = shape->seed * 0x9e3779b97f4a7c15u + 1;
    const bool pressure = has_pressure(maker, shape);
    maker->endpoints = shape->soak && shape->seed % 2 == 0 ? most : 1 + below(maker, most);
    maker->contexts = 1 + below(maker, small ? 2 : 3);
    maker->sources = 1 + below(maker, small ? 3 : 6);
    /* Many tags match seldom and make queues deep. */
    static const uint32_t few[] = {1, 2, 2, 3};
    static const uint32_t many[] = {1, 2, 6, 40, 300};
    if (shape->outgrows) {
        maker->tags = many[2 + below(maker, 3)];
    } else {
        maker->tags = small && !pressure ? few[below(maker, 4)] : many[below(maker, 5)];
    }
    maker->any_source = below(maker, 3) == 0 ? 128 : below(maker, 40);
    maker->any_tag = below(maker, 3) == 0 ? 128 : below(maker, 40);
    maker->raw = below(maker, 2) == 0 ? 0 : below(maker, 64);
    maker->rare = below(maker, 80);
    if (shape->soak && maker->rare < SOAK_RARE) {
        maker->rare = SOAK_RARE;
    }
    maker->flush = pressure ? 400 : below(maker, 3) == 0 ? 200 : 32;
    maker->swing = small ? shape->entries : 4096;
}

static uint64_t make_tag(maker_t *maker) {
    uint32_t tag = below(maker, maker->tags) * 256u;
    if (chance(maker, 8)) {
        tag = 0x80000000u | tag; /* negative: internal to a library (R2) */
    }
    return tag;
}

static void make_key(maker_t *maker, tmu_trace_op_t *op, bool wildcards) {
    op->match = (uint64_t)below(maker, maker->contexts) << 32 | make_tag(maker);
    op->source = below(maker, maker->sources);
    if (!wildcards) {
        return;
    }
    if (chance(maker, maker->any_source)) {
        op->source = 0;
        op->source_ignore = UINT32_MAX;
    }
    if (chance(maker, maker->raw)) {
        op->raw = 1;
        op->ignore = draw(maker) & draw(maker);
    } else if (chance(maker, maker->any_tag)) {
        op->match &= ~(uint64_t)UINT32_MAX;
        op->ignore = INT32_MAX;
    }
}

/* Spread over the whole range: the last endpoint too. */
static uint32_t endpoint_number(const maker_t *maker, const workload_shape_t *shape, uint32_t n) {
    return shape->endpoints - 1 - n * (shape->endpoints / maker->endpoints);
}

static uint32_t make_endpoint(maker_t *maker, const workload_shape_t *shape) {
    if (below(maker, 1024) == 0) {
        return shape->endpoints + below(maker, 3); /* one that is not there (R13) */
    }
    return endpoint_number(maker, shape, below(maker, maker->endpoints));
}

static void make_cancel(maker_t *maker, tmu_trace_op_t *op) {
    op->kind = TMU_TRACE_CANCEL;
    if (maker->post_count == 0 || chance(maker, 8)) {
        op->target = draw(maker); /* never posted: late */
        return;
    }
    const uint32_t kept = maker->post_count < 64 ? (uint32_t)maker->post_count : 64;
    /* The youngest ones most often: they race with their own match. */
    const uint32_t back = chance(maker, 128) ? below(maker, 2) % kept : below(maker, kept);
    const size_t index = (maker->post_count - 1 - back) % 64;
    op->target = maker->posts[index];
    op->endpoint = maker->post_endpoints[index];
}

/* Posts are ahead for a while, then arrivals: each queue fills and drains in turn. */
static void change_direction(maker_t *maker) {
    if (maker->swing_left-- != 0) {
        return;
    }
    maker->swing_left = below(maker, maker->swing);
    maker->post_share = 64 + below(maker, 129);
    const int64_t limit = (int64_t)maker->swing / 2;
    if (maker->surplus > limit) {
        maker->post_share = 64;
    } else if (maker->surplus < -limit) {
        maker->post_share = 192;
    }
}

static void make_op(maker_t *maker, const workload_shape_t *shape, tmu_trace_op_t *op,
                    size_t index) {
    change_direction(maker);
    *op = (tmu_trace_op_t){0};
    op->id = spread(shape, index);
    op->time_ns = TMU_TRACE_NO_TIME;
    op->line = index + 1;
    op->endpoint = make_endpoint(maker, shape);
    if (below(maker, 65536) < maker->flush) {
        op->kind = TMU_TRACE_FLUSH;
    } else if (chance(maker, maker->rare)) {
        const uint32_t which = below(maker, 3);
        if (which == 2) {
            make_cancel(maker, op);
        } else {
            op->kind = which == 0 ? TMU_TRACE_PROBE : TMU_TRACE_CLAIM;
            make_key(maker, op, true);
        }
    } else if (chance(maker, maker->post_share)) {
        op->kind = TMU_TRACE_POST;
        make_key(maker, op, true);
        maker->posts[maker->post_count % 64] = op->id;
        maker->post_endpoints[maker->post_count % 64] = op->endpoint;
        ++maker->post_count;
        ++maker->surplus;
    } else {
        op->kind = TMU_TRACE_ARRIVE;
        make_key(maker, op, false);
        --maker->surplus;
    }
    if (op->kind == TMU_TRACE_POST || op->kind == TMU_TRACE_ARRIVE) {
        op->bytes = chance(maker, 16) ? draw(maker) >> 16 : below(maker, 4) * 64u;
    }
    fit_random(op, shape->unit);
}

static uint32_t make_quota(maker_t *maker) {
    static const uint32_t most[] = {0, 4, 40, 400};
    const uint32_t limit = most[below(maker, 4)];
    return limit == 0 ? 0 : 1 + below(maker, limit);
}

/* Half of what the other endpoints leave of a table at most, so that all have some of it. */
static uint32_t make_reserve(maker_t *maker, const workload_shape_t *shape, uint32_t number,
                             int queue) {
    uint32_t *own = &maker->reserve[number][queue];
    uint32_t *sum = &maker->reserve[SOAK_ENDPOINTS][queue];
    const uint32_t most = (shape->reserves - (*sum - *own)) / 2;
    *sum -= *own;
    *own = below(maker, 3) == 0 ? 0 : below(maker, most + 1);
    *sum += *own;
    return *own;
}

static void add_event(workload_t *workload, const workload_event_t *event) {
    workload->events[workload->event_count++] = *event;
}

/* Adds an event before an operation of a soak, now and then. */
static void make_event(maker_t *maker, const workload_shape_t *shape, workload_t *workload,
                       size_t before) {
    workload_event_t event = {.before = before, .kind = WORKLOAD_RESET};
    for (size_t i = 0; i < SOAK_RESETS; ++i) {
        if (maker->resets[i] == before) {
            add_event(workload, &event);
            return;
        }
    }
    if (below(maker, SOAK_LIMITS_EVERY) != 0) {
        return;
    }
    const uint32_t number = below(maker, maker->endpoints);
    event.endpoint = endpoint_number(maker, shape, number);
    if (below(maker, 2) == 0) {
        event.kind = WORKLOAD_QUOTA;
        event.posted = make_quota(maker);
        event.unexpected = make_quota(maker);
    } else {
        event.kind = WORKLOAD_RESERVE;
        event.posted = make_reserve(maker, shape, number, 0);
        event.unexpected = make_reserve(maker, shape, number, 1);
    }
    add_event(workload, &event);
}

/* The end of a soak: an endpoint without quotas, so that all that is held back goes in, is emptied.
 */
static void make_end(const maker_t *maker, const workload_shape_t *shape, workload_t *workload,
                     size_t index, uint32_t number) {
    const uint32_t endpoint = endpoint_number(maker, shape, number);
    add_event(workload, &(workload_event_t){index, WORKLOAD_RESERVE, endpoint, 0, 0});
    add_event(workload, &(workload_event_t){index, WORKLOAD_QUOTA, endpoint, 0, 0});
    workload->made[index] = (tmu_trace_op_t){.kind = TMU_TRACE_FLUSH,
                                             .id = spread(shape, index),
                                             .time_ns = TMU_TRACE_NO_TIME,
                                             .line = index + 1,
                                             .endpoint = endpoint};
}

int workload_make(workload_t *workload, const workload_shape_t *shape) {
    *workload = (workload_t){0};
    maker_t maker = {0};
    workload->made = malloc((shape->count + 1) * sizeof *workload->made);
    /* Each operation has two events before it at most. */
    workload->events = malloc(2 * (shape->count + 1) * sizeof *workload->events);
    if (!workload->made || !workload->events) {
        workload_free(workload);
        return -1;
    }
    shape_traffic(&maker, shape);
    const size_t ends = !shape->soak                     ? 0
                        : maker.endpoints < shape->count ? maker.endpoints
                                                         : shape->count;
    for (size_t i = 0; shape->soak && i < SOAK_RESETS; ++i) {
        maker.resets[i] = below(&maker, (uint32_t)(shape->count - ends) + 1);
    }
    for (size_t i = 0; i < shape->count - ends; ++i) {
        if (shape->soak) {
            make_event(&maker, shape, workload, i);
        }
        make_op(&maker, shape, &workload->made[i], i);
    }
    for (size_t i = 0; i < ends; ++i) {
        make_end(&maker, shape, workload, shape->count - ends + i, (uint32_t)i);
    }
    workload->ops = workload->made;
    workload->count = shape->count;
    workload->address_mask = UINT64_MAX >> (64 - shape->unit->address_bits);
    if (index_ids(workload) == 0) {
        return 0;
    }
    workload_free(workload);
    return -1;
}
