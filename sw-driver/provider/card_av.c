/* SPDX-License-Identifier: Apache-2.0 */
/* Address vector of the card below.  Only the one above fills it, with names that it has checked
 * the length of. */
#include "card.h"

#include <stdlib.h>
#include <string.h>

static int insert(struct fid_av *fid, const void *names, size_t count, fi_addr_t *indices,
                  uint64_t flags, void *context) {
    card_av_t *av = TFI_OF(card_av_t, fid);
    int inserted = 0;
    (void)flags, (void)context;
    for (size_t i = 0; i < count; ++i) {
        peer_t *peer = peers_hold(&av->names, (const uint8_t *)names + i * CARD_NAME, CARD_NAME);
        indices[i] = FI_ADDR_NOTAVAIL;
        if (!peer) {
            continue;
        }
        if (peer->index == PEERS_NOWHERE && peers_enter(&av->names, peer) != 0) {
            peers_free(&av->names, peer);
            continue;
        }
        indices[i] = peer->index;
        ++inserted;
    }
    return inserted;
}

static int remove_all(struct fid_av *fid, fi_addr_t *indices, size_t count, uint64_t flags) {
    card_av_t *av = TFI_OF(card_av_t, fid);
    (void)flags;
    for (size_t i = 0; i < count; ++i) {
        peer_t *peer = peers_at(&av->names, indices[i]);
        if (!peer) {
            return -FI_EINVAL;
        }
        if (--peer->holds == 0) {
            peers_leave(&av->names, peer);
            peers_free(&av->names, peer);
        }
    }
    return 0;
}

static int lookup(struct fid_av *fid, fi_addr_t index, void *name, size_t *length) {
    const peer_t *peer = peers_at(&TFI_OF(card_av_t, fid)->names, index);
    if (!peer) {
        return -FI_EINVAL;
    }
    memcpy(name, peer->name, *length < CARD_NAME ? *length : CARD_NAME);
    *length = CARD_NAME;
    return 0;
}

/* Names that a resolver would know are not those of cards. */
static int no_service(struct fid_av *av, const char *node, const char *service, fi_addr_t *index,
                      uint64_t flags, void *context) {
    (void)av, (void)node, (void)service, (void)index, (void)flags, (void)context;
    return -FI_ENOSYS;
}

static int no_services(struct fid_av *av, const char *node, size_t nodes, const char *service,
                       size_t services, fi_addr_t *indices, uint64_t flags, void *context) {
    (void)av, (void)node, (void)nodes, (void)service, (void)services, (void)indices, (void)flags,
        (void)context;
    return -FI_ENOSYS;
}

static const char *text(struct fid_av *fid, const void *name, char *buffer, size_t *length) {
    const card_name_t read = card_name_decode(name);
    (void)fid;
    const int needed =
        snprintf(buffer, *length, "tmu-card://%u.%u.%u.%u/%u/%u/%u/0x%x", read.address >> 24,
                 read.address >> 16 & 255u, read.address >> 8 & 255u, read.address & 255u, CARD_JOB,
                 CARD_PID, read.index, read.initiator);
    *length = (size_t)needed + 1;
    return buffer;
}

static int close_av(struct fid *fid) {
    card_av_t *av = TFI_OF(card_av_t, fid);
    peers_close(&av->names);
    free(av);
    return 0;
}

static struct fi_ops fid_ops = {
    .size = sizeof(struct fi_ops),
    .close = close_av,
    .bind = tfi_no_bind,
    .control = tfi_no_control,
    .ops_open = tfi_no_ops_open,
};

static struct fi_ops_av ops = {
    .size = offsetof(struct fi_ops_av, av_set),
    .insert = insert,
    .insertsvc = no_service,
    .insertsym = no_services,
    .remove = remove_all,
    .lookup = lookup,
    .straddr = text,
};

int card_av_open(struct fid_domain *domain, struct fi_av_attr *attr, struct fid_av **av_p,
                 void *context) {
    card_av_t *av = calloc(1, sizeof *av);
    (void)domain, (void)attr;
    if (!av) {
        return -FI_ENOMEM;
    }
    av->fid.fid = (struct fid){.fclass = FI_CLASS_AV, .context = context, .ops = &fid_ops};
    av->fid.ops = &ops;
    *av_p = &av->fid;
    return 0;
}
