/* SPDX-License-Identifier: Apache-2.0
 *
 * Each rank sends to the next one, in growing messages, and checks every byte that it gets.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 1 << 18, TAGS = 64 };

static unsigned char sent[LONGEST];
static unsigned char got[LONGEST];

static unsigned char byte_of(int rank, int bytes, int at) {
    return (unsigned char)(7 * at + rank + bytes + (at >> 8));
}

static int wrong_bytes(int rank, int ranks, int bytes) {
    const int from = (rank + ranks - 1) % ranks;
    MPI_Request requests[2];
    int wrong = 0;
    for (int i = 0; i < bytes; i++) {
        sent[i] = byte_of(rank, bytes, i);
    }
    MPI_Irecv(got, bytes, MPI_BYTE, from, bytes % TAGS, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(sent, bytes, MPI_BYTE, (rank + 1) % ranks, bytes % TAGS, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < bytes; i++) {
        wrong += got[i] != byte_of(from, bytes, i);
    }
    return wrong;
}

int main(int count, char **values) {
    int rank = 0;
    int ranks = 0;
    int wrong = 0;
    int total = 0;
    MPI_Init(&count, &values);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int bytes = 0; bytes <= LONGEST; bytes = bytes > 0 ? 4 * bytes : 1) {
        wrong += wrong_bytes(rank, ranks, bytes);
    }
    MPI_Allreduce(&wrong, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        (void)fprintf(stderr, "%d bytes are wrong on %d ranks\n", total, ranks);
    }
    MPI_Finalize();
    return total == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
