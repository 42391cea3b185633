/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A card as the provider below: fabric, domain, address vector, queue and endpoint whose messages
 * travel by Ultra Ethernet alone (tmu/tmu_net.h), so that no other network is needed.
 *
 * An endpoint of the provider has two of the unit on a card.  Tagged messages go to the one where
 * receives of the user wait, and the card matches them as they arrive; frames (wire.h) and payloads
 * that were asked for go to the other, its control endpoint, as tagged messages as well.
 *
 * The user's memory is not registered: what is sent and received lies in registered memory of the
 * provider's own meanwhile (card_memory.h).
 */
#ifndef TMU_PROVIDER_CARD_H
#define TMU_PROVIDER_CARD_H

#include "card_memory.h"
#include "card_name.h"
#include "provider.h"

#define CARD_CONTROL 0x800u /* resource index of control endpoints, beside the endpoint's */
#define CARD_PIECE (1u << CARD_MESSAGE_LOG2) /* bytes of a message, at most */
#define CARD_TAGGED 8u      /* messages of the user's to one peer that are under way at once */
#define CARD_WINDOW 8u      /* pieces of a payload that are under way at once */
#define CARD_READY_BYTES 8u /* of a message whose payload waits: its sender's handle */

/*
 * Something that is received by the control endpoint, or sent: in pieces of CARD_PIECE bytes, which
 * meet in order because messages of one tag do.
 */
typedef struct card_operation {
    struct card_operation *next; /* waiting behind it */
    void *context;
    uint64_t tag;
    bool receives;
    bool frame;     /* receives one message, however long it is */
    bool begun;     /* a piece was handed over: of one without bytes too */
    bool asks;      /* receives: the card has not answered the last piece yet */
    bool cancelled; /* receives */
    bool waits;     /* it is in the list of those that do */
    bool reported;  /* its error was: the rest of a payload only comes in, for nobody */
    struct iovec iov[TFI_IOV];
    size_t iov_count;
    size_t length;
    size_t started;   /* bytes of the pieces that were handed over */
    size_t ended;     /* bytes that have come or gone */
    unsigned pending; /* pieces that the card has */
    int err;
    uint32_t peer; /* sends: number in the card's table */
    fi_addr_t to;  /* with header data: index of the peer */
    bool has_header;
    uint64_t header;
} card_operation_t;

/* A part of an operation that the card has. */
typedef struct card_piece {
    card_operation_t *operation;
    card_bytes_t bytes;
    size_t offset;
    size_t length;
    uint64_t handle;
    tmu_receive_id_t id;
    bool cancels; /* the card was asked to */
} card_piece_t;

typedef struct {
    struct fid_av fid;
    peers_t names; /* by their indices */
} card_av_t;

typedef struct card_cq {
    struct fid_cq fid;
    struct card_ep *ep;
    tfi_dones_t dones;
} card_cq_t;

/* Numbers of a peer's two endpoints in the card's table. */
typedef struct {
    bool known;
    uint8_t name[CARD_NAME];
    uint32_t matching;
    uint32_t control;
    unsigned tagged; /* messages of the user's that are under way */
} card_numbers_t;

typedef struct card_ep {
    struct fid_ep fid;
    unit_t *unit;
    card_av_t *av;
    card_cq_t *cq;
    /* Of the control endpoint.  Messages of the user's have command slots of their own: those that
     * their target has no room for hold up no others (W5). */
    tmu_queue_t *queue;
    tmu_queue_t *tagged;
    bool broken; /* the device is, and all operations have ended */
    uint32_t control;
    uint32_t matching;
    card_memory_t memory;          /* of the control endpoint */
    card_memory_t matching_memory; /* of the other */
    card_numbers_t *numbers;       /* by index in the vector */
    size_t numbers_room;
    slots_t pieces;            /* that the card has */
    card_operation_t *waiting; /* with pieces that the card has not taken, oldest first */
    card_operation_t **waiting_end;
    bool cancels; /* pieces of a cancelled receive are still to be asked for */
} card_ep_t;

/* card_fabric.c */
/* Writes what a card offers into hints that have all attributes.  0 or -FI_ENOMEM. */
int card_describe(struct fi_info *info);
int card_fabric_open(struct fid_fabric **fabric_p);
/* Has a domain that was opened on that use this unit. */
void card_domain_use(struct fid_domain *domain, unit_t *unit);

/* card_av.c, card_cq.c, card_ep.c */
int card_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av_p,
                 void *context);
int card_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                 void *context);
void card_cq_add(card_cq_t *cq, void *context, size_t length, int err);
int card_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                 void *context);
unit_t *card_domain_unit(struct fid_domain *domain);
/* Names both endpoints of the unit; then messages may come.  0, or an error that was said. */
int card_ep_name(struct fid_ep *ep, tmu_queue_t *matching, uint32_t endpoint);
/* No further message comes; those that were sent to it end with an error at their senders. */
void card_ep_unname(struct fid_ep *ep);
/* Answers what its peers send again because an acknowledgement was lost, until they are silent. */
void card_ep_linger(struct fid_ep *ep);
/* Memory for a receive of tagged messages. */
card_memory_t *card_ep_memory(struct fid_ep *ep);

/* card_tagged.c */
/* A tagged message of `bytes` bytes, to be filled in; NULL: memory is short. */
tfi_out_t *card_tagged_new(const wire_frame_t *frame, peer_t *to, size_t bytes);
/* On a card, gives a receive its buffer; false: memory is short. */
bool card_ask_prepare(tfi_ep_t *ep, tfi_ask_t *ask);
void card_received(void *user, record_t *receive, const tmu_completion_t *completion);
void card_seen(void *user, record_t *look, const tmu_completion_t *completion);

/* card_calls.c */
/* Sends a tagged message of at most CARD_PIECE bytes to where the peer's receives wait. */
ssize_t card_send_tagged(struct fid_ep *ep, const struct iovec *iov, size_t count, fi_addr_t to,
                         uint64_t tag, uint64_t header, void *context);
extern struct fi_ops_tagged card_tagged_ops;
/* Removes all peers from the card's table; nothing is under way any more. */
void card_peers_forget(card_ep_t *ep);
ssize_t card_cancel(struct fid *fid, void *context);
/* card_transfer.c */
/* For the queue: counts every raw answer. */
void card_observe(void *user, const tmu_completion_t *completion);
/* Runs the card, hands it pieces that wait, and reads what it has told. */
void card_progress(card_ep_t *ep);
/* Begins an operation, which is the card's from here on. */
void card_operation_start(card_ep_t *ep, card_operation_t *operation);
void card_operations_free(card_ep_t *ep);

#endif
