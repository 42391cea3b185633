/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counters of two endpoints in one process: what ends is counted once, on both sides, whether a
 * queue shows it or not.  Ends with 1 where a counter is not as it has to be.
 */
#include "fabric_sides.h"

#include <pthread.h>
#include <stdbool.h>

static struct fid_cntr *sent;     /* of a */
static struct fid_cntr *received; /* of a */
static struct fid_cntr *both;     /* of b, which shows every completion in its queue */
static struct {
    uint64_t sent, received, failed, both, both_failed;
} expected;

static struct fid_cntr *open_counter(enum fi_wait_obj wait) {
    struct fi_cntr_attr attr = {.events = FI_CNTR_EVENTS_COMP, .wait_obj = wait};
    struct fid_cntr *cntr = NULL;
    must(fi_cntr_open(domain, &attr, &cntr, NULL), "fi_cntr_open");
    EXPECT(fi_cntr_read(cntr) == 0 && fi_cntr_readerr(cntr) == 0);
    return cntr;
}

/* Reading drives both sides. */
static bool as_expected(void) {
    return fi_cntr_read(sent) == expected.sent && fi_cntr_read(received) == expected.received &&
           fi_cntr_readerr(received) == expected.failed && fi_cntr_read(both) == expected.both &&
           fi_cntr_readerr(both) == expected.both_failed && fi_cntr_readerr(sent) == 0;
}

/* The counters get there, and no further. */
static void counted(int line) {
    const time_t start = time(NULL);
    while (!as_expected() && time(NULL) - start < SECONDS) {
        (void)fi_cntr_read(both);
    }
    for (int i = 0; i < 100; ++i) {
        (void)as_expected();
    }
    if (as_expected()) {
        return;
    }
    ++wrong;
    fprintf(stderr,
            "line %d: counted sent %lu, received %lu, failed %lu, both %lu, both failed %lu; "
            "expected %lu, %lu, %lu, %lu, %lu\n",
            line, fi_cntr_read(sent), fi_cntr_read(received), fi_cntr_readerr(received),
            fi_cntr_read(both), fi_cntr_readerr(both), expected.sent, expected.received,
            expected.failed, expected.both, expected.both_failed);
}
#define COUNTED() counted(__LINE__)

/* a asks for no completions, an injected message has none: they are counted all the same. */
static void tagged(void) {
    int context;
    must(fi_trecv(a.ep, in, 100, NULL, a.peer, 0x10, 0, &context), "fi_trecv");
    SEND(fi_tsend(b.ep, "shown", 5, NULL, b.peer, 0x10, &context));
    EXPECT(next(&b, NULL).op_context == &context);
    ++expected.received, ++expected.both;
    COUNTED();
    SEND(fi_tinject(b.ep, "not shown", 9, b.peer, 0x11));
    must(fi_trecv(a.ep, in, 100, NULL, a.peer, 0x11, 0, &context), "fi_trecv");
    ++expected.received, ++expected.both;
    COUNTED();
    must(fi_trecv(b.ep, in, 100, NULL, b.peer, 0x12, 0, &context), "fi_trecv");
    SEND(fi_tsend(a.ep, "back", 4, NULL, a.peer, 0x12, NULL));
    EXPECT(next(&b, NULL).op_context == &context);
    ++expected.sent, ++expected.both;
    COUNTED();
    quiet();
}

static void untagged(void) {
    int context;
    const struct iovec iov = {out, 7};
    const struct fi_msg msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = b.peer, .context = &context};
    for (int i = 0; i < 4; ++i) {
        must(fi_recv(a.ep, in + 10 * i, 10, NULL, FI_ADDR_UNSPEC, NULL), "fi_recv");
    }
    SEND(fi_send(b.ep, out, 7, NULL, b.peer, &context));
    EXPECT(next(&b, NULL).op_context == &context);
    SEND(fi_inject(b.ep, out, 7, b.peer));
    SEND(fi_injectdata(b.ep, out, 7, 0x99, b.peer));
    SEND(fi_sendmsg(b.ep, &msg, FI_INJECT));
    EXPECT(next(&b, NULL).op_context == &context);
    expected.received += 4, expected.both += 4;
    COUNTED();
    for (int i = 0; i < 4; ++i) {
        EXPECT(memcmp(in + 10 * i, out, 7) == 0);
    }
    must(fi_recv(b.ep, in, 10, NULL, FI_ADDR_UNSPEC, &context), "fi_recv");
    SEND(fi_senddata(a.ep, out, 7, NULL, 0x1234, a.peer, NULL));
    const struct fi_cq_err_entry done = next(&b, NULL);
    EXPECT(done.op_context == &context && done.len == 7 && done.data == 0x1234);
    EXPECT((done.flags & (FI_MSG | FI_RECV | FI_REMOTE_CQ_DATA)) ==
           (FI_MSG | FI_RECV | FI_REMOTE_CQ_DATA));
    ++expected.sent, ++expected.both;
    COUNTED();
    quiet();
}

/* A buffer for many messages: each is counted, and its end is shown also where others are not. */
static void many_in_a_buffer(void) {
    const size_t least = 64;
    int context;
    const struct iovec iov = {in, 256};
    struct fi_msg msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &context};
    must(fi_setopt(&a.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV, &least, sizeof least),
         "fi_setopt");
    must(fi_recvmsg(a.ep, &msg, FI_MULTI_RECV), "fi_recvmsg");
    for (int i = 0; i < 3; ++i) {
        SEND(fi_inject(b.ep, out + i, 64, b.peer));
        ++expected.received, ++expected.both;
        COUNTED();
    }
    quiet();
    SEND(fi_inject(b.ep, out + 3, 64, b.peer));
    const struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == 0 && done.op_context == &context && (done.flags & FI_MULTI_RECV) != 0);
    ++expected.received, ++expected.both;
    COUNTED();
    for (int i = 0; i < 4; ++i) {
        EXPECT(memcmp(in + 64 * i, out + i, 64) == 0);
    }
    quiet();
}

/* R12, R10: in the error value, and never in the other. */
static void failures(void) {
    int context;
    const size_t sizes[2] = {30, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        must(fi_trecv(a.ep, in, 20, NULL, a.peer, 0x20, 0, &context), "fi_trecv");
        SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x20, &context));
        EXPECT(next(&a, NULL).err == FI_ETRUNC && next(&b, NULL).err == 0);
        ++expected.failed, ++expected.both;
        COUNTED();
    }
    must(fi_trecv(a.ep, in, 20, NULL, a.peer, 0x21, 0, &context), "fi_trecv");
    EXPECT(fi_cancel(&a.ep->fid, &context) == 0);
    EXPECT(next(&a, NULL).err == FI_ECANCELED);
    ++expected.failed;
    COUNTED();
    must(fi_recv(b.ep, in, 20, NULL, FI_ADDR_UNSPEC, &context), "fi_recv");
    EXPECT(fi_cancel(&b.ep->fid, &context) == 0);
    const struct fi_cq_err_entry done = next(&b, NULL);
    EXPECT(done.err == FI_ECANCELED && done.op_context == &context);
    EXPECT(fi_cancel(&b.ep->fid, &context) == -FI_ENOENT);
    ++expected.both_failed;
    COUNTED();
    must(fi_recv(a.ep, in, 4, NULL, FI_ADDR_UNSPEC, &context), "fi_recv");
    SEND(fi_inject(b.ep, out, 7, b.peer));
    EXPECT(next(&a, NULL).err == FI_ETRUNC);
    ++expected.failed, ++expected.both;
    COUNTED();
    quiet();
}

/* R8, R9: a look is no receive; fetching what was claimed is one, also when it is let go. */
static void looks(void) {
    const size_t sizes[2] = {9, LONG_BYTES};
    struct fi_context context = {{0}};
    struct iovec iov = {in, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        struct fi_msg_tagged msg = {.addr = a.peer, .tag = 0x30, .context = &context};
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        EXPECT(next(&a, NULL).err == FI_ENOMSG);
        for (int j = 0; j < 3; ++j) {
            SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x30, NULL));
        }
        wait_for_message(0x30);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_DISCARD), "peek and discard");
        EXPECT(next(&a, NULL).err == 0 && next(&b, NULL).err == 0);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        EXPECT(next(&a, NULL).err == 0);
        expected.both += i == 0 ? 3 : 1; /* of the long ones two wait to be fetched */
        for (int j = 0; i == 0 && j < 2; ++j) {
            EXPECT(next(&b, NULL).err == 0);
        }
        COUNTED();
        msg.msg_iov = &iov;
        msg.iov_count = 1;
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM), "claim");
        ++expected.received, expected.both += (uint64_t)i;
        COUNTED();
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        EXPECT(next(&a, NULL).err == 0);
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_DISCARD), "claim and discard");
        ++expected.received, expected.both += (uint64_t)i;
        COUNTED();
        for (int j = 0; i == 1 && j < 2; ++j) {
            EXPECT(next(&b, NULL).err == 0);
        }
    }
    quiet();
}

static void long_messages(void) {
    for (int unexpected = 0; unexpected < 2; ++unexpected) {
        memset(in, 0, LONG_BYTES);
        if (!unexpected) {
            must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 0x40, 0, NULL), "fi_trecv");
        }
        SEND(fi_tsend(b.ep, out, LONG_BYTES, NULL, b.peer, 0x40, NULL));
        if (unexpected) {
            wait_for_message(0x40);
            COUNTED(); /* not before it is received */
            must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 0x40, 0, NULL), "fi_trecv");
        }
        ++expected.received, ++expected.both;
        COUNTED();
        EXPECT(memcmp(in, out, LONG_BYTES) == 0 && next(&b, NULL).err == 0);
    }
    must(fi_trecv(b.ep, in, LONG_BYTES, NULL, b.peer, 0x41, 0, NULL), "fi_trecv");
    SEND(fi_tsend(a.ep, out, LONG_BYTES, NULL, a.peer, 0x41, NULL));
    ++expected.sent, ++expected.both;
    COUNTED();
    EXPECT(next(&b, NULL).err == 0);
    quiet();
}

/* ---- waiting ------------------------------------------------------------------------------ */

static long milliseconds(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void *later(void *adderr) {
    const struct timespec pause = {0, 50000000};
    (void)nanosleep(&pause, NULL);
    if (adderr) {
        (void)fi_cntr_adderr(received, 1);
    } else {
        (void)fi_cntr_add(received, 1);
    }
    return NULL;
}

static int wait_while(void *adderr) {
    pthread_t thread;
    must(-pthread_create(&thread, NULL, later, adderr), "pthread_create");
    const int result = fi_cntr_wait(received, expected.received + 1, -1);
    (void)pthread_join(thread, NULL);
    return result;
}

/* No call but the wait reads what comes in. */
static void waits(void) {
    const uint64_t value = expected.received;
    const long start = milliseconds();
    EXPECT(fi_cntr_wait(received, value, -1) == 0 && fi_cntr_wait(received, 0, 0) == 0);
    EXPECT(fi_cntr_wait(received, value + 1, 0) == -FI_ETIMEDOUT);
    EXPECT(fi_cntr_wait(received, value + 1, 60) == -FI_ETIMEDOUT && milliseconds() - start >= 60);
    COUNTED();
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x50, 0, NULL), "fi_trecv");
    SEND(fi_tinject(b.ep, "waited", 6, b.peer, 0x50));
    EXPECT(fi_cntr_wait(received, value + 1, SECONDS * 1000) == 0);
    EXPECT(memcmp(in, "waited", 6) == 0);
    ++expected.received, ++expected.both;
    COUNTED();
    /* An error ends it, but not one that was there before. */
    must(fi_trecv(a.ep, in, 2, NULL, a.peer, 0x51, 0, NULL), "fi_trecv");
    SEND(fi_tinject(b.ep, "too long", 8, b.peer, 0x51));
    EXPECT(fi_cntr_wait(received, value + 2, SECONDS * 1000) == -FI_EAVAIL);
    EXPECT(fi_cntr_wait(received, value + 2, 10) == -FI_ETIMEDOUT);
    EXPECT(next(&a, NULL).err == FI_ETRUNC);
    ++expected.failed, ++expected.both;
    COUNTED();
    EXPECT(wait_while(NULL) == 0);
    ++expected.received;
    EXPECT(wait_while(&wrong) == -FI_EAVAIL);
    ++expected.failed;
    COUNTED();
}

static void sets(void) {
    must(fi_cntr_set(received, UINT64_MAX), "fi_cntr_set");
    must(fi_cntr_seterr(received, 7), "fi_cntr_seterr");
    expected.received = UINT64_MAX, expected.failed = 7;
    COUNTED();
    must(fi_cntr_add(received, 11), "fi_cntr_add");
    must(fi_cntr_adderr(received, 3), "fi_cntr_adderr");
    expected.received = 10, expected.failed = 10;
    COUNTED();
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x60, 0, NULL), "fi_trecv");
    SEND(fi_tinject(b.ep, "on top", 6, b.peer, 0x60));
    ++expected.received, ++expected.both;
    COUNTED();
}

/* ---- what there is, and is not ------------------------------------------------------------ */

/* As many counters as one that is found says, and not more. */
static void hints(void) {
    struct fi_info *hint = fi_dupinfo(info);
    struct fi_info *found = NULL;
    EXPECT(info->domain_attr->cntr_cnt >= 1024);
    must(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hint, &found), "fi_getinfo");
    EXPECT(found->domain_attr->cntr_cnt == info->domain_attr->cntr_cnt);
    fi_freeinfo(found);
    ++hint->domain_attr->cntr_cnt;
    EXPECT(fi_getinfo(FI_VERSION(1, 9), NULL, NULL, 0, hint, &found) == -FI_ENODATA);
    fi_freeinfo(hint);
}

/* An object is closed after what uses it. */
static void busy(void) {
    EXPECT(fi_close(&sent->fid) == -FI_EBUSY && fi_close(&both->fid) == -FI_EBUSY);
    EXPECT(fi_ep_bind(a.ep, &both->fid, FI_RECV) == -FI_EOPBADSTATE); /* it is enabled */
}

static void close_counters(void) {
    must(fi_close(&sent->fid), "fi_close of a counter");
    must(fi_close(&received->fid), "fi_close of a counter");
    EXPECT(fi_close(&domain->fid) == -FI_EBUSY);
    must(fi_close(&both->fid), "fi_close of a counter");
}

/* Two endpoints on one counter: waiting for it drives both, so a long message gets through. */
static void shared(void) {
    struct fid_cntr *all = open_counter(FI_WAIT_YIELD);
    open_counted(&a, FI_SELECTIVE_COMPLETION, all, all);
    open_counted(&b, FI_SELECTIVE_COMPLETION, NULL, all);
    introduce(&a, &b);
    introduce(&b, &a);
    must(fi_trecv(b.ep, in, LONG_BYTES, NULL, b.peer, 0x70, 0, NULL), "fi_trecv");
    SEND(fi_tsend(a.ep, out, LONG_BYTES, NULL, a.peer, 0x70, NULL));
    EXPECT(fi_cntr_wait(all, 2, SECONDS * 1000) == 0);
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x71, 0, NULL), "fi_trecv");
    SEND(fi_tinject(b.ep, "no count", 8, b.peer, 0x71));
    EXPECT(fi_cntr_wait(all, 3, SECONDS * 1000) == 0);
    quiet();
    EXPECT(fi_cntr_read(all) == 3 && fi_cntr_readerr(all) == 0);
    /* Operations left when an endpoint is closed are dropped without a word. */
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x72, 0, NULL), "fi_trecv");
    must(fi_recv(a.ep, in, 8, NULL, FI_ADDR_UNSPEC, NULL), "fi_recv");
    close_side(&a);
    EXPECT(fi_close(&all->fid) == -FI_EBUSY);
    close_side(&b);
    EXPECT(fi_cntr_read(all) == 3 && fi_cntr_readerr(all) == 0);
    must(fi_close(&all->fid), "fi_close of a counter");
}

int main(void) {
    for (unsigned i = 0; i < LONG_BYTES; ++i) {
        out[i] = (unsigned char)(i * 2654435761u >> 24);
    }
    open_all();
    hints();
    sent = open_counter(FI_WAIT_NONE);
    received = open_counter(FI_WAIT_UNSPEC);
    both = open_counter(FI_WAIT_UNSPEC);
    open_counted(&a, FI_SELECTIVE_COMPLETION, sent, received);
    open_counted(&b, 0, both, both);
    introduce(&a, &b);
    introduce(&b, &a);
    tagged();
    untagged();
    many_in_a_buffer();
    failures();
    looks();
    long_messages();
    waits();
    sets();
    busy();
    close_side(&a);
    close_side(&b);
    close_counters();
    shared();
    return outcome("every operation is counted");
}
