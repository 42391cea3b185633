/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every recorded kind of call once or more, for 4 ranks. It checks what it receives, so a wrapper
 * that changes a result is noticed here and not only in the trace.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "every_call.c:%d: rank %d: %s is false\n", __LINE__, rank,             \
                    #condition);                                                                   \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                          \
        }                                                                                          \
    } while (0)

static int rank;
static int size;

static void send_int(int value, int dest, int tag, MPI_Comm comm) {
    MPI_Send(&value, 1, MPI_INT, dest, tag, comm);
}

/* Messages that wait for their receives, taken in another order than they came. */
static void unexpected(void) {
    int got = -1;
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;
    for (int tag = 0; tag < 8; tag++) {
        send_int(tag * 10 + rank, right, tag, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int tag = 7; tag >= 0; tag--) {
        MPI_Recv(&got, 1, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(got == tag * 10 + left);
    }
}

/* A pile of wildcard receives, exact ones between them, all ended by one wait. */
static void wildcards(void) {
    enum { ROUNDS = 20 };
    int out = rank;
    if (rank != 0) {
        for (int i = 0; i < ROUNDS; i++) {
            MPI_Request request;
            MPI_Issend(&out, 1, MPI_INT, 0, i % 3, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        return;
    }
    int total = ROUNDS * (size - 1);
    int *in = calloc((size_t)total, sizeof *in);
    MPI_Request *requests = malloc((size_t)total * sizeof(MPI_Request));
    MPI_Status *statuses = malloc((size_t)total * sizeof(MPI_Status));
    for (int i = 0; i < total; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(total / 2, requests, statuses);
    for (int left = total - total / 2; left > 0;) {
        int done = 0;
        int indices[512];
        MPI_Waitsome(total - total / 2, requests + total / 2, &done, indices, statuses + total / 2);
        left -= done;
    }
    for (int i = 0; i < total / 2; i++) {
        EXPECT(in[i] == statuses[i].MPI_SOURCE);
    }
    free(statuses);
    free(requests);
    free(in);
}

/* Probes that miss, find and claim; the claimed message is out of every later receive's reach. */
static void probes(void) {
    int flag = 0;
    int got = -1;
    MPI_Status status;
    MPI_Message message;
    if (rank != 0) {
        MPI_Barrier(MPI_COMM_WORLD);
        send_int(rank, 0, 40, MPI_COMM_WORLD);
        send_int(rank + 100, 0, 40, MPI_COMM_WORLD);
        return;
    }
    MPI_Iprobe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &message, MPI_STATUS_IGNORE);
    EXPECT(!flag);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 1; i < size; i++) {
        MPI_Probe(MPI_ANY_SOURCE, 40, MPI_COMM_WORLD, &status);
        MPI_Mprobe(status.MPI_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Recv(&got, 1, MPI_INT, status.MPI_SOURCE, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(got == status.MPI_SOURCE + 100);
        if (i % 2) {
            MPI_Mrecv(&got, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        } else {
            MPI_Request request;
            MPI_Imrecv(&got, 1, MPI_INT, &message, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        EXPECT(got == status.MPI_SOURCE);
    }
    for (flag = 0; !flag;) {
        MPI_Iprobe(0, 41, MPI_COMM_SELF, &flag, &status);
        if (!flag) {
            send_int(7, 0, 41, MPI_COMM_SELF);
        }
    }
    MPI_Recv(&got, 1, MPI_INT, 0, 41, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    EXPECT(got == 7);
}

/* One cancel in time, one too late, one of a receive that is let go right after it. */
static void cancels(void) {
    int in[3] = {0};
    int flag = 0;
    MPI_Request requests[3];
    MPI_Status status;
    int right = (rank + 1) % size;
    int left = (rank + size - 1) % size;
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in[i], 1, MPI_INT, left, 50 + i, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(flag);
    send_int(rank, right, 51, MPI_COMM_WORLD);
    while (MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag) {
        continue;
    }
    MPI_Cancel(&requests[1]);
    MPI_Wait(&requests[1], &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT(!flag && in[1] == left);
    MPI_Cancel(&requests[2]);
    MPI_Request_free(&requests[2]);
    MPI_Barrier(MPI_COMM_WORLD);
    /* The tags of the cancelled receives serve again: the old ones must not take these. */
    send_int(rank + 60, right, 50, MPI_COMM_WORLD);
    send_int(rank + 60, right, 52, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i += 2) {
        MPI_Recv(&in[i], 1, MPI_INT, left, 50 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(in[i] == left + 60);
    }
}

static void persistent(void) {
    int out = 0;
    int in = -1;
    int index = -1;
    int flag = 0;
    MPI_Request requests[2];
    MPI_Recv_init(&in, 1, MPI_INT, MPI_ANY_SOURCE, 70, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % size, 70, MPI_COMM_WORLD, &requests[1]);
    for (out = 0; out < 5; out++) {
        MPI_Startall(2, requests);
        if (out % 2) {
            while (MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !flag) {
                continue;
            }
        } else {
            MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        EXPECT(in == out);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void exchanges(void) {
    int out = rank;
    int in = -1;
    int flag = 0;
    int index = -1;
    MPI_Request request;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, 80, &in, 1, MPI_INT, MPI_ANY_SOURCE, 80,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == (rank + size - 1) % size);
    MPI_Sendrecv_replace(&out, 1, MPI_INT, rank, 81, rank, 81, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, MPI_PROC_NULL, 82, &in, 1, MPI_INT, MPI_PROC_NULL, 82,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(&in, 1, MPI_INT, rank, 83, MPI_COMM_WORLD, &request);
    MPI_Rsend(&out, 1, MPI_INT, rank, 83, MPI_COMM_WORLD);
    while (MPI_Testany(1, &request, &index, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag) {
        continue;
    }
    EXPECT(in == rank && request == MPI_REQUEST_NULL);
}

/* A message longer than its receive is matched all the same (R12). */
static void truncation(void) {
    int out[4] = {1, 2, 3, 4};
    int in = 0;
    int class = MPI_SUCCESS;
    send_int(rank, rank, 91, MPI_COMM_WORLD);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Send(out, 4, MPI_INT, (rank + 1) % size, 90, MPI_COMM_WORLD);
    int error = MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 90, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Error_class(error, &class);
    EXPECT(class == MPI_ERR_TRUNCATE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Recv(&in, 1, MPI_INT, rank, 91, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(in == rank);
}

static void ring(MPI_Comm comm) {
    int own = 0;
    int peers = 0;
    int in = -1;
    int flag = 0;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_test_inter(comm, &flag);
    if (flag) {
        MPI_Comm_remote_size(comm, &peers);
    } else {
        MPI_Comm_size(comm, &peers);
    }
    MPI_Request request;
    MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, 5, comm, &request);
    send_int(own, flag ? own : (own + 1) % peers, 5, comm);
    while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && !flag) {
        continue;
    }
    EXPECT(in >= 0 && in < peers);
}

/* Communicators of every origin, the same tag in flight on all of them. */
static void communicators(void) {
    MPI_Comm made[8];
    MPI_Request request;
    MPI_Group world;
    MPI_Group odd;
    int count = 0;
    int dims[1] = {size};
    int periods[1] = {1};
    int odds[2] = {1, 3};
    MPI_Comm_dup(MPI_COMM_WORLD, &made[count++]);
    MPI_Comm_idup(made[0], &made[count++], &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &made[count++]);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 0, 0, &made[count]);
    count += rank != 0;
    MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periods, 1, &made[count++]);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, odds, &odd);
    if (rank % 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &made[count++]);
    }
    MPI_Intercomm_create(made[2], 0, MPI_COMM_WORLD, rank % 2 ? 2 : 3, 9, &made[count++]);
    MPI_Intercomm_merge(made[count - 1], rank % 2, &made[count]);
    count++;
    for (int i = 0; i < count; i++) {
        ring(made[i]);
    }
    for (int i = 0; i < count; i++) {
        MPI_Comm_free(&made[i]);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &made[0]);
    ring(made[0]);
    MPI_Comm_free(&made[0]);
    MPI_Group_free(&odd);
    MPI_Group_free(&world);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    EXPECT(size == 4);
    void (*const parts[])(void) = {unexpected, wildcards, probes,     cancels,
                                   persistent, exchanges, truncation, communicators};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
