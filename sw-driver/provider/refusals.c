/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that this provider does not offer.  libfabric's callers look into a table without asking
 * whether an entry is there, so each has one that says -FI_ENOSYS.
 */
#include "provider.h"

#include <rdma/fi_atomic.h>
#include <rdma/fi_collective.h>
#include <rdma/fi_rma.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

static int cm_setname(fid_t fid, void *addr, size_t addrlen) { return -FI_ENOSYS; }

static int cm_getpeer(struct fid_ep *ep, void *addr, size_t *addrlen) { return -FI_ENOSYS; }

static int cm_connect(struct fid_ep *ep, const void *addr, const void *param, size_t paramlen) {
    return -FI_ENOSYS;
}

static int cm_listen(struct fid_pep *pep) { return -FI_ENOSYS; }

static int cm_accept(struct fid_ep *ep, const void *param, size_t paramlen) { return -FI_ENOSYS; }

static int cm_reject(struct fid_pep *pep, fid_t handle, const void *param, size_t paramlen) {
    return -FI_ENOSYS;
}

static int cm_shutdown(struct fid_ep *ep, uint64_t flags) { return -FI_ENOSYS; }

static int cm_join(struct fid_ep *ep, const void *addr, uint64_t flags, struct fid_mc **mc,
                   void *context) {
    return -FI_ENOSYS;
}

struct fi_ops_cm tfi_cm_ops = {.size = sizeof(struct fi_ops_cm),
                               .setname = cm_setname,
                               .getname = tfi_getname,
                               .getpeer = cm_getpeer,
                               .connect = cm_connect,
                               .listen = cm_listen,
                               .accept = cm_accept,
                               .reject = cm_reject,
                               .shutdown = cm_shutdown,
                               .join = cm_join};

static ssize_t rma_read(struct fid_ep *ep, void *buf, size_t len, void *desc, fi_addr_t src_addr,
                        uint64_t addr, uint64_t key, void *context) {
    return -FI_ENOSYS;
}

static ssize_t rma_readv(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                         fi_addr_t src_addr, uint64_t addr, uint64_t key, void *context) {
    return -FI_ENOSYS;
}

static ssize_t rma_readmsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) {
    return -FI_ENOSYS;
}

static ssize_t rma_write(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                         fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context) {
    return -FI_ENOSYS;
}

static ssize_t rma_writev(struct fid_ep *ep, const struct iovec *iov, void **desc, size_t count,
                          fi_addr_t dest_addr, uint64_t addr, uint64_t key, void *context) {
    return -FI_ENOSYS;
}

static ssize_t rma_writemsg(struct fid_ep *ep, const struct fi_msg_rma *msg, uint64_t flags) {
    return -FI_ENOSYS;
}

static ssize_t rma_inject(struct fid_ep *ep, const void *buf, size_t len, fi_addr_t dest_addr,
                          uint64_t addr, uint64_t key) {
    return -FI_ENOSYS;
}

static ssize_t rma_writedata(struct fid_ep *ep, const void *buf, size_t len, void *desc,
                             uint64_t data, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                             void *context) {
    return -FI_ENOSYS;
}

static ssize_t rma_injectdata(struct fid_ep *ep, const void *buf, size_t len, uint64_t data,
                              fi_addr_t dest_addr, uint64_t addr, uint64_t key) {
    return -FI_ENOSYS;
}

struct fi_ops_rma tfi_no_rma_ops = {.size = sizeof(struct fi_ops_rma),
                                    .read = rma_read,
                                    .readv = rma_readv,
                                    .readmsg = rma_readmsg,
                                    .write = rma_write,
                                    .writev = rma_writev,
                                    .writemsg = rma_writemsg,
                                    .inject = rma_inject,
                                    .writedata = rma_writedata,
                                    .injectdata = rma_injectdata};

static ssize_t atomic_write(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                            fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                            enum fi_datatype datatype, enum fi_op op, void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_writev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc, size_t count,
                             fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                             enum fi_datatype datatype, enum fi_op op, void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_writemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg, uint64_t flags) {
    return -FI_ENOSYS;
}

static ssize_t atomic_inject(struct fid_ep *ep, const void *buf, size_t count, fi_addr_t dest_addr,
                             uint64_t addr, uint64_t key, enum fi_datatype datatype,
                             enum fi_op op) {
    return -FI_ENOSYS;
}

static ssize_t atomic_readwrite(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                void *result, void *result_desc, fi_addr_t dest_addr, uint64_t addr,
                                uint64_t key, enum fi_datatype datatype, enum fi_op op,
                                void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_readwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
                                 size_t count, struct fi_ioc *resultv, void **result_desc,
                                 size_t result_count, fi_addr_t dest_addr, uint64_t addr,
                                 uint64_t key, enum fi_datatype datatype, enum fi_op op,
                                 void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_readwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
                                   struct fi_ioc *resultv, void **result_desc, size_t result_count,
                                   uint64_t flags) {
    return -FI_ENOSYS;
}

static ssize_t atomic_compwrite(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                const void *compare, void *compare_desc, void *result,
                                void *result_desc, fi_addr_t dest_addr, uint64_t addr, uint64_t key,
                                enum fi_datatype datatype, enum fi_op op, void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_compwritev(struct fid_ep *ep, const struct fi_ioc *iov, void **desc,
                                 size_t count, const struct fi_ioc *comparev, void **compare_desc,
                                 size_t compare_count, struct fi_ioc *resultv, void **result_desc,
                                 size_t result_count, fi_addr_t dest_addr, uint64_t addr,
                                 uint64_t key, enum fi_datatype datatype, enum fi_op op,
                                 void *context) {
    return -FI_ENOSYS;
}

static ssize_t atomic_compwritemsg(struct fid_ep *ep, const struct fi_msg_atomic *msg,
                                   const struct fi_ioc *comparev, void **compare_desc,
                                   size_t compare_count, struct fi_ioc *resultv, void **result_desc,
                                   size_t result_count, uint64_t flags) {
    return -FI_ENOSYS;
}

static int atomic_writevalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
                             size_t *count) {
    return -FI_ENOSYS;
}

static int atomic_readwritevalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
                                 size_t *count) {
    return -FI_ENOSYS;
}

static int atomic_compwritevalid(struct fid_ep *ep, enum fi_datatype datatype, enum fi_op op,
                                 size_t *count) {
    return -FI_ENOSYS;
}

struct fi_ops_atomic tfi_no_atomic_ops = {.size = sizeof(struct fi_ops_atomic),
                                          .write = atomic_write,
                                          .writev = atomic_writev,
                                          .writemsg = atomic_writemsg,
                                          .inject = atomic_inject,
                                          .readwrite = atomic_readwrite,
                                          .readwritev = atomic_readwritev,
                                          .readwritemsg = atomic_readwritemsg,
                                          .compwrite = atomic_compwrite,
                                          .compwritev = atomic_compwritev,
                                          .compwritemsg = atomic_compwritemsg,
                                          .writevalid = atomic_writevalid,
                                          .readwritevalid = atomic_readwritevalid,
                                          .compwritevalid = atomic_compwritevalid};

static ssize_t collective_barrier(struct fid_ep *ep, fi_addr_t coll_addr, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_broadcast(struct fid_ep *ep, void *buf, size_t count, void *desc,
                                    fi_addr_t coll_addr, fi_addr_t root_addr,
                                    enum fi_datatype datatype, uint64_t flags, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_alltoall(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                   void *result, void *result_desc, fi_addr_t coll_addr,
                                   enum fi_datatype datatype, uint64_t flags, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_allreduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                    void *result, void *result_desc, fi_addr_t coll_addr,
                                    enum fi_datatype datatype, enum fi_op op, uint64_t flags,
                                    void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_allgather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                    void *result, void *result_desc, fi_addr_t coll_addr,
                                    enum fi_datatype datatype, uint64_t flags, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_reduce_scatter(struct fid_ep *ep, const void *buf, size_t count,
                                         void *desc, void *result, void *result_desc,
                                         fi_addr_t coll_addr, enum fi_datatype datatype,
                                         enum fi_op op, uint64_t flags, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_reduce(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                 void *result, void *result_desc, fi_addr_t coll_addr,
                                 fi_addr_t root_addr, enum fi_datatype datatype, enum fi_op op,
                                 uint64_t flags, void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_scatter(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                  void *result, void *result_desc, fi_addr_t coll_addr,
                                  fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
                                  void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_gather(struct fid_ep *ep, const void *buf, size_t count, void *desc,
                                 void *result, void *result_desc, fi_addr_t coll_addr,
                                 fi_addr_t root_addr, enum fi_datatype datatype, uint64_t flags,
                                 void *context) {
    return -FI_ENOSYS;
}

static ssize_t collective_msg(struct fid_ep *ep, const struct fi_msg_collective *msg,
                              struct fi_ioc *resultv, void **result_desc, size_t result_count,
                              uint64_t flags) {
    return -FI_ENOSYS;
}

static ssize_t collective_barrier2(struct fid_ep *ep, fi_addr_t coll_addr, uint64_t flags,
                                   void *context) {
    return -FI_ENOSYS;
}

struct fi_ops_collective tfi_no_collective_ops = {.size = sizeof(struct fi_ops_collective),
                                                  .barrier = collective_barrier,
                                                  .broadcast = collective_broadcast,
                                                  .alltoall = collective_alltoall,
                                                  .allreduce = collective_allreduce,
                                                  .allgather = collective_allgather,
                                                  .reduce_scatter = collective_reduce_scatter,
                                                  .reduce = collective_reduce,
                                                  .scatter = collective_scatter,
                                                  .gather = collective_gather,
                                                  .msg = collective_msg,
                                                  .barrier2 = collective_barrier2};

static int mr_reg(struct fid *fid, const void *buf, size_t len, uint64_t access, uint64_t offset,
                  uint64_t requested_key, uint64_t flags, struct fid_mr **mr, void *context) {
    return -FI_ENOSYS;
}

static int mr_regv(struct fid *fid, const struct iovec *iov, size_t count, uint64_t access,
                   uint64_t offset, uint64_t requested_key, uint64_t flags, struct fid_mr **mr,
                   void *context) {
    return -FI_ENOSYS;
}

static int mr_regattr(struct fid *fid, const struct fi_mr_attr *attr, uint64_t flags,
                      struct fid_mr **mr) {
    return -FI_ENOSYS;
}

struct fi_ops_mr tfi_no_mr_ops = {
    .size = sizeof(struct fi_ops_mr), .reg = mr_reg, .regv = mr_regv, .regattr = mr_regattr};
