/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of a rank's record, and the table of the real MPI calls. */
#define _GNU_SOURCE
#include "tmu_record.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tmu_real tmu_real;

static void *behind_us(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "tmu recorder: this MPI library has no %s\n", name);
        abort();
    }
    return found;
}

__attribute__((constructor)) static void resolve(void) {
    void *found;
#define TMU_RESOLVE(name)                                                                          \
    found = behind_us("PMPI_" #name);                                                              \
    memcpy(&tmu_real.name, &found, sizeof found);
    TMU_CALLS(TMU_RESOLVE)
#undef TMU_RESOLVE
}

static void note_machine(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    tmu_note("program %s", program_invocation_short_name);
    if (gethostname(text, sizeof text) == 0)
        tmu_note("host %s", text);
    PMPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    tmu_note("library %s", text);
}

static void start(void) {
    const char *folder = getenv("TMU_RECORD_DIR");
    MPI_Comm parent = MPI_COMM_NULL;
    int rank = 0;
    int size = 0;
    if (!folder)
        return;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        fputs("tmu recorder: spawned processes are not recorded\n", stderr);
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!tmu_log_open(folder, rank))
        return;
    tmu_note("world %d %d", rank, size);
    note_machine();
    tmu_comms_start();
    /* Ranks that start late would otherwise show as gaps of seconds in the trace. */
    tmu_real.Barrier(MPI_COMM_WORLD);
    tmu_collectives_start();
}

int MPI_Init(int *argc, char ***argv) {
    int result = tmu_real.Init(argc, argv);
    if (result == MPI_SUCCESS)
        start();
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int result = tmu_real.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        start();
    return result;
}

int MPI_Finalize(void) {
    tmu_note("finalized");
    int result = tmu_real.Finalize();
    tmu_log_close();
    return result;
}

TMU_ALSO_PMPI(Init);
TMU_ALSO_PMPI(Init_thread);
TMU_ALSO_PMPI(Finalize);
