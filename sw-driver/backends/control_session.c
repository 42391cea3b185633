/* SPDX-License-Identifier: Apache-2.0
 *
 * A session: what whoever shares the unit, the kernel driver or tmu-share, does for it off the data
 * path.
 *
 * Endpoints are numbered from 0, whichever were granted.  An endpoint's reserve is what flow
 * control takes as its table on chip: who shares the unit answers for it.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "session.h"
#include "tmu_internal.h"

static tmu_result_t ask(session_t *session, unsigned long request, void *argument,
                        const char *what) {
    return session->ops->call(session, request, argument, what);
}

/* ---- what the device is ---------------------------------------------------------------------- */

static tmu_result_t query(session_t *session, struct tmu_ioctl_query *query_p) {
    *query_p = (struct tmu_ioctl_query){.size = sizeof *query_p};
    tmu_result_t result = ask(session, TMU_IOCTL_QUERY, query_p, "asking what the unit is");
    if (result == TMU_OK && query_p->version != TMU_IOCTL_VERSION) {
        return tmu_error_set(
            TMU_ERR_VERSION,
            "%s: %s has version %u of its calls, this library %d; use the one that "
            "came with the library",
            session->path, session->ops->who, query_p->version, TMU_IOCTL_VERSION);
    }
    return result;
}

/* Sizes of tables of this library; no unit has more. */
#define MOST (UINT32_C(1) << 20)

static bool is_within(uint32_t value, uint32_t least, uint32_t most) {
    return least <= value && value <= most;
}

/* Checks numbers that loops, shifts and allocations use. */
static tmu_result_t query_check(const session_t *session, const struct tmu_ioctl_query *q) {
    if (is_within(q->queues, 1, MOST) && is_within(q->command_slots, 1, MOST) &&
        is_within(q->id_bits, 1, 32) && is_within(q->match_bits, 1, 64) &&
        is_within(q->source_bits, 1, 32) && is_within(q->handle_bits, 1, 64)) {
        return TMU_OK;
    }
    return tmu_error_set(TMU_ERR_DEVICE,
                         "%s: %s says what no unit is: %u queues, %u command slots, %u id bits, "
                         "%u match bits, %u source bits, %u handle bits",
                         session->path, session->ops->who, q->queues, q->command_slots, q->id_bits,
                         q->match_bits, q->source_bits, q->handle_bits);
}

static tmu_result_t info_fill(tmu_t *device, const struct tmu_ioctl_query *q) {
    const char *scheme = device->info.scheme;
    device->info = (tmu_info_t){.scheme = scheme, .shared = true};
    /* A member of 0 says that there is no such register. */
#define TAKE(member, offset, since, needs, older)                                                  \
    device->info.member = q->member != 0 ? q->member : (older);
    TMU_DISCOVERY_TABLE(TAKE)
#undef TAKE
    return tmu_control_version(device, q->interface_version);
}

/* Takes as many endpoints as the URI asks for; the least reserve of them is what is sure. */
static tmu_result_t endpoints_take(tmu_t *device, session_t *session) {
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
        tmu_result_t result = ask(session, TMU_IOCTL_TAKE, &take, "taking endpoints");
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
    session_t *session = device->backend;
    struct tmu_ioctl_query answer;
    tmu_result_t result = query(session, &answer);
    if (result == TMU_OK) {
        result = info_fill(device, &answer);
    }
    if (result == TMU_OK) {
        result = query_check(session, &answer);
    }
    if (result != TMU_OK) {
        return result;
    }
    session->vectors = answer.vectors;
    result = session_pages(session, answer.queues);
    if (result == TMU_OK && session->ops->found) {
        result = session->ops->found(session);
    }
    return result == TMU_OK ? endpoints_take(device, session) : result;
}

static tmu_result_t start(tmu_t *device) {
    session_t *session = device->backend;
    tmu_bounds_share(&device->bounds, session->reserve, device->info.spill_segments > 0);
    return TMU_OK;
}

/* ---- endpoints ------------------------------------------------------------------------------- */

static tmu_result_t ask_depth(const tmu_t *device, uint32_t endpoint,
                              struct tmu_ioctl_depth *depth_p) {
    *depth_p = (struct tmu_ioctl_depth){.size = sizeof *depth_p,
                                        .endpoint = device->granted[endpoint].number};
    return ask(device->backend, TMU_IOCTL_DEPTH, depth_p, "reading a depth");
}

static tmu_result_t depth(tmu_t *device, uint32_t endpoint, tmu_depth_t *depth_p) {
    struct tmu_ioctl_depth answer;
    tmu_result_t result = ask_depth(device, endpoint, &answer);
    *depth_p = (tmu_depth_t){.posted = answer.posted, .unexpected = answer.unexpected};
    return result;
}

static tmu_result_t reset(tmu_t *device) {
    struct tmu_ioctl_reset call = {.size = sizeof call};
    tmu_result_t result = ask(device->backend, TMU_IOCTL_RESET, &call, "resetting");
    for (uint32_t i = 0; i < device->info.endpoints && result == TMU_OK; i++) {
        struct tmu_ioctl_depth answer;
        result = ask_depth(device, i, &answer);
        device->granted[i].serial = answer.serial;
    }
    return result;
}

/* The reserve is the one that was granted: tmu_reserve_set is refused. */
static tmu_result_t limits(tmu_t *device, uint32_t endpoint, tmu_depth_t quota,
                           tmu_depth_t reserve) {
    (void)reserve;
    struct tmu_ioctl_quota call = {
        .size = sizeof call,
        .endpoint = device->granted[endpoint].number,
        .posted = quota.posted,
        .unexpected = quota.unexpected,
    };
    return ask(device->backend, TMU_IOCTL_QUOTA, &call, "setting a quota");
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void queue_close(session_t *session, uint64_t name) {
    struct tmu_ioctl_close call = {.size = sizeof call, .queue = name};
    (void)ask(session, TMU_IOCTL_CLOSE, &call, "closing a queue");
}

/* Frees memory of this process that no ring lies in; there may be none. */
static void ring_drop(tmu_dma_t *ring) {
    if (ring->memory) {
        (void)munmap(ring->memory, ring->bytes);
    }
    *ring = (tmu_dma_t){0};
}

/* A page of the session's that no queue has, and the sizes that were asked for. */
static tmu_result_t granted_check(const session_t *session, const tmu_info_t *info,
                                  const tmu_queue_attr_t *asked, const struct tmu_ioctl_open *got) {
    bool slots = got->commands_log2 < 32 && info->command_slots >> got->commands_log2 != 0 &&
                 (asked->commands_log2 == 0 || got->commands_log2 == asked->commands_log2);
    if (got->page < session->page_count && !session->pages[got->page].memory && slots &&
        got->ring_log2 == asked->ring_log2) {
        return TMU_OK;
    }
    return tmu_error_set(TMU_ERR_DEVICE,
                         "%s: %s opened a queue that was not asked for: page %u of %u, 2^%u slots "
                         "of %u, 2^%u completions for 2^%u",
                         session->path, session->ops->who, got->page, session->page_count,
                         got->commands_log2, info->command_slots, got->ring_log2, asked->ring_log2);
}

static tmu_result_t queue_take(tmu_t *device, const tmu_queue_attr_t *attr, uint32_t most_log2,
                               tmu_page_t *page_p, tmu_dma_t *ring_p) {
    session_t *session = device->backend;
    struct tmu_ioctl_open call = {
        .size = sizeof call,
        .endpoint = device->granted[attr->endpoint].number,
        .ring_log2 = attr->ring_log2,
        .commands_log2 = attr->commands_log2,
    };
    (void)most_log2; /* the choice there is no larger */
    tmu_result_t result = tmu_pages_check(device->info.command_slots, attr->commands_log2);
    if (result == TMU_OK && session->own_rings) {
        result = session->ops->ring_get(session, &call, ring_p);
    }
    if (result == TMU_OK) {
        result = ask(session, TMU_IOCTL_OPEN, &call, "opening a queue: queues or command slots");
    }
    if (result != TMU_OK) {
        ring_drop(ring_p);
        return result;
    }
    result = granted_check(session, &device->info, attr, &call);
    session_page_t *page = result == TMU_OK ? &session->pages[call.page] : NULL;
    if (page) {
        result = session->ops->map(session, &call, page, ring_p);
    }
    if (result != TMU_OK) {
        queue_close(session, call.queue);
        ring_drop(ring_p);
        return result;
    }
    page->queue = call.queue;
    *page_p = (tmu_page_t){.number = call.page, .commands_log2 = call.commands_log2};
    return TMU_OK;
}

/* That is done already: queues are opened, closed and reset with their rings. */
static tmu_result_t queue_set(tmu_queue_t *queue, bool enable) {
    (void)queue;
    (void)enable;
    return TMU_OK;
}

static void queue_give(tmu_t *device, const tmu_page_t *page, tmu_dma_t *ring) {
    session_t *session = device->backend;
    session_page_t *given = &session->pages[page->number];
    queue_close(session, given->queue);
    session->ops->unmap(session, given, ring);
    given->memory = NULL;
    given->queue = 0;
    *ring = (tmu_dma_t){0};
}

/* ---- counters -------------------------------------------------------------------------------- */

static tmu_result_t counters(tmu_t *device, uint64_t *values, size_t max) {
    struct tmu_ioctl_counters call = {
        .size = sizeof call, .count = (uint32_t)max, .values = (uintptr_t)values};
    session_t *session = device->backend;
    tmu_result_t result = ask(session, TMU_IOCTL_COUNTERS, &call, "reading counters");
    if (result == TMU_OK && call.count < max) {
        return tmu_error_set(
            TMU_ERR_VERSION,
            "%s: %s knows %u counters, this library %zu; use the one that came with "
            "the library",
            session->path, session->ops->who, call.count, max);
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
