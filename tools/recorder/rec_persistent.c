/* SPDX-License-Identifier: Apache-2.0 */
/* Persistent requests: each start is one send or one receive of its own. */
#include "rec_table.h"
#include "recorder.h"

#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rec_table persistents;

struct rec_persistent *rec_persistent_find(MPI_Request request) {
    pthread_mutex_lock(&lock);
    struct rec_persistent *found = rec_table_get(&persistents, request);
    pthread_mutex_unlock(&lock);
    return found;
}

void rec_persistent_forget(MPI_Request request) {
    pthread_mutex_lock(&lock);
    struct rec_persistent *gone = rec_table_remove(&persistents, request);
    pthread_mutex_unlock(&lock);
    free(gone);
}

static void add(MPI_Request request, bool send, MPI_Comm comm, int peer, int tag, uint64_t bytes) {
    rec_request_forget(request);
    struct rec_persistent *made = malloc(sizeof *made);
    if (!made) {
        abort();
    }
    *made = (struct rec_persistent){
        .send = send, .peer = peer, .tag = tag, .comm = comm, .bytes = bytes};
    pthread_mutex_lock(&lock);
    rec_table_put(&persistents, request, made);
    pthread_mutex_unlock(&lock);
}

#define REC_SEND_INIT(name)                                                                        \
    int MPI_##name(const void *buffer, int count, MPI_Datatype type, int dest, int tag,            \
                   MPI_Comm comm, MPI_Request *request) {                                          \
        int result = rec_real.name(buffer, count, type, dest, tag, comm, request);                 \
        if (rec_log_active() && result == MPI_SUCCESS && dest != MPI_PROC_NULL) {                  \
            add(*request, true, comm, dest, tag, rec_bytes(count, type));                          \
        }                                                                                          \
        return result;                                                                             \
    }                                                                                              \
    REC_ALSO_PMPI(name)

REC_SEND_INIT(Send_init);
REC_SEND_INIT(Bsend_init);
REC_SEND_INIT(Ssend_init);
REC_SEND_INIT(Rsend_init);

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request) {
    int result = rec_real.Recv_init(buffer, count, type, source, tag, comm, request);
    if (rec_log_active() && result == MPI_SUCCESS && source != MPI_PROC_NULL) {
        add(*request, false, comm, source, tag, rec_bytes(count, type));
    }
    return result;
}

static void started(MPI_Request request) {
    struct rec_persistent *known = rec_persistent_find(request);
    if (!known) {
        return;
    }
    if (known->send) {
        rec_send(known->comm, known->peer, known->tag, known->bytes);
    } else {
        known->id = rec_post(known->comm, known->peer, known->tag, known->bytes);
    }
}

int MPI_Start(MPI_Request *request) {
    if (rec_log_active()) {
        started(*request);
    }
    return rec_real.Start(request);
}

int MPI_Startall(int count, MPI_Request requests[]) {
    for (int i = 0; rec_log_active() && i < count; i++) {
        started(requests[i]);
    }
    return rec_real.Startall(count, requests);
}

REC_ALSO_PMPI(Recv_init);
REC_ALSO_PMPI(Start);
REC_ALSO_PMPI(Startall);
