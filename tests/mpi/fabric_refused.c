/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Features that the provider lacks are refused, in every call that libfabric lets a program make.
 * Ends with 1 where something is taken that is not kept.
 */
#include "fabric_sides.h"

#include <poll.h>
#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_rma.h>

#define NO(call) EXPECT((call) == -FI_ENOSYS)

/* Every entry of a table, whose first word is its size; `more` of them callers ask for first. */
static void is_full(const void *table, size_t more) {
    const void *const *entry = table;
    if (!table) {
        EXPECT(table);
        return;
    }
    const size_t size = *(const size_t *)table / sizeof *entry;
    EXPECT(size > 1);
    for (size_t i = 1; i < size - more; ++i) {
        EXPECT(entry[i]);
    }
}

static void tables(void) {
    const size_t asked = (sizeof(struct fi_ops) - offsetof(struct fi_ops, tostr)) / sizeof(void *);
    struct fid *const fids[] = {&a.ep->fid, &a.cq->fid, &a.av->fid, &domain->fid, &fabric->fid};
    for (size_t i = 0; i < sizeof fids / sizeof fids[0]; ++i) {
        is_full(fids[i]->ops, asked);
    }
    is_full(a.ep->ops, 0);
    is_full(a.ep->cm, 0);
    is_full(a.ep->msg, 0);
    is_full(a.ep->rma, 0);
    is_full(a.ep->tagged, 0);
    is_full(a.ep->atomic, 0);
    is_full(a.ep->collective, 0);
    is_full(a.cq->ops, 0);
    is_full(a.av->ops, sizeof(struct fi_ops_av) == a.av->ops->size);
    is_full(domain->ops, 0);
    is_full(domain->mr, 0);
    is_full(fabric->ops, sizeof(struct fi_ops_fabric) > offsetof(struct fi_ops_fabric, domain2));
}

static void connections(struct fid_ep *ep) {
    char name[128];
    size_t size = sizeof name;
    struct fid_mc *group = NULL;
    NO(fi_setname(&ep->fid, name, size));
    NO(fi_getpeer(ep, name, &size));
    NO(fi_connect(ep, name, NULL, 0));
    NO(fi_accept(ep, NULL, 0));
    NO(fi_shutdown(ep, 0));
    NO(fi_join(ep, name, 0, &group, NULL));
    NO(ep->cm->listen(NULL));
    NO(ep->cm->reject(NULL, NULL, NULL, 0));
}

static void remote_memory(struct fid_ep *ep) {
    const struct iovec iov = {out, 8};
    const struct fi_msg_rma msg = {.msg_iov = &iov, .iov_count = 1};
    NO(fi_read(ep, in, 8, NULL, 0, 0, 0, NULL));
    NO(fi_readv(ep, &iov, NULL, 1, 0, 0, 0, NULL));
    NO(fi_readmsg(ep, &msg, 0));
    NO(fi_write(ep, out, 8, NULL, 0, 0, 0, NULL));
    NO(fi_writev(ep, &iov, NULL, 1, 0, 0, 0, NULL));
    NO(fi_writemsg(ep, &msg, 0));
    NO(fi_inject_write(ep, out, 8, 0, 0, 0));
    NO(fi_writedata(ep, out, 8, NULL, 0, 0, 0, 0, NULL));
    NO(fi_inject_writedata(ep, out, 8, 0, 0, 0, 0));
}

static void atomics(struct fid_ep *ep) {
    const struct fi_ioc ioc = {out, 1};
    struct fi_ioc result = {in, 1};
    const struct fi_msg_atomic msg = {.msg_iov = &ioc, .iov_count = 1};
    size_t count = 0;
    NO(fi_atomic(ep, out, 1, NULL, 0, 0, 0, FI_UINT64, FI_SUM, NULL));
    NO(fi_atomicv(ep, &ioc, NULL, 1, 0, 0, 0, FI_UINT64, FI_SUM, NULL));
    NO(fi_atomicmsg(ep, &msg, 0));
    NO(fi_inject_atomic(ep, out, 1, 0, 0, 0, FI_UINT64, FI_SUM));
    NO(fi_fetch_atomic(ep, out, 1, NULL, in, NULL, 0, 0, 0, FI_UINT64, FI_SUM, NULL));
    NO(fi_fetch_atomicv(ep, &ioc, NULL, 1, &result, NULL, 1, 0, 0, 0, FI_UINT64, FI_SUM, NULL));
    NO(fi_fetch_atomicmsg(ep, &msg, &result, NULL, 1, 0));
    NO(fi_compare_atomic(ep, out, 1, NULL, in, NULL, in, NULL, 0, 0, 0, FI_UINT64, FI_CSWAP, NULL));
    NO(fi_compare_atomicv(ep, &ioc, NULL, 1, &ioc, NULL, 1, &result, NULL, 1, 0, 0, 0, FI_UINT64,
                          FI_CSWAP, NULL));
    NO(fi_compare_atomicmsg(ep, &msg, &ioc, NULL, 1, &result, NULL, 1, 0));
    NO(fi_atomicvalid(ep, FI_UINT64, FI_SUM, &count));
    NO(fi_fetch_atomicvalid(ep, FI_UINT64, FI_SUM, &count));
    NO(fi_compare_atomicvalid(ep, FI_UINT64, FI_CSWAP, &count));
    NO(fi_query_atomic(domain, FI_UINT64, FI_SUM, &(struct fi_atomic_attr){0}, 0));
}

static void collectives(struct fid_ep *ep) {
    NO(fi_barrier(ep, 0, NULL));
    NO(fi_broadcast(ep, out, 1, NULL, 0, 0, FI_UINT64, 0, NULL));
    NO(fi_alltoall(ep, out, 1, NULL, in, NULL, 0, FI_UINT64, 0, NULL));
    NO(fi_allreduce(ep, out, 1, NULL, in, NULL, 0, FI_UINT64, FI_SUM, 0, NULL));
    NO(fi_allgather(ep, out, 1, NULL, in, NULL, 0, FI_UINT64, 0, NULL));
    NO(fi_reduce_scatter(ep, out, 1, NULL, in, NULL, 0, FI_UINT64, FI_SUM, 0, NULL));
    NO(fi_reduce(ep, out, 1, NULL, in, NULL, 0, 0, FI_UINT64, FI_SUM, 0, NULL));
    NO(fi_scatter(ep, out, 1, NULL, in, NULL, 0, 0, FI_UINT64, 0, NULL));
    NO(fi_gather(ep, out, 1, NULL, in, NULL, 0, 0, FI_UINT64, 0, NULL));
    NO(fi_query_collective(domain, FI_BARRIER, &(struct fi_collective_attr){0}, 0));
    NO(fi_av_set(a.av, &(struct fi_av_set_attr){0}, NULL, NULL));
}

static void objects(struct fid_ep *ep) {
    struct fid_ep *other = NULL;
    struct fid_pep *listener = NULL;
    struct fid_wait *set = NULL;
    struct fid_poll *polls = NULL;
    struct fid_stx *shared = NULL;
    NO(fi_passive_ep(fabric, info, &listener, NULL));
    NO(fi_wait_open(fabric, &(struct fi_wait_attr){0}, &set));
    NO(fi_poll_open(domain, &(struct fi_poll_attr){0}, &polls));
    NO(fi_scalable_ep(domain, info, &other, NULL));
    NO(fi_stx_context(domain, NULL, &shared, NULL));
    NO(fi_srx_context(domain, NULL, &other, NULL));
    NO(fi_tx_context(ep, 0, NULL, &other, NULL));
    NO(fi_rx_context(ep, 0, NULL, &other, NULL));
    NO(fi_ep_alias(ep, &other, 0));
    NO(fi_domain_bind(domain, &a.cq->fid, 0));
    NO(ep->ops->rx_size_left(ep));
    NO(ep->ops->tx_size_left(ep));
}

/* A flag that promises more than is kept, or that nobody knows. */
static void flags(void) {
    const uint64_t sends[] = {
        FI_DELIVERY_COMPLETE, FI_MATCH_COMPLETE, FI_COMMIT_COMPLETE, FI_FENCE, FI_PEEK,
        UINT64_C(1) << 57};
    const uint64_t receives[] = {FI_MULTI_RECV, FI_DISCARD, FI_INJECT, UINT64_C(1) << 57};
    struct iovec iov = {out, 8};
    const struct fi_msg_tagged tagged = {.msg_iov = &iov, .iov_count = 1, .addr = a.peer};
    const struct fi_msg msg = {.msg_iov = &iov, .iov_count = 1, .addr = a.peer};
    const struct fi_msg any = {.msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC};
    for (size_t i = 0; i < sizeof sends / sizeof sends[0]; ++i) {
        EXPECT(fi_tsendmsg(a.ep, &tagged, sends[i]) == -FI_EBADFLAGS);
        EXPECT(fi_sendmsg(a.ep, &msg, sends[i] | FI_COMPLETION) == -FI_EBADFLAGS);
    }
    for (size_t i = 0; i < sizeof receives / sizeof receives[0]; ++i) {
        EXPECT(fi_trecvmsg(a.ep, &tagged, receives[i]) == -FI_EBADFLAGS);
        if (receives[i] != FI_MULTI_RECV) {
            EXPECT(fi_recvmsg(a.ep, &any, receives[i]) == -FI_EBADFLAGS);
        }
    }
    const uint64_t kept = FI_COMPLETION | FI_TRANSMIT_COMPLETE | FI_INJECT_COMPLETE | FI_MORE;
    SEND(fi_tsendmsg(b.ep, &tagged, kept)); /* to b's own index 1, which is a */
    EXPECT(next(&b, NULL).err == 0);
    must(fi_trecv(a.ep, in, 8, NULL, FI_ADDR_UNSPEC, 0, 0, &iov), "fi_trecv");
    EXPECT(next(&a, NULL).op_context == &iov);
}

static int ask(struct fi_info *hints) {
    struct fi_info *found = NULL;
    const int result = fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &found);
    if (result == 0) {
        fi_freeinfo(found);
    }
    return result;
}

/* Hints that ask for what an info of ours says are met, and those for more find nothing. */
static void hints(void) {
    struct fi_info *hint = fi_dupinfo(info);
    EXPECT(info->tx_attr->comp_order == FI_ORDER_NONE && info->rx_attr->comp_order == 0);
    EXPECT(ask(hint) == 0);
    hint->domain_attr->caps |= FI_SHARED_AV;
    EXPECT(ask(hint) == -FI_ENODATA);
    hint->domain_attr->caps = FI_LOCAL_COMM | FI_REMOTE_COMM;
    EXPECT(ask(hint) == 0);
    hint->tx_attr->comp_order = FI_ORDER_STRICT;
    EXPECT(ask(hint) == -FI_ENODATA);
    hint->tx_attr->comp_order = 0;
    hint->rx_attr->comp_order = FI_ORDER_DATA;
    EXPECT(ask(hint) == -FI_ENODATA);
    hint->rx_attr->comp_order = 0;
    const uint64_t slow[] = {FI_MATCH_COMPLETE, FI_COMMIT_COMPLETE};
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; ++i) {
        hint->tx_attr->op_flags = slow[i];
        EXPECT(ask(hint) == -FI_ENODATA);
    }
    fi_freeinfo(hint);
}

/* An event queue is that of the provider below, and can be waited for. */
static void events(void) {
    struct fi_eq_attr attr = {.wait_obj = FI_WAIT_FD, .flags = FI_WRITE};
    struct fi_eq_entry entry = {.context = &attr};
    struct fid_eq *eq = NULL;
    struct pollfd at = {.events = POLLIN};
    uint32_t event = 0;
    must(fi_eq_open(fabric, &attr, &eq, NULL), "fi_eq_open");
    must(fi_control(&eq->fid, FI_GETWAIT, &at.fd), "FI_GETWAIT");
    EXPECT(fi_trywait(fabric, (struct fid *[]){&eq->fid}, 1) == 0 && poll(&at, 1, 0) == 0);
    EXPECT(fi_eq_write(eq, FI_NOTIFY, &entry, sizeof entry, 0) == sizeof entry);
    EXPECT(poll(&at, 1, 1000) == 1);
    EXPECT(fi_eq_read(eq, &event, &entry, sizeof entry, 0) == sizeof entry && event == FI_NOTIFY);
    must(fi_close(&eq->fid), "fi_close of an event queue");
}

int main(void) {
    open_both(0);
    tables();
    connections(a.ep);
    remote_memory(a.ep);
    atomics(a.ep);
    collectives(a.ep);
    objects(a.ep);
    flags();
    hints();
    events();
    return close_both("nothing is taken that is not kept");
}
