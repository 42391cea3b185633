/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu_flow.h"

#include <stdlib.h>
#include <string.h>

#include "tmu_internal.h"

#define SOURCES (UINT32_C(1) << TMU_FLOW_SOURCES_LOG2)

void tmu_flow_init(tmu_flow_t *flow, tmu_bounds_t *bounds) {
    *flow = (tmu_flow_t){.bounds = bounds, .seen = atomic_load(&bounds->epoch)};
}

static void held_free_all(tmu_flow_t *flow) {
    while (flow->held_first) {
        tmu_held_t *held = flow->held_first;
        flow->held_first = held->next;
        while (held) {
            tmu_held_t *younger = held->younger;
            free(held);
            held = younger;
        }
    }
}

void tmu_flow_free(tmu_flow_t *flow) {
    held_free_all(flow);
    free(flow->spare);
    free(flow->sources);
    flow->spare = NULL;
    flow->sources = NULL;
}

void tmu_flow_clear(tmu_flow_t *flow) {
    tmu_flow_t empty = {.bounds = flow->bounds,
                        .seen = atomic_load(&flow->bounds->epoch),
                        .sources = flow->sources,
                        .spare = flow->spare};
    held_free_all(flow);
    *flow = empty;
    if (flow->sources) {
        memset(flow->sources, 0, SOURCES * sizeof(tmu_held_t *));
    }
}

/* The pointer in `sources` that points to the oldest held arrival of a source, or to NULL. */
static tmu_held_t **held_link(tmu_flow_t *flow, uint32_t endpoint, uint32_t source) {
    uint32_t hash = endpoint * UINT32_C(0x9e3779b1) + source * UINT32_C(0x85ebca6b);
    tmu_held_t **link = &flow->sources[hash >> (32 - TMU_FLOW_SOURCES_LOG2)];
    while (*link && ((*link)->endpoint != endpoint || (*link)->source != source)) {
        link = &(*link)->same_hash;
    }
    return link;
}

tmu_admission_t tmu_flow_admit(tmu_flow_t *flow, const tmu_record_t *command, uint32_t endpoint,
                               uint32_t in_flight, bool alone) {
    bool exact = alone || flow->held_first;
    if (flow->alone || flow->pass || (exact && in_flight > 0)) {
        return TMU_ADMIT_AGAIN;
    }
    uint32_t source = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_SOURCE);
    if (flow->held_first && TMU_FIELD_GET(command, TMU_COMMAND_OPCODE) == TMU_OPCODE_ARRIVE &&
        *held_link(flow, endpoint, source)) {
        return TMU_ADMIT_HOLD;
    }
    return exact ? TMU_ADMIT_ALONE : TMU_ADMIT_SEND;
}

tmu_result_t tmu_flow_reserve(tmu_flow_t *flow) {
    if (!flow->spare) {
        flow->spare = malloc(sizeof *flow->spare);
    }
    if (!flow->sources) {
        flow->sources = calloc(SOURCES, sizeof(tmu_held_t *));
    }
    return flow->spare && flow->sources ? TMU_OK : TMU_ERR_MEMORY;
}

/* Puts the oldest held arrival of a source into the list before `next`; NULL = at its end. */
static void held_insert(tmu_flow_t *flow, tmu_held_t *held, tmu_held_t *next) {
    held->next = next;
    held->previous = next ? next->previous : flow->held_last;
    *(held->previous ? &held->previous->next : &flow->held_first) = held;
    *(next ? &next->previous : &flow->held_last) = held;
}

/*
 * Whether an attempt could end in anything but `stalled`.
 * Nothing of this queue is in flight.  Without room only a receive admits the arrival, and none of
 * those that its last attempt met did; where the bounds are no proof, what has left since any
 * attempt at the endpoint stalled may have made room.
 */
static bool worth_trying(const tmu_flow_t *flow, const tmu_held_t *held) {
    const tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, held->endpoint);
    return !tmu_bounds_could_stall(flow->bounds, e) ||
           (atomic_load(&e->posted) > 0 && atomic_load(&e->receives) != held->met) ||
           (tmu_bounds_may_fit(flow->bounds, e) && tmu_bounds_has_news(flow->bounds, e));
}

void tmu_flow_hold(tmu_flow_t *flow, const tmu_pending_t *arrival) {
    tmu_held_t *held = flow->spare;
    flow->spare = NULL;
    *held = (tmu_held_t){
        .command = arrival->command,
        .handle = arrival->handle,
        .age = flow->held_ever++,
        .met = arrival->met,
        .endpoint = arrival->endpoint,
        .source = (uint32_t)TMU_FIELD_GET(&arrival->command, TMU_COMMAND_SOURCE),
    };
    tmu_held_t **link = held_link(flow, held->endpoint, held->source);
    flow->held_now++;
    tmu_bounds_hold(flow->bounds, tmu_bounds_endpoint(flow->bounds, held->endpoint));
    if (*link) {
        (*link)->youngest->younger = held;
        (*link)->youngest = held;
        return;
    }
    held->youngest = held;
    held_insert(flow, held, NULL);
    *link = held;
    if (worth_trying(flow, held)) { /* another queue made room before it saw this one held */
        tmu_flow_pass_start(flow);
    }
}

/*
 * Takes an admitted arrival out of the list; R11: its turn in the order is now.
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
    flow->held_now--;
    tmu_bounds_unhold(flow->bounds, tmu_bounds_endpoint(flow->bounds, held->endpoint));
    free(held);
}

bool tmu_flow_drop(tmu_flow_t *flow, uint32_t *endpoint_p, uint64_t *handle_p) {
    tmu_held_t *held = flow->held_first;
    flow->pass = false;
    flow->next = NULL;
    if (!held) {
        return false;
    }
    *endpoint_p = held->endpoint;
    *handle_p = held->handle;
    held_remove(flow, held);
    return true;
}

uint32_t tmu_flow_answers(const tmu_flow_t *flow, uint8_t opcode, uint32_t endpoint) {
    const tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, endpoint);
    const uint32_t least = flow->bounds->entries;
    return opcode == TMU_OPCODE_FLUSH && e ? tmu_bounds_entries(e) + flow->bounds->messages + least
                                           : least;
}

tmu_result_t tmu_flow_begin(tmu_flow_t *flow, tmu_pending_t *pending, uint32_t in_flight,
                            bool *alone) {
    tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, pending->endpoint);
    if (e && pending->opcode == TMU_OPCODE_POST) {
        flow->waits = !tmu_bounds_take_receive(flow->bounds, e);
        return flow->waits ? TMU_AGAIN : TMU_OK;
    }
    if (e && pending->opcode == TMU_OPCODE_ARRIVE) {
        pending->met = atomic_load(&e->receives);
        pending->left = atomic_load(&flow->bounds->left);
        tmu_reservation_t reservation =
            tmu_bounds_take(flow->bounds, e, *alone, in_flight == 0, &flow->seen);
        flow->waits = reservation == TMU_RESERVATION_WAIT;
        if (reservation == TMU_RESERVATION_DRAIN || reservation == TMU_RESERVATION_WAIT) {
            return TMU_AGAIN;
        }
        pending->sure = reservation == TMU_RESERVATION_SURE;
        *alone = !pending->sure;
    }
    return TMU_OK;
}

void tmu_flow_undo(tmu_flow_t *flow, const tmu_pending_t *pending) {
    tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, pending->endpoint);
    if (e && pending->opcode == TMU_OPCODE_POST) {
        (void)tmu_bounds_receive_undone(flow->bounds, e, &flow->seen);
    } else if (e && pending->opcode == TMU_OPCODE_ARRIVE) {
        (void)tmu_bounds_arrived(flow->bounds, e, pending->sure, true, &flow->seen);
    }
}

/* Keeps the upper bounds true after one completion; false if that is impossible.
 * An entry that failed for want of memory is not in the unit as far as anybody can find it; one
 * whose stored word has lost a bit may be, for good, and may take a slot from another. */
static bool account(tmu_flow_t *flow, tmu_bounds_endpoint_t *e, const tmu_pending_t *pending,
                    const tmu_completion_t *completion) {
    tmu_bounds_t *bounds = flow->bounds;
    bool matched = completion->status == TMU_STATUS_MATCHED;
    bool queued = completion->status == TMU_STATUS_QUEUED;
    bool lost = completion->status == TMU_STATUS_TABLE_FAULT;
    bool unknown = bounds->messages != 0; /* messages of a card's network are not counted */
    switch (completion->opcode) {
    case TMU_OPCODE_POST:
        if (queued || lost) {
            tmu_bounds_receive_queued(bounds, e, &flow->seen);
            return true;
        }
        return tmu_bounds_receive_undone(bounds, e, &flow->seen) &&
               (!matched || unknown || tmu_bounds_message_left(bounds, e, &flow->seen));
    case TMU_OPCODE_ARRIVE:
        return tmu_bounds_arrived(bounds, e, pending->sure, !queued && !lost, &flow->seen) &&
               (!matched || tmu_bounds_receive_left(bounds, e, &flow->seen));
    case TMU_OPCODE_CLAIM:
        return !matched || unknown || tmu_bounds_message_left(bounds, e, &flow->seen);
    case TMU_OPCODE_CANCEL:
        return completion->status != TMU_STATUS_CANCELLED ||
               tmu_bounds_receive_left(bounds, e, &flow->seen);
    case TMU_OPCODE_FLUSH:
        return completion->status != TMU_STATUS_REMOVED || (completion->unexpected && unknown) ||
               (completion->unexpected ? tmu_bounds_message_left(bounds, e, &flow->seen)
                                       : tmu_bounds_receive_left(bounds, e, &flow->seen));
    default: /* probe and inspect change nothing (R8) */
        return true;
    }
}

bool tmu_flow_delivered(tmu_flow_t *flow, uint32_t endpoint) {
    tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, endpoint);
    return e && tmu_bounds_receive_left(flow->bounds, e, &flow->seen);
}

bool tmu_flow_answered(tmu_flow_t *flow, const tmu_pending_t *pending,
                       const tmu_completion_t *completion, bool *stalled_p) {
    tmu_bounds_endpoint_t *e = tmu_bounds_endpoint(flow->bounds, pending->endpoint);
    bool stalled = completion->status == TMU_STATUS_STALLED;
    if ((e && !account(flow, e, pending, completion)) || (stalled && !(e && flow->alone))) {
        return false;
    }
    *stalled_p = stalled;
    if (completion->status == TMU_STATUS_REMOVED && pending->opcode == TMU_OPCODE_FLUSH) {
        return true; /* it goes on */
    }
    flow->alone = false;
    if (stalled) {
        atomic_fetch_add(&flow->bounds->stalls, 1);
        tmu_bounds_stalled(e, pending->left);
        if (pending->held) {
            pending->held->met = pending->met;
        } else {
            tmu_flow_hold(flow, pending);
        }
    } else if (pending->held) {
        atomic_fetch_add(&flow->bounds->resumes, 1);
        held_remove(flow, pending->held);
    } else if (pending->opcode != TMU_OPCODE_INSPECT) {
        tmu_flow_pass_start(flow);
    }
    return true;
}

void tmu_flow_pass_start(tmu_flow_t *flow) {
    flow->seen = atomic_load(&flow->bounds->epoch);
    flow->pass = flow->held_first;
    flow->next = flow->held_first;
}

void tmu_flow_look(tmu_flow_t *flow) {
    /* Not within a pass: it is to come to its end, so that every held arrival has its turn. */
    if (flow->held_first && !flow->pass && atomic_load(&flow->bounds->epoch) != flow->seen) {
        tmu_flow_pass_start(flow);
    }
}

bool tmu_flow_wants_memory(const tmu_flow_t *flow) {
    const tmu_held_t *held = flow->bounds->spills || flow->bounds->shared ? flow->held_first : NULL;
    while (held &&
           !tmu_bounds_may_fit(flow->bounds, tmu_bounds_endpoint(flow->bounds, held->endpoint))) {
        held = held->next;
    }
    return held;
}

tmu_held_t *tmu_flow_pass_next(tmu_flow_t *flow) {
    while (flow->next && !worth_trying(flow, flow->next)) {
        flow->next = flow->next->next;
    }
    flow->pass = flow->next;
    return flow->next;
}

void tmu_flow_pass_sent(tmu_flow_t *flow, const tmu_held_t *held) { flow->next = held->next; }
