/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference model of the wire: the law W1 to W6 for a target of tagged messages over reliable
 * ordered delivery (ROD).
 *
 * Its inputs are the frames that arrive and the receives that are posted, in the order in which a
 * card sees them; for each it says which bytes are written where, which receives complete, which
 * frames answer, and which counter counts it.  It judges every run of a card or an endpoint, so it
 * shares nothing with them but the codec of headers; matching is the law's (sim/law, R1 to R15).
 *
 * Lengths are in bytes, times in nanoseconds since some beginning.  A function that returns NULL or
 * false for want of memory leaves a model that may only be freed.  One thread at a time.
 */
#ifndef WIRE_MODEL_H
#define WIRE_MODEL_H

#include "uet_packet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct wire_model wire_model_t;

#define WIRE_NEVER UINT64_MAX

/* Choices of an implementation, and the settings for which sources of the standard differ. */
typedef struct {
    uet_settings_t wire;
    uint32_t ipv4; /* the card's addresses; 0: none */
    uint64_t ipv6_high;
    uint64_t ipv6_low;
    uint32_t payload_mtu; /* of every packet of a message but the last, at least 1 */
    uint32_t length_most; /* of a message; 0: any length */
    uint32_t window;      /* numbers ahead of the expected one that are not refused, 1 to 32767 */
    uint32_t pdcs;        /* connections at once, remembered ones included */
    uint32_t responses;   /* that a connection keeps until they are cleared, at least 1 */
    uint32_t ack_trigger; /* accepted bytes after which a packet is acknowledged; 0: each one */
    uint32_t ack_least;   /* bytes that a shorter packet counts for there */
    uint32_t endpoints;   /* at most, at least 1 */
    uint64_t quarantine;  /* a closed connection is remembered for so long; 0: not at all */
    uint64_t reopen;     /* a full endpoint tries again after so long; WIRE_NEVER: on a post only */
    uint64_t idle;       /* a message that does not go on ends after so long; WIRE_NEVER: never */
    uint8_t dscp;        /* of answers */
    bool ack_on_ecn;     /* acknowledge what met congestion */
    bool no_match_first; /* the first message without room is answered NO_MATCH */
    bool cack_runs_past; /* CACK is not held below responses that are not cleared */
    bool all_duplicates; /* answer those that do not say that they are sent again as well */
    bool undeliverable;  /* the one answer for unknown job, pid and index */
    bool deferrable;     /* deferrable sends are taken as plain ones */
} wire_config_t;

#define WIRE_CONFIG_DEFAULT                                                                        \
    {.wire = UET_SETTINGS_DEFAULT,                                                                 \
     .payload_mtu = 4096,                                                                          \
     .window = 128,                                                                                \
     .pdcs = 64,                                                                                   \
     .responses = 64,                                                                              \
     .ack_trigger = 16384,                                                                         \
     .ack_least = 1024,                                                                            \
     .endpoints = 16,                                                                              \
     .quarantine = 2000000000,                                                                     \
     .reopen = 10000000,                                                                           \
     .idle = 5000000000,                                                                           \
     .dscp = 46}

typedef enum {
    WIRE_TRUNCATE,        /* a message longer than its receive is cut (R12) */
    WIRE_TOO_LONG,        /* it is refused, and no byte is written */
    WIRE_UNSUPPORTED_SIZE /* the same with another code */
} wire_too_long_t;

typedef struct {
    uint32_t job;
    uint16_t pid;
    uint16_t index;
    uint64_t unexpected; /* messages that it keeps; 0: no limit */
    bool pooled;         /* payload of unexpected messages goes to its pool; else the card has it */
    bool nack_shortage;  /* a shortage is answered by a NACK, which holds up the connection */
    bool
        answer_at_match; /* an unexpected message: NO_RESPONSE, and the answer when it is matched */
    bool absolute;       /* its pid names a service: the job is not compared */
    bool no_generation;  /* when it is off or full it answers DISABLED */
    wire_too_long_t too_long;
} wire_endpoint_t;

typedef struct {
    uint32_t endpoint;
    uint64_t match;
    uint64_t ignore; /* a bit of 1 is not compared (R2) */
    uint32_t source;
    uint32_t source_ignore;
    uint64_t address;
    uint32_t bytes;
    uint64_t handle; /* the caller's, unique among its endpoint's queued receives */
} wire_receive_t;

/* Each frame is counted once: here, or by the codec's reason (W6). */
typedef enum {
    WIRE_REFUSED_FRAME, /* its reason says why */
    WIRE_FOREIGN,       /* to an address of another */
    WIRE_ANSWER,        /* for the sending side, which is not modelled */
    WIRE_TAKEN,         /* a request in its order, whatever its response says */
    WIRE_CONTROL,       /* a control packet that was carried out */
    WIRE_REPEATED,      /* taken before; answered again */
    WIRE_DUPLICATE,     /* taken before; dropped */
    WIRE_GAP,           /* one before it is missing */
    WIRE_BEYOND,        /* beyond the window */
    WIRE_MISMATCH,      /* no connection, or one of another peer, start or mode */
    WIRE_NO_ROOM,       /* refused for a shortage; it may come again */
    WIRE_UNSUPPORTED,   /* refused for what it is */
    WIRE_COUNTERS
} wire_counter_t;

typedef struct {
    uint64_t handle;
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t length;  /* of the message */
    uint32_t written; /* less when truncated or broken off (R12) */
    bool has_header_data;
    uint64_t header_data;
    uint8_t code; /* UET_RC_OK, or why the message ended early */
} wire_completion_t;

typedef enum {
    WIRE_WRITE,     /* `bytes` of `data` at `address`, inside a receive */
    WIRE_PARK,      /* the same inside a buffer of the endpoint's pool */
    WIRE_FREE,      /* the pool's buffer at `address` is free again */
    WIRE_SEND,      /* the frame `data` of `bytes`, without padding of Ethernet */
    WIRE_COMPLETION /* all writes that it announces are in front of it (W3) */
} wire_effect_kind_t;

typedef struct {
    wire_effect_kind_t kind;
    uint32_t endpoint;
    uint64_t address;
    const uint8_t *data;
    size_t bytes;
    wire_completion_t completion;
} wire_effect_t;

/* In their order; they are the model's, and valid until its next call. */
typedef struct {
    wire_counter_t counter; /* frames only */
    uet_reason_t reason;    /* of WIRE_REFUSED_FRAME */
    size_t effects;
    const wire_effect_t *effect;
} wire_result_t;

typedef struct {
    uint64_t frames;
    uint64_t counted[WIRE_COUNTERS];
    uint64_t reasons[UET_REASONS];
    uint64_t messages; /* that entered matching (W1) */
} wire_counts_t;

/* NULL without memory or with a configuration that is out of range. */
wire_model_t *wire_model_new(const wire_config_t *config);
void wire_model_free(wire_model_t *model);

/* The endpoint's number; UINT32_MAX when there are as many as there may be. */
uint32_t wire_model_endpoint(wire_model_t *model, const wire_endpoint_t *endpoint);
/* Registers a buffer of an endpoint's pool, which holds one message.  False without memory. */
bool wire_model_pool(wire_model_t *model, uint32_t endpoint, uint64_t address, uint32_t bytes);
/* A disabled endpoint answers DISABLED_GEN; its next generation begins when it is enabled. */
void wire_model_enable(wire_model_t *model, uint32_t endpoint, bool enable);

/*
 * The calls below fill `*result`; false without memory.
 *
 * A frame.  `pdcid` is the number that the card gives to a connection that begins with it, which is
 * the card's choice; 0, or one that is in use: the lowest free one.
 */
bool wire_model_frame(wire_model_t *model, const uint8_t *frame, size_t bytes, uint16_t pdcid,
                      wire_result_t *result);
/* A receive; false also for one of no endpoint. */
bool wire_model_post(wire_model_t *model, const wire_receive_t *receive, wire_result_t *result);
/* The time is `now`. */
bool wire_model_advance(wire_model_t *model, uint64_t now, wire_result_t *result);

/* Whether a queued receive was there, which is gone (R10). */
bool wire_model_cancel(wire_model_t *model, uint32_t endpoint, uint64_t handle);

const wire_counts_t *wire_model_counts(const wire_model_t *model);
const char *wire_counter_name(unsigned counter); /* "taken"; NULL for a number that is none */

#ifdef __cplusplus
}
#endif

#endif
