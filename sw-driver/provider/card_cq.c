/* SPDX-License-Identifier: Apache-2.0 */
/* Queue of the card below: what its one endpoint has received and sent.  It is read in the form
 * FI_CQ_FORMAT_MSG alone. */
#include "card.h"

#include <stdlib.h>

void card_cq_add(card_cq_t *cq, void *context, size_t length, int err) {
    const tfi_done_t done = {.entry = {.op_context = context, .len = length, .err = err}};
    (void)tfi_dones_add(&cq->dones, &done);
}

static ssize_t take(card_cq_t *cq, struct fi_cq_msg_entry *entries, size_t count) {
    size_t taken = 0;
    for (const tfi_done_t *done; taken < count && (done = tfi_dones_first(&cq->dones)); ++taken) {
        if (done->entry.err != 0) {
            return taken != 0 ? (ssize_t)taken : -FI_EAVAIL;
        }
        entries[taken] =
            (struct fi_cq_msg_entry){.op_context = done->entry.op_context, .len = done->entry.len};
        tfi_dones_drop(&cq->dones);
    }
    return taken != 0 ? (ssize_t)taken : -FI_EAGAIN;
}

static ssize_t cq_read(struct fid_cq *fid, void *entries, size_t count) {
    card_cq_t *cq = TFI_OF(card_cq_t, fid);
    if (cq->dones.count == 0 && cq->ep) {
        card_progress(cq->ep);
    }
    return take(cq, entries, count);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags) {
    card_cq_t *cq = TFI_OF(card_cq_t, fid);
    (void)flags;
    const tfi_done_t *done = tfi_dones_first(&cq->dones);
    if (!done || done->entry.err == 0) {
        return -FI_EAGAIN;
    }
    *entry = done->entry;
    tfi_dones_drop(&cq->dones);
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
    free(cq->dones.ring);
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
