/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A send that is taken leaves by itself, and what cannot leave is not taken: -FI_EAGAIN.
 * Ends with 1 where that is not so.
 */
#include "fabric_sides.h"

#define SIZE 64u
#define MOST 100000u /* sends to a peer that reads nothing; some thousands are taken */

static const struct timespec pause_a_little = {0, 1000000};

/* The next completion of `side`, which alone makes progress. */
static struct fi_cq_err_entry alone(struct side *side) {
    struct fi_cq_tagged_entry entry;
    struct fi_cq_err_entry done = {.err = FI_ETIMEDOUT};
    const time_t start = time(NULL);
    while (time(NULL) - start < SECONDS) {
        const ssize_t got = fi_cq_read(side->cq, &entry, 1);
        if (got == 1) {
            memcpy(&done, &entry, sizeof entry);
            done.err = 0;
            return done;
        }
        if (got == -FI_EAVAIL) {
            EXPECT(fi_cq_readerr(side->cq, &done, 0) == 1);
            return done;
        }
        (void)nanosleep(&pause_a_little, NULL);
    }
    return done;
}

/* Not even the first send waits in the provider for another call of the sender's. */
static void the_first_leaves_by_itself(void) {
    int context;
    const time_t start = time(NULL);
    ssize_t sent;
    must(fi_trecv(a.ep, in, SIZE, NULL, a.peer, 1, 0, &context), "fi_trecv");
    /* The sender's other calls may be anything but these: they progress by themselves. */
    while ((sent = fi_tinject(b.ep, "first", 5, b.peer, 1)) == -FI_EAGAIN) {
        (void)fi_cq_read(a.cq, NULL, 0);
        EXPECT(time(NULL) - start < SECONDS);
        if (wrong != 0) {
            return;
        }
    }
    must(sent, "fi_tinject");
    const struct fi_cq_err_entry done = alone(&a);
    EXPECT(done.err == 0 && done.op_context == &context && memcmp(in, "first", 5) == 0);
}

static size_t send_until_refused(size_t length) {
    for (size_t i = 0; i < MOST; ++i) {
        memcpy(out, &i, sizeof i);
        ssize_t sent = -FI_EAGAIN;
        for (int tries = 0; sent == -FI_EAGAIN && tries < 100; ++tries) {
            sent = fi_tinject(b.ep, out, length, b.peer, 2);
        }
        if (sent == -FI_EAGAIN) {
            return i;
        }
        must(sent, "fi_tinject");
    }
    return MOST;
}

/* Memory is bounded: sends to a peer that does not read are refused in the end, those to others are
 * not, and all that were taken arrive in order. */
static void a_peer_that_does_not_read(size_t length) {
    const size_t taken = send_until_refused(length);
    int context;
    size_t number;
    EXPECT(taken > 100 && taken < MOST);
    must(fi_trecv(b.ep, in, SIZE, NULL, 0, 3, 0, &context), "fi_trecv");
    ssize_t sent;
    const time_t start = time(NULL);
    while ((sent = fi_tinject(b.ep, "to me", 5, 0, 3)) == -FI_EAGAIN &&
           time(NULL) - start < SECONDS) {
        continue;
    }
    must(sent, "fi_tinject to itself");
    EXPECT(alone(&b).op_context == &context);
    for (size_t i = 0; i < taken && wrong == 0; ++i) {
        must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 2, 0, &context), "fi_trecv");
        const struct fi_cq_err_entry done = next(&a, NULL);
        memcpy(&number, in, sizeof number);
        EXPECT(done.err == 0 && done.len == length && number == i);
    }
    /* And then there is room again. */
    must(fi_trecv(a.ep, in, SIZE, NULL, a.peer, 4, 0, &context), "fi_trecv");
    SEND(fi_tinject(b.ep, "again", 5, b.peer, 4));
    EXPECT(next(&a, NULL).len == 5);
}

/* Untagged ones likewise. */
static void untagged(void) {
    size_t taken = 0;
    ssize_t sent = 0;
    int tries = 0;
    while (taken < MOST && tries < 100) {
        sent = fi_inject(b.ep, out, SIZE, b.peer);
        taken += sent == 0;
        tries = sent == -FI_EAGAIN ? tries + 1 : 0;
        must(sent == -FI_EAGAIN ? 0 : sent, "fi_inject");
    }
    EXPECT(taken > 100 && taken < MOST);
    for (size_t i = 0; i < taken && wrong == 0; ++i) {
        must(fi_recv(a.ep, in, SIZE, NULL, FI_ADDR_UNSPEC, NULL), "fi_recv");
        EXPECT(next(&a, NULL).len == SIZE);
    }
}

int main(void) {
    open_both(0);
    the_first_leaves_by_itself();
    a_peer_that_does_not_read(SIZE);
    a_peer_that_does_not_read(info->tx_attr->inject_size);
    untagged();
    return close_both("every send leaves or is refused");
}
