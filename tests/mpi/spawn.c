/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that start others: each parent and each child sends a short and a long message to every
 * process of the other side, before anybody there has named it (R7), and receives theirs in order.
 * The argument is the number of children.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LONG 50000 /* ints, by rendezvous */
#define MOST 16

static int in[LONG];
static int out[2][LONG];

static void wrong(int rank, const char *what, int found, int expected) {
    fprintf(stderr, "from rank %d: %s: found %d, expected %d\n", rank, what, found, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void receive(int from, int turn, int count, MPI_Comm others) {
    MPI_Status status;
    int found = 0;
    MPI_Recv(in, LONG, MPI_INT, from, 7, others, &status);
    MPI_Get_count(&status, MPI_INT, &found);
    if (found != count) {
        wrong(from, "the length of a message", found, count);
    }
    if (in[0] != 100 * turn + from) {
        wrong(from, "a message", in[0], 100 * turn + from);
    }
    if (status.MPI_SOURCE != from) {
        wrong(from, "its source", status.MPI_SOURCE, from);
    }
}

static void exchange(MPI_Comm others) {
    MPI_Request requests[2 * MOST];
    int rank = 0;
    int size = 0;
    int count = 0;
    MPI_Comm_rank(others, &rank);
    MPI_Comm_remote_size(others, &size);
    for (int turn = 0; turn < 2; ++turn) {
        out[turn][0] = 100 * turn + rank;
    }
    for (int i = 0; i < size; ++i) {
        MPI_Isend(out[0], 1, MPI_INT, i, 7, others, &requests[count++]);
        MPI_Isend(out[1], LONG, MPI_INT, i, 7, others, &requests[count++]);
    }
    for (int i = size - 1; i >= 0; --i) {
        receive(i, 0, 1, others);
        receive(i, 1, LONG, others);
    }
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Comm others;
    int rank = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_get_parent(&others);
    const int child = others != MPI_COMM_NULL;
    const int children = !child && argc > 1 ? atoi(argv[1]) : 1;
    if (children < 1 || children > MOST) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (!child) {
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                       MPI_ERRCODES_IGNORE);
    }
    exchange(others);
    if (!child && rank == 0) {
        printf("every message of %d children is in order\n", children);
    }
    MPI_Comm_disconnect(&others);
    MPI_Finalize();
    return 0;
}
