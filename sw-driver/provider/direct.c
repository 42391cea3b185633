/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Untagged operations, handed to the provider below as they are: it matches nothing there, and the
 * unit has no part in them.
 */
#include "provider.h"

static struct fid_ep *below(struct fid_ep *fid) { return TFI_OF(tfi_ep_t, fid)->direct; }

/* For the report; these calls take no lock of ours. */
static ssize_t counted(struct fid_ep *fid, ssize_t result) {
    if (result == 0)
        (void)atomic_fetch_add_explicit(&TFI_OF(tfi_ep_t, fid)->domain->unit->traffic.forwarded, 1,
                                        memory_order_relaxed);
    return result;
}

static ssize_t msg_recv(struct fid_ep *fid, void *buffer, size_t length, void *desc, fi_addr_t from,
                        void *context) {
    return counted(fid, fi_recv(below(fid), buffer, length, desc, from, context));
}

static ssize_t msg_recvv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t from, void *context) {
    return counted(fid, fi_recvv(below(fid), iov, desc, count, from, context));
}

static ssize_t msg_recvmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags) {
    return counted(fid, fi_recvmsg(below(fid), msg, flags));
}

static ssize_t msg_send(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                        fi_addr_t to, void *context) {
    return counted(fid, fi_send(below(fid), buffer, length, desc, to, context));
}

static ssize_t msg_sendv(struct fid_ep *fid, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t to, void *context) {
    return counted(fid, fi_sendv(below(fid), iov, desc, count, to, context));
}

static ssize_t msg_sendmsg(struct fid_ep *fid, const struct fi_msg *msg, uint64_t flags) {
    return counted(fid, fi_sendmsg(below(fid), msg, flags));
}

static ssize_t msg_inject(struct fid_ep *fid, const void *buffer, size_t length, fi_addr_t to) {
    return counted(fid, fi_inject(below(fid), buffer, length, to));
}

static ssize_t msg_senddata(struct fid_ep *fid, const void *buffer, size_t length, void *desc,
                            uint64_t data, fi_addr_t to, void *context) {
    return counted(fid, fi_senddata(below(fid), buffer, length, desc, data, to, context));
}

static ssize_t msg_injectdata(struct fid_ep *fid, const void *buffer, size_t length, uint64_t data,
                              fi_addr_t to) {
    return counted(fid, fi_injectdata(below(fid), buffer, length, data, to));
}

struct fi_ops_msg tfi_msg_ops = {
    .size = sizeof(struct fi_ops_msg),
    .recv = msg_recv,
    .recvv = msg_recvv,
    .recvmsg = msg_recvmsg,
    .send = msg_send,
    .sendv = msg_sendv,
    .sendmsg = msg_sendmsg,
    .inject = msg_inject,
    .senddata = msg_senddata,
    .injectdata = msg_injectdata,
};
