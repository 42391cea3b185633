/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One side sends until nothing is taken any more, to another that reads its queue all the while and
 * receives nothing; then all is received, in order.  FI_TMU_UNEXPECTED has to be set.
 */
#include "fabric_sides.h"

#define MOST 200000u

/* Count of messages that are taken; both sides make progress. */
static size_t flood(size_t length, uint64_t tag) {
    size_t taken = 0;
    for (int tries = 0; taken < MOST && tries < 2000;) {
        memcpy(out, &taken, sizeof taken);
        const ssize_t sent = tag != 0 ? fi_tinject(b.ep, out, length, b.peer, tag)
                                      : fi_inject(b.ep, out, length, b.peer);
        must(sent == -FI_EAGAIN ? 0 : sent, "an injected message");
        taken += sent == 0;
        tries = sent == 0 ? 0 : tries + 1;
        drive();
    }
    return taken;
}

static void receive(size_t count, size_t length, uint64_t tag) {
    for (size_t i = 0; i < count && wrong == 0; ++i) {
        size_t number = 0;
        if (tag != 0) {
            must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, tag, 0, &in), "fi_trecv");
        } else {
            must(fi_recv(a.ep, in, LONG_BYTES, NULL, a.peer, &in), "fi_recv");
        }
        const struct fi_cq_err_entry done = next(&a, NULL);
        memcpy(&number, in, sizeof number);
        EXPECT(done.err == 0 && done.op_context == &in && done.len == length && number == i);
    }
}

int main(void) {
    open_both(0);
    const size_t lengths[2] = {8, info->tx_attr->inject_size};
    for (int i = 0; i < 2; ++i) {
        for (uint64_t tag = 0; tag < 2; ++tag) {
            const size_t taken = flood(lengths[i], tag);
            EXPECT(taken > 20 && taken < MOST);
            receive(taken, lengths[i], tag);
        }
    }
    quiet();
    return close_both("the flood is held");
}
