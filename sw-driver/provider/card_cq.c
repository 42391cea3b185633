/* SPDX-License-Identifier: Apache-2.0 */
/* Queue of the card below: what its one endpoint has received and sent.  It is read in the form
 * FI_CQ_FORMAT_MSG alone. */
#include "card.h"

#include <stdlib.h>

#define FIRST_ROOM 64u

static bool grow(card_cq_t *cq) {
    const size_t room = cq->room == 0 ? FIRST_ROOM : 2 * cq->room;
    tfi_done_t *ring = malloc(room * sizeof *ring);
    if (!ring) {
        return false;
    }
    for (size_t i = 0; i < cq->count; ++i) {
        ring[i] = cq->ring[(cq->head + i) & (cq->room - 1)];
    }
    free(cq->ring);
    cq->ring = ring;
    cq->room = room;
    cq->head = 0;
    return true;
}

void card_cq_add(card_cq_t *cq, void *context, size_t length, int err) {
    if (cq->count == cq->room && !grow(cq)) {
        tfi_say("no memory for a completion: the program will miss one");
        return;
    }
    cq->ring[(cq->head + cq->count++) & (cq->room - 1)].entry =
        (struct fi_cq_err_entry){.op_context = context, .len = length, .err = err};
}

static ssize_t take(card_cq_t *cq, struct fi_cq_msg_entry *entries, size_t count) {
    size_t taken = 0;
    while (taken < count && cq->count != 0) {
        const struct fi_cq_err_entry *entry = &cq->ring[cq->head].entry;
        if (entry->err != 0) {
            return taken != 0 ? (ssize_t)taken : -FI_EAVAIL;
        }
        entries[taken++] =
            (struct fi_cq_msg_entry){.op_context = entry->op_context, .len = entry->len};
        cq->head = (cq->head + 1) & (cq->room - 1);
        --cq->count;
    }
    return taken != 0 ? (ssize_t)taken : -FI_EAGAIN;
}

static ssize_t cq_read(struct fid_cq *fid, void *entries, size_t count) {
    card_cq_t *cq = TFI_OF(card_cq_t, fid);
    if (cq->count == 0 && cq->ep) {
        card_progress(cq->ep);
    }
    return take(cq, entries, count);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags) {
    card_cq_t *cq = TFI_OF(card_cq_t, fid);
    (void)flags;
    if (cq->count == 0 || cq->ring[cq->head].entry.err == 0) {
        return -FI_EAGAIN;
    }
    *entry = cq->ring[cq->head].entry;
    cq->head = (cq->head + 1) & (cq->room - 1);
    --cq->count;
    return 1;
}

/* A card wakes nobody. */
static ssize_t cq_sread(struct fid_cq *fid, void *entries, size_t count, const void *condition,
                        int timeout) {
    (void)condition, (void)timeout;
    return cq_read(fid, entries, count);
}

static int cq_close(struct fid *fid) {
    card_cq_t *cq = TFI_OF(card_cq_t, fid);
    free(cq->ring);
    free(cq);
    return 0;
}

static struct fi_ops fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = cq_close,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_cq ops = {
    .size = sizeof(struct fi_ops_cq),
    .read = cq_read,
    .readerr = cq_readerr,
    .sread = cq_sread,
};

int card_cq_open(struct fid_domain *domain, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                 void *context) {
    (void)domain;
    if (attr->wait_obj != FI_WAIT_NONE) {
        return -FI_ENOSYS;
    }
    card_cq_t *cq = calloc(1, sizeof *cq);
    if (!cq) {
        return -FI_ENOMEM;
    }
    cq->fid.fid = (struct fid){.fclass = FI_CLASS_CQ, .context = context, .ops = &fid_ops};
    cq->fid.ops = &ops;
    *cq_p = &cq->fid;
    return 0;
}
