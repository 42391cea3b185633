/* SPDX-License-Identifier: Apache-2.0 */
/* Address vectors: an address is the names of both inner endpoints, one after the other. */
#include "provider.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The inner vectors give an address the same index, or it is of no use. */
static bool insert_one(tfi_av_t *av, const uint8_t *address, fi_addr_t *index_p) {
    const size_t size = av->domain->name_size;
    fi_addr_t frames = FI_ADDR_NOTAVAIL;
    fi_addr_t direct = FI_ADDR_NOTAVAIL;
    if (fi_av_insert(av->frames, address, 1, &frames, 0, NULL) != 1)
        return false;
    if (fi_av_insert(av->direct, address + size, 1, &direct, 0, NULL) == 1 && frames == direct &&
        frames < NAMES_UNKNOWN && names_put(&av->names, address, size, (uint32_t)frames) == 0) {
        *index_p = frames;
        return true;
    }
    tfi_say("an address has the indices %" PRIu64 " and %" PRIu64
            " in the provider below, expected the same below 2^32",
            frames, direct);
    (void)fi_av_remove(av->frames, &frames, 1, 0);
    if (direct != FI_ADDR_NOTAVAIL)
        (void)fi_av_remove(av->direct, &direct, 1, 0);
    return false;
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

static int av_remove(struct fid_av *fid, fi_addr_t *indices, size_t count, uint64_t flags) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    int wrong = 0;
    tfi_lock();
    for (size_t i = 0; i < count; ++i) {
        const int frames = fi_av_remove(av->frames, &indices[i], 1, flags);
        const int direct = fi_av_remove(av->direct, &indices[i], 1, flags);
        if (frames == 0)
            names_remove(&av->names, (uint32_t)indices[i]);
        wrong = wrong != 0 ? wrong : (frames != 0 ? frames : direct);
    }
    tfi_unlock();
    return wrong;
}

static int av_lookup(struct fid_av *fid, fi_addr_t index, void *address, size_t *length) {
    tfi_av_t *av = TFI_OF(tfi_av_t, fid);
    const size_t size = av->domain->name_size;
    uint8_t whole[2 * WIRE_NAME];
    size_t got = size;
    int wrong = fi_av_lookup(av->frames, index, whole, &got);
    got = size;
    if (wrong == 0)
        wrong = fi_av_lookup(av->direct, index, whole + size, &got);
    if (wrong == 0)
        memcpy(address, whole, *length < 2 * size ? *length : 2 * size);
    *length = 2 * size;
    return wrong;
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
    names_free(&av->names);
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
    av->fid.fid = (struct fid){.fclass = FI_CLASS_AV, .context = context, .ops = &av_fid_ops};
    av->fid.ops = &av_ops;
    if (attr != NULL && attr->type == FI_AV_UNSPEC)
        attr->type = FI_AV_TABLE;
    *av_p = &av->fid;
    return 0;
}
