/* SPDX-License-Identifier: Apache-2.0
 *
 * Types and functions that the source files of tmu-share share.
 *
 * One thread does everything.  While it waits for the unit, which is whenever `progress` of the
 * unit's driver is called, answers and doorbells of all sessions go on (share_unit.c); questions
 * and new sessions wait.
 * Nothing that is found in memory of a session is used without a check, and it is looked at once.
 * A failure of the unit is the end of tmu-share, and so of all sessions.
 */
#ifndef SHARE_H
#define SHARE_H

#include "share_protocol.h"
#include "tmu_internal.h"

#define SHARE_SESSIONS_MAX 256

/* Completions that a session has no room for yet; they grow with the need, to a bound (R13): what
 * sessions may be owed is limited (move.c), and what a flush removes was put in before. */
typedef struct share_backlog {
    tmu_record_t *records; /* a circular buffer */
    size_t room;           /* a power of 2, or 0 */
    size_t first;
    size_t count;
} share_backlog_t;

typedef struct share_session share_session_t;

typedef struct share_queue {
    struct share_queue *next;
    share_session_t *session;
    uint64_t name;
    tmu_queue_t *unit; /* its page, slots and ring, of which it uses no more */
    bool closing;      /* doorbells and answers are dropped */
    struct tmu_share_queue *memory;
    size_t bytes;
    /* Indices count for ever, modulo 2^32. */
    uint32_t taken;     /* bells */
    uint32_t in_flight; /* commands that have no last answer */
    uint32_t read;      /* completions of the unit's ring */
    uint32_t announced; /* of these, how many the unit knows of */
    uint32_t given;     /* completions in the session's ring */
    uint32_t freed;     /* of these, how many the session has read */
    share_backlog_t backlog;
    uint32_t owed; /* last answers in the backlog */
} share_queue_t;

struct share_session {
    share_session_t *next;
    int socket;
    long process; /* for messages; 0 if not known */
    struct tmu_share_session *memory;
    const char *wrong; /* why it is to end, or NULL */
    share_queue_t *queues;
    uint32_t owed; /* last answers in the backlogs of its queues */
};

typedef struct share_endpoint {
    const share_session_t *session; /* NULL = nobody's */
    tmu_depth_t reserve;
    uint32_t serial; /* that its next verdict has, when it is empty */
    uint32_t first;  /* the same, when the session took it or emptied it */
    bool withheld;   /* could not be emptied: nobody gets it any more */
} share_endpoint_t;

typedef struct share {
    tmu_t *device;
    const tmu_backend_ops_t *ops; /* the device's own, below those of share_unit.c */
    void *backend;
    tmu_queue_t *privileged;
    uint32_t read; /* completions of its ring */
    share_session_t *sessions;
    uint32_t session_count;
    share_endpoint_t *endpoints;
    tmu_depth_t reserved; /* over all endpoints */
    uint64_t queue_name;  /* the last one that was given */
    uint64_t moved;       /* bells and completions so far */
    uint32_t linger;      /* clocks that the unit is still to run although nothing is in flight */
    uint32_t turn;        /* whose doorbells go first */
    bool asked;           /* for a snapshot of the counters, in this turn */
    const char *path;
    int listener;
    int signals;
} share_t;

/* Nanoseconds of a clock that never goes back. */
int64_t share_now_ns(void);

/* unit.c: the unit, and its privileged page. */

/* Takes the device over, with its privileged page, and registers memory. */
tmu_result_t share_unit_open(share_t *share, const char *uri, uint32_t segments);
void share_unit_close(share_t *share);

/* Removes all entries of an endpoint, whose queues are closed; `*serial_p` is the serial number of
 * its next verdict, `*empty_p` whether the unit could do it. */
tmu_result_t share_unit_flush(share_t *share, uint32_t endpoint, uint32_t *serial_p, bool *empty_p);

/* move.c: doorbells from sessions to the unit, and answers back. */

/* Moves what there is to move; a session that breaks a rule is marked. */
tmu_result_t share_move(share_t *share);

/* Rings all bells of a queue that were there when it was called, or marks the session. */
tmu_result_t share_move_bells_all(share_t *share, share_queue_t *queue);

/* Whether a bell waits that was not taken. */
bool share_bell_waits(const share_queue_t *queue);

/* Takes the next completion of one of the unit's rings; false if there is none. */
bool share_take(const tmu_queue_t *unit, uint32_t *read_p, tmu_record_t *record_p);

/* backlog.c */
bool share_backlog_put(share_backlog_t *backlog, const tmu_record_t *record);
bool share_backlog_take(share_backlog_t *backlog, tmu_record_t *record_p);
void share_backlog_free(share_backlog_t *backlog);

/* endpoint.c: errors are an errno, which the session is answered; a failure of the unit is the
 * `result`. */
tmu_result_t share_endpoint_take(share_t *share, const share_session_t *session,
                                 struct tmu_ioctl_take *take, int *error_p);
tmu_result_t share_endpoint_give(share_t *share, uint32_t number);
tmu_result_t share_endpoint_empty(share_t *share, uint32_t number);
share_endpoint_t *share_endpoint_find(share_t *share, const share_session_t *session,
                                      uint32_t number);

/* queue.c */
tmu_result_t share_queue_open(share_t *share, share_session_t *session, struct tmu_ioctl_open *open,
                              int *file_p, int *error_p);
share_queue_t *share_queue_find(const share_session_t *session, uint64_t name);
/* Closes a queue when its last doorbells have arrived, so that they find no other owner. */
tmu_result_t share_queue_close(share_t *share, share_queue_t *queue);

/* Stops a queue, or lets it begin anew with an empty ring. */
tmu_result_t share_queue_enable(share_queue_t *queue, bool enable);

/* calls.c */

/* Answers one message of a session. */
tmu_result_t share_answer(share_t *share, share_session_t *session, const void *bytes,
                          size_t length);

/* session.c */
tmu_result_t share_session_accept(share_t *share);

/* Receives a message and answers it, or marks the session as ended. */
tmu_result_t share_session_hear(share_t *share, share_session_t *session);

/* Takes back all that a session has: first its queues, so that nothing comes, then what they have
 * left behind in the unit. */
tmu_result_t share_session_end(share_t *share, share_session_t *session);

/* serve.c */

/* Listens at a socket that was not there before; a sentence if that cannot be. */
tmu_result_t share_listen(share_t *share);

/* Serves until a signal comes or the unit fails. */
tmu_result_t share_serve(share_t *share);

#endif
