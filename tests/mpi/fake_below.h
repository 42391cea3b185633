/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider on a provider below that does what it is told to: an endpoint with one peer, at
 * index 0 of its address vector.
 */
#ifndef TMU_TESTS_FAKE_BELOW_H
#define TMU_TESTS_FAKE_BELOW_H

#include "provider.h"
#include "wrong.h"

#include <stdlib.h>
#include <string.h>

#define LONG_BYTES (TFI_EAGER + 1u)
#define TAKEN 4096u

static ssize_t send_result;   /* of the next sends below */
static void *last_context;    /* of the last operation below that was taken */
static void *cancelled;       /* context of the last cancel below */
static void *failing_context; /* of the next completion below, an error */
static int failing_error;
static struct fi_cq_msg_entry finished; /* the next completion below, if it has a context */
static const void *last_piece;          /* of the last send below */
static size_t last_pieces;              /* likewise, how many */
static void *taken[TAKEN];              /* contexts of frames' operations, as they were taken */
static size_t taken_count;              /* of all so far; the table goes round */
static bool insert_fails;               /* the vector below takes no address */
static size_t inserted;                 /* addresses that it has */

static ssize_t fake_sendv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                          fi_addr_t to, uint64_t tag, void *context) {
    (void)ep, (void)desc, (void)to, (void)tag;
    last_pieces = count;
    last_piece = iov[count - 1].iov_base;
    if (send_result == 0) {
        last_context = taken[taken_count++ % TAKEN] = context;
    }
    return send_result;
}

static ssize_t fake_recv(struct fid_ep *ep, void *buffer, size_t length, void *desc, fi_addr_t from,
                         uint64_t tag, uint64_t ignore, void *context) {
    (void)ep, (void)buffer, (void)length, (void)desc, (void)from, (void)tag, (void)ignore;
    (void)context;
    return 0;
}

static ssize_t fake_recvv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                          fi_addr_t from, uint64_t tag, uint64_t ignore, void *context) {
    (void)ep, (void)iov, (void)desc, (void)count, (void)from, (void)tag, (void)ignore;
    last_context = taken[taken_count++ % TAKEN] = context;
    return 0;
}

static ssize_t fake_cancel(struct fid *fid, void *context) {
    (void)fid;
    cancelled = context;
    return 0;
}

static ssize_t fake_read(struct fid_cq *cq, void *buffer, size_t count) {
    (void)cq, (void)count;
    if (failing_context) {
        return -FI_EAVAIL;
    }
    if (!finished.op_context) {
        return -FI_EAGAIN;
    }
    memcpy(buffer, &finished, sizeof finished);
    finished.op_context = NULL;
    return 1;
}

static ssize_t fake_readerr(struct fid_cq *cq, struct fi_cq_err_entry *entry, uint64_t flags) {
    (void)cq, (void)flags;
    entry->op_context = failing_context;
    entry->err = failing_error;
    failing_context = NULL;
    return 1;
}

static int fake_insert(struct fid_av *vector, const void *address, size_t count, fi_addr_t *indices,
                       uint64_t flags, void *context) {
    (void)vector, (void)address, (void)count, (void)flags, (void)context;
    if (insert_fails) {
        return 0;
    }
    *indices = 1000 + inserted++;
    return 1;
}

static int fake_remove(struct fid_av *vector, fi_addr_t *indices, size_t count, uint64_t flags) {
    (void)vector, (void)indices, (void)flags;
    inserted -= count;
    return 0;
}

static struct fi_ops_tagged fake_tagged = {
    .size = sizeof fake_tagged, .recv = fake_recv, .recvv = fake_recvv, .sendv = fake_sendv};
static struct fi_ops_ep fake_ep_ops = {.size = sizeof fake_ep_ops, .cancel = fake_cancel};
static struct fi_ops_cq fake_cq_ops = {
    .size = sizeof fake_cq_ops, .read = fake_read, .readerr = fake_readerr};

static struct fi_ops_av fake_av_ops = {
    .size = sizeof fake_av_ops, .insert = fake_insert, .remove = fake_remove};
static struct fid_av below_av = {.fid = {.fclass = FI_CLASS_AV}, .ops = &fake_av_ops};
static struct fid_ep below = {
    .fid = {.fclass = FI_CLASS_EP}, .ops = &fake_ep_ops, .tagged = &fake_tagged};
static struct fid_cq below_cq = {.fid = {.fclass = FI_CLASS_CQ}, .ops = &fake_cq_ops};
static tfi_domain_t domain = {.name_size = 8, .most_held = UINT64_MAX};
static tfi_av_t av;
static tfi_cq_t cq;
static tfi_ep_t ep;
static tfi_cntr_t sent;
static tfi_cntr_t received;
static uint8_t buffer[LONG_BYTES];
static peer_t *peer;

static inline void start(void) {
    char error[256];
    domain.unit = unit_acquire(error, sizeof error);
    if (!domain.unit) {
        fprintf(stderr, "%s\n", error);
        exit(1);
    }
    ep = (tfi_ep_t){.domain = &domain,
                    .av = &av,
                    .below = &below,
                    .inner_cq = &below_cq,
                    .tx_cq = &cq,
                    .rx_cq = &cq,
                    .inject_size = 64,
                    .inner_pieces = TFI_IOV,
                    .lane_first = TFI_NO_LANE,
                    .untagged = {.least = 64},
                    .enabled = true};
    sent.domain = received.domain = &domain;
    EXPECT(tfi_cntr_bind(&ep, &sent, FI_SEND) == 0);
    EXPECT(tfi_cntr_bind(&ep, &received, FI_RECV) == 0);
    av.domain = &domain;
    av.below = &below_av;
    peer = peers_hold(&av.peers, (const uint8_t *)"\1\2\3\4\5\6\7\10", 8);
    EXPECT(peer && peers_enter(&av.peers, peer) == 0 && peer->index == 0);
    peer->below = 0; /* its address below */
    EXPECT(matcher_open(&ep.matcher, domain.unit, &tfi_match_events, &ep, error, sizeof error) ==
           0);
    EXPECT(tfi_frames_start(&ep) == 0);
}

static inline void below_fails(void *context, int error) {
    failing_context = context;
    failing_error = error;
    tfi_progress(&ep);
}

static inline void below_ends(void *context, uint64_t flags, size_t length) {
    finished = (struct fi_cq_msg_entry){.op_context = context, .flags = flags, .len = length};
    tfi_progress(&ep);
}

static inline void free_pull(tfi_pull_t *pull) {
    tfi_message_free(&ep, pull->message);
    if (pull->ask) {
        tfi_ask_free(&ep, pull->ask);
    }
    free(pull);
}

/* Ends all; an operation that is left is not told about. */
static inline void stop(void) {
    tfi_cntr_leave(&ep);
    EXPECT(!sent.seats && !received.seats);
    matcher_close(&ep.matcher);
    unit_release(domain.unit);
    tfi_frames_free(&ep);
    free(cq.dones.ring);
    tfi_load_free(&ep.loads);
    tfi_out_free(&ep);
    tfi_untagged_free(&ep);
    for (tfi_send_t *send; (send = slots_take_out(&ep.sends));) {
        tfi_send_free(&ep, send);
    }
    while (ep.pulls) {
        tfi_pull_t *pull = ep.pulls;
        ep.pulls = pull->next;
        slots_release(&ep.fetched, pull->handle);
        free_pull(pull);
    }
    for (tfi_pull_t *pull; (pull = slots_take_out(&ep.fetched));) {
        free_pull(pull);
    }
    tfi_asks_free(&ep);
    slots_free(&ep.sends);
    slots_free(&ep.fetched);
}

#endif
