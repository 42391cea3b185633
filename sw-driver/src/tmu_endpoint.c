/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be asked about endpoints and counters by registers, off the fast path.
 */
#include "tmu_internal.h"

tmu_result_t tmu_endpoint_check(const tmu_t *device, uint32_t endpoint) {
    if (endpoint >= device->info.endpoints) {
        return tmu_error_set(TMU_ERR_INVALID,
                             "endpoint %u is out of range: the device has endpoints 0 to %u",
                             endpoint, device->info.endpoints - 1);
    }
    return TMU_OK;
}

/** Runs one endpoint command to its end. */
static tmu_result_t endpoint_command(tmu_t *device, uint32_t endpoint, uint32_t command) {
    uint32_t status = 0;
    uint32_t busy = TMU_REGISTER_BITS(TMU_ENDPOINT_STATUS_BUSY, 1);
    tmu_result_t result = tmu_device_write(device, TMU_REG_ENDPOINT_SELECT, endpoint);
    if (result == TMU_OK) {
        result = tmu_device_write(device, TMU_REG_ENDPOINT_COMMAND, command);
    }
    if (result == TMU_OK) {
        result = tmu_device_wait(device, TMU_REG_ENDPOINT_STATUS, busy, 0);
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_ENDPOINT_STATUS, &status);
    }
    if (result == TMU_OK && TMU_REGISTER_GET(status, TMU_ENDPOINT_STATUS_ERROR) != 0) {
        return tmu_error_set(TMU_ERR_DEVICE, "the device does not know endpoint %u", endpoint);
    }
    return result;
}

static bool has_reserves(const tmu_t *device) {
    return TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_RESERVE) != 0;
}

tmu_result_t tmu_limits_write(tmu_t *device, uint32_t endpoint, tmu_depth_t quota,
                              tmu_depth_t reserve) {
    const struct {
        uint32_t offset;
        uint32_t value;
    } limits[] = {
        {TMU_REG_QUOTA_POSTED, quota.posted},
        {TMU_REG_QUOTA_UNEXPECTED, quota.unexpected},
        {TMU_REG_RESERVE_POSTED, reserve.posted},
        {TMU_REG_RESERVE_UNEXPECTED, reserve.unexpected},
    };
    size_t count = has_reserves(device) ? 4 : 2;
    for (size_t i = 0; i < count; i++) {
        tmu_result_t result = tmu_device_write(device, limits[i].offset, limits[i].value);
        if (result != TMU_OK) {
            return result;
        }
    }
    return endpoint_command(device, endpoint, TMU_REGISTER_BITS(TMU_ENDPOINT_COMMAND_SET_QUOTA, 1));
}

static tmu_result_t quota_check(const tmu_depth_t *quota) {
    uint32_t larger = quota->posted > quota->unexpected ? quota->posted : quota->unexpected;
    return larger <= TMU_QUOTA_MAX
               ? TMU_OK
               : tmu_error_set(TMU_ERR_INVALID, "quota %u is too large; %u entries are the most",
                               larger, TMU_QUOTA_MAX);
}

/** Whether a table has the places of an endpoint's reserve beside those of the others. */
static tmu_result_t reserve_fits(const char *entries, uint32_t reserve, uint32_t others,
                                 uint32_t table) {
    return reserve <= table - others
               ? TMU_OK
               : tmu_error_set(TMU_ERR_INVALID,
                               "a reserve of %u %s and %u of other endpoints: the table has %u "
                               "places",
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

/** Gives an endpoint other limits: NULL leaves the quota or the reserve as it is.  Stopped. */
static tmu_result_t limits_set_stopped(tmu_t *device, uint32_t endpoint, const tmu_depth_t *quota,
                                       const tmu_depth_t *reserve) {
    tmu_bounds_t *bounds = &device->bounds;
    tmu_bounds_endpoint_t *limited = tmu_bounds_endpoint(bounds, endpoint);
    tmu_result_t result = tmu_endpoint_check(device, endpoint);
    if (result == TMU_OK && quota) {
        result = quota_check(quota);
    }
    if (result == TMU_OK && reserve) {
        result = reserve_check(device, endpoint, reserve);
    }
    if (result == TMU_OK) {
        result = tmu_device_check(device);
    }
    if (result == TMU_OK && !tmu_device_still(device)) {
        result = TMU_AGAIN; /* arrivals in flight were promised places under the old limits */
    }
    if (result != TMU_OK) {
        return result;
    }
    const tmu_depth_t new_quota = quota ? *quota : limited->quota;
    const tmu_depth_t new_reserve = reserve ? *reserve : limited->reserve;
    result = tmu_limits_write(device, endpoint, new_quota, new_reserve);
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

/** Whether the unit may wait for ring space, which only polling returns. */
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
        result = endpoint_command(device, endpoint,
                                  TMU_REGISTER_BITS(TMU_ENDPOINT_COMMAND_READ_DEPTH, 1));
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_DEPTH_POSTED, &depth.posted);
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_DEPTH_UNEXPECTED, &depth.unexpected);
    }
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        *depth_p = depth;
    }
    return result;
}

tmu_result_t tmu_flow_stats(tmu_t *device, tmu_flow_stats_t *stats_p) {
    if (!device || !stats_p) {
        return TMU_ERR_INVALID;
    }
    const tmu_bounds_t *bounds = &device->bounds;
    *stats_p = (tmu_flow_stats_t){
        .stalls = atomic_load(&bounds->stalls),
        .resumes = atomic_load(&bounds->resumes),
        .held_now = atomic_load(&bounds->held_now),
        .held_max = atomic_load(&bounds->held_max),
    };
    return TMU_OK;
}

bool tmu_endpoint_stalled(tmu_queue_t *queue, uint32_t endpoint) {
    const tmu_bounds_endpoint_t *bounds =
        queue ? tmu_bounds_endpoint(&queue->device->bounds, endpoint) : NULL;
    return bounds && atomic_load(&bounds->held) > 0;
}
