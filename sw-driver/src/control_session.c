/* SPDX-License-Identifier: Apache-2.0
 *
 * A session of the kernel driver: what the driver does for it off the data path.
 *
 * Endpoints are numbered from 0, whichever the driver has granted.  An endpoint's reserve is what
 * flow control takes as its table on chip: the driver answers for it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dev_session.h"
#include "tmu_internal.h"

/* ---- what the device is ------------------------------------------------------------------------
 */

static tmu_result_t query(const dev_session_t *session, struct tmu_ioctl_query *query_p) {
    *query_p = (struct tmu_ioctl_query){.size = sizeof *query_p};
    tmu_result_t result = dev_call(session, TMU_IOCTL_QUERY, query_p, "asking what the unit is");
    if (result == TMU_OK && query_p->version != TMU_IOCTL_VERSION) {
        return tmu_error_set(TMU_ERR_VERSION,
                             "%s: the kernel driver has version %u of its calls, this library %d",
                             session->path, query_p->version, TMU_IOCTL_VERSION);
    }
    return result;
}

static tmu_result_t info_fill(tmu_t *device, const struct tmu_ioctl_query *q) {
    const char *scheme = device->info.scheme;
    device->info = (tmu_info_t){
        .scheme = scheme,
        .shared = true,
        .preset = q->preset,
        .posted_entries = q->posted_entries,
        .unexpected_entries = q->unexpected_entries,
        .lanes = q->lanes,
        .id_bits = q->id_bits,
        .match_bits = q->match_bits,
        .source_bits = q->source_bits,
        .handle_bits = q->handle_bits,
        .address_bits = q->address_bits,
        .length_bits = q->length_bits,
        .queues = q->queues,
        .command_slots = q->command_slots,
        .capabilities = q->capabilities,
        .array_entries = q->array_entries,
        .filter_lanes = q->filter_lanes,
        .filter_bits = q->filter_bits,
        .spill_segments = q->spill_segments,
    };
    return tmu_control_version(device, q->interface_version);
}

/** Takes as many endpoints as the URI asks for; the least reserve of them is what is sure. */
static tmu_result_t endpoints_take(tmu_t *device, dev_session_t *session) {
    device->granted = calloc(session->endpoints, sizeof *device->granted);
    if (!device->granted) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u endpoints", session->endpoints);
    }
    tmu_depth_t least = {UINT32_MAX, UINT32_MAX};
    for (uint32_t i = 0; i < session->endpoints; i++) {
        struct tmu_ioctl_take take = {
            .size = sizeof take,
            .reserve_posted = session->reserve.posted,
            .reserve_unexpected = session->reserve.unexpected,
        };
        tmu_result_t result = dev_call(session, TMU_IOCTL_TAKE, &take, "taking endpoints");
        if (result != TMU_OK) {
            return result;
        }
        device->granted[i] = (tmu_granted_t){.number = take.endpoint, .serial = take.serial};
        least.posted = take.reserve_posted < least.posted ? take.reserve_posted : least.posted;
        least.unexpected =
            take.reserve_unexpected < least.unexpected ? take.reserve_unexpected : least.unexpected;
    }
    device->info.endpoints = session->endpoints;
    session->reserve = least;
    return TMU_OK;
}

static tmu_result_t discover(tmu_t *device) {
    dev_session_t *session = device->backend;
    struct tmu_ioctl_query answer;
    tmu_result_t result = query(session, &answer);
    if (result == TMU_OK) {
        result = info_fill(device, &answer);
    }
    if (result != TMU_OK) {
        return result;
    }
    session->vectors = answer.vectors;
    session->page_count = answer.queues;
    session->pages = calloc(answer.queues, sizeof *session->pages);
    if (!session->pages) {
        return tmu_error_set(TMU_ERR_MEMORY, "no memory for %u queues", answer.queues);
    }
    for (uint32_t i = 0; i < answer.queues; i++) {
        session->pages[i].event_fd = -1;
    }
    return endpoints_take(device, session);
}

static tmu_result_t start(tmu_t *device) {
    const dev_session_t *session = device->backend;
    tmu_bounds_share(&device->bounds, session->reserve, device->info.spill_segments > 0);
    return TMU_OK;
}

/* ---- endpoints ---------------------------------------------------------------------------------
 */

static tmu_result_t ask_depth(const tmu_t *device, uint32_t endpoint,
                              struct tmu_ioctl_depth *depth_p) {
    *depth_p = (struct tmu_ioctl_depth){.size = sizeof *depth_p,
                                        .endpoint = device->granted[endpoint].number};
    return dev_call(device->backend, TMU_IOCTL_DEPTH, depth_p, "reading a depth");
}

static tmu_result_t depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p) {
    struct tmu_ioctl_depth answer;
    tmu_result_t result = ask_depth(device, endpoint, &answer);
    *depth_p = (tmu_depth_t){.posted = answer.posted, .unexpected = answer.unexpected};
    return result;
}

static tmu_result_t reset(tmu_t *device) {
    struct tmu_ioctl_reset call = {.size = sizeof call};
    tmu_result_t result = dev_call(device->backend, TMU_IOCTL_RESET, &call, "resetting");
    for (uint32_t i = 0; i < device->info.endpoints && result == TMU_OK; i++) {
        struct tmu_ioctl_depth answer;
        result = ask_depth(device, i, &answer);
        device->granted[i].serial = answer.serial;
    }
    return result;
}

/** The reserve is the one that was granted: tmu_reserve_set is refused. */
static tmu_result_t limits(tmu_t *device, uint32_t endpoint, tmu_depth_t quota,
                           tmu_depth_t reserve) {
    (void)reserve;
    struct tmu_ioctl_quota call = {
        .size = sizeof call,
        .endpoint = device->granted[endpoint].number,
        .posted = quota.posted,
        .unexpected = quota.unexpected,
    };
    return dev_call(device->backend, TMU_IOCTL_QUOTA, &call, "setting a quota");
}

/* ---- queues ------------------------------------------------------------------------------------
 */

static void queue_close(const dev_session_t *session, uint64_t name) {
    struct tmu_ioctl_close call = {.size = sizeof call, .queue = name};
    (void)dev_call(session, TMU_IOCTL_CLOSE, &call, "closing a queue");
}

static tmu_result_t queue_take(tmu_t *device, const tmu_queue_attr_t *attr, uint32_t most_log2,
                               tmu_page_t *page_p, tmu_dma_t *ring_p) {
    dev_session_t *session = device->backend;
    struct tmu_ioctl_open call = {
        .size = sizeof call,
        .endpoint = device->granted[attr->endpoint].number,
        .ring_log2 = attr->ring_log2,
        .commands_log2 = attr->commands_log2,
    };
    (void)most_log2; /* the driver's own choice is no larger */
    tmu_result_t result = tmu_pages_check(device->info.command_slots, attr->commands_log2);
    if (result == TMU_OK) {
        result =
            dev_call(session, TMU_IOCTL_OPEN, &call, "opening a queue: queues or command slots");
    }
    if (result != TMU_OK) {
        return result;
    }
    size_t bytes = sizeof(tmu_record_t) << call.ring_log2;
    bytes = (bytes + TMU_DOORBELL_PAGE_BYTES - 1) & ~(size_t)(TMU_DOORBELL_PAGE_BYTES - 1);
    void *doorbell = mmap(NULL, TMU_DOORBELL_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                          session->file, (off_t)call.doorbell_offset);
    void *ring = mmap(NULL, bytes, PROT_READ, MAP_SHARED, session->file, (off_t)call.ring_offset);
    if (doorbell == MAP_FAILED || ring == MAP_FAILED) {
        (void)(doorbell != MAP_FAILED && munmap(doorbell, TMU_DOORBELL_PAGE_BYTES));
        (void)(ring != MAP_FAILED && munmap(ring, bytes));
        queue_close(session, call.queue);
        return tmu_error_set(TMU_ERR_MEMORY, "page %u and its ring cannot be mapped", call.page);
    }
    session->pages[call.page].memory = doorbell;
    session->pages[call.page].queue = call.queue;
    *page_p = (tmu_page_t){.number = call.page, .commands_log2 = call.commands_log2};
    *ring_p = (tmu_dma_t){.memory = ring, .bytes = bytes};
    return TMU_OK;
}

/** The driver has done it: queues are opened, closed and reset with their rings. */
static tmu_result_t queue_set(tmu_queue_t *queue, bool enable) {
    (void)queue;
    (void)enable;
    return TMU_OK;
}

static void queue_give(tmu_t *device, const tmu_page_t *page, tmu_dma_t *ring) {
    dev_session_t *session = device->backend;
    dev_page_t *given = &session->pages[page->number];
    queue_close(session, given->queue);
    if (getpid() == session->owner) { /* elsewhere something else may lie there */
        (void)munmap(given->memory, TMU_DOORBELL_PAGE_BYTES);
        (void)munmap(ring->memory, ring->bytes);
    }
    given->memory = NULL;
    given->queue = 0;
    *ring = (tmu_dma_t){0};
}

/* ---- counters ----------------------------------------------------------------------------------
 */

static tmu_result_t counters(tmu_t *device, uint64_t *values, size_t max) {
    struct tmu_ioctl_counters call = {
        .size = sizeof call, .count = (uint32_t)max, .values = (uintptr_t)values};
    const dev_session_t *session = device->backend;
    tmu_result_t result = dev_call(session, TMU_IOCTL_COUNTERS, &call, "reading counters");
    if (result == TMU_OK && call.count < max) {
        return tmu_error_set(TMU_ERR_VERSION,
                             "%s: the kernel driver knows %u counters, this library %zu; load the "
                             "driver that came with the library",
                             session->path, call.count, max);
    }
    return result;
}

static tmu_result_t spill_stats(tmu_t *device, tmu_spill_stats_t *stats_p) {
    struct tmu_ioctl_query answer;
    tmu_result_t result = query(device->backend, &answer);
    *stats_p =
        (tmu_spill_stats_t){.segments = answer.spill_segments, .chunks_free = answer.spill_free};
    return result;
}

const tmu_control_ops_t tmu_control_session = {
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
