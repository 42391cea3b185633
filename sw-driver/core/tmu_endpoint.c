/* SPDX-License-Identifier: Apache-2.0
 *
 * Queries about endpoints and counters, off the fast path.
 */
#include "tmu_internal.h"
#include "tmu_sized.h"

tmu_result_t tmu_endpoint_check(const tmu_t *device, uint32_t endpoint) {
    if (endpoint >= device->info.endpoints) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "endpoint %u is out of range: the device has endpoints 0 to %u",
                             endpoint, device->info.endpoints - 1);
    }
    return TMU_OK;
}

static bool has_reserves(const tmu_t *device) {
    return TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_RESERVE) != 0;
}

static tmu_result_t quota_check(const tmu_depth_t *quota) {
    uint32_t larger = quota->posted > quota->unexpected ? quota->posted : quota->unexpected;
    return larger <= TMU_QUOTA_MAX
               ? TMU_OK
               : tmu_error_set(TMU_ERR_INVALID, "quota %u is too large; %u entries are the most",
                               larger, TMU_QUOTA_MAX);
}

/* Whether a table has the slots of an endpoint's reserve beside those of the others. */
static tmu_result_t reserve_fits(const char *entries, uint32_t reserve, uint32_t others,
                                 uint32_t table) {
    return reserve <= table - others
               ? TMU_OK
               : tmu_error_set(TMU_ERR_INVALID,
                               "a reserve of %u %s and %u of other endpoints: the table has %u "
                               "slots",
                               reserve, entries, others, table);
}

static tmu_result_t reserve_check(const tmu_t *device, uint32_t endpoint,
                                  const tmu_depth_t *reserve) {
    const tmu_bounds_t *bounds = &device->bounds;
    bool none = reserve->posted == 0 && reserve->unexpected == 0;
    if (!none && !has_reserves(device)) {
        return tmu_error_set(TMU_ERR_INVALID, "the device was built without reserves");
    }
    const tmu_depth_t *own = &tmu_bounds_endpoint(bounds, endpoint)->reserve;
    tmu_result_t result = reserve_fits(
        "receives", reserve->posted, bounds->reserved.posted - own->posted, bounds->tables.posted);
    return result != TMU_OK ? result
                            : reserve_fits("messages", reserve->unexpected,
                                           bounds->reserved.unexpected - own->unexpected,
                                           bounds->tables.unexpected);
}

/* Gives an endpoint other limits: NULL leaves the quota or the reserve as it is.  Stopped. */
static tmu_result_t limits_set_stopped(tmu_t *device, uint32_t endpoint, const tmu_depth_t *quota,
                                       const tmu_depth_t *reserve) {
    tmu_bounds_t *bounds = &device->bounds;
    tmu_bounds_endpoint_t *limited = tmu_bounds_endpoint(bounds, endpoint);
    tmu_result_t result = tmu_endpoint_check(device, endpoint);
    if (result == TMU_OK && quota) {
        result = quota_check(quota);
    }
    if (result == TMU_OK && reserve) {
        result = tmu_control_check(device, "a reserve is granted when the device is opened");
    }
    if (result == TMU_OK && reserve) {
        result = reserve_check(device, endpoint, reserve);
    }
    if (result == TMU_OK) {
        result = tmu_device_check(device);
    }
    if (result == TMU_OK && !tmu_device_still(device)) {
        result = TMU_AGAIN; /* arrivals in flight were promised slots under the old limits */
    }
    if (result != TMU_OK) {
        return result;
    }
    const tmu_depth_t new_quota = quota ? *quota : limited->quota;
    const tmu_depth_t new_reserve = reserve ? *reserve : limited->reserve;
    result = device->control->limits(device, endpoint, new_quota, new_reserve);
    if (result == TMU_OK) {
        limited->quota = new_quota;
        tmu_bounds_reserve(bounds, limited, new_reserve);
        tmu_bounds_room_came(bounds);
        for (tmu_queue_t *queue = device->queues; queue; queue = queue->next) {
            tmu_flow_pass_start(&queue->flow);
        }
    }
    return result;
}

static tmu_result_t limits_set(tmu_t *device, uint32_t endpoint, const tmu_depth_t *quota,
                               const tmu_depth_t *reserve) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_device_stop(device);
    tmu_result_t result = limits_set_stopped(device, endpoint, quota, reserve);
    tmu_device_go(device);
    return result;
}

tmu_result_t tmu_quota_set(tmu_t *device, uint32_t endpoint, uint32_t posted, uint32_t unexpected) {
    const tmu_depth_t quota = {.posted = posted, .unexpected = unexpected};
    return limits_set(device, endpoint, &quota, NULL);
}

tmu_result_t tmu_reserve_set(tmu_t *device, uint32_t endpoint, uint32_t posted,
                             uint32_t unexpected) {
    const tmu_depth_t reserve = {.posted = posted, .unexpected = unexpected};
    return limits_set(device, endpoint, NULL, &reserve);
}

/* Whether the unit may wait for ring space, which only polling returns. */
static bool flush_in_flight(const tmu_t *device) {
    bool found = false;
    for (tmu_queue_t *queue = device->queues; queue && !found; queue = queue->next) {
        pthread_mutex_lock(&queue->lock);
        found = queue->flushes > 0;
        pthread_mutex_unlock(&queue->lock);
    }
    return found;
}

tmu_result_t tmu_depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p) {
    if (!device || !depth_p) {
        return TMU_ERR_INVALID;
    }
    tmu_depth_t depth = {0};
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = tmu_endpoint_check(device, endpoint);
    if (result == TMU_OK && flush_in_flight(device)) {
        result = TMU_AGAIN;
    }
    if (result == TMU_OK) {
        result = device->control->depth(device, endpoint, &depth);
    }
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        *depth_p = depth;
    }
    return result;
}

tmu_result_t tmu_flow_stats_sized(tmu_t *device, tmu_flow_stats_t *stats_p, size_t size) {
    if (!device || !stats_p || size == 0) {
        return TMU_ERR_INVALID;
    }
    const tmu_bounds_t *bounds = &device->bounds;
    const tmu_flow_stats_t stats = {
        .stalls = atomic_load(&bounds->stalls),
        .resumes = atomic_load(&bounds->resumes),
        .held_now = atomic_load(&bounds->held_now),
        .held_max = atomic_load(&bounds->held_max),
    };
    tmu_sized_give(stats_p, size, &stats, sizeof stats);
    return TMU_OK;
}

bool tmu_endpoint_stalled(tmu_queue_t *queue, uint32_t endpoint) {
    const tmu_bounds_endpoint_t *bounds =
        queue ? tmu_bounds_endpoint(&queue->device->bounds, endpoint) : NULL;
    return bounds && atomic_load(&bounds->held) > 0;
}
