/* SPDX-License-Identifier: Apache-2.0 */
/* The card below: what it offers, its fabric and its domain. */
#include "card.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    struct fid_domain fid;
    unit_t *unit;
} card_domain_t;

static int set_text(char **text, const char *value) {
    free(*text);
    *text = strdup(value);
    return *text ? 0 : -FI_ENOMEM;
}

int card_describe(struct fi_info *info) {
    info->addr_format = FI_FORMAT_UNSPEC;
    info->caps = FI_TAGGED | FI_SEND | FI_RECV;
    info->ep_attr->type = FI_EP_RDM;
    info->ep_attr->protocol = FI_PROTO_UNSPEC;
    info->ep_attr->max_msg_size = (1u << CARD_LENGTH_BITS) - 1;
    info->ep_attr->tx_ctx_cnt = info->ep_attr->rx_ctx_cnt = 1;
    info->tx_attr->iov_limit = info->rx_attr->iov_limit = TFI_IOV;
    info->tx_attr->inject_size = TFI_EAGER;
    info->tx_attr->size = info->rx_attr->size = 1024;
    info->tx_attr->msg_order = info->rx_attr->msg_order = FI_ORDER_SAS;
    info->domain_attr->resource_mgmt = FI_RM_ENABLED;
    info->domain_attr->mr_mode = 0;
    info->domain_attr->mr_key_size = sizeof(uint64_t);
    info->domain_attr->cq_cnt = info->domain_attr->ep_cnt = UNIT_ENDPOINTS;
    info->domain_attr->tx_ctx_cnt = info->domain_attr->rx_ctx_cnt = UNIT_ENDPOINTS;
    info->domain_attr->max_ep_tx_ctx = info->domain_attr->max_ep_rx_ctx = 1;
    const int wrong = set_text(&info->fabric_attr->name, "tmu-card");
    return wrong != 0 ? wrong : set_text(&info->domain_attr->name, "tmu-card");
}

/* ---- fabric -------------------------------------------------------------------------------- */

static int object_free(struct fid *fid) {
    free(fid);
    return 0;
}

static struct fi_ops fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = object_free,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_domain domain_ops = {
    .size = offsetof(struct fi_ops_domain, query_collective),
    .av_open = card_av_open,
    .cq_open = card_cq_open,
    .endpoint = card_ep_open,
};

static int domain_open(struct fid_fabric *fabric, struct fi_info *info, struct fid_domain **fid_p,
                       void *context) {
    card_domain_t *domain = calloc(1, sizeof *domain);
    (void)fabric, (void)info;
    if (!domain) {
        return -FI_ENOMEM;
    }
    domain->fid.fid = (struct fid){.fclass = FI_CLASS_DOMAIN, .context = context, .ops = &fid_ops};
    domain->fid.ops = &domain_ops;
    domain->fid.mr = &tfi_no_mr_ops; /* all that travels is copied */
    *fid_p = &domain->fid;
    return 0;
}

void card_domain_use(struct fid_domain *domain, unit_t *unit) {
    TFI_OF(card_domain_t, domain)->unit = unit;
}

unit_t *card_domain_unit(struct fid_domain *domain) { return TFI_OF(card_domain_t, domain)->unit; }

static int no_eq(struct fid_fabric *fabric, struct fi_eq_attr *attr, struct fid_eq **eq,
                 void *context) {
    (void)fabric, (void)attr, (void)eq, (void)context;
    return -FI_ENOSYS;
}

/* Nobody sleeps for a card: it runs in calls alone. */
static int no_trywait(struct fid_fabric *fabric, struct fid **fids, int count) {
    (void)fabric, (void)fids, (void)count;
    return -FI_EAGAIN;
}

static struct fi_ops_fabric fabric_ops = {
    .size = sizeof(struct fi_ops_fabric),
    .domain = domain_open,
    .eq_open = no_eq,
    .trywait = no_trywait,
};

int card_fabric_open(struct fid_fabric **fabric_p) {
    struct fid_fabric *fabric = calloc(1, sizeof *fabric);
    if (!fabric) {
        return -FI_ENOMEM;
    }
    fabric->fid = (struct fid){.fclass = FI_CLASS_FABRIC, .ops = &fid_ops};
    fabric->ops = &fabric_ops;
    fabric->api_version = fi_version();
    *fabric_p = fabric;
    return 0;
}
