/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Completion queues that are waited for by a file descriptor: fi_trywait, then poll.
 * Ends with 1 where somebody sleeps who must not, or nobody sleeps.
 */
#include "fabric_sides.h"

#include <poll.h>
#include <pthread.h>
#include <stdbool.h>

#define ROUNDS 200

static int a_fd;
static int context;

static void open_waiting(struct side *side, int *fd) {
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_TAGGED, .wait_obj = FI_WAIT_FD};
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    must(fi_endpoint(domain, info, &side->ep, NULL), "fi_endpoint");
    must(fi_cq_open(domain, &cq, &side->cq, NULL), "fi_cq_open");
    must(fi_av_open(domain, &av, &side->av, NULL), "fi_av_open");
    must(fi_ep_bind(side->ep, &side->cq->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    must(fi_ep_bind(side->ep, &side->av->fid, 0), "fi_ep_bind");
    must(fi_enable(side->ep), "fi_enable");
    must(fi_control(&side->cq->fid, FI_GETWAIT, fd), "FI_GETWAIT");
}

/* 1 when the descriptor is ready, 0 when nothing comes in so many milliseconds. */
static int wait_at(struct side *side, int fd, int ms) {
    struct fid *fids[] = {&side->cq->fid};
    struct pollfd at = {.fd = fd, .events = POLLIN};
    const int ready = fi_trywait(fabric, fids, 1);
    if (ready == -FI_EAGAIN) {
        return 1;
    }
    must(ready, "fi_trywait");
    return poll(&at, 1, ms);
}

static struct fi_cq_tagged_entry next_at(struct side *side, int fd) {
    struct fi_cq_tagged_entry entry = {0};
    const time_t start = time(NULL);
    ssize_t got;
    while ((got = fi_cq_read(side->cq, &entry, 1)) == -FI_EAGAIN) {
        if (wait_at(side, fd, SECONDS * 1000) != 1 || time(NULL) - start > SECONDS) {
            fprintf(stderr, "nothing came in %d s\n", SECONDS);
            exit(1);
        }
    }
    must(got, "fi_cq_read");
    return entry;
}

static void *send_later(void *length) {
    const struct timespec pause = {0, 100000000};
    (void)nanosleep(&pause, NULL);
    SEND(fi_tsend(b.ep, out, *(size_t *)length, NULL, b.peer, 7, &b));
    while (fi_cq_read(b.cq, &(struct fi_cq_tagged_entry){0}, 1) == -FI_EAGAIN) {
        continue;
    }
    return NULL;
}

/* Whoever sleeps is woken by a message, a short one and a long one. */
static void wakes(size_t length) {
    pthread_t thread;
    struct timespec start;
    struct timespec end;
    unsigned looks = 0;
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 7, 0, &context), "fi_trecv");
    while (wait_at(&a, a_fd, 50) != 0 && ++looks < 100000) {
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    EXPECT(looks < 100000); /* an idle queue lets its user sleep */
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    EXPECT(wait_at(&a, a_fd, 200) == 0);
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    EXPECT((end.tv_sec - start.tv_sec) * 1000 + (end.tv_nsec - start.tv_nsec) / 1000000 < 100);
    must(-pthread_create(&thread, NULL, send_later, &length), "pthread_create");
    const struct fi_cq_tagged_entry entry = next_at(&a, a_fd);
    EXPECT(entry.op_context == &context && entry.len == length && memcmp(in, out, length) == 0);
    (void)pthread_join(thread, NULL);
}

static void *signal_later(void *unused) {
    const struct timespec pause = {0, 50000000};
    (void)nanosleep(&pause, NULL);
    must(fi_cq_signal(a.cq), "fi_cq_signal");
    return unused;
}

/* The blocking read sleeps as well, and a signal ends it. */
static void reads(void) {
    struct fi_cq_tagged_entry entry;
    pthread_t thread;
    EXPECT(fi_cq_sread(a.cq, &entry, 1, NULL, 30) == -FI_EAGAIN);
    must(-pthread_create(&thread, NULL, signal_later, NULL), "pthread_create");
    EXPECT(fi_cq_sread(a.cq, &entry, 1, NULL, -1) == -FI_EAGAIN);
    (void)pthread_join(thread, NULL);
    size_t length = 5;
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 7, 0, &context), "fi_trecv");
    must(-pthread_create(&thread, NULL, send_later, &length), "pthread_create");
    EXPECT(fi_cq_sread(a.cq, &entry, 1, NULL, -1) == 1 && entry.op_context == &context);
    (void)pthread_join(thread, NULL);
}

/* Many in a row: none is slept over. */
static void rounds(int b_fd) {
    for (int i = 0; i < ROUNDS; ++i) {
        must(fi_trecv(a.ep, in, 8, NULL, a.peer, 8, 0, &context), "fi_trecv");
        SEND(fi_tsend(b.ep, out, 8, NULL, b.peer, 8, &b));
        EXPECT(next_at(&b, b_fd).op_context == &b);
        EXPECT(next_at(&a, a_fd).op_context == &context);
    }
}

int main(void) {
    int b_fd = -1;
    struct fi_cq_attr attr = {.wait_obj = FI_WAIT_NONE};
    struct fid_cq *plain = NULL;
    open_all();
    open_waiting(&a, &a_fd);
    open_waiting(&b, &b_fd);
    introduce(&a, &b);
    introduce(&b, &a);
    wakes(5);
    wakes(LONG_BYTES);
    reads();
    rounds(b_fd);
    must(fi_cq_open(domain, &attr, &plain, NULL), "fi_cq_open");
    EXPECT(fi_control(&plain->fid, FI_GETWAIT, &b_fd) == -FI_ENOSYS);
    EXPECT(fi_trywait(fabric, (struct fid *[]){&plain->fid}, 1) == -FI_EINVAL);
    must(fi_close(&plain->fid), "fi_close of a queue");
    return close_both("nobody sleeps too long");
}
