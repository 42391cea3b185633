/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages that are there before their receiver has ever named their sender, of all ranks to rank
 * 0, short and long.  With each rank on a node of its own MPI learns the address of a peer only
 * when it first sends to it or receives from it; R7 holds all the same.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define LONG 50000 /* ints, by rendezvous */

enum { DATA = 7, THERE, GO };

static int in[LONG];
static int out[4][LONG];

static void wrong(int rank, const char *what, int found, int expected) {
    fprintf(stderr, "from rank %d: %s: found %d, expected %d\n", rank, what, found, expected);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int count_of(int turn) { return turn % 2 == 0 ? 1 : LONG; }

static void start(int turn, MPI_Request *request) {
    out[turn][0] = 111 * (turn + 1);
    MPI_Isend(out[turn], count_of(turn), MPI_INT, 0, DATA, MPI_COMM_WORLD, request);
}

static void send_all(void) {
    MPI_Request requests[4];
    int go = 0;
    start(0, &requests[0]);
    start(1, &requests[1]);
    MPI_Send(&go, 1, MPI_INT, 0, THERE, MPI_COMM_WORLD);
    MPI_Recv(&go, 1, MPI_INT, 0, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    start(2, &requests[2]);
    start(3, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* All of them have sent, as receives from any source tell. */
static void wait_for_all(int size) {
    for (int i = 1; i < size; ++i) {
        MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, THERE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void receive_all(int rank) {
    MPI_Request first;
    MPI_Status status;
    int value = 0;
    MPI_Irecv(&value, 1, MPI_INT, rank, DATA, MPI_COMM_WORLD, &first);
    MPI_Send(in, 1, MPI_INT, rank, GO, MPI_COMM_WORLD);
    MPI_Wait(&first, &status);
    if (value != 111) {
        wrong(rank, "the first message", value, 111);
    }
    for (int turn = 1; turn < 4; ++turn) {
        int count = 0;
        MPI_Recv(in, LONG, MPI_INT, rank, DATA, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        if (count != count_of(turn) || in[0] != 111 * (turn + 1)) {
            wrong(rank, "a later message", in[0], 111 * (turn + 1));
        }
        if (status.MPI_SOURCE != rank) {
            wrong(rank, "its source", status.MPI_SOURCE, rank);
        }
    }
}

int main(int argc, char **argv) {
    int rank = 0;
    int size = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank != 0) {
        send_all();
    } else {
        wait_for_all(size);
        for (int other = 1; other < size; ++other) {
            receive_all(other);
        }
        printf("every message is in order from %d nodes\n", size - 1);
    }
    MPI_Finalize();
    return 0;
}
