/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The provider on a provider below that fails when it is told to, which a real one cannot be.
 * Every operation that can no longer end by itself has to end with the error.
 */
#include "fake_below.h"

/* The one completion that there is: an operation of the user with this context and error. */
static void ended(const void *context, uint64_t kind, int error) {
    EXPECT(cq.dones.count == 1);
    if (cq.dones.count == 0) {
        return;
    }
    const struct fi_cq_err_entry *entry = &cq.dones.ring[cq.dones.head].entry;
    EXPECT(entry->op_context == context && entry->err == error && (entry->flags & kind) != 0);
    cq.dones.head = (cq.dones.head + 1) & (cq.dones.room - 1);
    cq.dones.count = 0;
}

/* Of the counters since the last look, the errors last. */
static void counted(uint64_t sends, uint64_t receives, uint64_t sends_failed,
                    uint64_t receives_failed) {
    EXPECT(sent.value == sends && sent.errors == sends_failed);
    EXPECT(received.value == receives && received.errors == receives_failed);
    sent.value = sent.errors = received.value = received.errors = 0;
}

/* Short and long, at once and later: each ends once; what is not taken below is not taken. */
static void sends(void) {
    size_t sizes[2] = {10, LONG_BYTES};
    for (int i = 0; i < 2; ++i) {
        send_result = -FI_EHOSTUNREACH;
        EXPECT(tfi_tsend(&ep.fid, buffer, sizes[i], NULL, 0, 1, &sizes) == 0);
        ended(&sizes, FI_SEND, FI_EHOSTUNREACH);
        send_result = -FI_EAGAIN;
        EXPECT(tfi_tsend(&ep.fid, buffer, sizes[i], NULL, 0, 1, &sizes) == -FI_EAGAIN);
        EXPECT(cq.dones.count == 0 && ep.sends.used == 0 && !tfi_out_waits(&ep, NULL));
        send_result = 0;
        EXPECT(tfi_tsend(&ep.fid, buffer, sizes[i], NULL, 0, 1, &sizes) == 0);
        EXPECT(cq.dones.count == 0);
        below_fails(last_context, FI_ECONNRESET);
        ended(&sizes, FI_SEND, FI_ECONNRESET);
        EXPECT(ep.sends.used == 0 && ep.sending == 0);
        counted(0, 0, 2, 0);
    }
    /* An injected message has no completion, for an entry would have no context; it is counted. */
    EXPECT(tfi_tinject(&ep.fid, buffer, 10, 0, 1) == 0);
    below_fails(last_context, FI_ECONNRESET);
    EXPECT(cq.dones.count == 0);
    counted(0, 0, 1, 0);
}

/* A receive whose sender cannot be asked for the payload; its buffer is below until a cancel. */
static void pulls(void) {
    tfi_message_t *message = calloc(1, sizeof *message);
    tfi_ask_t *ask = calloc(1, sizeof *ask);
    message->record.length = LONG_BYTES;
    message->ready = true;
    message->from = peer;
    ++peer->holds;
    ask->record.length = LONG_BYTES;
    ask->context = &av;
    ask->iov[0] = (struct iovec){buffer, LONG_BYTES};
    ask->iov_count = 1;
    tfi_enlist(&ep, ask);
    send_result = -FI_EHOSTUNREACH;
    tfi_pull_start(&ep, message, ask);
    EXPECT(cq.dones.count == 0 && cancelled && cancelled == last_context);
    below_fails(cancelled, FI_ECANCELED);
    ended(&av, FI_RECV, FI_EHOSTUNREACH);
    EXPECT(ep.fetched.used == 0 && ep.receives.count == 0);
    counted(0, 0, 0, 1);
}

/* The memory of frames is looked at only while one of them has to be offered again. */
static void idle_frames(void) {
    EXPECT(ep.idle == 0);
    tfi_in_t *const in = ep.in;
    ep.in = NULL;
    tfi_progress(&ep);
    ep.in = in;
    in[3].posted = false;
    ep.idle = 1;
    tfi_progress(&ep);
    EXPECT(in[3].posted && ep.idle == 0);
}

/* The user's payload waits for the inner endpoint when it was asked for. */
static void payloads(void) {
    wire_frame_t pull = {.kind = WIRE_PULL, .tag = WIRE_PULL_TAG, .length = LONG_BYTES};
    EXPECT(tfi_tsend(&ep.fid, buffer, LONG_BYTES, NULL, 0, 1, &av) == 0);
    pull.sender = TFI_OF(tfi_out_t, last_context)->announces;
    below_ends(last_context, FI_SEND, 0);
    EXPECT(cq.dones.count == 0 && ep.sends.used == 1);
    send_result = -FI_EAGAIN;
    EXPECT(!tfi_send_payload(&ep, peer, &pull));
    EXPECT(tfi_out_waits(&ep, NULL) && cq.dones.count == 0);
    send_result = 0;
    tfi_progress(&ep);
    EXPECT(!tfi_out_waits(&ep, NULL) && ep.sending == 1);
    below_ends(last_context, FI_SEND, 0);
    ended(&av, FI_SEND, 0);
    counted(1, 0, 0, 0);
}

/* A frame of the peer's is in a buffer that was offered. */
static void frame_comes(size_t at, wire_frame_t frame, uint8_t first) {
    frame.name_length = peer->length;
    memcpy(frame.name, peer->name, peer->length);
    wire_encode(&frame, ep.in[at].bytes);
    ep.in[at].bytes[WIRE_HEADER] = first;
    below_ends(&ep.in[at].work, FI_TAGGED | FI_RECV,
               WIRE_HEADER + (frame.kind == WIRE_EAGER ? frame.length : 0));
}

static void comes(size_t at, wire_kind_t kind, uint64_t tag, uint64_t length, uint8_t first) {
    frame_comes(at, (wire_frame_t){.kind = kind, .tag = tag, .length = length}, first);
}

static void untagged_comes(wire_kind_t kind, uint64_t length, uint8_t first) {
    frame_comes(5, (wire_frame_t){.kind = kind, .untagged = true, .length = length}, first);
}

static void receive(uint64_t tag, uint8_t *target, size_t length, void *context) {
    const struct iovec iov = {target, length};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .tag = tag, .context = context};
    EXPECT(tfi_tagged_ops.recvmsg(&ep.fid, &msg, 0) == 0);
}

static void progress(void) {
    for (int i = 0; i < 100; ++i) {
        tfi_progress(&ep);
    }
}

/* Untagged sends: what the provider below does not take never was; what it took ends once. */
static void untagged_sends(void) {
    char mine[8] = "my text";
    const struct iovec iov = {mine, sizeof mine};
    const struct fi_msg msg = {.msg_iov = &iov, .iov_count = 1, .context = &av};
    send_result = -FI_EAGAIN;
    EXPECT(tfi_msg_ops.sendmsg(&ep.fid, &msg, 0) == -FI_EAGAIN && ep.sending == 0);
    send_result = 0;
    EXPECT(tfi_msg_ops.sendmsg(&ep.fid, &msg, FI_INJECT) == 0 && ep.sending == 1);
    EXPECT(last_pieces == 1 && TFI_OF(tfi_out_t, last_context)->bytes == last_piece);
    below_fails(last_context, FI_ECONNRESET);
    ended(&av, FI_SEND, FI_ECONNRESET);
    counted(0, 0, 1, 0);
    EXPECT(tfi_msg_ops.inject(&ep.fid, mine, sizeof mine, 0) == 0);
    below_ends(last_context, FI_SEND, 0);
    EXPECT(cq.dones.count == 0);
    counted(1, 0, 0, 0);
    EXPECT(tfi_msg_ops.inject(&ep.fid, buffer, ep.inject_size + 1, 0) == -FI_EINVAL);
    EXPECT(ep.sending == 0);
}

static int post(uint8_t *target, size_t length, void *context, uint64_t flags) {
    const struct iovec iov = {target, length};
    const struct fi_msg msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = FI_ADDR_UNSPEC, .context = context};
    return (int)tfi_msg_ops.recvmsg(&ep.fid, &msg, flags);
}

/* Untagged receives and messages meet in order, whichever is first; tagged ones are others. */
static void untagged_receives(void) {
    uint8_t bytes[3] = {0};
    EXPECT(post(bytes, 1, &av, FI_CLAIM) == -FI_EBADFLAGS);
    EXPECT(post(&bytes[0], 1, &bytes[0], 0) == 0 && post(&bytes[1], 1, &bytes[1], 0) == 0);
    EXPECT(tfi_cancel(&ep.fid.fid, &cq) == -FI_ENOENT);
    EXPECT(tfi_cancel(&ep.fid.fid, &bytes[0]) == 0);
    ended(&bytes[0], FI_MSG, FI_ECANCELED);
    EXPECT(tfi_cancel(&ep.fid.fid, &bytes[0]) == -FI_ENOENT);
    comes(5, WIRE_EAGER, 0, 1, 't'); /* nobody's */
    untagged_comes(WIRE_EAGER, 1, 'a');
    ended(&bytes[1], FI_MSG, 0);
    EXPECT(bytes[1] == 'a' && bytes[0] == 0);
    untagged_comes(WIRE_EAGER, 1, 'b');
    untagged_comes(WIRE_EAGER, 2, 'c');
    EXPECT(cq.dones.count == 0 && post(&bytes[0], 1, &bytes[0], 0) == 0);
    ended(&bytes[0], FI_MSG, 0);
    EXPECT(post(&bytes[2], 1, &bytes[2], 0) == 0);
    ended(&bytes[2], FI_MSG, FI_ETRUNC);
    EXPECT(bytes[0] == 'b' && bytes[2] == 'c');
    receive(0, &bytes[0], 1, &bytes[0]);
    progress();
    ended(&bytes[0], FI_TAGGED, 0);
    EXPECT(bytes[0] == 't' && ep.receives.count == 0);
    counted(0, 3, 0, 2);
}

/* Three long messages in one buffer: whichever ends last says that it is the user's again. */
static void many(void) {
    static const size_t orders[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    static uint8_t target[3 * LONG_BYTES + 63];
    for (size_t i = 0; i < 3; ++i) {
        void *payloads[3];
        EXPECT(post(target, sizeof target, &av, FI_MULTI_RECV) == 0);
        for (size_t j = 0; j < 3; ++j) {
            untagged_comes(WIRE_READY, LONG_BYTES, 0);
            payloads[j] = taken[(taken_count - 2) % TAKEN];
            below_ends(last_context, FI_SEND, 0);
        }
        EXPECT(tfi_cancel(&ep.fid.fid, &av) == -FI_ENOENT && cq.dones.count == 0);
        for (size_t j = 0; j < 3; ++j) {
            below_ends(payloads[orders[i][j]], FI_RECV, LONG_BYTES);
            const struct fi_cq_err_entry *entry = &cq.dones.ring[cq.dones.head].entry;
            EXPECT(((entry->flags & FI_MULTI_RECV) != 0) == (j == 2));
            EXPECT(entry->buf == target + orders[i][j] * LONG_BYTES);
            ended(&av, FI_RECV, 0);
        }
        EXPECT(ep.receives.count == 0);
        counted(0, 3, 0, 0);
    }
}

/* A buffer that is taken back: at once, or as soon as what is on its way has ended. */
static void many_cancelled(void) {
    EXPECT(post(buffer, 300, &av, FI_MULTI_RECV) == 0 && tfi_cancel(&ep.fid.fid, &av) == 0);
    ended(&av, FI_MULTI_RECV, FI_ECANCELED);
    EXPECT(post(buffer, LONG_BYTES, &av, FI_MULTI_RECV) == 0);
    untagged_comes(WIRE_EAGER, 100, 'x');
    ended(&av, FI_RECV, 0);
    untagged_comes(WIRE_READY, LONG_BYTES - 200, 0);
    void *const payload = taken[(taken_count - 2) % TAKEN];
    below_ends(last_context, FI_SEND, 0);
    EXPECT(tfi_cancel(&ep.fid.fid, &av) == 0);
    EXPECT((cq.dones.ring[cq.dones.head].entry.flags & FI_MULTI_RECV) == 0);
    ended(&av, FI_RECV, FI_ECANCELED);
    below_ends(payload, FI_RECV, LONG_BYTES - 200);
    ended(&av, FI_MULTI_RECV, 0);
    EXPECT(buffer[0] == 'x' && ep.receives.count == 0);
    counted(0, 2, 0, 2);
}

/* R7: frames that there is no memory for stay in their buffers, in order. */
static void short_of_memory(void) {
    slots_t *const slots = &domain.unit->slots;
    const slots_t whole = *slots;
    const uint64_t before = domain.unit->traffic.eager;
    uint8_t bytes[2] = {0};
    EXPECT(!tfi_busy(&ep));
    slots->used = slots->room = (size_t)1 << 31; /* as full as it can be */
    comes(4, WIRE_EAGER, 50, 1, 'a');
    comes(2, WIRE_EAGER, 50, 1, 'b');
    EXPECT(ep.kept_first == &ep.in[4] && ep.kept_last == &ep.in[2] && ep.kept == 2);
    EXPECT(domain.unit->traffic.eager == before && tfi_busy(&ep));
    *slots = whole;
    receive(50, &bytes[0], 1, &bytes[0]);
    receive(50, &bytes[1], 1, &bytes[1]);
    progress();
    EXPECT(!ep.kept_first && domain.unit->traffic.eager == before + 2 && cq.dones.count == 2);
    EXPECT(bytes[0] == 'a' && bytes[1] == 'b');
    cq.dones.count = 0;
    cq.dones.head = 0;
    counted(0, 2, 0, 0);
}

/* R10: of receives with one context the oldest that has no message is cancelled, of thousands. */
static void cancels(void) {
    enum { MANY = 5000 };
    static uint8_t contexts[MANY];
    receive(60, buffer, LONG_BYTES, &av);
    receive(61, buffer, LONG_BYTES, &av);
    receive(60, buffer, LONG_BYTES, &av);
    for (size_t i = 0; i < MANY; ++i) {
        receive(62, buffer, 1, &contexts[i]);
    }
    comes(0, WIRE_READY, 60, LONG_BYTES, 0);
    progress();
    void *const payload = taken[(taken_count - 2) % TAKEN];
    for (int i = 0; i < 2; ++i) {
        const uint64_t tag = tfi_find_ask(&ep, &av)->record.key.match;
        EXPECT(tag == (i == 0 ? 61u : 60u) && tfi_cancel(&ep.fid.fid, &av) == 0);
        ended(&av, FI_RECV, FI_ECANCELED);
    }
    EXPECT(tfi_cancel(&ep.fid.fid, &av) == -FI_ENOENT);
    for (size_t i = 0; i < MANY; ++i) {
        EXPECT(tfi_cancel(&ep.fid.fid, &contexts[i]) == 0);
        ended(&contexts[i], FI_RECV, FI_ECANCELED);
    }
    below_ends(last_context, FI_SEND, 0);
    below_ends(payload, FI_RECV, LONG_BYTES);
    ended(&av, FI_RECV, 0);
    EXPECT(ep.receives.count == 0);
    counted(0, 1, 0, MANY + 2);
}

/* A unit that breaks: whatever is asked of it ends once, with its own context. */
static void broken(void) {
    struct fi_context contexts[4] = {{{0}}};
    const uint64_t flags[] = {0, FI_PEEK, FI_PEEK | FI_CLAIM, FI_PEEK | FI_DISCARD};
    struct fi_msg_tagged msg = {.tag = 99};
    EXPECT(tfi_tsend(&ep.fid, buffer, LONG_BYTES, NULL, 0, 1, &av) == 0);
    below_ends(last_context, FI_SEND, 0);
    for (size_t i = 0; i < 4; ++i) {
        msg.context = &contexts[i];
        EXPECT(tfi_tagged_ops.recvmsg(&ep.fid, &msg, flags[i]) == 0);
    }
    EXPECT(ep.receives.count == 1 && cq.dones.count == 0 && ep.sends.used == 1);
    /* The unit's first answer is about a handle that is not there. */
    record_t *receive = &tfi_find_ask(&ep, &contexts[0])->record;
    slots_release(&domain.unit->slots, receive->handle);
    receive->handle = slots_take(&domain.unit->slots, receive);
    tfi_progress(&ep);
    EXPECT(ep.matcher.broken && ep.receives.count == 0 && ep.sends.used == 0 &&
           cq.dones.count == 5);
    for (size_t i = 0; i < 5; ++i) {
        const void *const context = i == 0 ? (void *)&av : &contexts[i - 1];
        size_t found = 0;
        for (size_t j = 0; j < 5; ++j) {
            const struct fi_cq_err_entry *entry =
                &cq.dones.ring[(cq.dones.head + j) & (cq.dones.room - 1)].entry;
            found += entry->err == FI_EIO && entry->op_context == context;
        }
        EXPECT(found == 1);
    }
    cq.dones.count = 0;
    counted(0, 0, 1, 1);
    for (size_t i = 0; i < 4; ++i) {
        EXPECT(tfi_tagged_ops.recvmsg(&ep.fid, &msg, flags[i]) == -FI_EIO);
    }
    EXPECT(tfi_cancel(&ep.fid.fid, &contexts[0]) == -FI_ENOENT);
}

/* A message in one frame leaves from the user's buffer, but a short or an injected one. */
static void copies(void) {
    const size_t sizes[3] = {TFI_BY_PARTS - 1, TFI_BY_PARTS, TFI_EAGER};
    for (size_t i = 0; i < 3; ++i) {
        EXPECT(tfi_tsend(&ep.fid, buffer, sizes[i], NULL, 0, 1, &av) == 0);
        EXPECT((last_piece == buffer) == (i != 0) && last_pieces == (i != 0 ? 2 : 1));
        below_ends(last_context, FI_SEND, 0);
        ended(&av, FI_SEND, 0);
    }
    ep.inject_size = TFI_EAGER;
    EXPECT(tfi_tinject(&ep.fid, buffer, TFI_EAGER, 0, 1) == 0 && last_pieces == 1);
    below_ends(last_context, FI_SEND, 0);
    ep.inject_size = 64;
    counted(4, 0, 0, 0);
}

int main(void) {
    start();
    sends();
    copies();
    payloads();
    pulls();
    untagged_sends();
    untagged_receives();
    many();
    many_cancelled();
    idle_frames();
    short_of_memory();
    cancels();
    broken();
    tfi_watch_free(&ep);
    EXPECT(!tfi_out_waits(&ep, NULL) && !ep.leaving && peer->holds == 1);
    stop();
    peers_close(&av.peers);
    if (wrong == 0) {
        printf("every failure ends its operation\n");
    }
    return wrong == 0 ? 0 : 1;
}
