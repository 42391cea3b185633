/* SPDX-License-Identifier: Apache-2.0 */
/* State that the files of the model share: plain lists, searched from their beginning. */
#ifndef WIRE_STATE_H
#define WIRE_STATE_H

#include "tmu_model.h"
#include "wire_model.h"

/* The answer to a number, kept until it is cleared. */
typedef struct response {
    struct response *next; /* of a higher number */
    uint32_t psn;
    bool owed; /* NO_RESPONSE was said; the answer follows when the message is matched */
    uet_ses_t ses;
} response_t;

typedef struct connection {
    struct connection *next;
    uint64_t serial; /* names it for ever */
    bool closed;     /* remembered, so that a belated SYN does not open it again (W1) */
    uint64_t forget; /* when */
    bool ipv6;
    uint64_t source[2];
    uint64_t destination[2];
    uint16_t spdcid; /* the peer's number */
    uint16_t pdcid;  /* ours */
    uint32_t start;
    uint32_t expected;
    uint32_t clear;          /* responses up to here are forgotten */
    uint32_t cack;           /* told last */
    bool told;               /* that `expected` is missing */
    uint32_t unacknowledged; /* bytes */
    response_t *responses;
} connection_t;

typedef struct buffer {
    struct buffer *next;
    uint64_t address;
    uint32_t bytes;
    bool used;
} buffer_t;

typedef struct {
    wire_endpoint_t is;
    bool disabled;
    bool full; /* refused one for want of room, so it refuses all until there is some (W5) */
    bool refused_before;
    uint8_t generation;
    uint64_t reopen;
    buffer_t *pool; /* the oldest first */
} endpoint_t;

typedef enum { MESSAGE_MATCHED, MESSAGE_PARKED, MESSAGE_REFUSED } message_state_t;

/* From its first packet until its receive is told, or its last packet was refused. */
typedef struct message {
    struct message *next;
    message_state_t state;
    uint64_t connection; /* serial; 0: no packet of it will come */
    uint16_t id;
    uint64_t handle; /* the law's */
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t length;
    uint32_t arrived;
    bool has_header_data;
    uint64_t header_data;
    uint8_t code;
    uint8_t generation; /* refused: of its answers */
    uint64_t touched;
    uint8_t *kept; /* parked: `length` bytes */
    buffer_t *buffer;
    uint64_t receive; /* matched: handle, address and bytes of the receive */
    uint64_t address;
    uint32_t room;
    uint64_t owed_by; /* connection that owes the answer to `owed_psn`; 0: none does */
    uint32_t owed_psn;
    uet_packet_t last; /* whose answer is owed */
} message_t;

struct wire_model {
    wire_config_t config;
    uint64_t now;
    uint64_t serials;
    uint64_t handles;
    connection_t *connections;
    message_t *messages;
    endpoint_t *endpoints;
    uint32_t endpoint_count;
    tmu_model_t *law;
    wire_counts_t counts;
    wire_effect_t *effects;
    size_t effect_count;
    size_t effect_room;
    bool no_memory;
};

/* Numbers compare by the sign of their difference. */
static inline int32_t psn_ahead(uint32_t psn, uint32_t of) { return (int32_t)(psn - of); }

static inline uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* wire_effects.c */
void *wire_take(wire_model_t *model, size_t bytes); /* zeroed; NULL, and the model says so */
void wire_effects_clear(wire_model_t *model);
void wire_effect_write(wire_model_t *model, wire_effect_kind_t kind, uint32_t endpoint,
                       uint64_t address, const uint8_t *data, size_t bytes);
void wire_effect_complete(wire_model_t *model, const wire_completion_t *completion);
/* An answer to `packet`; the envelope is turned round. */
void wire_effect_send(wire_model_t *model, const uet_packet_t *packet, uet_packet_t *answer);

/* wire_connection.c */
uint32_t wire_start(const uet_packet_t *packet); /* of the connection that a SYN opens */
bool wire_same_peer(const connection_t *connection, const uet_packet_t *packet);
connection_t *wire_by_peer(const wire_model_t *model, const uet_packet_t *packet);
connection_t *wire_by_number(const wire_model_t *model, uint16_t pdcid);
/* A SYN of a connection that has ended not long ago. */
bool wire_belated(const wire_model_t *model, const uet_packet_t *packet);
bool wire_has_room(const wire_model_t *model);
connection_t *wire_open(wire_model_t *model, const uet_packet_t *packet, uint16_t pdcid);
void wire_close(wire_model_t *model, connection_t *connection);
void wire_connections_forget(wire_model_t *model);
void wire_connections_free(wire_model_t *model);
uint32_t wire_cack(const wire_model_t *model, connection_t *connection);
uint8_t wire_marked(const uet_packet_t *packet); /* UET_FLAG_M, when it has met congestion */
/* NULL: a connection that the packet does not belong to, or none, is not named. */
void wire_refuse(wire_model_t *model, const uet_packet_t *packet, const connection_t *connection,
                 uint8_t code, uint32_t payload);
void wire_acknowledge(wire_model_t *model, connection_t *connection, const uet_packet_t *packet,
                      uint32_t psn, const uet_ses_t *response);
void wire_clear(connection_t *connection, uint32_t clear);
const response_t *wire_response(const connection_t *connection, uint32_t psn);
uint32_t wire_responses(const connection_t *connection);
void wire_keep(wire_model_t *model, connection_t *connection, uint32_t psn, const uet_ses_t *ses);
/* Keeps and sends the response that was owed. */
void wire_settle(wire_model_t *model, uint64_t serial, const uet_packet_t *packet, uint32_t psn,
                 const uet_ses_t *ses);

/* wire_packet.c */
wire_counter_t wire_packet(wire_model_t *model, const uet_packet_t *packet, uint16_t pdcid);

/*
 * wire_message.c: a request in its order.  0: taken, and `*response` is its answer; else the code
 * of the NACK that refuses it, and nothing has changed.
 */
uint8_t wire_request(wire_model_t *model, connection_t *connection, const uet_packet_t *packet,
                     uet_ses_t *response);
bool wire_connection_busy(const wire_model_t *model, const connection_t *connection);
/* Messages of which not all has come end with an error (W7). */
void wire_connection_lost(wire_model_t *model, const connection_t *connection);
void wire_messages_idle(wire_model_t *model);

/* wire_arrival.c: matching and payload. */
typedef struct {
    uint8_t code; /* UET_RC_OK: it has a receive or is parked */
    uint8_t nack; /* not 0: a shortage that holds up the connection */
} wire_arrival_t;
wire_arrival_t wire_arrive(wire_model_t *model, message_t *message);
void wire_payload(wire_model_t *model, message_t *message, const uint8_t *bytes, uint32_t count);
/* All bytes are in, or with another code than OK no more will come. */
void wire_message_end(wire_model_t *model, message_t *message, uint8_t code);
void wire_message_free(wire_model_t *model, message_t *message);
void wire_endpoint_opens(endpoint_t *endpoint);

#endif
