/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address vectors.  An address is that of the endpoint of the provider below, so a host and a port
 * name it.
 *
 * The vector below has the same addresses at indices of its own: senders that the user does not
 * know are there as soon as something has to be sent to them.
 */
#include "card.h"

#include <stdlib.h>
#include <string.h>

/* ---- peers --------------------------------------------------------------------------------- */

static void forget_below(tfi_av_t *av, peer_t *peer) {
    fi_addr_t address = peer->below;
    if (address != PEERS_NOWHERE) {
        (void)fi_av_remove(av->below, &address, 1, 0);
    }
    peer->below = PEERS_NOWHERE;
}

/* The vector below counts how often it was given an address. */
int tfi_peer_reach(tfi_av_t *av, peer_t *peer) {
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    if (peer->below != PEERS_NOWHERE) {
        return 0;
    }
    if (fi_av_insert(av->below, peer->name, 1, &address, 0, NULL) != 1) {
        return -FI_EHOSTUNREACH;
    }
    peer->below = address;
    return 0;
}

uint32_t tfi_peer_source(const tfi_ep_t *ep, const peer_t *peer) {
    return ep->domain->unit->card ? card_name_decode(peer->name).initiator : peer->number;
}

peer_t *tfi_peer_hold(tfi_av_t *av, fi_addr_t index) {
    peer_t *peer = peers_at(&av->peers, index);
    if (peer) {
        ++peer->holds;
    }
    return peer;
}

void tfi_peer_release(tfi_av_t *av, peer_t *peer) {
    if (!peer || --peer->holds != 0) {
        return;
    }
    forget_below(av, peer);
    peers_free(&av->peers, peer);
}

/* ---- the user's vector --------------------------------------------------------------------- */

/* An address that is there keeps its index, and has to be removed as often as it was inserted. */
static int insert_one(tfi_av_t *av, const uint8_t *address, fi_addr_t *index_p) {
    peer_t *peer = peers_hold(&av->peers, address, av->domain->name_size);
    if (!peer) {
        return FI_ENOMEM;
    }
    int wrong = 0;
    if (peer->inserted == 0) {
        wrong = tfi_peer_reach(av, peer) != 0        ? FI_EINVAL
                : peers_enter(&av->peers, peer) != 0 ? FI_ENOMEM
                                                     : 0;
    }
    if (wrong != 0) {
        tfi_peer_release(av, peer);
        return wrong;
    }
    ++peer->inserted;
    *index_p = peer->index;
    return 0;
}

static int remove_one(tfi_av_t *av, fi_addr_t index) {
    peer_t *peer = peers_at(&av->peers, index);
    if (!peer) {
        return -FI_EINVAL;
    }
    if (--peer->inserted == 0) {
        peers_leave(&av->peers, peer);
    }
    tfi_peer_release(av, peer);
    return 0;
}

static int av_insert(struct fid_av *fid, const void *addresses, size_t count, fi_addr_t *indices,
                     uint64_t flags, void *context) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const uint8_t *address = addresses;
    int *errors = (flags & FI_SYNC_ERR) != 0 ? context : NULL;
    int inserted = 0;
    if ((flags & ~(FI_MORE | FI_SYNC_ERR)) != 0) {
        return -FI_EBADFLAGS;
    }
    if ((flags & FI_SYNC_ERR) != 0 && !errors) {
        return -FI_EINVAL;
    }
    tfi_lock();
    for (size_t i = 0; i < count; ++i, address += av->domain->name_size) {
        fi_addr_t index = FI_ADDR_NOTAVAIL;
        const int wrong = insert_one(av, address, &index);
        inserted += wrong == 0;
        if (errors) {
            errors[i] = wrong;
        }
        if (indices) {
            indices[i] = index;
        }
    }
    tfi_unlock();
    return inserted;
}

/* Addresses that the provider below found for names, at these indices of its vector. */
static int insert_found(tfi_av_t *av, fi_addr_t *below, size_t count, fi_addr_t *indices) {
    int inserted = 0;
    for (size_t i = 0; i < count; ++i) {
        uint8_t address[WIRE_NAME] = {0};
        size_t length = sizeof address;
        fi_addr_t index = FI_ADDR_NOTAVAIL;
        tfi_lock();
        if (below[i] != FI_ADDR_NOTAVAIL) {
            inserted += fi_av_lookup(av->below, below[i], address, &length) == 0 &&
                        length == av->domain->name_size && insert_one(av, address, &index) == 0;
            (void)fi_av_remove(av->below, &below[i], 1, 0);
        }
        tfi_unlock();
        if (indices) {
            indices[i] = index;
        }
    }
    return inserted;
}

static int av_insertsvc(struct fid_av *fid, const char *node, const char *service, fi_addr_t *index,
                        uint64_t flags, void *context) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    fi_addr_t below = FI_ADDR_NOTAVAIL;
    (void)context;
    if ((flags & ~FI_MORE) != 0) {
        return -FI_EBADFLAGS;
    }
    const int found = fi_av_insertsvc(av->below, node, service, &below, 0, NULL);
    return found == 1 ? insert_found(av, &below, 1, index) : found;
}

static int av_insertsym(struct fid_av *fid, const char *node, size_t nodes, const char *service,
                        size_t services, fi_addr_t *indices, uint64_t flags, void *context) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    (void)context;
    if ((flags & ~FI_MORE) != 0) {
        return -FI_EBADFLAGS;
    }
    if (nodes == 0 || services == 0 || nodes > UINT32_MAX || services > UINT32_MAX) {
        return -FI_EINVAL;
    }
    const size_t count = nodes * services;
    fi_addr_t *below = malloc(count * sizeof *below);
    if (!below) {
        return -FI_ENOMEM;
    }
    for (size_t i = 0; i < count; ++i) {
        below[i] = FI_ADDR_NOTAVAIL;
    }
    int found = fi_av_insertsym(av->below, node, nodes, service, services, below, 0, NULL);
    if (found >= 0) {
        found = insert_found(av, below, count, indices);
    }
    free(below);
    return found;
}

/* All that are there are removed, also if others are not. */
static int av_remove(struct fid_av *fid, fi_addr_t *indices, size_t count, uint64_t flags) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    int result = 0;
    (void)flags;
    tfi_lock();
    for (size_t i = 0; i < count; ++i) {
        const int wrong = remove_one(av, indices[i]);
        result = result != 0 ? result : wrong;
    }
    tfi_unlock();
    return result;
}

static int av_lookup(struct fid_av *fid, fi_addr_t index, void *address, size_t *length) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const size_t size = av->domain->name_size;
    tfi_lock();
    const peer_t *peer = peers_at(&av->peers, index);
    if (peer) {
        memcpy(address, peer->name, *length < size ? *length : size);
    }
    tfi_unlock();
    *length = size;
    return peer ? 0 : -FI_EINVAL;
}

static const char *av_straddr(struct fid_av *fid, const void *address, char *text, size_t *length) {
    return fi_av_straddr(TFI_OF(tfi_av_t, fid)->below, address, text, length);
}

static int av_close(struct fid *fid) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const int wrong = fi_close(&av->below->fid);
    if (wrong != 0) {
        return wrong;
    }
    peers_close(&av->peers);
    free(av);
    return 0;
}

static struct fi_ops av_fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = av_close,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_av av_ops = {
    .size = offsetof(struct fi_ops_av, av_set),
    .insert = av_insert,
    .insertsvc = av_insertsvc,
    .insertsym = av_insertsym,
    .remove = av_remove,
    .lookup = av_lookup,
    .straddr = av_straddr,
};

int tfi_av_open(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **av_p,
                void *context) {
    tfi_domain_t *domain = TFI_OF(tfi_domain_t, fid);
    struct fi_av_attr inner = {.type = FI_AV_TABLE, .count = attr ? attr->count : 0};
    if (attr && (attr->flags != 0 || attr->name || attr->rx_ctx_bits != 0)) {
        return -FI_ENOSYS;
    }
    tfi_av_t *av = calloc(1, sizeof *av);
    if (!av) {
        return -FI_ENOMEM;
    }
    const int wrong = fi_av_open(domain->inner, &inner, &av->below, NULL);
    if (wrong != 0) {
        free(av);
        return wrong;
    }
    av->domain = domain;
    av->peers.most = UINT64_C(1) << domain->unit->info.source_bits;
    av->fid.fid = (struct fid){.fclass = FI_CLASS_AV, .context = context, .ops = &av_fid_ops};
    av->fid.ops = &av_ops;
    if (attr && attr->type == FI_AV_UNSPEC) {
        attr->type = FI_AV_TABLE;
    }
    *av_p = &av->fid;
    return 0;
}
