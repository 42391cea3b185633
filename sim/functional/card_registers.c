/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of the card: settings, names of endpoints, peers, registered memory, counters.
 * Commands are carried out at once, so BUSY is never seen.
 */
#include <string.h>

#include "card.h"

static uint32_t value_of(ref_card_t *card, uint32_t offset) { return *card_register(card, offset); }

#define REGISTER_FIELD(card, NAME, FIELD)                                                          \
    TMU_REGISTER_GET(value_of(card, TMU_REG_##NAME), TMU_##NAME##_##FIELD)

/* ---- names --------------------------------------------------------------------------------- */

/* The index of the name that the registers hold; `name_count` when there is none. */
static uint32_t name_find(ref_card_t *card) {
    const uint32_t job = REGISTER_FIELD(card, NAME_JOB, JOB);
    const uint32_t pid = REGISTER_FIELD(card, NAME_PROCESS, PID);
    const uint32_t index = REGISTER_FIELD(card, NAME_PROCESS, INDEX);
    uint32_t i = 0;
    while (i < card->name_count && (!card->names[i].used || card->names[i].job != job ||
                                    card->names[i].pid != pid || card->names[i].index != index)) {
        i++;
    }
    return i;
}

/* A name is there with the state that the registers hold; false without room. */
static bool name_set(ref_card_t *card) {
    const uint32_t i = name_find(card);
    const uint32_t endpoint = REGISTER_FIELD(card, NAME_ENDPOINT, ENDPOINT);
    if (i == CARD_NAMES || !card->node || endpoint >= card->device->preset->endpoints) {
        return false;
    }
    card_name_t *name = &card->names[i];
    if (i == card->name_count) {
        *name = (card_name_t){.used = true,
                              .job = REGISTER_FIELD(card, NAME_JOB, JOB),
                              .pid = (uint16_t)REGISTER_FIELD(card, NAME_PROCESS, PID),
                              .index = (uint16_t)REGISTER_FIELD(card, NAME_PROCESS, INDEX)};
        (void)uet_node_endpoint(card->node, name->job, name->pid, name->index);
        card->name_count++;
    }
    name->endpoint = endpoint;
    /* Without a pool it has no room for what is unexpected. */
    uet_node_enable(card->node, i,
                    REGISTER_FIELD(card, NAME_STATE, ENABLED) != 0 && card->pools[endpoint].used);
    return true;
}

static bool name_remove(ref_card_t *card) {
    const uint32_t i = name_find(card);
    if (i == card->name_count) {
        return false;
    }
    card->names[i].used = false;
    uet_node_remove(card->node, i);
    return true;
}

/* Jobs and processes have tables of their own in hardware; here an endpoint's name implies them.
 */
static void name_command(ref_card_t *card, uint32_t value) {
    if (TMU_REGISTER_GET(value, TMU_NAME_COMMAND_ENDPOINT) != 0) {
        const bool removes = TMU_REGISTER_GET(value, TMU_NAME_COMMAND_REMOVE) != 0;
        card->name_refused = !(removes ? name_remove(card) : name_set(card));
    }
}

/* ---- peers and registered memory ----------------------------------------------------------- */

static bool peer_command(ref_card_t *card, uint32_t value) {
    const uint32_t number = value_of(card, TMU_REG_PEER_SELECT);
    const uint32_t owner = REGISTER_FIELD(card, PEER_OWNER, ENDPOINT);
    if (number >= CARD_PEERS || card->peers[number].sends != 0) {
        return false;
    }
    if (TMU_REGISTER_GET(value, TMU_PEER_COMMAND_SET) == 0) {
        card->peers[number] = (card_peer_t){0};
        return true;
    }
    if (owner >= card->device->preset->endpoints) {
        return false;
    }
    card->peers[number] = (card_peer_t){
        .used = true,
        .owner = owner,
        .initiator = value_of(card, TMU_REG_PEER_INITIATOR),
        .to = {.address = value_of(card, TMU_REG_PEER_ADDRESS_0),
               .job = REGISTER_FIELD(card, PEER_JOB, JOB),
               .pid = (uint16_t)REGISTER_FIELD(card, PEER_PROCESS, PID),
               .index = (uint16_t)REGISTER_FIELD(card, PEER_PROCESS, INDEX)},
    };
    return true;
}

static bool memory_command(ref_card_t *card, uint32_t value) {
    const uint32_t number = value_of(card, TMU_REG_MEMORY_SELECT);
    const uint32_t owner = REGISTER_FIELD(card, MEMORY_OWNER, ENDPOINT);
    if (number >= CARD_MEMORIES || card->memories[number].sends != 0) {
        return false;
    }
    if (TMU_REGISTER_GET(value, TMU_MEMORY_COMMAND_SET) == 0) {
        card->memories[number] = (card_memory_t){0};
        return true;
    }
    if (owner >= card->device->preset->endpoints) {
        return false;
    }
    card->memories[number] = (card_memory_t){
        .used = true,
        .read = REGISTER_FIELD(card, MEMORY_OWNER, READ) != 0,
        .write = REGISTER_FIELD(card, MEMORY_OWNER, WRITE) != 0,
        .owner = owner,
        .base = card_register64(card, TMU_REG_MEMORY_BASE_LO),
        .bytes = card_register64(card, TMU_REG_MEMORY_BYTES_LO),
    };
    return true;
}

static void pool_command(ref_card_t *card, uint32_t value) {
    const uint32_t endpoint = TMU_REGISTER_GET(value, TMU_POOL_ENDPOINT_ENDPOINT);
    if (TMU_REGISTER_GET(value, TMU_POOL_ENDPOINT_REGISTER) != 0 &&
        endpoint < card->device->preset->endpoints) {
        card_pool_set(card, endpoint, card_register64(card, TMU_REG_POOL_BASE_LO));
    }
}

static void release(ref_card_t *card, uint32_t value) {
    const uint32_t number = TMU_REGISTER_GET(value, TMU_POOL_RELEASE_NUMBER);
    if (TMU_REGISTER_GET(value, TMU_POOL_RELEASE_RELEASE) != 0 && number < CARD_MESSAGES &&
        card->messages[number].claimed) {
        card_message_free(card, number);
    }
}

/* ---- counters ------------------------------------------------------------------------------ */

/* Frames by their verdict, packets by their outcome, and what a card that sends adds; beats of host
 * memory, 32 to 35, are 0: it has none. */
static uint64_t count_of(const ref_card_t *card, uint32_t number) {
    const uet_node_stats_t *stats = uet_node_stats(card->node);
    const uint64_t *counted = stats->counted;
    uint64_t accepted = 0;
    for (uint32_t i = 0; i < UET_COUNTS; i++) {
        accepted += i == UET_COUNT_FOREIGN ? 0 : counted[i];
    }
    const uint64_t counts[CARD_COUNTERS] = {
        [0] = accepted,
        [UET_FOREIGN] = stats->refused[UET_FOREIGN] + counted[UET_COUNT_FOREIGN],
        [16] = counted[UET_COUNT_TAKEN],
        [17] = counted[UET_COUNT_CONTROL],
        [18] = counted[UET_COUNT_MISMATCH] + counted[UET_COUNT_UNSUPPORTED],
        [20] = counted[UET_COUNT_DUPLICATE],
        [21] = counted[UET_COUNT_OUT_OF_ORDER],
        [22] = counted[UET_COUNT_ACK_IGNORED] + counted[UET_COUNT_NACK_IGNORED],
        [24] = counted[UET_COUNT_NO_ROOM],
        [36] = counted[UET_COUNT_ACK] + counted[UET_COUNT_NACK],
        [37] = stats->sent_frames,
        [38] = stats->sent_again,
        [39] = stats->timeouts,
        [40] = stats->messages_taken,
        [41] = stats->messages_refused,
        [42] = card->dropped,
    };
    return number > UET_FOREIGN && number < UET_REASONS ? stats->refused[number] : counts[number];
}

/* ---- access -------------------------------------------------------------------------------- */

/* Bits that a register keeps; 0 where none is kept. */
static uint32_t kept_bits(uint32_t offset) {
    static const uint32_t whole[] = {
        TMU_REG_WIRE_CONFIG,     TMU_REG_WIRE_ADDRESS_0, TMU_REG_WIRE_ADDRESS_1,
        TMU_REG_WIRE_ADDRESS_2,  TMU_REG_WIRE_ADDRESS_3, TMU_REG_WIRE_MESSAGES,
        TMU_REG_POOL_BASE_LO,    TMU_REG_POOL_BASE_HI,   TMU_REG_NAME_JOB,
        TMU_REG_NAME_PROCESS,    TMU_REG_NAME_ENDPOINT,  TMU_REG_NAME_STATE,
        TMU_REG_WIRE_RETRANSMIT, TMU_REG_WIRE_ATTEMPTS,  TMU_REG_PEER_SELECT,
        TMU_REG_PEER_ADDRESS_0,  TMU_REG_PEER_ADDRESS_1, TMU_REG_PEER_ADDRESS_2,
        TMU_REG_PEER_ADDRESS_3,  TMU_REG_PEER_JOB,       TMU_REG_PEER_PROCESS,
        TMU_REG_PEER_INITIATOR,  TMU_REG_PEER_OWNER,     TMU_REG_MEMORY_SELECT,
        TMU_REG_MEMORY_BASE_LO,  TMU_REG_MEMORY_BASE_HI, TMU_REG_MEMORY_BYTES_LO,
        TMU_REG_MEMORY_BYTES_HI, TMU_REG_MEMORY_OWNER,
    };
    if (offset == TMU_REG_WIRE_COUNT_SELECT) {
        return TMU_WIRE_COUNT_SELECT_NUMBER_MASK;
    }
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        if (whole[i] == offset) {
            return UINT32_MAX;
        }
    }
    return 0;
}

void card_registers_start(ref_card_t *card) {
    memset(card->registers, 0, sizeof card->registers);
    *card_register(card, TMU_REG_WIRE_CONFIG) = TMU_WIRE_CONFIG_INITIAL;
    *card_register(card, TMU_REG_WIRE_MESSAGES) = TMU_WIRE_MESSAGES_INITIAL;
    *card_register(card, TMU_REG_WIRE_RETRANSMIT) = TMU_WIRE_RETRANSMIT_INITIAL;
}

int card_read(ref_card_t *card, uint32_t offset, uint32_t *value_p) {
    switch (offset) {
    case TMU_REG_NAME_STATUS:
        *value_p = TMU_REGISTER_BITS(TMU_NAME_STATUS_REFUSED, card->name_refused);
        return 0;
    case TMU_REG_TABLE_STATUS:
        *value_p = TMU_REGISTER_BITS(TMU_TABLE_STATUS_REFUSED, card->table_refused);
        return 0;
    case TMU_REG_WIRE_TABLES:
        *value_p = TMU_REGISTER_BITS(TMU_WIRE_TABLES_PEERS_LOG2, CARD_PEERS_LOG2) |
                   TMU_REGISTER_BITS(TMU_WIRE_TABLES_MEMORIES_LOG2, CARD_MEMORIES_LOG2) |
                   TMU_REGISTER_BITS(TMU_WIRE_TABLES_MESSAGES_LOG2, CARD_MESSAGES_LOG2);
        return 0;
    case TMU_REG_WIRE_COUNT:
        *value_p =
            card->node ? (uint32_t)count_of(card, value_of(card, TMU_REG_WIRE_COUNT_SELECT)) : 0;
        return 0;
    default:
        if (kept_bits(offset) == 0) {
            return 1;
        }
        *value_p = value_of(card, offset);
        return 0;
    }
}

/* The first time that frames are taken, settings are taken over: until a reset. */
static int configure(ref_card_t *card, uint32_t value) {
    *card_register(card, TMU_REG_WIRE_CONFIG) = value;
    if (TMU_REGISTER_GET(value, TMU_WIRE_CONFIG_ENABLE) != 0 && !card->node) {
        card->device->out_of_memory |= !card_node_start(card);
    }
    return 0;
}

int card_write(ref_card_t *card, uint32_t offset, uint32_t value) {
    switch (offset) {
    case TMU_REG_WIRE_CONFIG:
        return configure(card, value);
    case TMU_REG_NAME_COMMAND:
        name_command(card, value);
        return 0;
    case TMU_REG_PEER_COMMAND:
        card->table_refused = !peer_command(card, value);
        return 0;
    case TMU_REG_MEMORY_COMMAND:
        card->table_refused = !memory_command(card, value);
        return 0;
    case TMU_REG_POOL_RELEASE:
        release(card, value);
        return 0;
    case TMU_REG_POOL_ENDPOINT:
        pool_command(card, value);
        return 0;
    default:
        if (kept_bits(offset) == 0) {
            return 1;
        }
        *card_register(card, offset) = value & kept_bits(offset);
        return 0;
    }
}
