/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program that is right and needs more than a small unit's tables: so many receives whose
 * messages come in reverse order, and so many messages that are wanted in reverse order.  With the
 * tables alone it waits for ever.  Pairs rank 2n with rank 2n+1; the argument is how many.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank;
static int peer;
static int count;
static int wrong;
static int *in;
static int *out;
static MPI_Request *request;

static void check(void) {
    for (int i = 0; i < count; ++i) {
        wrong += in[i] != count * peer + i;
    }
}

static void sync_pair(void) {
    char byte = 0;
    MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, peer, count, peer, count, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static void send_reversed(void) {
    for (int i = count - 1; i >= 0; --i) {
        MPI_Send(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD);
    }
}

/* The youngest lie in memory and the oldest on chip, so that answers overtake each other. */
static void send_from_both_ends(void) {
    for (int i = 0; i < count; ++i) {
        const int tag = i % 2 ? i / 2 : count - 1 - i / 2;
        MPI_Send(&out[tag], 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
    }
}

static void receives(void (*send)(void)) {
    for (int i = 0; i < count; ++i) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &request[i]);
    }
    sync_pair();
    send();
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    check();
}

/* Unexpected until the last of them is there; the first is wanted last. */
static void messages(void) {
    for (int i = 0; i < count; ++i) {
        in[i] = -1;
        MPI_Isend(&out[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &request[i]);
    }
    MPI_Probe(peer, count - 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = count - 1; i >= 0; --i) {
        MPI_Recv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    check();
}

/* A receive that lies beyond the table can be cancelled (R10), and those around it stay. */
static void cancels(void) {
    for (int i = 0; i < count; ++i) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = 1; i < count; i += 10) {
        int cancelled = 0;
        MPI_Status status;
        MPI_Cancel(&request[i]);
        MPI_Wait(&request[i], &status);
        MPI_Test_cancelled(&status, &cancelled);
        wrong += !cancelled;
        MPI_Irecv(&in[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &request[i]);
    }
    sync_pair();
    send_reversed();
    MPI_Waitall(count, request, MPI_STATUSES_IGNORE);
    check();
}

int main(int argc, char **argv) {
    int size = 0;
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    count = argc > 1 ? atoi(argv[1]) : 200;
    peer = rank ^ 1;
    in = malloc((size_t)count * sizeof *in);
    out = malloc((size_t)count * sizeof *out);
    request = malloc((size_t)count * sizeof *request);
    if (size % 2 != 0 || !in || !out || !request) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < count; ++i) {
        out[i] = count * rank + i;
    }
    receives(send_reversed);
    sync_pair();
    receives(send_from_both_ends);
    sync_pair();
    messages();
    sync_pair();
    cancels();
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) {
        printf("every message is right on %d ranks\n", size);
    }
    MPI_Finalize();
    free(in);
    free(out);
    free(request);
    return all == 0 ? 0 : 1;
}
