/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads of each rank exchange messages with the neighbours at the same time. */
#include <mpi.h>
#include <pthread.h>

enum { ROUNDS = 200 };

static int rank;
static int size;

static void *exchange(void *tag_p) {
    int tag = *(const int *)tag_p;
    for (int i = 0; i < ROUNDS; i++) {
        int in = -1;
        MPI_Request request;
        MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
        MPI_Send(&i, 1, MPI_INT, (rank + 1) % size, tag, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (in != i) {
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided = 0;
    int tags[2] = {1, 2};
    pthread_t second;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (provided != MPI_THREAD_MULTIPLE || pthread_create(&second, NULL, exchange, &tags[1]) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    exchange(&tags[0]);
    pthread_join(second, NULL);
    MPI_Finalize();
    return 0;
}
