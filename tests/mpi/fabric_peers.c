/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers and address vectors by libfabric's calls alone: senders that are inserted after their first
 * message, addresses that are inserted twice, processes that come again at the same port.
 * Ends with 1 where an answer is not as it has to be.
 */
#include "fabric_sides.h"

#include <netinet/in.h>

static size_t name_of(const struct side *side, char name[static 128]) {
    size_t size = 128;
    must(fi_getname(&side->ep->fid, name, &size), "fi_getname");
    return size;
}

static fi_addr_t insert(struct side *side, const struct side *other) {
    char name[128];
    fi_addr_t index = FI_ADDR_NOTAVAIL;
    (void)name_of(other, name);
    EXPECT(fi_av_insert(side->av, name, 1, &index, 0, NULL) == 1);
    return index;
}

static void sent(const void *text, size_t length, uint64_t tag) {
    struct fi_cq_tagged_entry entry;
    ssize_t got;
    while ((got = fi_tsend(b.ep, text, length, NULL, b.peer, tag, &b)) == -FI_EAGAIN) {
        (void)fi_cq_read(b.cq, &entry, 1);
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    must(got, "fi_tsend");
}

/* The next message of this tag from this source, whose first byte is `first`; where it came from.
 */
static fi_addr_t received(fi_addr_t from, uint64_t tag, size_t length, unsigned char first) {
    fi_addr_t source = 0;
    memset(in, 0xee, length);
    must(fi_trecv(a.ep, in, LONG_BYTES, NULL, from, tag, 0, &in), "fi_trecv");
    const struct fi_cq_err_entry done = next(&a, &source);
    EXPECT(done.err == 0 && done.op_context == &in && done.tag == tag && done.len == length);
    EXPECT(in[0] == first);
    return source;
}

static int probe(fi_addr_t from, uint64_t tag) {
    const struct fi_msg_tagged look = {.addr = from, .tag = tag, .context = &out};
    must(fi_trecvmsg(a.ep, &look, FI_PEEK), "peek");
    return next(&a, NULL).err;
}

/*
 * R7: the messages of one sender are met in the order in which they came, also those that came
 * before the sender was inserted; from a sender that is not, a message has no source.
 */
static void inserted_after_its_messages(void) {
    out[0] = 0x33;
    sent("111", 4, 7);
    sent(out, LONG_BYTES, 8);
    sent("unknown", 8, 9);
    sent(out, LONG_BYTES, 10);
    wait_for_message(10);
    EXPECT(received(FI_ADDR_UNSPEC, 9, 8, 'u') == FI_ADDR_NOTAVAIL);
    EXPECT(received(FI_ADDR_UNSPEC, 10, LONG_BYTES, 0x33) == FI_ADDR_NOTAVAIL);
    EXPECT(insert(&a, &a) == 0);
    EXPECT(probe(0, 7) == FI_ENOMSG);
    a.peer = insert(&a, &b);
    EXPECT(a.peer == 1);
    EXPECT(probe(a.peer, 7) == 0);
    sent("222", 4, 7);
    sent("last", 5, 11);
    wait_for_message(11);
    EXPECT(received(a.peer, 7, 4, '1') == a.peer);
    EXPECT(received(a.peer, 7, 4, '2') == a.peer);
    EXPECT(received(FI_ADDR_UNSPEC, 8, LONG_BYTES, 0x33) == a.peer);
    EXPECT(received(a.peer, 11, 5, 'l') == a.peer);
}

/* A peer inserted twice has one index and is there until it was removed twice. */
static void inserted_twice(void) {
    const fi_addr_t wrong_ones[] = {2, 1000, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1,
                                    FI_ADDR_NOTAVAIL - 1};
    EXPECT(insert(&a, &b) == a.peer);
    for (size_t i = 0; i < sizeof wrong_ones / sizeof wrong_ones[0]; ++i) {
        fi_addr_t index = wrong_ones[i];
        char name[128];
        size_t size = sizeof name;
        EXPECT(fi_av_remove(a.av, &index, 1, 0) == -FI_EINVAL);
        EXPECT(fi_av_lookup(a.av, index, name, &size) == -FI_EINVAL);
        EXPECT(fi_tsend(a.ep, out, 1, NULL, index, 1, NULL) == -FI_EINVAL);
        EXPECT(fi_send(a.ep, out, 1, NULL, index, NULL) == -FI_EINVAL);
        EXPECT(fi_trecv(a.ep, in, 1, NULL, index, 1, 0, NULL) == -FI_EINVAL);
    }
    must(fi_av_remove(a.av, &a.peer, 1, 0), "fi_av_remove");
    sent("still", 6, 12);
    EXPECT(received(a.peer, 12, 6, 's') == a.peer);
    must(fi_av_remove(a.av, &a.peer, 1, 0), "fi_av_remove");
    EXPECT(fi_av_remove(a.av, &a.peer, 1, 0) == -FI_EINVAL);
    EXPECT(fi_trecv(a.ep, in, 1, NULL, a.peer, 1, 0, NULL) == -FI_EINVAL);
    /* The peer is unknown again, and then known again with what it sent meanwhile. */
    sent("gone", 5, 13);
    sent("gone", 5, 14);
    EXPECT(received(FI_ADDR_UNSPEC, 13, 5, 'g') == FI_ADDR_NOTAVAIL);
    a.peer = insert(&a, &b);
    EXPECT(received(a.peer, 14, 5, 'g') == a.peer);
}

/* As long as the unit can count, and no longer. */
static void longest(void) {
    const size_t lengths[] = {(size_t)1 << 48, (size_t)1 << 63, SIZE_MAX};
    struct iovec halves[2] = {{in, SIZE_MAX}, {in, 2}};
    const struct fi_msg_tagged msg = {.msg_iov = halves, .iov_count = 2, .addr = a.peer, .tag = 40};
    EXPECT(info->ep_attr->max_msg_size == ((size_t)1 << 48) - 1);
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        EXPECT(fi_trecv(a.ep, in, lengths[i], NULL, a.peer, 40, 0, &in) == -FI_EINVAL);
        EXPECT(fi_tsend(a.ep, in, lengths[i], NULL, a.peer, 40, &in) == -FI_EINVAL);
    }
    EXPECT(fi_trecvmsg(a.ep, &msg, 0) == -FI_EINVAL && fi_tsendmsg(a.ep, &msg, 0) == -FI_EINVAL);
    must(fi_trecv(a.ep, in, ((size_t)1 << 48) - 1, NULL, a.peer, 40, 0, &in), "fi_trecv");
    sent("right", 6, 40);
    const struct fi_cq_err_entry done = next(&a, NULL);
    EXPECT(done.err == 0 && done.len == 6 && memcmp(in, "right", 6) == 0);
}

/* Untagged messages have sources too, and a receive may name one. */
static void untagged(void) {
    struct fi_cq_tagged_entry entry;
    ssize_t got;
    fi_addr_t self = insert(&a, &a);
    EXPECT(fi_recv(a.ep, in, 8, NULL, 1000, &in) == -FI_EINVAL);
    must(fi_recv(a.ep, out, 8, NULL, self, &self), "fi_recv from itself");
    must(fi_recv(a.ep, in, 8, NULL, a.peer, &in), "fi_recv");
    while ((got = fi_send(b.ep, "direct", 7, NULL, b.peer, &b)) == -FI_EAGAIN) {
        (void)fi_cq_read(b.cq, &entry, 1);
        (void)fi_cq_read(a.cq, NULL, 0);
    }
    must(got, "fi_send");
    fi_addr_t source = FI_ADDR_NOTAVAIL;
    const struct fi_cq_err_entry done = next(&a, &source);
    EXPECT(done.err == 0 && done.op_context == &in && memcmp(in, "direct", 7) == 0);
    EXPECT(source == a.peer && fi_cancel(&a.ep->fid, &self) == 0);
    EXPECT(next(&a, NULL).err == FI_ECANCELED);
}

static void open_at(struct side *side, in_port_t port) {
    struct fi_info *kept = info;
    info = fi_dupinfo(kept);
    struct sockaddr_in *address = (struct sockaddr_in *)info->src_addr;
    EXPECT(address && address->sin_family == AF_INET);
    address->sin_port = port;
    open_side(side, 0);
    fi_freeinfo(info);
    info = kept;
}

/* A server ends and is started again at its port: it is the same peer, inserted anew or not. */
static void comes_again(int removed_between) {
    char name[128];
    open_at(&b, 0);
    (void)name_of(&b, name);
    const in_port_t port = ((const struct sockaddr_in *)(const void *)name)->sin_port;
    for (int i = 0; i < 2; ++i) {
        b.peer = insert(&b, &a);
        a.peer = insert(&a, &b);
        EXPECT(a.peer != FI_ADDR_NOTAVAIL);
        sent("hello", 6, 20);
        EXPECT(received(a.peer, 20, 6, 'h') == a.peer);
        must(fi_trecv(b.ep, in, 8, NULL, b.peer, 21, 0, &b.peer), "fi_trecv");
        must(fi_tsend(a.ep, "answer", 7, NULL, a.peer, 21, &a.peer), "fi_tsend");
        while (next(&b, NULL).op_context != &b.peer) {
        }
        EXPECT(next(&a, NULL).op_context == &a.peer);
        if (i == 1) {
            break;
        }
        close_side(&b);
        if (removed_between) {
            must(fi_av_remove(a.av, &a.peer, 1, 0), "fi_av_remove");
        }
        open_at(&b, port);
    }
    close_side(&b);
}

int main(void) {
    open_all();
    open_side(&a, 0);
    open_side(&b, 0);
    b.peer = insert(&b, &a);
    inserted_after_its_messages();
    inserted_twice();
    longest();
    untagged();
    close_side(&b);
    comes_again(0);
    comes_again(1);
    close_side(&a);
    return outcome("every peer is itself");
}
