/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit ends while everything that can be outstanding is: each ends in error, with its own
 * context.  The argument is the process that has the unit.
 */
#include "fabric_sides.h"

#include <signal.h>

enum { RECEIVES = 3, SENDS = 2, ALL = RECEIVES + SENDS };

static struct fi_context contexts[ALL];
static int ended[ALL];

static void end_of(const struct side *side) {
    struct fi_cq_err_entry done = {0};
    struct fi_cq_tagged_entry entry;
    const ssize_t got = fi_cq_read(side->cq, &entry, 1);
    if (got == -FI_EAGAIN) {
        return;
    }
    EXPECT(got == -FI_EAVAIL && fi_cq_readerr(side->cq, &done, 0) == 1);
    EXPECT(done.err == FI_EIO && done.op_context);
    for (size_t i = 0; i < ALL; ++i) {
        ended[i] += done.op_context == &contexts[i];
    }
}

int main(int argc, char **argv) {
    const time_t start = time(NULL);
    if (argc != 2) {
        return 2;
    }
    open_both(0);
    for (size_t i = 0; i < RECEIVES; ++i) {
        must(fi_trecv(a.ep, in, 8, NULL, i == 0 ? a.peer : FI_ADDR_UNSPEC, i, 0, &contexts[i]),
             "fi_trecv");
    }
    for (size_t i = RECEIVES; i < ALL; ++i) {
        SEND(fi_tsend(b.ep, out, LONG_BYTES, NULL, b.peer, 100 + i, &contexts[i]));
    }
    wait_for_message(100 + ALL - 1);
    must(-kill(atoi(argv[1]), SIGKILL), "kill");
    for (size_t i = 0; i < ALL; ++i) {
        while (ended[i] == 0 && time(NULL) - start < SECONDS) {
            end_of(&a), end_of(&b);
        }
    }
    for (size_t i = 0; i < ALL; ++i) {
        EXPECT(ended[i] == 1);
    }
    quiet();
    EXPECT(fi_trecv(a.ep, in, 8, NULL, a.peer, 1, 0, &contexts[0]) == -FI_EIO);
    return close_both("every operation ended");
}
