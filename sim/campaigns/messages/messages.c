/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Latency and rate of MPI messages: two ranks, a cell in each run.
 *
 * messages CELL NUMBER BYTES REPEATS
 *   latency NUMBER     one message to and fro, behind so many receives that wait for others
 *   expected NUMBER    so many messages at a time, each with a tag, whose receives wait in order
 *   reverse NUMBER     the same, with receives that wait in the reverse order
 *   unexpected NUMBER  the same, all there before the first is asked for, which is the youngest
 *
 * Rank 0 prints a line of JSON with the time of one message, in microseconds: of a latency half of
 * the round trip, otherwise a turn by its messages.  A payload that is not what was sent ends
 * the run.  A tenth more repeats come first and are not counted; after some seconds there are no
 * more repeats, and the line says how many there were.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Turns between two looks at the time, which end a run that has had its time. */
enum { BATCH = 10 };
#define SECONDS_MAX 1.5

enum { TAG_TURN = 30000, TAG_OTHERS = 30001, NUMBER_MAX = 4096, SIZE_MAX_BYTES = 1 << 24 };

typedef struct cell {
    const char *kind;
    int number;
    int bytes;
    int repeats;
    int rank;
    int peer;
    char *memory; /* `bytes` for each message of a turn */
    MPI_Request *requests;
    double *microseconds;
} cell_t;

static void fail(const char *what) {
    (void)fprintf(stderr, "messages: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 2);
    exit(2);
}

static char *address_of(const cell_t *cell, int message) {
    return cell->memory + (size_t)message * (size_t)cell->bytes;
}

/* First and last byte of a message. */
static char mark(int turn, int message) { return (char)(turn * 31 + message * 7 + 1); }

static void put(const cell_t *cell, int turn, int message) {
    if (cell->bytes > 0) {
        address_of(cell, message)[0] = mark(turn, message);
        address_of(cell, message)[cell->bytes - 1] = mark(turn, message);
    }
}

static void check(const cell_t *cell, int turn, int message) {
    char right = mark(turn, message);
    if (cell->bytes > 0 && (address_of(cell, message)[0] != right ||
                            address_of(cell, message)[cell->bytes - 1] != right)) {
        fail("found another payload than was sent");
    }
}

/* The receives that a message passes, because they wait for another tag. */
static void others_post(const cell_t *cell) {
    for (int i = 0; i < cell->number; i++) {
        MPI_Irecv(NULL, 0, MPI_CHAR, cell->peer, TAG_OTHERS, MPI_COMM_WORLD, &cell->requests[i]);
    }
}

static void others_end(const cell_t *cell) {
    for (int i = 0; i < cell->number; i++) {
        MPI_Send(NULL, 0, MPI_CHAR, cell->peer, TAG_OTHERS, MPI_COMM_WORLD);
    }
    MPI_Waitall(cell->number, cell->requests, MPI_STATUSES_IGNORE);
}

static void send_one(const cell_t *cell, int turn) {
    put(cell, turn, 0);
    MPI_Send(address_of(cell, 0), cell->bytes, MPI_CHAR, cell->peer, TAG_TURN, MPI_COMM_WORLD);
}

static void receive_one(const cell_t *cell, int turn) {
    MPI_Recv(address_of(cell, 0), cell->bytes, MPI_CHAR, cell->peer, TAG_TURN, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    check(cell, turn, 0);
}

/* To and fro. */
static double latency_turn(const cell_t *cell, int turn) {
    double start = MPI_Wtime();
    if (cell->rank == 0) {
        send_one(cell, turn);
        receive_one(cell, turn + 1);
    } else {
        receive_one(cell, turn);
        send_one(cell, turn + 1);
    }
    return (MPI_Wtime() - start) / 2;
}

static void signal_peer(const cell_t *cell) {
    MPI_Send(NULL, 0, MPI_CHAR, cell->peer, TAG_TURN, MPI_COMM_WORLD);
}

static void wait_for_peer(const cell_t *cell) {
    MPI_Recv(NULL, 0, MPI_CHAR, cell->peer, TAG_TURN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_all(const cell_t *cell, int turn) {
    for (int i = 0; i < cell->number; i++) {
        put(cell, turn, i);
        MPI_Isend(address_of(cell, i), cell->bytes, MPI_CHAR, cell->peer, i, MPI_COMM_WORLD,
                  &cell->requests[i]);
    }
    MPI_Waitall(cell->number, cell->requests, MPI_STATUSES_IGNORE);
}

static void post_all(const cell_t *cell, int turned) {
    for (int i = 0; i < cell->number; i++) {
        int tag = turned ? cell->number - 1 - i : i;
        MPI_Irecv(address_of(cell, tag), cell->bytes, MPI_CHAR, cell->peer, tag, MPI_COMM_WORLD,
                  &cell->requests[i]);
    }
}

static void receive_all(const cell_t *cell, int turn) {
    MPI_Waitall(cell->number, cell->requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < cell->number; i++) {
        check(cell, turn, i);
    }
}

/* Receives, word that they wait, messages, word that they came: a window of messages to rank 1. */
static double expected_turn(const cell_t *cell, int turn) {
    double start = MPI_Wtime();
    if (cell->rank == 0) {
        wait_for_peer(cell);
        send_all(cell, turn);
        wait_for_peer(cell);
    } else {
        post_all(cell, strcmp(cell->kind, "reverse") == 0);
        signal_peer(cell);
        receive_all(cell, turn);
        signal_peer(cell);
    }
    return (MPI_Wtime() - start) / cell->number;
}

/* Messages, word that all are there (none overtakes another), receives, word that they came. */
static double unexpected_turn(const cell_t *cell, int turn) {
    double start = MPI_Wtime();
    if (cell->rank == 0) {
        send_all(cell, turn);
        signal_peer(cell);
        wait_for_peer(cell);
    } else {
        wait_for_peer(cell);
        post_all(cell, 1);
        receive_all(cell, turn);
        signal_peer(cell);
    }
    return (MPI_Wtime() - start) / cell->number;
}

typedef double turn_t(const cell_t *cell, int turn);

static turn_t *turn_of(const char *kind) {
    static const struct {
        const char *kind;
        turn_t *turn;
    } turns[] = {
        {"latency", latency_turn},
        {"expected", expected_turn},
        {"reverse", expected_turn},
        {"unexpected", unexpected_turn},
    };
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        if (strcmp(turns[i].kind, kind) == 0) {
            return turns[i].turn;
        }
    }
    fail("found another cell, expected latency, expected, reverse or unexpected");
    return NULL;
}

static int by_size(const void *one, const void *other) {
    double a = *(const double *)one;
    double b = *(const double *)other;
    return (a > b) - (a < b);
}

static void print(cell_t *cell) {
    double sum = 0;
    int last = cell->repeats - 1;
    qsort(cell->microseconds, (size_t)cell->repeats, sizeof *cell->microseconds, by_size);
    for (int i = 0; i < cell->repeats; i++) {
        sum += cell->microseconds[i];
    }
    (void)printf("{\"kind\": \"%s\", \"number\": %d, \"bytes\": %d, \"repeats\": %d, "
                 "\"microseconds\": {\"min\": %.3f, \"p50\": %.3f, \"p99\": %.3f, \"mean\": %.3f}}"
                 "\n",
                 cell->kind, cell->number, cell->bytes, cell->repeats, cell->microseconds[0],
                 cell->microseconds[last / 2], cell->microseconds[last - last / 100],
                 sum / cell->repeats);
}

static int number_of(const char *word, int least, int most) {
    char *end = NULL;
    long value = strtol(word, &end, 10);
    if (*word == '\0' || *end != '\0' || value < least || value > most) {
        fail("usage: messages CELL NUMBER BYTES REPEATS, with 2 ranks");
    }
    return (int)value;
}

static cell_t cell_of(int argc, char **argv) {
    int size = 0;
    cell_t cell = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_rank(MPI_COMM_WORLD, &cell.rank);
    if (argc != 5 || size != 2) {
        fail("usage: messages CELL NUMBER BYTES REPEATS, with 2 ranks");
    }
    cell.kind = argv[1];
    cell.number = number_of(argv[2], strcmp(cell.kind, "latency") == 0 ? 0 : 1, NUMBER_MAX);
    cell.bytes = number_of(argv[3], 0, SIZE_MAX_BYTES);
    cell.repeats = number_of(argv[4], 1, 1 << 24);
    cell.peer = 1 - cell.rank;
    cell.memory = calloc((size_t)cell.number + 1, (size_t)cell.bytes + 1);
    cell.requests = calloc((size_t)cell.number + 1, sizeof *cell.requests);
    cell.microseconds = calloc((size_t)cell.repeats, sizeof *cell.microseconds);
    if (!cell.memory || !cell.requests || !cell.microseconds) {
        fail("no memory");
    }
    return cell;
}

/* Whether there is time for more, which rank 0 says. */
static int has_time(double start) {
    int more = MPI_Wtime() - start < SECONDS_MAX;
    MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return more;
}

/* Turns, until there were enough or the time is over; how many. */
static int turns_take(const cell_t *cell, turn_t *turn, int most, double *microseconds) {
    double start = MPI_Wtime();
    int taken = 0;
    while (taken < most && (taken % BATCH != 0 || has_time(start))) {
        double seconds = turn(cell, taken);
        if (microseconds) {
            microseconds[taken] = seconds * 1e6;
        }
        taken++;
    }
    return taken;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    cell_t cell = cell_of(argc, argv);
    turn_t *turn = turn_of(cell.kind);
    int waits = turn == latency_turn;
    if (waits) {
        others_post(&cell);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    (void)turns_take(&cell, turn, cell.repeats / 10 + 1, NULL);
    cell.repeats = turns_take(&cell, turn, cell.repeats, cell.microseconds);
    MPI_Barrier(MPI_COMM_WORLD);
    if (waits) {
        others_end(&cell);
    }
    if (cell.rank == 0) {
        print(&cell);
    }
    free(cell.memory);
    free(cell.requests);
    free(cell.microseconds);
    MPI_Finalize();
    return 0;
}
