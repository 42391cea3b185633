/* SPDX-License-Identifier: Apache-2.0
 *
 * Records: fields in words, and the words that two meanings share.
 */
#include "expect.h"
#include "tmu_wire.h"

static void a_field_changes_its_own_bits_only(void) {
    tmu_record_t r;
    memset(&r, 0xff, sizeof r);
    TMU_FIELD_SET(&r, TMU_COMMAND_LENGTH, 0x123456789abc);
    EXPECT_NUMBER(r.word[6], UINT64_C(0xffff123456789abc));
    EXPECT_NUMBER(TMU_FIELD_GET(&r, TMU_COMMAND_LENGTH), 0x123456789abc);
    r = (tmu_record_t){0};
    TMU_FIELD_SET(&r, TMU_COMMAND_OPCODE, 0x1ff); /* a value too wide is cut */
    TMU_FIELD_SET(&r, TMU_COMMAND_ENDPOINT, UINT32_MAX);
    EXPECT_NUMBER(r.word[0], UINT64_C(0xffffffff000000ff));
}

static void a_key_takes_three_words(void) {
    tmu_record_t r = {0};
    tmu_key_t key = {.match = 1, .ignore = 2, .source = 3, .source_ignore = 4};
    tmu_wire_key(&r, &key);
    EXPECT_NUMBER(r.word[1], 1);
    EXPECT_NUMBER(r.word[2], 2);
    EXPECT_NUMBER(r.word[3], UINT64_C(0x400000003));
    EXPECT_NUMBER(r.word[0] | r.word[4] | r.word[5] | r.word[6] | r.word[7], 0);
}

static void a_completion_decodes_field_by_field(void) {
    tmu_record_t r = {.word = {UINT64_C(0x0000000900030102), 11, 12, 13,
                               UINT64_C(0x0000000200000005), UINT64_C(0x0007000000000032),
                               UINT64_C(0x0003000000000064), 14}};
    tmu_completion_t c;
    tmu_wire_completion(&r, &c);
    EXPECT_NUMBER(c.opcode, TMU_OPCODE_ARRIVE);
    EXPECT_NUMBER(c.status, TMU_STATUS_MATCHED);
    EXPECT(c.truncated && !c.unexpected);
    EXPECT_NUMBER(c.serial, 9);
    EXPECT_NUMBER(c.handle, 11);
    EXPECT_NUMBER(c.other, 12);
    EXPECT_NUMBER(c.match, 13);
    EXPECT_NUMBER(c.source, 5);
    EXPECT_NUMBER(c.endpoint, 2);
    EXPECT_NUMBER(c.message_length, 50);
    EXPECT_NUMBER(c.host_latency, 7);
    EXPECT_NUMBER(c.receive_length, 100);
    EXPECT_NUMBER(c.unit_latency, 3);
    EXPECT_NUMBER(c.address, 14);
    EXPECT_NUMBER(c.removed_posted, 0);
}

static void a_flush_counts_where_others_have_a_handle(void) {
    tmu_record_t r = {.word = {[2] = UINT64_C(0x0000000400000003)}};
    tmu_completion_t c;
    TMU_FIELD_SET(&r, TMU_COMPLETION_STATUS, TMU_STATUS_FLUSHED);
    tmu_wire_completion(&r, &c);
    EXPECT_NUMBER(c.removed_posted, 3);
    EXPECT_NUMBER(c.removed_unexpected, 4);
    EXPECT_NUMBER(c.other, 0);
}

static void an_entry_shows_masks_where_others_have_serial_and_lengths(void) {
    tmu_record_t r = {.word = {[0] = UINT64_C(0xffffffff00000000), [6] = UINT64_MAX}};
    tmu_completion_t c;
    tmu_entry_t entry;
    TMU_FIELD_SET(&r, TMU_COMPLETION_STATUS, TMU_STATUS_ENTRY);
    tmu_wire_completion(&r, &c);
    tmu_wire_entry(&r, &entry);
    EXPECT_NUMBER(c.serial, 0);
    EXPECT_NUMBER(c.receive_length, 0);
    EXPECT_NUMBER(c.unit_latency, 0);
    EXPECT_NUMBER(entry.key.source_ignore, UINT32_MAX);
    EXPECT_NUMBER(entry.key.ignore, UINT64_MAX);
}

static void words_are_little_endian_in_memory(void) {
    uint64_t word = tmu_le64(UINT64_C(0x0807060504030201));
    uint32_t half = tmu_le32(0x04030201);
    const unsigned char bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_NUMBER(memcmp(&word, bytes, sizeof word), 0);
    EXPECT_NUMBER(memcmp(&half, bytes, sizeof half), 0);
}

int main(void) {
    RUN(a_field_changes_its_own_bits_only);
    RUN(a_key_takes_three_words);
    RUN(a_completion_decodes_field_by_field);
    RUN(a_flush_counts_where_others_have_a_handle);
    RUN(an_entry_shows_masks_where_others_have_serial_and_lengths);
    RUN(words_are_little_endian_in_memory);
    return expect_summary();
}
