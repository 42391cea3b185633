/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each rank sends one message to its right neighbour by Open MPI's Fortran bindings, called as a
 * Fortran compiler would call them, so that the test needs no such compiler.
 */
#include <mpi.h>

void mpi_init_(MPI_Fint *error);
void mpi_finalize_(MPI_Fint *error);
void mpi_send_(const void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *dest, MPI_Fint *tag,
               MPI_Fint *comm, MPI_Fint *error);
void mpi_irecv_(void *buffer, MPI_Fint *count, MPI_Fint *type, MPI_Fint *source, MPI_Fint *tag,
                MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error);
void mpi_wait_(MPI_Fint *request, MPI_Fint *status, MPI_Fint *error);

int main(void) {
    int rank = 0;
    int size = 0;
    MPI_Fint error = 0;
    mpi_init_(&error);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Fint comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    MPI_Fint type = MPI_Type_c2f(MPI_INT);
    MPI_Fint one = 1;
    MPI_Fint tag = 7;
    MPI_Fint any = MPI_ANY_SOURCE;
    MPI_Fint right = (rank + 1) % size;
    MPI_Fint request = 0;
    MPI_Fint status[sizeof(MPI_Status) / sizeof(MPI_Fint)];
    int in = -1;
    mpi_irecv_(&in, &one, &type, &any, &tag, &comm, &request, &error);
    mpi_send_(&rank, &one, &type, &right, &tag, &comm, &error);
    mpi_wait_(&request, status, &error);
    if (in != (rank + size - 1) % size) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    mpi_finalize_(&error);
    return 0;
}
