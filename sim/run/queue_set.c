/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_set.h"

#include <stdlib.h>

#define RING_LOG2 12
#define COMMANDS_LOG2 9

/* As many operations in flight as keep a unit and the route to it full, or half of the slots; in a
 * session the driver's choice. */
static uint32_t commands_log2(const tmu_info_t *info) {
    uint32_t log2 = 1;
    if (info->shared) {
        return 0;
    }
    while (log2 < COMMANDS_LOG2 && UINT32_C(4) << log2 <= info->command_slots) {
        ++log2;
    }
    return log2;
}

tmu_result_t queue_set_open(queue_set_t *set, tmu_t *device, tmu_observe_fn observe, void *user) {
    tmu_info_t info;
    tmu_result_t result = tmu_query(device, &info);
    if (result != TMU_OK) {
        return result;
    }
    const uint32_t count = info.shared ? info.endpoints : 1;
    *set = (queue_set_t){.shared = info.shared};
    set->queues = calloc(count, sizeof(tmu_queue_t *));
    if (!set->queues) {
        return TMU_ERR_MEMORY;
    }
    for (uint32_t i = 0; i < count && result == TMU_OK; ++i) {
        const uint32_t endpoint = info.shared ? i : TMU_ENDPOINT_ANY;
        const tmu_queue_attr_t attr = {endpoint, RING_LOG2, commands_log2(&info)};
        result = tmu_queue_open(device, &attr, &set->queues[i]);
        if (result != TMU_OK) {
            break;
        }
        ++set->count;
        result = tmu_queue_observe(set->queues[i], observe, user);
    }
    return result;
}

void queue_set_close(queue_set_t *set) {
    for (size_t i = 0; i < set->count; ++i) {
        (void)tmu_queue_close(set->queues[i]);
    }
    free(set->queues);
    *set = (queue_set_t){0};
}

tmu_queue_t *queue_set_find(const queue_set_t *set, uint32_t endpoint) {
    if (!set->shared) {
        return set->queues[0];
    }
    return endpoint < set->count ? set->queues[endpoint] : NULL;
}

size_t queue_set_in_flight(const queue_set_t *set) {
    size_t count = 0;
    for (size_t i = 0; i < set->count; ++i) {
        count += tmu_queue_in_flight(set->queues[i]);
    }
    return count;
}
