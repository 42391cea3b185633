// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose an endpoint is, and how many slots on chip it has in reserve.  The unit's lock is held.
 */
#include <linux/delay.h>

#include "tmu_kernel.h"

/* Times that all depths are looked at before a reserve that others still stand on is not granted.
 */
#define LOOKS 10

struct tmu_endpoint *tmu_endpoint_find(struct tmu_session *session, u32 number) {
    struct tmu_unit *unit = session->unit;
    return number < unit->info.endpoints && unit->endpoints[number].session == session
               ? &unit->endpoints[number]
               : NULL;
}

/* An endpoint's grant in one table: none of the others' slots, and not all of it. */
static u32 grant(const struct tmu_unit *unit, u32 wanted, u32 slots, u32 reserved) {
    u32 most = (u64)slots * min(tmu_reserve_percent, 100u) / 100;
    if (TMU_GET(unit->info.capabilities, TMU_CAPABILITIES_RESERVE) == 0) {
        return 0;
    }
    if (wanted == TMU_IOCTL_SHARE) {
        wanted = slots / unit->info.endpoints;
    }
    return min3(wanted, most, slots - reserved);
}

static void reserve_note(struct tmu_unit *unit, u32 number, struct tmu_entries reserve) {
    struct tmu_endpoint *endpoint = &unit->endpoints[number];
    unit->reserved.posted += reserve.posted - endpoint->reserve.posted;
    unit->reserved.unexpected += reserve.unexpected - endpoint->reserve.unexpected;
    endpoint->reserve = reserve;
}

/*
 * Whether all reserves can be filled now: each endpoint has its entries or its reserve, whichever
 * is more, and a table has slots for all of these.
 *
 * A reserve takes no slot away from anybody, so others may stand on a new one.  Once this holds it
 * holds for good, for the unit gives slots beyond reserves away only while it would hold after.
 * Depths are read one after the other while sessions go on: had it not held at any time meanwhile,
 * no endpoint would have grown beyond its reserve, so that the sum were too large as well.
 * Entries in memory are counted, so the answer may be no where it is yes.
 */
static int reserves_hold(struct tmu_unit *unit, bool *hold_p) {
    u64 posted = 0;
    u64 unexpected = 0;
    for (u32 i = 0; i < unit->info.endpoints; i++) {
        const struct tmu_endpoint *endpoint = &unit->endpoints[i];
        struct tmu_entries depth;
        int error;
        if (!endpoint->session && !endpoint->withheld) {
            continue;
        }
        error = tmu_depth_read(unit, i, &depth);
        if (error) {
            return error;
        }
        posted += max(depth.posted, endpoint->reserve.posted);
        unexpected += max(depth.unexpected, endpoint->reserve.unexpected);
    }
    *hold_p = posted <= unit->info.posted_entries && unexpected <= unit->info.unexpected_entries;
    return 0;
}

/* Sets the reserve of an endpoint; one that would be a promise that may not be kept is none. */
static int reserve_set(struct tmu_unit *unit, u32 number, struct tmu_entries quota,
                       struct tmu_entries reserve) {
    bool hold = false;
    int error;
    reserve_note(unit, number, reserve);
    error = tmu_limits_set(unit, number, quota, reserve);
    if (reserve.posted == 0 && reserve.unexpected == 0) {
        return error;
    }
    for (u32 look = 0; look < LOOKS && !error && !hold; look++) {
        if (look > 0) {
            usleep_range(200, 400);
        }
        error = reserves_hold(unit, &hold);
    }
    if (!error && !hold) {
        reserve_note(unit, number, (struct tmu_entries){0});
        error = tmu_limits_set(unit, number, quota, (struct tmu_entries){0});
    }
    return error;
}

int tmu_endpoint_take(struct tmu_session *session, struct tmu_ioctl_take *take) {
    struct tmu_unit *unit = session->unit;
    const struct tmu_ioctl_query *info = &unit->info;
    const struct tmu_entries quota = {take->quota_posted, take->quota_unexpected};
    const struct tmu_entries reserve = {
        grant(unit, take->reserve_posted, info->posted_entries, unit->reserved.posted),
        grant(unit, take->reserve_unexpected, info->unexpected_entries, unit->reserved.unexpected),
    };
    struct tmu_endpoint *endpoint;
    u32 number = 0;
    int error;
    while (number < info->endpoints &&
           (unit->endpoints[number].session || unit->endpoints[number].withheld)) {
        number++;
    }
    if (number == info->endpoints) {
        return -ENOSPC;
    }
    endpoint = &unit->endpoints[number];
    endpoint->session = session;
    endpoint->first = endpoint->serial;
    error = reserve_set(unit, number, quota, reserve);
    if (error) {
        return error; /* the unit has failed: the session's end clears up */
    }
    take->endpoint = number;
    take->serial = endpoint->first;
    take->reserve_posted = endpoint->reserve.posted;
    take->reserve_unexpected = endpoint->reserve.unexpected;
    return 0;
}

/* Removes what an endpoint has; its queues are disabled. */
int tmu_endpoint_empty(struct tmu_unit *unit, u32 number) {
    struct tmu_endpoint *endpoint = &unit->endpoints[number];
    struct tmu_entries depth;
    int error = tmu_flush(unit, number, &endpoint->serial);
    if (!error) {
        error = tmu_depth_read(unit, number, &depth);
    }
    if (!error && (depth.posted != 0 || depth.unexpected != 0)) {
        error = -EUCLEAN;
    }
    endpoint->first = endpoint->serial;
    return error;
}

/* Only an endpoint that is empty and without limits is anybody's again. */
void tmu_endpoint_give(struct tmu_unit *unit, u32 number) {
    struct tmu_endpoint *endpoint = &unit->endpoints[number];
    const struct tmu_entries none = {0};
    int error = tmu_endpoint_empty(unit, number);
    if (!error) {
        error = tmu_limits_set(unit, number, none, none);
    }
    if (error) {
        dev_warn(&unit->pdev->dev,
                 "endpoint %u could not be emptied (error %d): it is not used until all sessions "
                 "are closed\n",
                 number, -error);
        endpoint->withheld = true;
    } else {
        reserve_note(unit, number, none);
    }
    endpoint->session = NULL;
}
