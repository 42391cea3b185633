/* SPDX-License-Identifier: Apache-2.0
 *
 * Which command a completion answers, when answers come in any order.
 */
#include "expect.h"
#include "tmu_pending.h"

#define SIZE 8

static tmu_pendings_t pendings;

static void start(void) { EXPECT_NUMBER(tmu_pendings_init(&pendings, SIZE), TMU_OK); }

/* Sends a command with this handle, or with a name in its slot. */
static tmu_pending_t *send(uint8_t opcode, uint32_t endpoint, uint64_t handle) {
    tmu_pending_t *slot = tmu_pending_next(&pendings);
    *slot = (tmu_pending_t){
        .next = slot->next, .opcode = opcode, .endpoint = endpoint, .handle = handle};
    TMU_FIELD_SET(&slot->command, TMU_COMMAND_HANDLE,
                  tmu_pending_is_named(opcode) ? tmu_pending_name(&pendings, slot, UINT64_MAX)
                                               : handle);
    tmu_pending_sent(&pendings, slot);
    return slot;
}

/* The completion of a command that was sent. */
static tmu_completion_t answer(const tmu_pending_t *pending) {
    return (tmu_completion_t){.opcode = pending->opcode,
                              .endpoint = pending->endpoint,
                              .handle = TMU_FIELD_GET(&pending->command, TMU_COMMAND_HANDLE)};
}

static void equal_handles_are_told_apart_by_names_R7(void) {
    start();
    tmu_pending_t *sent[4];
    tmu_completion_t answers[4];
    static const uint8_t opcodes[] = {TMU_OPCODE_PROBE, TMU_OPCODE_CLAIM, TMU_OPCODE_CANCEL,
                                      TMU_OPCODE_FLUSH};
    for (size_t i = 0; i < 4; i++) {
        sent[i] = send(opcodes[i], 1, 77);
        answers[i] = answer(sent[i]);
    }
    for (size_t i = 4; i-- > 0;) {
        EXPECT(tmu_pending_find(&pendings, &answers[i]) == sent[i]);
        tmu_pending_end(&pendings, sent[i]);
        EXPECT(!tmu_pending_find(&pendings, &answers[i]));
    }
    EXPECT_NUMBER(pendings.count, 0);
    tmu_pendings_free(&pendings);
}

static void a_name_is_given_once(void) {
    start();
    tmu_pending_t *first = send(TMU_OPCODE_PROBE, 1, 5);
    const tmu_completion_t old = answer(first);
    tmu_pending_end(&pendings, first);
    tmu_pending_t *second = send(TMU_OPCODE_PROBE, 1, 5);
    EXPECT(first == second); /* the slot is the same one */
    EXPECT(!tmu_pending_find(&pendings, &old));
    tmu_pendings_free(&pendings);
}

static void an_arrival_is_found_by_handle_and_endpoint(void) {
    start();
    tmu_pending_t *one = send(TMU_OPCODE_ARRIVE, 1, 9);
    tmu_pending_t *two = send(TMU_OPCODE_ARRIVE, 2, 9);
    tmu_pending_t *post = send(TMU_OPCODE_POST, 2, 9);
    tmu_pending_t *again = send(TMU_OPCODE_ARRIVE, 2, 9);
    const tmu_completion_t first = answer(one);
    const tmu_completion_t second = answer(two);
    const tmu_completion_t posted = answer(post);
    EXPECT(tmu_pending_find(&pendings, &posted) == post);
    EXPECT(tmu_pending_find(&pendings, &second) == two); /* the older of two alike */
    tmu_pending_end(&pendings, two);
    EXPECT(tmu_pending_find(&pendings, &second) == again);
    tmu_pending_end(&pendings, again);
    EXPECT(!tmu_pending_find(&pendings, &second));
    EXPECT(tmu_pending_find(&pendings, &first) == one);
    EXPECT(pendings.oldest == one && pendings.youngest == post);
    tmu_pendings_free(&pendings);
}

static void slots_are_used_again_in_any_order(void) {
    start();
    tmu_pending_t *sent[SIZE];
    for (unsigned lap = 0; lap < 5; lap++) {
        for (uint64_t i = 0; i < SIZE; i++) {
            EXPECT(tmu_pending_next(&pendings));
            sent[i] = send(TMU_OPCODE_CLAIM, 0, i);
        }
        EXPECT(!tmu_pending_next(&pendings));
        for (size_t i = 0; i < SIZE; i++) {
            size_t at = (5 * i + lap) % SIZE;
            const tmu_completion_t c = answer(sent[at]);
            EXPECT_NUMBER(tmu_pending_find(&pendings, &c)->handle, at);
            tmu_pending_end(&pendings, sent[at]);
        }
        EXPECT(!pendings.oldest && !pendings.youngest);
    }
    EXPECT_NUMBER(pendings.sent, 5 * SIZE);
    tmu_pendings_free(&pendings);
}

static void a_name_keeps_to_the_bits_of_a_handle(void) {
    start();
    for (unsigned i = 0; i < 40; i++) {
        tmu_pending_t *slot = tmu_pending_next(&pendings);
        EXPECT(tmu_pending_name(&pendings, slot, 0xf) <= 0xf);
        tmu_pending_sent(&pendings, slot);
        tmu_pending_end(&pendings, slot);
    }
    tmu_pendings_free(&pendings);
}

int main(void) {
    RUN(equal_handles_are_told_apart_by_names_R7);
    RUN(a_name_is_given_once);
    RUN(an_arrival_is_found_by_handle_and_endpoint);
    RUN(slots_are_used_again_in_any_order);
    RUN(a_name_keeps_to_the_bits_of_a_handle);
    return expect_summary();
}
