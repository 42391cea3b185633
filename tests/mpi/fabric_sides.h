/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two endpoints of the provider in one process, by libfabric's calls alone.
 * A program that includes this counts what is not as it has to be in `wrong`.
 */
#ifndef TMU_TESTS_FABRIC_SIDES_H
#define TMU_TESTS_FABRIC_SIDES_H

#include "wrong.h"

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

#define LONG_BYTES (1u << 20) /* by rendezvous */
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

static inline void must(long result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-result));
        exit(1);
    }
}

static inline void open_all(void) {
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

/* With counters of what is sent and received, each of which may be NULL. */
static inline void open_counted(struct side *side, uint64_t flags, struct fid_cntr *sent,
                                struct fid_cntr *received) {
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED};
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    must(fi_endpoint(domain, info, &side->ep, NULL), "fi_endpoint");
    must(fi_cq_open(domain, &cq, &side->cq, NULL), "fi_cq_open");
    must(fi_av_open(domain, &av, &side->av, NULL), "fi_av_open");
    must(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV | flags), "fi_ep_bind");
    must(fi_ep_bind(side->ep, &side->av->fid, 0), "fi_ep_bind");
    if (sent && sent == received) {
        must(fi_ep_bind(side->ep, &sent->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind of a counter");
    } else {
        if (sent) {
            must(fi_ep_bind(side->ep, &sent->fid, FI_SEND), "fi_ep_bind of a counter");
        }
        if (received) {
            must(fi_ep_bind(side->ep, &received->fid, FI_RECV), "fi_ep_bind of a counter");
        }
    }
    must(fi_enable(side->ep), "fi_enable");
}

static inline void open_side(struct side *side, uint64_t flags) {
    open_counted(side, flags, NULL, NULL);
}

static inline void introduce(struct side *side, struct side *other) {
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

/* A side that is not open does nothing. */
static inline void drive(void) {
    if (a.cq) {
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    if (b.cq) {
        (void)fi_cq_read(b.cq, NULL, 0);
    }
}

/* A send is refused while there is no connection, so both sides make progress until it is taken. */
#define SEND(call)                                                                                 \
    do {                                                                                           \
        ssize_t sent_;                                                                             \
        while ((sent_ = (call)) == -FI_EAGAIN) {                                                   \
            drive();                                                                               \
        }                                                                                          \
        must(sent_, #call);                                                                        \
    } while (0)

/* Both sides make progress; the next completion of `side`.  Its `err` is 0 or the error's. */
static inline struct fi_cq_err_entry next(struct side *side, fi_addr_t *source) {
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
    if (source) {
        *source = from;
    }
    return done;
}

/* Nothing more comes on either side. */
static inline void quiet(void) {
    struct fi_cq_tagged_entry entry;
    for (int i = 0; i < 200; ++i) {
        EXPECT(fi_cq_read(a.cq, &entry, 1) == -FI_EAGAIN);
        EXPECT(fi_cq_read(b.cq, &entry, 1) == -FI_EAGAIN);
    }
}

/* A message of b's is in a's unit when a's next probe for it hits. */
static inline void wait_for_message(uint64_t tag) {
    struct fi_msg_tagged msg = {.addr = FI_ADDR_UNSPEC, .tag = tag, .context = &msg};
    for (;;) {
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        if (next(&a, NULL).err == 0) {
            return;
        }
        (void)fi_cq_read(b.cq, NULL, 0); /* it may have to connect first */
    }
}

static inline void close_side(struct side *side) {
    must(fi_close(&side->ep->fid), "fi_close of an endpoint");
    must(fi_close(&side->cq->fid), "fi_close of a queue");
    must(fi_close(&side->av->fid), "fi_close of a vector");
    *side = (struct side){0};
}

static inline void close_all(void) {
    must(fi_close(&domain->fid), "fi_close of the domain");
    must(fi_close(&fabric->fid), "fi_close of the fabric");
    fi_freeinfo(info);
}

/* Two sides that know each other, `flags` for the first one's queue of completions. */
static inline void open_both(uint64_t flags) {
    open_all();
    open_side(&a, flags);
    open_side(&b, 0);
    introduce(&a, &b);
    introduce(&b, &a);
}

/* The exit code of a program whose sides are closed; prints `right` if nothing is wrong. */
static inline int outcome(const char *right) {
    close_all();
    if (wrong == 0) {
        (void)puts(right);
    }
    return wrong == 0 ? 0 : 1;
}

static inline int close_both(const char *right) {
    close_side(&a);
    close_side(&b);
    return outcome(right);
}

#endif
