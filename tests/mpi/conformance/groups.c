/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inter-communicators, and communicators that have the same ranks and tags for themselves.
 * With the argument `without-claims` no message of an inter-communicator is claimed: the code for
 * libfabric in Open MPI 4.1.4 ends with an error there, over the provider `net` as well.
 */
#include "pair.h"

static MPI_Comm across; /* even ranks on one side, odd ones on the other */
static int other;       /* rank of the peer over there */
static int claims = 1;

static void over_there(int count) {
    MPI_Status status;
    MPI_Request request;
    int *out = integers(count, rank);
    int *in = integers(count, 0);
    MPI_Isend(out, count, MPI_INT, other, 1, across, &request);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, across, &status);
    EXPECT(status.MPI_SOURCE == other && status.MPI_TAG == 1 && count_of(&status) == count);
    MPI_Recv(in, count, MPI_INT, MPI_ANY_SOURCE, 1, across, &status);
    EXPECT(in[0] == peer && in[count - 1] == peer + count - 1 && status.MPI_SOURCE == other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Issend(out, count, MPI_INT, other, 2, across, &request);
    MPI_Message message;
    if (claims) {
        MPI_Mprobe(other, 2, across, &message, &status);
        MPI_Mrecv(in, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, count, MPI_INT, other, 2, across, MPI_STATUS_IGNORE);
    }
    EXPECT(in[count - 1] == peer + count - 1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(out);
    free(in);
}

/* Each communicator's wildcard takes its own message, whatever came first. */
static void kept_apart(void) {
    enum { COMMS = 4 };
    MPI_Comm comm[COMMS];
    int to[COMMS] = {peer, other, peer, peer ^ 1};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
    MPI_Comm_dup(across, &comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm[2]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank ^ 1, &comm[3]); /* the pair's ranks are swapped */
    for (int i = 0; i < COMMS; ++i) {
        MPI_Send(&i, 1, MPI_INT, to[i], 5, comm[i]);
    }
    for (int i = COMMS - 1; i >= 0; --i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm[i], &status);
        EXPECT(value == i && status.MPI_SOURCE == to[i] && status.MPI_TAG == 5);
    }
    for (int i = 0; i < COMMS; ++i) {
        MPI_Comm_free(&comm[i]);
    }
}

static void merged(void) {
    MPI_Comm all;
    int value = -1;
    int sum = 0;
    int here = -1;
    MPI_Intercomm_merge(across, !first, &all);
    MPI_Comm_rank(all, &here);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all);
    EXPECT(sum == size * (size - 1) / 2);
    const int there = (here + size / 2) % size; /* the even ones come first */
    MPI_Sendrecv(&rank, 1, MPI_INT, there, 6, &value, 1, MPI_INT, there, 6, all, MPI_STATUS_IGNORE);
    EXPECT(value == peer);
    MPI_Comm_free(&all);
}

int main(int argc, char **argv) {
    MPI_Comm side;
    pair_begin(&argc, &argv);
    claims = argc == 1 || strcmp(argv[1], "without-claims") != 0;
    MPI_Comm_split(MPI_COMM_WORLD, first, rank, &side);
    MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, first ? 1 : 0, 77, &across);
    other = rank / 2;
    over_there(EAGER);
    over_there(RENDEZVOUS);
    MPI_Barrier(MPI_COMM_WORLD);
    kept_apart();
    MPI_Barrier(MPI_COMM_WORLD);
    merged();
    MPI_Comm_free(&across);
    MPI_Comm_free(&side);
    return pair_end("groups");
}
