/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process with endpoints forks, and its child ends as programs do: by exit.  Ends with 1 where
 * the parent's messages do not go on.
 */
#include "fabric_sides.h"

#include <sys/wait.h>
#include <unistd.h>

#define MESSAGES 20

static void exchange(uint64_t tag) {
    int context;
    for (uint64_t i = 0; i < MESSAGES; ++i) {
        must(fi_trecv(b.ep, in, 100, NULL, b.peer, tag + i, 0, &context), "fi_trecv");
        SEND(fi_tsend(a.ep, out, 8, NULL, a.peer, tag + i, &context));
        const struct fi_cq_err_entry done = next(&b, NULL);
        EXPECT(done.err == 0 && done.tag == tag + i);
        EXPECT(next(&a, NULL).err == 0);
    }
}

int main(void) {
    int status = -1;
    int context;
    open_both(0);
    exchange(100);
    must(fi_trecv(b.ep, in, 100, NULL, b.peer, 7, 0, &context), "fi_trecv");
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        (void)alarm(SECONDS); /* one that hangs is an error */
        exit(3);
    }
    EXPECT(waitpid(child, &status, 0) == child);
    EXPECT(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    SEND(fi_tsend(a.ep, "of before", 10, NULL, a.peer, 7, &context));
    EXPECT(next(&b, NULL).tag == 7);
    EXPECT(next(&a, NULL).err == 0);
    exchange(200);
    return close_both("the parent goes on");
}
