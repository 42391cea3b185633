/* SPDX-License-Identifier: Apache-2.0
 *
 * Whose an endpoint is, and how many slots on chip it has in reserve: as the kernel driver does it
 * (kernel/tmu_endpoint.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "share.h"

/* Percent of a table that one endpoint is granted in reserve, at most. */
#define RESERVE_PERCENT 25
/* Times that all depths are looked at before a reserve that others still stand on is not granted.
 */
#define LOOKS 10
#define LOOK_CLOCKS 256

static const tmu_depth_t nothing = {0};

share_endpoint_t *share_endpoint_find(share_t *share, const share_session_t *session,
                                      uint32_t number) {
    return number < share->device->info.endpoints && share->endpoints[number].session == session
               ? &share->endpoints[number]
               : NULL;
}

static tmu_result_t limits(share_t *share, uint32_t number, tmu_depth_t quota,
                           tmu_depth_t reserve) {
    return share->device->control->limits(share->device, number, quota, reserve);
}

/* An endpoint's grant in one table: none of the others' slots, and not all of it. */
static uint32_t grant(const share_t *share, uint32_t wanted, uint32_t slots, uint32_t reserved) {
    const tmu_info_t *info = &share->device->info;
    uint32_t most = (uint32_t)((uint64_t)slots * RESERVE_PERCENT / 100);
    uint32_t left = slots - reserved;
    if (TMU_REGISTER_GET(info->capabilities, TMU_CAPABILITIES_RESERVE) == 0) {
        return 0;
    }
    if (wanted == TMU_IOCTL_SHARE) {
        wanted = slots / info->endpoints;
    }
    wanted = wanted < most ? wanted : most;
    return wanted < left ? wanted : left;
}

static void reserve_note(share_t *share, uint32_t number, tmu_depth_t reserve) {
    share_endpoint_t *endpoint = &share->endpoints[number];
    share->reserved.posted += reserve.posted - endpoint->reserve.posted;
    share->reserved.unexpected += reserve.unexpected - endpoint->reserve.unexpected;
    endpoint->reserve = reserve;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

/*
 * Whether all reserves can be filled now: each endpoint has its entries or its reserve, whichever
 * is more, and a table has slots for all of these.  Once that holds it holds for good.
 */
static tmu_result_t reserves_hold(share_t *share, bool *hold_p) {
    const tmu_info_t *info = &share->device->info;
    uint64_t posted = 0;
    uint64_t unexpected = 0;
    for (uint32_t i = 0; i < info->endpoints; i++) {
        const share_endpoint_t *endpoint = &share->endpoints[i];
        tmu_depth_t depth = {0};
        if (!endpoint->session && !endpoint->withheld) {
            continue;
        }
        tmu_result_t result = share->device->control->depth(share->device, i, &depth);
        if (result != TMU_OK) {
            return result;
        }
        posted += larger(depth.posted, endpoint->reserve.posted);
        unexpected += larger(depth.unexpected, endpoint->reserve.unexpected);
    }
    *hold_p = posted <= info->posted_entries && unexpected <= info->unexpected_entries;
    return TMU_OK;
}

/* Sets the reserve of an endpoint; one that would be a promise that may not be kept is none. */
static tmu_result_t reserve_set(share_t *share, uint32_t number, tmu_depth_t quota,
                                tmu_depth_t reserve) {
    bool hold = false;
    reserve_note(share, number, reserve);
    tmu_result_t result = limits(share, number, quota, reserve);
    if (reserve.posted == 0 && reserve.unexpected == 0) {
        return result;
    }
    for (unsigned look = 0; look < LOOKS && result == TMU_OK && !hold; look++) {
        if (look > 0) {
            result = tmu_progress(share->device, LOOK_CLOCKS);
        }
        result = result == TMU_OK ? reserves_hold(share, &hold) : result;
    }
    if (result == TMU_OK && !hold) {
        reserve_note(share, number, nothing);
        result = limits(share, number, quota, nothing);
    }
    return result;
}

tmu_result_t share_endpoint_take(share_t *share, const share_session_t *session,
                                 struct tmu_ioctl_take *take, int *error_p) {
    const tmu_info_t *info = &share->device->info;
    const tmu_depth_t quota = {take->quota_posted, take->quota_unexpected};
    const tmu_depth_t reserve = {
        grant(share, take->reserve_posted, info->posted_entries, share->reserved.posted),
        grant(share, take->reserve_unexpected, info->unexpected_entries,
              share->reserved.unexpected),
    };
    uint32_t number = 0;
    while (number < info->endpoints &&
           (share->endpoints[number].session || share->endpoints[number].withheld)) {
        number++;
    }
    if (number == info->endpoints) {
        *error_p = ENOSPC;
        return TMU_OK;
    }
    share_endpoint_t *endpoint = &share->endpoints[number];
    endpoint->session = session;
    endpoint->first = endpoint->serial;
    tmu_result_t result = reserve_set(share, number, quota, reserve);
    take->endpoint = number;
    take->serial = endpoint->first;
    take->reserve_posted = endpoint->reserve.posted;
    take->reserve_unexpected = endpoint->reserve.unexpected;
    return result;
}

tmu_result_t share_endpoint_empty(share_t *share, uint32_t number) {
    share_endpoint_t *endpoint = &share->endpoints[number];
    tmu_depth_t depth = {0};
    bool empty = false;
    tmu_result_t result = share_unit_flush(share, number, &endpoint->serial, &empty);
    if (result == TMU_OK) {
        result = share->device->control->depth(share->device, number, &depth);
    }
    endpoint->first = endpoint->serial;
    endpoint->withheld = !empty || depth.posted != 0 || depth.unexpected != 0;
    if (result == TMU_OK && endpoint->withheld) {
        (void)fprintf(stderr,
                      "tmu-share: endpoint %" PRIu32 " could not be emptied: nobody gets it until "
                      "tmu-share is started again\n",
                      number);
    }
    return result;
}

/* Only an endpoint that is empty and without limits is anybody's again. */
tmu_result_t share_endpoint_give(share_t *share, uint32_t number) {
    share_endpoint_t *endpoint = &share->endpoints[number];
    tmu_result_t result = share_endpoint_empty(share, number);
    if (result == TMU_OK && !endpoint->withheld) {
        result = limits(share, number, nothing, nothing);
        reserve_note(share, number, nothing);
    }
    endpoint->session = NULL;
    return result;
}
