/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A fabric endpoint in software: initiator and target of tagged messages over reliable ordered
 * delivery (ROD), without sockets and without a clock of its own.
 *
 * Frames come in by uet_node_frame and go out by a callback; time is what the caller says it is.
 * Callbacks may not call into the node.  Matching is the reference model's (R1 to R15), or the
 * caller's, who then has the memory as well: the network side of a card is a node whose unit
 * matches (uet_unit_t).
 */
#ifndef UET_NODE_H
#define UET_NODE_H

#include "uet_packet.h"

typedef struct uet_node uet_node_t;

/* Nanoseconds since some beginning. */
typedef uint64_t uet_time_t;
#define UET_NEVER UINT64_MAX

enum { UET_WINDOW_MOST = 128, UET_STORED_MOST = 64 };

typedef struct {
    uint32_t address; /* IPv4 */
    uet_settings_t wire;
    uint32_t payload_mtu; /* bytes in every packet of a message but the last */
    uint16_t window;      /* packets sent and not acknowledged, 2 to UET_WINDOW_MOST */
    uint32_t pdcs;        /* targets of other nodes at once, those just closed included */
    uint32_t endpoints;   /* at most */
    uint32_t
        stored; /* responses that each PDC keeps until they are cleared, 1 to UET_STORED_MOST */
    uint32_t ack_trigger;  /* accepted bytes after which an acknowledgement is sent */
    uet_time_t retransmit; /* first timeout of a packet; doubles up to retransmit_most */
    uet_time_t retransmit_most;
    uint32_t attempts;       /* timeouts in a row after which a peer is given up; 0: never (W7) */
    uet_time_t refused_wait; /* before a refused message is sent again; doubles up to 16 times */
    uet_time_t reopen;       /* after which a full endpoint tries again by itself */
    uet_time_t quarantine;   /* a closed PDC is remembered for so long */
    uet_time_t idle;         /* after which a message that does not go on ends with an error */
    uint32_t message_most;   /* bytes of the longest message that is taken; 0: no limit */
    uint64_t seed;           /* of start numbers and waits */
} uet_node_config_t;

#define UET_NODE_DEFAULT                                                                           \
    {.wire = UET_SETTINGS_DEFAULT,                                                                 \
     .payload_mtu = 4096,                                                                          \
     .window = 64,                                                                                 \
     .pdcs = 64,                                                                                   \
     .endpoints = 16,                                                                              \
     .stored = 64,                                                                                 \
     .ack_trigger = 16384,                                                                         \
     .retransmit = 250000,                                                                         \
     .retransmit_most = 4000000000,                                                                \
     .refused_wait = 200000,                                                                       \
     .reopen = 10000000,                                                                           \
     .quarantine = 2000000000,                                                                     \
     .idle = 5000000000,                                                                           \
     .seed = 1}

/* Destination of messages: {address, job, pid, index}; relative addressing. */
typedef struct {
    uint32_t address;
    uint32_t job;
    uint16_t pid;
    uint16_t index;
} uet_address_t;

typedef struct {
    uet_address_t to;
    uint32_t initiator; /* number of the sending process */
    uint64_t match;
    const void *data; /* stays the caller's until the completion; then it may be reused (W4) */
    uint32_t bytes;
    bool has_header_data;
    uint64_t header_data;
    uint64_t handle;
} uet_send_t;

typedef struct {
    uint64_t handle;
    uint8_t code;      /* uet_return_code_t; UET_RC_OK when the target has the message */
    bool given_up;     /* no answer: the peer was given up, or its PDC died (W7) */
    uint32_t modified; /* bytes that the target told of; less than sent when truncated (R12) */
    uet_address_t to;
} uet_sent_t;

typedef struct {
    uint32_t endpoint;
    uint64_t match;
    uint64_t ignore;
    uint32_t source;
    uint32_t source_ignore;
    void *buffer;
    uint32_t bytes;
    uint64_t handle;
} uet_receive_t;

/* Every byte is in the buffer when this is told (W3). */
typedef struct {
    uint64_t handle;
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t length;  /* of the message */
    uint32_t written; /* less when truncated (R12) */
    bool has_header_data;
    uint64_t header_data;
    uint8_t code; /* UET_RC_OK, or why the message ended early */
} uet_received_t;

/* A message that starts. */
typedef struct {
    uint64_t number; /* that the node knows it by until it has ended */
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t length;
    bool has_header_data;
    uint64_t header_data;
} uet_message_t;

typedef enum {
    UET_UNIT_MATCHED, /* a receive was taken out */
    UET_UNIT_QUEUED,  /* unexpected: its bytes wait in memory that the unit gave */
    UET_UNIT_FULL,    /* the endpoint has no room for it (W5) */
    UET_UNIT_FAILED   /* no memory: the packet is not taken, and nothing has changed */
} uet_unit_answer_t;

/* A unit matches in place of the node's own model, and reaches memory in place of the node. */
typedef struct {
    /*
     * Fills buffer, bytes and handle of the receive that was matched; or buffer and bytes of memory
     * for a message that is queued, the whole of it.
     */
    uet_unit_answer_t (*arrive)(void *context, const uet_message_t *message,
                                uet_receive_t *receive);
    /* Writes behind the beginning of such a buffer; false: that memory is gone. */
    bool (*write)(void *context, void *buffer, uint32_t offset, const uint8_t *bytes,
                  uint32_t count);
    /* Bytes of a message that is sent, valid until the next call; NULL: that memory is gone. */
    const uint8_t *(*fetch)(void *context, const uet_send_t *send, uint32_t offset, uint32_t count);
} uet_unit_t;

typedef struct {
    void *context;
    void (*frame)(void *context, const uint8_t *frame, size_t bytes);
    void (*sent)(void *context, const uet_sent_t *sent);
    void (*received)(void *context, const uet_received_t *received);
    const uet_unit_t *unit; /* NULL: the node's own matching, and pointers */
} uet_callbacks_t;

/* Every frame that arrives is counted once: here, or in refused[] by the codec's reason (W6). */
typedef enum {
    UET_COUNT_FOREIGN,      /* another node's address */
    UET_COUNT_TAKEN,        /* a request that was accepted, whatever its answer */
    UET_COUNT_DUPLICATE,    /* accepted before; answered again when it says that it is one */
    UET_COUNT_OUT_OF_ORDER, /* a packet before it is missing, or it is beyond the window */
    UET_COUNT_MISMATCH,     /* no such PDC, or one of another peer or mode */
    UET_COUNT_NO_ROOM,      /* not accepted for a shortage */
    UET_COUNT_UNSUPPORTED,  /* not accepted for what it is */
    UET_COUNT_CONTROL,      /* a control packet that was carried out */
    UET_COUNT_ACK,
    UET_COUNT_ACK_IGNORED, /* stale, or of no PDC */
    UET_COUNT_NACK,
    UET_COUNT_NACK_IGNORED,
    UET_COUNTS
} uet_count_t;

typedef struct {
    uint64_t frames;
    uint64_t refused[UET_REASONS];
    uint64_t counted[UET_COUNTS];
    uint64_t sent_frames;
    uint64_t sent_again;
    uint64_t timeouts;
    uint64_t messages_taken; /* arrivals that entered matching (W1) */
    uint64_t messages_refused;
    uint64_t opened; /* PDCs, as initiator */
    uint64_t closed;
} uet_node_stats_t;

/* NULL without memory or with a configuration that is out of range. */
uet_node_t *uet_node_create(const uet_node_config_t *config, const uet_callbacks_t *callbacks);
void uet_node_destroy(uet_node_t *node);

/* The endpoint's number, UINT32_MAX when there are as many as there may be. */
uint32_t uet_node_endpoint(uet_node_t *node, uint32_t job, uint16_t pid, uint16_t index);
/* Its name is unknown from here on; messages that began go on. */
void uet_node_remove(uet_node_t *node, uint32_t endpoint);
/* Unexpected messages that it keeps; 0 = no limit.  Of the node's own matching. */
void uet_node_quota(uet_node_t *node, uint32_t endpoint, uint64_t messages);
/* A disabled endpoint answers DISABLED_GEN. */
void uet_node_enable(uet_node_t *node, uint32_t endpoint, bool enable);

/* False without memory, or for a receive of no endpoint. */
bool uet_node_send(uet_node_t *node, const uet_send_t *send);
/* Of the node's own matching. */
bool uet_node_post(uet_node_t *node, const uet_receive_t *receive);

/*
 * A unit's: a receive has taken the message that was queued.  Its bytes go to the receive, at once
 * those that are there; `received` is called when all are.  Without a buffer they stay where they
 * are, and the receive has the whole message.
 */
void uet_node_taken(uet_node_t *node, uint64_t message, const uet_receive_t *receive);
/* A unit's: there may be room at an endpoint again. */
void uet_node_room(uet_node_t *node, uint32_t endpoint);

void uet_node_frame(uet_node_t *node, const uint8_t *frame, size_t bytes);
void uet_node_advance(uet_node_t *node, uet_time_t now);
/* When uet_node_advance has something to do next; UET_NEVER: nothing. */
uet_time_t uet_node_next(const uet_node_t *node);

/* Closes every PDC of this node as soon as its messages are answered; sends open new ones (W1). */
void uet_node_close(uet_node_t *node);
bool uet_node_quiet(const uet_node_t *node); /* no message unanswered, no PDC open */
/* Whether no peer has a PDC to this node open. */
bool uet_node_is_alone(const uet_node_t *node);

const uet_node_stats_t *uet_node_stats(const uet_node_t *node);

#endif
