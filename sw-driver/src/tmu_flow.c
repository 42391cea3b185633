/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_flow.h"

#include <stdlib.h>
#include <string.h>

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
        while (held) {
            tmu_held_t *younger = held->younger;
            held->queue->held--;
            free(held);
            held = younger;
        }
    }
    flow->held_last = NULL;
    memset(flow->sources, 0, sizeof flow->sources);
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

/** The place in `sources` that points to the oldest held arrival of a source, or to NULL. */
static tmu_held_t **held_link(tmu_flow_t *flow, uint32_t endpoint, uint32_t source) {
    uint32_t hash = endpoint * UINT32_C(0x9e3779b1) + source * UINT32_C(0x85ebca6b);
    tmu_held_t **link = &flow->sources[hash >> (32 - TMU_FLOW_SOURCES_LOG2)];
    while (*link && ((*link)->endpoint != endpoint || (*link)->source != source)) {
        link = &(*link)->same_hash;
    }
    return link;
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
    if (arrival && *held_link(flow, endpoint, source)) {
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

/** Puts the oldest held arrival of a source into the list before `next`; NULL = at its end. */
static void held_insert(tmu_flow_t *flow, tmu_held_t *held, tmu_held_t *next) {
    held->next = next;
    held->previous = next ? next->previous : flow->held_last;
    *(held->previous ? &held->previous->next : &flow->held_first) = held;
    *(next ? &next->previous : &flow->held_last) = held;
}

void tmu_flow_hold(tmu_flow_t *flow, tmu_queue_t *queue, const tmu_record_t *command,
                   uint64_t handle) {
    tmu_held_t *held = flow->spare;
    flow->spare = NULL;
    *held = (tmu_held_t){
        .queue = queue,
        .command = *command,
        .handle = handle,
        .age = flow->held_count++,
        .endpoint = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_ENDPOINT),
        .source = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_SOURCE),
    };
    tmu_held_t **link = held_link(flow, held->endpoint, held->source);
    if (*link) {
        (*link)->youngest->younger = held;
        (*link)->youngest = held;
    } else {
        held->youngest = held;
        held_insert(flow, held, NULL);
        *link = held;
    }
    queue->held++;
    flow->endpoints[held->endpoint].held++;
    flow->stats.held_now++;
    if (flow->stats.held_now > flow->stats.held_max) {
        flow->stats.held_max = flow->stats.held_now;
    }
}

/**
 * Takes an admitted arrival out of the list; R11: its place in the order is now.
 * The next one of its source is in the list from here on, and the pass comes to it by its age.
 */
static void held_remove(tmu_flow_t *flow, tmu_held_t *held) {
    tmu_held_t **link = held_link(flow, held->endpoint, held->source);
    tmu_held_t *successor = held->younger;
    tmu_held_t *next = held->next;
    *(held->previous ? &held->previous->next : &flow->held_first) = next;
    *(next ? &next->previous : &flow->held_last) = held->previous;
    if (successor) {
        successor->youngest = held->youngest;
        successor->same_hash = held->same_hash;
        while (next && next->age < successor->age) {
            next = next->next;
        }
        held_insert(flow, successor, next);
        if (flow->next == next) {
            flow->next = successor;
        }
    }
    *link = successor ? successor : held->same_hash;
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
        e->receives += queued;
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
        (pending->held ? pending->held : flow->held_last)->met = e->receives;
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

/**
 * Whether an attempt could end in anything but `stalled`.
 * Nothing is in flight, so the bounds are exact: without room only a receive admits the arrival,
 * and none of those that its last attempt met did.
 */
static bool worth_trying(const tmu_flow_t *flow, const tmu_held_t *held) {
    const tmu_flow_endpoint_t *e = &flow->endpoints[held->endpoint];
    return !could_stall(flow, held->endpoint) || (e->posted > 0 && e->receives != held->met);
}

tmu_held_t *tmu_flow_pass_next(tmu_flow_t *flow) {
    while (flow->next && !worth_trying(flow, flow->next)) {
        flow->next = flow->next->next;
    }
    flow->pass = flow->next != NULL;
    return flow->next;
}

void tmu_flow_pass_sent(tmu_flow_t *flow, const tmu_held_t *held) { flow->next = held->next; }
