// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queues of sessions: a doorbell page, a share of the command slots, a ring and maybe an eventfd.
 * All with the unit's lock.
 */
#include <linux/bitmap.h>
#include <linux/interrupt.h>
#include <linux/slab.h>

#include "tmu_kernel.h"

/* Commands in flight unless the process says otherwise: enough for the unit's whole pipeline. */
#define COMMANDS_LOG2 5

struct tmu_queue *tmu_queue_find(struct tmu_session *session, u64 name) {
    struct tmu_queue *queue;
    list_for_each_entry(queue, &session->queues, node) {
        if (queue->name == name) {
            return queue;
        }
    }
    return NULL;
}

/* Takes the lowest free page, and the lowest aligned share; with 0 the largest up to `most`. */
static int page_take(struct tmu_unit *unit, struct tmu_queue *queue, u32 log2, u32 most) {
    u32 slots = unit->info.command_slots;
    u32 page = find_first_zero_bit(unit->pages_open, unit->info.queues);
    u32 size = 1u << (log2 > 0 ? log2 : most);
    unsigned long first = bitmap_find_next_zero_area(unit->slots_taken, slots, 0, size, size - 1);
    while (first >= slots && log2 == 0 && size > 1) {
        size /= 2;
        first = bitmap_find_next_zero_area(unit->slots_taken, slots, 0, size, size - 1);
    }
    if (page >= unit->info.queues || first >= slots) {
        return -ENOSPC;
    }
    queue->page = page;
    queue->first = first;
    queue->commands_log2 = ilog2(size);
    __set_bit(page, unit->pages_open);
    bitmap_set(unit->slots_taken, first, size);
    return 0;
}

static void page_release(struct tmu_unit *unit, const struct tmu_queue *queue) {
    __clear_bit(queue->page, unit->pages_open);
    bitmap_clear(unit->slots_taken, queue->first, 1u << queue->commands_log2);
}

int tmu_queue_enable(struct tmu_queue *queue, bool enable) {
    const struct tmu_page page = {
        .number = queue->page,
        .endpoint = queue->endpoint,
        .ring_log2 = queue->ring_log2,
        .first = queue->first,
        .commands_log2 = queue->commands_log2,
        .ring = queue->ring->memory.address,
        .enable = enable,
    };
    if (enable) {
        /* The first lap's phase is 1: what was there must not look like a completion. */
        tmu_ring_clear(queue->ring);
    }
    return tmu_page_set(queue->session->unit, &page);
}

/* Fills in a queue that has memory and a ring. */
int tmu_queue_open(struct tmu_session *session, struct tmu_ioctl_open *open,
                   struct tmu_queue *queue) {
    struct tmu_unit *unit = session->unit;
    int error;
    if (!tmu_endpoint_find(session, open->endpoint)) {
        return -ENOENT;
    }
    queue->session = session;
    queue->endpoint = open->endpoint;
    queue->ring_log2 = open->ring_log2;
    error = page_take(unit, queue, open->commands_log2, min(open->ring_log2, COMMANDS_LOG2 + 0u));
    if (error) {
        return error;
    }
    error = tmu_queue_enable(queue, true);
    if (error) {
        page_release(unit, queue);
        return error;
    }
    queue->name = ++unit->queue_name;
    list_add(&queue->node, &session->queues);
    open->commands_log2 = queue->commands_log2;
    open->page = queue->page;
    open->queue = queue->name;
    open->doorbell_offset = queue->name << TMU_OFFSET_BITS;
    open->ring_offset = queue->ring->pages ? 0 : open->doorbell_offset | TMU_OFFSET_RING;
    return 0;
}

/* In this order: no new command comes, the unit is done with those that it has and writes no
 * completion any more, and then page, slots and ring are somebody else's. */
void tmu_queue_close(struct tmu_queue *queue) {
    struct tmu_session *session = queue->session;
    list_del(&queue->node);
    unmap_mapping_range(session->mapping, queue->name << TMU_OFFSET_BITS, TMU_DOORBELL_PAGE_BYTES,
                        1);
    (void)tmu_queue_enable(queue, false);
    (void)tmu_queue_event(queue, NULL);
    page_release(session->unit, queue);
    tmu_ring_put(queue->ring);
    kfree(queue);
}

static irqreturn_t written(int irq, void *data) {
    const struct tmu_queue *queue = data;
    tmu_event_signal(queue->event);
    return IRQ_HANDLED;
}

/*
 * Replaces the eventfd, whose reference is the queue's from here on, or with NULL removes it.
 * No wake-up is lost: the one that it has already goes on, and one that replaces another is
 * signalled once, for a completion may have come between the two.
 */
int tmu_queue_event(struct tmu_queue *queue, struct eventfd_ctx *event) {
    struct tmu_unit *unit = queue->session->unit;
    int irq = queue->page < unit->info.vectors ? pci_irq_vector(unit->pdev, queue->page) : -1;
    bool replaces = queue->event;
    int error = 0;
    if (event && queue->event == event) {
        eventfd_ctx_put(event);
        return 0;
    }
    if (queue->event) {
        free_irq(irq, queue);
        eventfd_ctx_put(queue->event);
    }
    queue->event = event;
    if (event) {
        error = irq < 0 ? -ENOSPC : request_irq(irq, written, 0, dev_name(&unit->dev), queue);
    }
    if (error) {
        eventfd_ctx_put(event);
        queue->event = NULL;
    } else if (event && replaces) {
        tmu_event_signal(event);
    }
    return error;
}
