/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives by their request handle, from the post to the call that told the caller of the end.
 * MPI sets finished handles to MPI_REQUEST_NULL and may hand the same value out again, so each
 * wrapper copies the handles before the real call.
 */
#include "rec_table.h"
#include "recorder.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rec_table receives; /* handle -> id */
static uint64_t last_id;

struct rec_entry rec_pattern(int kind, MPI_Comm comm, int source, int tag) {
    return (struct rec_entry){
        .kind = kind,
        .comm = rec_comm_number(comm),
        .peer = source,
        .tag = tag,
        .flags = (source == MPI_ANY_SOURCE ? REC_ANY_SOURCE : 0) |
                 (tag == MPI_ANY_TAG ? REC_ANY_TAG : 0),
    };
}

uint64_t rec_new_id(void) {
    pthread_mutex_lock(&lock);
    uint64_t id = ++last_id;
    pthread_mutex_unlock(&lock);
    return id;
}

/* Returns 0 for a receive from MPI_PROC_NULL, which takes no message. */
uint64_t rec_post(MPI_Comm comm, int source, int tag, uint64_t bytes) {
    if (source == MPI_PROC_NULL) {
        return 0;
    }
    struct rec_entry entry = rec_pattern(REC_POST, comm, source, tag);
    entry.id = rec_new_id();
    entry.bytes = bytes;
    rec_log_add(&entry);
    return entry.id;
}

/* A truncated message was matched all the same; after any other error nothing is known. */
void rec_done(uint64_t id, const MPI_Status *status, int error) {
    int class = MPI_SUCCESS;
    if (error != MPI_SUCCESS) {
        PMPI_Error_class(error, &class);
    }
    if (id == 0 || (class != MPI_SUCCESS && class != MPI_ERR_TRUNCATE)) {
        return;
    }
    struct rec_entry entry = {.kind = REC_DONE, .id = id, .comm = -1};
    int cancelled = 0;
    MPI_Count bytes = 0;
    PMPI_Test_cancelled(status, &cancelled);
    if (cancelled) {
        entry.flags = REC_CANCELLED;
    } else {
        PMPI_Get_elements_x(status, MPI_BYTE, &bytes);
        entry.flags = class == MPI_ERR_TRUNCATE ? REC_TRUNCATED : 0;
        entry.found_peer = status->MPI_SOURCE;
        entry.found_tag = status->MPI_TAG;
        entry.bytes = bytes > 0 ? (uint64_t)bytes : 0;
    }
    rec_log_add(&entry);
}

void rec_request_add(MPI_Request request, uint64_t id) {
    rec_persistent_forget(request);
    pthread_mutex_lock(&lock);
    rec_table_put(&receives, request, (void *)(uintptr_t)id);
    pthread_mutex_unlock(&lock);
}

static uint64_t take(MPI_Request request) {
    pthread_mutex_lock(&lock);
    uint64_t id = (uint64_t)(uintptr_t)rec_table_remove(&receives, request);
    pthread_mutex_unlock(&lock);
    if (id) {
        return id;
    }
    struct rec_persistent *known = rec_persistent_find(request);
    if (known) {
        id = known->id;
        known->id = 0;
    }
    return id;
}

void rec_request_forget(MPI_Request request) {
    pthread_mutex_lock(&lock);
    rec_table_remove(&receives, request);
    pthread_mutex_unlock(&lock);
    rec_persistent_forget(request);
}

/* Copies of the handles, and statuses where the caller wants none; on the stack when few. */
enum { FEW = 32 };
struct watch {
    int count;
    MPI_Request *handles;
    MPI_Status *statuses;
    MPI_Request few_handles[FEW];
    MPI_Status few_statuses[FEW];
};

static void *room(int count, size_t each, void *few) {
    void *got = count <= FEW ? few : malloc((size_t)count * each);
    if (!got) {
        abort();
    }
    return got;
}

static void watch(struct watch *w, int count, const MPI_Request *requests, MPI_Status *statuses) {
    w->count = count > 0 ? count : 0;
    w->handles = room(w->count, sizeof *w->handles, w->few_handles);
    if (w->count) {
        memcpy(w->handles, requests, (size_t)w->count * sizeof *w->handles);
    }
    w->statuses = statuses != MPI_STATUSES_IGNORE
                      ? statuses
                      : room(w->count, sizeof *w->statuses, w->few_statuses);
}

static void unwatch(const struct watch *w, const MPI_Status *callers) {
    if (w->handles != w->few_handles) {
        free(w->handles);
    }
    if (w->statuses != w->few_statuses && w->statuses != callers) {
        free(w->statuses);
    }
}

/* Only with MPI_ERR_IN_STATUS do the statuses carry errors; pending ones have not ended. */
static void ended(MPI_Request handle, const MPI_Status *status, int result) {
    int class = MPI_SUCCESS;
    if (result != MPI_SUCCESS) {
        PMPI_Error_class(result, &class);
    }
    int error = class == MPI_ERR_IN_STATUS ? status->MPI_ERROR : result;
    if (error == MPI_ERR_PENDING || handle == MPI_REQUEST_NULL) {
        return;
    }
    rec_done(take(handle), status, error);
}

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Wait(request, status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    int result = rec_real.Wait(request, seen);
    ended(handle, seen, result);
    return result;
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Test(request, flag, status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    MPI_Request handle = *request;
    int result = rec_real.Test(request, flag, seen);
    if (*flag) {
        ended(handle, seen, result);
    }
    return result;
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    if (!rec_log_active()) {
        return rec_real.Waitall(count, requests, statuses);
    }
    struct watch w;
    watch(&w, count, requests, statuses);
    int result = rec_real.Waitall(count, requests, w.statuses);
    for (int i = 0; i < w.count; i++) {
        ended(w.handles[i], &w.statuses[i], result);
    }
    unwatch(&w, statuses);
    return result;
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[]) {
    if (!rec_log_active()) {
        return rec_real.Testall(count, requests, flag, statuses);
    }
    struct watch w;
    watch(&w, count, requests, statuses);
    int result = rec_real.Testall(count, requests, flag, w.statuses);
    for (int i = 0; *flag && i < w.count; i++) {
        ended(w.handles[i], &w.statuses[i], result);
    }
    unwatch(&w, statuses);
    return result;
}

int MPI_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Waitany(count, requests, index, status);
    }
    struct watch w;
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    watch(&w, count, requests, seen);
    int result = rec_real.Waitany(count, requests, index, seen);
    if (*index != MPI_UNDEFINED) {
        ended(w.handles[*index], seen, result);
    }
    unwatch(&w, seen);
    return result;
}

int MPI_Testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Testany(count, requests, index, flag, status);
    }
    struct watch w;
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    watch(&w, count, requests, seen);
    int result = rec_real.Testany(count, requests, index, flag, seen);
    if (*flag && *index != MPI_UNDEFINED) {
        ended(w.handles[*index], seen, result);
    }
    unwatch(&w, seen);
    return result;
}

int MPI_Waitsome(int count, MPI_Request requests[], int *done, int indices[],
                 MPI_Status statuses[]) {
    if (!rec_log_active()) {
        return rec_real.Waitsome(count, requests, done, indices, statuses);
    }
    struct watch w;
    watch(&w, count, requests, statuses);
    int result = rec_real.Waitsome(count, requests, done, indices, w.statuses);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) {
        ended(w.handles[indices[i]], &w.statuses[i], result);
    }
    unwatch(&w, statuses);
    return result;
}

int MPI_Testsome(int count, MPI_Request requests[], int *done, int indices[],
                 MPI_Status statuses[]) {
    if (!rec_log_active()) {
        return rec_real.Testsome(count, requests, done, indices, statuses);
    }
    struct watch w;
    watch(&w, count, requests, statuses);
    int result = rec_real.Testsome(count, requests, done, indices, w.statuses);
    for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) {
        ended(w.handles[indices[i]], &w.statuses[i], result);
    }
    unwatch(&w, statuses);
    return result;
}

/* The receive behind a handle that stays in use, or 0. */
static uint64_t id_of(MPI_Request request) {
    pthread_mutex_lock(&lock);
    uint64_t id = (uint64_t)(uintptr_t)rec_table_get(&receives, request);
    pthread_mutex_unlock(&lock);
    struct rec_persistent *known = id ? NULL : rec_persistent_find(request);
    return known ? known->id : id;
}

/* The request lives on and may still be cancelled, late; a second end tells nothing new. */
int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status) {
    if (!rec_log_active()) {
        return rec_real.Request_get_status(request, flag, status);
    }
    MPI_Status own;
    MPI_Status *seen = status == MPI_STATUS_IGNORE ? &own : status;
    int result = rec_real.Request_get_status(request, flag, seen);
    if (*flag && result == MPI_SUCCESS) {
        rec_done(id_of(request), seen, result);
    }
    return result;
}

/* Asks at once how it ended: a request that is freed after its cancel would never tell. */
int MPI_Cancel(MPI_Request *request) {
    uint64_t id = rec_log_active() ? id_of(*request) : 0;
    int result = rec_real.Cancel(request);
    if (id == 0 || result != MPI_SUCCESS) {
        return result;
    }
    struct rec_entry entry = {.kind = REC_CANCEL, .id = id, .comm = -1};
    rec_log_add(&entry);
    MPI_Status status;
    int flag = 0;
    if (rec_real.Request_get_status(*request, &flag, &status) == MPI_SUCCESS && flag) {
        rec_done(id, &status, MPI_SUCCESS);
    }
    return result;
}

int MPI_Request_free(MPI_Request *request) {
    if (rec_log_active()) {
        struct rec_entry entry = {.kind = REC_FREE, .id = take(*request), .comm = -1};
        if (entry.id) {
            rec_log_add(&entry);
        }
        rec_persistent_forget(*request);
    }
    return rec_real.Request_free(request);
}

REC_ALSO_PMPI(Wait);
REC_ALSO_PMPI(Test);
REC_ALSO_PMPI(Waitall);
REC_ALSO_PMPI(Testall);
REC_ALSO_PMPI(Waitany);
REC_ALSO_PMPI(Testany);
REC_ALSO_PMPI(Waitsome);
REC_ALSO_PMPI(Testsome);
REC_ALSO_PMPI(Request_get_status);
REC_ALSO_PMPI(Cancel);
REC_ALSO_PMPI(Request_free);
