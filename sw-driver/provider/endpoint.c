/* SPDX-License-Identifier: Apache-2.0 */
/* Endpoints: one of the provider below, and an endpoint of the unit. */
#include "card.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINGER_SECONDS 5 /* for what is still to be sent when an endpoint is closed */

/* ---- bind and enable ---------------------------------------------------------------------- */

static int bind_av(tfi_ep_t *ep, tfi_av_t *av) {
    const int wrong = fi_ep_bind(ep->below, &av->below->fid, 0);
    if (wrong == 0) {
        ep->av = av;
    }
    return wrong;
}

/* An endpoint is in the list of a queue once, so a direction has one queue for good. */
static int check_cq(const tfi_ep_t *ep, const tfi_cq_t *cq, uint64_t flags) {
    const uint64_t directions = FI_TRANSMIT | FI_RECV;
    if ((flags & directions) == 0 || (flags & ~(directions | FI_SELECTIVE_COMPLETION)) != 0) {
        return -FI_EBADFLAGS;
    }
    if (ep->domain != cq->domain) {
        return -FI_EDOMAIN;
    }
    const bool taken =
        ((flags & FI_TRANSMIT) != 0 && ep->tx_cq) || ((flags & FI_RECV) != 0 && ep->rx_cq);
    return taken ? -FI_EINVAL : 0;
}

static int bind_cq(tfi_ep_t *ep, tfi_cq_t *cq, uint64_t flags) {
    const int refused = check_cq(ep, cq, flags);
    if (refused != 0) {
        return refused;
    }
    tfi_lock();
    const bool known = ep->tx_cq == cq || ep->rx_cq == cq;
    if ((flags & FI_TRANSMIT) != 0) {
        ep->tx_cq = cq;
        ep->tx_selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
    }
    if ((flags & FI_RECV) != 0) {
        ep->rx_cq = cq;
        ep->rx_selective = (flags & FI_SELECTIVE_COMPLETION) != 0;
    }
    if (!known) {
        if (ep->tx_cq == cq) {
            ep->next_tx = cq->endpoints;
        } else {
            ep->next_rx = cq->endpoints;
        }
        cq->endpoints = ep;
    } else if (ep->tx_cq == ep->rx_cq && (flags & FI_RECV) == 0) {
        /* The endpoint stood in the list as the receiving side, and stands there as both. */
        ep->next_tx = ep->next_rx;
    }
    tfi_unlock();
    return 0;
}

static int ep_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if (ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    switch (other->fclass) {
    case FI_CLASS_AV:
        return bind_av(ep, TFI_OF(tfi_av_t, other));
    case FI_CLASS_CQ:
        return bind_cq(ep, TFI_OF(tfi_cq_t, other), flags);
    case FI_CLASS_CNTR:
        return tfi_cntr_bind(ep, TFI_OF(tfi_cntr_t, other), flags);
    default:
        return -FI_ENOSYS;
    }
}

static int read_name(tfi_ep_t *ep) {
    size_t length = ep->domain->name_size;
    const int wrong = fi_getname(&ep->below->fid, ep->name, &length);
    return wrong == 0 && length != ep->domain->name_size ? -FI_EOTHER : wrong;
}

/* The queue of the inner endpoint, one to wait on if a queue of the user's is. */
static int open_inner_cq(tfi_ep_t *ep) {
    tfi_cq_t *const users[] = {ep->tx_cq, ep->rx_cq};
    const bool waits = ep->tx_cq->wait.set >= 0 || ep->rx_cq->wait.set >= 0;
    struct fi_cq_attr attr = {.format = FI_CQ_FORMAT_MSG,
                              .wait_obj = waits ? FI_WAIT_FD : FI_WAIT_NONE};
    int wrong = fi_cq_open(ep->domain->inner, &attr, &ep->inner_cq, NULL);
    if (wrong == 0) {
        wrong = fi_ep_bind(ep->below, &ep->inner_cq->fid, FI_TRANSMIT | FI_RECV);
    }
    for (size_t i = 0; i < 2 && wrong == 0; ++i) {
        if (users[i]->wait.set >= 0 && (i == 0 || users[i] != users[0])) {
            wrong = tfi_wait_add(users[i], ep);
        }
    }
    return wrong;
}

/* On a card the name is that of the unit's endpoint. */
static int name_card(tfi_ep_t *ep) {
    const int wrong = card_ep_name(ep->below, ep->matcher.queue, ep->matcher.endpoint);
    return wrong != 0 ? wrong : read_name(ep);
}

static int ep_enable(tfi_ep_t *ep) {
    char error[512];
    if (ep->enabled || ep->matching || ep->inner_cq) {
        return ep->enabled ? 0 : -FI_EOPBADSTATE; /* an attempt that failed is not repeated */
    }
    if (!ep->av || !ep->tx_cq || !ep->rx_cq) {
        return !ep->av ? -FI_ENOAV : -FI_ENOCQ;
    }
    int wrong = open_inner_cq(ep);
    if (wrong == 0) {
        wrong = fi_enable(ep->below);
    }
    if (wrong == 0 && !ep->domain->unit->card) {
        wrong = read_name(ep);
    }
    if (wrong != 0) {
        return wrong;
    }
    tfi_lock();
    if (matcher_open(&ep->matcher, ep->domain->unit, &tfi_match_events, ep, error, sizeof error) !=
        0) {
        tfi_say("%s", error);
        wrong = -FI_EBUSY;
    } else {
        ep->matching = true;
        wrong = ep->domain->unit->card ? name_card(ep) : 0;
        wrong = wrong != 0 ? wrong : tfi_frames_start(ep);
    }
    ep->enabled = wrong == 0;
    tfi_unlock();
    return wrong;
}

static int ep_control(struct fid *fid, int command, void *argument) {
    (void)argument;
    return command == FI_ENABLE ? ep_enable(TFI_OF(tfi_ep_t, fid)) : -FI_ENOSYS;
}

/* ---- close -------------------------------------------------------------------------------- */

/* Sends that were reported to the user, and are still here, go out. */
static void linger(tfi_ep_t *ep) {
    struct timespec start;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        if (!tfi_out_waits(ep, NULL) && ep->sending == 0) {
            return;
        }
        tfi_progress(ep);
        /* Others may have their turn: one lock guards the endpoints of all threads. */
        tfi_unlock();
        tfi_nap();
        tfi_lock();
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
    } while (now.tv_sec - start.tv_sec < LINGER_SECONDS);
}

static void leave_list(tfi_ep_t *ep, tfi_cq_t *cq) {
    if (!cq) {
        return;
    }
    tfi_ep_t **at = &cq->endpoints;
    while (*at && *at != ep) {
        at = (*at)->tx_cq == cq ? &(*at)->next_tx : &(*at)->next_rx;
    }
    if (*at == ep) {
        *at = ep->tx_cq == cq ? ep->next_tx : ep->next_rx;
    }
}

static void free_pull(tfi_ep_t *ep, tfi_pull_t *pull) {
    tfi_message_free(ep, pull->message);
    if (pull->ask) {
        tfi_ask_free(ep, pull->ask);
    }
    free(pull);
}

/* Frees operations that cannot finish. */
static void free_unfinished(tfi_ep_t *ep) {
    for (tfi_send_t *send; (send = slots_take_out(&ep->sends));) {
        tfi_send_free(ep, send);
    }
    while (ep->pulls) {
        tfi_pull_t *pull = ep->pulls;
        ep->pulls = pull->next;
        slots_release(&ep->fetched, pull->handle); /* it may be in both */
        free_pull(ep, pull);
    }
    for (tfi_pull_t *pull; (pull = slots_take_out(&ep->fetched));) {
        free_pull(ep, pull);
    }
    for (tfi_message_t *message; (message = slots_take_out(&ep->claimed));) {
        tfi_message_free(ep, message);
    }
    slots_free(&ep->sends);
    slots_free(&ep->fetched);
    slots_free(&ep->claimed);
    tfi_out_free(ep);
    tfi_untagged_free(ep);
    tfi_asks_free(ep);
    tfi_load_free(&ep->loads);
}

static int ep_close(struct fid *fid) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    tfi_lock();
    if (ep->enabled) {
        linger(ep);
    }
    if (ep->enabled && ep->domain->unit->card) {
        card_ep_linger(ep->below);
        card_ep_unname(ep->below);
    }
    leave_list(ep, ep->tx_cq);
    if (ep->rx_cq != ep->tx_cq) {
        leave_list(ep, ep->rx_cq);
    }
    tfi_cntr_leave(ep);
    if (ep->matching) {
        matcher_close(&ep->matcher);
    }
    (void)fi_close(&ep->below->fid);
    ep->below = NULL; /* with the memory of receives on a card */
    if (ep->inner_cq) {
        (void)fi_close(&ep->inner_cq->fid);
    }
    free_unfinished(ep);
    tfi_frames_free(ep);
    tfi_unlock();
    free(ep);
    return 0;
}

/* ---- names and options -------------------------------------------------------------------- */

int tfi_getname(fid_t fid, void *address, size_t *length) {
    const tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    const size_t size = ep->domain->name_size;
    if (!ep->enabled) {
        return -FI_EOPBADSTATE;
    }
    const size_t room = *length;
    *length = size;
    memcpy(address, ep->name, room < size ? room : size);
    return room < size ? -FI_ETOOSMALL : 0;
}

/* The provider below has no buffers for many messages. */
static bool is_least(int level, int name) {
    return level == FI_OPT_ENDPOINT && name == FI_OPT_MIN_MULTI_RECV;
}

static int ep_getopt(fid_t fid, int level, int name, void *value, size_t *length) {
    const tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if (!is_least(level, name)) {
        return fi_getopt(&ep->below->fid, level, name, value, length);
    }
    if (*length < sizeof ep->untagged.least) {
        return -FI_ETOOSMALL;
    }
    memcpy(value, &ep->untagged.least, sizeof ep->untagged.least);
    *length = sizeof ep->untagged.least;
    return 0;
}

static int ep_setopt(fid_t fid, int level, int name, const void *value, size_t length) {
    tfi_ep_t *ep = TFI_OF(tfi_ep_t, fid);
    if (!is_least(level, name)) {
        return fi_setopt(&ep->below->fid, level, name, value, length);
    }
    if (length != sizeof ep->untagged.least) {
        return -FI_EINVAL;
    }
    memcpy(&ep->untagged.least, value, length);
    return 0;
}

static int ep_no_tx(struct fid_ep *ep, int index, struct fi_tx_attr *attr, struct fid_ep **tx,
                    void *context) {
    (void)ep, (void)index, (void)attr, (void)tx, (void)context;
    return -FI_ENOSYS;
}

static int ep_no_rx(struct fid_ep *ep, int index, struct fi_rx_attr *attr, struct fid_ep **rx,
                    void *context) {
    (void)ep, (void)index, (void)attr, (void)rx, (void)context;
    return -FI_ENOSYS;
}

static ssize_t ep_no_size(struct fid_ep *ep) {
    (void)ep;
    return -FI_ENOSYS;
}

static struct fi_ops ep_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = ep_close,
    .bind = ep_bind,
    .control = ep_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_ep ep_ops = {
    .size = sizeof(struct fi_ops_ep),
    .cancel = tfi_cancel,
    .getopt = ep_getopt,
    .setopt = ep_setopt,
    .tx_ctx = ep_no_tx,
    .rx_ctx = ep_no_rx,
    .rx_size_left = ep_no_size,
    .tx_size_left = ep_no_size,
};

/* ---- open --------------------------------------------------------------------------------- */

int tfi_ep_open(struct fid_domain *fid, struct fi_info *info, struct fid_ep **ep_p, void *context) {
    struct fi_info *inner = NULL;
    int wrong = tfi_inner_info(info, &inner);
    if (wrong != 0) {
        return wrong;
    }
    tfi_ep_t *ep = calloc(1, sizeof *ep);
    wrong = -FI_ENOMEM;
    if (ep) {
        ep->domain = TFI_OF(tfi_domain_t, fid);
        ep->inner_pieces = inner->tx_attr->iov_limit;
        /* Every completion is wanted, whatever the user's flags are. */
        inner->tx_attr->op_flags = inner->rx_attr->op_flags = 0;
        wrong = fi_endpoint(ep->domain->inner, inner, &ep->below, NULL);
    }
    fi_freeinfo(inner);
    if (wrong != 0) {
        free(ep);
        return wrong;
    }
    ep->lane_first = TFI_NO_LANE;
    ep->untagged.least = TFI_EAGER;
    ep->directed = (info->caps & FI_DIRECTED_RECV) != 0;
    ep->tx_flags = info->tx_attr->op_flags;
    ep->rx_flags = info->rx_attr->op_flags;
    ep->inject_size = info->tx_attr->inject_size;
    ep->fid.fid = (struct fid){.fclass = FI_CLASS_EP, .context = context, .ops = &ep_fid_ops};
    ep->fid.ops = &ep_ops;
    ep->fid.cm = &tfi_cm_ops;
    ep->fid.msg = &tfi_msg_ops;
    ep->fid.rma = &tfi_no_rma_ops;
    ep->fid.atomic = &tfi_no_atomic_ops;
    ep->fid.collective = &tfi_no_collective_ops;
    ep->fid.tagged = &tfi_tagged_ops;
    *ep_p = &ep->fid;
    return 0;
}
