/* SPDX-License-Identifier: Apache-2.0 */
/* Sends, and the calls that send and receive in one. A send is noted before MPI gets it. */
#include "recorder.h"

/* An empty message may have no type, and MPI must not be asked about none. */
uint64_t rec_bytes(int count, MPI_Datatype type) {
    MPI_Count size = 0;
    if (count > 0 && type != MPI_DATATYPE_NULL) {
        PMPI_Type_size_x(type, &size);
    }
    return size > 0 ? (uint64_t)count * (uint64_t)size : 0;
}

void rec_send(MPI_Comm comm, int dest, int tag, uint64_t bytes) {
    if (!rec_log_active() || dest == MPI_PROC_NULL) {
        return;
    }
    struct rec_entry entry = rec_pattern(REC_SEND, comm, dest, tag);
    entry.flags = 0;
    entry.bytes = bytes;
    rec_log_add(&entry);
}

#define REC_BLOCKING_SEND(name)                                                                    \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,            \
                   MPI_Comm comm) {                                                                \
        if (rec_log_active()) {                                                                    \
            rec_send(comm, dest, tag, rec_bytes(count, type));                                     \
        }                                                                                          \
        return rec_real.name(buffer, count, type, dest, tag, comm);                                \
    }                                                                                              \
    REC_ALSO_PMPI(name)

REC_BLOCKING_SEND(Send);
REC_BLOCKING_SEND(Bsend);
REC_BLOCKING_SEND(Ssend);
REC_BLOCKING_SEND(Rsend);

/* A send's request may be given a handle that a receive had; no stale entry may answer for it. */
#define REC_NONBLOCKING_SEND(name)                                                                 \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,            \
                   MPI_Comm comm, MPI_Request *request) {                                          \
        if (!rec_log_active()) {                                                                   \
            return rec_real.name(buffer, count, type, dest, tag, comm, request);                   \
        }                                                                                          \
        rec_send(comm, dest, tag, rec_bytes(count, type));                                         \
        int result = rec_real.name(buffer, count, type, dest, tag, comm, request);                 \
        if (result == MPI_SUCCESS) {                                                               \
            rec_request_forget(*request);                                                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    REC_ALSO_PMPI(name)

REC_NONBLOCKING_SEND(Isend);
REC_NONBLOCKING_SEND(Ibsend);
REC_NONBLOCKING_SEND(Issend);
REC_NONBLOCKING_SEND(Irsend);

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int dest, int out_tag,
                 void *in, int in_count, MPI_Datatype in_type, int source, int in_tag,
                 MPI_Comm comm, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                                 source, in_tag, comm, status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t id = rec_post(comm, source, in_tag, rec_bytes(in_count, in_type));
    rec_send(comm, dest, out_tag, rec_bytes(out_count, out_type));
    int result = rec_real.Sendrecv(out, out_count, out_type, dest, out_tag, in, in_count, in_type,
                                   source, in_tag, comm, seen);
    rec_done(id, seen, result);
    return result;
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int dest, int out_tag,
                         int source, int in_tag, MPI_Comm comm, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Sendrecv_replace(buffer, count, type, dest, out_tag, source, in_tag, comm,
                                         status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t id = rec_post(comm, source, in_tag, rec_bytes(count, type));
    rec_send(comm, dest, out_tag, rec_bytes(count, type));
    int result =
        rec_real.Sendrecv_replace(buffer, count, type, dest, out_tag, source, in_tag, comm, seen);
    rec_done(id, seen, result);
    return result;
}

REC_ALSO_PMPI(Sendrecv);
REC_ALSO_PMPI(Sendrecv_replace);
