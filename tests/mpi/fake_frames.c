/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames that no provider sends, into one on a provider below that hands over what it is given.
 * They are refused and counted, or are messages like others; no operation ends that should not, and
 * the endpoint goes on.  Arguments: a seed, and how many random frames.
 */
#include "fake_below.h"

#include <inttypes.h>

#define NAME 8u

static uint64_t state;

static uint32_t pick(uint32_t below_this) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below_this;
}

/* A buffer that was offered has the frame. */
static void comes(const uint8_t *bytes, size_t size) {
    tfi_in_t *in = &ep.in[pick(TFI_FRAMES_IN)];
    memcpy(in->bytes, bytes, size);
    below_ends(&in->work, FI_TAGGED | FI_RECV, size);
}

static wire_frame_t frame_of(wire_kind_t kind, const char *name, uint64_t length) {
    wire_frame_t frame = {.kind = kind, .name_length = NAME, .tag = 7, .length = length};
    memcpy(frame.name, name, NAME);
    return frame;
}

static void came(const wire_frame_t *frame, size_t payload) {
    uint8_t bytes[WIRE_HEADER + 64] = {0};
    wire_encode(frame, bytes);
    comes(bytes, WIRE_HEADER + payload);
}

static uint64_t refused(void) { return domain.unit->traffic.refused; }

/* One error or end of the user's, and its context. */
static int take_end(const void *context) {
    EXPECT(cq.dones.count == 1);
    if (cq.dones.count != 1) {
        return -1;
    }
    const struct fi_cq_err_entry *entry = &cq.dones.ring[cq.dones.head].entry;
    EXPECT(entry->op_context == context);
    cq.dones.head = (cq.dones.head + 1) & (cq.dones.room - 1);
    cq.dones.count = 0;
    return entry->err;
}

/* A length that the unit does not count. */
static void impossible_lengths(void) {
    const uint64_t lengths[] = {UINT64_C(1) << 48, UINT64_C(1) << 63, UINT64_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
        const wire_frame_t frame = frame_of(WIRE_READY, "\1\2\3\4\5\6\7\10", lengths[i]);
        const uint64_t before = refused();
        came(&frame, 0);
        EXPECT(refused() == before + 1 && !ep.matcher.broken);
    }
    wire_frame_t longer = frame_of(WIRE_EAGER, "\1\2\3\4\5\6\7\10", 0);
    longer.name_length = NAME + 2;
    const uint64_t before = refused();
    came(&longer, 0);
    EXPECT(refused() == before + 1);
}

/* Only who a message was announced to may have it, no more than there is, by a tag of payloads. */
static void strangers(void) {
    wire_frame_t pull = frame_of(WIRE_PULL, "stranger", LONG_BYTES);
    EXPECT(tfi_tsend(&ep.fid, buffer, LONG_BYTES, NULL, 0, 1, &pull) == 0);
    const uint64_t handle = TFI_OF(tfi_out_t, last_context)->announces;
    below_ends(last_context, FI_SEND, 0);
    const uint64_t before = refused();
    const size_t taken_before = taken_count;
    pull.tag = WIRE_PULL_TAG;
    for (uint64_t i = 0; i < 8; ++i) {
        pull.sender = i;
        came(&pull, 0);
    }
    pull.sender = handle;
    came(&pull, 0);
    memcpy(pull.name, peer->name, NAME);
    pull.length = LONG_BYTES + 1;
    came(&pull, 0);
    pull.length = LONG_BYTES;
    pull.tag = 0;
    came(&pull, 0);
    EXPECT(refused() == before + 11 && taken_count == taken_before && cq.dones.count == 0);
    pull.tag = WIRE_PULL_TAG;
    came(&pull, 0);
    EXPECT(refused() == before + 11 && taken_count == taken_before + 1);
    below_ends(last_context, FI_SEND, 0);
    EXPECT(take_end(&pull) == 0);
}

/* A payload that is shorter than it was announced is no message. */
static void short_payload(void) {
    const wire_frame_t ready = frame_of(WIRE_READY, "\1\2\3\4\5\6\7\10", LONG_BYTES);
    const struct iovec iov = {buffer, LONG_BYTES};
    const struct fi_msg_tagged msg = {
        .msg_iov = &iov, .iov_count = 1, .addr = 0, .tag = 7, .context = &state};
    EXPECT(tfi_tagged_ops.recvmsg(&ep.fid, &msg, 0) == 0);
    came(&ready, 0);
    for (int i = 0; i < 50; ++i) {
        tfi_progress(&ep);
    }
    void *const receive = taken[(taken_count - 2) % TAKEN];
    below_ends(taken[(taken_count - 1) % TAKEN], FI_SEND, 0);
    EXPECT(cq.dones.count == 0);
    below_ends(receive, FI_RECV, LONG_BYTES - 1);
    EXPECT(take_end(&state) == FI_EIO);
}

/* ---- at random ----------------------------------------------------------------------------- */

static const uint64_t lengths[] = {0,
                                   1,
                                   48,
                                   TFI_EAGER,
                                   TFI_EAGER + 1,
                                   UINT64_C(1) << 32,
                                   (UINT64_C(1) << 48) - 1,
                                   UINT64_C(1) << 48,
                                   UINT64_MAX};

static void random_frame(void) {
    uint8_t bytes[WIRE_HEADER + 64] = {0};
    wire_frame_t frame = frame_of((wire_kind_t)(1 + pick(3)), "\1\2\3\4\5\6\7\10", 0);
    size_t size = WIRE_HEADER;
    frame.tag = pick(4) == 0 ? WIRE_PULL_TAG | pick(8) : pick(8);
    frame.sender = (uint64_t)pick(3) << 32 | pick(8);
    frame.untagged = pick(4) == 0;
    frame.length = lengths[pick(sizeof lengths / sizeof lengths[0])];
    if (frame.kind == WIRE_EAGER && pick(8) != 0) {
        frame.length = pick(64);
        size += frame.length;
    }
    if (pick(2) == 0) {
        frame.name[pick(NAME)] ^= (uint8_t)(1 + pick(255));
    }
    wire_encode(&frame, bytes);
    if (pick(4) == 0) {
        for (uint32_t i = pick(4); i-- > 0;) {
            bytes[pick(WIRE_HEADER)] ^= (uint8_t)(1u << pick(8));
        }
    }
    if (pick(9) == 0) {
        size = pick(sizeof bytes);
    }
    comes(bytes, size);
}

/* The user asks for something, so that messages leave again. */
static void random_call(void) {
    const struct iovec iov = {buffer, pick(2) == 0 ? 16 : LONG_BYTES};
    const struct fi_msg_tagged msg = {.msg_iov = &iov,
                                      .iov_count = 1,
                                      .addr = pick(2) == 0 ? FI_ADDR_UNSPEC : 0,
                                      .tag = pick(8),
                                      .ignore = pick(3) == 0 ? 0 : UINT64_MAX,
                                      .context = &buffer};
    const uint64_t flags[] = {0, 0, 0, FI_PEEK, FI_PEEK | FI_DISCARD};
    (void)tfi_tagged_ops.recvmsg(&ep.fid, &msg, flags[pick(5)]);
    const struct fi_msg untagged = {
        .msg_iov = &iov, .iov_count = 1, .addr = msg.addr, .context = &buffer};
    if (pick(4) == 0) {
        (void)tfi_msg_ops.recvmsg(&ep.fid, &untagged, pick(3) == 0 ? FI_MULTI_RECV : 0);
    }
    if (pick(8) == 0) {
        (void)tfi_tsend(&ep.fid, buffer, LONG_BYTES, NULL, 0, pick(8), &buffer);
    }
}

/* Operations below end in the order in which they were taken, well or not. */
static void random_end(size_t *next_p) {
    if (*next_p == taken_count) {
        return;
    }
    void *const context = taken[(*next_p)++ % TAKEN];
    if (pick(6) == 0) {
        below_fails(context, FI_ECONNRESET);
    } else {
        below_ends(context, 0, pick(2) == 0 ? 16 : LONG_BYTES);
    }
}

static void at_random(uint64_t rounds) {
    size_t next = taken_count;
    for (uint64_t i = 0; i < rounds && !ep.matcher.broken; ++i) {
        insert_fails = pick(16) == 0;
        send_result = pick(8) == 0 ? -FI_EAGAIN : 0;
        random_frame();
        random_call();
        random_end(&next);
        if (taken_count - next > TAKEN / 2) {
            random_end(&next);
        }
        cq.dones.count = 0;
    }
    insert_fails = false;
    send_result = 0;
    for (int i = 0; i < 1000; ++i) {
        random_end(&next);
        tfi_progress(&ep);
    }
    cq.dones.count = 0;
    EXPECT(!ep.matcher.broken && refused() > 0);
}

static bool has_ended(const void *context) {
    bool found = false;
    for (size_t i = 0; i < cq.dones.count; ++i) {
        found =
            found ||
            cq.dones.ring[(cq.dones.head + i) & (cq.dones.room - 1)].entry.op_context == context;
    }
    cq.dones.count = 0;
    return found;
}

/* After all that, a message of the peer's is received as before; older receives may take some. */
static void goes_on(void) {
    wire_frame_t frame = frame_of(WIRE_EAGER, "\1\2\3\4\5\6\7\10", 3);
    const struct iovec iov = {buffer, LONG_BYTES};
    struct fi_msg_tagged msg = {.msg_iov = &iov, .iov_count = 1, .context = &frame};
    frame.tag = msg.tag = UINT64_C(1) << 40;
    EXPECT(tfi_tagged_ops.recvmsg(&ep.fid, &msg, 0) == 0);
    bool found = false;
    for (int i = 0; i < 20000 && !found; ++i) {
        came(&frame, 3);
        found = has_ended(&frame);
    }
    EXPECT(found);
}

int main(int argc, char **argv) {
    state = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    fprintf(stderr, "seed %" PRIu64 "\n", state);
    start();
    ep.directed = true;
    impossible_lengths();
    strangers();
    short_payload();
    at_random(argc > 2 ? strtoull(argv[2], NULL, 0) : 20000);
    goes_on();
    /* A message that the provider below still has at the end is freed as well. */
    EXPECT(tfi_tsend(&ep.fid, buffer, 8, NULL, 0, 1, &buffer) == 0 && ep.leaving);
    stop();
    peers_close(&av.peers);
    if (wrong == 0) {
        printf("every frame is answered\n");
    }
    return wrong == 0 ? 0 : 1;
}
