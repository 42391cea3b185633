/* SPDX-License-Identifier: Apache-2.0 */
/* Completion queues: a ring of operations that ended, tagged or not. */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

void tfi_cq_add(tfi_cq_t *cq, const struct fi_cq_err_entry *entry, fi_addr_t source) {
    if (!cq) {
        return;
    }
    if (tfi_dones_add(&cq->dones, &(tfi_done_t){*entry, source}) && cq->dones.count == 1) {
        tfi_wake(cq);
    }
}

/* The entry in the form that the user opened the queue with; returns its size. */
static size_t put(const tfi_cq_t *cq, const struct fi_cq_err_entry *e, void *to) {
    const struct fi_cq_tagged_entry whole = {e->op_context, e->flags, e->len,
                                             e->buf,        e->data,  e->tag};
    size_t size = sizeof(struct fi_cq_tagged_entry);
    if (cq->format == FI_CQ_FORMAT_CONTEXT) {
        size = sizeof(struct fi_cq_entry);
    } else if (cq->format == FI_CQ_FORMAT_MSG) {
        size = sizeof(struct fi_cq_msg_entry);
    } else if (cq->format == FI_CQ_FORMAT_DATA) {
        size = sizeof(struct fi_cq_data_entry);
    }
    /* Each form is the beginning of the next. */
    memcpy(to, &whole, size);
    return size;
}

static ssize_t take(tfi_cq_t *cq, void *buffer, size_t count, fi_addr_t *sources) {
    uint8_t *to = buffer;
    size_t taken = 0;
    for (const tfi_done_t *done; taken < count && (done = tfi_dones_first(&cq->dones)); ++taken) {
        if (done->entry.err != 0) {
            return taken != 0 ? (ssize_t)taken : -FI_EAVAIL;
        }
        to += put(cq, &done->entry, to);
        if (sources) {
            sources[taken] = done->source;
        }
        tfi_dones_drop(&cq->dones);
    }
    return (ssize_t)taken;
}

tfi_ep_t *tfi_cq_next(const tfi_cq_t *cq, const tfi_ep_t *ep) {
    return ep->tx_cq == cq ? ep->next_tx : ep->next_rx;
}

void tfi_cq_progress(tfi_cq_t *cq) {
    for (tfi_ep_t *ep = cq->endpoints; ep; ep = tfi_cq_next(cq, ep)) {
        tfi_progress(ep);
    }
}

static ssize_t cq_readfrom(struct fid_cq *fid, void *buffer, size_t count, fi_addr_t *sources) {
    tfi_cq_t *cq = TFI_OF(tfi_cq_t, fid);
    tfi_lock();
    /* Whoever reads on comes to the end of what is there, so nothing is kept from going on; a read
     * of no entries is for progress alone. */
    if (cq->dones.count == 0 || count == 0) {
        tfi_cq_progress(cq);
    }
    const ssize_t got = take(cq, buffer, count, sources);
    tfi_unlock();
    return got != 0 ? got : -FI_EAGAIN;
}

static ssize_t cq_read(struct fid_cq *fid, void *buffer, size_t count) {
    return cq_readfrom(fid, buffer, count, NULL);
}

static ssize_t cq_readerr(struct fid_cq *fid, struct fi_cq_err_entry *entry, uint64_t flags) {
    tfi_cq_t *cq = TFI_OF(tfi_cq_t, fid);
    ssize_t got = 1;
    (void)flags;
    tfi_lock();
    const tfi_done_t *done = tfi_dones_first(&cq->dones);
    if (done && done->entry.err != 0) {
        /* The user's structure may be longer than the one this was compiled with. */
        void *data = entry->err_data;
        const size_t room = entry->err_data_size;
        *entry = done->entry;
        entry->err_data = room != 0 ? data : NULL;
        entry->err_data_size = 0;
        tfi_dones_drop(&cq->dones);
    } else {
        got = -FI_EAGAIN;
    }
    tfi_unlock();
    return got;
}

static ssize_t cq_sreadfrom(struct fid_cq *fid, void *buffer, size_t count, fi_addr_t *sources,
                            const void *condition, int timeout) {
    tfi_cq_t *cq = TFI_OF(tfi_cq_t, fid);
    const uint64_t start = tfi_now_ms();
    (void)condition;
    for (;;) {
        const ssize_t got = cq_readfrom(fid, buffer, count, sources);
        tfi_lock();
        const bool woken = cq->woken;
        cq->woken = false;
        tfi_unlock();
        if (got != -FI_EAGAIN || woken) {
            return got;
        }
        const uint64_t waited = tfi_now_ms() - start;
        if (timeout >= 0 && waited >= (uint64_t)timeout) {
            return -FI_EAGAIN;
        }
        tfi_wait_for(cq, timeout >= 0 ? timeout - (int)waited : -1);
    }
}

static ssize_t cq_sread(struct fid_cq *fid, void *buffer, size_t count, const void *condition,
                        int timeout) {
    return cq_sreadfrom(fid, buffer, count, NULL, condition, timeout);
}

static int cq_signal(struct fid_cq *fid) {
    tfi_lock();
    TFI_OF(tfi_cq_t, fid)->woken = true;
    tfi_wake(TFI_OF(tfi_cq_t, fid));
    tfi_unlock();
    return 0;
}

static const char *cq_strerror(struct fid_cq *fid, int prov_errno, const void *err_data,
                               char *buffer, size_t length) {
    (void)fid, (void)err_data;
    const char *text = fi_strerror(prov_errno < 0 ? -prov_errno : prov_errno);
    if (buffer && length != 0) {
        (void)snprintf(buffer, length, "%s", text);
    }
    return text;
}

static int cq_close(struct fid *fid) {
    tfi_cq_t *cq = TFI_OF(tfi_cq_t, fid);
    tfi_lock();
    const bool busy = cq->endpoints;
    if (!busy) {
        --cq->domain->users;
    }
    tfi_unlock();
    if (busy) {
        return -FI_EBUSY;
    }
    tfi_wait_close(cq);
    free(cq->dones.ring);
    free(cq);
    return 0;
}

static int cq_control(struct fid *fid, int command, void *argument) {
    const tfi_cq_t *cq = TFI_OF(tfi_cq_t, fid);
    if (command != FI_GETWAIT || cq->wait.set < 0) {
        return -FI_ENOSYS;
    }
    *(int *)argument = cq->wait.set;
    return 0;
}

static struct fi_ops cq_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = cq_close,
    .bind = tfi_no_bind,
    .control = cq_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_cq cq_ops = {
    .size = sizeof(struct fi_ops_cq),
    .read = cq_read,
    .readfrom = cq_readfrom,
    .readerr = cq_readerr,
    .sread = cq_sread,
    .sreadfrom = cq_sreadfrom,
    .signal = cq_signal,
    .strerror = cq_strerror,
};

int tfi_cq_open(struct fid_domain *fid, struct fi_cq_attr *attr, struct fid_cq **cq_p,
                void *context) {
    if (attr->wait_obj != FI_WAIT_NONE && attr->wait_obj != FI_WAIT_UNSPEC &&
        attr->wait_obj != FI_WAIT_YIELD && attr->wait_obj != FI_WAIT_FD) {
        return -FI_ENOSYS;
    }
    if (attr->wait_obj == FI_WAIT_FD && network_wanted()) {
        tfi_say("a card wakes nobody, so there is no FI_WAIT_FD beside %s",
                setting_name(SETTING_ADDRESS));
        return -FI_ENOSYS;
    }
    if (attr->format > FI_CQ_FORMAT_TAGGED) {
        return -FI_ENOSYS;
    }
    tfi_cq_t *cq = calloc(1, sizeof *cq);
    if (!cq) {
        return -FI_ENOMEM;
    }
    if (attr->format == FI_CQ_FORMAT_UNSPEC) {
        attr->format = FI_CQ_FORMAT_TAGGED;
    }
    cq->format = attr->format;
    cq->wait.set = cq->wait.event = -1;
    const int wrong = attr->wait_obj == FI_WAIT_FD ? tfi_wait_open(cq) : 0;
    if (wrong != 0) {
        free(cq);
        return wrong;
    }
    cq->domain = TFI_OF(tfi_domain_t, fid);
    tfi_lock();
    ++cq->domain->users;
    tfi_unlock();
    cq->fid.fid = (struct fid){.fclass = FI_CLASS_CQ, .context = context, .ops = &cq_fid_ops};
    cq->fid.ops = &cq_ops;
    *cq_p = &cq->fid;
    return 0;
}
