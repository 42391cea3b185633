/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Address vectors: an address is the names of both inner endpoints, one after the other.
 *
 * The vectors below have the two halves, at indices of their own: a process that comes again at
 * the same port may share one half with the peer that it was before, and senders that the user
 * does not know are there as soon as something has to be sent to them.
 */
#include "provider.h"

#include <stdlib.h>
#include <string.h>

/* ---- peers --------------------------------------------------------------------------------- */

static void forget_below(struct fid_av *vector, uint64_t *address_p) {
    fi_addr_t address = *address_p;
    if (address != PEERS_NOWHERE)
        (void)fi_av_remove(vector, &address, 1, 0);
    *address_p = PEERS_NOWHERE;
}

/* A vector below counts how often it was given an address. */
static int know_below(struct fid_av *vector, const uint8_t *name, uint64_t *address_p) {
    fi_addr_t address = FI_ADDR_NOTAVAIL;
    if (*address_p != PEERS_NOWHERE)
        return 0;
    if (fi_av_insert(vector, name, 1, &address, 0, NULL) != 1)
        return -FI_EHOSTUNREACH;
    *address_p = address;
    return 0;
}

int tfi_peer_reach(tfi_av_t *av, peer_t *peer) {
    return know_below(av->frames, peer->name, &peer->frames);
}

static void set_by_direct(tfi_av_t *av, uint64_t direct, peer_t *peer) {
    if (direct < av->by_direct_room)
        av->by_direct[direct] = peer;
}

fi_addr_t tfi_peer_of_direct(const tfi_av_t *av, fi_addr_t direct) {
    const peer_t *peer = direct < av->by_direct_room ? av->by_direct[direct] : NULL;
    return peer != NULL ? peer->index : FI_ADDR_NOTAVAIL;
}

peer_t *tfi_peer_hold(tfi_av_t *av, fi_addr_t index) {
    peer_t *peer = peers_at(&av->peers, index);
    if (peer != NULL)
        ++peer->holds;
    return peer;
}

void tfi_peer_release(tfi_av_t *av, peer_t *peer) {
    if (peer == NULL || --peer->holds != 0)
        return;
    forget_below(av->frames, &peer->frames);
    peers_free(&av->peers, peer);
}

/* ---- the user's vector --------------------------------------------------------------------- */

static bool make_room_by_direct(tfi_av_t *av, uint64_t direct) {
    size_t room = av->by_direct_room == 0 ? 64 : av->by_direct_room;
    if (direct < av->by_direct_room)
        return true;
    if (direct > UINT32_MAX)
        return false;
    while (room <= direct)
        room *= 2;
    peer_t **grown = realloc(av->by_direct, room * sizeof(peer_t *));
    if (grown == NULL)
        return false;
    memset(grown + av->by_direct_room, 0, (room - av->by_direct_room) * sizeof(peer_t *));
    av->by_direct = grown;
    av->by_direct_room = room;
    return true;
}

/* Its addresses below and an index; false, and it has none of them. */
static bool enter(tfi_av_t *av, peer_t *peer) {
    if (tfi_peer_reach(av, peer) != 0)
        return false;
    if (know_below(av->direct, peer->name + av->domain->name_size, &peer->direct) == 0 &&
        make_room_by_direct(av, peer->direct) && peers_enter(&av->peers, peer) == 0) {
        set_by_direct(av, peer->direct, peer);
        return true;
    }
    forget_below(av->direct, &peer->direct);
    return false;
}

/* An address that is there keeps its index, and has to be removed as often as it was inserted. */
static bool insert_one(tfi_av_t *av, const uint8_t *address, fi_addr_t *index_p) {
    peer_t *peer = peers_hold(&av->peers, address, 2 * av->domain->name_size);
    if (peer == NULL)
        return false;
    if (peer->inserted == 0 && !enter(av, peer)) {
        tfi_peer_release(av, peer);
        return false;
    }
    ++peer->inserted;
    *index_p = peer->index;
    return true;
}

static int remove_one(tfi_av_t *av, fi_addr_t index) {
    peer_t *peer = peers_at(&av->peers, index);
    if (peer == NULL)
        return -FI_EINVAL;
    if (--peer->inserted == 0) {
        set_by_direct(av, peer->direct, NULL);
        forget_below(av->direct, &peer->direct);
        peers_leave(&av->peers, peer);
    }
    tfi_peer_release(av, peer);
    return 0;
}

static int av_insert(struct fid_av *fid, const void *addresses, size_t count, fi_addr_t *indices,
                     uint64_t flags, void *context) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const uint8_t *address = addresses;
    int inserted = 0;
    (void)flags, (void)context;
    tfi_lock();
    for (size_t i = 0; i < count; ++i, address += 2 * av->domain->name_size) {
        fi_addr_t index = FI_ADDR_NOTAVAIL;
        inserted += insert_one(av, address, &index);
        if (indices != NULL)
            indices[i] = index;
    }
    tfi_unlock();
    return inserted;
}

static int av_no_insertsvc(struct fid_av *av, const char *node, const char *service,
                           fi_addr_t *index, uint64_t flags, void *context) {
    (void)av, (void)node, (void)service, (void)index, (void)flags, (void)context;
    return -FI_ENOSYS;
}

static int av_no_insertsym(struct fid_av *av, const char *node, size_t nodes, const char *service,
                           size_t services, fi_addr_t *index, uint64_t flags, void *context) {
    (void)av, (void)node, (void)nodes, (void)service, (void)services, (void)index, (void)flags;
    (void)context;
    return -FI_ENOSYS;
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
    const size_t size = 2 * av->domain->name_size;
    tfi_lock();
    const peer_t *peer = peers_at(&av->peers, index);
    if (peer != NULL)
        memcpy(address, peer->name, *length < size ? *length : size);
    tfi_unlock();
    *length = size;
    return peer != NULL ? 0 : -FI_EINVAL;
}

static const char *av_straddr(struct fid_av *fid, const void *address, char *text, size_t *length) {
    return fi_av_straddr(TFI_OF(tfi_av_t, fid)->frames, address, text, length);
}

static int av_close(struct fid *fid) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const int wrong = fi_close(&av->frames->fid);
    if (wrong != 0)
        return wrong;
    (void)fi_close(&av->direct->fid);
    peers_close(&av->peers);
    free(av->by_direct);
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
    .insertsvc = av_no_insertsvc,
    .insertsym = av_no_insertsym,
    .remove = av_remove,
    .lookup = av_lookup,
    .straddr = av_straddr,
};

int tfi_av_open(struct fid_domain *fid, struct fi_av_attr *attr, struct fid_av **av_p,
                void *context) {
    tfi_domain_t *domain = TFI_OF(tfi_domain_t, fid);
    struct fi_av_attr inner = {.type = FI_AV_TABLE, .count = attr != NULL ? attr->count : 0};
    if (attr != NULL && (attr->flags != 0 || attr->name != NULL || attr->rx_ctx_bits != 0))
        return -FI_ENOSYS;
    tfi_av_t *av = calloc(1, sizeof *av);
    if (av == NULL)
        return -FI_ENOMEM;
    int wrong = fi_av_open(domain->inner, &inner, &av->frames, NULL);
    if (wrong == 0) {
        wrong = fi_av_open(domain->inner, &inner, &av->direct, NULL);
        if (wrong != 0)
            (void)fi_close(&av->frames->fid);
    }
    if (wrong != 0) {
        free(av);
        return wrong;
    }
    av->domain = domain;
    av->peers.most = UINT64_C(1) << domain->unit->info.source_bits;
    av->fid.fid = (struct fid){.fclass = FI_CLASS_AV, .context = context, .ops = &av_fid_ops};
    av->fid.ops = &av_ops;
    if (attr != NULL && attr->type == FI_AV_UNSPEC)
        attr->type = FI_AV_TABLE;
    *av_p = &av->fid;
    return 0;
}
