/* SPDX-License-Identifier: Apache-2.0 */
/* Operations under way at an endpoint: frames, sends, receives, messages and payloads. */
#ifndef TMU_PROVIDER_OPERATIONS_H
#define TMU_PROVIDER_OPERATIONS_H

#include "card_memory.h"
#include "peers.h"
#include "records.h"

#include <sys/uio.h>

#define TFI_IOV 4u /* pieces of a buffer at most */

/* Target of an inner operation's context. */
typedef enum { TFI_FRAME_IN, TFI_OUT, TFI_PULL } tfi_work_kind_t;
typedef struct {
    tfi_work_kind_t kind;
} tfi_work_t;

/* A buffer for one frame from a peer. */
typedef struct tfi_in {
    tfi_work_t work;
    struct tfi_in *next; /* that waits with a frame as well */
    size_t size;         /* of the frame */
    bool posted;
    uint8_t *bytes; /* room for the longest frame */
} tfi_in_t;

/* Whether the completion queue shows an operation.  An injected message is never shown: it has no
 * context, and there are programs that look into that of each entry. */
typedef enum { TFI_ALWAYS, TFI_IF_FAILED, TFI_NEVER } tfi_shown_t;

/* A send of the user. */
typedef struct {
    void *context;
    tfi_shown_t shown;
    bool untagged;
    peer_t *to;      /* held */
    uint64_t handle; /* rendezvous: by which the receiver asks for the payload */
    size_t length;
    struct iovec iov[TFI_IOV];
    size_t iov_count;
} tfi_send_t;

/* By index of the address vector; zeroed, there are none (load.c). */
typedef struct {
    struct tfi_load *load;
    size_t room;
} tfi_loads_t;

/* Something that leaves by the inner endpoint: a frame, or a payload that was asked for. */
typedef struct tfi_out {
    tfi_work_t work;
    struct tfi_out *next; /* behind it in its lane; or both of those that the inner endpoint has */
    struct tfi_out *before;
    tfi_send_t *send;   /* ends with this, or NULL */
    uint64_t announces; /* a send that cannot end if this does not arrive, or SLOTS_NONE */
    uint64_t asks_for;  /* a pull, likewise */
    peer_t *to;         /* held */
    size_t load;        /* bytes that it is counted with, or TFI_UNCOUNTED */
    uint64_t tag;
    bool tagged;     /* on a card: a message of the user's, to where the peer's receives wait */
    uint64_t header; /* its header data */
    struct iovec iov[TFI_IOV];
    size_t iov_count;
    uint8_t bytes[]; /* of a frame */
} tfi_out_t;

/* Frames that wait to leave for one peer, oldest first; no peer's frames wait for another's. */
typedef struct {
    tfi_out_t *first;
    tfi_out_t *last;
    uint32_t next; /* waiting lanes: the next of them, or TFI_NO_LANE */
    bool waits;    /* it is one of them */
    /* gone.c: the peer, held, while something is wanted from it */
    peer_t *watched;
    bool wanted;  /* since the last look at all of them */
    bool gone;    /* nobody listens at its port; the next send that is not taken ends with that */
    bool refused; /* likewise, and the probe said so at once */
    int probe;    /* a socket and 1, or 0 */
    uint32_t gap; /* milliseconds between looks, doubled each time */
    uint64_t look_at;
} tfi_lane_t;

#define TFI_NO_LANE UINT32_MAX

/* A receive, probe or claim of the user. */
typedef struct tfi_ask {
    record_t record; /* first, so that the matcher's record is this */
    bool untagged;   /* not for the matcher: untagged.c */
    peer_t *from;    /* held; NULL = from any source */
    void *context;
    uint64_t flags; /* that it was called with */
    tfi_shown_t shown;
    struct iovec iov[TFI_IOV];
    size_t iov_count;
    bool matched;          /* its payload is on the way */
    struct tfi_ask *whole; /* the buffer for many messages that this is a piece of, or NULL */
    bool many;             /* it is such a buffer: */
    bool released;         /* no further message gets into it */
    size_t used;           /* bytes from its beginning */
    size_t pieces;         /* that have not ended */
    card_bytes_t buffer;   /* on a card: where its message comes to, or its announcement */
    struct tfi_ask *older; /* asks.c: in the same chain */
    struct tfi_ask *younger;
} tfi_ask_t;

/* Receives whose contexts have the same hash, in the order in which they were posted. */
typedef struct {
    tfi_ask_t *oldest;
    tfi_ask_t *youngest;
} tfi_chain_t;

/* Receives that are not reported yet; a zeroed one has none. */
typedef struct {
    tfi_chain_t first;  /* of all, while `room` is 0 */
    tfi_chain_t *chain; /* by the hash of the context */
    size_t room;        /* a power of two */
    size_t count;
} tfi_asks_t;

/* A message that arrived. */
typedef struct {
    record_t record; /* first, as above */
    bool untagged;
    uint64_t data;
    bool has_data;
    bool ready; /* its payload waits at the sender, under `sender` */
    uint64_t sender;
    size_t held;            /* bytes that it is counted with while it is here */
    const void *claimer;    /* the context that it was claimed with */
    peer_t *from;           /* held */
    const uint8_t *payload; /* in `copy`, or in the buffer that it came in */
    uint8_t *frame;         /* that buffer, or NULL */
    uint8_t copy[];
} tfi_message_t;

/* A payload on its way into a receive's buffer; `ask` NULL = it is only to be let go. */
typedef struct tfi_pull {
    tfi_work_t work;
    struct tfi_pull *next; /* waiting to be asked for */
    tfi_ask_t *ask;
    tfi_message_t *message;
    uint64_t handle;
    bool listening; /* the buffer is posted */
    int failed;     /* why it was given up, or 0 */
} tfi_pull_t;

/* Untagged receives and messages, each oldest first; a zeroed one has none. */
typedef struct {
    record_list_t posted;
    record_list_t messages; /* that no receive was there for */
    bool waits;             /* memory was short for a piece of a buffer */
    size_t least;           /* bytes that a buffer for many messages is released below */
} tfi_untagged_t;

#endif
