/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program that asks for every kind of matching and checks each answer; it takes any number
 * of ranks, and pairs rank 2n with rank 2n+1.  Ends with 1 where an answer is wrong.
 * An argument changes the number of rounds of small messages; with a second one they end sooner,
 * as soon as a file of that name exists.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG_INTS (1 << 18) /* 1 MiB */

static int rank;
static int peer;
static int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ++wrong;                                                                               \
            fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, __LINE__, #condition);         \
        }                                                                                          \
    } while (0)

static void sync_pair(void) {
    char byte = 0;
    MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, peer, 999, peer, 999, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
}

static void out_of_order(void) {
    int value[8];
    for (int i = 0; i < 8; ++i) {
        int sent = 100 * rank + i;
        MPI_Send(&sent, 1, MPI_INT, peer, i, MPI_COMM_WORLD);
    }
    sync_pair();
    for (int i = 7; i >= 0; --i) {
        MPI_Status status;
        MPI_Recv(&value[i], 1, MPI_INT, peer, i, MPI_COMM_WORLD, &status);
        EXPECT(value[i] == 100 * peer + i && status.MPI_TAG == i && status.MPI_SOURCE == peer);
    }
}

/* Receives are there first, with every kind of wildcard; the oldest that fits gets the message. */
static void wildcards(void) {
    static const int sources_any[4] = {0, 1, 0, 1};
    static const int tags_any[4] = {0, 0, 1, 1};
    int value[4] = {-1, -1, -1, -1};
    MPI_Request request[4];
    MPI_Status status[4];
    for (int i = 0; i < 4; ++i) {
        MPI_Irecv(&value[i], 1, MPI_INT, sources_any[i] ? MPI_ANY_SOURCE : peer,
                  tags_any[i] ? MPI_ANY_TAG : 20, MPI_COMM_WORLD, &request[i]);
    }
    /* With collectives the library uses negative tags, which no wildcard may catch. */
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; ++i) {
        MPI_Send(&i, 1, MPI_INT, peer, 20, MPI_COMM_WORLD);
    }
    MPI_Waitall(4, request, status);
    for (int i = 0; i < 4; ++i) {
        EXPECT(value[i] == i && status[i].MPI_SOURCE == peer && status[i].MPI_TAG == 20);
    }
    sync_pair();
}

static void claim(void) {
    int sent[2] = {7, 8};
    int first = 0;
    int second = 0;
    int count = 0;
    int flag = 1;
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(peer, 31, MPI_COMM_WORLD, &flag, &message, &status);
    EXPECT(!flag);
    sync_pair();
    MPI_Send(&sent[0], 1, MPI_INT, peer, 30, MPI_COMM_WORLD);
    MPI_Send(&sent[1], 1, MPI_INT, peer, 30, MPI_COMM_WORLD);
    MPI_Mprobe(MPI_ANY_SOURCE, 30, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(count == 1 && status.MPI_SOURCE == peer);
    /* The claimed message is out of reach: this gets the second. */
    MPI_Recv(&second, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(&first, 1, MPI_INT, &message, &status);
    EXPECT(first == 7 && second == 8);
    sync_pair();
}

static void probe(void) {
    int value = 5;
    int found = 0;
    int count = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, peer, 40, MPI_COMM_WORLD, &request);
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    EXPECT(status.MPI_TAG == 40 && count == 1);
    MPI_Iprobe(peer, 41, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EXPECT(!found);
    MPI_Recv(&value, 1, MPI_INT, peer, 40, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sync_pair();
}

static void cancel(void) {
    int never = 0;
    int value = 0;
    int cancelled = 0;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&never, 1, MPI_INT, peer, 50, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT(cancelled);
    sync_pair();
    MPI_Send(&rank, 1, MPI_INT, peer, 50, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, peer, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(value == peer && never == 0);
    /* Too late: the message has it already. */
    MPI_Irecv(&value, 1, MPI_INT, peer, 51, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, peer, 51, MPI_COMM_WORLD);
    sync_pair();
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    EXPECT(!cancelled && value == peer);
}

static void long_messages(void) {
    int *out = malloc(LONG_INTS * sizeof *out);
    int *in = calloc(LONG_INTS, sizeof *in);
    MPI_Request request;
    int same = 1;
    if (!out || !in) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int i = 0; i < LONG_INTS; ++i) {
        out[i] = i ^ rank;
    }
    for (int unexpected = 0; unexpected < 2; ++unexpected) {
        memset(in, 0, LONG_INTS * sizeof *in);
        if (unexpected) {
            MPI_Isend(out, LONG_INTS, MPI_INT, peer, 60, MPI_COMM_WORLD, &request);
            sync_pair();
            MPI_Recv(in, LONG_INTS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(in, LONG_INTS, MPI_INT, peer, 60, MPI_COMM_WORLD, &request);
            sync_pair();
            MPI_Send(out, LONG_INTS, MPI_INT, peer, 60, MPI_COMM_WORLD);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        for (int i = 0; i < LONG_INTS; ++i) {
            same = same && in[i] == (i ^ peer);
        }
        EXPECT(same);
        sync_pair();
    }
    free(out);
    free(in);
}

/* A message that is too long for its receive is an error there, by eager and by rendezvous. */
static void truncation(void) {
    static int out[LONG_INTS / 4];
    int in[2] = {-1, -1};
    static const int sizes[2] = {3, LONG_INTS / 4};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 2; ++i) {
        MPI_Request request;
        MPI_Request sent;
        int class = MPI_SUCCESS;
        MPI_Irecv(in, 1, MPI_INT, peer, 70 + i, MPI_COMM_WORLD, &request);
        sync_pair();
        MPI_Isend(out, sizes[i], MPI_INT, peer, 70 + i, MPI_COMM_WORLD, &sent);
        const int result = MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Error_class(result, &class);
        EXPECT(class == MPI_ERR_TRUNCATE && in[1] == -1);
        MPI_Wait(&sent, MPI_STATUS_IGNORE);
        sync_pair();
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

enum { MANY = 100, FIRST_TAG = 100 };

/* The table is full and stays so until the peer is told to send; sending needs no room in it. */
static void post_many(int *in, MPI_Request *request) {
    int done = 0;
    for (int i = 0; i < MANY; ++i) {
        MPI_Irecv(&in[i], 1, MPI_INT, i % 3 ? peer : MPI_ANY_SOURCE, 75, MPI_COMM_WORLD,
                  &request[i]);
    }
    for (int i = 0; i < 2000; ++i) {
        MPI_Test(&request[0], &done, MPI_STATUS_IGNORE);
        EXPECT(!done);
    }
}

static void send_many(void) {
    for (int i = 0; i < MANY; ++i) {
        MPI_Send(&i, 1, MPI_INT, peer, 75, MPI_COMM_WORLD);
    }
}

/* More receives than a small unit has room for: those that are refused keep their order (R11). */
static void many_receives(void) {
    int in[MANY];
    MPI_Request request[MANY];
    for (int turn = 0; turn < 2; ++turn) {
        if (peer != rank && rank % 2 != turn) {
            MPI_Recv(in, 0, MPI_INT, peer, 74, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            send_many();
            continue;
        }
        post_many(in, request);
        if (peer == rank) {
            send_many();
        } else {
            MPI_Send(in, 0, MPI_INT, peer, 74, MPI_COMM_WORLD);
        }
        MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
        for (int i = 0; i < MANY; ++i) {
            EXPECT(in[i] == i);
        }
    }
}

/*
 * Returns when the 64 messages that fill the unexpected table of a small unit are there.  Messages
 * of other ranks, which are ahead, may take a few of the slots; the last may then be held back.
 */
static void until_full(void) {
    enum { FULL = 64, OTHERS = 8 };
    double since = MPI_Wtime();
    for (int next = FULL - OTHERS; next < FULL;) {
        int found = 0;
        MPI_Iprobe(peer, FIRST_TAG + next, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
        if (found) {
            ++next;
            since = MPI_Wtime();
        } else if (next > FULL - OTHERS && MPI_Wtime() - since > 1.0) {
            return;
        }
    }
}

/* More messages than it has room for: those that are held back keep theirs (R7, R11). */
static void many_messages(void) {
    static int out[MANY];
    MPI_Request request[MANY];
    for (int i = 0; i < MANY; ++i) {
        out[i] = i;
        MPI_Isend(&out[i], 1, MPI_INT, peer, FIRST_TAG + i, MPI_COMM_WORLD, &request[i]);
    }
    until_full();
    for (int i = 0; i < MANY; ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, peer, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        EXPECT(value == i && status.MPI_TAG == FIRST_TAG + i);
    }
    MPI_Waitall(MANY, request, MPI_STATUSES_IGNORE);
}

/* Bursts from everybody to everybody, received by wildcards: each source's order is kept (R7). */
static void small_messages(int rounds, const char *until) {
    enum { BURST = 8 };
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *next = calloc((size_t)size, sizeof *next);
    MPI_Request request[BURST];
    int out[BURST];
    if (!next) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int round = 0; round < rounds; ++round) {
        const int to = (rank + 1 + round % size) % size;
        const int from = (rank + size - 1 - round % size + size) % size;
        for (int i = 0; i < BURST; ++i) {
            out[i] = round * BURST + i;
            MPI_Isend(&out[i], 1, MPI_INT, to, 80, MPI_COMM_WORLD, &request[i]);
        }
        for (int i = 0; i < BURST; ++i) {
            int value = -1;
            MPI_Status status;
            MPI_Recv(&value, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : from, 80, MPI_COMM_WORLD,
                     &status);
            EXPECT(value >= next[status.MPI_SOURCE]);
            next[status.MPI_SOURCE] = value + 1;
        }
        MPI_Waitall(BURST, request, MPI_STATUSES_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (until) {
            int over = access(until, F_OK) == 0;
            MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
            if (over) {
                break;
            }
        }
    }
    free(next);
}

int main(int argc, char **argv) {
    int size = 0;
    int all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    /* The last of an odd number is its own peer. */
    peer = (rank ^ 1) < size ? rank ^ 1 : rank;
    void (*const parts[])(void) = {out_of_order,  wildcards,  claim,         probe,        cancel,
                                   long_messages, truncation, many_receives, many_messages};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i]();
        /* A rank that is ahead must not send into the wildcards of one that is not. */
        MPI_Barrier(MPI_COMM_WORLD);
    }
    small_messages(argc > 1 ? atoi(argv[1]) : 10, argc > 2 ? argv[2] : NULL);
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0 && all == 0) {
        printf("every match is right on %d ranks\n", size);
    }
    MPI_Finalize();
    return all == 0 ? 0 : 1;
}
