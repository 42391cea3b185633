/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared functions of this folder's programs.  Each program takes an even number of ranks, pairs
 * rank 2n with rank 2n+1, checks one part of what MPI says about messages, and ends with 1 where
 * an answer is wrong; rank 0 says so when all were right.
 */
#ifndef PAIR_H
#define PAIR_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EAGER = 4, RENDEZVOUS = 1 << 16 }; /* integers that travel at once, and on demand */

static int rank;
static int size;
static int peer;
static int first; /* of the pair */
static int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ++wrong;                                                                               \
            fprintf(stderr, "%s: rank %d, line %d: not so: %s\n", __FILE__, rank, __LINE__,        \
                    #condition);                                                                   \
        }                                                                                          \
    } while (0)

static inline void pair_begin(int *argc, char ***argv) {
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    peer = rank ^ 1;
    first = rank % 2 == 0;
    if (size % 2 != 0) {
        fprintf(stderr, "found %d ranks, expected an even number\n", size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static inline int pair_end(const char *name) {
    int all = 0;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) {
        printf("%s: all right on %d ranks\n", name, size);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}

/* Both of the pair are here, and what each sent before has arrived: messages are in order. */
static inline void meet(void) {
    int here = 0;
    MPI_Sendrecv_replace(&here, 1, MPI_INT, peer, 9999, peer, 9999, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static inline int *integers(int count, int value) {
    int *made = malloc((size_t)count * sizeof *made);
    if (!made) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < count; ++i) {
        made[i] = value + i;
    }
    return made;
}

static inline int count_of(const MPI_Status *status) {
    int count = -1;
    MPI_Get_count(status, MPI_INT, &count);
    return count;
}

#endif
