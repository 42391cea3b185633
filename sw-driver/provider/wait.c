/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file descriptor to wait on for a completion queue (FI_WAIT_FD): an epoll instance with that of
 * each endpoint's queue in the provider below, and an eventfd for completions that a call of
 * another thread makes, and for fi_cq_signal.
 *
 * Most devices cannot wake anybody, so fi_trywait lets nobody sleep while the unit owes an answer,
 * or something waits for room: a program that waits by it looks again at once.
 */
#include "provider.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool watch(const tfi_cq_t *cq, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(cq->wait.set, EPOLL_CTL_ADD, fd, &event) == 0;
}

int tfi_wait_open(tfi_cq_t *cq) {
    cq->wait.set = epoll_create1(EPOLL_CLOEXEC);
    cq->wait.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (cq->wait.set >= 0 && cq->wait.event >= 0 && watch(cq, cq->wait.event)) {
        return 0;
    }
    tfi_wait_close(cq);
    return -FI_EMFILE;
}

void tfi_wait_close(tfi_cq_t *cq) {
    if (cq->wait.set >= 0) {
        (void)close(cq->wait.set);
    }
    if (cq->wait.event >= 0) {
        (void)close(cq->wait.event);
    }
    cq->wait.set = cq->wait.event = -1;
}

/* The descriptor leaves the set when the endpoint closes it. */
int tfi_wait_add(tfi_cq_t *cq, tfi_ep_t *ep) {
    const int wrong = fi_control(&ep->inner_cq->fid, FI_GETWAIT, &ep->inner_fd);
    if (wrong != 0) {
        return wrong;
    }
    return watch(cq, ep->inner_fd) ? 0 : -FI_ENOMEM;
}

/* The provider `net` leaves its descriptor readable when all that came was read, until a blocking
 * read of its queue looks at it. */
static bool has_come(tfi_ep_t *ep) {
    struct pollfd inner = {.fd = ep->inner_fd, .events = POLLIN};
    return poll(&inner, 1, 0) == 1 && tfi_inner_comes(ep);
}

/* 0 when nobody misses anything of an endpoint by sleeping. */
static int is_quiet(const tfi_fabric_t *fabric, tfi_ep_t *ep) {
    if (!ep->enabled) {
        return 0;
    }
    struct fid *inner = &ep->inner_cq->fid;
    const int wrong = tfi_busy(ep) ? -FI_EAGAIN : fi_trywait(fabric->inner, &inner, 1);
    if (wrong != 0) {
        return wrong;
    }
    return has_come(ep) ? -FI_EAGAIN : 0;
}

void tfi_wake(tfi_cq_t *cq) {
    const uint64_t one = 1;
    if (cq->wait.event >= 0) {
        (void)!write(cq->wait.event, &one, sizeof one);
    }
}

/* With the lock held: 0 when nobody misses anything by sleeping. */
static int may_sleep(const tfi_fabric_t *fabric, tfi_cq_t *cq) {
    uint64_t woken;
    if (cq->wait.set < 0) {
        return -FI_EINVAL;
    }
    (void)!read(cq->wait.event, &woken, sizeof woken);
    tfi_cq_progress(cq);
    if (cq->dones.count != 0 || cq->woken) {
        return -FI_EAGAIN;
    }
    int wrong = 0;
    for (tfi_ep_t *ep = cq->endpoints; ep && wrong == 0; ep = tfi_cq_next(cq, ep)) {
        wrong = is_quiet(fabric, ep);
    }
    return wrong;
}

int tfi_trywait(struct fid_fabric *fid, struct fid **fids, int count) {
    const tfi_fabric_t *fabric = TFI_OF(tfi_fabric_t, fid);
    int result = 0;
    for (int i = 0; i < count && result == 0; ++i) {
        switch (fids[i]->fclass) {
        case FI_CLASS_EQ: /* it is the provider's below */
            result = fi_trywait(fabric->inner, &fids[i], 1);
            break;
        case FI_CLASS_CQ:
            tfi_lock();
            result = may_sleep(fabric, TFI_OF(tfi_cq_t, fids[i]));
            tfi_unlock();
            break;
        default:
            result = -FI_EINVAL;
            break;
        }
    }
    return result;
}

void tfi_wait_for(tfi_cq_t *cq, int timeout) {
    struct pollfd set = {.fd = cq->wait.set, .events = POLLIN};
    tfi_lock();
    const int wrong = cq->wait.set >= 0 ? may_sleep(cq->domain->fabric, cq) : -FI_EAGAIN;
    tfi_unlock();
    if (wrong == 0) {
        (void)poll(&set, 1, timeout);
    } else {
        tfi_nap();
    }
}
