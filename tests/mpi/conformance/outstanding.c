/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R1, R4, R7, R11: many receives that wait, many messages that wait, and the order of both.
 * The argument is how many, 300 if there is none.
 */
#include "pair.h"

static int many = 300;
static int *values;
static MPI_Request *requests;

/* Receives with a tag each; messages come in reverse. */
static void receives_by_tag(void) {
    for (int i = 0; i < many; ++i) {
        MPI_Irecv(&values[i], 1, MPI_INT, i % 2 ? peer : MPI_ANY_SOURCE, i, MPI_COMM_WORLD,
                  &requests[i]);
    }
    meet();
    for (int i = many - 1; i >= 0; --i) {
        MPI_Send(&i, 1, MPI_INT, peer, i, MPI_COMM_WORLD);
    }
    for (int ended = 0; ended < many;) {
        int which = -1;
        MPI_Status status;
        MPI_Waitany(many, requests, &which, &status);
        EXPECT(which >= 0 && status.MPI_TAG == which && status.MPI_SOURCE == peer);
        ++ended;
    }
    for (int i = 0; i < many; ++i) {
        EXPECT(values[i] == i);
    }
}

/* Receives that any message matches take them one after the other. */
static void receives_by_age(void) {
    for (int i = 0; i < many; ++i) {
        MPI_Irecv(&values[i], 1, MPI_INT, i % 3 ? peer : MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 40,
                  MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < many; ++i) {
        MPI_Send(&i, 1, MPI_INT, peer, 40, MPI_COMM_WORLD);
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < many; ++i) {
        EXPECT(values[i] == i);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void send_all(void) {
    for (int i = 0; i < many; ++i) {
        values[i] = 7 * i;
        MPI_Isend(&values[i], 1, MPI_INT, peer, i % 50, MPI_COMM_WORLD, &requests[i]);
    }
}

/* Messages of 50 tags wait; MPI_ANY_TAG takes them as they were sent. */
static void messages_in_order(void) {
    send_all();
    for (int i = 0; i < many; ++i) {
        int value = -1;
        MPI_Status status;
        MPI_Recv(&value, 1, MPI_INT, i % 2 ? MPI_ANY_SOURCE : peer, MPI_ANY_TAG, MPI_COMM_WORLD,
                 &status);
        EXPECT(value == 7 * i && status.MPI_TAG == i % 50);
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
}

/* Tag by tag from the last to the first: within a tag the order is that of the sender. */
static void messages_by_tag(void) {
    send_all();
    for (int tag = 49; tag >= 0; --tag) {
        for (int i = tag; i < many; i += 50) {
            int value = -1;
            MPI_Recv(&value, 1, MPI_INT, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            EXPECT(value == 7 * i);
        }
    }
    MPI_Waitall(many, requests, MPI_STATUSES_IGNORE);
}

/* Short ones overtake no long one, though the payload of that is fetched later. */
static void lengths_in_order(void) {
    enum { TURNS = 16 };
    MPI_Request sent[TURNS];
    int *out = integers(RENDEZVOUS, 3);
    int *in = integers(RENDEZVOUS, 0);
    for (int i = 0; i < TURNS; ++i) {
        MPI_Isend(out, i % 2 ? i : RENDEZVOUS - i, MPI_INT, peer, 60, MPI_COMM_WORLD, &sent[i]);
    }
    for (int i = 0; i < TURNS; ++i) {
        MPI_Status status;
        MPI_Recv(in, RENDEZVOUS, MPI_INT, MPI_ANY_SOURCE, 60, MPI_COMM_WORLD, &status);
        EXPECT(count_of(&status) == (i % 2 ? i : RENDEZVOUS - i));
    }
    MPI_Waitall(TURNS, sent, MPI_STATUSES_IGNORE);
    free(out);
    free(in);
}

int main(int argc, char **argv) {
    pair_begin(&argc, &argv);
    if (argc > 1) {
        many = atoi(argv[1]);
    }
    values = integers(many, -1);
    requests = malloc((size_t)many * sizeof(MPI_Request));
    void (*const parts[])(void) = {receives_by_tag, receives_by_age, messages_in_order,
                                   messages_by_tag, lengths_in_order};
    for (size_t i = 0; requests && i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT(requests);
    free(requests);
    free(values);
    return pair_end("outstanding");
}
