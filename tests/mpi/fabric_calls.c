/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two endpoints of the provider in one process, by libfabric's calls alone: what MPI does not ask
 * for, and the exact completions.  Ends with 1 where one is not as it has to be.
 */
#include "fabric_sides.h"

static void short_messages(void) {
    const uint64_t data = info->domain_attr->cq_data_size < 8 ? 0x90123456 : 0x1234567890;
    int context = 0;
    fi_addr_t source;
    must(fi_trecv(a.ep, in, 100, NULL, a.peer, 0x11, 0, &context), "fi_trecv");
    SEND(fi_tinjectdata(b.ep, "hello", 5, 0x77, b.peer, 0x11));
    quiet(); /* a asked for no completion, and an injected message has none */
    EXPECT(memcmp(in, "hello", 5) == 0);
    struct iovec iov[2] = {{in, 2}, {in + 10, 8}};
    struct fi_msg_tagged msg = {.msg_iov = iov, .iov_count = 2, .addr = FI_ADDR_UNSPEC};
    msg.tag = 0x20;
    msg.ignore = 0xf;
    msg.context = &context;
    must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    SEND(fi_tsenddata(b.ep, "abcdef", 6, NULL, data, b.peer, 0x2c, &wrong));
    struct fi_cq_err_entry done = next(&a, &source);
    EXPECT(done.err == 0 && done.op_context == &context && done.len == 6 && done.tag == 0x2c);
    EXPECT(done.data == data && (done.flags & FI_REMOTE_CQ_DATA) != 0);
    EXPECT((done.flags & (FI_TAGGED | FI_RECV)) == (FI_TAGGED | FI_RECV) && source == a.peer);
    EXPECT(memcmp(in, "ab", 2) == 0 && memcmp(in + 10, "cdef", 4) == 0);
    done = next(&b, NULL);
    EXPECT(done.err == 0 && done.op_context == &wrong);
    EXPECT((done.flags & (FI_TAGGED | FI_SEND)) == (FI_TAGGED | FI_SEND));
    quiet();
}

/* A receive directed at another source does not get it; the ignore mask may be any. */
static void keys(void) {
    int contexts[3];
    const uint64_t masks[3] = {0, UINT64_C(0x00ff000000000000), UINT64_MAX};
    struct iovec iov = {in, 1};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .tag = UINT64_C(1) << 63};
    for (int i = 0; i < 3; ++i) {
        msg.addr = i == 2 ? 0 : a.peer; /* 0 is a itself */
        msg.ignore = masks[i];
        msg.context = &contexts[i];
        must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    }
    SEND(fi_tinject(b.ep, "x", 1, b.peer, UINT64_C(0x8077000000000000)));
    EXPECT(next(&a, NULL).op_context == &contexts[1]);
    SEND(fi_tinject(b.ep, "x", 1, b.peer, UINT64_C(1) << 63));
    EXPECT(next(&a, NULL).op_context == &contexts[0]);
    SEND(fi_tinject(a.ep, "x", 1, 0, 5));
    EXPECT(next(&a, NULL).op_context == &contexts[2]);
    quiet();
}

/* R12: the receive is used up, and the error says how much is missing. */
static void truncation(void) {
    const size_t sizes[2] = {30, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        memset(in, 0, LONG_BYTES);
        must(fi_trecv(a.ep, in, 20, NULL, a.peer, 0x30, 0, &in), "fi_trecv");
        SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x30, &out));
        const struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == FI_ETRUNC && done.op_context == &in);
        EXPECT(done.len == 20 && done.olen == sizes[i] - 20 && done.tag == 0x30);
        EXPECT(memcmp(in, out, 20) == 0 && in[20] == 0);
        EXPECT(next(&b, NULL).op_context == &out);
    }
    quiet();
}

static void long_messages(void) {
    struct iovec to[2] = {{in, 1000}, {in + 1000, LONG_BYTES - 1000}};
    struct iovec from[2] = {{out, 70000}, {out + 70000, LONG_BYTES - 70000}};
    struct fi_msg_tagged msg = {.msg_iov = to, .iov_count = 2, .addr = a.peer, .tag = 0x40};
    for (int unexpected = 0; unexpected < 2; ++unexpected) {
        memset(in, 0, LONG_BYTES);
        msg.context = &to;
        if (!unexpected) {
            must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
        }
        SEND(fi_tsendv(b.ep, from, NULL, 2, b.peer, 0x40, &from));
        if (unexpected) {
            wait_for_message(0x40);
            must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
        }
        const struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == LONG_BYTES && done.op_context == &to);
        EXPECT(memcmp(in, out, LONG_BYTES) == 0);
        EXPECT(next(&b, NULL).op_context == &from);
    }
    quiet();
}

/* R8, R9: a look reports, a claim takes, what is discarded is gone; by both ways of sending. */
static void looks(void) {
    const size_t sizes[2] = {9, LONG_BYTES};
    struct fi_context context = {{0}};
    struct iovec iov = {in, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        struct fi_msg_tagged msg = {.addr = a.peer, .tag = 0x50, .context = &context};
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        struct fi_cq_err_entry done = next(&a, NULL);
        EXPECT(done.err == FI_ENOMSG && done.op_context == &context);
        SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x50, NULL));
        SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x50, NULL));
        wait_for_message(0x50);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i] && done.tag == 0x50);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_DISCARD), "peek and discard");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i]);
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK), "peek");
        EXPECT(next(&a, NULL).err == FI_ENOMSG);
        memset(in, 0, LONG_BYTES);
        msg.msg_iov = &iov;
        msg.iov_count = 1;
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_COMPLETION), "claim");
        done = next(&a, NULL);
        EXPECT(done.err == 0 && done.len == sizes[i] && done.op_context == &context);
        EXPECT(memcmp(in, out, sizes[i]) == 0);
        EXPECT(next(&b, NULL).err == 0 && next(&b, NULL).err == 0);
        SEND(fi_tsend(b.ep, out, sizes[i], NULL, b.peer, 0x51, NULL));
        wait_for_message(0x51);
        msg = (struct fi_msg_tagged){.addr = a.peer, .tag = 0x51, .context = &context};
        must(fi_trecvmsg(a.ep, &msg, FI_PEEK | FI_CLAIM), "peek and claim");
        EXPECT(next(&a, NULL).len == sizes[i]);
        must(fi_trecvmsg(a.ep, &msg, FI_CLAIM | FI_DISCARD | FI_COMPLETION), "discard");
        EXPECT(next(&a, NULL).err == 0 && next(&b, NULL).err == 0);
    }
    quiet();
}

/* R10 */
static void cancels(void) {
    int context;
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x60, 0, &context), "fi_trecv");
    EXPECT(fi_cancel(&a.ep->fid, &context) == 0);
    struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == FI_ECANCELED && done.op_context == &context);
    /* Too late while the completion waits to be read. */
    struct iovec iov = {in, 8};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = a.peer, .tag = 0x61, .context = &context};
    must(fi_trecvmsg(a.ep, &msg, FI_COMPLETION), "fi_trecvmsg");
    SEND(fi_tinject(b.ep, "late", 4, b.peer, 0x61));
    struct timespec pause = {0, 20000000};
    for (int i = 0; i < 10; ++i) {
        (void)fi_cq_read(b.cq, NULL, 0);
        (void)fi_cq_read(a.cq, NULL, 0);
        (void)nanosleep(&pause, NULL);
    }
    EXPECT(fi_cancel(&a.ep->fid, &context) == -FI_ENOENT);
    done = next(&a, NULL);
    EXPECT(done.err == 0 && done.len == 4 && done.op_context == &context);
    quiet();
}

/* Untagged calls go to the provider below and share the completion queue. */
static void untagged(void) {
    int context;
    struct iovec iov = {in, 64};
    const struct fi_msg msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = &context};
    memset(in, 0, 64);
    must(fi_recvmsg(a.ep, &msg, FI_COMPLETION), "fi_recvmsg");
    SEND(fi_send(b.ep, "direct", 6, NULL, b.peer, &context));
    const struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == 0 && done.len == 6 && memcmp(in, "direct", 6) == 0);
    EXPECT((done.flags & FI_TAGGED) == 0 && next(&b, NULL).op_context == &context);
    quiet();
}

int main(void) {
    for (unsigned i = 0; i < LONG_BYTES; ++i) {
        out[i] = (unsigned char)(i * 2654435761u >> 24);
    }
    open_both(FI_SELECTIVE_COMPLETION);
    short_messages();
    keys();
    truncation();
    long_messages();
    looks();
    cancels();
    untagged();
    /* All that is left at the end is flushed (R14): a receive, and messages of both kinds. */
    must(fi_trecv(a.ep, in, 8, NULL, a.peer, 0x70, 0, NULL), "fi_trecv");
    SEND(fi_tinject(b.ep, "left", 4, b.peer, 0x71));
    SEND(fi_tsend(b.ep, out, LONG_BYTES, NULL, b.peer, 0x72, NULL));
    wait_for_message(0x72);
    /* And a receive whose payload is asked for, and does not come. */
    SEND(fi_tsend(b.ep, out, LONG_BYTES, NULL, b.peer, 0x73, NULL));
    wait_for_message(0x73);
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, a.peer, 0x73, 0, NULL), "fi_trecv");
    for (int i = 0; i < 20; ++i) {
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    return close_both("every completion is right");
}
