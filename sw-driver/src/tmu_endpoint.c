/* SPDX-License-Identifier: Apache-2.0
 *
 * What can be asked about endpoints and counters by registers, off the fast path.
 */
#include "tmu_internal.h"

static tmu_result_t endpoint_check(tmu_t *device, uint32_t endpoint) {
    if (endpoint >= device->info.endpoints) {
        return tmu_error_set(&device->error, TMU_ERR_INVALID,
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
        return tmu_error_set(&device->error, TMU_ERR_DEVICE, "the device does not know endpoint %u",
                             endpoint);
    }
    return result;
}

tmu_result_t tmu_quota_write(tmu_t *device, uint32_t endpoint, tmu_depth_t quota) {
    tmu_result_t result = tmu_device_write(device, TMU_REG_QUOTA_POSTED, quota.posted);
    if (result == TMU_OK) {
        result = tmu_device_write(device, TMU_REG_QUOTA_UNEXPECTED, quota.unexpected);
    }
    return result != TMU_OK
               ? result
               : endpoint_command(device, endpoint,
                                  TMU_REGISTER_BITS(TMU_ENDPOINT_COMMAND_SET_QUOTA, 1));
}

/** Whether the device stands still: then a register may change what commands meet. */
static tmu_result_t still_check(const tmu_t *device) {
    if (device->broken) {
        return TMU_ERR_DEVICE;
    }
    return device->in_flight > 0 || device->flow.pass ? TMU_AGAIN : TMU_OK;
}

tmu_result_t tmu_quota_set(tmu_t *device, uint32_t endpoint, uint32_t posted, uint32_t unexpected) {
    if (!device) {
        return TMU_ERR_INVALID;
    }
    tmu_depth_t quota = {.posted = posted, .unexpected = unexpected};
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = endpoint_check(device, endpoint);
    if (result == TMU_OK) {
        result = still_check(device);
    }
    if (result == TMU_OK) {
        result = tmu_quota_write(device, endpoint, quota);
    }
    if (result == TMU_OK) {
        device->flow.endpoints[endpoint].quota = quota;
        tmu_flow_pass_start(&device->flow);
    }
    pthread_mutex_unlock(&device->lock);
    return result;
}

tmu_result_t tmu_depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p) {
    if (!device || !depth_p) {
        return TMU_ERR_INVALID;
    }
    tmu_depth_t depth = {0};
    pthread_mutex_lock(&device->lock);
    tmu_result_t result = endpoint_check(device, endpoint);
    if (result == TMU_OK && device->flow.alone) {
        result = TMU_AGAIN; /* the unit may wait for ring space, which only polling returns */
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

tmu_result_t tmu_counters(tmu_t *device, tmu_counter_t *counters, size_t max, size_t *count_p) {
    static const struct {
        const char *name;
        uint32_t offset;
    } table[] = {
#define ROW(name, offset) {#name, offset},
        TMU_COUNTER_TABLE(ROW)
#undef ROW
    };
    const size_t count = sizeof table / sizeof table[0];
    if (!device || !count_p || (max > 0 && !counters)) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    tmu_result_t result =
        tmu_device_write(device, TMU_REG_CONTROL, TMU_REGISTER_BITS(TMU_CONTROL_SNAPSHOT, 1));
    for (size_t i = 0; result == TMU_OK && i < count && i < max; i++) {
        uint32_t low = 0;
        uint32_t high = 0;
        result = tmu_device_read(device, table[i].offset, &low);
        if (result == TMU_OK) {
            result = tmu_device_read(device, table[i].offset + 4, &high);
        }
        counters[i] = (tmu_counter_t){.name = table[i].name, .value = (uint64_t)high << 32 | low};
    }
    pthread_mutex_unlock(&device->lock);
    if (result == TMU_OK) {
        *count_p = count;
    }
    return result;
}

tmu_result_t tmu_flow_stats(tmu_t *device, tmu_flow_stats_t *stats_p) {
    if (!device || !stats_p) {
        return TMU_ERR_INVALID;
    }
    pthread_mutex_lock(&device->lock);
    *stats_p = device->flow.stats;
    pthread_mutex_unlock(&device->lock);
    return TMU_OK;
}

bool tmu_endpoint_stalled(tmu_queue_t *queue, uint32_t endpoint) {
    if (!queue) {
        return false;
    }
    const tmu_flow_t *flow = &queue->device->flow;
    pthread_mutex_lock(&queue->device->lock);
    bool stalled = endpoint < flow->endpoint_count && flow->endpoints[endpoint].held > 0;
    pthread_mutex_unlock(&queue->device->lock);
    return stalled;
}
