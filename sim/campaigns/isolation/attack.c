/* SPDX-License-Identifier: Apache-2.0 */
#include "attack.h"

#include "tmu_raw.h"

#define BURST 4      /* writes to doorbells before others have their turn at the bus */
#define CROWD 32     /* commands of a crowd before that: each of so many has one */
#define RING_LOG2 10 /* of the driver's operations */
#define COMMANDS_LOG2 5
#define RAW_LOG2 4              /* of ring and share of who goes past the driver: soon full */
#define FAR (UINT64_C(1) << 63) /* a match bit that no message of its own has */

static const char *const names[] = {
    [ATTACK_NONE] = "none",       [ATTACK_FULL] = "full",
    [ATTACK_WILD] = "wild",       [ATTACK_MALFORMED] = "malformed",
    [ATTACK_CANCELS] = "cancels", [ATTACK_DOORBELLS] = "doorbells",
    [ATTACK_UNREAD] = "unread",   [ATTACK_FLUSHES] = "flushes",
    [ATTACK_STUCK] = "stuck",     [ATTACK_CROWD] = "crowd",
    [ATTACK_LIVES] = "lives",
};

const char *attack_name(attack_kind_t kind) {
    return (size_t)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

/* Whether it fills its queues. */
static bool attack_fills(attack_kind_t kind) {
    return kind == ATTACK_FULL || kind == ATTACK_WILD || kind == ATTACK_STUCK ||
           kind == ATTACK_LIVES;
}

bool attack_is_sized(attack_kind_t kind) { return attack_fills(kind) || kind == ATTACK_CROWD; }

static tmu_result_t open_queue(attack_t *attack) {
    const bool raw = attack->kind != ATTACK_LIVES;
    const tmu_queue_attr_t attr = {attack->endpoint, raw ? RAW_LOG2 : RING_LOG2,
                                   raw ? RAW_LOG2 : COMMANDS_LOG2};
    const uint64_t start = tmu_clock(attack->device);
    const tmu_result_t result = tmu_queue_open(attack->device, &attr, &attack->queue);
    const uint64_t clocks = tmu_clock(attack->device) - start;
    if (clocks > attack->times.open) {
        attack->times.open = clocks;
    }
    attack->filled = attack->completed = 0;
    attack->state = STATE_FILLS;
    return result;
}

/* Keeps whatever is free of the tables, for an endpoint that does nothing: full for all others. */
static tmu_result_t keep_tables(const attack_t *attack, bool keep) {
    tmu_info_t info;
    const tmu_result_t result = tmu_query(attack->device, &info);
    return result != TMU_OK
               ? result
               : tmu_reserve_set(attack->device, attack->endpoint - 1,
                                 keep ? info.posted_entries - attack->reserved : 0,
                                 keep ? info.unexpected_entries - attack->reserved : 0);
}

tmu_result_t attack_open(attack_t *attack) {
    if (attack->kind == ATTACK_NONE) {
        return TMU_OK;
    }
    if (attack->kind == ATTACK_CROWD) {
        const tmu_result_t kept = keep_tables(attack, true);
        return kept != TMU_OK ? kept
                              : crowd_open(&attack->crowd, attack->device, attack->endpoint,
                                           attack->endpoints, (uint32_t)attack->entries);
    }
    const uint32_t quota = (uint32_t)attack->entries;
    tmu_result_t result = TMU_OK;
    if (attack_fills(attack->kind)) {
        result = tmu_quota_set(attack->device, attack->endpoint, quota, quota);
    }
    return result == TMU_OK ? open_queue(attack) : result;
}

/* Messages come first: who searches for them then has not filled yet. */
static uint64_t messages(const attack_t *attack) {
    return attack->kind == ATTACK_WILD ? 0 : attack->entries;
}

bool attack_is_filled(const attack_t *attack) {
    return !attack_fills(attack->kind) || attack->completed >= messages(attack) + attack->entries;
}

/* A receive that no message of its own matches; in `wild` only the whole key tells. */
static tmu_key_t receive_key(const attack_t *attack, uint64_t number) {
    return attack->kind == ATTACK_WILD
               ? (tmu_key_t){.match = FAR, .ignore = ~FAR, .source_ignore = UINT32_MAX}
               : (tmu_key_t){.match = FAR | number};
}

tmu_result_t attack_fill(attack_t *attack) {
    const uint64_t first = messages(attack);
    tmu_result_t result = TMU_OK;
    while (attack_fills(attack->kind) && result == TMU_OK &&
           attack->filled < first + attack->entries) {
        const uint64_t number = attack->filled;
        const tmu_message_t message = {.match = number, .handle = number, .length = 1};
        const tmu_receive_t receive = {
            .key = receive_key(attack, number), .handle = number, .length = 1};
        result = number < first ? tmu_arrive(attack->queue, attack->endpoint, &message)
                                : tmu_post(attack->queue, attack->endpoint, &receive, NULL);
        attack->filled += result == TMU_OK;
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

static void answered(attack_t *attack, const tmu_completion_t *c) {
    if (c->status == TMU_STATUS_REMOVED) {
        return;
    }
    attack->completed++;
    if (c->opcode != TMU_OPCODE_FLUSH) {
        attack->wrong += c->status != TMU_STATUS_QUEUED;
        return;
    }
    /* R14: all that it had, and nothing of anybody else. */
    attack->wrong += c->status != TMU_STATUS_FLUSHED || c->removed_posted != attack->flushed ||
                     c->removed_unexpected != attack->flushed;
    const uint64_t clocks = tmu_clock(attack->device) - attack->asked;
    if (attack->asked >= attack->since && clocks > attack->times.flush) {
        attack->times.flush = clocks;
    }
    attack->state = STATE_CLOSED;
}

tmu_result_t attack_collect(attack_t *attack) {
    tmu_completion_t completions[16];
    size_t count = 0;
    do {
        const tmu_result_t result = tmu_poll(attack->queue, completions,
                                             sizeof completions / sizeof completions[0], &count);
        if (result != TMU_OK) {
            return result;
        }
        for (size_t i = 0; i < count; i++) {
            answered(attack, &completions[i]);
        }
    } while (count > 0);
    return TMU_OK;
}

/* The next of the searches that find nothing and change nothing. */
static void search_missing(const attack_t *attack, tmu_record_t *command) {
    static const uint8_t opcodes[] = {TMU_OPCODE_POST, TMU_OPCODE_ARRIVE, TMU_OPCODE_PROBE,
                                      TMU_OPCODE_CLAIM};
    const bool wild = attack->kind == ATTACK_WILD;
    const uint8_t opcode = wild ? TMU_OPCODE_ARRIVE : opcodes[attack->attempts % 4];
    TMU_FIELD_SET(command, TMU_COMMAND_OPCODE, opcode);
    /* Half way between what receives and messages have. */
    TMU_FIELD_SET(command, TMU_COMMAND_MATCH, FAR >> 1 | attack->attempts);
}

static void malformed(const attack_t *attack, tmu_record_t *command) {
    TMU_FIELD_SET(command, TMU_COMMAND_OPCODE, TMU_OPCODE_PROBE);
    switch (attack->attempts % 4) {
    case 0:
        TMU_FIELD_SET(command, TMU_COMMAND_OPCODE, UINT64_C(0xee));
        break;
    case 1:
        TMU_FIELD_SET(command, TMU_COMMAND_RESERVED0, UINT64_C(0x800000));
        break;
    case 2:
        TMU_FIELD_SET(command, TMU_COMMAND_RESERVED7, UINT64_C(1));
        break;
    default:
        TMU_FIELD_SET(command, TMU_COMMAND_LENGTH, UINT64_C(64)); /* a probe has none */
        break;
    }
}

/* Of four wrong writes the next one. */
static tmu_result_t wrong_write(const attack_t *attack) {
    const tmu_record_t record = {0};
    const tmu_queue_t *queue = attack->queue;
    const uint64_t number = tmu_raw_page(queue).number;
    tmu_info_t info;
    const tmu_result_t result = tmu_query(attack->device, &info);
    if (result != TMU_OK) {
        return result;
    }
    const uint64_t nobodys = info.queues - 1;
    switch (attack->attempts % 4) {
    case 0: /* a part of a command */
        return tmu_raw_doorbell(queue, 4, &record, sizeof(uint32_t));
    case 1: /* a command where none may be */
        return tmu_raw_doorbell(queue, TMU_DOORBELL_COUNTERS_OFFSET, &record, sizeof record);
    case 2: /* to a page that nobody opened */
        return tmu_raw_doorbell(queue, (nobodys - number) * TMU_DOORBELL_PAGE_BYTES, &record,
                                sizeof record);
    default: /* beyond the last page, which is the privileged one */
        return tmu_raw_doorbell(queue, (nobodys + 2 - number) * TMU_DOORBELL_PAGE_BYTES, &record,
                                sizeof record);
    }
}

static tmu_result_t raw_strike(attack_t *attack) {
    tmu_record_t command = {0};
    switch (attack->kind) {
    case ATTACK_DOORBELLS:
        return wrong_write(attack);
    case ATTACK_FULL:
    case ATTACK_WILD:
        search_missing(attack, &command);
        break;
    case ATTACK_MALFORMED:
        malformed(attack, &command);
        break;
    case ATTACK_CANCELS:
        TMU_FIELD_SET(&command, TMU_COMMAND_OPCODE, TMU_OPCODE_CANCEL);
        TMU_FIELD_SET(&command, TMU_COMMAND_RECEIVE_ID, attack->attempts);
        break;
    case ATTACK_UNREAD:
        TMU_FIELD_SET(&command, TMU_COMMAND_OPCODE, TMU_OPCODE_PROBE);
        break;
    default: /* flushes and stuck: everything */
        TMU_FIELD_SET(&command, TMU_COMMAND_OPCODE, TMU_OPCODE_FLUSH);
        TMU_FIELD_SET(&command, TMU_COMMAND_IGNORE, UINT64_MAX);
        TMU_FIELD_SET(&command, TMU_COMMAND_SOURCE_IGNORE, UINT64_C(0xffffffff));
        break;
    }
    return tmu_raw_command(attack->queue, 0, command);
}

/* One life after the other, as the driver has it. */
static tmu_result_t live(attack_t *attack) {
    tmu_result_t result = TMU_OK;
    if (attack->state == STATE_CLOSED) {
        const uint64_t start = tmu_clock(attack->device);
        result = tmu_queue_close(attack->queue);
        if (result != TMU_OK) {
            return result;
        }
        attack->queue = NULL;
        const uint64_t clocks = tmu_clock(attack->device) - start;
        if (clocks > attack->times.close) {
            attack->times.close = clocks;
        }
        attack->times.lives++;
        return open_queue(attack);
    }
    if (attack->state == STATE_FLUSHES) {
        return attack_collect(attack);
    }
    result = attack_fill(attack);
    if (result == TMU_OK) {
        result = attack_collect(attack);
    }
    if (result != TMU_OK || !attack_is_filled(attack)) {
        return result;
    }
    result = tmu_flush(attack->queue, attack->endpoint, NULL, attack->filled);
    if (result == TMU_OK) {
        attack->asked = tmu_clock(attack->device);
        attack->flushed = attack->entries;
        attack->state = STATE_FLUSHES;
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

static tmu_result_t crowd_strikes(attack_t *attack) {
    tmu_result_t result = TMU_OK;
    for (int i = 0; result == TMU_OK && i < CROWD; i++) {
        result = crowd_strike(&attack->crowd);
        attack->attempts += result == TMU_OK;
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

tmu_result_t attack_strike(attack_t *attack) {
    if (attack->kind == ATTACK_NONE) {
        return TMU_OK;
    }
    if (attack->kind == ATTACK_LIVES) {
        return live(attack);
    }
    if (attack->kind == ATTACK_CROWD) {
        return crowd_strikes(attack);
    }
    if (!attack->raw) {
        /* Another queue's poll would take its answers, and not know them: it is in a call. */
        tmu_raw_hold(attack->queue);
        attack->raw = true;
    }
    const uint64_t most = attack->kind == ATTACK_STUCK ? 1 : UINT64_MAX;
    tmu_result_t result = TMU_OK;
    for (int i = 0; result == TMU_OK && i < BURST && attack->attempts < most; i++) {
        result = raw_strike(attack);
        attack->attempts += result == TMU_OK;
    }
    const bool read = attack->kind != ATTACK_UNREAD && attack->kind != ATTACK_STUCK;
    if (result == TMU_OK && read) {
        /* All that it filled and whatever was written, it claims to have read. */
        result = tmu_raw_consumer(attack->queue, (uint32_t)(attack->filled + attack->attempts));
    }
    return result == TMU_AGAIN ? TMU_OK : result;
}

bool attack_waits(attack_t *attack) {
    return attack->queue && !attack->raw && tmu_queue_in_flight(attack->queue) > 0;
}

tmu_result_t attack_close(attack_t *attack) {
    if (attack->kind == ATTACK_CROWD) {
        const tmu_result_t closed = crowd_close(&attack->crowd);
        return closed == TMU_OK ? keep_tables(attack, false) : closed;
    }
    if (attack->raw) {
        tmu_raw_release(attack->queue);
    }
    attack->raw = false;
    const tmu_result_t result = tmu_queue_close(attack->queue);
    if (result == TMU_OK) {
        attack->queue = NULL;
    }
    return result;
}
