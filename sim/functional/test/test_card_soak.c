/* SPDX-License-Identifier: Apache-2.0
 *
 * Messages in both directions between two cards over a switch that loses one frame of a hundred,
 * receives posted before and behind them at random: every byte, every completion, and the counters
 * (W1, W3, W4, W6).
 *
 * Messages of a tag meet its receives first to first, whichever comes first.
 */
#include "card_fixture.h"
#include "lot.h"

enum { TAGS = 4, DEPTH = 8, MESSAGES = 400, LONGEST = 4000, GUARD = 16 };

typedef struct {
    uint64_t sent; /* numbers that were submitted, told, posted, received */
    uint64_t told;
    uint64_t posted;
    uint64_t received;
    bool busy[DEPTH];  /* of the sender's slots */
    bool waits[DEPTH]; /* of the receiver's: completions may pass each other */
} stream_t;

static stream_t streams[2][TAGS]; /* by sender */
static lot_t lot;

/* A message's slot in either card's memory: sends below, receives above. */
static uint64_t slot_at(unsigned tag, uint64_t number, bool receives) {
    return (receives ? MEMORY / 2 : 0) + (uint64_t)(tag * DEPTH + number % DEPTH) * (MEMORY / 64);
}

static uint32_t length_of(unsigned from, unsigned tag, uint64_t number) {
    const uint64_t mixed = (from + 2 * tag + 8 * number) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((mixed >> 40) % 5 == 0 ? (mixed >> 20) % 30 : (mixed >> 20) % LONGEST);
}

static uint32_t room_of(unsigned from, unsigned tag, uint64_t number) {
    return number % 7 == 3 ? length_of(from, tag, number) / 2 : LONGEST;
}

static uint8_t byte_of(unsigned from, unsigned tag, uint64_t number, uint32_t at) {
    return (uint8_t)(31 * number + 7 * at + 3 * tag + from + (at >> 8));
}

static uint64_t handle_of(unsigned tag, uint64_t number) { return number * TAGS + tag; }

/* Sends the next message of a tag if its slot is free. */
static void try_send(unsigned from, unsigned tag) {
    stream_t *stream = &streams[from][tag];
    card_t *card = &cards[from];
    const uint64_t number = stream->sent;
    const uint64_t at = slot_at(tag, number, false);
    const uint32_t bytes = length_of(from, tag, number);
    if (number == MESSAGES || stream->busy[number % DEPTH]) {
        return;
    }
    for (uint32_t i = 0; i < bytes; i++) {
        bytes_at(from, at)[i] = byte_of(from, tag, number, i);
    }
    const tmu_net_piece_t pieces[] = {{card->memory.address + at, bytes / 3},
                                      {card->memory.address + at + bytes / 3, bytes - bytes / 3}};
    const tmu_net_send_t send = {.peer = card->peer,
                                 .match = tag,
                                 .has_header_data = true,
                                 .header_data = number,
                                 .pieces = pieces,
                                 .piece_count = 2,
                                 .handle = handle_of(tag, number)};
    const tmu_result_t result = tmu_net_send(card->queue, ENDPOINT, &send);
    EXPECT(result == TMU_OK || result == TMU_AGAIN);
    if (result == TMU_OK) {
        stream->busy[number % DEPTH] = true;
        stream->sent++;
    }
}

static void try_post(unsigned to, unsigned tag) {
    stream_t *stream = &streams[1 - to][tag];
    const uint64_t number = stream->posted;
    const uint64_t at = slot_at(tag, number, true);
    const uint32_t room = room_of(1 - to, tag, number);
    if (number == MESSAGES || stream->waits[number % DEPTH]) {
        return;
    }
    memset(bytes_at(to, at), 0xa5, LONGEST + GUARD);
    const tmu_receive_t receive = {.key = {.match = tag, .source = 6 - to},
                                   .handle = handle_of(tag, number),
                                   .address = cards[to].memory.address + at,
                                   .length = room};
    const tmu_result_t result = tmu_post(cards[to].queue, ENDPOINT, &receive, NULL);
    EXPECT(result == TMU_OK || result == TMU_AGAIN);
    stream->posted += result == TMU_OK;
    stream->waits[number % DEPTH] = result == TMU_OK;
}

/* W3, R12: the bytes of the message, up to its end or the receive's, and none beside them. */
static void check_received(unsigned to, uint64_t handle, uint64_t header_data,
                           const tmu_completion_t *c) {
    const unsigned tag = (unsigned)(handle % TAGS);
    const uint64_t number = handle / TAGS;
    const uint32_t length = length_of(1 - to, tag, number);
    const uint32_t room = room_of(1 - to, tag, number);
    const uint8_t *got = bytes_at(to, slot_at(tag, number, true));
    uint32_t wrong = 0;
    EXPECT_NUMBER(header_data, number);
    EXPECT_NUMBER(c->message_length, length);
    EXPECT_NUMBER(c->truncated, length > room);
    for (uint32_t i = 0; i < LONGEST + GUARD; i++) {
        const uint8_t right =
            i < length && i < room ? byte_of(1 - to, tag, number, i) : (uint8_t)0xa5;
        wrong += got[i] != right;
    }
    EXPECT_NUMBER(wrong, 0);
    streams[1 - to][tag].received++;
    streams[1 - to][tag].waits[number % DEPTH] = false;
}

static void check_sent(unsigned from, const tmu_completion_t *c) {
    const unsigned tag = (unsigned)(c->handle % TAGS);
    const uint64_t number = c->handle / TAGS;
    const uint32_t length = length_of(from, tag, number);
    const uint32_t room = room_of(from, tag, number);
    stream_t *stream = &streams[from][tag];
    EXPECT_NUMBER(c->status, TMU_STATUS_SENT);
    EXPECT_NUMBER(c->message_length, length);
    /* The target tells of a shorter receive only where that waits already. */
    EXPECT(c->receive_length == length || c->receive_length == room);
    memset(bytes_at(from, slot_at(tag, number, false)), 0xee, LONGEST); /* W4 */
    stream->busy[number % DEPTH] = false;
    stream->told++;
}

static void check_all(unsigned side) {
    card_t *card = &cards[side];
    for (size_t i = 0; i < card->count; i++) {
        const tmu_completion_t *c = &card->kept[i];
        if (c->opcode == TMU_OPCODE_SEND) {
            check_sent(side, c);
        } else if (c->opcode == TMU_OPCODE_ARRIVE) {
            EXPECT_NUMBER(c->status, TMU_STATUS_MATCHED);
            check_received(side, c->other, c->handle, c);
        } else if (c->status == TMU_STATUS_MATCHED) {
            check_received(side, c->handle, c->other, c);
        } else {
            EXPECT_NUMBER(c->status, TMU_STATUS_QUEUED);
        }
    }
    card->count = 0;
}

static bool done(void) {
    for (unsigned from = 0; from < 2; from++) {
        for (unsigned tag = 0; tag < TAGS; tag++) {
            if (streams[from][tag].received < MESSAGES || streams[from][tag].told < MESSAGES) {
                return false;
            }
        }
    }
    return true;
}

/* Each message has entered the unit once (W1), and answers were given to what was sent (W6). */
static void check_counts(void) {
    tmu_net_counts_t counts[2];
    for (unsigned side = 0; side < 2; side++) {
        EXPECT_NUMBER(tmu_net_counts(cards[side].device, &counts[side]), TMU_OK);
        EXPECT_NUMBER(counts[side].messages_taken, TAGS * MESSAGES);
        EXPECT_NUMBER(counts[side].dropped, 0);
        EXPECT(counts[side].sent_again > 0);
        EXPECT_NUMBER(counts[side].accepted,
                      counts[side].delivered + counts[side].control + counts[side].refused +
                          counts[side].no_room + counts[side].duplicate +
                          counts[side].out_of_order + counts[side].unasked + counts[side].answers);
    }
    EXPECT(counts[0].accepted <= counts[1].frames_sent);
    EXPECT(counts[1].accepted <= counts[0].frames_sent);
}

static void every_message_comes_once_with_every_byte(void) {
    const time_t end = time(NULL) + 4 * PATIENCE_S;
    const uint64_t seed = expect_seed(1);
    memset(streams, 0, sizeof streams);
    lot = lot_seeded(seed);
    cards_start("0.01", seed, 0);
    while (!done() && expect_failures == 0 && time(NULL) < end) {
        for (unsigned side = 0; side < 2; side++) {
            const unsigned tag = lot_below(&lot, TAGS);
            if (lot_below(&lot, 2) == 0) {
                try_send(side, tag);
            } else {
                try_post(side, tag);
            }
        }
        step();
        check_all(0);
        check_all(1);
    }
    EXPECT(done());
    check_counts();
    cards_stop();
}

int main(int count, char **values) {
    if (count != 2 || !mkdtemp(folder)) {
        (void)fprintf(stderr, "usage: test_card_soak SWITCH\n");
        return 2;
    }
    card_fixture_begin(values[1]);
    RUN(every_message_comes_once_with_every_byte);
    (void)rmdir(folder);
    return expect_summary();
}
