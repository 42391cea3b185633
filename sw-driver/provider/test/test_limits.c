/* SPDX-License-Identifier: Apache-2.0 */
/* The matcher where something is used up or broken: several endpoints, wrong verdicts, ends. */
#include "matching.h"
#include "say.h"

#include <time.h>

/* R11: room that another endpoint makes between a refusal and its reading is not overlooked. */
static void room_that_another_endpoint_makes_is_taken(void) {
    static item_t receives[ENTRIES];
    static matcher_t other;
    char error[256];
    start();
    EXPECT_NUMBER(matcher_open(&other, unit, &events, NULL, error, sizeof error), 0);
    for (uint32_t i = 0; i < ENTRIES; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 100 + i, 0);
        EXPECT(matcher_submit(&other, &receives[i].record));
    }
    progress_of(&other);
    item_t refused = made(TMU_OPCODE_POST, 7, 0);
    item_t message = made(TMU_OPCODE_ARRIVE, 100, 0);
    submit(&refused);
    EXPECT(!refused.record.waits);
    /* The unit refuses, then the message makes room; both while nobody reads this queue. */
    EXPECT(tmu_progress(unit->device, 256) == TMU_OK);
    EXPECT(matcher_submit(&other, &message.record));
    progress_of(&other);
    EXPECT(receives[0].partner == &message.record);
    progress();
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_POST][TMU_STATUS_REFUSED_QUOTA], 1);
    EXPECT(!refused.record.waits);
    matcher_close(&other);
    stop();
}

/* A matcher that the unit gave nonsense still gives everything back, and then is left alone. */
static void a_broken_matcher_is_not_called_after_its_end(void) {
    static item_t messages[2 * ENTRIES];
    char error[256];
    start();
    matcher_t *gone = malloc(sizeof *gone);
    EXPECT_NUMBER(matcher_open(gone, unit, &events, NULL, error, sizeof error), 0);
    item_t unanswered = made(TMU_OPCODE_ARRIVE, 9, 0);
    EXPECT(matcher_submit(gone, &unanswered.record));
    gone->broken = true;
    matcher_close(gone);
    memset(gone, 0xff, sizeof *gone);
    free(gone);
    EXPECT_NUMBER(unanswered.gone, 1);
    /* The driver reads all queues' answers where one of them may make room. */
    for (uint32_t i = 0; i < 2 * ENTRIES; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, 1, 4);
        submit(&messages[i]);
    }
    progress();
    /* Its endpoint stays taken, for its queue is open. */
    EXPECT_NUMBER(unit_take_endpoint(unit), 2);
    matcher_close(&matcher);
    unit_release(unit);
    /* Nobody counted the answer of the message that was left. */
    EXPECT(unit->differences > 0);
}

/* A unit that breaks: whatever was handed over comes back once, in the unit, waiting or refused. */
static void what_a_broken_unit_has_is_returned(void) {
    static item_t receives[ENTRIES + 4];
    item_t items[] = {made(TMU_OPCODE_ARRIVE, 1, 5), made(TMU_OPCODE_PROBE, 2, 5),
                      made(TMU_OPCODE_CLAIM, 3, 5), made(TMU_OPCODE_POST, 4, 5)};
    enum { ITEMS = sizeof items / sizeof items[0] };
    start();
    for (uint32_t i = 0; i < ENTRIES + 4; ++i) {
        receives[i] = made(TMU_OPCODE_POST, 100 + i, 0);
        submit(&receives[i]);
        progress();
    }
    EXPECT(receives[ENTRIES].record.waits);
    for (size_t i = 0; i < ITEMS; ++i) {
        submit(&items[i]);
    }
    /* Its answer to the arrival is about nothing that there is. */
    const uint64_t handle = items[0].record.handle;
    slots_release(&unit->slots, handle);
    items[0].record.handle = slots_take(&unit->slots, &items[0].record);
    progress();
    EXPECT_NUMBER(breakdowns, 1);
    EXPECT_NUMBER(failures, ENTRIES + 4 + ITEMS);
    for (uint32_t i = 0; i < ENTRIES + 4; ++i) {
        EXPECT_NUMBER(receives[i].gone, 1);
    }
    for (size_t i = 0; i < ITEMS; ++i) {
        EXPECT_NUMBER(items[i].gone, 1);
    }
    EXPECT(!matcher_submit(&matcher, &items[0].record));
    EXPECT(!matcher_cancel(&matcher, &receives[0].record));
    matcher_close(&matcher);
    unit_release(unit);
    EXPECT_NUMBER(returned, ENTRIES + 4 + ITEMS);
}

/* Verdicts that an operation cannot have change nothing, whatever its partner is. */
static void impossible_verdicts_are_refused(void) {
    start();
    item_t items[] = {made(TMU_OPCODE_POST, 1, 5), made(TMU_OPCODE_ARRIVE, 2, 5),
                      made(TMU_OPCODE_PROBE, 3, 5), made(TMU_OPCODE_CLAIM, 4, 5)};
    enum { ITEMS = sizeof items / sizeof items[0] };
    for (size_t i = 0; i < ITEMS; ++i) {
        submit(&items[i]);
    }
    const uint64_t inside = matcher.inside;
    unsigned tried = 0;
    for (size_t i = 0; i < ITEMS; ++i) {
        for (size_t j = 0; j < ITEMS; ++j) {
            for (uint8_t opcode = 0; opcode < COUNTS_OPCODES; ++opcode) {
                for (uint8_t status = 0; status < COUNTS_STATUSES; ++status) {
                    const bool own = opcode == items[i].record.opcode;
                    const bool alone = status == TMU_STATUS_QUEUED || status == TMU_STATUS_NONE ||
                                       status == TMU_STATUS_REFUSED_QUOTA;
                    const bool meets =
                        items[j].record.opcode ==
                        (opcode == TMU_OPCODE_ARRIVE ? TMU_OPCODE_POST : TMU_OPCODE_ARRIVE);
                    if (own && (alone || meets)) {
                        continue; /* some of these are possible, and other tests have them */
                    }
                    const tmu_completion_t c = {.opcode = opcode,
                                                .status = status,
                                                .handle = items[i].record.handle,
                                                .other = items[j].record.handle};
                    EXPECT(!matcher_settle(&matcher, &c));
                    ++tried;
                }
            }
        }
    }
    /* Verdicts without a partner, on an operation that cannot have them. */
    const uint8_t wrong[][2] = {{0, TMU_STATUS_NONE},          {1, TMU_STATUS_NONE},
                                {1, TMU_STATUS_REFUSED_QUOTA}, {2, TMU_STATUS_QUEUED},
                                {2, TMU_STATUS_REFUSED_QUOTA}, {3, TMU_STATUS_QUEUED}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i) {
        const record_t *record = &items[wrong[i][0]].record;
        const tmu_completion_t c = {
            .opcode = record->opcode, .status = wrong[i][1], .handle = record->handle};
        EXPECT(!matcher_settle(&matcher, &c));
    }
    EXPECT(tried > 3000);
    EXPECT_NUMBER(matcher.inside, inside);
    EXPECT_NUMBER(returned, 0);
    stop();
}

/* The sentence names both limits, for either may be the smaller one. */
static void too_many_endpoints_are_refused_with_a_sentence(void) {
    char error[256];
    matcher_t more[8];
    unsigned opened = 0;
    start();
    while (opened < 8 &&
           matcher_open(&more[opened], unit, &events, NULL, error, sizeof error) == 0) {
        ++opened;
    }
    EXPECT_NUMBER(opened + 1, unit->info.endpoints);
    EXPECT_TEXT(error, "found no free endpoint of the unit, which has 4; a process may have 4 of "
                       "them open at once");
    while (opened > 0) {
        matcher_close(&more[--opened]);
    }
    stop();
}

/* R11: with memory, receives beyond the table get in, and meet their messages in any order. */
static void receives_go_on_in_memory(void) {
    enum { MANY = 10 * ENTRIES };
    static item_t receives[MANY];
    static item_t messages[MANY];
    start_with("1");
    for (uint32_t i = 0; i < MANY; ++i) {
        receives[i] = made(TMU_OPCODE_POST, i, 0);
        submit(&receives[i]);
    }
    progress();
    progress();
    EXPECT_NUMBER(unit->spill.receives, MANY);
    for (uint32_t i = MANY; i-- > 0;) {
        messages[i] = made(TMU_OPCODE_ARRIVE, i, 0);
        submit(&messages[i]);
    }
    for (int i = 0; i < 4; ++i) {
        progress();
    }
    for (uint32_t i = 0; i < MANY; ++i) {
        EXPECT(receives[i].partner == &messages[i].record && receives[i].gone == 1);
    }
    EXPECT_NUMBER(unit->counts.answered[TMU_OPCODE_POST][TMU_STATUS_REFUSED_QUOTA], 0);
    EXPECT_NUMBER(unit->spill.receives + unit->spill.messages, 0);
    stop();
}

static uint64_t refusals(void) {
    return unit->counts.answered[TMU_OPCODE_POST][TMU_STATUS_REFUSED_QUOTA];
}

static void submit_and_wait(item_t *one) {
    submit(one);
    do {
        matcher_progress(&matcher);
    } while (tmu_queue_in_flight(matcher.queue) != 0);
}

/* R11: when memory is used up as well, a receive is refused, and gets in when some is free. */
static void memory_that_is_used_up_refuses(void) {
    enum { CHUNKS = 512, TAKEN = 400, FREED = 2 * ENTRIES };
    enum { MESSAGES = TAKEN * TMU_SPILL_CHUNK_ENTRIES + ENTRIES };
    enum { RECEIVES = (CHUNKS - TAKEN) * TMU_SPILL_CHUNK_ENTRIES + ENTRIES };
    item_t *messages = calloc(MESSAGES, sizeof *messages);
    item_t *receives = calloc(RECEIVES, sizeof *receives);
    static item_t later[FREED];
    start_with("1");
    for (uint32_t i = 0; i < MESSAGES; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, RECEIVES + 1, 0);
        submit_and_wait(&messages[i]);
    }
    for (uint32_t i = 0; i < RECEIVES; ++i) {
        receives[i] = made(TMU_OPCODE_POST, i, 0);
        submit_and_wait(&receives[i]);
    }
    EXPECT_NUMBER(refusals(), 0);
    item_t refused = made(TMU_OPCODE_POST, RECEIVES, 0);
    submit_and_wait(&refused);
    EXPECT(refused.record.waits && refusals() == 1);
    for (uint32_t i = 0; i < FREED; ++i) {
        later[i] = made(TMU_OPCODE_ARRIVE, i, 0);
        submit_and_wait(&later[i]);
    }
    progress();
    EXPECT(later[FREED - 1].partner == &receives[FREED - 1].record);
    EXPECT(!refused.record.waits);
    EXPECT(refusals() <= 1 + FREED);
    stop();
    EXPECT_NUMBER(refused.gone, 1);
    free(messages);
    free(receives);
}

/* A look of the caller's takes all that a simulated device has to say, for looks cost. */
static void one_look_takes_all_answers(void) {
    enum { SOME = 16 };
    static item_t items[2 * SOME];
    start();
    for (uint32_t i = 0; i < SOME; ++i) {
        items[i] = made(TMU_OPCODE_POST, i, 0);
        items[SOME + i] = made(TMU_OPCODE_ARRIVE, i, 0);
        submit(&items[i]);
    }
    matcher_progress(&matcher);
    EXPECT_NUMBER(tmu_queue_in_flight(matcher.queue), 0);
    for (uint32_t i = 0; i < SOME; ++i) {
        submit(&items[SOME + i]);
    }
    matcher_progress(&matcher);
    EXPECT_NUMBER(returned, 2 * SOME);
    stop();
}

static char last_said[4096];
static int said;

static int hear(say_kind_t kind, const char *text) {
    if (kind == SAY_SENTENCE) {
        (void)snprintf(last_said, sizeof last_said, "%s", text);
        ++said;
    }
    return 1;
}

static void progress_for(unsigned ms) {
    const struct timespec pause = {0, 100000};
    for (unsigned i = 0; i < 10 * ms && said == 0; ++i) {
        matcher_progress(&matcher);
        (void)nanosleep(&pause, NULL);
    }
}

/* R11: a unit that stays full does not stop its program in silence; said once, and not where
 * something moves. */
static void a_standstill_is_told(void) {
    enum { HELD = 3 };
    static item_t messages[ENTRIES + HELD];
    start();
    say_to(hear);
    said = 0;
    for (uint32_t i = 0; i < ENTRIES; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, i, 0);
        submit(&messages[i]);
    }
    progress_for(1000);
    EXPECT_NUMBER(said, 0);
    for (uint32_t i = ENTRIES; i < ENTRIES + HELD; ++i) {
        messages[i] = made(TMU_OPCODE_ARRIVE, i, 0);
        submit(&messages[i]);
    }
    progress_for(60000);
    EXPECT_NUMBER(said, 1);
    EXPECT_TEXT(
        last_said,
        "3 arrivals are held back, and nothing has moved for 3 seconds: the unit's tables "
        "and the memory registered with it (0 segments) are used up; register more with --spill or "
        "TMU_FI_SPILL");
    item_t receive = made(TMU_OPCODE_POST, 0, 0);
    submit(&receive);
    progress();
    EXPECT(receive.partner == &messages[0].record);
    EXPECT_NUMBER(said, 1);
    say_to(NULL);
    stop();
}

int main(void) {
    RUN(room_that_another_endpoint_makes_is_taken);
    RUN(a_broken_matcher_is_not_called_after_its_end);
    RUN(what_a_broken_unit_has_is_returned);
    RUN(impossible_verdicts_are_refused);
    RUN(too_many_endpoints_are_refused_with_a_sentence);
    RUN(receives_go_on_in_memory);
    RUN(one_look_takes_all_answers);
    RUN(a_standstill_is_told);
    RUN(memory_that_is_used_up_refuses);
    return expect_summary();
}
