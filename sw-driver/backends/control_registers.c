/* SPDX-License-Identifier: Apache-2.0
 *
 * A device whose registers are this process's alone.
 */
#include <stddef.h>
#include <string.h>

#include "tmu_barrier.h"
#include "tmu_internal.h"

/* ---- what the device is ---------------------------------------------------------------------- */

static tmu_result_t version_check(tmu_t *device) {
    uint32_t magic = 0;
    uint32_t version = 0;
    tmu_result_t result = tmu_device_read(device, TMU_REG_MAGIC, &magic);
    if (result != TMU_OK) {
        return result;
    }
    if (magic != TMU_MAGIC) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "no tag-matching unit: magic is 0x%08x, expected 0x%08x", magic,
                             (unsigned)TMU_MAGIC);
    }
    result = tmu_device_read(device, TMU_REG_INTERFACE_VERSION, &version);
    return result == TMU_OK ? tmu_control_version(device, version) : result;
}

/* Refuses sizes that the driver cannot work with, or that no unit has. */
static tmu_result_t info_check(const tmu_info_t *info) {
    bool sane = info->endpoints >= 1 && info->endpoints < TMU_ENDPOINT_ANY && info->queues >= 1 &&
                info->queues < UINT32_MAX && info->command_slots >= 1 && info->id_bits >= 1 &&
                info->id_bits <= 31 && info->handle_bits >= info->id_bits;
    if (!sane) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the discovery block makes no sense: %u endpoints, %u queues, "
                             "%u command slots, %u id bits, %u handle bits",
                             info->endpoints, info->queues, info->command_slots, info->id_bits,
                             info->handle_bits);
    }
    sane = info->match_bits >= 1 && info->match_bits <= 64 && info->source_bits >= 1 &&
           info->source_bits <= 32 && info->tag_bits >= 1 && info->tag_bits <= 32 &&
           info->tag_bits <= info->match_bits;
    return sane ? TMU_OK
                : tmu_error_set(TMU_ERR_DEVICE,
                                "the discovery block makes no sense: %u match bits, %u of them "
                                "for the tag, %u source bits",
                                info->match_bits, info->tag_bits, info->source_bits);
}

static tmu_result_t info_read(tmu_t *device) {
    static const struct {
        size_t member;
        uint32_t offset;
        uint32_t since;
        uint32_t needs;
        uint32_t older;
    } rows[] = {
#define ROW(member, offset, since, needs, older)                                                   \
    {offsetof(tmu_info_t, member), offset, since, needs, older},
        TMU_DISCOVERY_TABLE(ROW)
#undef ROW
    };
    tmu_info_t *info = &device->info;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint32_t value = rows[i].older;
        if (info->interface_minor >= rows[i].since && (rows[i].needs & ~info->capabilities) == 0) {
            tmu_result_t result = tmu_device_read(device, rows[i].offset, &value);
            if (result != TMU_OK) {
                return result;
            }
        }
        memcpy((char *)info + rows[i].member, &value, sizeof value);
    }
    return info_check(info);
}

static tmu_result_t discover(tmu_t *device) {
    tmu_result_t result = version_check(device);
    return result == TMU_OK ? info_read(device) : result;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

/* Runs one endpoint command to its end. */
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

static tmu_result_t limits(tmu_t *device, uint32_t endpoint, tmu_depth_t quota,
                           tmu_depth_t reserve) {
    const struct {
        uint32_t offset;
        uint32_t value;
    } writes[] = {
        {TMU_REG_QUOTA_POSTED, quota.posted},
        {TMU_REG_QUOTA_UNEXPECTED, quota.unexpected},
        {TMU_REG_RESERVE_POSTED, reserve.posted},
        {TMU_REG_RESERVE_UNEXPECTED, reserve.unexpected},
    };
    size_t count =
        TMU_REGISTER_GET(device->info.capabilities, TMU_CAPABILITIES_RESERVE) != 0 ? 4 : 2;
    for (size_t i = 0; i < count; i++) {
        tmu_result_t result = tmu_device_write(device, writes[i].offset, writes[i].value);
        if (result != TMU_OK) {
            return result;
        }
    }
    return endpoint_command(device, endpoint, TMU_REGISTER_BITS(TMU_ENDPOINT_COMMAND_SET_QUOTA, 1));
}

static tmu_result_t depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p) {
    tmu_result_t result =
        endpoint_command(device, endpoint, TMU_REGISTER_BITS(TMU_ENDPOINT_COMMAND_READ_DEPTH, 1));
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_DEPTH_POSTED, &depth_p->posted);
    }
    return result == TMU_OK
               ? tmu_device_read(device, TMU_REG_DEPTH_UNEXPECTED, &depth_p->unexpected)
               : result;
}

/* ---- reset ----------------------------------------------------------------------------------- */

/* Gives every endpoint its quota and its reserve again, which a reset of the unit cleared. */
static tmu_result_t limits_restore(tmu_t *device) {
    tmu_result_t result = TMU_OK;
    for (uint32_t i = 0; i < device->info.endpoints && result == TMU_OK; i++) {
        const tmu_bounds_endpoint_t *e = &device->bounds.endpoints[i];
        if ((e->quota.posted | e->quota.unexpected | e->reserve.posted | e->reserve.unexpected) !=
            0) {
            result = limits(device, i, e->quota, e->reserve);
        }
    }
    return result;
}

static tmu_result_t reset(tmu_t *device) {
    uint32_t ready = TMU_REGISTER_BITS(TMU_STATUS_READY, 1);
    tmu_result_t result =
        tmu_device_write(device, TMU_REG_CONTROL, TMU_REGISTER_BITS(TMU_CONTROL_RESET, 1));
    if (result == TMU_OK) {
        result = tmu_device_wait(device, TMU_REG_STATUS, ready, ready);
    }
    if (result == TMU_OK) {
        result = tmu_spill_restore(device);
    }
    return result == TMU_OK ? limits_restore(device) : result;
}

static tmu_result_t start(tmu_t *device) {
    const tmu_info_t *info = &device->info;
    if (tmu_pages_init(&device->pages, info->queues, info->command_slots) != TMU_OK) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u queues", info->queues);
    }
    tmu_result_t result = reset(device);
    /* No reset of the unit clears the windows, and another program may have set some. */
    const tmu_filter_windows_t windows = tmu_filter_of(info);
    return result == TMU_OK ? tmu_filter_write(device, &windows) : result;
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* Writes a page's configuration and waits until the unit has taken it over. */
static tmu_result_t page_commit(const tmu_queue_t *queue, bool enable) {
    tmu_t *device = queue->device;
    const struct {
        uint32_t offset;
        uint32_t value;
    } writes[] = {
        {TMU_REG_PAGE_SELECT, queue->page.number},
        {TMU_REG_RING_BASE_LO, (uint32_t)queue->ring.bus_address},
        {TMU_REG_RING_BASE_HI, (uint32_t)(queue->ring.bus_address >> 32)},
        {TMU_REG_RING_CONFIG, TMU_REGISTER_BITS(TMU_RING_CONFIG_LOG2, queue->ring_log2) |
                                  TMU_REGISTER_BITS(TMU_RING_CONFIG_ENABLE, enable)},
        {TMU_REG_PAGE_ENDPOINT, queue->endpoint == TMU_ENDPOINT_ANY ? 0 : queue->endpoint},
        {TMU_REG_QUEUE_CONFIG,
         TMU_REGISTER_BITS(TMU_QUEUE_CONFIG_FIRST, queue->page.first) |
             TMU_REGISTER_BITS(TMU_QUEUE_CONFIG_LOG2, queue->page.commands_log2)},
        {TMU_REG_PAGE_COMMIT, TMU_REGISTER_BITS(TMU_PAGE_COMMIT_COMMIT, 1)},
    };
    uint32_t status = 0;
    tmu_result_t result = TMU_OK;
    for (size_t i = 0; result == TMU_OK && i < sizeof writes / sizeof writes[0]; i++) {
        result = tmu_device_write(device, writes[i].offset, writes[i].value);
    }
    if (result == TMU_OK) {
        result = tmu_device_wait(device, TMU_REG_PAGE_STATUS,
                                 TMU_REGISTER_BITS(TMU_PAGE_STATUS_BUSY, 1), 0);
    }
    if (result == TMU_OK) {
        result = tmu_device_read(device, TMU_REG_PAGE_STATUS, &status);
    }
    if (result == TMU_OK && TMU_REGISTER_GET(status, TMU_PAGE_STATUS_ERROR) != 0) {
        return tmu_error_set(TMU_ERR_DEVICE,
                             "the device does not take the configuration of page %u",
                             queue->page.number);
    }
    return result;
}

static tmu_result_t queue_set(tmu_queue_t *queue, bool enable) {
    /* The first lap's phase is 1: what an earlier lap left must not look like a completion. */
    memset(queue->ring.memory, 0, queue->ring.bytes);
    tmu_order_memory_before_doorbell();
    return page_commit(queue, enable);
}

static tmu_result_t queue_take(tmu_t *device, const tmu_queue_attr_t *attr, uint32_t most_log2,
                               tmu_page_t *page_p, tmu_dma_t *ring_p) {
    tmu_result_t result = tmu_pages_take(&device->pages, attr->endpoint == TMU_ENDPOINT_ANY,
                                         attr->commands_log2, most_log2, page_p);
    if (result != TMU_OK) {
        return result;
    }
    size_t bytes = sizeof(tmu_record_t) << attr->ring_log2;
    result = device->ops->dma_alloc(device->backend, bytes, ring_p);
    if (result != TMU_OK) {
        tmu_pages_give(&device->pages, page_p);
    }
    return result;
}

static void queue_give(tmu_t *device, const tmu_page_t *page, tmu_dma_t *ring) {
    device->ops->dma_free(device->backend, ring);
    tmu_pages_give(&device->pages, page);
}

/* ---- counters -------------------------------------------------------------------------------- */

static tmu_result_t counters(tmu_t *device, uint64_t *values, size_t max) {
    static const uint32_t offsets[] = {
#define ROW(name, offset) offset,
        TMU_COUNTER_TABLE(ROW)
#undef ROW
    };
    tmu_result_t result =
        tmu_device_write(device, TMU_REG_CONTROL, TMU_REGISTER_BITS(TMU_CONTROL_SNAPSHOT, 1));
    for (size_t i = 0; result == TMU_OK && i < max; i++) {
        uint32_t low = 0;
        uint32_t high = 0;
        result = tmu_device_read(device, offsets[i], &low);
        if (result == TMU_OK) {
            result = tmu_device_read(device, offsets[i] + 4, &high);
        }
        values[i] = (uint64_t)high << 32 | low;
    }
    return result;
}

static tmu_result_t spill_stats(tmu_t *device, tmu_spill_stats_t *stats_p) {
    uint32_t free_chunks = 0;
    tmu_result_t result = device->info.spill_segments > 0
                              ? tmu_device_read(device, TMU_REG_SPILL_FREE, &free_chunks)
                              : TMU_OK;
    *stats_p = (tmu_spill_stats_t){.segments = device->segment_count, .chunks_free = free_chunks};
    return result;
}

const tmu_control_ops_t tmu_control_registers = {
    .discover = discover,
    .start = start,
    .reset = reset,
    .queue_take = queue_take,
    .queue_set = queue_set,
    .queue_give = queue_give,
    .limits = limits,
    .depth = depth,
    .counters = counters,
    .spill_stats = spill_stats,
};
