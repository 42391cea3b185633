/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libfabric provider `tmu`: types and functions that its source files share.
 *
 * The provider sits on another one for bytes, `tcp` or `net`, through libfabric's public calls.
 * Each endpoint has one of that provider's, with its address.  Messages travel there in frames
 * (wire.h); the unit matches tagged ones, untagged ones have a queue of their own (untagged.c).
 *
 * One lock guards everything, the unit included: callers may use any thread.
 */
#ifndef TMU_PROVIDER_H
#define TMU_PROVIDER_H

#include "match.h"
#include "operations.h"
#include "peers.h"
#include "say.h"
#include "wire.h"

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_tagged.h>

#define TFI_NAME "tmu"
#define TFI_CAPS                                                                                   \
    (FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_MULTI_RECV | FI_DIRECTED_RECV | FI_SOURCE |       \
     FI_LOCAL_COMM | FI_REMOTE_COMM)
#define TFI_DOMAIN_CAPS (FI_LOCAL_COMM | FI_REMOTE_COMM)
/* Flags of calls.  What is not among them would change what a call promises, and is refused: a send
 * says neither that its message was delivered nor that it was matched. */
#define TFI_SEND_FLAGS                                                                             \
    (FI_COMPLETION | FI_INJECT | FI_INJECT_COMPLETE | FI_TRANSMIT_COMPLETE | FI_REMOTE_CQ_DATA |   \
     FI_MORE)
#define TFI_RECV_FLAGS (FI_COMPLETION | FI_MORE)
#define TFI_LOOK_FLAGS (FI_PEEK | FI_CLAIM | FI_DISCARD)
#define TFI_EAGER 16384u /* bytes of a message that travels with its payload, at most */
#define TFI_LONGEST ((UINT64_C(1) << 48) - 1) /* bytes that a unit counts */
#define TFI_FRAMES_IN 16u   /* buffers for frames from peers; few, so that they stay in the cache */
#define TFI_COUNTERS 65536u /* of a domain, as hints may ask; they are memory alone */
#define TFI_FRAME_TAG 0u    /* inner tag of frames */

typedef struct {
    struct fid_fabric fid;
    struct fid_fabric *inner;
} tfi_fabric_t;

typedef struct {
    struct fid_domain fid;
    struct fid_domain *inner;
    const tfi_fabric_t *fabric;
    unit_t *unit;
    size_t name_size;   /* of an address, which is that of an inner endpoint */
    uint64_t most_held; /* bytes of messages at an endpoint (held.c) */
    size_t users;       /* queues and counters that are open; the inner domain knows the others */
} tfi_domain_t;

typedef struct {
    struct fid_av fid;
    tfi_domain_t *domain;
    struct fid_av *below;
    peers_t peers; /* those in the vector, and senders that are not */
} tfi_av_t;

/* One finished operation; `err` other than 0 makes it an error entry. */
typedef struct {
    struct fi_cq_err_entry entry;
    fi_addr_t source;
} tfi_done_t;

/* Those of a queue, oldest first; a zeroed one has none. */
typedef struct {
    tfi_done_t *ring; /* grows, so it never overflows */
    size_t room;      /* a power of two */
    size_t head;
    size_t count;
} tfi_dones_t;

typedef struct {
    struct fid_cq fid;
    tfi_domain_t *domain;
    enum fi_cq_format format;
    tfi_dones_t dones;
    bool woken;
    struct {
        int set; /* -1 without FI_WAIT_FD */
        int event;
    } wait;
    struct tfi_ep *endpoints; /* that are bound to it */
} tfi_cq_t;

/* A counter has a value of what ended well, and one of what ended in error. */
typedef struct tfi_cntr {
    struct fid_cntr fid;
    tfi_domain_t *domain;
    bool may_wait;
    uint64_t value;
    uint64_t errors;
    struct tfi_seat *seats; /* of the endpoints that are bound to it */
} tfi_cntr_t;

/* Events for which an endpoint can have a counter. */
enum { TFI_SENDS, TFI_RECEIVES, TFI_READS, TFI_WRITES, TFI_SEATS };

/* The counter of one of these. */
typedef struct tfi_seat {
    struct tfi_ep *ep;
    tfi_cntr_t *cntr;      /* or NULL */
    struct tfi_seat *next; /* of the same counter */
} tfi_seat_t;

typedef struct tfi_ep {
    struct fid_ep fid;
    tfi_domain_t *domain;
    tfi_av_t *av;
    struct fid_ep *below;
    struct fid_cq *inner_cq; /* of that, from when it is enabled */
    int inner_fd;            /* of that, if a queue of the user's has FI_WAIT_FD */
    tfi_cq_t *tx_cq;
    tfi_cq_t *rx_cq;
    tfi_seat_t seats[TFI_SEATS]; /* counters */
    bool tx_selective;
    bool rx_selective;
    bool directed; /* FI_DIRECTED_RECV: the source of a receive counts */
    uint64_t tx_flags;
    uint64_t rx_flags;
    size_t inject_size;
    bool enabled;
    bool matching; /* the matcher is open */
    matcher_t matcher;
    uint8_t name[WIRE_NAME];
    slots_t sends;   /* announced, as peers name them */
    slots_t fetched; /* payloads on the way here, as their tags name them */
    slots_t claimed; /* messages that were claimed, as contexts name them */
    tfi_in_t *in;
    size_t idle;          /* of these, not offered to the inner endpoint and without a frame */
    tfi_in_t *kept_first; /* with frames that memory is short for, oldest first */
    tfi_in_t *kept_last;
    uint64_t kept;  /* how many that were */
    uint64_t held;  /* bytes of messages that are here */
    bool over;      /* the last one was kept because that is all it may be */
    uint64_t overs; /* how often */
    void *spare;    /* buffers that no frame is in; each begins with a pointer to the next */
    size_t spares;
    size_t inner_pieces; /* of what is sent by the inner endpoint, at most */
    tfi_lane_t *lanes;   /* by the peer's number; never frames of sends: the inner endpoint takes
                            those, or nobody */
    size_t lane_room;
    uint32_t lane_first; /* of those that wait, in turn; TFI_NO_LANE: none does */
    uint32_t lane_last;
    tfi_out_t *leaving;   /* that the inner endpoint has */
    uint64_t undelivered; /* frames that no operation of the user's waits for */
    uint64_t ended_peers; /* how often one was found */
    size_t watched;       /* lanes with a peer that is */
    uint32_t calls;       /* of progress since it last looked at the clock for that */
    uint64_t scan_at;
    tfi_loads_t loads;
    tfi_pull_t *pulls;
    tfi_asks_t receives;
    tfi_untagged_t untagged;
    size_t sending;         /* handed to the inner endpoint and not finished */
    struct tfi_ep *next_tx; /* of the same completion queue */
    struct tfi_ep *next_rx;
} tfi_ep_t;

/* The object that a fid of the user's is in. */
#define TFI_OF(type, fid_pointer) ((type *)(void *)(fid_pointer))

/* provider.c */
void tfi_lock(void);
void tfi_unlock(void);
/* For those who look again and again, because nothing below can wake them for the unit. */
uint64_t tfi_now_ms(void);
void tfi_nap(void);

/* inner.c */
int tfi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                const struct fi_info *hints, struct fi_info **info_p);
/* The inner provider's own description of what `info` of ours describes. */
int tfi_inner_info(const struct fi_info *info, struct fi_info **inner_p);
int tfi_inner_fabric(const struct fi_fabric_attr *attr, struct fid_fabric **inner_p);

/* fabric.c */
int tfi_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p, void *context);
int tfi_domain_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **domain_p,
                    void *context);
/* Entries of operation tables for what this provider does not do. */
int tfi_no_bind(struct fid *fid, struct fid *other, uint64_t flags);
int tfi_no_control(struct fid *fid, int command, void *argument);
int tfi_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context);

/* av.c: peers.  With the lock held. */
/* The peer at an index of the user's vector, held once more; NULL: there is none. */
peer_t *tfi_peer_hold(tfi_av_t *av, fi_addr_t index);
/* Ends one hold of a peer; NULL is allowed. */
void tfi_peer_release(tfi_av_t *av, peer_t *peer);
/* Makes a peer's address for frames known to the provider below.  0 or an error. */
int tfi_peer_reach(tfi_av_t *av, peer_t *peer);
/* Source of the peer's messages, as the unit compares it. */
uint32_t tfi_peer_source(const tfi_ep_t *ep, const peer_t *peer);
/* av.c, cq.c, cntr.c, endpoint.c */
int tfi_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av_p,
                void *context);
int tfi_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                void *context);
int tfi_cntr_open(struct fid_domain *domain, struct fi_cntr_attr *attr, struct fid_cntr **cntr_p,
                  void *context);
int tfi_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                void *context);
/* Adds a finished operation; a queue that is not there swallows it. */
void tfi_cq_add(tfi_cq_t *cq, const struct fi_cq_err_entry *entry, fi_addr_t source);
/* Drives the endpoints that are bound to it; with the lock held. */
void tfi_cq_progress(tfi_cq_t *cq);
/* The endpoint behind one in the list of a queue. */
tfi_ep_t *tfi_cq_next(const tfi_cq_t *cq, const tfi_ep_t *ep);

/* done.c */
/* False, and it was said: memory is short. */
bool tfi_dones_add(tfi_dones_t *dones, const tfi_done_t *done);
/* The oldest, or NULL. */
const tfi_done_t *tfi_dones_first(const tfi_dones_t *dones);
/* Removes it; there is one. */
void tfi_dones_drop(tfi_dones_t *dones);

/* wait.c: queues with FI_WAIT_FD */
int tfi_wait_open(tfi_cq_t *cq);
void tfi_wait_close(tfi_cq_t *cq);
/* Watches an endpoint's queue in the provider below as well. */
int tfi_wait_add(tfi_cq_t *cq, tfi_ep_t *ep);
/* For those who sleep at its descriptor, if it has one. */
void tfi_wake(tfi_cq_t *cq);
int tfi_trywait(struct fid_fabric *fabric, struct fid **fids, int count);
/* Sleeps until there may be something, at its descriptor or for a moment. */
void tfi_wait_for(tfi_cq_t *cq, int timeout);

/* A send or receive of the user ended, as the entry's flags say which: it is counted and, if it is
 * to be shown, an entry of the queue. */
void tfi_end(tfi_ep_t *ep, const struct fi_cq_err_entry *entry, fi_addr_t source,
             tfi_shown_t shown);
/* With selective completion those alone are shown that ask for it. */
static inline tfi_shown_t tfi_shown(bool selective, uint64_t flags) {
    return selective && (flags & FI_COMPLETION) == 0 ? TFI_IF_FAILED : TFI_ALWAYS;
}
int tfi_cntr_bind(tfi_ep_t *ep, tfi_cntr_t *cntr, uint64_t flags);
/* Takes an endpoint that is closed from its counters. */
void tfi_cntr_leave(tfi_ep_t *ep);

/* refusals.c: what is not offered; of the calls of connections fi_getname alone is */
extern struct fi_ops_cm tfi_cm_ops;
extern struct fi_ops_rma tfi_no_rma_ops;
extern struct fi_ops_atomic tfi_no_atomic_ops;
extern struct fi_ops_collective tfi_no_collective_ops;
extern struct fi_ops_mr tfi_no_mr_ops;
int tfi_getname(fid_t fid, void *address, size_t *length);

/* held.c: messages that wait here */
/* Reads how many may; false, and it was said, when that is no number. */
bool tfi_held_open(tfi_domain_t *domain);
/* Counts a message of so many bytes of memory; false: there are too many here.  The first one is
 * taken, however long it is. */
bool tfi_held_add(tfi_ep_t *ep, tfi_message_t *message, size_t bytes);
void tfi_held_end(tfi_ep_t *ep, const tfi_message_t *message);
void tfi_held_tell(tfi_ep_t *ep);

/* names.c: addresses of sockets */
/* Sender's name in a frame to a peer: the address by which the peer reaches this endpoint. */
void tfi_name_for(const tfi_ep_t *ep, peer_t *peer, uint8_t name[static WIRE_NAME]);

#include "messages.h"

#endif
