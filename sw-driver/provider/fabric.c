/* SPDX-License-Identifier: Apache-2.0 */
/* Fabrics and domains: each with one of the provider below, a domain also with the unit. */
#include "card.h"

#include <stdlib.h>

int tfi_no_bind(struct fid *fid, struct fid *other, uint64_t flags) {
    (void)fid, (void)other, (void)flags;
    return -FI_ENOSYS;
}

int tfi_no_control(struct fid *fid, int command, void *argument) {
    (void)fid, (void)command, (void)argument;
    return -FI_ENOSYS;
}

int tfi_no_ops_open(struct fid *fid, const char *name, uint64_t flags, void **ops, void *context) {
    (void)fid, (void)name, (void)flags, (void)ops, (void)context;
    return -FI_ENOSYS;
}

/* ---- fabric ------------------------------------------------------------------------------- */

static int fabric_close(struct fid *fid) {
    tfi_fabric_t *fabric = TFI_OF(tfi_fabric_t, fid);
    const int wrong = fi_close(&fabric->inner->fid);
    if (wrong == 0) {
        free(fabric);
    }
    return wrong;
}

static int fabric_no_pep(struct fid_fabric *fabric, struct fi_info *info, struct fid_pep **pep,
                         void *context) {
    (void)fabric, (void)info, (void)pep, (void)context;
    return -FI_ENOSYS;
}

/* Nothing of ours becomes an event, so the queue is the inner provider's own. */
static int fabric_eq_open(struct fid_fabric *fid, struct fi_eq_attr *attr, struct fid_eq **eq,
                          void *context) {
    return fi_eq_open(TFI_OF(tfi_fabric_t, fid)->inner, attr, eq, context);
}

static int fabric_no_wait(struct fid_fabric *fabric, struct fi_wait_attr *attr,
                          struct fid_wait **wait) {
    (void)fabric, (void)attr, (void)wait;
    return -FI_ENOSYS;
}

static struct fi_ops fabric_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = fabric_close,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_fabric fabric_ops = {
    .size = sizeof(struct fi_ops_fabric),
    .domain = tfi_domain_open,
    .passive_ep = fabric_no_pep,
    .eq_open = fabric_eq_open,
    .wait_open = fabric_no_wait,
    .trywait = tfi_trywait,
};

int tfi_fabric_open(struct fi_fabric_attr *attr, struct fid_fabric **fabric_p, void *context) {
    tfi_fabric_t *fabric = calloc(1, sizeof *fabric);
    if (!fabric) {
        return -FI_ENOMEM;
    }
    const int wrong = tfi_inner_fabric(attr, &fabric->inner);
    if (wrong != 0) {
        free(fabric);
        return wrong;
    }
    fabric->fid.fid =
        (struct fid){.fclass = FI_CLASS_FABRIC, .context = context, .ops = &fabric_fid_ops};
    fabric->fid.ops = &fabric_ops;
    fabric->fid.api_version = attr->api_version;
    *fabric_p = &fabric->fid;
    return 0;
}

/* ---- domain ------------------------------------------------------------------------------- */

static int domain_close(struct fid *fid) {
    tfi_domain_t *domain = TFI_OF(tfi_domain_t, fid);
    tfi_lock();
    const bool busy = domain->users != 0;
    tfi_unlock();
    const int wrong = busy ? -FI_EBUSY : fi_close(&domain->inner->fid);
    if (wrong != 0) {
        return wrong;
    }
    tfi_lock();
    unit_release(domain->unit);
    tfi_unlock();
    free(domain);
    return 0;
}

static int no_scalable_ep(struct fid_domain *domain, struct fi_info *info, struct fid_ep **sep,
                          void *context) {
    (void)domain, (void)info, (void)sep, (void)context;
    return -FI_ENOSYS;
}

static int no_poll(struct fid_domain *domain, struct fi_poll_attr *attr, struct fid_poll **poll) {
    (void)domain, (void)attr, (void)poll;
    return -FI_ENOSYS;
}

static int no_stx(struct fid_domain *domain, struct fi_tx_attr *attr, struct fid_stx **stx,
                  void *context) {
    (void)domain, (void)attr, (void)stx, (void)context;
    return -FI_ENOSYS;
}

static int no_srx(struct fid_domain *domain, struct fi_rx_attr *attr, struct fid_ep **srx,
                  void *context) {
    (void)domain, (void)attr, (void)srx, (void)context;
    return -FI_ENOSYS;
}

static int no_atomic(struct fid_domain *domain, enum fi_datatype type, enum fi_op op,
                     struct fi_atomic_attr *attr, uint64_t flags) {
    (void)domain, (void)type, (void)op, (void)attr, (void)flags;
    return -FI_ENOSYS;
}

static struct fi_ops domain_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = domain_close,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

/* The table ends where the operations end that every libfabric version knows. */
static struct fi_ops_domain domain_ops = {
    .size = offsetof(struct fi_ops_domain, query_collective),
    .av_open = tfi_av_open,
    .cq_open = tfi_cq_open,
    .endpoint = tfi_ep_open,
    .scalable_ep = no_scalable_ep,
    .cntr_open = tfi_cntr_open,
    .poll_open = no_poll,
    .stx_ctx = no_stx,
    .srx_ctx = no_srx,
    .query_atomic = no_atomic,
};

/* Nobody but the user needs registrations, and what they get is the inner provider's. */
static int mr_reg(struct fid *fid, const void *buffer, size_t length, uint64_t access,
                  uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr,
                  void *context) {
    struct fid_domain *inner = TFI_OF(tfi_domain_t, fid)->inner;
    return inner->mr->reg(&inner->fid, buffer, length, access, offset, key, flags, mr, context);
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
                   uint64_t offset, uint64_t key, uint64_t flags, struct fid_mr **mr,
                   void *context) {
    struct fid_domain *inner = TFI_OF(tfi_domain_t, fid)->inner;
    return inner->mr->regv(&inner->fid, iov, count, access, offset, key, flags, mr, context);
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
                      struct fid_mr **mr) {
    struct fid_domain *inner = TFI_OF(tfi_domain_t, fid)->inner;
    return inner->mr->regattr(&inner->fid, attr, flags, mr);
}

static struct fi_ops_mr mr_ops = {
    .size = sizeof(struct fi_ops_mr),
    .reg = mr_reg,
    .regv = mr_regv,
    .regattr = mr_regattr,
};

static int open_inner(tfi_domain_t *domain, struct fid_fabric *fabric, const struct fi_info *info) {
    struct fi_info *inner = NULL;
    int wrong = tfi_inner_info(info, &inner);
    if (wrong != 0) {
        return wrong;
    }
    domain->name_size = domain->unit->card ? CARD_NAME : inner->src_addrlen;
    if (domain->name_size == 0 || domain->name_size > WIRE_NAME) {
        tfi_say("the provider below has names of %zu bytes, expected 1 to %u", domain->name_size,
                WIRE_NAME);
        wrong = -FI_ENOSYS;
    } else {
        wrong = fi_domain(fabric, inner, &domain->inner, NULL);
    }
    fi_freeinfo(inner);
    if (wrong == 0 && domain->unit->card) {
        card_domain_use(domain->inner, domain->unit);
    }
    return wrong;
}

int tfi_domain_open(struct fid_fabric *fid, struct fi_info *info, struct fid_domain **domain_p,
                    void *context) {
    char error[1024];
    tfi_domain_t *domain = calloc(1, sizeof *domain);
    if (!domain) {
        return -FI_ENOMEM;
    }
    domain->fabric = TFI_OF(tfi_fabric_t, fid);
    if (!tfi_held_open(domain)) {
        free(domain);
        return -FI_EINVAL;
    }
    tfi_lock();
    domain->unit = unit_acquire(error, sizeof error);
    tfi_unlock();
    int wrong = -FI_ENODEV;
    if (!domain->unit) {
        tfi_say("%s", error);
    } else {
        wrong = open_inner(domain, TFI_OF(tfi_fabric_t, fid)->inner, info);
    }
    if (wrong != 0) {
        tfi_lock();
        if (domain->unit) {
            unit_release(domain->unit);
        }
        tfi_unlock();
        free(domain);
        return wrong;
    }
    domain->fid.fid =
        (struct fid){.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &domain_fid_ops};
    domain->fid.ops = &domain_ops;
    domain->fid.mr = &mr_ops;
    *domain_p = &domain->fid;
    return 0;
}
