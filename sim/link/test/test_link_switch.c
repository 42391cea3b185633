/* SPDX-License-Identifier: Apache-2.0 */
/* The switch without sockets: learning, impairments that a seed repeats, bounds, sums. */
#include "expect.h"
#include "link_switch.h"
#include "link_table.h"

#include <stdbool.h>
#include <stdlib.h>

#define PORTS 3u
#define SECOND UINT64_C(1000000000)

static link_switch_t *switch_of(link_shape_t shape) {
    shape.ports = PORTS;
    link_switch_t *sw = link_switch_new(&shape);
    for (unsigned port = 0; port < PORTS; port++) {
        link_switch_open(sw, port);
    }
    return sw;
}

/* Station n has the address 02:00:00:00:00:n; the frame ends with a number. */
static size_t make(uint8_t *frame, unsigned to, unsigned from, uint32_t number) {
    memset(frame, 0, 64);
    frame[0] = frame[6] = 2;
    frame[5] = (uint8_t)to;
    frame[11] = (uint8_t)from;
    if (to == 255) {
        memset(frame, 255, 6);
    }
    memcpy(frame + 60, &number, sizeof number);
    return 64;
}

static void give(link_switch_t *sw, unsigned port, unsigned to, uint32_t number, uint64_t now) {
    uint8_t frame[64];
    const size_t bytes = make(frame, to, port, number);
    (void)link_switch_receive(sw, port, frame, bytes, now);
}

/* The numbers of all frames that leave a port, up to `room`. */
static unsigned leave(link_switch_t *sw, unsigned port, uint64_t now, uint32_t *numbers,
                      unsigned room) {
    unsigned count = 0;
    size_t bytes;
    const uint8_t *frame;
    while ((frame = link_switch_ready(sw, port, now, &bytes))) {
        EXPECT(count < room);
        if (count < room) {
            memcpy(&numbers[count++], frame + bytes - 4, 4);
        }
        link_switch_sent(sw, port);
    }
    return count;
}

static void expect_agreement(const link_switch_t *sw) {
    link_counts_t counts[PORTS];
    char error[LINK_ERROR_BYTES] = "";
    for (unsigned port = 0; port < PORTS; port++) {
        counts[port] = *link_switch_counts(sw, port);
    }
    EXPECT(link_counts_agree(counts, PORTS, error));
    EXPECT_TEXT(error, "");
    /* The check sees one frame too many, on either side. */
    counts[1].received++;
    EXPECT(!link_counts_agree(counts, PORTS, error));
    counts[1].received--;
    counts[2].sent++;
    EXPECT(!link_counts_agree(counts, PORTS, error));
}

static void stations_are_learned_and_frames_to_the_own_port_filtered(void) {
    link_switch_t *sw = switch_of((link_shape_t){0});
    uint32_t got[4];
    give(sw, 0, 1, 10, 0); /* 1 is not known */
    EXPECT_NUMBER(leave(sw, 1, 0, got, 4), 1);
    EXPECT_NUMBER(leave(sw, 2, 0, got, 4), 1);
    give(sw, 1, 0, 11, 0); /* 0 is */
    EXPECT_NUMBER(leave(sw, 0, 0, got, 4), 1);
    EXPECT_NUMBER(got[0], 11);
    EXPECT_NUMBER(leave(sw, 2, 0, got, 4), 0);
    give(sw, 1, 1, 12, 0);
    give(sw, 0, 255, 13, 0);
    EXPECT_NUMBER(leave(sw, 0, 0, got, 4), 0);
    EXPECT_NUMBER(leave(sw, 1, 0, got, 4), 1);
    EXPECT_NUMBER(leave(sw, 2, 0, got, 4), 1);
    EXPECT_NUMBER(link_switch_counts(sw, 0)->flooded, 2);
    EXPECT_NUMBER(link_switch_counts(sw, 1)->forwarded, 1);
    EXPECT_NUMBER(link_switch_counts(sw, 1)->filtered, 1);
    expect_agreement(sw);
    link_switch_free(sw);
}

static void a_closed_port_loses_its_stations_and_what_waits(void) {
    link_switch_t *sw = switch_of((link_shape_t){0});
    uint32_t got[4];
    give(sw, 1, 255, 1, 0);
    give(sw, 0, 1, 2, 0);
    EXPECT_NUMBER(link_switch_counts(sw, 1)->waiting, 1);
    link_switch_close(sw, 1, 0);
    EXPECT_NUMBER(link_switch_counts(sw, 1)->lost, 1);
    EXPECT_NUMBER(leave(sw, 1, 0, got, 4), 0);
    (void)leave(sw, 2, 0, got, 4);
    give(sw, 0, 1, 3, 0);
    EXPECT_NUMBER(leave(sw, 2, 0, got, 4), 1); /* flooded: 1 is not known any more */
    link_switch_close(sw, 2, 0);
    give(sw, 0, 1, 4, 0); /* nobody is there */
    EXPECT_NUMBER(link_switch_counts(sw, 0)->filtered, 1);
    expect_agreement(sw);
    link_switch_free(sw);
}

static void the_table_ages_and_is_bounded(void) {
    static link_table_t table;
    unsigned known = 0;
    link_table_learn(&table, 0x0200000000aa, 1, 0);
    EXPECT_NUMBER(link_table_find(&table, 0x0200000000aa, LINK_TABLE_AGE_NS - 1), 1);
    EXPECT_NUMBER(link_table_find(&table, 0x0200000000aa, LINK_TABLE_AGE_NS), LINK_NO_PORT);
    link_table_learn(&table, 0x0200000000aa, 2, SECOND); /* it has moved */
    EXPECT_NUMBER(link_table_find(&table, 0x0200000000aa, LINK_TABLE_AGE_NS), 2);
    link_table_learn(&table, 0x0300000000aa, 2, SECOND); /* a group */
    EXPECT_NUMBER(link_table_find(&table, 0x0300000000aa, SECOND), LINK_NO_PORT);
    for (unsigned n = 0; n < 100000; n++) {
        link_table_learn(&table, 0x020000100000 + n, 1, 2 * SECOND + n);
        EXPECT_NUMBER(link_table_find(&table, 0x020000100000 + n, 3 * SECOND), 1);
    }
    for (unsigned n = 0; n < 100000; n++) {
        known += link_table_find(&table, 0x020000100000 + n, 3 * SECOND) == 1;
    }
    EXPECT(known > LINK_TABLE_SETS && known <= LINK_TABLE_SETS * LINK_TABLE_SLOTS);
    link_table_forget(&table, 1);
    EXPECT_NUMBER(link_table_find(&table, 0x020000100000 + 99999, 3 * SECOND), LINK_NO_PORT);
}

static void runts_are_counted_and_go_nowhere(void) {
    link_switch_t *sw = switch_of((link_shape_t){0});
    const uint8_t runt[13] = {0};
    uint32_t got[1];
    (void)link_switch_receive(sw, 0, runt, sizeof runt, 0);
    EXPECT_NUMBER(link_switch_counts(sw, 0)->runts, 1);
    EXPECT_NUMBER(leave(sw, 1, 0, got, 1), 0);
    expect_agreement(sw);
    link_switch_free(sw);
}

#define MANY 4000u

static const link_impairments_t all_kinds = {0.1, 0.05, 0.1, 0.02, 77};

/* Frames that leave port 1 of `MANY` into port 0, with frames of port 2 between if asked. */
static unsigned through(link_impairments_t impairments, bool others, uint32_t *got) {
    link_switch_t *sw = switch_of((link_shape_t){.impairments = impairments});
    uint32_t none[8];
    unsigned count = 0;
    give(sw, 1, 255, 0, 0);
    (void)link_switch_release(sw, 0, true);
    (void)leave(sw, 0, 0, none, 8);
    for (uint32_t number = 0; number < MANY; number++) {
        const uint64_t now = others ? number * UINT64_C(7777) : number;
        give(sw, 0, 1, number, now);
        if (others) {
            give(sw, 2, 2, number, now);
        }
        count += leave(sw, 1, UINT64_MAX, got + count, 2 * MANY - count);
    }
    EXPECT_NUMBER(link_switch_release(sw, SECOND, true), LINK_NEVER);
    count += leave(sw, 1, UINT64_MAX, got + count, 2 * MANY - count);
    EXPECT_NUMBER(link_switch_counts(sw, 0)->held, 0);
    while (link_switch_leaves(sw, 2) != LINK_NEVER) {
        link_switch_sent(sw, 2);
    }
    expect_agreement(sw);
    const link_counts_t *counts = link_switch_counts(sw, 0);
    EXPECT(counts->dropped >= MANY * impairments.drop * 0.8);
    EXPECT(counts->dropped <= MANY * impairments.drop * 1.2);
    EXPECT(counts->duplicated >= MANY * impairments.duplicate * 0.7);
    EXPECT(counts->reordered >= MANY * impairments.reorder * 0.7);
    EXPECT(counts->corrupted >= MANY * impairments.corrupt * 0.5);
    link_switch_free(sw);
    return count;
}

static uint32_t first[2 * MANY];
static uint32_t second[2 * MANY];

static void a_seed_repeats_every_fate_whatever_others_do(void) {
    const unsigned count = through(all_kinds, false, first);
    EXPECT_NUMBER(through(all_kinds, true, second), count);
    EXPECT(memcmp(first, second, count * sizeof first[0]) == 0);
    link_impairments_t other = all_kinds;
    other.seed++;
    const unsigned others = through(other, false, second);
    EXPECT(others != count || memcmp(first, second, count * sizeof first[0]) != 0);
}

static void a_reordered_frame_lets_at_most_four_pass(void) {
    const link_impairments_t reorder = {.reorder = 0.2, .seed = 3};
    unsigned moved = 0;
    EXPECT_NUMBER(through(reorder, false, first), MANY);
    memset(second, 0, sizeof second);
    for (uint32_t at = 0; at < MANY; at++) {
        const uint32_t number = first[at];
        EXPECT(number < MANY && second[number % MANY]++ == 0);
        EXPECT(at + LINK_PASSED_MAX >= number && number + LINK_PASSED_MAX >= at);
        moved += number != at;
    }
    EXPECT(moved > MANY / 10);
}

static void a_reordered_frame_goes_on_when_no_other_comes(void) {
    const link_shape_t shape = {.impairments = {.reorder = 1, .seed = 1}};
    link_switch_t *sw = switch_of(shape);
    uint32_t got[1];
    give(sw, 0, 1, 5, 100);
    EXPECT_NUMBER(link_switch_counts(sw, 0)->held, 1);
    expect_agreement(sw);
    EXPECT_NUMBER(link_switch_release(sw, 100, false), 100 + LINK_HELD_NS);
    EXPECT_NUMBER(leave(sw, 1, 100, got, 1), 0);
    EXPECT_NUMBER(link_switch_release(sw, 100 + LINK_HELD_NS, false), LINK_NEVER);
    EXPECT_NUMBER(leave(sw, 1, 100 + LINK_HELD_NS, got, 1), 1);
    link_switch_free(sw);
}

static void one_bit_behind_the_ethernet_header_is_flipped(void) {
    const link_shape_t shape = {.impairments = {.corrupt = 1, .seed = 9}};
    link_switch_t *sw = switch_of(shape);
    for (uint32_t number = 0; number < 200; number++) {
        uint8_t frame[64];
        size_t bytes = make(frame, 1, 0, number);
        unsigned flipped = 0;
        const link_fate_t fate = link_switch_receive(sw, 0, frame, bytes, 0);
        const uint8_t *out = link_switch_ready(sw, 1, 0, &bytes);
        EXPECT_NUMBER(bytes, 64);
        for (size_t bit = 0; out && bit < bytes * 8; bit++) {
            const bool differs = ((out[bit / 8] ^ frame[bit / 8]) >> bit % 8) & 1;
            flipped += differs;
            EXPECT(!differs || (bit == fate.corrupted_bit && bit >= LINK_HEADER_BYTES * 8));
        }
        EXPECT_NUMBER(flipped, 1);
        link_switch_sent(sw, 1);
    }
    link_switch_free(sw);
}

static void a_full_queue_drops_and_holds_back_no_other_port(void) {
    static uint8_t frame[LINK_FRAME_MAX];
    link_switch_t *sw = switch_of((link_shape_t){0});
    uint32_t got[1];
    const unsigned fit = LINK_PORT_BYTES / LINK_FRAME_MAX;
    give(sw, 1, 1, 0, 0);
    give(sw, 2, 2, 0, 0);
    while (link_switch_leaves(sw, 0) != LINK_NEVER) {
        link_switch_sent(sw, 0);
    }
    (void)leave(sw, 2, 0, got, 1);
    for (unsigned number = 0; number < fit + 10; number++) {
        (void)make(frame, 1, 0, number);
        (void)link_switch_receive(sw, 0, frame, sizeof frame, 0);
    }
    EXPECT_NUMBER(link_switch_counts(sw, 1)->waiting, fit);
    EXPECT_NUMBER(link_switch_counts(sw, 1)->overflowed, 10);
    give(sw, 0, 2, 5, 0);
    EXPECT_NUMBER(leave(sw, 2, 0, got, 1), 1);
    expect_agreement(sw);
    link_switch_free(sw);
}

static void delay_and_rate_tell_when_a_frame_leaves(void) {
    link_switch_t *sw = switch_of((link_shape_t){.delay_ns = 1000, .gbps = 1});
    uint32_t got[4];
    give(sw, 0, 1, 1, 50);
    give(sw, 0, 1, 2, 60);
    /* 64 bytes and 24 more are 704 ns at 1 Gb/s. */
    EXPECT_NUMBER(link_switch_leaves(sw, 1), 50 + 1000 + 704);
    EXPECT_NUMBER(leave(sw, 1, 1753, got, 4), 0);
    EXPECT_NUMBER(leave(sw, 1, 1754, got, 4), 1);
    EXPECT_NUMBER(link_switch_leaves(sw, 1), 1754 + 704);
    EXPECT_NUMBER(leave(sw, 1, SECOND, got, 4), 1);
    EXPECT_NUMBER(got[0], 2);
    link_switch_free(sw);
}

static void a_fate_in_words(void) {
    char text[128];
    link_fate_text(&(link_fate_t){.dropped = true, .duplicated = true}, text, sizeof text);
    EXPECT_TEXT(text, "dropped");
    link_fate_text(
        &(link_fate_t){.duplicated = true, .passed = 2, .corrupted = true, .corrupted_bit = 118},
        text, sizeof text);
    EXPECT_TEXT(text, "bit 118 flipped twice behind 2 more");
    link_fate_text(&(link_fate_t){0}, text, sizeof text);
    EXPECT_TEXT(text, "");
}

int main(void) {
    RUN(stations_are_learned_and_frames_to_the_own_port_filtered);
    RUN(a_closed_port_loses_its_stations_and_what_waits);
    RUN(the_table_ages_and_is_bounded);
    RUN(runts_are_counted_and_go_nowhere);
    RUN(a_seed_repeats_every_fate_whatever_others_do);
    RUN(a_reordered_frame_lets_at_most_four_pass);
    RUN(a_reordered_frame_goes_on_when_no_other_comes);
    RUN(one_bit_behind_the_ethernet_header_is_flipped);
    RUN(a_full_queue_drops_and_holds_back_no_other_port);
    RUN(delay_and_rate_tell_when_a_frame_leaves);
    RUN(a_fate_in_words);
    return expect_summary();
}
