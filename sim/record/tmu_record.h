/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's log and the few services that its wrappers share.
 *
 * A rank writes two files into its job's folder below the one that TMU_RECORD_DIR names:
 *   rank-<world rank>.log  fixed 64-byte records in the order in which the rank made its calls;
 *   rank-<world rank>.txt  facts a line each: size, host, communicators, what was not recorded.
 * Python (sim/opentmu/record/log.py) reads both; TMU_LOG_VERSION changes whenever either does.
 */
#ifndef TMU_RECORD_H
#define TMU_RECORD_H

#include <mpi.h>
#ifndef OPEN_MPI
#error "The recorder keeps handles in tables by address, which is how Open MPI makes them."
#endif
#include <stdbool.h>
#include <stdint.h>

enum { TMU_LOG_VERSION = 2 };

enum tmu_kind {
    TMU_UNUSED = 0, /* the rest of the last mapped piece of the file */
    TMU_SEND = 1,   /* stamped before the send is handed to MPI */
    TMU_POST = 2,   /* stamped before the receive is handed to MPI */
    TMU_DONE = 3,   /* the caller was told that receive `id` completed */
    TMU_PROBE = 4,  /* stamped when MPI has answered, as are claims and cancels */
    TMU_CLAIM = 5,
    TMU_CANCEL = 6,     /* `id` is the receive's; its TMU_DONE says which side won */
    TMU_FREE = 7,       /* receive `id` was let go unfinished: nobody will see its end */
    TMU_COLLECTIVE = 8, /* entered: `tag` is the call, `peer` the root; its TMU_DONE is the end */
    TMU_PART = 9,       /* of collective `id`: what it sends to `peer` */
};

enum tmu_flag {
    TMU_ANY_SOURCE = 1,
    TMU_ANY_TAG = 2,
    TMU_HIT = 4, /* probe and claim: found_peer, found_tag and bytes describe the message */
    TMU_CANCELLED = 8,
    TMU_TRUNCATED = 16,
    TMU_WAITED_FOR = 32, /* a collective with a request: others may begin before it ends */
};

/* Collectives by what their messages look like. */
enum tmu_call {
    TMU_CALL_BARRIER = 1,
    TMU_CALL_BCAST = 2,
    TMU_CALL_REDUCE = 3,
    TMU_CALL_ALLREDUCE = 4,
    TMU_CALL_SCAN = 5, /* and exscan */
    TMU_CALL_GATHER = 6,
    TMU_CALL_GATHERV = 7,
    TMU_CALL_SCATTER = 8,
    TMU_CALL_SCATTERV = 9,
    TMU_CALL_ALLGATHER = 10, /* and allgatherv */
    TMU_CALL_ALLTOALL = 11,  /* and reduce_scatter_block */
    TMU_CALL_ALLTOALLV = 12, /* and alltoallw, reduce_scatter */
};

struct tmu_entry {
    uint64_t time;  /* CLOCK_MONOTONIC, nanoseconds; comparable between the ranks of one machine */
    uint64_t id;    /* receive's number on this rank, from 1; 0 where none applies */
    uint64_t bytes; /* buffer's size (post) or message's (send, done, hit) */
    uint64_t repeats; /* identical missed probes in a row that this record stands for */
    int32_t kind;
    int32_t comm; /* this rank's number of the communicator, see the .txt file */
    int32_t peer; /* rank in the communicator (the remote group's in an intercommunicator) */
    int32_t tag;
    int32_t found_peer;
    int32_t found_tag;
    int32_t flags;
    int32_t reserved;
};

/* Every call that is wrapped. The real ones are looked up behind us in the link order. */
/* clang-format off */
#define TMU_CALLS(X) \
    X(Init) X(Init_thread) X(Finalize) \
    X(Send) X(Bsend) X(Ssend) X(Rsend) X(Isend) X(Ibsend) X(Issend) X(Irsend) \
    X(Send_init) X(Bsend_init) X(Ssend_init) X(Rsend_init) X(Recv_init) X(Start) X(Startall) \
    X(Recv) X(Irecv) X(Sendrecv) X(Sendrecv_replace) \
    X(Probe) X(Iprobe) X(Mprobe) X(Improbe) \
    X(Wait) X(Waitall) X(Waitany) X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome) \
    X(Cancel) X(Request_free) X(Request_get_status) \
    X(Comm_dup) X(Comm_dup_with_info) X(Comm_idup) X(Comm_split) X(Comm_split_type) \
    X(Comm_create) X(Comm_create_group) X(Cart_create) X(Cart_sub) X(Graph_create) \
    X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) \
    X(Comm_free) X(Comm_disconnect) \
    X(Comm_spawn) X(Comm_spawn_multiple) X(Comm_accept) X(Comm_connect) X(Comm_join) \
    X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Scan) X(Exscan) X(Gather) X(Gatherv) \
    X(Scatter) X(Scatterv) X(Allgather) X(Allgatherv) X(Alltoall) X(Alltoallv) X(Alltoallw) \
    X(Reduce_scatter) X(Reduce_scatter_block) \
    X(Ibarrier) X(Ibcast) X(Ireduce) X(Iallreduce) X(Iscan) X(Iexscan) X(Igather) X(Igatherv) \
    X(Iscatter) X(Iscatterv) X(Iallgather) X(Iallgatherv) X(Ialltoall) X(Ialltoallv) \
    X(Ialltoallw) X(Ireduce_scatter) X(Ireduce_scatter_block)
/* clang-format on */

struct tmu_real {
#define TMU_MEMBER(name) __typeof__(&MPI_##name) name;
    TMU_CALLS(TMU_MEMBER)
#undef TMU_MEMBER
};
extern struct tmu_real tmu_real;

/*
 * Open MPI's Fortran libraries call the PMPI_ names, so each wrapper answers to both names.
 * Stands after the wrapper's definition.
 */
#define TMU_ALSO_PMPI(name)                                                                        \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)))

/* tmu_log.c */
bool tmu_log_open(const char *folder, int rank);
void tmu_log_close(void);
bool tmu_log_active(void);
uint64_t tmu_log_now(void);
void tmu_log_add(const struct tmu_entry *entry);  /* fills in the time */
void tmu_log_miss(const struct tmu_entry *entry); /* the same, joined to an identical last record */
void tmu_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void tmu_note_call(const char *call); /* a call whose effects the trace cannot show */

/* tmu_comms.c */
void tmu_comms_start(void);
int tmu_comm_number(MPI_Comm comm);

/* tmu_collectives.c */
void tmu_collectives_start(void);

/* tmu_requests.c: receives, and collectives, by request handle */
uint64_t tmu_new_id(void);
struct tmu_entry tmu_pattern(int kind, MPI_Comm comm, int source, int tag);
uint64_t tmu_post(MPI_Comm comm, int source, int tag, uint64_t bytes);
void tmu_done(uint64_t id, const MPI_Status *status, int error);
void tmu_request_add(MPI_Request request, uint64_t id);
void tmu_request_forget(MPI_Request request);

/* tmu_persistent.c */
struct tmu_persistent {
    bool send;
    int peer, tag;
    MPI_Comm comm;
    uint64_t bytes;
    uint64_t id; /* the receive of the present start, 0 between starts */
};
struct tmu_persistent *tmu_persistent_find(MPI_Request request);
void tmu_persistent_forget(MPI_Request request);

/* tmu_sends.c */
void tmu_send(MPI_Comm comm, int dest, int tag, uint64_t bytes);
uint64_t tmu_bytes(int count, MPI_Datatype type);

#endif
