/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoint of the card below: its control endpoint of the unit, and its names. */
#include "card.h"

#include <stdlib.h>
#include <string.h>

#define RING_LOG2 14u /* receives that wait have an entry each */
#define CLOSE_ROUNDS 100000u
#define CLOCKS 256u
#define QUIET_MS 50u /* without a frame, after which no peer waits for an acknowledgement */
#define LINGER_MS 2000u

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    card_ep_t *ep = TFI_OF(card_ep_t, fid);
    (void)flags;
    if (other->fclass == FI_CLASS_AV) {
        ep->av = TFI_OF(card_av_t, other);
        return 0;
    }
    if (other->fclass == FI_CLASS_CQ) {
        ep->cq = TFI_OF(card_cq_t, other);
        ep->cq->ep = ep;
        return 0;
    }
    return -FI_ENOSYS;
}

/* False: the driver does not let go of it, because something is not answered.  Other queues' calls
 * may still take what it is answered, and nobody is told of that. */
static bool close_queue(tmu_queue_t **queue) {
    const bool closed = !*queue || tmu_queue_close(*queue) == TMU_OK;
    if (!closed) {
        (void)tmu_queue_observe(*queue, NULL, NULL);
    }
    *queue = NULL;
    return closed;
}

static int ep_enable(card_ep_t *ep) {
    ep->control = unit_take_endpoint(ep->unit);
    if (ep->control == UINT32_MAX) {
        tfi_say("found no free endpoint of the unit, of which one on a card needs two");
        return -FI_EBUSY;
    }
    const tmu_queue_attr_t attr = {.endpoint = ep->control, .ring_log2 = RING_LOG2};
    if (tmu_queue_open(ep->unit->device, &attr, &ep->queue) != TMU_OK ||
        tmu_queue_open(ep->unit->device, &attr, &ep->tagged) != TMU_OK) {
        tfi_say("no queue on the unit: %s", tmu_error_text(ep->unit->device));
        close_queue(&ep->queue);
        unit_return_endpoint(ep->unit, ep->control);
        return -FI_EBUSY;
    }
    (void)tmu_queue_observe(ep->queue, card_observe, ep);
    (void)tmu_queue_observe(ep->tagged, card_observe, ep);
    ep->memory = (card_memory_t){.device = ep->unit->device, .endpoint = ep->control};
    return 0;
}

/* Name of an endpoint, or with CARD_CONTROL of its control endpoint. */
static tmu_net_name_t name_of(uint32_t endpoint, uint32_t control) {
    return (tmu_net_name_t){CARD_JOB, CARD_PID, (uint16_t)(endpoint | control)};
}

int card_ep_name(struct fid_ep *fid, tmu_queue_t *matching, uint32_t endpoint) {
    card_ep_t *ep = TFI_OF(card_ep_t, fid);
    const tmu_net_name_t tagged = name_of(endpoint, 0);
    const tmu_net_name_t control = name_of(endpoint, CARD_CONTROL);
    ep->matching = endpoint;
    ep->matching_memory = (card_memory_t){.device = ep->unit->device, .endpoint = endpoint};
    if (tmu_net_name_add(ep->queue, &control) != TMU_OK ||
        tmu_net_name_add(matching, &tagged) != TMU_OK) {
        tfi_say("no name on the card: %s", tmu_error_text(ep->unit->device));
        return -FI_EBUSY;
    }
    return 0;
}

void card_ep_unname(struct fid_ep *fid) {
    const card_ep_t *ep = TFI_OF(card_ep_t, fid);
    const tmu_net_name_t tagged = name_of(ep->matching, 0);
    const tmu_net_name_t control = name_of(ep->matching, CARD_CONTROL);
    (void)tmu_net_name_remove(ep->queue, &tagged);
    (void)tmu_net_name_remove(ep->queue, &control);
}

void card_ep_linger(struct fid_ep *fid) {
    const card_ep_t *ep = TFI_OF(card_ep_t, fid);
    const uint64_t start = tfi_now_ms();
    uint64_t heard = start;
    tmu_net_counts_t counts = {0};
    uint64_t now = start;
    while (now - heard < QUIET_MS && now - start < LINGER_MS) {
        const uint32_t before = counts.accepted;
        if (tmu_progress(ep->unit->device, CLOCKS) != TMU_OK ||
            tmu_net_counts(ep->unit->device, &counts) != TMU_OK) {
            return;
        }
        /* Others may have their turn: one lock guards the endpoints of all threads. */
        tfi_unlock();
        tfi_nap();
        tfi_lock();
        now = tfi_now_ms();
        heard = counts.accepted != before ? now : heard;
    }
}

card_memory_t *card_ep_memory(struct fid_ep *fid) {
    return &TFI_OF(card_ep_t, fid)->matching_memory;
}

static int ep_control(struct fid *fid, int command, void *argument) {
    (void)argument;
    if (command != FI_ENABLE) {
        return -FI_ENOSYS;
    }
    tfi_lock();
    const int wrong = ep_enable(TFI_OF(card_ep_t, fid));
    tfi_unlock();
    return wrong;
}

static int get_name(fid_t fid, void *name, size_t *length) {
    const card_ep_t *ep = TFI_OF(card_ep_t, fid);
    uint8_t bytes[CARD_NAME];
    const card_name_t own = card_name_own(&ep->unit->network, ep->matching);
    card_name_encode(&own, bytes);
    memcpy(name, bytes, *length < CARD_NAME ? *length : CARD_NAME);
    *length = CARD_NAME;
    return 0;
}

static int no_option(fid_t fid, int level, int name, void *value, size_t *length) {
    (void)fid, (void)level, (void)name, (void)value, (void)length;
    return -FI_ENOPROTOOPT;
}

static int set_no_option(fid_t fid, int level, int name, const void *value, size_t length) {
    (void)fid, (void)level, (void)name, (void)value, (void)length;
    return -FI_ENOPROTOOPT;
}

/* Removes the receives that wait, and waits for all that the card owes. */
static void empty(card_ep_t *ep) {
    tmu_result_t sent = TMU_AGAIN;
    for (unsigned i = 0; i < CLOSE_ROUNDS; ++i) {
        if (sent == TMU_AGAIN) {
            sent = tmu_flush(ep->queue, ep->control, NULL, SLOTS_NONE);
            ep->unit->counts.asked[TMU_OPCODE_FLUSH] += sent == TMU_OK;
        }
        if (sent != TMU_AGAIN && tmu_queue_in_flight(ep->queue) == 0 &&
            tmu_queue_in_flight(ep->tagged) == 0) {
            return;
        }
        tmu_completion_t ignored;
        size_t count = 0;
        if (tmu_progress(ep->unit->device, CLOCKS) != TMU_OK ||
            tmu_poll(ep->queue, &ignored, 1, &count) != TMU_OK ||
            tmu_poll(ep->tagged, &ignored, 1, &count) != TMU_OK) {
            return;
        }
    }
}

static int ep_close(struct fid *fid) {
    card_ep_t *ep = TFI_OF(card_ep_t, fid);
    if (ep->queue) {
        empty(ep);
        card_operations_free(ep);
        card_peers_forget(ep);
        card_memory_close(&ep->memory);
        card_memory_close(&ep->matching_memory);
        const bool tagged = close_queue(&ep->tagged);
        if (close_queue(&ep->queue) && tagged) {
            unit_return_endpoint(ep->unit, ep->control);
        }
    }
    if (ep->cq) {
        ep->cq->ep = NULL;
    }
    free(ep->numbers);
    free(ep);
    return 0;
}

static struct fi_ops fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = ep_close,
    .bind = ep_bind,
    .control = ep_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_ep ops = {
    .size = sizeof(struct fi_ops_ep),
    .cancel = card_cancel,
    .getopt = no_option,
    .setopt = set_no_option,
};

static struct fi_ops_cm cm_ops = {
    .size = sizeof(struct fi_ops_cm),
    .getname = get_name,
};

int card_ep_open(struct fid_domain *domain, struct fi_info *info, struct fid_ep **ep_p,
                 void *context) {
    card_ep_t *ep = calloc(1, sizeof *ep);
    (void)info;
    if (!ep) {
        return -FI_ENOMEM;
    }
    ep->unit = card_domain_unit(domain);
    ep->waiting_end = &ep->waiting;
    ep->fid.fid = (struct fid){.fclass = FI_CLASS_EP, .context = context, .ops = &fid_ops};
    ep->fid.ops = &ops;
    ep->fid.cm = &cm_ops;
    ep->fid.tagged = &card_tagged_ops;
    *ep_p = &ep->fid;
    return 0;
}
