/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands of the functional device: from 64 bytes to the matcher's calls and back.
 */
#include <stdlib.h>

#include "card.h"

static tmu_record_t *answer_new(ref_device_t *device) {
    ref_answers_t *answers = &device->answers;
    if (answers->count == answers->capacity) {
        size_t capacity = answers->capacity ? 2 * answers->capacity : 16;
        tmu_record_t *records = realloc(answers->records, capacity * sizeof *records);
        if (!records) {
            device->out_of_memory = true;
            return NULL;
        }
        answers->records = records;
        answers->capacity = capacity;
    }
    tmu_record_t *record = &answers->records[answers->count++];
    *record = (tmu_record_t){0};
    return record;
}

/* A completion with what every one has. */
static tmu_record_t record_of(const tmu_record_t *command, uint32_t endpoint, uint8_t status) {
    tmu_record_t record = {0};
    TMU_FIELD_SET(&record, TMU_COMPLETION_OPCODE, TMU_FIELD_GET(command, TMU_COMMAND_OPCODE));
    TMU_FIELD_SET(&record, TMU_COMPLETION_STATUS, status);
    TMU_FIELD_SET(&record, TMU_COMPLETION_HANDLE, TMU_FIELD_GET(command, TMU_COMMAND_HANDLE));
    TMU_FIELD_SET(&record, TMU_COMPLETION_ENDPOINT, endpoint);
    return record;
}

/* Starts a completion that is told at once. */
static tmu_record_t *answer(ref_device_t *device, const tmu_record_t *command, uint32_t endpoint,
                            uint8_t status) {
    tmu_record_t *record = answer_new(device);
    if (record) {
        *record = record_of(command, endpoint, status);
    }
    return record;
}

/* The entry's part of a completion that reports one. */
static void answer_entry(tmu_record_t *record, const tmu_model_entry_t *entry) {
    bool message = entry->queue == TMU_MODEL_UNEXPECTED;
    TMU_FIELD_SET(record, TMU_COMPLETION_UNEXPECTED, message);
    TMU_FIELD_SET(record, TMU_COMPLETION_OTHER, entry->handle);
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(record, TMU_COMPLETION_##VALUE, entry->key.value);
    TMU_KEY_TABLE(PUT)
#undef PUT
    TMU_FIELD_SET(record, TMU_COMPLETION_ADDRESS, entry->address);
    if (message) {
        TMU_FIELD_SET(record, TMU_COMPLETION_MESSAGE_LENGTH, entry->length);
    } else {
        TMU_FIELD_SET(record, TMU_COMPLETION_RECEIVE_LENGTH, entry->length);
    }
}

/* An entry that a flush has removed from a card: the host's handle or header data. */
static uint64_t card_lost(struct ref_card *card, const tmu_model_entry_t *entry) {
    if (entry->queue == TMU_MODEL_UNEXPECTED) {
        return card_removed(card, entry->handle);
    }
    const uint64_t handle = card_receive_handle(card, entry->handle);
    card_receive_end(card, entry->handle);
    return handle;
}

typedef struct ref_flush {
    ref_device_t *device;
    const tmu_record_t *command;
    uint32_t endpoint;
} ref_flush_t;

static void report_removed(void *context, const tmu_model_entry_t *entry) {
    const ref_flush_t *flush = context;
    tmu_record_t *record =
        answer(flush->device, flush->command, flush->endpoint, TMU_STATUS_REMOVED);
    if (record) {
        answer_entry(record, entry);
        if (flush->device->card) {
            TMU_FIELD_SET(record, TMU_COMPLETION_OTHER, card_lost(flush->device->card, entry));
        }
        flush->device
            ->counters[entry->queue == TMU_MODEL_UNEXPECTED ? REF_COUNTER_removed_unexpected
                                                            : REF_COUNTER_removed_posted]++;
    }
}

/* An opcode's counters: answers, and the entries it visited. */
static void count(ref_device_t *device, uint8_t opcode, uint64_t visited) {
    static const struct {
        uint8_t opcode;
        uint8_t answers;
        uint8_t visited;
    } rows[] = {
        {TMU_OPCODE_POST, REF_COUNTER_posts, REF_COUNTER_unexpected_visited},
        {TMU_OPCODE_ARRIVE, REF_COUNTER_arrivals, REF_COUNTER_posted_visited},
        {TMU_OPCODE_PROBE, REF_COUNTER_probes, REF_COUNTER_unexpected_visited},
        {TMU_OPCODE_CLAIM, REF_COUNTER_claims, REF_COUNTER_unexpected_visited},
        {TMU_OPCODE_CANCEL, REF_COUNTER_cancels, REF_COUNTER_posted_visited},
        {TMU_OPCODE_FLUSH, REF_COUNTER_flushes, REF_COUNTER_posted_visited},
        {TMU_OPCODE_INSPECT, REF_COUNTER_inspects, REF_COUNTER_posted_visited},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].opcode == opcode) {
            device->counters[rows[i].answers]++;
            device->counters[rows[i].visited] += visited;
        }
    }
}

/* Status in the completion for a matcher's verdict; increments the verdict's counter. */
static uint8_t wire_status(ref_device_t *device, uint8_t opcode, tmu_model_status_t status) {
    uint64_t *counters = device->counters;
    switch (status) {
    case TMU_MODEL_MATCHED:
        counters[opcode == TMU_OPCODE_POST     ? REF_COUNTER_post_matched
                 : opcode == TMU_OPCODE_ARRIVE ? REF_COUNTER_arrive_matched
                                               : REF_COUNTER_claim_matched]++;
        return TMU_STATUS_MATCHED;
    case TMU_MODEL_QUEUED:
        counters[opcode == TMU_OPCODE_POST ? REF_COUNTER_post_queued : REF_COUNTER_arrive_queued]++;
        return TMU_STATUS_QUEUED;
    case TMU_MODEL_FOUND:
        counters[REF_COUNTER_probe_found]++;
        return TMU_STATUS_FOUND;
    case TMU_MODEL_NONE:
        return TMU_STATUS_NONE;
    case TMU_MODEL_CANCELLED:
        counters[REF_COUNTER_cancelled]++;
        return TMU_STATUS_CANCELLED;
    case TMU_MODEL_LATE:
        counters[REF_COUNTER_cancel_late]++;
        return TMU_STATUS_LATE;
    case TMU_MODEL_FLUSHED:
        return TMU_STATUS_FLUSHED;
    case TMU_MODEL_REFUSED_QUOTA:
        counters[REF_COUNTER_post_refused]++;
        counters[REF_COUNTER_spill_refused] += ref_spill_used_up(device);
        return TMU_STATUS_REFUSED_QUOTA;
    case TMU_MODEL_STALLED:
        counters[REF_COUNTER_arrive_stalled]++;
        counters[REF_COUNTER_spill_refused] += ref_spill_used_up(device);
        return TMU_STATUS_STALLED;
    case TMU_MODEL_NO_MEMORY: /* nothing was done; progress reports it, and the next as well */
        device->out_of_memory = true;
        return 0;
    default:
        device->matcher_wrong = true;
        return 0;
    }
}

/* The completion of a verdict, which is counted. */
static tmu_record_t record_verdict(ref_device_t *device, const tmu_record_t *command,
                                   const tmu_model_verdict_t *verdict) {
    uint8_t opcode = (uint8_t)TMU_FIELD_GET(command, TMU_COMMAND_OPCODE);
    uint8_t status = wire_status(device, opcode, verdict->status);
    ref_spill_follow(device, opcode, verdict);
    tmu_record_t made = record_of(command, verdict->endpoint, status);
    tmu_record_t *record = &made;
    count(device, opcode, verdict->visited);
    device->counters[REF_COUNTER_truncated] += verdict->truncated;
    TMU_FIELD_SET(record, TMU_COMPLETION_SERIAL, verdict->serial);
    TMU_FIELD_SET(record, TMU_COMPLETION_TRUNCATED, verdict->truncated);
    TMU_FIELD_SET(record, TMU_COMPLETION_OTHER, verdict->other);
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(record, TMU_COMPLETION_##VALUE, verdict->value);
    TMU_KEY_TABLE(PUT)
#undef PUT
    TMU_FIELD_SET(record, TMU_COMPLETION_MESSAGE_LENGTH, verdict->message_length);
    TMU_FIELD_SET(record, TMU_COMPLETION_RECEIVE_LENGTH, verdict->receive_length);
    TMU_FIELD_SET(record, TMU_COMPLETION_ADDRESS, verdict->address);
    if (status == TMU_STATUS_FLUSHED) {
        TMU_FIELD_SET(record, TMU_COMPLETION_REMOVED_POSTED, verdict->removed_posted);
        TMU_FIELD_SET(record, TMU_COMPLETION_REMOVED_UNEXPECTED, verdict->removed_unexpected);
    }
    return made;
}

/* A card's own part: who takes a message is told when its bytes are there (W3), and of its header
 * data; true where nothing is told now. */
static bool told_by_card(ref_device_t *device, const tmu_record_t *command,
                         const tmu_model_verdict_t *verdict, tmu_record_t *record) {
    const uint64_t opcode = TMU_FIELD_GET(command, TMU_COMMAND_OPCODE);
    if (verdict->status == TMU_MODEL_FOUND) {
        TMU_FIELD_SET(record, TMU_COMPLETION_OTHER, card_header_data(device->card, verdict->other));
    }
    if (verdict->status == TMU_MODEL_CANCELLED) {
        TMU_FIELD_SET(record, TMU_COMPLETION_OTHER,
                      card_receive_handle(device->card, verdict->other));
        card_receive_end(device->card, verdict->other);
    }
    if (verdict->status != TMU_MODEL_MATCHED) {
        return false;
    }
    if (opcode == TMU_OPCODE_POST) {
        TMU_FIELD_SET(record, TMU_COMPLETION_ADDRESS, TMU_FIELD_GET(command, TMU_COMMAND_ADDRESS));
    }
    card_taken(device->card, device->answers.page, verdict, record);
    return true;
}

static void answer_verdict(ref_device_t *device, const tmu_record_t *command,
                           const tmu_model_verdict_t *verdict) {
    tmu_record_t record = record_verdict(device, command, verdict);
    if (device->card && told_by_card(device, command, verdict, &record)) {
        return;
    }
    tmu_record_t *told = answer_new(device);
    if (told) {
        *told = record;
    }
}

/* A position counts through all endpoints in turn: a matcher keeps no order between them. */
static void inspect(ref_device_t *device, const tmu_record_t *command, uint32_t endpoint) {
    uint64_t position = TMU_FIELD_GET(command, TMU_COMMAND_INSPECT_POSITION);
    tmu_model_queue_t queue = TMU_FIELD_GET(command, TMU_COMMAND_INSPECT_QUEUE) != 0
                                  ? TMU_MODEL_UNEXPECTED
                                  : TMU_MODEL_POSTED;
    count(device, TMU_OPCODE_INSPECT, 0);
    for (uint32_t e = 0; e < device->preset->endpoints; e++) {
        uint64_t depth = device->match->depth(device->matcher, e, queue);
        tmu_model_entry_t entry;
        if (position >= depth) {
            position -= depth;
        } else if (device->match->inspect(device->matcher, e, queue, position, &entry)) {
            tmu_record_t *record = answer(device, command, e, TMU_STATUS_ENTRY);
            if (record) {
                if (device->card && queue == TMU_MODEL_POSTED) {
                    entry.handle = card_receive_handle(device->card, entry.handle);
                }
                answer_entry(record, &entry);
                TMU_FIELD_SET(record, TMU_COMPLETION_MESSAGE_LENGTH, entry.length);
#define PUT(value, mask, VALUE, MASK, type, kept, signal)                                          \
    TMU_FIELD_SET(record, TMU_COMPLETION_ENTRY_##MASK, entry.key.mask);
                TMU_KEY_TABLE(PUT)
#undef PUT
            }
            return;
        }
    }
    (void)answer(device, command, endpoint, TMU_STATUS_EMPTY);
}

static tmu_model_key_t command_key(const tmu_record_t *command) {
    return (tmu_model_key_t){
#define GET(value, mask, VALUE, MASK, type, kept, signal)                                          \
    .value = (type)TMU_FIELD_GET(command, TMU_COMMAND_##VALUE),                                    \
    .mask = (type)TMU_FIELD_GET(command, TMU_COMMAND_##MASK),
        TMU_KEY_TABLE(GET)
#undef GET
    };
}

static void post(ref_device_t *device, const tmu_record_t *command, uint32_t endpoint) {
    tmu_model_verdict_t verdict;
    tmu_model_receive_t receive = {
        .key = command_key(command),
        .endpoint = endpoint,
        .receive_id = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_RECEIVE_ID),
        .handle = TMU_FIELD_GET(command, TMU_COMMAND_HANDLE),
        .address = TMU_FIELD_GET(command, TMU_COMMAND_ADDRESS),
        .length = TMU_FIELD_GET(command, TMU_COMMAND_LENGTH),
    };
    if (device->card &&
        !card_receive_new(device->card, device->answers.page, receive.handle, &receive.handle)) {
        return;
    }
    device->match->post(device->matcher, &receive, &verdict);
    unit_record_post(device->record, &receive, &verdict);
    if (device->card && verdict.status != TMU_MODEL_QUEUED) {
        card_receive_end(device->card, receive.handle);
    }
    answer_verdict(device, command, &verdict);
}

static tmu_model_verdict_t arrive(ref_device_t *device, const tmu_record_t *command,
                                  uint32_t endpoint) {
    tmu_model_verdict_t verdict;
    ref_spill_prepare(device, TMU_MODEL_UNEXPECTED, endpoint);
    tmu_model_message_t message = {
#define GET(value, mask, VALUE, MASK, type, kept, signal)                                          \
    .value = (type)TMU_FIELD_GET(command, TMU_COMMAND_##VALUE),
        TMU_KEY_TABLE(GET)
#undef GET
            .endpoint = endpoint,
        .handle = TMU_FIELD_GET(command, TMU_COMMAND_HANDLE),
        .place = TMU_FIELD_GET(command, TMU_COMMAND_ADDRESS),
        .length = TMU_FIELD_GET(command, TMU_COMMAND_LENGTH),
    };
    device->match->arrive(device->matcher, &message, &verdict);
    unit_record_arrive(device->record, &message, &verdict);
    return verdict;
}

tmu_record_t ref_execute_arrival(ref_device_t *device, uint32_t endpoint,
                                 const tmu_record_t *command) {
    const tmu_model_verdict_t verdict = arrive(device, command, endpoint);
    return record_verdict(device, command, &verdict);
}

static void cancel(ref_device_t *device, const tmu_record_t *command, uint32_t endpoint) {
    tmu_model_verdict_t verdict;
    uint32_t id = (uint32_t)TMU_FIELD_GET(command, TMU_COMMAND_RECEIVE_ID);
    if (id >= ref_id_none(device)) {
        id = TMU_MODEL_NO_RECEIVE_ID;
    }
    device->match->cancel(device->matcher, endpoint, TMU_FIELD_GET(command, TMU_COMMAND_HANDLE), id,
                          &verdict);
    unit_record_cancel(device->record, endpoint, id, &verdict);
    answer_verdict(device, command, &verdict);
}

static void search(ref_device_t *device, const tmu_record_t *command, uint32_t endpoint) {
    tmu_model_verdict_t verdict;
    tmu_model_search_t select = {
        .key = command_key(command),
        .endpoint = endpoint,
        .handle = TMU_FIELD_GET(command, TMU_COMMAND_HANDLE),
    };
    ref_flush_t flush = {.device = device, .command = command, .endpoint = endpoint};
    const unsigned opcode = (unsigned)TMU_FIELD_GET(command, TMU_COMMAND_OPCODE);
    switch (opcode) {
    case TMU_OPCODE_PROBE:
        device->match->look(device->matcher, &select, false, &verdict);
        break;
    case TMU_OPCODE_CLAIM:
        device->match->look(device->matcher, &select, true, &verdict);
        break;
    default:
        device->match->flush(device->matcher, &select, report_removed, &flush, &verdict);
        break;
    }
    unit_record_search(device->record, &select, opcode, &verdict);
    answer_verdict(device, command, &verdict);
}

/* W8: a card writes only where the endpoint has registered memory. */
static bool registered(const ref_device_t *device, const tmu_record_t *post, uint32_t endpoint) {
    return card_registered(device->card, (uint32_t)TMU_FIELD_GET(post, TMU_COMMAND_MEMORY),
                           endpoint, TMU_FIELD_GET(post, TMU_COMMAND_ADDRESS),
                           TMU_FIELD_GET(post, TMU_COMMAND_LENGTH), true);
}

/* An accepted command that takes messages may have made room for others'. */
static void tell_room(ref_device_t *device, uint32_t endpoint) {
    if (device->card && endpoint < device->preset->endpoints) {
        card_room(device->card, endpoint);
    }
}

void ref_execute(ref_device_t *device, uint32_t page, const tmu_record_t *record) {
    bool privileged = page == device->preset->queues;
    uint32_t endpoint = privileged ? (uint32_t)TMU_FIELD_GET(record, TMU_COMMAND_ENDPOINT)
                                   : device->pages[page].endpoint;
    uint64_t opcode = TMU_FIELD_GET(record, TMU_COMMAND_OPCODE);
    device->answers.page = page;
    if (device->card && opcode == TMU_OPCODE_SEND) {
        const uint8_t status = card_send(device->card, page, endpoint, record);
        if (status != TMU_STATUS_SENT) { /* else it is told when the target has answered (W4) */
            (void)answer(device, record, endpoint, status);
        }
    } else if (ref_malformed(device, record)) {
        device->counters[REF_COUNTER_malformed]++;
        (void)answer(device, record, endpoint, TMU_STATUS_MALFORMED);
    } else if (opcode == TMU_OPCODE_INSPECT && !privileged) {
        device->counters[REF_COUNTER_refused_privilege]++;
        (void)answer(device, record, endpoint, TMU_STATUS_REFUSED_PRIVILEGE);
    } else if (endpoint >= device->preset->endpoints) {
        device->counters[REF_COUNTER_refused_endpoint]++;
        (void)answer(device, record, endpoint, TMU_STATUS_REFUSED_ENDPOINT);
    } else if (device->card && opcode == TMU_OPCODE_POST && !registered(device, record, endpoint)) {
        (void)answer(device, record, endpoint, TMU_STATUS_REFUSED_MEMORY);
    } else if (opcode == TMU_OPCODE_POST) {
        ref_spill_prepare(device, TMU_MODEL_POSTED, endpoint);
        post(device, record, endpoint);
    } else if (opcode == TMU_OPCODE_ARRIVE) {
        const tmu_model_verdict_t verdict = arrive(device, record, endpoint);
        answer_verdict(device, record, &verdict);
    } else if (opcode == TMU_OPCODE_CANCEL) {
        cancel(device, record, endpoint);
    } else if (opcode == TMU_OPCODE_INSPECT) {
        inspect(device, record, endpoint);
    } else {
        search(device, record, endpoint);
    }
    if (opcode != TMU_OPCODE_SEND) {
        tell_room(device, endpoint);
    }
}
