/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two endpoints of the provider in one process, by libfabric's calls alone: what MPI does not ask
 * for, and the exact completions.  Ends with 1 where one is not as it has to be.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LONG_BYTES (1u << 20)
#define SECONDS 20

struct side {
    struct fid_ep *ep;
    struct fid_cq *cq;
    struct fid_av *av;
    fi_addr_t peer; /* the other side, in this one's address vector */
};

static struct fi_info *info;
static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct side a; /* has FI_SELECTIVE_COMPLETION */
static struct side b;
static unsigned char out[LONG_BYTES];
static unsigned char in[LONG_BYTES];
static int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ++wrong;                                                                               \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

static void must(long result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-result));
        exit(1);
    }
}

static void open_all(void) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_TAGGED | FI_MSG | FI_DIRECTED_RECV | FI_SOURCE;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->name = strdup("lo");
    hints->fabric_attr->prov_name = strdup("tmu");
    must(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info), "fi_getinfo");
    EXPECT(strcmp(info->fabric_attr->prov_name, "tmu") == 0);
    fi_freeinfo(hints);
    must(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    must(fi_domain(fabric, info, &domain, NULL), "fi_domain");
}

static void open_side(struct side *side, uint64_t flags) {
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED};
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    must(fi_endpoint(domain, info, &side->ep, NULL), "fi_endpoint");
    must(fi_cq_open(domain, &cq, &side->cq, NULL), "fi_cq_open");
    must(fi_av_open(domain, &av, &side->av, NULL), "fi_av_open");
    must(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV | flags), "fi_ep_bind");
    must(fi_ep_bind(side->ep, &side->av->fid, 0), "fi_ep_bind");
    must(fi_enable(side->ep), "fi_enable");
}

static void introduce(struct side *side, struct side *other) {
    char name[128];
    size_t size = sizeof name;
    /* Something before it, so that the index of the other is not 0. */
    must(fi_getname(&side->ep->fid, name, &size), "fi_getname");
    EXPECT(fi_av_insert(side->av, name, 1, NULL, 0, NULL) == 1);
    size = sizeof name;
    must(fi_getname(&other->ep->fid, name, &size), "fi_getname");
    EXPECT(fi_av_insert(side->av, name, 1, &side->peer, 0, NULL) == 1);
    EXPECT(side->peer == 1);
}

/* Both sides make progress; the next completion of `side`.  Its `err` is 0 or the error's. */
static struct fi_cq_err_entry next(struct side *side, fi_addr_t *source) {
    struct side *other = side == &a ? &b : &a;
    struct fi_cq_err_entry done = {0};
    struct fi_cq_tagged_entry entry;
    fi_addr_t from = FI_ADDR_NOTAVAIL;
    const time_t start = time(NULL);
    for (;;) {
        const ssize_t got = fi_cq_readfrom(side->cq, &entry, 1, &from);
        if (got == 1) {
            memcpy(&done, &entry, sizeof entry);
            done.tag = entry.tag;
            done.data = entry.data;
            break;
        }
        if (got == -FI_EAVAIL) {
            EXPECT(fi_cq_readerr(side->cq, &done, 0) == 1 && done.err != 0);
            break;
        }
        must(got == -FI_EAGAIN ? 0 : got, "fi_cq_readfrom");
        (void)fi_cq_read(other->cq, NULL, 0);
        if (time(NULL) - start > SECONDS) {
            fprintf(stderr, "no completion in %d s\n", SECONDS);
            exit(1);
        }
    }
    if (source != NULL)
        *source = from;
    return done;
}

/* Nothing more comes on either side. */
static void quiet(void) {
    struct fi_cq_tagged_entry entry;
    for (int i = 0; i < 200; ++i) {
        EXPECT(fi_cq_read(a.cq, &entry, 1) == -FI_EAGAIN);
        EXPECT(fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN);
    }
}

/* A message of b's is in a's unit when a's next probe for it hits. */
static void wait_for_message(uint64_t tag) {
    struct fi_msg_tagged msg = {.addr = FI_ADDR_UNSPEC, .tag = tag, .context = &msg};
    for (;;) {
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        if (next(&a, NULL).err == 0)
            return;
    }
}

static void short_messages(void) {
    int context = 0;
    fi_addr_t source;
    must(fi_trecv(a.ep, in, 100, NULL, a.peer, 0x11, 0, &context), "fi_trecv");
    must(fi_tinjectdata(b.ep, "hello", 5, 0x77, b.peer, 0x11), "fi_tinjectdata");
    quiet(); /* a asked for no completion, and an injected message has none */
    EXPECT(memcmp(in, "hello", 5) == 0);
    struct iovec iov[2] = {{in, 2}, {in + 10, 8}};
    struct fi_msg_tagged msg = {.msg_iov = iov, .iov_count = 2, .addr = FI_ADDR_UNSPEC};
    msg.tag = 0x20;
    msg.ignore = 0xf;
    msg.context = &context;
    must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    must(fi_tsenddata(b.ep, "abcdef", 6, NULL, 0x1234567890, b.peer, 0x2c, &wrong), "senddata");
    struct fi_cq_err_entry done = next(&a, &source);
    EXPECT(done.err == 0 && done.op_context == &context && done.len == 6 && done.tag == 0x2c);
    EXPECT(done.data == 0x1234567890 && (done.flags & FI_REMOTE_CQ_DATA) != 0);
    EXPECT((done.flags & (FI_TAGGED | FI_RECV)) == (FI_TAGGED | FI_RECV) && source == a.peer);
    EXPECT(memcmp(in, "ab", 2) == 0 && memcmp(in + 10, "cdef", 4) == 0);
    done = next(&b, NULL);
    EXPECT(done.err == 0 && done.op_context == &wrong);
    EXPECT((done.flags & (FI_TAGGED | FI_SEND)) == (FI_TAGGED | FI_SEND));
    quiet();
}

/* A receive directed at another source does not get it; the ignore mask may be any. */
static void keys(void) {
    int contexts[3];
    const uint64_t masks[3] = {0, UINT64_C(0x00ff000000000000), UINT64_MAX};
    struct iovec iov = {in, 1};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .tag = UINT64_C(1) << 63};
    for (int i = 0; i < 3; ++i) {
        msg.addr = i == 2 ? 0 : a.peer; /* 0 is a itself */
        msg.ignore = masks[i];
        msg.context = &contexts[i];
        must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    }
    must(fi_tinject(b.ep, "x", 1, b.peer, UINT64_C(0x8077000000000000)), "fi_tinject");
    EXPECT(next(&a, NULL).op_context == &contexts[1]);
    must(fi_tinject(b.ep, "x", 1, b.peer, UINT64_C(1) << 63), "fi_tinject");
    EXPECT(next(&a, NULL).op_context == &contexts[0]);
    must(fi_tinject(a.ep, "x", 1, 0, 5), "fi_tinject to itself");
    EXPECT(next(&a, NULL).op_context == &contexts[2]);
    quiet();
}

/* R12: the receive is used up, and the error says how much is missing. */
static void truncation(void) {
    const size_t sizes[2] = {30, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        memset(in, 0, LONG_BYTES);
        must(fi_trecv(a.ep, in, 20, NULL, a.peer, 0x30, 0, &in), "fi_trecv");
        must(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x30, &out), "fi_tsend");
        const struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == FI_ETRUNC && done.op_context == &in);
        EXPECT(done.len == 20 && done.olen == sizes[i] - 20 && done.tag == 0x30);
        EXPECT(memcmp(in, out, 20) == 0 && in[20] == 0);
        EXPECT(next(&b, NULL).op_context == &out);
    }
    quiet();
}

static void long_messages(void) {
    struct iovec to[2] = {{in, 1000}, {in + 1000, LONG_BYTES - 1000}};
    struct iovec from[2] = {{out, 70000}, {out + 70000, LONG_BYTES - 70000}};
    struct fi_msg_tagged msg = {.msg_iov = to, .iov_count = 2, .addr = a.peer, .tag = 0x40};
    for (int unexpected = 0; unexpected < 2; ++unexpected) {
        memset(in, 0, LONG_BYTES);
        msg.context = &to;
        if (!unexpected)
            must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
        must(fi_tsendv(b.ep, from, NULL, 2, b.peer, 0x40, &from), "fi_tsendv");
        if (unexpected) {
            wait_for_message(0x40);
            must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
        }
        const struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == LONG_BYTES && done.op_context == &to);
        EXPECT(memcmp(in, out, LONG_BYTES) == 0);
        EXPECT(next(&b, NULL).op_context == &from);
    }
    quiet();
}

/* R8, R9: a look reports, a claim takes, what is discarded is gone; by both ways of sending. */
static void looks(void) {
    const size_t sizes[2] = {9, LONG_BYTES};
    struct fi_context context = {{0}};
    struct iovec iov = {in, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        struct fi_msg_tagged msg = {.addr = a.peer, .tag = 0x50, .context = &context};
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == FI_ENOMSG && done.op_context == &context);
        must(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x50, NULL), "fi_tsend");
        must(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x50, NULL), "fi_tsend");
        wait_for_message(0x50);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i] && done.tag == 0x50);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_DISCARD), "peek and discard");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i]);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        EXPECT(next(&a, NULL).err == FI_ENOMSG);
        memset(in, 0, LONG_BYTES);
        msg.msg_iov = &iov;
        msg.iov_count = 1;
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_COMPLETION), "claim");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i] && done.op_context == &context);
        EXPECT(memcmp(in, out, sizes[i]) == 0);
        EXPECT(next(&b, NULL).err == 0 && next(&b, NULL).err == 0);
        must(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x51, NULL), "fi_tsend");
        wait_for_message(0x51);
        msg = (struct fi_msg_tagged){.addr = a.peer, .tag = 0x51, .context = &context};
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        EXPECT(next(&a, NULL).len == sizes[i]);
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_DISCARD | FI_COMPLETION), "discard");
        EXPECT(next(&a, NULL).err == 0 && next(&b, NULL).err == 0);
    }
    quiet();
}

/* R10 */
static void cancels(void) {
    int context;
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x60, 0, &context), "fi_trecv");
    EXPECT(fi_cancel(&a.ep->fid, &context) == 0);
    struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == FI_ECANCELED && done.op_context == &context);
    /* Too late while the completion waits to be read. */
    struct iovec iov = {in, 8};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = a.peer, .tag = 0x61, .context = &context};
    must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    must(fi_tinject(b.ep, "late", 4, b.peer, 0x61), "fi_tinject");
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < 10; ++i) {
        (void)fi_cq_read(b.cq, NULL, 0);
        (void)fi_cq_read(a.cq, NULL, 0);
        (void)nanosleep(&pause, NULL);
    }
    EXPECT(fi_cancel(&a.ep->fid, &context) == -FI_ENOENT);
    done = next(&a, NULL);
    EXPECT(done.err == 0 && done.len == 4 && done.op_context == &context);
    quiet();
}

/* Untagged calls go to the provider below and share the completion queue. */
static void untagged(void) {
    int context;
    struct iovec iov = {in, 64};
    const struct fi_msg msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &context};
    memset(in, 0, 64);
    must(fi_recvmsg(a.ep, &msg, FI_COMPLETION), "fi_recvmsg");
    ssize_t sent;
    while ((sent = fi_send(b.ep, "direct", 6, NULL, b.peer, &context)) == -FI_EAGAIN)
        (void)fi_cq_read(a.cq, NULL, 0), (void)fi_cq_read(b.cq, NULL, 0);
    must(sent, "fi_send");
    const struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == 0 && done.len == 6 && memcmp(in, "direct", 6) == 0);
    EXPECT((done.flags & FI_TAGGED) == 0 && next(&b, NULL).op_context == &context);
    quiet();
}

static void close_side(struct side *side) {
    must(fi_close(&side->ep->fid), "fi_close of an endpoint");
    must(fi_close(&side->cq->fid), "fi_close of a queue");
    must(fi_close(&side->av->fid), "fi_close of a vector");
}

int main(void) {
    for (unsigned i = 0; i < LONG_BYTES; ++i)
        out[i] = (unsigned char)(i * 2654435761u >> 24);
    open_all();
    open_side(&a, FI_SELECTIVE_COMPLETION);
    open_side(&b, 0);
    introduce(&a, &b);
    introduce(&b, &a);
    short_messages();
    keys();
    truncation();
    long_messages();
    looks();
    cancels();
    untagged();
    /* What is left at the end is flushed (R14): a receive, and messages of both kinds. */
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x70, 0, NULL), "fi_trecv");
    must(fi_tinject(b.ep, "left", 4, b.peer, 0x71), "fi_tinject");
    must(fi_tsend(b.ep, out, LONG_BYTES, NULL, b.peer, 0x72, NULL), "fi_tsend");
    wait_for_message(0x72);
    close_side(&a);
    close_side(&b);
    must(fi_close(&domain->fid), "fi_close of the domain");
    must(fi_close(&fabric->fid), "fi_close of the fabric");
    fi_freeinfo(info);
    if (wrong == 0)
        printf("every completion is right\n");
    return wrong == 0 ? 0 : 1;
}
