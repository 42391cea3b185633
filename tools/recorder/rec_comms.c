/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators. Each rank numbers its own and notes how each came to be:
 *   comm <number> <how> <parent> <ordinal> <tag> <own rank> <members> <remote members>
 * with members as world ranks. MPI demands that all members make their collective calls on a
 * communicator in one order, so (parent, ordinal of the call on it) names the same communicator
 * on every rank, and no message has to be sent to agree. Where a call is not collective over the
 * parent, the members and the tag stand for the ordinal.
 */
#define _GNU_SOURCE
#include "rec_table.h"
#include "recorder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct comm {
    int number;
    int calls; /* collective creations made on it so far */
    int rank;
    char *members; /* world ranks, comma separated */
    char *remote;  /* "-" in an intracommunicator */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct rec_table comms;
static int comm_count;
static MPI_Group world_group;

static struct comm *lookup(MPI_Comm comm) {
    pthread_mutex_lock(&lock);
    struct comm *known = rec_table_get(&comms, comm);
    pthread_mutex_unlock(&lock);
    return known;
}

/* -1: made by a call that is not wrapped; what uses it is left out of the trace and counted. */
int rec_comm_number(MPI_Comm comm) {
    const struct comm *known = lookup(comm);
    return known ? known->number : -1;
}

/* A rank outside this MPI_COMM_WORLD (a spawned one) is written as -1. */
static char *world_ranks(MPI_Group group) {
    int size = 0;
    PMPI_Group_size(group, &size);
    char *text = malloc((size_t)size * 12 + 2);
    if (!text) {
        abort();
    }
    int used = sprintf(text, "%s", size ? "" : "-");
    for (int i = 0; i < size; i++) {
        int world = -1;
        PMPI_Group_translate_ranks(group, 1, &i, world_group, &world);
        used += sprintf(text + used, "%s%d", i ? "," : "", world == MPI_UNDEFINED ? -1 : world);
    }
    return text;
}

static void describe(struct comm *made, MPI_Comm comm) {
    MPI_Group group;
    int inter = 0;
    PMPI_Comm_rank(comm, &made->rank);
    PMPI_Comm_group(comm, &group);
    made->members = world_ranks(group);
    PMPI_Group_free(&group);
    PMPI_Comm_test_inter(comm, &inter);
    if (inter) {
        PMPI_Comm_remote_group(comm, &group);
        made->remote = world_ranks(group);
        PMPI_Group_free(&group);
    } else {
        made->remote = strdup("-");
    }
}

/* `like` is set for a duplicate, whose handle may not be asked yet (MPI_Comm_idup). */
static void add(MPI_Comm comm, const char *how, int parent, int ordinal, int tag,
                const struct comm *like) {
    struct comm *made = calloc(1, sizeof *made);
    if (!made) {
        abort();
    }
    if (like) {
        made->rank = like->rank;
        made->members = strdup(like->members);
        made->remote = strdup(like->remote);
    } else {
        describe(made, comm);
    }
    pthread_mutex_lock(&lock);
    made->number = comm_count++;
    rec_table_put(&comms, comm, made);
    pthread_mutex_unlock(&lock);
    rec_note("comm %d %s %d %d %d %d %s %s", made->number, how, parent, ordinal, tag, made->rank,
             made->members, made->remote);
}

void rec_comms_start(void) {
    PMPI_Comm_group(MPI_COMM_WORLD, &world_group);
    add(MPI_COMM_WORLD, "world", -1, 0, 0, NULL);
    add(MPI_COMM_SELF, "self", -1, 0, 0, NULL);
}

/* Counts the call even where it gave this rank no communicator: the other members count it. */
static int made_on(MPI_Comm parent, const char *how, bool same_members, MPI_Comm *made,
                   int result) {
    struct comm *from = rec_log_active() ? lookup(parent) : NULL;
    if (!from || result != MPI_SUCCESS) {
        return result;
    }
    int ordinal = from->calls++;
    if (*made != MPI_COMM_NULL) {
        add(*made, how, from->number, ordinal, 0, same_members ? from : NULL);
    }
    return result;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm *made) {
    return made_on(comm, "dup", true, made, rec_real.Comm_dup(comm, made));
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *made) {
    return made_on(comm, "dup", true, made, rec_real.Comm_dup_with_info(comm, info, made));
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *made, MPI_Request *request) {
    return made_on(comm, "dup", true, made, rec_real.Comm_idup(comm, made, request));
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) {
    return made_on(comm, "split", false, made, rec_real.Comm_split(comm, color, key, made));
}

int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made) {
    int result = rec_real.Comm_split_type(comm, type, key, info, made);
    return made_on(comm, "split", false, made, result);
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made) {
    return made_on(comm, "create", false, made, rec_real.Comm_create(comm, group, made));
}

int MPI_Cart_create(MPI_Comm comm, int dims, const int size[], const int periods[], int reorder,
                    MPI_Comm *made) {
    int result = rec_real.Cart_create(comm, dims, size, periods, reorder, made);
    return made_on(comm, "cart", false, made, result);
}

int MPI_Cart_sub(MPI_Comm comm, const int remain[], MPI_Comm *made) {
    return made_on(comm, "cart", false, made, rec_real.Cart_sub(comm, remain, made));
}

int MPI_Graph_create(MPI_Comm comm, int nodes, const int index[], const int edges[], int reorder,
                     MPI_Comm *made) {
    int result = rec_real.Graph_create(comm, nodes, index, edges, reorder, made);
    return made_on(comm, "graph", false, made, result);
}

int MPI_Dist_graph_create(MPI_Comm comm, int n, const int nodes[], const int degrees[],
                          const int targets[], const int weights[], MPI_Info info, int reorder,
                          MPI_Comm *made) {
    int result =
        rec_real.Dist_graph_create(comm, n, nodes, degrees, targets, weights, info, reorder, made);
    return made_on(comm, "graph", false, made, result);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[],
                                   const int source_weights[], int outdegree, const int targets[],
                                   const int target_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *made) {
    int result =
        rec_real.Dist_graph_create_adjacent(comm, indegree, sources, source_weights, outdegree,
                                            targets, target_weights, info, reorder, made);
    return made_on(comm, "graph", false, made, result);
}

int MPI_Intercomm_merge(MPI_Comm comm, int high, MPI_Comm *made) {
    return made_on(comm, "merge", false, made, rec_real.Intercomm_merge(comm, high, made));
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made) {
    int result = rec_real.Comm_create_group(comm, group, tag, made);
    if (rec_log_active() && result == MPI_SUCCESS && *made != MPI_COMM_NULL) {
        add(*made, "group", rec_comm_number(comm), 0, tag, NULL);
    }
    return result;
}

int MPI_Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader,
                         int tag, MPI_Comm *made) {
    int result = rec_real.Intercomm_create(local, local_leader, peer, remote_leader, tag, made);
    if (rec_log_active() && result == MPI_SUCCESS && *made != MPI_COMM_NULL) {
        add(*made, "inter", -1, 0, tag, NULL);
    }
    return result;
}

static void forget(MPI_Comm comm) {
    pthread_mutex_lock(&lock);
    struct comm *known = rec_table_remove(&comms, comm);
    pthread_mutex_unlock(&lock);
    if (known) {
        free(known->members);
        free(known->remote);
        free(known);
    }
}

/* Forgotten before the call: another thread may be given the same handle right after it. */
int MPI_Comm_free(MPI_Comm *comm) {
    if (rec_log_active()) {
        forget(*comm);
    }
    return rec_real.Comm_free(comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm) {
    if (rec_log_active()) {
        forget(*comm);
    }
    return rec_real.Comm_disconnect(comm);
}

/* Communicators with processes outside MPI_COMM_WORLD: those have no endpoint in the trace. */
int MPI_Comm_spawn(const char *command, char *argv[], int processes, MPI_Info info, int root,
                   MPI_Comm comm, MPI_Comm *made, int codes[]) {
    rec_note_call("MPI_Comm_spawn");
    return rec_real.Comm_spawn(command, argv, processes, info, root, comm, made, codes);
}

int MPI_Comm_spawn_multiple(int count, char *commands[], char **argvs[], const int processes[],
                            const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *made,
                            int codes[]) {
    rec_note_call("MPI_Comm_spawn_multiple");
    return rec_real.Comm_spawn_multiple(count, commands, argvs, processes, infos, root, comm, made,
                                        codes);
}

int MPI_Comm_accept(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made) {
    rec_note_call("MPI_Comm_accept");
    return rec_real.Comm_accept(port, info, root, comm, made);
}

int MPI_Comm_connect(const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made) {
    rec_note_call("MPI_Comm_connect");
    return rec_real.Comm_connect(port, info, root, comm, made);
}

int MPI_Comm_join(int socket, MPI_Comm *made) {
    rec_note_call("MPI_Comm_join");
    return rec_real.Comm_join(socket, made);
}

REC_ALSO_PMPI(Comm_dup);
REC_ALSO_PMPI(Comm_dup_with_info);
REC_ALSO_PMPI(Comm_idup);
REC_ALSO_PMPI(Comm_split);
REC_ALSO_PMPI(Comm_split_type);
REC_ALSO_PMPI(Comm_create);
REC_ALSO_PMPI(Comm_create_group);
REC_ALSO_PMPI(Cart_create);
REC_ALSO_PMPI(Cart_sub);
REC_ALSO_PMPI(Graph_create);
REC_ALSO_PMPI(Dist_graph_create);
REC_ALSO_PMPI(Dist_graph_create_adjacent);
REC_ALSO_PMPI(Intercomm_create);
REC_ALSO_PMPI(Intercomm_merge);
REC_ALSO_PMPI(Comm_free);
REC_ALSO_PMPI(Comm_disconnect);
REC_ALSO_PMPI(Comm_spawn);
REC_ALSO_PMPI(Comm_spawn_multiple);
REC_ALSO_PMPI(Comm_accept);
REC_ALSO_PMPI(Comm_connect);
REC_ALSO_PMPI(Comm_join);
