/* SPDX-License-Identifier: Apache-2.0 */
/* Types and functions that the files of a node share. */
#ifndef UET_STATE_H
#define UET_STATE_H

#include "tmu_model.h"
#include "uet_node.h"

enum { RING = 2 * UET_WINDOW_MOST, SCRATCH = 10240 };

typedef struct flow flow_t;

/* A send from its call to its completion. */
typedef enum { MESSAGE_WAITING, MESSAGE_SENDING, MESSAGE_REFUSED } message_state_t;
typedef struct message {
    struct message *next; /* in its flow, the oldest first */
    flow_t *flow;
    uet_send_t send;
    message_state_t state;
    uint16_t id;
    uint8_t generation;
    uint32_t cut;  /* bytes that packets were made of */
    bool started;  /* SOM was sent */
    bool answered; /* the answer to EOM is known */
    bool owed;     /* NO_RESPONSE: the answer follows */
    uint32_t open; /* packets without an answer */
    uint8_t code;  /* first answer that is not OK */
    uint32_t modified;
} message_t;

/* Messages to one endpoint keep their order through refusals (W1, W5). */
struct flow {
    flow_t *next;
    uet_address_t to;
    message_t *oldest;
    message_t *youngest;
    uint8_t generation;
    bool blocked;      /* one was refused: none starts before all are answered */
    bool probing;      /* one at a time until one is taken */
    bool at_once;      /* BAD_GENERATION told the right one */
    uet_time_t resend; /* when blocked and all are answered */
    unsigned refusals; /* in a row */
};

/* A packet by its PSN, from its first transmission to the end of the window. */
typedef struct {
    message_t *message; /* NULL: CLOSE */
    uint16_t id;
    uint8_t generation;
    bool som;
    bool eom;
    bool abort; /* MSG_ERROR */
    bool answered;
    uint32_t offset;
    uint32_t bytes;
} record_t;

typedef enum { PDC_FREE, PDC_OPENING, PDC_ESTABLISHED, PDC_CLOSE_WAIT } pdc_state_t;

typedef struct initiator {
    struct initiator *next;
    pdc_state_t state;
    uint32_t address;
    uint32_t job;
    uint16_t pdcid;
    uint16_t peer; /* 0 until known */
    bool closing;  /* no message starts on it */
    uint32_t start;
    uint32_t psn; /* of the next packet */
    uint32_t cack;
    uint32_t clear;   /* answered without a gap up to here */
    bool clear_asked; /* by the target */
    bool cack_asked;  /* of the target, with the last packet answered */
    uint32_t since_ar;
    message_t *current; /* whose packets are being made */
    uint64_t answers;   /* packets that have one */
    uet_time_t deadline;
    unsigned attempts;
    uint32_t went_back; /* CACK when a NACK was followed; once for each loss */
    bool has_gone_back;
    record_t ring[RING];
} initiator_t;

/* A message that is arriving, or waits for its receive. */
typedef enum { INBOUND_MATCHED, INBOUND_OVERFLOW, INBOUND_REFUSED } inbound_state_t;
typedef struct inbound {
    struct inbound *next;
    inbound_state_t state;
    uint64_t pdc; /* serial number of the target PDC; 0: complete */
    uint16_t id;
    uint32_t endpoint;
    uint32_t source;
    uint64_t match;
    uint32_t length;
    uint32_t arrived;
    bool has_header_data;
    uint64_t header_data;
    uint8_t *stored; /* overflow: length bytes */
    uint8_t *owned;  /* they, when they are the node's */
    uint8_t code;    /* of a refused message; of a broken one */
    uint8_t generation;
    uet_receive_t receive; /* matched */
    uet_time_t touched;
    uint64_t handle;
} inbound_t;

typedef struct {
    uint32_t psn;
    uet_ses_t response;
} stored_t;

typedef struct {
    bool used;
    bool closed; /* remembered, so that late packets do not open it again (W1) */
    uint64_t serial;
    uint32_t address;
    uint16_t peer;
    uint16_t pdcid;
    uint32_t start;
    uint32_t expected;
    uint32_t clear;
    bool told;      /* a gap at `expected` was told */
    uint32_t bytes; /* accepted since the last acknowledgement */
    uint32_t stored;
    stored_t store[UET_STORED_MOST];
    uet_time_t forget;
} target_t;

/* A receive that waits for its message. */
typedef struct posted {
    struct posted *next;
    uet_receive_t receive;
    uint64_t handle;
} posted_t;

typedef struct {
    uint32_t job;
    uint16_t pid;
    uint16_t index;
    bool enabled;
    bool removed;
    bool off; /* refused one for want of room: refuses all until there is room (W5) */
    uint8_t generation;
    uet_time_t reopen;
    uint32_t receives; /* ids given */
} endpoint_t;

struct uet_node {
    uet_node_config_t config;
    uet_callbacks_t callbacks;
    uet_time_t now;
    uint64_t random;
    uet_node_stats_t stats;
    flow_t *flows;
    initiator_t *initiators;
    uint16_t last_pdcid;
    uint16_t last_message;
    uint32_t last_start;
    target_t *targets;
    uint64_t target_serial;
    uint16_t last_target;
    inbound_t *inbound;
    posted_t *posted;
    uint64_t handles;
    endpoint_t *endpoints;
    uint32_t endpoint_count;
    tmu_model_t *model;
    uint8_t frame[SCRATCH];
    uint8_t zeros[SCRATCH]; /* payload of a packet whose bytes cannot be read */
};

/* Numbers of packets compare by the sign of their difference. */
static inline int32_t psn_distance(uint32_t a, uint32_t b) { return (int32_t)(a - b); }

static inline uint32_t psn_at(uint32_t base, int32_t offset) {
    uint32_t step = (uint32_t)offset;
    return base + step;
}

/* uet_node.c */
uint32_t uet_random_below(uet_node_t *node, uint32_t limit);
void uet_transmit(uet_node_t *node, uet_packet_t *packet, uint32_t address, bool request);

/* uet_initiator.c */
void uet_initiator_pump(uet_node_t *node);
void uet_initiator_timers(uet_node_t *node);
uet_time_t uet_initiator_next(const uet_node_t *node);
uet_count_t uet_initiator_ack(uet_node_t *node, const uet_packet_t *packet);
/* The PDC that an answer is for; NULL: none. */
initiator_t *uet_initiator_of(uet_node_t *node, const uet_packet_t *packet);
/* Whether a number was sent and is not acknowledged. */
bool uet_initiator_awaits(const initiator_t *pdc, uint32_t psn);
/* Sends again what has no answer, from a number on. */
void uet_initiator_go_back(uet_node_t *node, initiator_t *pdc, uint32_t from);
/* The target is gone, or is given up: what began on this PDC ends with an error (W7). */
void uet_initiator_lose(uet_node_t *node, initiator_t *pdc);
void uet_initiator_free(uet_node_t *node, initiator_t *pdc);

/* uet_refusal.c */
uet_count_t uet_initiator_nack(uet_node_t *node, const uet_packet_t *packet);

/* uet_flow.c */
flow_t *uet_flow_find(uet_node_t *node, const uet_address_t *to);
/* The next message that may start towards {address, job}; NULL: none. */
message_t *uet_flow_start(uet_node_t *node, uint32_t address, uint32_t job);
bool uet_flow_waits(const uet_node_t *node, uint32_t address, uint32_t job);
/* One packet was answered; NULL: well and as expected. */
void uet_flow_answer(uet_node_t *node, record_t *record, const uet_ses_t *response);
/* The answer that was owed, by message id. */
void uet_flow_owed(uet_node_t *node, uint32_t address, const uet_ses_t *response);
/* The PDC died: messages that began on it end with an error. */
void uet_flow_lost(uet_node_t *node, uint32_t address, uint32_t job);
void uet_flow_timers(uet_node_t *node);
uet_time_t uet_flow_next(const uet_node_t *node);
bool uet_flow_id_used(const uet_node_t *node, uint16_t id);

/* uet_target.c */
uet_count_t uet_target_request(uet_node_t *node, const uet_packet_t *packet);
uet_count_t uet_target_control(uet_node_t *node, const uet_packet_t *packet);
void uet_target_timers(uet_node_t *node);

/*
 * uet_receive.c: takes a request of a PDC in its order and gives the response.  False: not taken,
 * `*nack` says why, and nothing has changed.
 */
bool uet_receive_request(uet_node_t *node, uint64_t pdc, const uet_packet_t *packet,
                         uet_ses_t *response, uint8_t *nack);
bool uet_receive_open(const uet_node_t *node, uint64_t pdc); /* a message is half in */
void uet_receive_lost(uet_node_t *node, uint64_t pdc);
void uet_receive_timers(uet_node_t *node);
uet_time_t uet_receive_next(const uet_node_t *node);

/* uet_arrival.c: matching, and what becomes of payload. */
uint8_t uet_arrival_match(uet_node_t *node, inbound_t *inbound);
void uet_arrival_write(uet_node_t *node, inbound_t *inbound, uint32_t offset, const uint8_t *bytes,
                       uint32_t count);
/* The last byte is in, or with a code other than OK none will come. */
void uet_arrival_end(uet_node_t *node, inbound_t *inbound, uint8_t code);
void uet_arrival_free(uet_node_t *node, inbound_t *inbound);

#endif
