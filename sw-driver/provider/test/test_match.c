/* SPDX-License-Identifier: Apache-2.0 */
/* The matcher on a functional device: what it returns, in which order, and when it is full. */
#include "matching.h"

static void either_may_come_first(void) {
    start();
    item_t receive = made(TMU_OPCODE_POST, 1, 5);
    item_t message = made(TMU_OPCODE_ARRIVE, 1, 5);
    item_t early = made(TMU_OPCODE_ARRIVE, 2, 5);
    item_t late = made(TMU_OPCODE_POST, 2, 5);
    submit(&receive);
    submit(&early);
    submit(&message);
    submit(&late);
    progress();
    EXPECT(receive.partner == &message.record && message.partner == &receive.record);
    EXPECT(late.partner == &early.record && late.gone == 1 && early.gone == 1);
    stop();
}

/* R8, R9: a probe leaves the message, a claim takes it. */
static void looks_are_answered(void) {
    start();
    item_t message = made(TMU_OPCODE_ARRIVE, 3, 1);
    item_t probe = made(TMU_OPCODE_PROBE, 3, 1);
    item_t claim = made(TMU_OPCODE_CLAIM, 3, 1);
    item_t nothing = made(TMU_OPCODE_CLAIM, 3, 1);
    submit(&message);
    submit(&probe);
    submit(&claim);
    submit(&nothing);
    progress();
    EXPECT(probe.partner == &message.record && claim.partner == &message.record);
    EXPECT(nothing.gone == 1 && !nothing.partner && message.gone == 1);
    stop();
}

/* R10: cancelled or late, by the unit. */
static void a_cancel_ends_one_way(void) {
    start();
    item_t receive = made(TMU_OPCODE_POST, 4, 1);
    item_t taken = made(TMU_OPCODE_POST, 5, 1);
    item_t message = made(TMU_OPCODE_ARRIVE, 5, 1);
    submit(&receive);
    submit(&taken);
    submit(&message);
    EXPECT(matcher_cancel(&matcher, &receive.record));
    /* The match was on its way when the cancel came. */
    EXPECT_NUMBER(taken.gone, 1);
    EXPECT_NUMBER(receive.gone, 0);
    item_t other = made(TMU_OPCODE_POST, 6, 1);
    item_t fast = made(TMU_OPCODE_ARRIVE, 6, 1);
    submit(&other);
    submit(&fast);
    EXPECT(!matcher_cancel(&matcher, &other.record));
    EXPECT_NUMBER(other.gone, 1);
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_CANCEL][TMU_STATUS_LATE], 1);
    stop();
}

/* R11: receives beyond the table wait in order, and get in one by one as there is room. */
static void receives_beyond_the_table_keep_their_order(void) {
    enum { MANY = 200 };
    static item_t receives[MANY];
    static item_t messages[MANY];
    start();
    for (uint32_t i = 0; i < MANY; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 0, 0);
        receives[i].record.key.source_ignore = UINT32_MAX;
        submit(&receives[i]);
    }
    item_t probe = made(TMU_OPCODE_PROBE, 0, 0);
    submit(&probe);
    progress();
    EXPECT(unit->counts.answered[TMU_OPCODE_POST][TMU_STATUS_REFUSED_QUOTA] >= 1);
    EXPECT_NUMBER(unit->spill.receives, ENTRIES);
    EXPECT_NUMBER(probe.gone, 0); /* it was asked after receives that are not in yet */
    for (uint32_t i = 0; i < MANY; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, 0, i);
        submit(&messages[i]);
        if (i % 7 == 0) {
            progress();
        }
    }
    progress();
    for (uint32_t i = 0; i < MANY; ++i) {
        EXPECT(receives[i].partner == &messages[i].record && receives[i].gone == 1);
    }
    EXPECT(probe.gone == 1 && !probe.partner);
    stop();
}

/* A refused receive gets a message that came after it, although the table stays full. */
static void a_refused_receive_finds_a_later_message(void) {
    static item_t receives[ENTRIES];
    start();
    for (uint32_t i = 0; i < ENTRIES; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 100 + i, 0);
        submit(&receives[i]);
    }
    item_t refused = made(TMU_OPCODE_POST, 7, 0);
    item_t message = made(TMU_OPCODE_ARRIVE, 7, 0);
    submit(&refused);
    progress();
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_POST][TMU_STATUS_REFUSED_QUOTA], 1);
    submit(&message);
    progress();
    EXPECT(refused.partner == &message.record);
    stop();
}

/* A receive that is not in the unit is cancelled without it, and those behind it move up. */
static void a_waiting_receive_can_be_cancelled(void) {
    static item_t receives[ENTRIES + 2];
    start();
    for (uint32_t i = 0; i < ENTRIES + 2; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 100 + i, 0);
        submit(&receives[i]);
    }
    progress();
    EXPECT(matcher_cancel(&matcher, &receives[ENTRIES].record));
    EXPECT(matcher_cancel(&matcher, &receives[0].record));
    progress();
    EXPECT(!receives[ENTRIES + 1].record.waits);
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_CANCEL][TMU_STATUS_CANCELLED], 1);
    stop();
}

/* The same while its refusal is on the way: the unit says late, and it is cancelled all the same.
 */
static void a_receive_can_be_cancelled_while_it_is_refused(void) {
    static item_t receives[ENTRIES + 1];
    start();
    for (uint32_t i = 0; i < ENTRIES; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 100 + i, 0);
        submit(&receives[i]);
    }
    progress();
    receives[ENTRIES] = made(TMU_OPCODE_POST, 7, 0);
    submit(&receives[ENTRIES]);
    EXPECT(!receives[ENTRIES].record.waits);
    EXPECT(matcher_cancel(&matcher, &receives[ENTRIES].record));
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_CANCEL][TMU_STATUS_LATE], 1);
    stop();
}

/* R11, R14: messages beyond the table are held back, and an end returns every record once. */
static void an_end_gives_everything_back(void) {
    enum { MANY = 150 };
    static item_t messages[MANY];
    static item_t receives[MANY];
    start();
    for (uint32_t i = 0; i < MANY; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, 1, i % 3);
        receives[i] = made(TMU_OPCODE_POST, 2, i % 3);
        submit(&messages[i]);
        submit(&receives[i]);
    }
    progress();
    EXPECT(unit->counts.answered[TMU_OPCODE_ARRIVE][TMU_STATUS_STALLED] > 0);
    stop();
    for (uint32_t i = 0; i < MANY; ++i) {
        EXPECT(messages[i].gone == 1 && receives[i].gone == 1);
    }
}

/* The order of one source is kept while its messages are held back (R7, R11). */
static void held_messages_keep_their_order(void) {
    enum { MANY = 150 };
    static item_t messages[MANY];
    static item_t receives[MANY];
    start();
    for (uint32_t i = 0; i < MANY; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, 1, 4);
        submit(&messages[i]);
    }
    for (uint32_t i = 0; i < MANY; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 1, 4);
        submit(&receives[i]);
        progress();
    }
    for (uint32_t i = 0; i < MANY; ++i) {
        EXPECT(receives[i].partner == &messages[i].record);
    }
    stop();
}

int main(void) {
    RUN(either_may_come_first);
    RUN(looks_are_answered);
    RUN(a_cancel_ends_one_way);
    RUN(receives_beyond_the_table_keep_their_order);
    RUN(a_refused_receive_finds_a_later_message);
    RUN(a_waiting_receive_can_be_cancelled);
    RUN(a_receive_can_be_cancelled_while_it_is_refused);
    RUN(an_end_gives_everything_back);
    RUN(held_messages_keep_their_order);
    return expect_summary();
}
