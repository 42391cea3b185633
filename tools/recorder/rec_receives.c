/* SPDX-License-Identifier: Apache-2.0 */
/* Receives, probes and claims. A missed probe is noted too: it says what had not arrived yet. */
#include "recorder.h"

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Recv(buffer, count, type, source, tag, comm, status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t id = rec_post(comm, source, tag, rec_bytes(count, type));
    int result = rec_real.Recv(buffer, count, type, source, tag, comm, seen);
    rec_done(id, seen, result);
    return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
    if (!rec_log_active()) {
        return rec_real.Irecv(buffer, count, type, source, tag, comm, request);
    }
    uint64_t id = rec_post(comm, source, tag, rec_bytes(count, type));
    int result = rec_real.Irecv(buffer, count, type, source, tag, comm, request);
    if (result == MPI_SUCCESS && id) {
        rec_request_add(*request, id);
    }
    return result;
}

/* `found` is 0 for a miss; a blocking probe always finds. */
static void looked(int kind, MPI_Comm comm, int source, int tag, int found,
                   const MPI_Status *status) {
    if (source == MPI_PROC_NULL) {
        return;
    }
    struct rec_entry entry = rec_pattern(kind, comm, source, tag);
    entry.repeats = 1;
    if (!found) {
        rec_log_miss(&entry);
        return;
    }
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    entry.flags |= REC_HIT;
    entry.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    entry.found_peer = status->MPI_SOURCE;
    entry.found_tag = status->MPI_TAG;
    rec_log_add(&entry);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = rec_real.Probe(source, tag, comm, seen);
    if (rec_log_active() && result == MPI_SUCCESS) {
        looked(REC_PROBE, comm, source, tag, 1, seen);
    }
    return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = rec_real.Iprobe(source, tag, comm, found, seen);
    if (rec_log_active() && result == MPI_SUCCESS) {
        looked(REC_PROBE, comm, source, tag, *found, seen);
    }
    return result;
}

/* The claim takes the message out of the queue; MPI_Mrecv and MPI_Imrecv match nothing. */
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = rec_real.Mprobe(source, tag, comm, message, seen);
    if (rec_log_active() && result == MPI_SUCCESS) {
        looked(REC_CLAIM, comm, source, tag, 1, seen);
    }
    return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = rec_real.Improbe(source, tag, comm, found, message, seen);
    if (rec_log_active() && result == MPI_SUCCESS) {
        looked(REC_CLAIM, comm, source, tag, *found, seen);
    }
    return result;
}

REC_ALSO_PMPI(Recv);
REC_ALSO_PMPI(Irecv);
REC_ALSO_PMPI(Probe);
REC_ALSO_PMPI(Iprobe);
REC_ALSO_PMPI(Mprobe);
REC_ALSO_PMPI(Improbe);
