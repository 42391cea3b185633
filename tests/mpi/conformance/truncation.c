/* SPDX-License-Identifier: Apache-2.0 */
/* R12: a message that is longer than its receive; whether the receive or the message is first. */
#include "pair.h"

enum { GUARD = -77 };

static MPI_Comm pairs; /* for barriers that no wildcard sees */

static int class_of(int error) {
    int class = -1;
    MPI_Error_class(error, &class);
    return class;
}

static void send(int count, int tag) {
    int *out = integers(count, 5);
    MPI_Send(out, count, MPI_INT, peer, tag, MPI_COMM_WORLD);
    free(out);
}

/* Nothing behind the receive is written, and the next message is not harmed. */
static void one(int count, int unexpected, int any) {
    if (first) {
        if (!unexpected) {
            MPI_Barrier(pairs);
        }
        MPI_Request request;
        int *out = integers(count, 5);
        MPI_Isend(out, count, MPI_INT, peer, 1, MPI_COMM_WORLD, &request);
        if (unexpected) {
            MPI_Barrier(pairs);
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        send(1, 1);
        free(out);
        return;
    }
    int in[3] = {GUARD, GUARD, GUARD};
    MPI_Request request;
    MPI_Status status;
    const int source = any ? MPI_ANY_SOURCE : peer;
    const int tag = any ? MPI_ANY_TAG : 1;
    if (unexpected) {
        MPI_Barrier(pairs);
    }
    MPI_Irecv(in, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &request);
    if (!unexpected) {
        MPI_Barrier(pairs);
    }
    EXPECT(class_of(MPI_Wait(&request, &status)) == MPI_ERR_TRUNCATE);
    EXPECT(in[2] == GUARD);
    EXPECT(MPI_Recv(in, 2, MPI_INT, source, tag, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
    EXPECT(in[0] == 5 && in[2] == GUARD && count_of(&status) == 1);
}

/* A message as long as its receive, shorter, and empty is no error. */
static void that_fits(int count) {
    for (int less = 0; less < 2; ++less) {
        if (first) {
            send(count - less, 2);
            continue;
        }
        MPI_Status status;
        int *in = integers(count, GUARD);
        EXPECT(MPI_Recv(in, count, MPI_INT, peer, 2, MPI_COMM_WORLD, &status) == MPI_SUCCESS);
        EXPECT(count_of(&status) == count - less);
        EXPECT(count == 1 || in[count - 2] == 5 + count - 2);
        free(in);
    }
}

static void by_claim(int count) {
    if (first) {
        send(count, 3);
        return;
    }
    int in[2] = {GUARD, GUARD};
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
    EXPECT(count_of(&status) == count);
    EXPECT(class_of(MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    EXPECT(in[1] == GUARD);
}

int main(int argc, char **argv) {
    pair_begin(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &pairs);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int kind = 0; kind < 8; ++kind) {
        one((kind & 1) != 0 ? EAGER : RENDEZVOUS, (kind & 2) != 0, (kind & 4) != 0);
        MPI_Barrier(pairs);
    }
    that_fits(1);
    that_fits(EAGER);
    that_fits(RENDEZVOUS);
    MPI_Barrier(pairs);
    by_claim(EAGER);
    by_claim(RENDEZVOUS);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&pairs);
    return pair_end("truncation");
}
