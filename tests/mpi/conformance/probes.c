/* SPDX-License-Identifier: Apache-2.0 */
/* R8, R9: probes with each wildcard, what they report, and whom a claimed message is hidden from.
 */
#include "pair.h"

static const int lengths[] = {0, 1, EAGER, RENDEZVOUS};
enum { LENGTHS = sizeof lengths / sizeof lengths[0] };

/* Four messages wait; each is looked at with every kind of key and taken in the order sent. */
static void every_key(void) {
    MPI_Request request[LENGTHS];
    int *out = integers(RENDEZVOUS, rank);
    int *in = integers(RENDEZVOUS, 0);
    for (int i = 0; i < LENGTHS; ++i) {
        MPI_Isend(out, lengths[i], MPI_INT, peer, 10 + i, MPI_COMM_WORLD, &request[i]);
    }
    for (int i = 0; i < LENGTHS; ++i) {
        for (int key = 0; key < 4; ++key) {
            MPI_Status status;
            int found = 0;
            const int source = (key & 1) != 0 ? MPI_ANY_SOURCE : peer;
            const int tag = (key & 2) != 0 ? MPI_ANY_TAG : 10 + i;
            MPI_Probe(source, tag, MPI_COMM_WORLD, &status);
            EXPECT(status.MPI_SOURCE == peer && status.MPI_TAG == 10 + i);
            EXPECT(count_of(&status) == lengths[i]);
            /* A probe takes nothing away. */
            MPI_Iprobe(source, tag, MPI_COMM_WORLD, &found, &status);
            EXPECT(found && status.MPI_TAG == 10 + i);
        }
        MPI_Recv(in, RENDEZVOUS, MPI_INT, peer, 10 + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        EXPECT(lengths[i] == 0 || in[lengths[i] - 1] == peer + lengths[i] - 1);
    }
    MPI_Waitall(LENGTHS, request, MPI_STATUSES_IGNORE);
    free(out);
    free(in);
}

static void misses(void) {
    int found = 1;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Send(&rank, 1, MPI_INT, peer, 20, MPI_COMM_WORLD);
    meet();
    MPI_Iprobe(peer, 21, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EXPECT(!found);
    MPI_Improbe(MPI_ANY_SOURCE, 21, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    EXPECT(!found);
    /* Another communicator has the same tags for itself. */
    MPI_Iprobe(0, 20, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    EXPECT(!found);
    MPI_Recv(&found, 1, MPI_INT, peer, 20, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Iprobe(MPI_ANY_SOURCE, 20, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EXPECT(!found);
}

/* A claimed message is out of reach of probes and receives; claims are fetched in any order. */
static void claims(void) {
    enum { CLAIMS = 8 };
    MPI_Message message[CLAIMS];
    MPI_Request request[CLAIMS];
    int in[CLAIMS];
    int found = 1;
    for (int i = 0; i < CLAIMS; ++i) {
        MPI_Send(&i, 1, MPI_INT, peer, 30, MPI_COMM_WORLD);
    }
    for (int i = 0; i < CLAIMS; ++i) {
        MPI_Mprobe(i % 2 ? MPI_ANY_SOURCE : peer, 30, MPI_COMM_WORLD, &message[i],
                   MPI_STATUS_IGNORE);
    }
    MPI_Iprobe(peer, 30, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EXPECT(!found);
    for (int i = CLAIMS - 1; i >= 0; --i) {
        MPI_Imrecv(&in[i], 1, MPI_INT, &message[i], &request[i]);
    }
    MPI_Waitall(CLAIMS, request, MPI_STATUSES_IGNORE);
    for (int i = 0; i < CLAIMS; ++i) {
        EXPECT(in[i] == i && message[i] == MPI_MESSAGE_NULL);
    }
}

static void nobody(void) {
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int value = 7;
    int found = 0;
    MPI_Iprobe(MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD, &found, &status);
    EXPECT(found && status.MPI_SOURCE == MPI_PROC_NULL && count_of(&status) == 0);
    MPI_Mprobe(MPI_PROC_NULL, 1, MPI_COMM_WORLD, &message, &status);
    EXPECT(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    EXPECT(value == 7 && status.MPI_SOURCE == MPI_PROC_NULL);
}

int main(int argc, char **argv) {
    pair_begin(&argc, &argv);
    void (*const parts[])(void) = {every_key, misses, claims, nobody};
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) {
        parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return pair_end("probes");
}
