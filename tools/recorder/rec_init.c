/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of a rank's record, and the table of the real MPI calls. */
#define _GNU_SOURCE
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rec_real rec_real;

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
#define REC_RESOLVE(name)                                                                          \
    found = behind_us("PMPI_" #name);                                                              \
    memcpy(&rec_real.name, &found, sizeof found);
    REC_CALLS(REC_RESOLVE)
#undef REC_RESOLVE
}

static void note_machine(void) {
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    rec_note("program %s", program_invocation_short_name);
    if (gethostname(text, sizeof text) == 0) {
        rec_note("host %s", text);
    }
    PMPI_Get_library_version(text, &length);
    text[strcspn(text, "\n")] = '\0';
    rec_note("library %s", text);
}

static void start(void) {
    const char *folder = getenv("TMU_RECORD_DIR");
    MPI_Comm parent = MPI_COMM_NULL;
    int rank = 0;
    int size = 0;
    if (!folder) {
        return;
    }
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        fputs("tmu recorder: spawned processes are not recorded\n", stderr);
        return;
    }
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!rec_log_open(folder, rank)) {
        return;
    }
    rec_note("world %d %d", rank, size);
    note_machine();
    rec_comms_start();
    /* Ranks that start late would otherwise show as gaps of seconds in the trace. */
    rec_real.Barrier(MPI_COMM_WORLD);
    rec_collectives_start();
}

int MPI_Init(int *argc, char ***argv) {
    int result = rec_real.Init(argc, argv);
    if (result == MPI_SUCCESS) {
        start();
    }
    return result;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
    int result = rec_real.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS) {
        start();
    }
    return result;
}

int MPI_Finalize(void) {
    rec_note("finalized");
    int result = rec_real.Finalize();
    rec_log_close();
    return result;
}

REC_ALSO_PMPI(Init);
REC_ALSO_PMPI(Init_thread);
REC_ALSO_PMPI(Finalize);
