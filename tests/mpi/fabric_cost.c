/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU time of a tagged message, both ends in this process, by the unit and by the provider below
 * alone, in turns: microseconds, a line for each size.  The arguments are how many messages.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WINDOW 16u
#define ROUNDS 4
#define LONGEST 65536u

struct end {
    struct fid_ep *ep;
    struct fid_cq *cq;
    struct fid_av *av;
    fi_addr_t peer;
};

struct pair {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct end a;
    struct end b;
};

static unsigned char from[WINDOW * LONGEST];
static unsigned char to[WINDOW * LONGEST];

static void must(long result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "%s: %s\n", what, fi_strerror((int)-result));
        exit(1);
    }
}

/* One that is made of several is another. */
static int find(const char *provider, struct fi_info **found) {
    struct fi_info *hints = fi_allocinfo();
    hints->caps = FI_TAGGED | FI_MSG;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->name = strdup("lo");
    hints->fabric_attr->prov_name = strdup(provider);
    const int result = fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, found);
    fi_freeinfo(hints);
    return result == 0 && strcmp((*found)->fabric_attr->prov_name, provider) != 0 ? -FI_ENODATA
                                                                                  : result;
}

static void open_end(struct pair *pair, struct end *end) {
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED};
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    must(fi_endpoint(pair->domain, pair->info, &end->ep, NULL), "fi_endpoint");
    must(fi_cq_open(pair->domain, &cq, &end->cq, NULL), "fi_cq_open");
    must(fi_av_open(pair->domain, &av, &end->av, NULL), "fi_av_open");
    must(fi_ep_bind(end->ep, &end->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(end->ep, &end->av->fid, 0), "fi_ep_bind");
    must(fi_enable(end->ep), "fi_enable");
}

static void introduce(struct end *end, const struct end *other) {
    char name[128];
    size_t size = sizeof name;
    must(fi_getname(&other->ep->fid, name, &size), "fi_getname");
    must(fi_av_insert(end->av, name, 1, &end->peer, 0, NULL) == 1 ? 0 : -1, "fi_av_insert");
}

static void open_pair(struct pair *pair) {
    must(fi_fabric(pair->info->fabric_attr, &pair->fabric, NULL), "fi_fabric");
    must(fi_domain(pair->fabric, pair->info, &pair->domain, NULL), "fi_domain");
    open_end(pair, &pair->a);
    open_end(pair, &pair->b);
    introduce(&pair->a, &pair->b);
    introduce(&pair->b, &pair->a);
}

static unsigned ended(const struct end *end) {
    struct fi_cq_tagged_entry entries[WINDOW];
    const ssize_t got = fi_cq_read(end->cq, entries, WINDOW);
    must(got == -FI_EAGAIN ? 0 : got, "fi_cq_read");
    return got > 0 ? (unsigned)got : 0;
}

static void window(const struct pair *pair, size_t length) {
    unsigned received = 0;
    unsigned sent = 0;
    for (unsigned i = 0; i < WINDOW; ++i) {
        must(fi_trecv(pair->a.ep, to + i * length, length, NULL, FI_ADDR_UNSPEC, i, 0, NULL),
             "fi_trecv");
    }
    for (unsigned i = 0; i < WINDOW; ++i) {
        ssize_t result;
        while ((result = fi_tsend(pair->b.ep, from + i * length, length, NULL, pair->b.peer, i,
                                  NULL)) == -FI_EAGAIN) {
            received += ended(&pair->a);
            sent += ended(&pair->b);
        }
        must(result, "fi_tsend");
    }
    while (received < WINDOW || sent < WINDOW) {
        received += ended(&pair->a);
        sent += ended(&pair->b);
    }
}

/* Microseconds of this process for one message. */
static double cost(const struct pair *pair, size_t length, unsigned long messages) {
    struct timespec start;
    struct timespec end;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    for (unsigned long i = 0; i < messages; i += WINDOW) {
        window(pair, length);
    }
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    const double ns =
        (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
    return ns / 1000.0 / (double)messages;
}

int main(int argc, char **argv) {
    static const size_t lengths[] = {8, 4096, 16384, 65536};
    const unsigned long messages = argc > 1 ? strtoul(argv[1], NULL, 10) : 4096;
    struct pair unit = {0};
    struct pair plain = {0};
    must(find("tmu", &unit.info), "tmu");
    const char *below = "tcp";
    if (find(below, &plain.info) != 0) {
        below = "net";
        must(find(below, &plain.info), below);
    }
    open_pair(&unit);
    open_pair(&plain);
    printf("bytes %s tmu\n", below);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        double best[2] = {0, 0};
        for (int round = 0; round < ROUNDS; ++round) {
            const double now[2] = {cost(&plain, lengths[i], messages),
                                   cost(&unit, lengths[i], messages)};
            for (int j = 0; j < 2; ++j) {
                best[j] = round == 0 || now[j] < best[j] ? now[j] : best[j];
            }
        }
        printf("%zu %.2f %.2f\n", lengths[i], best[0], best[1]);
    }
    return 0;
}
