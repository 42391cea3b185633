/* SPDX-License-Identifier: Apache-2.0 */
/* The provider's offers, made from those of the provider below. */
#include "card.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* `tcp` has reliable datagrams of its own since 1.18; before, that was called `net`. */
static const char *const inner_names[] = {"tcp", "net"};

/* Each bit of a tag is compared by itself: fields of one bit all over. */
#define ALL_TAG_BITS UINT64_C(0xaaaaaaaaaaaaaaaa)

/* With this flag fi_getinfo lists also what FI_PROVIDER hides.  It is libfabric's own for providers
 * that sit on others, in no public header, and the same bit from 1.17 to 2.5.1 (decision 24). */
#define SHOW_HIDDEN (UINT64_C(1) << 60)

static _Atomic uint32_t asked_version; /* of the program's last call */

/* Replaces a string of an info, which frees it. */
static int set_name(char **name, const char *value) {
    char *copy = value ? strdup(value) : NULL;
    if (value && !copy) {
        return -FI_ENOMEM;
    }
    free(*name);
    *name = copy;
    return 0;
}

#define FILL(info, blank, attributes)                                                              \
    do {                                                                                           \
        if (!(info)->attributes) {                                                                 \
            (info)->attributes = (blank)->attributes;                                              \
            (blank)->attributes = NULL;                                                            \
        }                                                                                          \
    } while (0)

/* A copy of the user's hints that has all attributes, of which the user may leave out any; those
 * that libfabric allocates are as long as it knows them.  NULL: no memory. */
static struct fi_info *whole_copy(const struct fi_info *hints) {
    struct fi_info *blank = fi_allocinfo();
    if (!blank || !hints) {
        return blank;
    }
    struct fi_info *copy = fi_dupinfo(hints);
    if (copy) {
        FILL(copy, blank, tx_attr);
        FILL(copy, blank, rx_attr);
        FILL(copy, blank, ep_attr);
        FILL(copy, blank, domain_attr);
        FILL(copy, blank, fabric_attr);
    }
    fi_freeinfo(blank);
    return copy;
}

/* The user's hints without all that is between the user and this provider; NULL: no memory. */
static struct fi_info *inner_hints(const struct fi_info *hints, const char *name) {
    struct fi_info *inner = whole_copy(hints);
    if (!inner) {
        return NULL;
    }
    inner->handle = NULL;
    inner->caps = FI_MSG | FI_TAGGED | FI_SEND | FI_RECV | FI_MULTI_RECV;
    inner->mode = 0;
    inner->tx_attr->caps = inner->rx_attr->caps = inner->domain_attr->caps = 0;
    inner->tx_attr->mode = inner->rx_attr->mode = inner->domain_attr->mode = 0;
    inner->tx_attr->op_flags = inner->rx_attr->op_flags = 0;
    inner->tx_attr->comp_order = inner->rx_attr->comp_order = FI_ORDER_NONE;
    inner->ep_attr->type = FI_EP_RDM;
    inner->ep_attr->protocol = FI_PROTO_UNSPEC;
    inner->ep_attr->mem_tag_format = 0;
    inner->domain_attr->mr_mode = 0;
    inner->domain_attr->threading = FI_THREAD_UNSPEC;
    inner->domain_attr->control_progress = FI_PROGRESS_UNSPEC;
    inner->domain_attr->data_progress = FI_PROGRESS_UNSPEC;
    inner->domain_attr->av_type = FI_AV_UNSPEC;
    inner->domain_attr->domain = NULL;
    inner->domain_attr->cntr_cnt = 0;
    inner->fabric_attr->fabric = NULL;
    if (set_name(&inner->fabric_attr->prov_name, name) != 0) {
        fi_freeinfo(inner);
        return NULL;
    }
    return inner;
}

/* Keeps the infos of exactly this provider, not of those stacked on it. */
static struct fi_info *keep_own(struct fi_info *list, const char *name) {
    struct fi_info *kept = NULL;
    struct fi_info **end = &kept;
    while (list) {
        struct fi_info *info = list;
        list = list->next;
        info->next = NULL;
        if (strcmp(info->fabric_attr->prov_name, name) == 0) {
            *end = info;
            end = &info->next;
        } else {
            fi_freeinfo(info);
        }
    }
    return kept;
}

static struct fi_info *ask(const char *name, const char *node, const char *service, uint64_t flags,
                           const struct fi_info *hints) {
    struct fi_info *inner = inner_hints(hints, name);
    struct fi_info *list = NULL;
    if (!inner) {
        return NULL;
    }
    if (fi_getinfo(asked_version, node, service, flags, inner, &list) != 0) {
        list = NULL;
    }
    fi_freeinfo(inner);
    return keep_own(list, name);
}

static struct fi_info *ask_all(const char *node, const char *service, uint64_t flags,
                               const struct fi_info *hints) {
    const char *chosen = setting_get(SETTING_INNER);
    if (chosen) {
        return ask(chosen, node, service, flags, hints);
    }
    struct fi_info *list = NULL;
    for (size_t i = 0; !list && i < sizeof inner_names / sizeof inner_names[0]; ++i) {
        list = ask(inner_names[i], node, service, flags, hints);
    }
    return list;
}

/* The card's offer, or NULL. */
static struct fi_info *card_list(const struct fi_info *hints) {
    struct fi_info *info = inner_hints(hints, NULL);
    if (info && card_describe(info) != 0) {
        fi_freeinfo(info);
        info = NULL;
    }
    return info;
}

/* The inner provider's infos for these hints, or NULL.  One that FI_PROVIDER hides from programs is
 * found as well: there the user chose what programs see, and that is `tmu`. */
static struct fi_info *inner_list(const char *node, const char *service, uint64_t flags,
                                  const struct fi_info *hints) {
    if (network_wanted()) {
        return card_list(hints);
    }
    struct fi_info *list = ask_all(node, service, flags, hints);
    return list ? list : ask_all(node, service, flags | SHOW_HIDDEN, hints);
}

/* False, and it was said, when the environment names a provider without a name. */
static bool names_inner(void) {
    const char *chosen = setting_get(SETTING_INNER);
    if (!chosen || chosen[0] != '\0') {
        return true;
    }
    tfi_say("%s is empty, expected the name of a provider; unset it, and tcp or net is taken",
            setting_name(SETTING_INNER));
    return false;
}

static bool progress_is_ours(enum fi_progress progress) {
    return progress == FI_PROGRESS_UNSPEC || progress == FI_PROGRESS_MANUAL;
}

/* Whether what the user wants beyond the inner provider's part is there. */
static bool offered(const struct fi_info *hints) {
    if (!hints) {
        return true;
    }
    if ((hints->caps & ~TFI_CAPS) != 0 || hints->addr_format == FI_ADDR_STR) {
        return false;
    }
    if (hints->ep_attr &&
        ((hints->ep_attr->type != FI_EP_UNSPEC && hints->ep_attr->type != FI_EP_RDM) ||
         hints->ep_attr->protocol != FI_PROTO_UNSPEC)) {
        return false;
    }
    if (hints->tx_attr && ((hints->tx_attr->caps & ~TFI_CAPS) != 0 ||
                           (hints->tx_attr->op_flags & ~TFI_SEND_FLAGS) != 0 ||
                           hints->tx_attr->comp_order != FI_ORDER_NONE)) {
        return false;
    }
    if (hints->rx_attr &&
        ((hints->rx_attr->caps & ~TFI_CAPS) != 0 || hints->rx_attr->comp_order != FI_ORDER_NONE)) {
        return false;
    }
    /* A vector that processes share (FI_SHARED_AV) is among what is not there. */
    return !hints->domain_attr || ((hints->domain_attr->caps & ~TFI_DOMAIN_CAPS) == 0 &&
                                   progress_is_ours(hints->domain_attr->control_progress) &&
                                   progress_is_ours(hints->domain_attr->data_progress) &&
                                   hints->domain_attr->cntr_cnt <= TFI_COUNTERS);
}

/* Those who ask for `tmu` by its name and for what it has not get a sentence, once. */
static void explain(const struct fi_info *hints) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const bool named = hints->fabric_attr && hints->fabric_attr->prov_name &&
                       strcmp(hints->fabric_attr->prov_name, TFI_NAME) == 0;
    const uint64_t flags = hints->tx_attr ? hints->tx_attr->op_flags : 0;
    if (named && (flags & FI_DELIVERY_COMPLETE) != 0 && !atomic_flag_test_and_set(&said)) {
        tfi_say("sends that end with FI_DELIVERY_COMPLETE are asked for, which are not offered; "
                "with MPICH set MPIR_CVAR_CH4_OFI_ENABLE_RMA=0");
    }
}

/* Says once that there is nothing to sit on, if no hints are the reason. */
static void explain_nothing_below(void) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    struct fi_info *any = inner_list(NULL, NULL, 0, NULL);
    if (!any && !atomic_flag_test_and_set(&said)) {
        tfi_say("libfabric shows neither tcp nor net, one of which is needed below; if FI_PROVIDER "
                "is set, name it there as well: FI_PROVIDER=tmu,tcp, or tmu,net before 1.18");
    }
    fi_freeinfo(any);
}

/* Turns an info of the inner provider into ours. */
static int dress(struct fi_info *info, const struct fi_info *hints) {
    uint64_t caps = hints && hints->caps != 0 ? hints->caps : TFI_CAPS;
    if ((caps & (FI_MSG | FI_TAGGED)) == 0) {
        caps |= FI_MSG | FI_TAGGED;
    }
    if ((caps & (FI_SEND | FI_RECV)) == 0) {
        caps |= FI_SEND | FI_RECV;
    }
    caps |= FI_LOCAL_COMM | FI_REMOTE_COMM;
    info->caps = caps;
    info->mode = info->tx_attr->mode = info->rx_attr->mode = info->domain_attr->mode = 0;
    info->tx_attr->caps = caps & (FI_MSG | FI_TAGGED | FI_SEND);
    info->rx_attr->caps =
        caps & (FI_MSG | FI_TAGGED | FI_RECV | FI_MULTI_RECV | FI_DIRECTED_RECV | FI_SOURCE);
    if (hints && hints->tx_attr) {
        info->tx_attr->op_flags = hints->tx_attr->op_flags;
    }
    if (hints && hints->rx_attr) {
        info->rx_attr->op_flags = hints->rx_attr->op_flags;
    }
    info->ep_attr->protocol = FI_PROTO_UNSPEC;
    info->ep_attr->mem_tag_format = hints && hints->ep_attr && hints->ep_attr->mem_tag_format != 0
                                        ? hints->ep_attr->mem_tag_format
                                        : ALL_TAG_BITS;
    /* MPICH wants exactly the model that it asked for, and what is safe for all is so for each. */
    info->domain_attr->threading =
        hints && hints->domain_attr && hints->domain_attr->threading != FI_THREAD_UNSPEC
            ? hints->domain_attr->threading
            : FI_THREAD_SAFE;
    info->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    info->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    info->domain_attr->av_type = FI_AV_TABLE;
    info->domain_attr->cq_data_size = network_wanted() ? sizeof(uint32_t) : sizeof(uint64_t);
    info->domain_attr->cntr_cnt = TFI_COUNTERS;
    info->domain_attr->caps = TFI_DOMAIN_CAPS;
    /* A short message ends before a long one that was sent or received before it. */
    info->tx_attr->comp_order = info->rx_attr->comp_order = FI_ORDER_NONE;
    if (info->ep_attr->max_msg_size > TFI_LONGEST) {
        info->ep_attr->max_msg_size = TFI_LONGEST;
    }
    if (info->tx_attr->iov_limit > TFI_IOV) {
        info->tx_attr->iov_limit = TFI_IOV;
    }
    if (info->rx_attr->iov_limit > TFI_IOV) {
        info->rx_attr->iov_limit = TFI_IOV;
    }
    if (info->tx_attr->inject_size > TFI_EAGER) {
        info->tx_attr->inject_size = TFI_EAGER;
    }
    /* libfabric enters our name itself and takes one that is there for a layer below. */
    return set_name(&info->fabric_attr->prov_name, NULL);
}

int tfi_getinfo(uint32_t version, const char *node, const char *service, uint64_t flags,
                const struct fi_info *hints, struct fi_info **info_p) {
    if (!offered(hints)) {
        explain(hints);
        return -FI_ENODATA;
    }
    asked_version = version;
    if (!names_inner()) {
        return -FI_ENODATA;
    }
    struct fi_info *list = inner_list(node, service, flags, hints);
    if (!list) {
        if (setting_get(SETTING_INNER)) {
            tfi_say("%s=%s: libfabric has no such provider, or it lacks reliable datagrams with "
                    "tags; unset it, and tcp or net is taken",
                    setting_name(SETTING_INNER), setting_get(SETTING_INNER));
        } else {
            explain_nothing_below();
        }
        return -FI_ENODATA;
    }
    for (struct fi_info *info = list; info; info = info->next) {
        const int wrong = dress(info, hints);
        if (wrong != 0) {
            fi_freeinfo(list);
            return wrong;
        }
    }
    *info_p = list;
    return 0;
}

static bool same_domain(const struct fi_info *inner, const struct fi_info *info) {
    return strcmp(inner->domain_attr->name, info->domain_attr->name) == 0 &&
           inner->src_addrlen == info->src_addrlen &&
           (inner->src_addrlen == 0 ||
            memcmp(inner->src_addr, info->src_addr, inner->src_addrlen) == 0);
}

int tfi_inner_info(const struct fi_info *info, struct fi_info **inner_p) {
    struct fi_info *list = inner_list(NULL, NULL, 0, info);
    struct fi_info *found = list;
    while (found && !same_domain(found, info)) {
        found = found->next;
    }
    struct fi_info *copy = NULL;
    if (list) {
        copy = fi_dupinfo(found ? found : list);
    }
    fi_freeinfo(list);
    if (!copy) {
        return -FI_ENODATA;
    }
    if (!found && info->src_addr) {
        /* A port that the user asked for: the list has none with it. */
        free(copy->src_addr);
        copy->src_addr = malloc(info->src_addrlen);
        copy->src_addrlen = copy->src_addr ? info->src_addrlen : 0;
        if (copy->src_addr) {
            memcpy(copy->src_addr, info->src_addr, info->src_addrlen);
        }
    }
    *inner_p = copy;
    return 0;
}

int tfi_inner_fabric(const struct fi_fabric_attr *attr, struct fid_fabric **inner_p) {
    if (network_wanted()) {
        return card_fabric_open(inner_p);
    }
    struct fi_info *hints = fi_allocinfo();
    if (!hints) {
        return -FI_ENOMEM;
    }
    int wrong = attr->name ? set_name(&hints->fabric_attr->name, attr->name) : 0;
    if (asked_version == 0) {
        asked_version = attr->api_version != 0 ? attr->api_version : FI_VERSION(1, 17);
    }
    struct fi_info *list = wrong == 0 ? inner_list(NULL, NULL, 0, hints) : NULL;
    fi_freeinfo(hints);
    if (!list) {
        tfi_say("the provider below (tcp or net, or that of %s) has no fabric %s",
                setting_name(SETTING_INNER), attr->name ? attr->name : "at all");
        return wrong != 0 ? wrong : -FI_ENODATA;
    }
    wrong = fi_fabric(list->fabric_attr, inner_p, NULL);
    fi_freeinfo(list);
    return wrong;
}
