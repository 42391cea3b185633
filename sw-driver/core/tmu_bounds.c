/* SPDX-License-Identifier: Apache-2.0
 *
 * Why no wake-up is lost: who holds an arrival back counts it first and looks at the bounds again
 * afterwards; who changes a bound does that first and looks for held arrivals afterwards.  All of
 * these are sequentially consistent, so at least one of the two sees the other.
 */
#include "tmu_bounds.h"

#include <stdlib.h>
#include <string.h>

#include "tmu_network.h"

/* Fields of a tmu_bound_t: enough for 128 segments and all commands in flight. */
#define COUNT UINT64_C(0x3fffff)
#define ONE UINT64_C(1)
#define RECEIVE_SHIFT 22
#define ONE_RECEIVE (UINT64_C(1) << RECEIVE_SHIFT)
#define SURE_SHIFT 44
#define ONE_SURE (UINT64_C(1) << SURE_SHIFT)
#define SPILLED (UINT64_C(1) << 62)    /* entries may have gone to memory since the reset */
#define WAITED_FOR (UINT64_C(1) << 63) /* no more sure ones until those in flight are answered */

/* A register takes long to read: not for each operation while memory is nearly used up. */
#define APPENDS_BETWEEN_READINGS 64

static uint32_t messages(uint64_t bound) { return (uint32_t)(bound & COUNT); }

static uint32_t receives(uint64_t bound) { return (uint32_t)(bound >> RECEIVE_SHIFT & COUNT); }

static bool any_sure(uint64_t bound) {
    return (bound & ~(WAITED_FOR | SPILLED)) >> SURE_SHIFT != 0;
}

tmu_result_t tmu_bounds_init(tmu_bounds_t *bounds, const tmu_info_t *info) {
    size_t bytes = info->endpoints * sizeof *bounds->endpoints;
    bounds->endpoints = aligned_alloc(TMU_CACHE_LINE, bytes);
    if (!bounds->endpoints) {
        return TMU_ERR_MEMORY;
    }
    memset(bounds->endpoints, 0, bytes);
    bounds->endpoint_count = info->endpoints;
    bounds->entries = tmu_network_is_card(info) ? 2 : 1;
    bounds->tables = (tmu_depth_t){info->posted_entries, info->unexpected_entries};
    atomic_store(&bounds->fit_posted, bounds->tables.posted);
    atomic_store(&bounds->fit_unexpected, bounds->tables.unexpected);
    /* Those in flight, and on each page one that is counted and not sent yet. */
    bounds->unseen = info->command_slots + info->queues + 1;
    return TMU_OK;
}

/* Whether so many find slots on chip that are promised to nobody (R11). */
static bool messages_fit(const tmu_bounds_t *bounds, uint64_t table) {
    return messages(table) <= atomic_load(&bounds->fit_unexpected);
}

static bool receives_fit(const tmu_bounds_t *bounds, uint64_t table) {
    return receives(table) <= atomic_load(&bounds->fit_posted);
}

/* Marks that entries may be in memory from now on, if a table may have no slot for one. */
static uint64_t marked(const tmu_bounds_t *bounds, uint64_t table) {
    bool beyond = !messages_fit(bounds, table) || !receives_fit(bounds, table);
    return bounds->spills && beyond ? table | SPILLED : table;
}

void tmu_bounds_add_memory(tmu_bounds_t *bounds) {
    uint64_t posted = 0;
    for (uint32_t i = 0; i < bounds->endpoint_count; i++) {
        posted += atomic_load(&bounds->endpoints[i].posted);
    }
    uint64_t rest = atomic_load(&bounds->table) & ~(COUNT << RECEIVE_SHIFT);
    bounds->spills = true;
    atomic_store(&bounds->room, 0);
    atomic_store(&bounds->again, 0);
    atomic_store(&bounds->table, marked(bounds, rest + posted * ONE_RECEIVE));
}

void tmu_bounds_network(tmu_bounds_t *bounds, uint32_t messages) { bounds->messages = messages; }

void tmu_bounds_share(tmu_bounds_t *bounds, tmu_depth_t sure, bool spills) {
    bounds->tables = sure;
    bounds->shared = true;
    bounds->spills = spills;
    atomic_store(&bounds->fit_posted, sure.posted);
    atomic_store(&bounds->fit_unexpected, sure.unexpected);
}

/* A session that has nothing in the unit has nothing in memory either. */
static uint64_t settled(const tmu_bounds_t *bounds, uint64_t table) {
    bool empty = messages(table) == 0 && receives(table) == 0;
    return bounds->shared && empty ? table & ~SPILLED : table;
}

int64_t tmu_bounds_room(const tmu_bounds_t *bounds) { return atomic_load(&bounds->room); }

void tmu_bounds_measured(tmu_bounds_t *bounds, uint32_t free_chunks, int64_t before) {
    /* At worst each queue of each endpoint begins a chunk, and one of them fills the others. */
    int64_t begun = 2 * (int64_t)bounds->endpoint_count;
    int64_t rest = (int64_t)free_chunks - begun;
    int64_t appends = rest > 0 ? begun + rest * TMU_SPILL_CHUNK_ENTRIES : (int64_t)free_chunks;
    appends -= bounds->unseen;
    atomic_fetch_add(&bounds->room, appends - before);
    atomic_store(&bounds->again, appends > 0 ? 0 : appends - APPENDS_BETWEEN_READINGS);
}

void tmu_bounds_reserve(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                        tmu_depth_t reserve) {
    bounds->reserved.posted += reserve.posted - endpoint->reserve.posted;
    bounds->reserved.unexpected += reserve.unexpected - endpoint->reserve.unexpected;
    endpoint->reserve = reserve;
    atomic_store(&bounds->fit_posted, bounds->tables.posted - bounds->reserved.posted);
    atomic_store(&bounds->fit_unexpected, bounds->tables.unexpected - bounds->reserved.unexpected);
}

void tmu_bounds_free(tmu_bounds_t *bounds) {
    free(bounds->endpoints);
    bounds->endpoints = NULL;
}

void tmu_bounds_clear(tmu_bounds_t *bounds) {
    for (uint32_t i = 0; i < bounds->endpoint_count; i++) {
        tmu_bounds_endpoint_t *endpoint = &bounds->endpoints[i];
        atomic_store(&endpoint->unexpected, 0);
        atomic_store(&endpoint->posted, 0);
        atomic_store(&endpoint->held, 0);
        atomic_store(&endpoint->stalled, 0);
    }
    atomic_store(&bounds->table, 0);
    atomic_store(&bounds->room, 0);
    atomic_store(&bounds->again, 0);
    atomic_store(&bounds->held_now, 0);
    atomic_store(&bounds->held_max, 0);
    atomic_store(&bounds->stalls, 0);
    atomic_store(&bounds->resumes, 0);
}

tmu_bounds_endpoint_t *tmu_bounds_endpoint(const tmu_bounds_t *bounds, uint32_t endpoint) {
    return endpoint < bounds->endpoint_count ? &bounds->endpoints[endpoint] : NULL;
}

static bool is_full(uint64_t bound, uint32_t limit) {
    return limit != 0 && messages(bound) >= limit;
}

/* Whether all that may be in the unit lies on chip, and has room there. */
static bool fits_on_chip(const tmu_bounds_t *bounds, uint64_t table) {
    return messages_fit(bounds, table) &&
           (!bounds->spills || (receives_fit(bounds, table) && (table & SPILLED) == 0));
}

/* Whether one more message may find no room. */
static bool is_table_full(const tmu_bounds_t *bounds, uint64_t table) {
    return !fits_on_chip(bounds, settled(bounds, table) + ONE) &&
           !(bounds->spills && atomic_load(&bounds->room) > 0);
}

/* Counts an operation that may append to memory; whether that surely has room. */
static bool take_memory(tmu_bounds_t *bounds) {
    return bounds->spills && atomic_fetch_sub(&bounds->room, 1) > 0;
}

bool tmu_bounds_is_short(const tmu_bounds_t *bounds) {
    if (!bounds->spills || bounds->shared ||
        atomic_load(&bounds->room) > atomic_load(&bounds->again)) {
        return false;
    }
    uint64_t table = atomic_load(&bounds->table);
    return !fits_on_chip(bounds, table + ONE) || !fits_on_chip(bounds, table + ONE_RECEIVE);
}

bool tmu_bounds_could_stall(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint) {
    return is_table_full(bounds, atomic_load(&bounds->table)) ||
           is_full(atomic_load(&endpoint->unexpected), endpoint->quota.unexpected);
}

/* Whether a table that is full by its limit may have room. */
static bool is_inexact(const tmu_bounds_t *bounds) {
    return bounds->spills || bounds->shared || bounds->reserved.unexpected > 0;
}

bool tmu_bounds_may_fit(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint) {
    return is_inexact(bounds) && is_table_full(bounds, atomic_load(&bounds->table)) &&
           !is_full(atomic_load(&endpoint->unexpected), endpoint->quota.unexpected);
}

/* Of attempts on several queues the one that knew of most counts. */
void tmu_bounds_stalled(tmu_bounds_endpoint_t *endpoint, uint64_t left) {
    uint64_t old = atomic_load(&endpoint->stalled);
    while (left + 1 > old && !atomic_compare_exchange_weak(&endpoint->stalled, &old, left + 1)) {
    }
}

bool tmu_bounds_has_news(const tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint) {
    return atomic_load(&bounds->left) + 1 != atomic_load(&endpoint->stalled);
}

void tmu_bounds_room_came(tmu_bounds_t *bounds) {
    atomic_fetch_add(&bounds->left, 1);
    atomic_fetch_add(&bounds->epoch, 1);
}

/* Tells the queues that hold arrivals back; a queue's own news, marked in `seen`, is none. */
static void tell(tmu_bounds_t *bounds, uint64_t *seen) {
    uint64_t old = atomic_fetch_add(&bounds->epoch, 1);
    if (*seen == old) {
        *seen = old + 1;
    }
}

/* A slot at the endpoint is free again; with `table` the table had none before. */
static void tell_of_room(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, bool table,
                         uint64_t *seen) {
    if (atomic_load(&endpoint->held) > 0 || (table && atomic_load(&bounds->held_now) > 0)) {
        tell(bounds, seen);
    }
}

/*
 * An entry leaves: there may be room of which the limits know nothing.
 * An arrival that stalled met a limit that was used up, and the first entry to leave after that is
 * taken off the bounds after it is counted here: so until then they say so, and none is missed.
 */
static void count_left(tmu_bounds_t *bounds, const tmu_bounds_endpoint_t *endpoint) {
    if (is_inexact(bounds) && tmu_bounds_could_stall(bounds, endpoint)) {
        atomic_fetch_add(&bounds->left, 1);
    }
}

/* Takes a slot under the quota of an endpoint, or under the limit of the table. */
static tmu_reservation_t take(tmu_bounds_t *bounds, tmu_bound_t *bound, uint32_t quota, bool alone,
                              bool empty) {
    uint64_t old = atomic_load(bound);
    bool counted = false;
    bool in_memory = false; /* surely has room there */
    for (;;) {
        bool full = is_full(old, quota);
        uint64_t base = bound == &bounds->table ? settled(bounds, old) : old;
        if (bound == &bounds->table && !fits_on_chip(bounds, base + ONE)) {
            in_memory = counted ? in_memory : take_memory(bounds);
            counted = true;
            full = !in_memory;
        }
        bool sure = !full && !alone;
        uint64_t new = base + ONE + (sure ? ONE_SURE : 0);
        new = bound == &bounds->table ? marked(bounds, new) : new;
        if (!sure && !empty) {
            return TMU_RESERVATION_DRAIN;
        }
        bool wait = any_sure(old) && (full || (sure && old & WAITED_FOR));
        if (wait) {
            new = old | WAITED_FOR;
        } else if (!any_sure(old)) {
            new &= ~WAITED_FOR;
        }
        if (atomic_compare_exchange_weak(bound, &old, new)) {
            return wait   ? TMU_RESERVATION_WAIT
                   : sure ? TMU_RESERVATION_SURE
                          : TMU_RESERVATION_UNSURE;
        }
    }
}

/* Returns what was taken under one limit; the bound before that. */
static uint64_t give(tmu_bound_t *bound, uint64_t amount) {
    uint64_t old = atomic_fetch_sub(bound, amount);
    if (old & WAITED_FOR && !any_sure(old - amount)) {
        atomic_fetch_and(bound, ~WAITED_FOR); /* should one wait by now again, it asks again */
    }
    return old;
}

tmu_reservation_t tmu_bounds_take(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, bool alone,
                                  bool empty, uint64_t *seen) {
    tmu_reservation_t at_endpoint =
        take(bounds, &endpoint->unexpected, endpoint->quota.unexpected, alone, empty);
    if (at_endpoint == TMU_RESERVATION_DRAIN || at_endpoint == TMU_RESERVATION_WAIT) {
        return at_endpoint;
    }
    alone = at_endpoint == TMU_RESERVATION_UNSURE;
    tmu_reservation_t in_table = take(bounds, &bounds->table, 0, alone, empty);
    if (in_table == TMU_RESERVATION_DRAIN || in_table == TMU_RESERVATION_WAIT) {
        (void)give(&endpoint->unexpected, ONE + (alone ? 0 : ONE_SURE));
        tell_of_room(bounds, endpoint, false, seen);
    } else if (in_table != at_endpoint) {
        (void)give(&endpoint->unexpected, ONE_SURE); /* the table makes it unsure */
    }
    return in_table;
}

bool tmu_bounds_arrived(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint, bool sure, bool left,
                        uint64_t *seen) {
    uint64_t amount = (left ? ONE : 0) + (sure ? ONE_SURE : 0);
    if (amount == 0) {
        return true;
    }
    uint64_t at_endpoint = give(&endpoint->unexpected, amount);
    uint64_t in_table = give(&bounds->table, amount);
    if (left) {
        tell_of_room(bounds, endpoint, is_table_full(bounds, in_table), seen);
    }
    return !left || (messages(at_endpoint) > 0 && messages(in_table) > 0);
}

bool tmu_bounds_message_left(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                             uint64_t *seen) {
    count_left(bounds, endpoint);
    return tmu_bounds_arrived(bounds, endpoint, false, true, seen);
}

bool tmu_bounds_take_receive(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint) {
    uint64_t old = bounds->spills ? atomic_load(&bounds->table) : 0;
    bool counted = false;
    bool in_memory = false;
    bool wait = false;
    uint64_t new;
    do {
        new = marked(bounds, settled(bounds, old) + ONE_RECEIVE);
        bool on_chip = fits_on_chip(bounds, new);
        if (bounds->spills && !on_chip && !counted) {
            in_memory = take_memory(bounds);
            counted = true;
        }
        wait = bounds->spills && any_sure(old) && !on_chip && !in_memory;
        if (wait) {
            new = old | WAITED_FOR;
        }
    } while (bounds->spills && !atomic_compare_exchange_weak(&bounds->table, &old, new));
    if (!wait) {
        atomic_fetch_add(&endpoint->posted, 1);
    }
    return !wait;
}

bool tmu_bounds_receive_undone(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                               uint64_t *seen) {
    if (atomic_fetch_sub(&endpoint->posted, 1) == 0) {
        return false;
    }
    if (bounds->spills) {
        uint64_t table = atomic_fetch_sub(&bounds->table, ONE_RECEIVE);
        tell_of_room(bounds, endpoint, is_table_full(bounds, table), seen);
    }
    return true;
}

bool tmu_bounds_receive_left(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                             uint64_t *seen) {
    if (bounds->spills) {
        count_left(bounds, endpoint);
    }
    return tmu_bounds_receive_undone(bounds, endpoint, seen);
}

void tmu_bounds_receive_queued(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint,
                               uint64_t *seen) {
    atomic_fetch_add(&endpoint->receives, 1);
    tell_of_room(bounds, endpoint, false, seen);
}

void tmu_bounds_hold(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint) {
    atomic_fetch_add(&endpoint->held, 1);
    uint64_t now = atomic_fetch_add(&bounds->held_now, 1) + 1;
    uint64_t most = atomic_load(&bounds->held_max);
    while (now > most && !atomic_compare_exchange_weak(&bounds->held_max, &most, now)) {
    }
}

void tmu_bounds_unhold(tmu_bounds_t *bounds, tmu_bounds_endpoint_t *endpoint) {
    atomic_fetch_sub(&endpoint->held, 1);
    atomic_fetch_sub(&bounds->held_now, 1);
}

uint32_t tmu_bounds_entries(const tmu_bounds_endpoint_t *endpoint) {
    return atomic_load(&endpoint->posted) + messages(atomic_load(&endpoint->unexpected));
}
