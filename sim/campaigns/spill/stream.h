/* SPDX-License-Identifier: Apache-2.0 */
/* One endpoint's operations at steady depth: what is asked, and whether it is answered right. */
#ifndef TMU_SPILL_STREAM_H
#define TMU_SPILL_STREAM_H

#include "lot.h"
#include "tmu/tmu.h"

/* Which entry a take is meant for. */
typedef enum position {
    POSITION_OLDEST,
    POSITION_YOUNGEST, /* of those that were there before the step */
    POSITION_RANDOM,
    POSITION_FIFO, /* the oldest: a name for long runs */
} position_t;

/* Clocks of operations, as completions say them: they saturate. */
typedef struct latencies {
    uint16_t *host;
    uint16_t *unit;
    size_t count;
    size_t room;
} latencies_t;

/* Answer that an operation in flight must get. */
typedef struct expected {
    bool pending;
    bool takes;
    uint64_t handle;
    uint64_t other; /* of a take: the entry that the law gives it */
} expected_t;

/*
 * A queue of entries whose keys all differ, filled by appends, then worked on in steps: an entry
 * is appended and one is taken.  Which one a take gets is known when it is submitted.
 */
typedef struct stream {
    tmu_queue_t *queue;
    uint32_t endpoint;
    bool unexpected;   /* the entries are messages, which posts take; else receives */
    bool takes_first;  /* in a step; so no more than `depth` entries are there at any time */
    uint32_t window;   /* operations in flight at most */
    uint64_t *entries; /* that stand there when all that is submitted is done, oldest first */
    size_t first;
    size_t count;
    size_t room;
    position_t position;
    lot_t lot;
    bool second; /* the step's second operation is next */
    expected_t *expected;
    size_t expected_room; /* a power of two */
    uint64_t submitted;   /* also the next operation's handle */
    uint32_t serial;      /* of handle 0 (R7), once something was answered */
    bool serial_known;
    uint64_t completed;
    uint64_t wrong; /* verdicts that are not the law's */
    bool measures;
    latencies_t takes;
    latencies_t appends;
} stream_t;

/* Opens the stream's queue, for up to `window` operations in flight; -1 on failure. */
int stream_open(stream_t *stream, tmu_t *device, uint32_t endpoint, uint32_t window);

/* Waits for nothing: all that was submitted must have been answered. */
tmu_result_t stream_close(stream_t *stream);

/* Forgets all entries, as after a reset of the device. */
void stream_forget(stream_t *stream, bool unexpected, bool takes_first);

/* Makes room for so many entries and latencies; false without memory. */
bool stream_reserve(stream_t *stream, size_t entries, size_t latencies);

/* Submits steps until `limit` operations were submitted, as far as window and driver let it. */
tmu_result_t stream_work(stream_t *stream, uint64_t limit);

/* Submits appends until `depth` entries stand there, as far as window and driver let it. */
tmu_result_t stream_fill(stream_t *stream, uint64_t depth);

/* Takes and judges what is answered. */
tmu_result_t stream_collect(stream_t *stream);

#endif
