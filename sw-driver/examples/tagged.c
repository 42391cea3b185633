/* SPDX-License-Identifier: Apache-2.0
 *
 * tagged: two endpoints of the libfabric provider `tmu` in one process, and tagged messages from
 * one to the other, received in another order than they were sent in.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 4, BYTES = 32 };

typedef struct side {
    struct fid_ep *endpoint;
    struct fid_cq *queue;
    struct fid_av *addresses;
} side_t;

static void must(long result, const char *call) {
    if (result < 0) {
        (void)fprintf(stderr, "%s: %s\n", call, fi_strerror((int)-result));
        exit(EXIT_FAILURE);
    }
}

static struct fi_info *find_provider(void) {
    struct fi_info *hints = fi_allocinfo();
    struct fi_info *info = NULL;
    hints->caps = FI_TAGGED;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->name = strdup("lo"); /* this machine alone */
    hints->fabric_attr->prov_name = strdup("tmu");
    must(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hints, &info), "fi_getinfo");
    fi_freeinfo(hints);
    return info;
}

static void side_open(side_t *side, struct fid_domain *domain, struct fi_info *info) {
    struct fi_cq_attr queue = {.format = FI_CQ_FORMAT_TAGGED};
    struct fi_av_attr addresses = {.type = FI_AV_TABLE};
    must(fi_endpoint(domain, info, &side->endpoint, NULL), "fi_endpoint");
    must(fi_cq_open(domain, &queue, &side->queue, NULL), "fi_cq_open");
    must(fi_av_open(domain, &addresses, &side->addresses, NULL), "fi_av_open");
    must(fi_ep_bind(side->endpoint, &side->queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(side->endpoint, &side->addresses->fid, 0), "fi_ep_bind");
    must(fi_enable(side->endpoint), "fi_enable");
}

static void side_close(side_t *side) {
    must(fi_close(&side->endpoint->fid), "fi_close");
    must(fi_close(&side->queue->fid), "fi_close");
    must(fi_close(&side->addresses->fid), "fi_close");
}

/* The address of `other` in the vector of `side`. */
static fi_addr_t introduce(const side_t *side, const side_t *other) {
    char name[128];
    size_t size = sizeof name;
    fi_addr_t address = FI_ADDR_UNSPEC;
    must(fi_getname(&other->endpoint->fid, name, &size), "fi_getname");
    if (fi_av_insert(side->addresses, name, 1, &address, 0, NULL) != 1) {
        must(-FI_EINVAL, "fi_av_insert");
    }
    return address;
}

/* Both sides get on with what is under way; completions stay where they are. */
static void progress(const side_t *one, const side_t *other) {
    (void)fi_cq_read(one->queue, NULL, 0);
    (void)fi_cq_read(other->queue, NULL, 0);
}

/* Sends; a provider that has too much under way, or no connection yet, says so and is asked again.
 */
static void send_to(const side_t *side, const side_t *other, fi_addr_t to, char *text, uint64_t tag,
                    struct fi_context *context) {
    ssize_t result = -FI_EAGAIN;
    while (result == -FI_EAGAIN) {
        result = fi_tsend(side->endpoint, text, BYTES, NULL, to, tag, context);
        progress(side, other);
    }
    must(result, "fi_tsend");
}

/* The next completion of `side`, while `other` gets on with its part as well. */
static struct fi_cq_tagged_entry wait_for(const side_t *side, const side_t *other) {
    struct fi_cq_tagged_entry entry = {0};
    ssize_t got = -FI_EAGAIN;
    while (got == -FI_EAGAIN) {
        got = fi_cq_read(side->queue, &entry, 1);
        progress(side, other);
    }
    must(got, "fi_cq_read");
    return entry;
}

int main(void) {
    static char out[MESSAGES][BYTES];
    static char in[BYTES];
    struct fi_context contexts[MESSAGES + 1];
    struct fid_fabric *fabric = NULL;
    struct fid_domain *domain = NULL;
    side_t sender, receiver;
    struct fi_info *info = find_provider();
    must(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    must(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    side_open(&sender, domain, info);
    side_open(&receiver, domain, info);
    (void)introduce(&receiver, &sender);
    fi_addr_t to = introduce(&sender, &receiver);
    for (unsigned i = 0; i < MESSAGES; i++) {
        (void)snprintf(out[i], BYTES, "message with tag %u", i);
        send_to(&sender, &receiver, to, out[i], i, &contexts[i]);
    }
    for (unsigned i = MESSAGES; i-- > 0;) {
        must(
            fi_trecv(receiver.endpoint, in, BYTES, NULL, FI_ADDR_UNSPEC, i, 0, &contexts[MESSAGES]),
            "fi_trecv");
        struct fi_cq_tagged_entry entry = wait_for(&receiver, &sender);
        (void)printf("tag %u received: %s\n", (unsigned)entry.tag, in);
    }
    for (unsigned i = 0; i < MESSAGES; i++) {
        (void)wait_for(&sender, &receiver);
    }
    side_close(&sender);
    side_close(&receiver);
    must(fi_close(&domain->fid), "fi_close");
    must(fi_close(&fabric->fid), "fi_close");
    fi_freeinfo(info);
    return 0;
}
