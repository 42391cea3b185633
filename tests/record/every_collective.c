/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every collective call, blocking and with a request, on MPI_COMM_WORLD and on one half of it, with
 * the program's own wildcard receives pending meanwhile.
 *
 * Rank r contributes (r + 1) ints where ranks may differ.
 */
#include <mpi.h>
#include <stdlib.h>

enum { ROOM = 4096, RANKS_MAX = 16 };

static int out[ROOM];
static int in[ROOM];
static int mine[RANKS_MAX];   /* what each rank contributes */
static int starts[RANKS_MAX]; /* index of its first in a vector */
static int same[RANKS_MAX];   /* what this rank sends to each in a vector exchange */
static int offsets[RANKS_MAX];
static int byte_starts[RANKS_MAX];
static MPI_Datatype types[RANKS_MAX];

static void sizes(int ranks, int rank) {
    int at = 0;
    for (int i = 0; i < ranks; i++) {
        mine[i] = i + 1;
        starts[i] = at;
        at += i + 1;
        same[i] = rank + 1; /* to everyone alike, so from rank i come i + 1 */
        offsets[i] = i * RANKS_MAX;
        byte_starts[i] = i * RANKS_MAX * (int)sizeof(int);
        types[i] = MPI_INT;
    }
}

static void blocking(MPI_Comm comm) {
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    sizes(ranks, rank);
    int root = ranks - 1;
    MPI_Barrier(comm);
    MPI_Bcast(out, 3, MPI_INT, root, comm);
    MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, root, comm);
    MPI_Allreduce(MPI_IN_PLACE, in, 7, MPI_INT, MPI_SUM, comm);
    MPI_Scan(out, in, 9, MPI_INT, MPI_SUM, comm);
    MPI_Exscan(out, in, 11, MPI_INT, MPI_SUM, comm);
    MPI_Gather(out, 13, MPI_INT, in, 13, MPI_INT, root, comm);
    MPI_Gatherv(out, mine[rank], MPI_INT, in, mine, starts, MPI_INT, root, comm);
    MPI_Scatter(out, 17, MPI_INT, in, 17, MPI_INT, root, comm);
    MPI_Scatterv(out, mine, starts, MPI_INT, in, mine[rank], MPI_INT, root, comm);
    MPI_Allgather(out, 19, MPI_INT, in, 19, MPI_INT, comm);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, in, mine, starts, MPI_INT, comm);
    MPI_Alltoall(out, 23, MPI_INT, in, 23, MPI_INT, comm);
    MPI_Alltoallv(out, same, offsets, MPI_INT, in, mine, offsets, MPI_INT, comm);
    MPI_Alltoallw(out, same, byte_starts, types, in, mine, byte_starts, types, comm);
    MPI_Reduce_scatter(out, in, mine, MPI_INT, MPI_SUM, comm);
    MPI_Reduce_scatter_block(out, in, 29, MPI_INT, MPI_SUM, comm);
}

/* Two at a time, of which the younger one is waited for first. */
static void overlapping(MPI_Comm comm) {
    static int more[ROOM];
    MPI_Request older, younger;
    int ranks, rank;
    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    sizes(ranks, rank);
    MPI_Ibcast(out, 31, MPI_INT, 0, comm, &older);
    MPI_Ibarrier(comm, &younger);
    MPI_Wait(&younger, MPI_STATUS_IGNORE);
    MPI_Wait(&older, MPI_STATUS_IGNORE);
    MPI_Iallreduce(out, in, 37, MPI_INT, MPI_SUM, comm, &older);
    MPI_Igatherv(out, mine[rank], MPI_INT, more, mine, starts, MPI_INT, 0, comm, &younger);
    MPI_Wait(&younger, MPI_STATUS_IGNORE);
    MPI_Wait(&older, MPI_STATUS_IGNORE);
    MPI_Ialltoallv(out, same, offsets, MPI_INT, in, mine, offsets, MPI_INT, comm, &older);
    MPI_Wait(&older, MPI_STATUS_IGNORE);
    MPI_Iallgather(out, 41, MPI_INT, in, 41, MPI_INT, comm, &older);
    MPI_Wait(&older, MPI_STATUS_IGNORE);
}

/* On an intercommunicator, in which some ranks have no part. */
static void between(MPI_Comm half, MPI_Comm peers, int rank) {
    MPI_Comm both;
    /* The first of each half is the last of its ranks in the world. */
    MPI_Intercomm_create(half, 0, peers, rank % 2 == 0 ? 3 : 4, 7, &both);
    int half_rank;
    MPI_Comm_rank(half, &half_rank);
    if (rank % 2 == 1) {
        MPI_Bcast(out, 3, MPI_INT, 0, both);
    } else if (half_rank == 0) {
        MPI_Bcast(out, 3, MPI_INT, MPI_ROOT, both);
    } else {
        MPI_Bcast(NULL, 0, MPI_INT, MPI_PROC_NULL, both);
    }
    MPI_Barrier(both);
    MPI_Comm_free(&both);
}

int main(int argc, char **argv) {
    int rank, ranks, word = 0, caught = 0;
    MPI_Comm half, peers;
    MPI_Request wildcard;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks > RANKS_MAX) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &peers); /* where the wildcard takes nothing of the library's */
    MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &wildcard);
    blocking(MPI_COMM_WORLD);
    overlapping(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    blocking(half);
    if (ranks == 5) {
        between(half, peers, rank);
    }
    MPI_Send(&word, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD);
    MPI_Wait(&wildcard, MPI_STATUS_IGNORE);
    MPI_Comm_free(&half);
    MPI_Comm_free(&peers);
    MPI_Finalize();
    return 0;
}
