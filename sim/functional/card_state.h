/* SPDX-License-Identifier: Apache-2.0
 *
 * State of the functional device's network side, for its own files.
 */
#ifndef CARD_STATE_H
#define CARD_STATE_H

#include <sys/types.h>

#include "link.h"
#include "ref_device.h"
#include "uet_node.h"

enum {
    CARD_PEERS_LOG2 = 10,
    CARD_MEMORIES_LOG2 = 10,
    CARD_MESSAGES_LOG2 = 12,
    CARD_PEERS = 1 << CARD_PEERS_LOG2,
    CARD_MEMORIES = 1 << CARD_MEMORIES_LOG2,
    CARD_MESSAGES = 1 << CARD_MESSAGES_LOG2,
    CARD_KEPT = 16, /* numbers of messages that an endpoint has to itself */
    CARD_NAMES = 256,
    CARD_COUNTERS = 64,
    CARD_REGISTERS = (TMU_REG_TABLE_STATUS - TMU_REG_WIRE_CONFIG) / 4 + 1
};

/* Destination that the privileged driver has written down. */
typedef struct card_peer {
    bool used;
    uint32_t owner; /* endpoint that may send there */
    uint32_t initiator;
    uet_address_t to;
    uint32_t sends; /* under way */
} card_peer_t;

typedef struct card_memory {
    bool used;
    bool read;
    bool write;
    uint32_t owner;
    uint64_t base;
    uint64_t bytes;
    uint32_t sends; /* under way, of bytes in it */
} card_memory_t;

/* Name of an endpoint of the unit; the node's endpoint has the same index. */
typedef struct card_name {
    bool used;
    uint32_t job;
    uint16_t pid;
    uint16_t index;
    uint32_t endpoint;
} card_name_t;

/*
 * Memory for unexpected messages of an endpoint, a buffer for each number.  So that an endpoint
 * whose messages nobody takes leaves numbers to the others (W5), each of the first has some to
 * itself.
 */
typedef struct card_pool {
    bool used;
    uint64_t base;
    uint32_t kept;  /* numbers that are this endpoint's alone */
    uint32_t taken; /* by its messages */
} card_pool_t;

/* A page as it was configured at that time, whose ring a completion is due in. */
typedef struct card_owner {
    uint32_t page;
    uint32_t life;
} card_owner_t;

/* A receive in the unit, which knows it by its index here. */
typedef struct card_receive {
    card_owner_t owner; /* page that has posted it, which is told of its message */
    uint64_t handle;    /* the host's */
    uint32_t next_free;
} card_receive_t;

/* A number of a message, and of its buffer in its endpoint's pool. */
typedef struct card_message {
    bool used;
    bool claimed;  /* its buffer is the host's until it is released */
    uint64_t node; /* number that the node knows it by */
    uint64_t header_data;
    uint32_t length;
    uint32_t endpoint; /* of the unit */
} card_message_t;

/* A completion that waits for bytes or for its ring. */
typedef struct card_completion {
    struct card_completion *next;
    card_owner_t owner;
    uint32_t message; /* of the pool, freed with it; CARD_MESSAGES: none */
    tmu_record_t record;
} card_completion_t;

typedef struct card_piece {
    uint64_t address;
    uint32_t bytes;
    uint32_t memory;
} card_piece_t;

/* A message on its way out. */
typedef struct card_out {
    struct card_out *next;
    card_owner_t owner;
    uint32_t peer;
    uint32_t endpoint;
    uint32_t bytes;
    uint64_t handle;
    uint64_t match;
    unsigned pieces; /* 0: inline */
    card_piece_t piece[TMU_SEND_PIECES_MOST];
    uint8_t inline_bytes[TMU_SEND_INLINE_BYTES];
} card_out_t;

/* A frame from the card to itself. */
typedef struct card_frame {
    struct card_frame *next;
    size_t bytes;
    uint8_t octets[];
} card_frame_t;

typedef struct ref_card {
    ref_device_t *device;
    link_t *link;
    pid_t process;      /* that has opened it */
    card_frame_t *loop; /* oldest first */
    card_frame_t **loop_end;
    uet_node_t *node;
    uint64_t generation; /* resets, so that connections begin with other numbers */
    uint64_t dropped;    /* frames that the link had no room for */
    uint32_t registers[CARD_REGISTERS];
    uint32_t table_refused;
    uint32_t name_refused;
    card_peer_t peers[CARD_PEERS];
    card_memory_t memories[CARD_MEMORIES];
    card_name_t names[CARD_NAMES];
    uint32_t name_count;
    card_pool_t *pools; /* by endpoint of the unit */
    card_receive_t *receives;
    uint32_t receive_count;
    uint32_t receive_free; /* first of those that are free; receive_count: none */
    card_message_t messages[CARD_MESSAGES];
    uint32_t next_message;
    uint32_t messages_free;
    uint32_t kept; /* of these, by endpoints to themselves */
    card_out_t *outs;
    card_completion_t *awaited;  /* bytes are on their way */
    card_completion_t *finished; /* oldest first: to be written */
    card_completion_t **finished_end;
    uint8_t gathered[8192]; /* payload of the packet that is made */
} ref_card_t;

/* A register as it was written. */
static inline uint32_t *card_register(ref_card_t *card, uint32_t offset) {
    return &card->registers[(offset - TMU_REG_WIRE_CONFIG) / 4];
}

static inline uint64_t card_register64(const ref_card_t *card, uint32_t low) {
    const uint32_t *word = &card->registers[(low - TMU_REG_WIRE_CONFIG) / 4];
    return (uint64_t)word[1] << 32 | word[0];
}

/* Address of a message's buffer in its endpoint's pool, and its bytes. */
static inline uint64_t card_pool_bytes(const ref_card_t *card) {
    const uint32_t value = card->registers[(TMU_REG_WIRE_MESSAGES - TMU_REG_WIRE_CONFIG) / 4];
    return UINT64_C(1) << TMU_REGISTER_GET(value, TMU_WIRE_MESSAGES_POOL_LOG2);
}

static inline uint64_t card_pool_buffer(const ref_card_t *card, uint32_t endpoint,
                                        uint32_t message) {
    return card->pools[endpoint].base + message * card_pool_bytes(card);
}

/* card_host.c: memory, and completions */

/* Whether the device reaches all of these bytes of host memory. */
bool card_reaches(const ref_card_t *card, uint64_t address, uint64_t bytes);

/* NULL, and the device has failed, without memory. */
card_completion_t *card_completion_new(ref_card_t *card, const card_owner_t *owner,
                                       const tmu_record_t *record);
/* A page is owed a completion more, which it is told of or not until it is configured anew. */
card_owner_t card_owe(ref_card_t *card, uint32_t page);
/* Puts a completion behind those that are to be written. */
void card_finish(ref_card_t *card, card_completion_t *completion);

/* card_messages.c: numbers of unexpected messages */

void card_messages_start(ref_card_t *card);
/* Memory of an endpoint for its messages. */
void card_pool_set(ref_card_t *card, uint32_t endpoint, uint64_t base);
/* A number for a message to an endpoint of the unit, to be used or not; CARD_MESSAGES when there is
 * none for it. */
uint32_t card_message_next(ref_card_t *card, uint32_t endpoint);
void card_message_use(ref_card_t *card, uint32_t number, const card_message_t *message);
/* Makes a message's number free for another. */
void card_message_free(ref_card_t *card, uint32_t message);

/* card.c: a node for the registers' values; false without memory. */
bool card_node_start(ref_card_t *card);

/* card_send.c */
const uint8_t *card_fetch(void *context, const uet_send_t *send, uint32_t offset, uint32_t count);
void card_sent(void *context, const uet_sent_t *sent);
void card_sends_forget(ref_card_t *card);

#endif
