/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_flow.h"

#include <stdlib.h>

#include "tmu_internal.h"

tmu_result_t tmu_flow_init(tmu_flow_t *flow, uint32_t endpoints, uint32_t unexpected_capacity) {
    *flow = (tmu_flow_t){.endpoint_count = endpoints, .unexpected_capacity = unexpected_capacity};
    flow->endpoints = calloc(endpoints, sizeof *flow->endpoints);
    return flow->endpoints ? TMU_OK : TMU_ERR_MEMORY;
}

static void held_free_all(tmu_flow_t *flow) {
    while (flow->held_first) {
        tmu_held_t *held = flow->held_first;
        flow->held_first = held->next;
        held->queue->held--;
        free(held);
    }
    flow->held_last = NULL;
}

void tmu_flow_free(tmu_flow_t *flow) {
    held_free_all(flow);
    free(flow->spare);
    free(flow->endpoints);
    flow->spare = NULL;
    flow->endpoints = NULL;
}

void tmu_flow_clear(tmu_flow_t *flow) {
    held_free_all(flow);
    for (uint32_t i = 0; i < flow->endpoint_count; i++) {
        flow->endpoints[i].posted = 0;
        flow->endpoints[i].unexpected = 0;
        flow->endpoints[i].held = 0;
    }
    flow->unexpected = 0;
    flow->stats = (tmu_flow_stats_t){0};
    flow->alone = false;
    flow->drain = false;
    flow->pass = false;
    flow->next = NULL;
}

static tmu_flow_endpoint_t *endpoint_of(const tmu_flow_t *flow, uint32_t endpoint) {
    return endpoint < flow->endpoint_count ? &flow->endpoints[endpoint] : NULL;
}

/** Whether an arrival at the endpoint could find its quota or the table used up. */
static bool could_stall(const tmu_flow_t *flow, uint32_t endpoint) {
    const tmu_flow_endpoint_t *e = endpoint_of(flow, endpoint);
    if (!e) {
        return false; /* the unit refuses the endpoint */
    }
    return flow->unexpected >= flow->unexpected_capacity ||
           (e->quota.unexpected != 0 && e->unexpected >= e->quota.unexpected);
}

/** Whether an arrival held before `end` has the same endpoint and source; NULL = any arrival. */
static bool older_is_held(const tmu_flow_t *flow, uint32_t endpoint, uint32_t source,
                          const tmu_held_t *end) {
    const tmu_flow_endpoint_t *e = endpoint_of(flow, endpoint);
    if (!e || e->held == 0) {
        return false;
    }
    for (const tmu_held_t *held = flow->held_first; held != end; held = held->next) {
        if (held->endpoint == endpoint && held->source == source) {
            return true;
        }
    }
    return false;
}

tmu_admission_t tmu_flow_admit(tmu_flow_t *flow, const tmu_record_t *command, uint32_t endpoint,
                               size_t in_flight, bool alone) {
    bool arrival = TMU_FIELD_GET(command, TMU_COMMAND_OPCODE) == TMU_OPCODE_ARRIVE;
    bool exact = alone || flow->held_first || (arrival && could_stall(flow, endpoint));
    if (flow->alone || flow->pass || (exact && in_flight > 0)) {
        flow->drain = true;
        return TMU_ADMIT_AGAIN;
    }
    uint32_t source = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_SOURCE);
    if (arrival && older_is_held(flow, endpoint, source, NULL)) {
        return TMU_ADMIT_HOLD;
    }
    return exact ? TMU_ADMIT_ALONE : TMU_ADMIT_SEND;
}

tmu_result_t tmu_flow_reserve(tmu_flow_t *flow) {
    if (!flow->spare) {
        flow->spare = malloc(sizeof *flow->spare);
    }
    return flow->spare ? TMU_OK : TMU_ERR_MEMORY;
}

void tmu_flow_hold(tmu_flow_t *flow, tmu_queue_t *queue, const tmu_record_t *command,
                   uint64_t handle) {
    tmu_held_t *held = flow->spare;
    flow->spare = NULL;
    *held = (tmu_held_t){
        .queue = queue,
        .command = *command,
        .handle = handle,
        .endpoint = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_ENDPOINT),
        .source = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_SOURCE),
    };
    if (flow->held_last) {
        flow->held_last->next = held;
    } else {
        flow->held_first = held;
    }
    flow->held_last = held;
    queue->held++;
    flow->endpoints[held->endpoint].held++;
    flow->stats.held_now++;
    if (flow->stats.held_now > flow->stats.held_max) {
        flow->stats.held_max = flow->stats.held_now;
    }
}

/** Takes an admitted arrival out of the list; R11: its place in the order is now. */
static void held_remove(tmu_flow_t *flow, tmu_held_t *held) {
    tmu_held_t *before = NULL;
    for (tmu_held_t *h = flow->held_first; h != held; h = h->next) {
        before = h;
    }
    if (before) {
        before->next = held->next;
    } else {
        flow->held_first = held->next;
    }
    if (flow->held_last == held) {
        flow->held_last = before;
    }
    held->queue->held--;
    flow->endpoints[held->endpoint].held--;
    flow->stats.held_now--;
    flow->stats.resumes++;
    free(held);
}

uint32_t tmu_flow_answers(const tmu_flow_t *flow, uint8_t opcode, uint32_t endpoint) {
    const tmu_flow_endpoint_t *e = endpoint_of(flow, endpoint);
    return opcode == TMU_OPCODE_FLUSH && e ? e->posted + e->unexpected + 1 : 1;
}

void tmu_flow_sent(tmu_flow_t *flow, uint8_t opcode, uint32_t endpoint, bool alone) {
    tmu_flow_endpoint_t *e = endpoint_of(flow, endpoint);
    if (e && opcode == TMU_OPCODE_POST) {
        e->posted++;
    } else if (e && opcode == TMU_OPCODE_ARRIVE) {
        e->unexpected++;
        flow->unexpected++;
    }
    flow->alone = alone;
    flow->drain = false;
}

static bool posted_left(tmu_flow_endpoint_t *e) {
    if (e->posted == 0) {
        return false;
    }
    e->posted--;
    return true;
}

static bool unexpected_left(tmu_flow_t *flow, tmu_flow_endpoint_t *e) {
    if (e->unexpected == 0) {
        return false;
    }
    e->unexpected--;
    flow->unexpected--;
    return true;
}

/** Keeps the upper bounds true after one completion; false if that is impossible. */
static bool account(tmu_flow_t *flow, tmu_flow_endpoint_t *e, const tmu_completion_t *completion) {
    bool matched = completion->status == TMU_STATUS_MATCHED;
    bool queued = completion->status == TMU_STATUS_QUEUED;
    switch (completion->opcode) {
    case TMU_OPCODE_POST:
        return (queued || posted_left(e)) && (!matched || unexpected_left(flow, e));
    case TMU_OPCODE_ARRIVE:
        return (queued || unexpected_left(flow, e)) && (!matched || posted_left(e));
    case TMU_OPCODE_CLAIM:
        return !matched || unexpected_left(flow, e);
    case TMU_OPCODE_CANCEL:
        return completion->status != TMU_STATUS_CANCELLED || posted_left(e);
    case TMU_OPCODE_FLUSH:
        return completion->status != TMU_STATUS_REMOVED ||
               (completion->unexpected ? unexpected_left(flow, e) : posted_left(e));
    default: /* probe and inspect change nothing (R8) */
        return true;
    }
}

bool tmu_flow_answered(tmu_flow_t *flow, tmu_queue_t *queue, const tmu_pending_t *pending,
                       const tmu_completion_t *completion, bool *stalled_p) {
    tmu_flow_endpoint_t *e = endpoint_of(flow, pending->endpoint);
    bool stalled = completion->status == TMU_STATUS_STALLED;
    if ((e && !account(flow, e, completion)) || (stalled && !(e && flow->alone))) {
        return false;
    }
    *stalled_p = stalled;
    if (completion->status == TMU_STATUS_REMOVED) {
        return true; /* the flush goes on */
    }
    flow->alone = false;
    if (stalled) {
        flow->stats.stalls++;
        if (!pending->held) {
            tmu_flow_hold(flow, queue, &pending->command, pending->handle);
        }
    } else if (pending->held) {
        held_remove(flow, pending->held);
    } else if (pending->opcode != TMU_OPCODE_INSPECT) {
        tmu_flow_pass_start(flow);
    }
    return true;
}

void tmu_flow_pass_start(tmu_flow_t *flow) {
    flow->pass = flow->held_first != NULL;
    flow->next = flow->held_first;
}

tmu_held_t *tmu_flow_pass_next(tmu_flow_t *flow) {
    while (flow->next &&
           older_is_held(flow, flow->next->endpoint, flow->next->source, flow->next)) {
        flow->next = flow->next->next;
    }
    flow->pass = flow->next != NULL;
    return flow->next;
}

void tmu_flow_pass_sent(tmu_flow_t *flow, const tmu_held_t *held) { flow->next = held->next; }
