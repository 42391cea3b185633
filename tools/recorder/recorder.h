/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The recorder's log and the few services that its wrappers share.
 *
 * A rank writes two files into its job's folder below the one that TMU_RECORD_DIR names:
 *   rank-<world rank>.log  fixed 64-byte records in the order in which the rank made its calls;
 *   rank-<world rank>.txt  facts a line each: size, host, communicators, what was not recorded.
 * Python (tools/opentmu/record/log.py) reads both; REC_LOG_VERSION changes whenever either does.
 */
#ifndef REC_RECORDER_H
#define REC_RECORDER_H

#include <mpi.h>
#ifndef OPEN_MPI
#error "The recorder keeps handles in tables by address, which is how Open MPI makes them."
#endif
#include <stdbool.h>
#include <stdint.h>

enum { REC_LOG_VERSION = 2 };

enum rec_kind {
    REC_UNUSED = 0, /* the rest of the last mapped piece of the file */
    REC_SEND = 1,   /* stamped before the send is handed to MPI */
    REC_POST = 2,   /* stamped before the receive is handed to MPI */
    REC_DONE = 3,   /* the caller was told that receive `id` completed */
    REC_PROBE = 4,  /* stamped when MPI has answered, as are claims and cancels */
    REC_CLAIM = 5,
    REC_CANCEL = 6,     /* `id` is the receive's; its REC_DONE says which side won */
    REC_FREE = 7,       /* receive `id` was let go unfinished: nobody will see its end */
    REC_COLLECTIVE = 8, /* entered: `tag` is the call, `peer` the root; its REC_DONE is the end */
    REC_PART = 9,       /* of collective `id`: what it sends to `peer` */
};

enum rec_flag {
    REC_ANY_SOURCE = 1,
    REC_ANY_TAG = 2,
    REC_HIT = 4, /* probe and claim: found_peer, found_tag and bytes describe the message */
    REC_CANCELLED = 8,
    REC_TRUNCATED = 16,
    REC_WAITED_FOR = 32, /* a collective with a request: others may begin before it ends */
};

/* Collectives by what their messages look like. */
enum rec_call {
    REC_CALL_BARRIER = 1,
    REC_CALL_BCAST = 2,
    REC_CALL_REDUCE = 3,
    REC_CALL_ALLREDUCE = 4,
    REC_CALL_SCAN = 5, /* and exscan */
    REC_CALL_GATHER = 6,
    REC_CALL_GATHERV = 7,
    REC_CALL_SCATTER = 8,
    REC_CALL_SCATTERV = 9,
    REC_CALL_ALLGATHER = 10, /* and allgatherv */
    REC_CALL_ALLTOALL = 11,  /* and reduce_scatter_block */
    REC_CALL_ALLTOALLV = 12, /* and alltoallw, reduce_scatter */
};

struct rec_entry {
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
#define REC_CALLS(X) \
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

struct rec_real {
#define REC_MEMBER(name) __typeof__(&MPI_##name) name;
    REC_CALLS(REC_MEMBER)
#undef REC_MEMBER
};
extern struct rec_real rec_real;

/*
 * Open MPI's Fortran libraries call the PMPI_ names, so each wrapper answers to both names.
 * Stands after the wrapper's definition.
 */
#define REC_ALSO_PMPI(name)                                                                        \
    extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name)))

/* rec_log.c */
bool rec_log_open(const char *folder, int rank);
void rec_log_close(void);
bool rec_log_active(void);
uint64_t rec_log_now(void);
void rec_log_add(const struct rec_entry *entry);  /* fills in the time */
void rec_log_miss(const struct rec_entry *entry); /* the same, joined to an identical last record */
void rec_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void rec_note_call(const char *call); /* a call whose effects the trace cannot show */

/* rec_comms.c */
void rec_comms_start(void);
int rec_comm_number(MPI_Comm comm);

/* rec_collectives.c */
void rec_collectives_start(void);

/* rec_requests.c: receives, and collectives, by request handle */
uint64_t rec_new_id(void);
struct rec_entry rec_pattern(int kind, MPI_Comm comm, int source, int tag);
uint64_t rec_post(MPI_Comm comm, int source, int tag, uint64_t bytes);
void rec_done(uint64_t id, const MPI_Status *status, int error);
void rec_request_add(MPI_Request request, uint64_t id);
void rec_request_forget(MPI_Request request);

/* rec_persistent.c */
struct rec_persistent {
    bool send;
    int peer, tag;
    MPI_Comm comm;
    uint64_t bytes;
    uint64_t id; /* the receive of the present start, 0 between starts */
};
struct rec_persistent *rec_persistent_find(MPI_Request request);
void rec_persistent_forget(MPI_Request request);

/* rec_sends.c */
void rec_send(MPI_Comm comm, int dest, int tag, uint64_t bytes);
uint64_t rec_bytes(int count, MPI_Datatype type);

#endif
