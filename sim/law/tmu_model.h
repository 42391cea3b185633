/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference model: the law of matching (R1 to R15) on plain linked lists.
 *
 * Every engine of the project is judged by what this model answers, so it shares no code, header
 * or number with the hardware or the driver; whoever compares translates.
 *
 * One model holds the two queues of every endpoint.  Each call below is one atomic step of the law
 * (R5, R6) and fills one verdict.  A call that is not carried out (a missing argument, no memory)
 * changes nothing, counts nothing and takes no serial number.
 * A model may be used by one thread at a time.
 */
#ifndef TMU_MODEL_H
#define TMU_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tmu_model tmu_model_t;

typedef enum {
    TMU_MODEL_OK = 0,               /* create, set_quota, set_reserve, inspect: done */
    TMU_MODEL_MATCHED = 1,          /* post, arrive, claim: `other` was consumed */
    TMU_MODEL_QUEUED = 2,           /* post, arrive: appended to its queue */
    TMU_MODEL_FOUND = 3,            /* probe: `other` is there and stays (R8) */
    TMU_MODEL_NONE = 4,             /* probe, claim: no such message; inspect: beyond the end */
    TMU_MODEL_CANCELLED = 5,        /* cancel: `other` was removed (R10) */
    TMU_MODEL_LATE = 6,             /* cancel: no such receive is queued at that endpoint (R10) */
    TMU_MODEL_FLUSHED = 7,          /* flush: done, every removed entry was reported (R14) */
    TMU_MODEL_REFUSED_QUOTA = 8,    /* post: no room, nothing changed (R11) */
    TMU_MODEL_REFUSED_ENDPOINT = 9, /* any operation: no such endpoint, nothing changed (R13) */
    TMU_MODEL_STALLED = 10,         /* arrive: no room, nothing changed; hold it back (R11) */
    TMU_MODEL_HELD = 11,            /* only from a trace's replay: never admitted (R11) */
    TMU_MODEL_NO_MEMORY = 12,       /* the host has no memory left, nothing changed */
    TMU_MODEL_BAD_ARGUMENT = 13     /* a required pointer is NULL or a number is impossible */
} tmu_model_status_t;

typedef enum { TMU_MODEL_POSTED = 0, TMU_MODEL_UNEXPECTED = 1 } tmu_model_queue_t;

/* A receive with this id cannot be cancelled by id; cancelling this id is always late. */
#define TMU_MODEL_NO_RECEIVE_ID UINT32_MAX

typedef struct {
    uint32_t endpoints;           /* at least 1; endpoint numbers are 0 to endpoints-1 */
    uint64_t posted_capacity;     /* receives queued over all endpoints; 0 = no limit */
    uint64_t unexpected_capacity; /* messages queued over all endpoints; 0 = no limit */
    uint64_t quota_posted;        /* receives queued per endpoint; 0 = no limit */
    uint64_t quota_unexpected;    /* messages queued per endpoint; 0 = no limit */
} tmu_model_config_t;

/* Key of a receive, probe, claim or flush; a mask bit of 1 = that bit is not compared (R2). */
typedef struct {
    uint64_t match;
    uint64_t ignore;
    uint32_t source;
    uint32_t source_ignore;
} tmu_model_key_t;

/* Copies a key, or its values alone, between structures with members of these names. */
#define TMU_MODEL_COPY_VALUES(to, from)                                                            \
    ((void)((to).match = (from).match), (void)((to).source = (from).source))
#define TMU_MODEL_COPY_KEY(to, from)                                                               \
    (TMU_MODEL_COPY_VALUES(to, from), (void)((to).ignore = (from).ignore),                         \
     (void)((to).source_ignore = (from).source_ignore))

/* Selects everything (R14). */
#define TMU_MODEL_EVERYTHING ((tmu_model_key_t){.ignore = UINT64_MAX, .source_ignore = UINT32_MAX})

typedef struct {
    tmu_model_key_t key;
    uint32_t endpoint;
    uint32_t receive_id; /* the driver's, unique among the endpoint's queued receives */
    uint64_t handle;     /* the caller's, returned unchanged (R15) */
    uint64_t address;
    uint64_t length;
} tmu_model_receive_t;

typedef struct {
    uint64_t match;
    uint32_t source;
    uint32_t endpoint;
    uint64_t handle; /* the caller's, returned unchanged (R15) */
    uint64_t place;
    uint64_t length;
} tmu_model_message_t;

/* A probe, claim or flush: `handle` names the operation. */
typedef struct {
    tmu_model_key_t key;
    uint32_t endpoint;
    uint64_t handle;
} tmu_model_search_t;

/* One queued entry.  A message has no masks (0) and no receive id (TMU_MODEL_NO_RECEIVE_ID). */
typedef struct {
    tmu_model_key_t key;
    uint32_t endpoint;
    uint32_t receive_id;
    uint64_t handle;
    uint64_t address; /* a receive's buffer, where a message waits */
    uint64_t length;
    tmu_model_queue_t queue;
} tmu_model_entry_t;

/* Fields that a status does not name are 0. */
typedef struct {
    tmu_model_status_t status;
    uint32_t endpoint;           /* the operation's */
    uint32_t serial;             /* 0, 1, 2, ... per endpoint; see below */
    uint32_t source;             /* matched, found: the message's; cancelled: the receive's */
    uint64_t handle;             /* the operation's */
    uint64_t other;              /* matched, found, cancelled: the other entry's handle (R15) */
    uint64_t match;              /* matched, found: the message's; cancelled: the receive's */
    uint64_t message_length;     /* matched, found */
    uint64_t receive_length;     /* post or arrive matched; cancelled */
    uint64_t address;            /* arrive matched, cancelled: the receive's buffer;
                                    post or claim matched, found: where the message waits */
    uint64_t visited;            /* entries searched, the hit included */
    uint64_t removed_posted;     /* flushed */
    uint64_t removed_unexpected; /* flushed */
    bool truncated;              /* post or arrive matched, message longer than receive (R12) */
} tmu_model_verdict_t;
/*
 * Serial numbers: every verdict of an endpoint takes that endpoint's next number, a stalled arrival
 * and a refused post included.  A refused endpoint has none (0), an inspection takes none.
 */

/* Answers given, by operation and by status; maxima since creation. */
typedef struct {
    uint64_t posts;
    uint64_t arrivals; /* every attempt counts, stalled ones included */
    uint64_t probes;
    uint64_t claims;
    uint64_t cancels;
    uint64_t flushes;
    uint64_t matched;
    uint64_t queued;
    uint64_t found;
    uint64_t none;
    uint64_t cancelled;
    uint64_t late;
    uint64_t truncated;
    uint64_t removed; /* entries that flushes removed */
    uint64_t refused_quota;
    uint64_t refused_endpoint;
    uint64_t stalled;
    uint64_t visited;                 /* entries searched by all operations */
    uint64_t posted_depth;            /* now, all endpoints together */
    uint64_t unexpected_depth;        /* now, all endpoints together */
    uint64_t posted_max;              /* most at once, all endpoints together */
    uint64_t unexpected_max;          /* most at once, all endpoints together */
    uint64_t endpoint_posted_max;     /* most at once in one endpoint */
    uint64_t endpoint_unexpected_max; /* most at once in one endpoint */
} tmu_model_stats_t;

/* Called once for each entry that a flush removes; must not call into the model. */
typedef void (*tmu_model_report_t)(void *context, const tmu_model_entry_t *entry);

/* Sets *model_p on TMU_MODEL_OK only; otherwise NO_MEMORY or BAD_ARGUMENT (no endpoints, NULL). */
tmu_model_status_t tmu_model_create(const tmu_model_config_t *config, tmu_model_t **model_p);

/* Frees the model and all entries; NULL is allowed. */
void tmu_model_destroy(tmu_model_t *model);

/* Empties all queues without reports (R14); quotas, reserves, serial numbers and
 * statistics go on. */
void tmu_model_reset(tmu_model_t *model);

/* Replaces one endpoint's quotas (0 = no limit); entries already queued stay. */
tmu_model_status_t tmu_model_set_quota(tmu_model_t *model, uint32_t endpoint, uint64_t posted,
                                       uint64_t unexpected);

/*
 * Replaces one endpoint's reserves (0 at first): slots of the limits over all endpoints that are
 * kept for it while it has fewer entries; entries already queued stay (R11, R13).
 */
tmu_model_status_t tmu_model_set_reserve(tmu_model_t *model, uint32_t endpoint, uint64_t posted,
                                         uint64_t unexpected);

/* Replaces the limits over all endpoints (0 = no limit); entries already queued stay. */
void tmu_model_set_capacity(tmu_model_t *model, uint64_t posted, uint64_t unexpected);

/*
 * Registers memory of so many chunks (0 = none), in which both queues go on beyond the limits over
 * all endpoints.  Memory of C chunks with the entries of Q queues in it takes every entry as long
 * as it has fewer than TMU_MODEL_CHUNK_ENTRIES * (C - Q).  From there on an implementation may say
 * that it is full, by how its entries lie in chunks, and says so at the latest where every chunk
 * is; the model never does by itself.
 */
#define TMU_MODEL_CHUNK_ENTRIES 30
void tmu_model_add_chunks(tmu_model_t *model, uint64_t chunks);

/* Whether an implementation may say so to an entry of the endpoint's queue: only if the table has
 * no room for it either. */
bool tmu_model_may_be_full(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue);

/* Until it is set again: there is no room for another receive, or message, anywhere. */
void tmu_model_set_full(tmu_model_t *model, bool posted, bool unexpected);

/*
 * The operations.  Each returns verdict_p->status; *verdict_p is filled for every return but
 * BAD_ARGUMENT.
 */

/* MATCHED, QUEUED, REFUSED_QUOTA, REFUSED_ENDPOINT, NO_MEMORY. */
tmu_model_status_t tmu_model_post(tmu_model_t *model, const tmu_model_receive_t *receive,
                                  tmu_model_verdict_t *verdict_p);

/* MATCHED, QUEUED, STALLED, REFUSED_ENDPOINT, NO_MEMORY. */
tmu_model_status_t tmu_model_arrive(tmu_model_t *model, const tmu_model_message_t *message,
                                    tmu_model_verdict_t *verdict_p);

/* FOUND, NONE, REFUSED_ENDPOINT. */
tmu_model_status_t tmu_model_probe(tmu_model_t *model, const tmu_model_search_t *search,
                                   tmu_model_verdict_t *verdict_p);

/* MATCHED, NONE, REFUSED_ENDPOINT. */
tmu_model_status_t tmu_model_claim(tmu_model_t *model, const tmu_model_search_t *search,
                                   tmu_model_verdict_t *verdict_p);

/* Cancels the oldest queued receive with the caller's handle `target`.
 * CANCELLED, LATE, REFUSED_ENDPOINT. */
tmu_model_status_t tmu_model_cancel(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                    uint64_t target, tmu_model_verdict_t *verdict_p);

/* Cancels the oldest queued receive with the driver's id `receive_id`.
 * CANCELLED, LATE, REFUSED_ENDPOINT. */
tmu_model_status_t tmu_model_cancel_id(tmu_model_t *model, uint32_t endpoint, uint64_t handle,
                                       uint32_t receive_id, tmu_model_verdict_t *verdict_p);

/*
 * Removes the endpoint's entries that `select` selects: those equal in every bit that neither the
 * selection nor the entry ignores.  All bits ignored = the whole endpoint; all but the context
 * ignored = one context.  Reports receives oldest first, then messages oldest first; `report` may
 * be NULL.  FLUSHED, REFUSED_ENDPOINT.
 */
tmu_model_status_t tmu_model_flush(tmu_model_t *model, const tmu_model_search_t *select,
                                   tmu_model_report_t report, void *context,
                                   tmu_model_verdict_t *verdict_p);

/*
 * Copies the entry at `position` (oldest = 0) of one queue of one endpoint; changes nothing.
 * OK, NONE (beyond the end), REFUSED_ENDPOINT, BAD_ARGUMENT.
 */
tmu_model_status_t tmu_model_inspect(const tmu_model_t *model, uint32_t endpoint,
                                     tmu_model_queue_t queue, uint64_t position,
                                     tmu_model_entry_t *entry_p);

/* Entries queued now, and at most so far; 0 for an endpoint that does not exist. */
uint64_t tmu_model_depth(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue);
uint64_t tmu_model_depth_max(const tmu_model_t *model, uint32_t endpoint, tmu_model_queue_t queue);

/* Copies the statistics. */
void tmu_model_stats(const tmu_model_t *model, tmu_model_stats_t *stats_p);

/* A status in a word or two, for messages: "matched", "refused quota". */
const char *tmu_model_status_text(tmu_model_status_t status);

#ifdef __cplusplus
}
#endif

#endif
