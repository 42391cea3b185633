/* SPDX-License-Identifier: Apache-2.0 */
/* R10: receives that are cancelled, too late to be, or in between those that are not. */
#include "pair.h"

static int was_cancelled(MPI_Request *request) {
    int cancelled = -1;
    MPI_Status status;
    MPI_Wait(request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    return cancelled;
}

/* With each kind of key; the message that it would have taken goes to the next receive. */
static void every_key(void) {
    for (int key = 0; key < 4; ++key) {
        int never = -1;
        int value = -1;
        MPI_Request request;
        const int source = (key & 1) != 0 ? MPI_ANY_SOURCE : peer;
        const int tag = (key & 2) != 0 ? MPI_ANY_TAG : 1;
        MPI_Irecv(&never, 1, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
        MPI_Cancel(&request);
        EXPECT(was_cancelled(&request) == 1);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&rank, 1, MPI_INT, peer, 1, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(value == peer && never == -1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void too_late(void) {
    int value = -1;
    MPI_Request request;
    MPI_Irecv(&value, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, peer, 2, MPI_COMM_WORLD);
    meet();
    MPI_Cancel(&request);
    EXPECT(was_cancelled(&request) == 0 && value == peer);
}

/* Every third of many that are alike; the others get all messages in order. */
static void in_between(void) {
    enum { MANY = 90 };
    int in[MANY];
    MPI_Request request[MANY];
    for (int i = 0; i < MANY; ++i) {
        in[i] = -1;
        MPI_Irecv(&in[i], 1, MPI_INT, i % 2 ? peer : MPI_ANY_SOURCE, 3, MPI_COMM_WORLD,
                  &request[i]);
    }
    for (int i = 0; i < MANY; i += 3) {
        MPI_Cancel(&request[i]);
        EXPECT(was_cancelled(&request[i]) == 1);
    }
    meet();
    for (int i = 0; i < MANY - MANY / 3; ++i) {
        MPI_Send(&i, 1, MPI_INT, peer, 3, MPI_COMM_WORLD);
    }
    for (int i = 0, next = 0; i < MANY; ++i) {
        if (i % 3 != 0) {
            MPI_Wait(&request[i], MPI_STATUS_IGNORE);
        }
        EXPECT(in[i] == (i % 3 != 0 ? next : -1));
        next += i % 3 != 0;
    }
}

/* A persistent receive may be started again after it. */
static void persistent(void) {
    int value = -1;
    MPI_Request request;
    MPI_Recv_init(&value, 1, MPI_INT, peer, 4, MPI_COMM_WORLD, &request);
    for (int turn = 0; turn < 3; ++turn) {
        MPI_Start(&request);
        MPI_Cancel(&request);
        EXPECT(was_cancelled(&request) == 1 && request != MPI_REQUEST_NULL);
    }
    meet();
    MPI_Start(&request);
    MPI_Send(&rank, 1, MPI_INT, peer, 4, MPI_COMM_WORLD);
    EXPECT(was_cancelled(&request) == 0 && value == peer);
    MPI_Request_free(&request);
}

/* A receive that was let go before it is cancelled: nothing is left of it. */
static void let_go(void) {
    int never = -1;
    int value = -1;
    MPI_Request request;
    MPI_Irecv(&never, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    meet();
    MPI_Send(&rank, 1, MPI_INT, peer, 5, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, peer, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT(value == peer && never == -1);
}

int main(int argc, char **argv) {
    pair_begin(&argc, &argv);
    void (*const parts[])(void) = {every_key, too_late, in_between, persistent, let_go};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return pair_end("cancels");
}
