/* SPDX-License-Identifier: Apache-2.0 */
/* The small rooms: frames, handles, names, counts, journals. */
#include "counts.h"
#include "expect.h"
#include "order.h"
#include "peers.h"
#include "slots.h"
#include "wire.h"

#include <stdlib.h>
#include <unistd.h>

static const wire_frame_t eager = {
    .kind = WIRE_EAGER,
    .has_data = true,
    .untagged = true,
    .name_length = 16,
    .name = "0123456789abcdef",
    .tag = 0xfedcba9876543210u,
    .data = 0x1122334455667788u,
    .length = 3,
    .sender = 0x8000000000000001u,
};

static void a_frame_comes_back_as_it_went(void) {
    uint8_t bytes[WIRE_HEADER + 3] = {0};
    wire_frame_t found;
    wire_encode(&eager, bytes);
    EXPECT(!wire_decode(bytes, sizeof bytes, &found));
    EXPECT(memcmp(&found, &eager, sizeof found) == 0);
    EXPECT_NUMBER(bytes[8], 0x10); /* little-endian on every machine */
}

/* Complains about the frame with one byte changed, or of another size, in these words. */
static void refused(size_t at, uint8_t value, size_t size, const char *words) {
    uint8_t bytes[WIRE_HEADER + 3] = {0};
    wire_frame_t found;
    wire_encode(&eager, bytes);
    bytes[at] = value;
    const char *sentence = wire_decode(bytes, size, &found);
    EXPECT(sentence && strstr(sentence, words));
}

static void wrong_frames_are_refused_with_a_sentence(void) {
    const size_t size = WIRE_HEADER + 3;
    refused(0, WIRE_VERSION, WIRE_HEADER - 1, "shorter than its header");
    refused(0, WIRE_VERSION + 1, size, "another version");
    refused(1, 0, size, "unknown kind");
    refused(1, 4, size, "unknown kind");
    refused(2, 4, size, "reserved bits");
    refused(4, 1, size, "reserved bits");
    refused(47, 1, size, "reserved bits");
    refused(3, 0, size, "impossible length");
    refused(3, WIRE_NAME + 1, size, "impossible length");
    refused(0, WIRE_VERSION, size - 1, "not that of its payload");
    refused(24, 4, size, "not that of its payload");
    refused(1, WIRE_READY, size, "not that of its payload");
}

static void handles_are_never_used_twice(void) {
    slots_t slots = {0};
    int records[600];
    uint64_t handles[600];
    for (size_t i = 0; i < 600; ++i) {
        handles[i] = slots_take(&slots, &records[i]);
    }
    for (size_t i = 0; i < 600; ++i) {
        EXPECT(slots_find(&slots, handles[i]) == &records[i]);
    }
    slots_release(&slots, handles[7]);
    slots_release(&slots, handles[7]);
    EXPECT(!slots_find(&slots, handles[7]));
    const uint64_t again = slots_take(&slots, &records[7]);
    EXPECT(again != handles[7] && again < UINT64_C(1) << 63);
    EXPECT(!slots_find(&slots, handles[7]) && slots_find(&slots, again) == &records[7]);
    size_t at = 0;
    size_t seen = 0;
    while (slots_next(&slots, &at)) {
        ++seen;
    }
    EXPECT_NUMBER(seen, 600);
    EXPECT(slots_take_out(&slots) == &records[0] && !slots_find(&slots, handles[0]));
    EXPECT(!slots_find(&slots, SLOTS_NONE) && !slots_find(&slots, 1u << 20));
    slots_free(&slots);
}

static peer_t *named(peers_t *peers, uint32_t name) {
    return peers_hold(peers, (const uint8_t *)&name, sizeof name);
}

/* R7: one name has one number as long as anything holds the peer, in the vector or not. */
static void a_peer_has_one_number_as_long_as_it_is_held(void) {
    peers_t peers = {0};
    peer_t *held[1000];
    EXPECT(!peers_find(&peers, (const uint8_t *)"x", 1) && !peers_any(&peers));
    for (uint32_t i = 0; i < 1000; ++i) {
        held[i] = named(&peers, i);
        EXPECT(held[i] && held[i]->number == i && held[i]->index == PEERS_NOWHERE);
    }
    for (uint32_t i = 0; i < 1000; i += 2) {
        EXPECT_NUMBER(--held[i]->holds, 0);
        peers_free(&peers, held[i]);
    }
    for (uint32_t i = 0; i < 1000; ++i) {
        const peer_t *found = peers_find(&peers, (const uint8_t *)&i, sizeof i);
        EXPECT(i % 2 == 0 ? !found : found == held[i] && found->number == i);
    }
    EXPECT(named(&peers, 7) == held[7] && held[7]->holds == 2);
    /* A number that is free is used again, one that is held is not. */
    for (uint32_t i = 0; i < 1000; i += 2) {
        held[i] = named(&peers, 2000 + i);
        EXPECT(held[i]->number < 1000 && held[i]->number % 2 == 0);
    }
    EXPECT_NUMBER(named(&peers, 5000)->number, 1000);
    EXPECT(!peers_hold(&peers, (const uint8_t *)&eager, WIRE_NAME + 1));
    EXPECT(!peers_hold(&peers, (const uint8_t *)&eager, 0));
    peers_close(&peers);
}

/* A unit with narrow keys: without a number there is no peer. */
static void a_peer_needs_a_number_of_the_source_field(void) {
    peers_t peers = {.most = 4};
    peer_t *last = NULL;
    for (uint32_t i = 0; i < 4; ++i) {
        last = named(&peers, i);
    }
    EXPECT(last && peers_are_all(&peers));
    EXPECT(!named(&peers, 4) && named(&peers, 3) == last);
    last->holds = 0;
    peers_free(&peers, last);
    EXPECT(!peers_are_all(&peers));
    EXPECT_NUMBER(named(&peers, 4)->number, 3);
    peers_close(&peers);
}

/* The user's indices begin with 0 and have no holes but those that were left. */
static void an_index_is_a_peers_until_it_leaves(void) {
    peers_t peers = {0};
    EXPECT(!peers_at(&peers, 0) && !peers_at(&peers, PEERS_NOWHERE));
    for (uint32_t i = 0; i < 200; ++i) {
        peer_t *peer = named(&peers, 300 - i);
        EXPECT_NUMBER(peers_enter(&peers, peer), 0);
        EXPECT(peer->index == i && peers_at(&peers, i) == peer);
    }
    peer_t *peer = peers_at(&peers, 9);
    peers_leave(&peers, peer);
    EXPECT(!peers_at(&peers, 9) && peer->index == PEERS_NOWHERE);
    EXPECT(!peers_at(&peers, 200) && !peers_at(&peers, UINT64_C(1) << 32));
    EXPECT_NUMBER(peers_enter(&peers, peer), 0);
    EXPECT_NUMBER(peer->index, 9);
    peers_close(&peers);
}

/* A thousand rounds of one name must not fill the tables. */
static void peers_that_come_and_go_take_no_room(void) {
    peers_t peers = {0};
    for (uint32_t i = 0; i < 1000; ++i) {
        peer_t *peer = named(&peers, i);
        EXPECT_NUMBER(peer->number, 0);
        --peer->holds;
        peers_free(&peers, peer);
    }
    EXPECT(peers.room <= 64 && peers.numbers.used == 1);
    peers_close(&peers);
}

static void counts_see_what_differs(void) {
    counts_t counts = {0};
    tmu_counter_t unit[COUNTS_NAMES];
    const tmu_completion_t queued = {.opcode = TMU_OPCODE_POST, .status = TMU_STATUS_QUEUED};
    const tmu_completion_t stalled = {.opcode = TMU_OPCODE_ARRIVE, .status = TMU_STATUS_STALLED};
    const tmu_completion_t matched = {
        .opcode = TMU_OPCODE_ARRIVE, .status = TMU_STATUS_MATCHED, .truncated = true};
    counts_answer(&counts, &queued);
    counts_answer(&counts, &stalled);
    counts_answer(&counts, &matched);
    counts.asked[TMU_OPCODE_POST] = 1;
    counts.asked[TMU_OPCODE_ARRIVE] = 2;
    const size_t count = counts_expected(&counts, unit);
    const counts_reading_t now = {unit, count};
    EXPECT_NUMBER(counts_compare(&counts, 1, now, NULL, NULL), 0);
    EXPECT_NUMBER(counts_compare(&counts, 0, now, NULL, NULL), 1);
    for (size_t i = 0; i < count; ++i) {
        ++unit[i].value;
        EXPECT_NUMBER(counts_compare(&counts, 1, now, NULL, NULL), 1);
        --unit[i].value;
    }
    /* A counter that the unit does not have is a difference as well. */
    const counts_reading_t less = {unit, count - 1};
    EXPECT_NUMBER(counts_compare(&counts, 1, less, NULL, NULL), 1);
    counts.asked[TMU_OPCODE_POST] = 2;
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    EXPECT_NUMBER(counts_compare(&counts, 1, now, NULL, report), 1);
    (void)fclose(report);
    EXPECT_TEXT(text, "\"answered posts: found 1, expected 2\"");
    free(text);
}

/* A shared unit has counted before, and for others; what is its own has to be in there. */
static void counts_of_a_shared_unit_may_be_higher(void) {
    counts_t counts = {0};
    tmu_counter_t before[COUNTS_NAMES];
    tmu_counter_t unit[COUNTS_NAMES];
    const tmu_completion_t queued = {.opcode = TMU_OPCODE_POST, .status = TMU_STATUS_QUEUED};
    counts_answer(&counts, &queued);
    counts.asked[TMU_OPCODE_POST] = 1;
    const size_t count = counts_expected(&counts, unit);
    for (size_t i = 0; i < count; ++i) {
        before[i] = (tmu_counter_t){unit[i].name, 100 + i};
        unit[i].value += before[i].value;
    }
    const counts_reading_t then = {before, count};
    const counts_reading_t now = {unit, count};
    EXPECT_NUMBER(counts_compare(&counts, 0, now, &then, NULL), 0);
    for (size_t i = 0; i < count; ++i) {
        unit[i].value += i;
    }
    EXPECT_NUMBER(counts_compare(&counts, 0, now, &then, NULL), 0);
    EXPECT(strcmp(unit[0].name, "posts") == 0);
    unit[0].value = before[0].value;
    char *text = NULL;
    size_t size = 0;
    FILE *report = open_memstream(&text, &size);
    EXPECT_NUMBER(counts_compare(&counts, 0, now, &then, report), 1);
    (void)fclose(report);
    EXPECT_TEXT(text, "\"the unit's counter posts: found 0, expected 1 at least\"");
    free(text);
}

static void read_whole(const char *folder, const char *name, char *text, size_t size) {
    char path[256];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    const size_t length = file ? fread(text, 1, size - 1, file) : 0;
    text[length] = '\0';
    if (file) {
        (void)fclose(file);
    }
    (void)unlink(path);
}

static void write_sample(journal_t *journal) {
    journal_operation_t op = {
        TMU_OPCODE_POST, 2, 5, 0, {.match = 0x10, .ignore = 0xf, .source_ignore = UINT32_MAX}, 100};
    tmu_completion_t c = {.status = TMU_STATUS_QUEUED};
    journal_write(journal, &op, &c, 0);
    op = (journal_operation_t){TMU_OPCODE_ARRIVE, 2, 6, 0, {.match = 0x11, .source = 3}, 200};
    c = (tmu_completion_t){.status = TMU_STATUS_STALLED};
    journal_write(journal, &op, &c, 0);
    c = (tmu_completion_t){.status = TMU_STATUS_MATCHED, .truncated = true};
    journal_write(journal, &op, &c, 5);
    op = (journal_operation_t){TMU_OPCODE_CLAIM, 2, 7, 0, {.match = 0x11, .source = 3}, 0};
    c = (tmu_completion_t){.status = TMU_STATUS_NONE};
    journal_write(journal, &op, &c, 0);
    op = (journal_operation_t){.opcode = TMU_OPCODE_CANCEL, .number = 8, .target = 5};
    c = (tmu_completion_t){.status = TMU_STATUS_LATE};
    journal_write(journal, &op, &c, 0);
    op = (journal_operation_t){.opcode = TMU_OPCODE_FLUSH, .number = 9};
    c = (tmu_completion_t){.status = TMU_STATUS_REMOVED};
    journal_write(journal, &op, &c, 0);
    c = (tmu_completion_t){.status = TMU_STATUS_FLUSHED, .removed_unexpected = 1};
    journal_write(journal, &op, &c, 0);
}

static void a_journal_is_a_trace_and_a_log(void) {
    char folder[] = "/tmp/tmu-journal-XXXXXX";
    char text[1024];
    journal_t journal;
    EXPECT(mkdtemp(folder));
    EXPECT_NUMBER(journal_open(&journal, folder, "one"), 0);
    write_sample(&journal);
    journal_t second;
    EXPECT(journal_open(&second, folder, "one") != 0); /* nothing is written over */
    EXPECT_NUMBER(journal_close(&journal), 0);
    read_whole(folder, "one.trace", text, sizeof text);
    EXPECT_TEXT(text, "# tmu-trace v1\n"
                      "# application: libfabric provider tmu\n"
                      "raw-post 2 5 0x10 0xf any 100\n"
                      "raw-arrive 2 6 0x11 3 200\n"
                      "raw-claim 2 7 0x11 0x0 3\n"
                      "cancel 0 8 5\n"
                      "flush 0 9\n");
    read_whole(folder, "one.verdicts", text, sizeof text);
    EXPECT_TEXT(text, "post 5 queued\n"
                      "arrive 6 matched 5 truncated\n"
                      "claim 7 none\n"
                      "cancel 8 late 5\n"
                      "flush 9 removed 0 1\n");
    (void)rmdir(folder);
}

static order_entry_t entry(uint32_t endpoint, uint64_t number, uint32_t serial, uint8_t status) {
    return (order_entry_t){
        .operation = {TMU_OPCODE_POST, endpoint, number, 0, {0x10, 0, 3, 0}, 100},
        .completion = {.opcode = TMU_OPCODE_POST, .status = status, .serial = serial},
        .other = 77,
    };
}

/* R7: answers that overtake others are written behind them, whatever other endpoints do. */
static void verdicts_are_written_in_the_order_of_the_law(void) {
    char folder[] = "/tmp/tmu-order-XXXXXX";
    char text[1024];
    journal_t journal;
    order_t order;
    uint32_t endpoint = 9;
    uint32_t serial = 9;
    EXPECT(mkdtemp(folder));
    EXPECT_NUMBER(journal_open(&journal, folder, "two"), 0);
    journal.spills = true;
    EXPECT_NUMBER(order_open(&order, 2), 0);
    order_entry_t come[] = {
        entry(1, 4, 3, TMU_STATUS_QUEUED),        entry(1, 3, 2, TMU_STATUS_MATCHED),
        entry(0, 5, 0, TMU_STATUS_QUEUED),        entry(1, 1, 0, TMU_STATUS_QUEUED),
        entry(1, 2, 1, TMU_STATUS_REFUSED_QUOTA), entry(0, 7, 2, TMU_STATUS_QUEUED),
    };
    for (size_t i = 0; i < sizeof come / sizeof come[0]; ++i) {
        order_put(&order, &journal, &come[i]);
    }
    EXPECT_NUMBER(order_waiting(&order, &endpoint, &serial), 1);
    EXPECT(endpoint == 0 && serial == 1);
    for (uint32_t i = 3; i < 100; ++i) {
        come[0] = entry(0, 5 + i, i, TMU_STATUS_QUEUED);
        order_put(&order, &journal, &come[0]);
    }
    EXPECT_NUMBER(order_waiting(&order, &endpoint, &serial), 98);
    come[0] = entry(0, 6, 1, TMU_STATUS_QUEUED);
    order_put(&order, &journal, &come[0]);
    EXPECT_NUMBER(order_waiting(&order, &endpoint, &serial), 0);
    EXPECT(!order.lost && order.early == 100);
    order_close(&order);
    EXPECT_NUMBER(journal_close(&journal), 0);
    read_whole(folder, "two.verdicts", text, sizeof text);
    /* The refused one changed nothing and is left out, for memory is registered. */
    EXPECT(strncmp(text,
                   "post 5 queued\npost 1 queued\npost 3 matched 77\npost 4 queued\n"
                   "post 6 queued\npost 7 queued\npost 8 queued\n",
                   strlen("post 5 queued\npost 1 queued\npost 3 matched 77\npost 4 queued\n"
                          "post 6 queued\npost 7 queued\npost 8 queued\n")) == 0);
    read_whole(folder, "two.trace", text, sizeof text);
    (void)rmdir(folder);
}

/* R7: numbers go on with 0 after 2^32 verdicts. */
static void the_order_goes_on_where_serial_numbers_wrap(void) {
    char folder[] = "/tmp/tmu-order-XXXXXX";
    char text[1024];
    journal_t journal;
    order_t order;
    uint32_t endpoint = 9;
    uint32_t serial = 9;
    EXPECT(mkdtemp(folder));
    EXPECT_NUMBER(journal_open(&journal, folder, "wrap"), 0);
    EXPECT_NUMBER(order_open(&order, 1), 0);
    order.lines[0].next = UINT32_MAX - 1;
    const order_entry_t come[] = {
        entry(0, 3, 0, TMU_STATUS_QUEUED),
        entry(0, 4, 1, TMU_STATUS_QUEUED),
        entry(0, 1, UINT32_MAX - 1, TMU_STATUS_QUEUED),
        entry(0, 2, UINT32_MAX, TMU_STATUS_QUEUED),
    };
    for (size_t i = 0; i < sizeof come / sizeof come[0]; ++i) {
        order_put(&order, &journal, &come[i]);
    }
    EXPECT_NUMBER(order_waiting(&order, &endpoint, &serial), 0);
    EXPECT_NUMBER(order.lines[0].next, 2);
    order_close(&order);
    EXPECT_NUMBER(journal_close(&journal), 0);
    read_whole(folder, "wrap.verdicts", text, sizeof text);
    EXPECT_TEXT(text, "post 1 queued\npost 2 queued\npost 3 queued\npost 4 queued\n");
    read_whole(folder, "wrap.trace", text, sizeof text);
    (void)rmdir(folder);
}

int main(void) {
    RUN(a_frame_comes_back_as_it_went);
    RUN(wrong_frames_are_refused_with_a_sentence);
    RUN(handles_are_never_used_twice);
    RUN(a_peer_has_one_number_as_long_as_it_is_held);
    RUN(a_peer_needs_a_number_of_the_source_field);
    RUN(an_index_is_a_peers_until_it_leaves);
    RUN(peers_that_come_and_go_take_no_room);
    RUN(counts_see_what_differs);
    RUN(counts_of_a_shared_unit_may_be_higher);
    RUN(a_journal_is_a_trace_and_a_log);
    RUN(verdicts_are_written_in_the_order_of_the_law);
    RUN(the_order_goes_on_where_serial_numbers_wrap);
    return expect_summary();
}
