/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mistakes of users, and operations left when an endpoint is closed.
 * With the word `counters`, mistakes of users about those.
 * Ends with 1 where an answer is not as it has to be.
 */
#include "fabric_sides.h"

#include <signal.h>
#include <unistd.h>

/* Hints may leave out any attributes. */
static void bare_hints(void) {
    struct fi_fabric_attr name = {.prov_name = (char *)"tmu"};
    const struct fi_info bare = {.caps = FI_TAGGED, .fabric_attr = &name};
    struct fi_info *found = NULL;
    must(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, &bare, &found), "fi_getinfo");
    EXPECT(strcmp(found->fabric_attr->prov_name, "tmu") == 0 && (found->caps & FI_TAGGED) != 0);
    fi_freeinfo(found);
}

/* Before it is enabled an endpoint takes nothing. */
static void not_enabled(void) {
    struct fid_ep *ep;
    struct fi_context context = {{0}};
    struct iovec iov = {in, 8};
    const struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .context = &context};
    must(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
    must(fi_ep_bind(ep, &a.cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(ep, &a.av->fid, 0), "fi_ep_bind");
    EXPECT(fi_trecvmsg(ep, &msg, 0) == -FI_EOPBADSTATE);
    EXPECT(fi_trecvmsg(ep, &msg, FI_PEEK) == -FI_EOPBADSTATE);
    EXPECT(fi_trecvmsg(ep, &msg, FI_CLAIM) == -FI_EOPBADSTATE);
    EXPECT(fi_tsendmsg(ep, &msg, 0) == -FI_EOPBADSTATE);
    EXPECT(fi_recv(ep, in, 8, NULL, FI_ADDR_UNSPEC, &context) == -FI_EOPBADSTATE);
    EXPECT(fi_send(ep, out, 8, NULL, 0, &context) == -FI_EOPBADSTATE);
    must(fi_close(&ep->fid), "fi_close");
}

static void claim_one(uint64_t tag, struct fi_context *context) {
    const struct fi_msg_tagged msg = {.addr = a.peer, .tag = tag, .context = context};
    SEND(fi_tinject(b.ep, "mine", 4, b.peer, tag));
    wait_for_message(tag);
    must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
    EXPECT(next(&a, NULL).err == 0);
}

/* A direction of an endpoint has one queue, of its domain. */
static void queues(void) {
    struct fi_cq_attr attr = {.format = (enum fi_cq_format)(FI_CQ_FORMAT_TAGGED + 1)};
    struct fid_domain *elsewhere = NULL;
    struct fid_cq *other = NULL;
    struct fid_ep *ep = NULL;
    EXPECT(fi_cq_open(domain, &attr, &other, NULL) == -FI_ENOSYS);
    attr = (struct fi_cq_attr){.wait_obj = FI_WAIT_MUTEX_COND};
    EXPECT(fi_cq_open(domain, &attr, &other, NULL) == -FI_ENOSYS);
    attr = (struct fi_cq_attr){.format = FI_CQ_FORMAT_UNSPEC};
    must(fi_domain(fabric, info, &elsewhere, NULL), "fi_domain");
    must(fi_cq_open(elsewhere, &attr, &other, NULL), "fi_cq_open");
    EXPECT(attr.format == FI_CQ_FORMAT_TAGGED);
    must(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
    must(fi_ep_bind(ep, &a.av->fid, 0), "fi_ep_bind");
    EXPECT(fi_ep_bind(ep, &other->fid, FI_TRANSMIT) == -FI_EDOMAIN);
    EXPECT(fi_ep_bind(ep, &a.cq->fid, 0) == -FI_EBADFLAGS);
    EXPECT(fi_ep_bind(ep, &a.cq->fid, FI_RECV | FI_READ) == -FI_EBADFLAGS);
    must(fi_ep_bind(ep, &a.cq->fid, FI_RECV), "fi_ep_bind");
    EXPECT(fi_ep_bind(ep, &b.cq->fid, FI_TRANSMIT | FI_RECV) == -FI_EINVAL);
    must(fi_ep_bind(ep, &b.cq->fid, FI_TRANSMIT), "fi_ep_bind");
    must(fi_close(&ep->fid), "fi_close of an endpoint");
    EXPECT(fi_close(&elsewhere->fid) == -FI_EBUSY);
    must(fi_close(&other->fid), "fi_close of a queue");
    must(fi_close(&elsewhere->fid), "fi_close of a domain");
}

/* R9: a claimed message is fetched once, by the endpoint and the context that claimed it. */
static void claims(void) {
    struct fi_context context = {{0}};
    struct fi_context other = {{0}};
    struct iovec iov = {in, 8};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .context = &other};
    EXPECT(fi_trecvmsg(a.ep, &msg, FI_CLAIM) == -FI_EINVAL); /* nothing was claimed */
    claim_one(0x10, &context);
    EXPECT(fi_trecvmsg(a.ep, &msg, FI_CLAIM) == -FI_EINVAL); /* not with this context */
    memcpy(&other, &context, sizeof other);
    EXPECT(fi_trecvmsg(a.ep, &msg, FI_CLAIM) == -FI_EINVAL);
    memset(&other, 0xff, sizeof other);
    EXPECT(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_DISCARD) == -FI_EINVAL);
    msg.context = &context;
    EXPECT(fi_trecvmsg(b.ep, &msg, FI_CLAIM) == -FI_EINVAL); /* not here */
    must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_COMPLETION), "claim");
    EXPECT(next(&a, NULL).len == 4 && memcmp(in, "mine", 4) == 0);
    EXPECT(fi_trecvmsg(a.ep, &msg, FI_CLAIM) == -FI_EINVAL); /* it was fetched */
    quiet();
}

/* A claim, and a receive whose payload waits at a sender that `a` does not know. */
static void leave_something(struct fi_context *context, uint64_t tag) {
    struct side stranger = {0};
    char name[128];
    size_t size = sizeof name;
    fi_addr_t to;
    claim_one(tag, context);
    open_side(&stranger, 0);
    must(fi_getname(&a.ep->fid, name, &size), "fi_getname");
    EXPECT(fi_av_insert(stranger.av, name, 1, &to, 0, NULL) == 1);
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, FI_ADDR_UNSPEC, tag + 1, 0, NULL), "fi_trecv");
    SEND(fi_tsend(stranger.ep, out, LONG_BYTES, NULL, to, tag + 1, NULL));
    SEND(fi_tinject(stranger.ep, "after it", 8, to, tag + 2));
    const struct fi_msg_tagged msg = {.addr = FI_ADDR_UNSPEC, .tag = tag + 2, .context = context};
    do {
        (void)fi_cq_read(stranger.cq, NULL, 0);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
    } while (next(&a, NULL).err != 0);
    close_side(&stranger);
}

/* Requests that counters refuse; the provider writes a sentence for each. */
static void counters(void) {
    struct fi_cntr_attr attr = {.wait_obj = FI_WAIT_FD};
    struct fid_cntr *cntr = NULL;
    struct fid_cntr *other = NULL;
    struct fid_domain *elsewhere = NULL;
    struct fi_av_attr table = {.type = FI_AV_TABLE};
    struct fid_av *av = NULL;
    struct fid_ep *ep = NULL;
    EXPECT(fi_cntr_open(domain, &attr, &cntr, NULL) == -FI_ENOSYS);
    attr.wait_obj = FI_WAIT_MUTEX_COND;
    EXPECT(fi_cntr_open(domain, &attr, &cntr, NULL) == -FI_ENOSYS);
    attr = (struct fi_cntr_attr){.flags = 4};
    EXPECT(fi_cntr_open(domain, &attr, &cntr, NULL) == -FI_EINVAL);
    attr = (struct fi_cntr_attr){.events = (enum fi_cntr_events)1};
    EXPECT(fi_cntr_open(domain, &attr, &cntr, NULL) == -FI_ENOSYS && !cntr);
    must(fi_cntr_open(domain, NULL, &cntr, NULL), "fi_cntr_open"); /* as if all were 0 */
    EXPECT(fi_cntr_wait(cntr, 0, 0) == -FI_EINVAL);
    must(fi_domain(fabric, info, &elsewhere, NULL), "fi_domain");
    must(fi_cntr_open(elsewhere, NULL, &other, NULL), "fi_cntr_open");
    must(fi_endpoint(domain, info, &ep, NULL), "fi_endpoint");
    must(fi_av_open(domain, &table, &av, NULL), "fi_av_open");
    must(fi_ep_bind(ep, &av->fid, 0), "fi_ep_bind");
    EXPECT(fi_ep_bind(ep, &other->fid, FI_SEND) == -FI_EDOMAIN);
    const uint64_t flags[] = {0, FI_REMOTE_READ, FI_SEND | FI_REMOTE_WRITE};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i) {
        EXPECT(fi_ep_bind(ep, &cntr->fid, flags[i]) == -FI_EBADFLAGS);
    }
    must(fi_ep_bind(ep, &cntr->fid, FI_SEND), "fi_ep_bind");
    EXPECT(fi_ep_bind(ep, &cntr->fid, FI_SEND | FI_RECV) == -FI_EINVAL);
    must(fi_ep_bind(ep, &cntr->fid, FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(ep, &cntr->fid, FI_READ | FI_WRITE), "fi_ep_bind"); /* of which there is none */
    EXPECT(fi_ep_bind(ep, &cntr->fid, FI_WRITE) == -FI_EINVAL);
    EXPECT(fi_cntr_read(cntr) == 0 && fi_close(&cntr->fid) == -FI_EBUSY);
    EXPECT(fi_enable(ep) == -FI_ENOCQ); /* counters do not stand for a queue */
    must(fi_close(&ep->fid), "fi_close of an endpoint");
    must(fi_close(&av->fid), "fi_close of a vector");
    must(fi_close(&cntr->fid), "fi_close of a counter");
    must(fi_close(&other->fid), "fi_close of a counter");
    must(fi_close(&elsewhere->fid), "fi_close of a domain");
}

static void end_here(int signal) {
    (void)signal;
    exit(7);
}

/* As some libraries do when a job is ended: exit in a handler, here within a read of the queue. */
static void end_by_signal(void) {
    struct fi_cq_tagged_entry entry;
    struct side side = {0};
    (void)signal(SIGALRM, end_here);
    open_all();
    open_side(&side, 0);
    (void)ualarm(50000, 0);
    for (;;) {
        (void)fi_cq_read(side.cq, &entry, 1);
    }
}

int main(int argc, char **argv) {
    struct fi_context contexts[2] = {{{0}}};
    if (argc > 1 && strcmp(argv[1], "exit") == 0) {
        end_by_signal();
    }
    open_all();
    if (argc > 1 && strcmp(argv[1], "counters") == 0) {
        counters();
        close_all();
        return wrong == 0 ? 0 : 1;
    }
    bare_hints();
    open_side(&a, FI_SELECTIVE_COMPLETION);
    open_side(&b, 0);
    introduce(&a, &b);
    introduce(&b, &a);
    not_enabled();
    queues();
    claims();
    /* Twice, so that an endpoint of the unit has a second user. */
    leave_something(&contexts[0], 0x30);
    leave_something(&contexts[1], 0x40);
    return close_both("every fault is answered");
}
