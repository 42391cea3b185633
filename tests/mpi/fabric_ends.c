/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A peer that ends with messages under way, and one that is only slow.  What waits for the one that
 * has ended ends with an error; what waits for others goes on.
 * Ends with 1 where an operation does not end as it has to.
 */
#include "fabric_sides.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME 128

static double now(void) {
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static fi_addr_t insert(struct side *side, const char *name) {
    fi_addr_t index = FI_ADDR_NOTAVAIL;
    EXPECT(fi_av_insert(side->av, name, 1, &index, 0, NULL) == 1);
    return index;
}

static void name_of(struct side *side, char name[static NAME]) {
    size_t size = NAME;
    must(fi_getname(&side->ep->fid, name, &size), "fi_getname");
}

static void told(int result, size_t size) {
    if (result != (int)size) {
        fprintf(stderr, "the other process has ended too early\n");
        exit(1);
    }
}

static void send_to(struct side *side, fi_addr_t to, size_t length, uint64_t tag, void *context) {
    ssize_t result;
    while ((result = fi_tsend(side->ep, out, length, NULL, to, tag, context)) == -FI_EAGAIN) {
        (void)fi_cq_read(a.cq, NULL, 0);
        if (b.cq) {
            (void)fi_cq_read(b.cq, NULL, 0);
        }
    }
    must(result, "fi_tsend");
}

/* The process that ends: it announces a message, is announced one, and takes none of them. */
static void be_the_other(int in_pipe, int out_pipe) {
    char name[NAME];
    char go;
    open_all();
    open_side(&a, 0);
    name_of(&a, name);
    told((int)write(out_pipe, name, NAME), NAME);
    told((int)read(in_pipe, name, NAME), NAME);
    a.peer = insert(&a, name);
    send_to(&a, a.peer, LONG_BYTES, 1, NULL);
    send_to(&a, a.peer, 4, 2, NULL);
    for (const double start = now(); now() - start < 1;) {
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    told((int)write(out_pipe, "x", 1), 1);
    told((int)read(in_pipe, &go, 1), 1);
    (void)raise(SIGKILL);
}

/* The completion of `side` with this context, whatever others there are. */
static int end_of(struct side *side, const void *context) {
    for (;;) {
        const struct fi_cq_err_entry done = next(side, NULL);
        if (done.op_context == context) {
            return done.err;
        }
    }
}

/* A message is announced to the dead peer, which will not ask for it. */
static void announce(fi_addr_t dead, void *context) {
    int receive;
    must(fi_trecv(a.ep, in, 8, NULL, dead, 2, 0, &receive), "fi_trecv");
    EXPECT(end_of(&a, &receive) == 0);
    send_to(&a, dead, LONG_BYTES, 3, context);
}

static void what_waits_for_it_ends(fi_addr_t dead, const void *before) {
    int receive;
    int sent;
    /* Matched, and its payload is not here: the sender cannot be asked. */
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, dead, 1, 0, &receive), "fi_trecv");
    /* Others are served meanwhile. */
    must(fi_trecv(b.ep, in, 8, NULL, b.peer, 5, 0, &b), "fi_trecv");
    send_to(&a, a.peer, 4, 5, &sent);
    EXPECT(end_of(&b, &b) == 0);
    int ended = 0;
    while (ended != 3) {
        const struct fi_cq_err_entry done = next(&a, NULL);
        ended |= done.op_context == &receive ? 1 : done.op_context == before ? 2 : 0;
        EXPECT(done.err == (done.op_context == &sent ? 0 : FI_ECONNREFUSED));
    }
    /* A send is refused for a while, and ends when it is known that nobody is there. */
    for (int i = 0; i < 2; ++i) {
        send_to(&a, dead, i == 0 ? 4 : LONG_BYTES, 4, &sent);
        EXPECT(end_of(&a, &sent) == FI_ECONNREFUSED);
    }
}

/* A slow peer is checked, has its port, and is left alone. */
static void a_slow_peer_is_waited_for(void) {
    struct fi_cq_tagged_entry entry;
    send_to(&a, a.peer, LONG_BYTES, 6, &a);
    for (const double start = now(); now() - start < 2.5;) {
        EXPECT(fi_cq_read(a.cq, &entry, 1) == -FI_EAGAIN);
    }
    must(fi_trecv(b.ep, in, LONG_BYTES, NULL, b.peer, 6, 0, &b), "fi_trecv");
    EXPECT(end_of(&b, &b) == 0);
    EXPECT(end_of(&a, &a) == 0);
}

int main(void) {
    int up[2];
    int down[2];
    int status = 0;
    char name[NAME];
    char ready;
    if (pipe(up) != 0 || pipe(down) != 0) {
        return 2;
    }
    const pid_t other = fork();
    if (other == 0) {
        be_the_other(down[0], up[1]);
    }
    open_both(0);
    told((int)read(up[0], name, NAME), NAME);
    const fi_addr_t dead = insert(&a, name);
    name_of(&a, name);
    told((int)write(down[1], name, NAME), NAME);
    announce(dead, &ready);
    told((int)read(up[0], &ready, 1), 1);
    told((int)write(down[1], "x", 1), 1);
    EXPECT(waitpid(other, &status, 0) == other && WIFSIGNALED(status));
    what_waits_for_it_ends(dead, &ready);
    a_slow_peer_is_waited_for();
    const double start = now();
    close_side(&a);
    close_side(&b);
    EXPECT(now() - start < 4); /* nothing is left that cannot leave */
    return outcome("every operation ends");
}
