/* SPDX-License-Identifier: Apache-2.0
 *
 * Upper bounds of what the unit may contain (R11), shared by all queues without a lock.
 *
 * Additions count when they are submitted, removals when they are answered, so a bound is never
 * below what the unit has.
 * An arrival takes its slot in the bounds before it is sent:
 * - A *sure* one found every bound below its limit.  It cannot stall, so commands may follow it.
 * - Any other is sent alone on its queue, since it may stall, and only while no sure one is in
 *   flight under the limit that it is beyond: it could take the slot that was promised to that.
 *
 * With memory registered with the unit a table is no limit, but memory is one, and receives take
 * from it as messages do.  There surely is room
 * - for all that fits on chip, as long as no entry can have gone to memory since the reset;
 * - and for as many operations that may append, from a reading of the unit's free chunks on, as
 * fill these: a queue takes a chunk when its youngest is full, and not before. So receives count
 * under the limit of the table as well, and a post that goes beyond it waits for the sure arrivals
 * as an unsure arrival does; it need not be alone, for a refusal changes nothing. Being beyond that
 * limit is no proof of being full: reading again may find room.
 *
 * With reserves of endpoints, only slots that no reserve can claim are sure room on chip: with no
 * more entries than those, more slots are vacant than promised.  Beyond that an endpoint may
 * have room all the same, within its reserve or because others use theirs, and only the unit knows.
 * So a held arrival is worth another attempt whenever an entry has left since its last one.
 *
 * In a session others fill the tables as well, and memory.  All that is sure is that an endpoint's
 * reserve is its own: no more entries than the least reserve find slots there, whichever endpoint
 * they are at, unless some of an endpoint's are in memory; then younger ones go there, too, until
 * nothing is left.  Beyond that only the unit knows, and room may come without a sign.
 *
 * Any function may be called by several threads at once, but init, free, clear, share,
 * quota and reserve.
 */
#ifndef TMU_BOUNDS_H
#define TMU_BOUNDS_H

#include <stdatomic.h>

#include "tmu/tmu.h"

#define TMU_CACHE_LINE 64

/* Counts of messages, receives and sure arrivals in flight, and whether somebody waits for these.
 */
typedef _Atomic uint64_t tmu_bound_t;

typedef struct tmu_bounds_endpoint {
    _Alignas(TMU_CACHE_LINE) tmu_bound_t unexpected;
    _Atomic uint32_t posted;
    _Atomic uint32_t held;     /* arrivals held back, on all queues */
    _Atomic uint64_t receives; /* ever queued */
    _Atomic uint64_t stalled; /* `left` before the last attempt that stalled, and 1; 0 = none did */
    /* These change while no queue is in a call. */
    tmu_depth_t quota;   /* 0 = none */
    tmu_depth_t reserve; /* slots on chip */
} tmu_bounds_endpoint_t;

typedef struct tmu_bounds {
    tmu_bounds_endpoint_t *endpoints;
    uint32_t endpoint_count;
    /* These change while no queue is in a call. */
    tmu_depth_t tables;   /* slots on chip */
    tmu_depth_t reserved; /* of these, over all endpoints */
    uint32_t unseen;      /* operations that a reading of free chunks may not have seen, at most */
    bool spills;          /* memory is registered: receives are counted */
    uint32_t entries;     /* of a ring, that a command needs: a card's may be two (W5) */
    uint32_t messages;    /* of a card's network, which come uncounted; 0: hosts bring them */
    bool shared;          /* a session's: others use the rest of the tables, and memory */
    /* Entries that find slots which no reserve can claim; these are read outside of queues, too.
     */
    _Atomic uint32_t fit_posted;
    _Atomic uint32_t fit_unexpected;

    _Alignas(TMU_CACHE_LINE) tmu_bound_t table; /* over all endpoints */
    _Atomic int64_t room;  /* appends that memory has room for; counts on below none */
    _Atomic int64_t again; /* the reading is worth repeating when no more than that is left */

    /* Touched only while arrivals are held back. */
    _Alignas(TMU_CACHE_LINE) _Atomic uint64_t epoch; /* changes that may admit a held arrival */
    _Atomic uint64_t held_now;
    _Atomic uint64_t held_max;
    _Atomic uint64_t stalls;
    _Atomic uint64_t resumes;
    _Atomic uint64_t left; /* times that room may have come of which the limits know nothing */
} tmu_bounds_t;

tmu_result_t tmu_bounds_init(tmu_bounds_t *bounds, const tmu_info_t *info);
void tmu_bounds_free(tmu_bounds_t *bounds);

/* Memory is registered from here on; all that the unit may contain stays counted. */
void tmu_bounds_add_memory(tmu_bounds_t *bounds);

/* Messages come from a card's network from here on, so many at once, and are not counted. */
void tmu_bounds_network(tmu_bounds_t *bounds, uint32_t messages);

/* From the start it is a session's: so many entries surely have slots on chip; `spills` says
 * whether the unit has memory. */
void tmu_bounds_share(tmu_bounds_t *bounds, tmu_depth_t sure, bool spills);

/* Whether one more entry may go to memory, which is not known to have room: time to read the
 * unit's free chunks. */
bool tmu_bounds_is_short(const tmu_bounds_t *bounds);

/* So many chunks were free; `before` is what tmu_bounds_room was before they were read.  One
 * reading at a time. */
void tmu_bounds_measured(tmu_bounds_t *bounds, uint32_t free_chunks, int64_t before);
int64_t tmu_bounds_room(const tmu_bounds_t *bounds);

/* Replaces an endpoint's reserve; the sum over all endpoints is within the tables. */
void tmu_bounds_reserve(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, tmu_depth_t reserve);

/* Nothing is in the unit and nothing held; quotas and reserves stay. */
void tmu_bounds_clear(tmu_bounds_t *bounds);

/* NULL for an endpoint that the unit does not have and will refuse. */
tmu_bounds_endpoint_t *tmu_bounds_endpoint(const tmu_bounds_t *bounds, uint32_t endpoint);

/* Whether an arrival at the endpoint could find its quota or the table used up. */
bool tmu_bounds_could_stall(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint);

/* Whether nothing but the table's limit is against an arrival there, and that may be wrong: there
 * may be memory, or a slot on chip that reserves allow. */
bool tmu_bounds_may_fit(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint);

/* An attempt there found no room; `left` was the count of the bounds before it was sent. */
void tmu_bounds_stalled(tmu_bounds_endpoint_t *endpoint, uint64_t left);

/* Whether something may have made room there since: if not, any other attempt would stall, too. */
bool tmu_bounds_has_news(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint);

/* Room may have come without a completion that tells: held arrivals that may fit are worth another
 * attempt. */
void tmu_bounds_room_came(tmu_bounds_t *bounds);

/* Outcome of an arrival's attempt to take a slot; only the first two took one. */
typedef enum tmu_reservation {
    TMU_RESERVATION_SURE,   /* it cannot stall */
    TMU_RESERVATION_UNSURE, /* to be sent alone */
    TMU_RESERVATION_DRAIN,  /* it has to be alone, and its queue is not empty */
    TMU_RESERVATION_WAIT,   /* sure arrivals of other queues have to be answered first */
} tmu_reservation_t;

/*
 * Takes a slot for an arrival.  `alone`: it will be alone anyway; `empty`: its queue has
 * nothing in flight.  `seen` is as for tmu_bounds_wake.
 */
tmu_reservation_t tmu_bounds_take(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, bool alone,
                                  bool empty, uint64_t *seen);

/*
 * An arrival was answered, or was not sent after all: it is not in flight any more, and with
 * `left` it is not in the unit either.  False when that cannot be.
 */
bool tmu_bounds_arrived(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, bool sure, bool left,
                        uint64_t *seen);

/* A message left the unit; false when there was none. */
bool tmu_bounds_message_left(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, uint64_t *seen);

/* Takes a slot for a receive; false when sure arrivals have to be answered first. */
bool tmu_bounds_take_receive(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint);

/* A receive was never queued; false when none was on its way. */
bool tmu_bounds_receive_undone(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                               uint64_t *seen);

/* A receive left the unit; false when there was none. */
bool tmu_bounds_receive_left(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, uint64_t *seen);

/* A receive was queued, which may be the one that a held arrival matches. */
void tmu_bounds_receive_queued(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                               uint64_t *seen);

/* Counts an arrival that is held back from now on. */
void tmu_bounds_hold(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint);

/* Counts one that is held no longer. */
void tmu_bounds_unhold(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint);

/* Entries that the endpoint has at most. */
uint32_t tmu_bounds_entries(const tmu_bounds_endpoint_t *endpoint);

#endif
