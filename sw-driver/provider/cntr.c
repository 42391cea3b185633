/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters: how many sends and receives of the endpoints bound to one ended, whether or not a
 * completion queue shows them.  Looks (FI_PEEK) are neither.
 * One may be bound for reads and writes of remote memory as well, as MPICH does with every
 * endpoint; there is no FI_RMA, so it counts none.
 */
#include "provider.h"

#include <inttypes.h>
#include <stdlib.h>

/* ---- counting ----------------------------------------------------------------------------- */

void tfi_end(tfi_ep_t *ep, const struct fi_cq_err_entry *entry, fi_addr_t source,
             tfi_shown_t shown) {
    static uint64_t lost;
    const bool receive = (entry->flags & FI_RECV) != 0;
    tfi_cntr_t *cntr = ep->seats[receive ? TFI_RECEIVES : TFI_SENDS].cntr;
    if (cntr && entry->err != 0) {
        ++cntr->errors;
    } else if (cntr) {
        ++cntr->value;
    }
    if (shown == TFI_ALWAYS || (shown == TFI_IF_FAILED && entry->err != 0)) {
        tfi_cq_add(receive ? ep->rx_cq : ep->tx_cq, entry, source);
    } else if (entry->err != 0) {
        tfi_say_rarely(&lost, "an injected message was not delivered: %s", fi_strerror(entry->err));
    }
}

/* ---- endpoints ---------------------------------------------------------------------------- */

static void sit_down(tfi_ep_t *ep, tfi_seat_t *seat, tfi_cntr_t *cntr) {
    *seat = (tfi_seat_t){.ep = ep, .cntr = cntr, .next = cntr->seats};
    cntr->seats = seat;
}

static void stand_up(tfi_seat_t *seat) {
    if (!seat->cntr) {
        return;
    }
    tfi_seat_t **at = &seat->cntr->seats;
    while (*at != seat) {
        at = &(*at)->next;
    }
    *at = seat->next;
    seat->cntr = NULL;
}

/* The bits of fi_ep_bind in the order of the seats; FI_TRANSMIT is the same bit as FI_SEND. */
static const uint64_t bits[TFI_SEATS] = {FI_SEND, FI_RECV, FI_READ, FI_WRITE};

int tfi_cntr_bind(tfi_ep_t *ep, tfi_cntr_t *cntr, uint64_t flags) {
    if (flags == 0 || (flags & ~(FI_SEND | FI_RECV | FI_READ | FI_WRITE)) != 0) {
        tfi_say("a counter is bound with the flags 0x%" PRIx64
                ", expected some of FI_SEND, FI_RECV, FI_READ and FI_WRITE: there is nothing else "
                "to count",
                flags);
        return -FI_EBADFLAGS;
    }
    if (ep->domain != cntr->domain) {
        tfi_say("a counter and an endpoint of two domains cannot be bound");
        return -FI_EDOMAIN;
    }
    tfi_lock();
    bool taken = false;
    for (size_t i = 0; i < TFI_SEATS; ++i) {
        taken = taken || ((flags & bits[i]) != 0 && ep->seats[i].cntr);
    }
    for (size_t i = 0; i < TFI_SEATS && !taken; ++i) {
        if ((flags & bits[i]) != 0) {
            sit_down(ep, &ep->seats[i], cntr);
        }
    }
    tfi_unlock();
    if (taken) {
        tfi_say("an endpoint has a counter for that already, and it can have one for each of its "
                "sends, receives, reads and writes");
    }
    return taken ? -FI_EINVAL : 0;
}

void tfi_cntr_leave(tfi_ep_t *ep) {
    for (size_t i = 0; i < TFI_SEATS; ++i) {
        stand_up(&ep->seats[i]);
    }
}

/* ---- from the user ------------------------------------------------------------------------ */

/* The first of an endpoint's seats at this seat's counter. */
static const tfi_seat_t *first_seat(const tfi_seat_t *seat) {
    const tfi_seat_t *first = seat->ep->seats;
    while (first->cntr != seat->cntr) {
        ++first;
    }
    return first;
}

/* Each endpoint once, also one that has several seats. */
static void progress(tfi_cntr_t *cntr) {
    for (tfi_seat_t *seat = cntr->seats; seat; seat = seat->next) {
        if (seat == first_seat(seat)) {
            tfi_progress(seat->ep);
        }
    }
}

static uint64_t cntr_read(struct fid_cntr *fid) {
    tfi_cntr_t *cntr = TFI_OF(tfi_cntr_t, fid);
    tfi_lock();
    progress(cntr);
    const uint64_t value = cntr->value;
    tfi_unlock();
    return value;
}

static uint64_t cntr_readerr(struct fid_cntr *fid) {
    tfi_cntr_t *cntr = TFI_OF(tfi_cntr_t, fid);
    tfi_lock();
    progress(cntr);
    const uint64_t errors = cntr->errors;
    tfi_unlock();
    return errors;
}

static int cntr_add(struct fid_cntr *fid, uint64_t value) {
    tfi_lock();
    TFI_OF(tfi_cntr_t, fid)->value += value;
    tfi_unlock();
    return 0;
}

static int cntr_adderr(struct fid_cntr *fid, uint64_t value) {
    tfi_lock();
    TFI_OF(tfi_cntr_t, fid)->errors += value;
    tfi_unlock();
    return 0;
}

static int cntr_set(struct fid_cntr *fid, uint64_t value) {
    tfi_lock();
    TFI_OF(tfi_cntr_t, fid)->value = value;
    tfi_unlock();
    return 0;
}

static int cntr_seterr(struct fid_cntr *fid, uint64_t value) {
    tfi_lock();
    TFI_OF(tfi_cntr_t, fid)->errors = value;
    tfi_unlock();
    return 0;
}

/* Any change of the error value ends it, from the beginning of the call on; what changed before can
 * be read.  A value that is there is said first, for it is what was asked for. */
static int cntr_wait(struct fid_cntr *fid, uint64_t threshold, int timeout) {
    tfi_cntr_t *cntr = TFI_OF(tfi_cntr_t, fid);
    if (!cntr->may_wait) {
        tfi_say("fi_cntr_wait on a counter that was opened with FI_WAIT_NONE; open it with "
                "FI_WAIT_UNSPEC");
        return -FI_EINVAL;
    }
    const uint64_t start = tfi_now_ms();
    tfi_lock();
    const uint64_t errors = cntr->errors;
    tfi_unlock();
    for (;;) {
        tfi_lock();
        progress(cntr);
        const bool reached = cntr->value >= threshold;
        const bool failed = cntr->errors != errors;
        tfi_unlock();
        if (reached || failed) {
            return reached ? 0 : -FI_EAVAIL;
        }
        if (timeout >= 0 && tfi_now_ms() - start >= (uint64_t)timeout) {
            return -FI_ETIMEDOUT;
        }
        tfi_nap();
    }
}

static int cntr_close(struct fid *fid) {
    tfi_cntr_t *cntr = TFI_OF(tfi_cntr_t, fid);
    tfi_lock();
    const bool busy = cntr->seats;
    if (!busy) {
        --cntr->domain->users;
    }
    tfi_unlock();
    if (busy) {
        return -FI_EBUSY;
    }
    free(cntr);
    return 0;
}

static struct fi_ops cntr_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = cntr_close,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_cntr cntr_ops = {
    .size = sizeof(struct fi_ops_cntr),
    .read = cntr_read,
    .readerr = cntr_readerr,
    .add = cntr_add,
    .set = cntr_set,
    .wait = cntr_wait,
    .adderr = cntr_adderr,
    .seterr = cntr_seterr,
};

/* 0, or the error; then it was said. */
static int check(const struct fi_cntr_attr *attr) {
    if (attr->events != FI_CNTR_EVENTS_COMP) {
        tfi_say("a counter of the events %d is asked for; FI_CNTR_EVENTS_COMP alone is counted",
                (int)attr->events);
        return -FI_ENOSYS;
    }
    if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC &&
        attr->wait_obj != FI_WAIT_YIELD) {
        tfi_say("a counter with the wait object %d is asked for; there are FI_WAIT_NONE, "
                "FI_WAIT_UNSPEC and FI_WAIT_YIELD",
                (int)attr->wait_obj);
        return -FI_ENOSYS;
    }
    if (attr->flags != 0) {
        tfi_say("a counter with the flags 0x%" PRIx64 " is asked for, expected 0", attr->flags);
        return -FI_EINVAL;
    }
    return 0;
}

int tfi_cntr_open(struct fid_domain *fid, struct fi_cntr_attr *attr, struct fid_cntr **cntr_p,
                  void *context) {
    const struct fi_cntr_attr usual = {.events = FI_CNTR_EVENTS_COMP, .wait_obj = FI_WAIT_NONE};
    const struct fi_cntr_attr *asked = attr ? attr : &usual;
    const int wrong = check(asked);
    if (wrong != 0) {
        return wrong;
    }
    tfi_cntr_t *cntr = calloc(1, sizeof *cntr);
    if (!cntr) {
        return -FI_ENOMEM;
    }
    cntr->domain = TFI_OF(tfi_domain_t, fid);
    cntr->may_wait = asked->wait_obj != FI_WAIT_NONE;
    cntr->fid.fid = (struct fid){.fclass = FI_CLASS_CNTR, .context = context, .ops = &cntr_fid_ops};
    cntr->fid.ops = &cntr_ops;
    tfi_lock();
    ++cntr->domain->users;
    tfi_unlock();
    *cntr_p = &cntr->fid;
    return 0;
}
