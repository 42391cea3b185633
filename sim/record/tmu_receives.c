/* SPDX-License-Identifier: Apache-2.0 */
/* Receives, probes and claims. A missed probe is noted too: it says what had not arrived yet. */
#include "tmu_record.h"

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status) {
    if (!tmu_log_active())
        return tmu_real.Recv(buffer, count, type, source, tag, comm, status);
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    uint64_t id = tmu_post(comm, source, tag, tmu_bytes(count, type));
    int result = tmu_real.Recv(buffer, count, type, source, tag, comm, seen);
    tmu_done(id, seen, result);
    return result;
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request) {
    if (!tmu_log_active())
        return tmu_real.Irecv(buffer, count, type, source, tag, comm, request);
    uint64_t id = tmu_post(comm, source, tag, tmu_bytes(count, type));
    int result = tmu_real.Irecv(buffer, count, type, source, tag, comm, request);
    if (result == MPI_SUCCESS && id)
        tmu_request_add(*request, id);
    return result;
}

/* `found` is 0 for a miss; a blocking probe always finds. */
static void looked(int kind, MPI_Comm comm, int source, int tag, int found,
                   const MPI_Status *status) {
    if (source == MPI_PROC_NULL)
        return;
    struct tmu_entry entry = tmu_pattern(kind, comm, source, tag);
    entry.repeats = 1;
    if (!found) {
        tmu_log_miss(&entry);
        return;
    }
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
    entry.flags |= TMU_HIT;
    entry.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    entry.found_peer = status->MPI_SOURCE;
    entry.found_tag = status->MPI_TAG;
    tmu_log_add(&entry);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = tmu_real.Probe(source, tag, comm, seen);
    if (tmu_log_active() && result == MPI_SUCCESS)
        looked(TMU_PROBE, comm, source, tag, 1, seen);
    return result;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *found, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = tmu_real.Iprobe(source, tag, comm, found, seen);
    if (tmu_log_active() && result == MPI_SUCCESS)
        looked(TMU_PROBE, comm, source, tag, *found, seen);
    return result;
}

/* The claim takes the message out of the queue; MPI_Mrecv and MPI_Imrecv match nothing. */
int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = tmu_real.Mprobe(source, tag, comm, message, seen);
    if (tmu_log_active() && result == MPI_SUCCESS)
        looked(TMU_CLAIM, comm, source, tag, 1, seen);
    return result;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                MPI_Status *status) {
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = tmu_real.Improbe(source, tag, comm, found, message, seen);
    if (tmu_log_active() && result == MPI_SUCCESS)
        looked(TMU_CLAIM, comm, source, tag, *found, seen);
    return result;
}

TMU_ALSO_PMPI(Recv);
TMU_ALSO_PMPI(Irecv);
TMU_ALSO_PMPI(Probe);
TMU_ALSO_PMPI(Iprobe);
TMU_ALSO_PMPI(Mprobe);
TMU_ALSO_PMPI(Improbe);
