/* SPDX-License-Identifier: Apache-2.0 */
#include "match.h"

#include "settle.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#define RING_LOG2 10u
#define CARD_RING_LOG2 16u /* receives that wait have an entry each */
#define POLL_MAX 32u
#define PROGRESS_CLOCKS 256u
#define ROUNDS 64u
#define IDLE_LOOKS 64u
#define LOOK_MS 20u

/* A device that is of no use any more answers about nothing that it has or waits for it.  A cancel
 * and a flush are no records of the caller's: whoever waits for one sees that the device broke. */
static void return_all(matcher_t *m, void (*event)(void *user, record_t *record)) {
    size_t at = 0;
    m->asks = m->arrivals = (record_list_t){0};
    m->attempt = NULL;
    for (record_t *record; (record = slots_next(&m->unit->slots, &at));) {
        if (record->owner != m || record->opcode == TMU_OPCODE_CANCEL ||
            record->opcode == TMU_OPCODE_FLUSH) {
            continue;
        }
        slots_release(&m->unit->slots, record->handle);
        event(m->user, record);
    }
}

static void break_down(matcher_t *m, const char *sentence) {
    if (m->broken) {
        return;
    }
    m->broken = true;
    m->events->broken(m->user, sentence);
    return_all(m, m->events->failed);
}

/* For the queue: counts every raw answer and has it written down. */
static void observe(void *user, const tmu_completion_t *c) {
    matcher_t *m = user;
    counts_answer(&m->unit->counts, c);
    const record_t *record = slots_find(&m->unit->slots, c->handle);
    const record_t *other = slots_find(&m->unit->slots, c->other);
    if (!record || record->opcode != c->opcode) {
        return; /* matcher_settle will say so */
    }
    const order_entry_t entry = {
        .operation = {record->opcode, m->endpoint, record->number, record->target, record->key,
                      record->length},
        .completion = *c,
        .other = other ? other->number : UINT64_MAX,
    };
    unit_write(m->unit, &entry);
}

int matcher_open(matcher_t *m, unit_t *unit, const match_events_t *events, void *user, char *error,
                 size_t error_size) {
    *m = (matcher_t){.unit = unit, .events = events, .user = user};
    m->endpoint = unit_take_endpoint(unit);
    if (m->endpoint == UINT32_MAX) {
        (void)snprintf(error, error_size,
                       "found no free endpoint of the unit, which has %" PRIu32
                       "; a process may have %" PRIu32 " of them open at once",
                       unit->info.endpoints, unit_endpoints(unit));
        return -1;
    }
    const tmu_queue_attr_t attr = {.endpoint = m->endpoint,
                                   .ring_log2 = unit->card ? CARD_RING_LOG2 : RING_LOG2};
    if (tmu_queue_open(unit->device, &attr, &m->queue) != TMU_OK) {
        (void)snprintf(error, error_size, "no queue on the unit: %s", tmu_error_text(unit->device));
        unit_return_endpoint(unit, m->endpoint);
        return -1;
    }
    (void)tmu_queue_observe(m->queue, observe, m);
    return 0;
}

/* ---- to the unit -------------------------------------------------------------------------- */

static tmu_result_t submit(matcher_t *m, record_t *r) {
    switch (r->opcode) {
    case TMU_OPCODE_POST: {
        const bool card = m->unit->card;
        const tmu_receive_t receive = {.key = r->key,
                                       .handle = r->handle,
                                       .address = card ? r->address : r->handle,
                                       .length = card ? r->room : r->length};
        return tmu_post(m->queue, m->endpoint, &receive, &r->id);
    }
    case TMU_OPCODE_ARRIVE: {
        const tmu_message_t message = {.match = r->key.match,
                                       .source = r->key.source,
                                       .handle = r->handle,
                                       .place = r->handle,
                                       .length = r->length};
        return tmu_arrive(m->queue, m->endpoint, &message);
    }
    case TMU_OPCODE_PROBE:
        return tmu_probe(m->queue, m->endpoint, &r->key, r->handle);
    case TMU_OPCODE_CLAIM:
        return tmu_claim(m->queue, m->endpoint, &r->key, r->handle);
    default:
        return tmu_flush(m->queue, m->endpoint, NULL, r->handle);
    }
}

/* True: the unit has it.  False: it has to wait, or the device broke. */
static bool try_submit(matcher_t *m, record_t *record) {
    /* The observer may see the answer before the call returns. */
    record->number = m->unit->next_number;
    const tmu_result_t result = submit(m, record);
    if (result != TMU_OK) {
        if (result != TMU_AGAIN) {
            break_down(m, tmu_error_text(m->unit->device));
        }
        return false;
    }
    ++m->unit->next_number;
    ++m->unit->counts.asked[record->opcode];
    ++m->inside;
    spill_count(&m->unit->spill, record->opcode);
    record->waits = false;
    return true;
}

static bool is_sure(const matcher_t *m, const record_t *ask) {
    return ask->opcode != TMU_OPCODE_POST || spill_takes_receive(&m->unit->spill);
}

/*
 * Whether the oldest waiting ask may go.  Posts follow each other without waiting as long as none
 * of them can be refused; one that can be goes alone, for those behind it must not pass it.
 */
static bool ask_may_go(matcher_t *m) {
    if (m->attempt) {
        return false;
    }
    if (is_sure(m, m->asks.first)) {
        return true;
    }
    return !m->refused || m->refused_epoch != m->unit->epoch || spill_has_free(&m->unit->spill);
}

static void send_waiting(matcher_t *m) {
    while (!m->broken && m->arrivals.first && try_submit(m, m->arrivals.first)) {
        (void)records_take_first(&m->arrivals);
    }
    while (!m->broken && m->asks.first && ask_may_go(m)) {
        record_t *record = m->asks.first;
        const bool sure = is_sure(m, record);
        /* Slots freed by other queues from here on may admit it, even before its answer is read. */
        const uint64_t epoch = m->unit->epoch;
        if (!try_submit(m, record)) {
            break;
        }
        (void)records_take_first(&m->asks);
        m->refused_epoch = epoch;
        m->attempt = sure ? NULL : record;
        m->refused = false;
    }
}

bool matcher_submit(matcher_t *m, record_t *record) {
    if (m->broken) {
        return false;
    }
    record->handle = slots_take(&m->unit->slots, record);
    if (record->handle == SLOTS_NONE) {
        return false;
    }
    record->waits = true;
    record->owner = m;
    records_append(record->opcode == TMU_OPCODE_ARRIVE ? &m->arrivals : &m->asks, record);
    send_waiting(m);
    return true;
}

/* ---- from the unit ------------------------------------------------------------------------ */

/* Takes what is there; the number of verdicts. */
static size_t collect(matcher_t *m) {
    tmu_completion_t completions[POLL_MAX];
    size_t count = 0;
    if (m->broken) {
        return 0;
    }
    if (tmu_poll(m->queue, completions, POLL_MAX, &count) != TMU_OK) {
        break_down(m, tmu_error_text(m->unit->device));
        return 0;
    }
    for (size_t i = 0; i < count && !m->broken; ++i) {
        if (m->unit->card ? matcher_settle_card(m, &completions[i])
                          : matcher_settle(m, &completions[i])) {
            continue;
        }
        char sentence[160];
        (void)snprintf(sentence, sizeof sentence,
                       "the unit gave opcode %u with handle %" PRIu64 " and partner %" PRIu64
                       " the status %u, which it cannot have",
                       completions[i].opcode, completions[i].handle, completions[i].other,
                       completions[i].status);
        break_down(m, sentence);
    }
    return m->broken ? 0 : count;
}

/*
 * Receives that wait in the unit are not in flight, nor is a message whose receiver has the same
 * unit: a device that is gone would keep them for ever without a word, so it is asked now and then.
 * And it is looked whether what waits for room gets any.
 */
static bool has_to_look(matcher_t *m) {
    if (++m->idle < IDLE_LOOKS) {
        return false;
    }
    struct timespec now;
    m->idle = 0;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    const uint64_t ms = (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
    if (ms - m->looked < LOOK_MS) {
        return false;
    }
    m->looked = ms;
    stall_look(m->unit, m->refused, ms);
    return true;
}

/* All that is there; the number of verdicts. */
static size_t collect_all(matcher_t *m) {
    size_t all = 0;
    size_t count = 0;
    do {
        count = collect(m);
        all += count;
    } while (count == POLL_MAX);
    send_waiting(m);
    return all;
}

void matcher_progress(matcher_t *m) {
    (void)collect_all(m);
    const bool looks = !m->broken && has_to_look(m);
    bool works = !m->broken && tmu_queue_in_flight(m->queue) != 0;
    if (!works && !looks) {
        return;
    }
    /* A simulated device stops at each answer: it goes on as long as it gives some, for the caller
     * looks for messages in between, which costs system calls. */
    for (unsigned round = 0; round < ROUNDS; ++round) {
        if (tmu_progress(m->unit->device, works ? PROGRESS_CLOCKS : 1) != TMU_OK) {
            break_down(m, tmu_error_text(m->unit->device));
        }
        const size_t verdicts = collect_all(m);
        works = !m->broken && tmu_queue_in_flight(m->queue) != 0;
        if (!works || verdicts == 0) {
            return;
        }
    }
}

bool matcher_works(const matcher_t *m) {
    return !m->broken && (tmu_queue_in_flight(m->queue) != 0 || m->asks.first || m->arrivals.first);
}

/* ---- cancel and end ----------------------------------------------------------------------- */

bool matcher_cancel(matcher_t *m, record_t *receive) {
    const uint64_t handle = receive->handle;
    record_t cancel = {
        .opcode = TMU_OPCODE_CANCEL, .owner = m, .target = receive->number, .cancelled = TMU_AGAIN};
    if (!receive->waits) {
        cancel.handle = slots_take(&m->unit->slots, &cancel);
        if (cancel.handle == SLOTS_NONE) {
            return false;
        }
        tmu_result_t sent = TMU_AGAIN;
        while (!m->broken && sent == TMU_AGAIN) {
            cancel.number = m->unit->next_number;
            sent = tmu_cancel(m->queue, m->endpoint, receive->id, cancel.handle);
            if (sent == TMU_AGAIN) {
                matcher_progress(m);
            }
            if (slots_find(&m->unit->slots, handle) != receive || receive->waits) {
                break; /* what came in meanwhile decided it */
            }
        }
        if (sent == TMU_OK) {
            ++m->unit->next_number;
            ++m->unit->counts.asked[TMU_OPCODE_CANCEL];
            while (!m->broken && cancel.cancelled == TMU_AGAIN) {
                matcher_progress(m);
            }
        }
        slots_release(&m->unit->slots, cancel.handle);
        if (cancel.cancelled == TMU_OK) {
            return true;
        }
    }
    /* Not in the unit, or refused by it while the cancel was on its way. */
    if (m->broken || slots_find(&m->unit->slots, handle) != receive || !receive->waits ||
        !records_take_out(&m->asks, receive)) {
        return false;
    }
    slots_release(&m->unit->slots, handle);
    m->refused = false;
    return true;
}

static void return_list(matcher_t *m, record_list_t *list) {
    for (record_t *record; (record = records_take_first(list));) {
        slots_release(&m->unit->slots, record->handle);
        m->events->left(m->user, record);
    }
}

static void wait_until_answered(matcher_t *m) {
    while (!m->broken && tmu_queue_in_flight(m->queue) != 0) {
        matcher_progress(m);
    }
}

/* Empties the endpoint (R14), again where held arrivals came in behind a flush.  On a card nobody
 * here knows of messages that wait. */
static void flush_all(matcher_t *m) {
    bool unknown = m->unit->card;
    while (!m->broken && (m->inside != 0 || unknown)) {
        unknown = false;
        record_t flush = {.opcode = TMU_OPCODE_FLUSH, .owner = m, .cancelled = TMU_AGAIN};
        flush.handle = slots_take(&m->unit->slots, &flush);
        if (flush.handle == SLOTS_NONE) {
            break;
        }
        bool sent = false;
        while (!m->broken && !(sent = try_submit(m, &flush))) {
            matcher_progress(m);
        }
        while (sent && !m->broken && flush.cancelled == TMU_AGAIN) {
            matcher_progress(m);
        }
        slots_release(&m->unit->slots, flush.handle);
        m->inside -= sent;
        wait_until_answered(m);
    }
}

void matcher_close(matcher_t *m) {
    return_list(m, &m->asks);
    return_list(m, &m->arrivals);
    wait_until_answered(m);
    return_list(m, &m->asks); /* a receive that was refused meanwhile */
    flush_all(m);
    return_all(m, m->events->left);
    const tmu_result_t closed = tmu_queue_close(m->queue);
    if (closed == TMU_OK) {
        unit_return_endpoint(m->unit, m->endpoint);
        return;
    }
    /* Other queues' calls may still take what this one is answered, and would tell the matcher. */
    if (closed == TMU_ERR_BUSY) {
        (void)tmu_queue_observe(m->queue, NULL, NULL);
    }
    break_down(m, tmu_error_text(m->unit->device));
}
