/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective calls, if TMU_RECORD_COLLECTIVES is set: one record when a rank enters one and one
 * when it has ended there.  What messages a collective is made of the MPI library keeps to itself;
 * tools/opentmu/record/collectives.py puts those of textbook algorithms where they were called.
 *
 * `bytes` of a record is what one message of the call carries for one rank: its own contribution
 * where ranks differ.  Where a rank sends each other rank another length, records of the kind
 * REC_PART follow, one for each.
 */
#include "recorder.h"

#include <stdlib.h>

static bool enabled;

void rec_collectives_start(void) {
    enabled = getenv("TMU_RECORD_COLLECTIVES");
    if (enabled) {
        rec_note("collectives");
    }
}

static uint64_t entered(int call, MPI_Comm comm, int root, uint64_t bytes, bool waited_for) {
    if (!enabled || !rec_log_active()) {
        return 0;
    }
    struct rec_entry entry = {
        .kind = REC_COLLECTIVE,
        .id = rec_new_id(),
        .bytes = bytes,
        .comm = rec_comm_number(comm),
        .peer = root,
        .tag = call,
        .flags = waited_for ? REC_WAITED_FOR : 0,
    };
    rec_log_add(&entry);
    return entry.id;
}

static void part(uint64_t id, int peer, uint64_t bytes) {
    struct rec_entry entry = {.kind = REC_PART, .id = id, .bytes = bytes, .comm = -1, .peer = peer};
    rec_log_add(&entry);
}

/* The ranks that messages go to: the remote group's in an intercommunicator. */
static int peers(MPI_Comm comm) {
    int inter = 0;
    int size = 0;
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_size(comm, &size);
    } else {
        PMPI_Comm_size(comm, &size);
    }
    return size;
}

static void parts(uint64_t id, MPI_Comm comm, const int counts[], MPI_Datatype type) {
    int size = id ? peers(comm) : 0;
    for (int i = 0; i < size; i++) {
        part(id, i, rec_bytes(counts[i], type));
    }
}

static void parts_of_types(uint64_t id, MPI_Comm comm, const int counts[],
                           const MPI_Datatype types[]) {
    int size = id ? peers(comm) : 0;
    for (int i = 0; i < size; i++) {
        part(id, i, rec_bytes(counts[i], types[i]));
    }
}

static int left(uint64_t id, int result) {
    if (id != 0 && result == MPI_SUCCESS) {
        struct rec_entry entry = {.kind = REC_DONE, .id = id, .comm = -1};
        rec_log_add(&entry);
    }
    return result;
}

/* The call that is told of the request's end writes the other record, as for a receive. */
static int started(uint64_t id, int result, const MPI_Request *request) {
    if (result == MPI_SUCCESS && id != 0) {
        rec_request_add(*request, id);
    }
    return result;
}

/* This rank's part of a vector; only asked where its counts are valid. */
static uint64_t own(MPI_Comm comm, const int counts[], MPI_Datatype type) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rec_bytes(counts[rank], type);
}

static bool is_root(MPI_Comm comm, int root) {
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return root == MPI_ROOT || rank == root;
}

/*
 * Both forms of a call. `size` is evaluated only where it is recorded, and not for a rank without a
 * part in it (MPI_PROC_NULL in an intercommunicator), whose other arguments mean nothing; `more`
 * may add records of the collective `id`; `args` are the names of the parameters that follow.
 */
#define REC_ARGS(...) __VA_ARGS__
#define REC_SIZE(root, size) ((root) == MPI_PROC_NULL ? 0 : (size))
#define REC_RECORDED (enabled && rec_log_active())
#define REC_COLLECTIVE_CALL(name, iname, call, root, size, more, args, ...)                        \
    int MPI_##name(__VA_ARGS__) {                                                                  \
        uint64_t id = REC_RECORDED ? entered(call, comm, root, REC_SIZE(root, size), false) : 0;   \
        more;                                                                                      \
        return left(id, rec_real.name(REC_ARGS args));                                             \
    }                                                                                              \
    int MPI_##iname(__VA_ARGS__, MPI_Request *request) {                                           \
        uint64_t id = REC_RECORDED ? entered(call, comm, root, REC_SIZE(root, size), true) : 0;    \
        more;                                                                                      \
        return started(id, rec_real.iname(REC_ARGS args, request), request);                       \
    }                                                                                              \
    REC_ALSO_PMPI(name);                                                                           \
    REC_ALSO_PMPI(iname)

#define REC_NOTHING (void)0

int MPI_Barrier(MPI_Comm comm) {
    uint64_t id = entered(REC_CALL_BARRIER, comm, 0, 0, false);
    return left(id, rec_real.Barrier(comm));
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request *request) {
    uint64_t id = entered(REC_CALL_BARRIER, comm, 0, 0, true);
    return started(id, rec_real.Ibarrier(comm, request), request);
}

REC_ALSO_PMPI(Barrier);
REC_ALSO_PMPI(Ibarrier);

REC_COLLECTIVE_CALL(Bcast, Ibcast, REC_CALL_BCAST, root, rec_bytes(count, type), REC_NOTHING,
                    (buffer, count, type, root, comm), void *buffer, int count, MPI_Datatype type,
                    int root, MPI_Comm comm);

REC_COLLECTIVE_CALL(Reduce, Ireduce, REC_CALL_REDUCE, root, rec_bytes(count, type), REC_NOTHING,
                    (out, in, count, type, op, root, comm), const void *out, void *in, int count,
                    MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm);

REC_COLLECTIVE_CALL(Allreduce, Iallreduce, REC_CALL_ALLREDUCE, 0, rec_bytes(count, type),
                    REC_NOTHING, (out, in, count, type, op, comm), const void *out, void *in,
                    int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);

REC_COLLECTIVE_CALL(Scan, Iscan, REC_CALL_SCAN, 0, rec_bytes(count, type), REC_NOTHING,
                    (out, in, count, type, op, comm), const void *out, void *in, int count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm);

REC_COLLECTIVE_CALL(Exscan, Iexscan, REC_CALL_SCAN, 0, rec_bytes(count, type), REC_NOTHING,
                    (out, in, count, type, op, comm), const void *out, void *in, int count,
                    MPI_Datatype type, MPI_Op op, MPI_Comm comm);

REC_COLLECTIVE_CALL(Gather, Igather, REC_CALL_GATHER, root,
                    is_root(comm, root) ? rec_bytes(in_count, in_type)
                                        : rec_bytes(out_count, out_type),
                    REC_NOTHING, (out, out_count, out_type, in, in_count, in_type, root, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                    MPI_Datatype in_type, int root, MPI_Comm comm);

/* The root's own part does not travel. */
REC_COLLECTIVE_CALL(Gatherv, Igatherv, REC_CALL_GATHERV, root,
                    is_root(comm, root) ? 0 : rec_bytes(out_count, out_type), REC_NOTHING,
                    (out, out_count, out_type, in, in_counts, offsets, in_type, root, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in,
                    const int in_counts[], const int offsets[], MPI_Datatype in_type, int root,
                    MPI_Comm comm);

REC_COLLECTIVE_CALL(Scatter, Iscatter, REC_CALL_SCATTER, root,
                    is_root(comm, root) ? rec_bytes(out_count, out_type)
                                        : rec_bytes(in_count, in_type),
                    REC_NOTHING, (out, out_count, out_type, in, in_count, in_type, root, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                    MPI_Datatype in_type, int root, MPI_Comm comm);

/* Each rank knows what it gets. */
REC_COLLECTIVE_CALL(Scatterv, Iscatterv, REC_CALL_SCATTERV, root,
                    is_root(comm, root) ? 0 : rec_bytes(in_count, in_type), REC_NOTHING,
                    (out, out_counts, offsets, out_type, in, in_count, in_type, root, comm),
                    const void *out, const int out_counts[], const int offsets[],
                    MPI_Datatype out_type, void *in, int in_count, MPI_Datatype in_type, int root,
                    MPI_Comm comm);

REC_COLLECTIVE_CALL(Allgather, Iallgather, REC_CALL_ALLGATHER, 0,
                    out == MPI_IN_PLACE ? rec_bytes(in_count, in_type)
                                        : rec_bytes(out_count, out_type),
                    REC_NOTHING, (out, out_count, out_type, in, in_count, in_type, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                    MPI_Datatype in_type, MPI_Comm comm);

REC_COLLECTIVE_CALL(Allgatherv, Iallgatherv, REC_CALL_ALLGATHER, 0,
                    out == MPI_IN_PLACE ? own(comm, in_counts, in_type)
                                        : rec_bytes(out_count, out_type),
                    REC_NOTHING, (out, out_count, out_type, in, in_counts, offsets, in_type, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in,
                    const int in_counts[], const int offsets[], MPI_Datatype in_type,
                    MPI_Comm comm);

REC_COLLECTIVE_CALL(Alltoall, Ialltoall, REC_CALL_ALLTOALL, 0, rec_bytes(in_count, in_type),
                    REC_NOTHING, (out, out_count, out_type, in, in_count, in_type, comm),
                    const void *out, int out_count, MPI_Datatype out_type, void *in, int in_count,
                    MPI_Datatype in_type, MPI_Comm comm);

/* In place, what is received is what is sent. */
REC_COLLECTIVE_CALL(Alltoallv, Ialltoallv, REC_CALL_ALLTOALLV, 0, 0,
                    parts(id, comm, out == MPI_IN_PLACE ? in_counts : out_counts,
                          out == MPI_IN_PLACE ? in_type : out_type),
                    (out, out_counts, out_offsets, out_type, in, in_counts, in_offsets, in_type,
                     comm),
                    const void *out, const int out_counts[], const int out_offsets[],
                    MPI_Datatype out_type, void *in, const int in_counts[], const int in_offsets[],
                    MPI_Datatype in_type, MPI_Comm comm);

REC_COLLECTIVE_CALL(Alltoallw, Ialltoallw, REC_CALL_ALLTOALLV, 0, 0,
                    parts_of_types(id, comm, out == MPI_IN_PLACE ? in_counts : out_counts,
                                   out == MPI_IN_PLACE ? in_types : out_types),
                    (out, out_counts, out_offsets, out_types, in, in_counts, in_offsets, in_types,
                     comm),
                    const void *out, const int out_counts[], const int out_offsets[],
                    const MPI_Datatype out_types[], void *in, const int in_counts[],
                    const int in_offsets[], const MPI_Datatype in_types[], MPI_Comm comm);

/* A rank is sent the same length by every sender. */
REC_COLLECTIVE_CALL(Reduce_scatter, Ireduce_scatter, REC_CALL_ALLTOALLV, 0, 0,
                    parts(id, comm, in_counts, type), (out, in, in_counts, type, op, comm),
                    const void *out, void *in, const int in_counts[], MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm);

REC_COLLECTIVE_CALL(Reduce_scatter_block, Ireduce_scatter_block, REC_CALL_ALLTOALL, 0,
                    rec_bytes(in_count, type), REC_NOTHING, (out, in, in_count, type, op, comm),
                    const void *out, void *in, int in_count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm);
