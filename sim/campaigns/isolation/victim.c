/* SPDX-License-Identifier: Apache-2.0 */
#include "victim.h"

#include "tmu_model_completion.h"

#include <stdlib.h>

#define TAGS 6
#define SOURCES 2
#define LENGTH 64
#define STEADY (VICTIM_ENTRIES * 3 / 4)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

bool samples_add(samples_t *samples, uint16_t value) {
    if (samples->count == samples->room) {
        const size_t room = samples->room > 0 ? 2 * samples->room : 1024;
        uint16_t *values = realloc(samples->values, room * sizeof *values);
        if (!values) {
            return false;
        }
        samples->values = values;
        samples->room = room;
    }
    samples->values[samples->count++] = value;
    return true;
}

static uint32_t pick(victim_t *victim, uint32_t below) {
    victim->state = victim->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(victim->state >> 33) % below;
}

static uint8_t opcode(victim_t *victim, uint64_t posted, uint64_t unexpected) {
    const uint32_t lot = pick(victim, 16);
    if (lot < 2) {
        return TMU_OPCODE_PROBE;
    }
    if (lot < 3) {
        return TMU_OPCODE_CLAIM;
    }
    if (lot < 5) {
        return TMU_OPCODE_CANCEL;
    }
    if (posted >= STEADY) {
        return unexpected >= STEADY ? TMU_OPCODE_POST : TMU_OPCODE_ARRIVE;
    }
    return unexpected >= STEADY || lot % 2 == 0 ? TMU_OPCODE_POST : TMU_OPCODE_ARRIVE;
}

static void draw(victim_t *victim) {
    const uint64_t posted = tmu_model_depth(victim->model, victim->endpoint, TMU_MODEL_POSTED);
    const uint64_t unexpected =
        tmu_model_depth(victim->model, victim->endpoint, TMU_MODEL_UNEXPECTED);
    question_t *next = &victim->next;
    *next = (question_t){
        .opcode = opcode(victim, posted, unexpected),
        .length = LENGTH / 2 + pick(victim, LENGTH), /* some are truncated (R12) */
        .handle = victim->submitted,
    };
    const uint64_t back = 1 + pick(victim, 4 * VICTIM_ENTRIES);
    next->target = next->handle > back ? next->handle - back : 0;
    next->key.match = (uint64_t)victim->endpoint << 32 | pick(victim, TAGS);
    next->key.source = pick(victim, SOURCES);
    if (next->opcode != TMU_OPCODE_ARRIVE) {
        if (pick(victim, 4) == 0) {
            next->key.source_ignore = UINT32_MAX;
        }
        /* With many messages there it takes one of them, whichever. */
        if (pick(victim, 4) == 0 || unexpected >= STEADY) {
            next->key.ignore = UINT32_MAX;
        }
        if (unexpected >= STEADY) {
            next->key.source_ignore = UINT32_MAX;
        }
    }
    victim->drawn = true;
}

static tmu_result_t submit(victim_t *victim) {
    const question_t *q = &victim->next;
    const tmu_receive_t receive = {
        .key = q->key, .handle = q->handle, .address = q->handle << 12, .length = LENGTH};
    const tmu_message_t message = {.match = q->key.match,
                                   .source = q->key.source,
                                   .handle = q->handle,
                                   .place = q->handle << 8,
                                   .length = q->length};
    tmu_receive_id_t *ids = victim->ids;
    tmu_receive_id_t id = TMU_RECEIVE_NONE;
    tmu_result_t result;
    switch (q->opcode) {
    case TMU_OPCODE_POST:
        result = tmu_post(victim->queue, victim->endpoint, &receive, &id);
        break;
    case TMU_OPCODE_ARRIVE:
        result = tmu_arrive(victim->queue, victim->endpoint, &message);
        break;
    case TMU_OPCODE_PROBE:
        result = tmu_probe(victim->queue, victim->endpoint, &q->key, q->handle);
        break;
    case TMU_OPCODE_CLAIM:
        result = tmu_claim(victim->queue, victim->endpoint, &q->key, q->handle);
        break;
    default:
        result = tmu_cancel(victim->queue, victim->endpoint, ids[q->target % COUNT(victim->ids)],
                            q->handle);
        break;
    }
    if (result == TMU_OK) {
        ids[q->handle % COUNT(victim->ids)] = id;
    }
    return result;
}

static void ask_model(victim_t *victim, question_t *q) {
    const bool arrives = q->opcode == TMU_OPCODE_ARRIVE;
    tmu_model_question_t question = {.operation = q->opcode,
                                     .endpoint = victim->endpoint,
                                     .handle = q->handle,
                                     .target = q->target,
                                     .receive_id = (uint32_t)q->handle,
                                     .address = q->handle << (arrives ? 8 : 12),
                                     .length = arrives ? q->length : LENGTH};
    TMU_KEY_COPY(question.key, q->key);
    q->expected = tmu_model_ask(victim->model, &question, NULL, NULL);
    victim->no_memory |= q->expected.status == TMU_MODEL_NO_MEMORY;
}

void victim_start(victim_t *victim, tmu_queue_t *queue, tmu_model_t *model, uint32_t endpoint,
                  uint64_t seed) {
    const samples_t host = victim->host;
    const samples_t unit = victim->unit;
    *victim = (victim_t){.queue = queue,
                         .model = model,
                         .endpoint = endpoint,
                         .state = seed,
                         .host = {host.values, 0, host.room},
                         .unit = {unit.values, 0, unit.room}};
    for (size_t i = 0; i < COUNT(victim->ids); i++) {
        victim->ids[i] = TMU_RECEIVE_NONE;
    }
}

tmu_result_t victim_submit(victim_t *victim, uint64_t now) {
    tmu_result_t result = TMU_OK;
    while (result == TMU_OK) {
        question_t *entry = &victim->asked[victim->submitted % VICTIM_WINDOW];
        if (entry->waits) {
            return TMU_OK;
        }
        if (!victim->drawn) {
            draw(victim);
        }
        result = submit(victim);
        if (result == TMU_OK) {
            *entry = victim->next;
            entry->asked = now;
            entry->waits = true;
            ask_model(victim, entry);
            victim->drawn = false;
            victim->submitted++;
        }
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

void victim_judge(victim_t *victim, const tmu_completion_t *c, uint64_t now) {
    question_t *q = &victim->asked[c->handle % VICTIM_WINDOW];
    if (!q->waits || q->handle != c->handle) {
        victim->wrong++; /* nobody asked (R15) */
        return;
    }
    q->waits = false;
    victim->completed++;
    victim->wrong += q->opcode != c->opcode || !tmu_model_agrees(&q->expected, c);
    if (victim->measures) {
        victim->no_memory |= !samples_add(&victim->host, c->host_latency) ||
                             !samples_add(&victim->unit, c->unit_latency);
        if (now - q->asked > victim->longest) {
            victim->longest = now - q->asked;
        }
    }
}

tmu_result_t victim_collect(victim_t *victim, uint64_t now) {
    tmu_completion_t completions[VICTIM_WINDOW];
    size_t count = 0;
    do {
        const tmu_result_t result =
            tmu_poll(victim->queue, completions, COUNT(completions), &count);
        if (result != TMU_OK) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            victim_judge(victim, &completions[i], now);
        }
    } while (count > 0);
    return TMU_OK;
}

void victim_free(victim_t *victim) {
    free(victim->host.values);
    free(victim->unit.values);
    *victim = (victim_t){0};
}
