/* SPDX-License-Identifier: Apache-2.0 */
/* Standard, synchronous, ready, buffered and persistent sends, and in both directions at once. */
#include "pair.h"

/* Ends only when it is matched: nothing that takes a message runs until the peer says so. */
static void synchronous(int count) {
    MPI_Request request;
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    int done = 0;
    meet();
    if (first) {
        MPI_Issend(out, count, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
        for (int i = 0; i < 200; ++i) {
            MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            EXPECT(!done);
        }
        MPI_Send(&count, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Ssend(out, count, MPI_INT, peer, 3, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&done, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int tag = 1; tag <= 3; tag += 2) {
            MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT(in[0] == peer && in[count - 1] == peer + count - 1);
        }
    }
    free(out);
    free(in);
}

static void ready(int count) {
    MPI_Request request;
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    MPI_Irecv(in, count, MPI_INT, peer, 4, MPI_COMM_WORLD, &request);
    meet(); /* the peer's receive is there */
    MPI_Rsend(out, count, MPI_INT, peer, 4, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(in[count - 1] == peer + count - 1);
    free(out);
    free(in);
}

/* Both send first, which only buffers make right at every length. */
static void buffered(int count) {
    enum { TURNS = 4 };
    const int room = TURNS * (count * (int)sizeof(int) + MPI_BSEND_OVERHEAD);
    void *buffer = malloc((size_t)room);
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    if (!buffer) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int detached = 0;
    MPI_Buffer_attach(buffer, room);
    for (int turn = 0; turn < TURNS; ++turn) {
        out[0] = turn;
        MPI_Bsend(out, count, MPI_INT, peer, 5, MPI_COMM_WORLD);
    }
    for (int turn = 0; turn < TURNS; ++turn) {
        MPI_Recv(in, count, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(in[0] == turn && in[count - 1] == peer + count - 1);
    }
    MPI_Buffer_detach(&buffer, &detached);
    EXPECT(detached == room);
    free(buffer);
    free(out);
    free(in);
}

static void both_directions(int count) {
    MPI_Status status;
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    MPI_Sendrecv(out, count, MPI_INT, peer, 6, in, count, MPI_INT, peer, 6, MPI_COMM_WORLD,
                 &status);
    EXPECT(in[count - 1] == peer + count - 1 && count_of(&status) == count);
    MPI_Sendrecv_replace(out, count, MPI_INT, peer, 7, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
    EXPECT(out[0] == peer && out[count - 1] == peer + count - 1 && status.MPI_SOURCE == peer);
    /* Round the ring of all ranks. */
    MPI_Sendrecv_replace(out, count, MPI_INT, (rank + 1) % size, 8, (rank + size - 1) % size, 8,
                         MPI_COMM_WORLD, &status);
    EXPECT(out[0] == (((rank + size - 1) % size) ^ 1));
    free(out);
    free(in);
}

static void to_oneself(int count) {
    MPI_Request request;
    MPI_Status status;
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    MPI_Isend(out, count, MPI_INT, rank, 9, MPI_COMM_WORLD, &request);
    MPI_Probe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    EXPECT(status.MPI_TAG == 9 && count_of(&status) == count);
    MPI_Recv(in, count, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(memcmp(in, out, (size_t)count * sizeof *in) == 0);
    free(out);
    free(in);
}

/* Each kind of persistent send to a persistent receive, again and again. */
static void persistent(int count) {
    enum { KINDS = 3, TURNS = 5 };
    MPI_Request request[2 * KINDS];
    int *out = integers(count, rank);
    int *in[KINDS];
    for (int kind = 0; kind < KINDS; ++kind) {
        in[kind] = integers(count, 0);
        MPI_Recv_init(in[kind], count, MPI_INT, kind == 1 ? MPI_ANY_SOURCE : peer, 20 + kind,
                      MPI_COMM_WORLD, &request[kind]);
    }
    MPI_Send_init(out, count, MPI_INT, peer, 20, MPI_COMM_WORLD, &request[KINDS]);
    MPI_Ssend_init(out, count, MPI_INT, peer, 21, MPI_COMM_WORLD, &request[KINDS + 1]);
    MPI_Rsend_init(out, count, MPI_INT, peer, 22, MPI_COMM_WORLD, &request[KINDS + 2]);
    for (int turn = 0; turn < TURNS; ++turn) {
        out[0] = 100 * turn + rank;
        MPI_Startall(KINDS, request);
        meet(); /* a ready send needs its receive */
        MPI_Startall(KINDS, request + KINDS);
        MPI_Waitall(2 * KINDS, request, MPI_STATUSES_IGNORE);
        for (int kind = 0; kind < KINDS; ++kind) {
            EXPECT(in[kind][0] == 100 * turn + peer && request[kind] != MPI_REQUEST_NULL);
        }
    }
    for (int i = 0; i < 2 * KINDS; ++i) {
        MPI_Request_free(&request[i]);
    }
    for (int kind = 0; kind < KINDS; ++kind) {
        free(in[kind]);
    }
    free(out);
}

int main(int argc, char **argv) {
    pair_begin(&argc, &argv);
    void (*const parts[])(int) = {synchronous,     ready,      buffered,
                                  both_directions, to_oneself, persistent};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i](EAGER);
        parts[i](RENDEZVOUS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return pair_end("modes");
}
