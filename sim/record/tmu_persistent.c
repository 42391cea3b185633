/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent requests: each start is one send or one receive of its own. */
#include "tmu_record.h"
#include "tmu_table.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tmu_table persistents;

struct tmu_persistent *tmu_persistent_find(MPI_Request request) {
    pthread_mutex_lock(&lock);
    struct tmu_persistent *found = tmu_table_get(&persistents, request);
    pthread_mutex_unlock(&lock);
    return found;
}

void tmu_persistent_forget(MPI_Request request) {
    pthread_mutex_lock(&lock);
    struct tmu_persistent *gone = tmu_table_remove(&persistents, request);
    pthread_mutex_unlock(&lock);
    free(gone);
}

static void add(MPI_Request request, bool send, MPI_Comm comm, int peer, int tag, uint64_t bytes) {
    tmu_request_forget(request);
    struct tmu_persistent *made = malloc(sizeof *made);
    if (!made)
        abort();
    *made = (struct tmu_persistent){
        .send = send, .peer = peer, .tag = tag, .comm = comm, .bytes = bytes};
    pthread_mutex_lock(&lock);
    tmu_table_put(&persistents, request, made);
    pthread_mutex_unlock(&lock);
}

#define TMU_SEND_INIT(name)                                                                        \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,            \
                   MPI_Comm comm, MPI_Request *request) {                                          \
        int result = tmu_real.name(buffer, count, type, dest, tag, comm, request);                 \
        if (tmu_log_active() && result == MPI_SUCCESS && dest != MPI_PROC_NULL)                    \
            add(*request, true, comm, dest, tag, tmu_bytes(count, type));                          \
        return result;                                                                             \
    }                                                                                              \
    TMU_ALSO_PMPI(name)

TMU_SEND_INIT(Send_init);
TMU_SEND_INIT(Bsend_init);
TMU_SEND_INIT(Ssend_init);
TMU_SEND_INIT(Rsend_init);

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    int result = tmu_real.Recv_init(buffer, count, type, source, tag, comm, request);
    if (tmu_log_active() && result == MPI_SUCCESS && source != MPI_PROC_NULL)
        add(*request, false, comm, source, tag, tmu_bytes(count, type));
    return result;
}

static void started(MPI_Request request) {
    struct tmu_persistent *known = tmu_persistent_find(request);
    if (!known)
        return;
    if (known->send)
        tmu_send(known->comm, known->peer, known->tag, known->bytes);
    else
        known->id = tmu_post(known->comm, known->peer, known->tag, known->bytes);
}

int MPI_Start(MPI_Request *request) {
    if (tmu_log_active())
        started(*request);
    return tmu_real.Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    for (int i = 0; tmu_log_active() && i < count; i++)
        started(requests[i]);
    return tmu_real.Startall(count, requests);
}

TMU_ALSO_PMPI(Recv_init);
TMU_ALSO_PMPI(Start);
TMU_ALSO_PMPI(Startall);
