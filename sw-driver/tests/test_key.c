/* SPDX-License-Identifier: Apache-2.0
 *
 * MPI's keys (R2).
 */
#include "expect.h"
#include "tmu/tmu.h"

static void context_and_tag_share_the_match_bits(void) {
    tmu_key_t key;
    EXPECT_NUMBER(tmu_key_mpi(0x89abcdef, 17, 5, &key), TMU_OK);
    EXPECT_NUMBER(key.match, UINT64_C(0x89abcdef00000005));
    EXPECT_NUMBER(key.ignore, 0);
    EXPECT_NUMBER(key.source, 17);
    EXPECT_NUMBER(key.source_ignore, 0);
    EXPECT_NUMBER(tmu_key_mpi(1, UINT32_MAX, -2, &key), TMU_OK);
    EXPECT_NUMBER(key.match, UINT64_C(0x1fffffffe));
    EXPECT_NUMBER(key.source, UINT32_MAX);
}

static void wildcards_ignore_all_but_the_tags_sign_R2(void) {
    tmu_key_t key;
    EXPECT_NUMBER(tmu_key_mpi(3, TMU_ANY_SOURCE, TMU_ANY_TAG, &key), TMU_OK);
    EXPECT_NUMBER(key.match, UINT64_C(3) << 32);
    EXPECT_NUMBER(key.ignore, 0x7fffffff);
    EXPECT_NUMBER(key.source, 0);
    EXPECT_NUMBER(key.source_ignore, UINT32_MAX);
}

static void values_out_of_range_leave_the_key_alone(void) {
    tmu_key_t key = {.match = 42};
    EXPECT_NUMBER(tmu_key_mpi(1, -2, 0, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi(1, INT64_C(1) << 32, 0, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi(1, 0, INT64_C(1) << 31, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi(1, 0, -(INT64_C(1) << 31) - 1, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi(1, 0, 0, NULL), TMU_ERR_INVALID);
    EXPECT_NUMBER(key.match, 42);
}

/* A unit that keeps 8 bits of a context, 24 of a tag and 10 of a source. */
static const tmu_info_t narrow = {.match_bits = 32, .tag_bits = 24, .source_bits = 10};

static void a_narrower_key_has_the_tags_sign_at_its_own_width_R2(void) {
    tmu_key_t key;
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 0xab, 1023, -2, &key), TMU_OK);
    EXPECT_NUMBER(key.match, 0xabfffffe);
    EXPECT_NUMBER(key.source, 1023);
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 3, TMU_ANY_SOURCE, TMU_ANY_TAG, &key), TMU_OK);
    EXPECT_NUMBER(key.match, 0x03000000);
    EXPECT_NUMBER(key.ignore, 0x007fffff);
    EXPECT_NUMBER(key.source_ignore, 1023);
}

static void what_a_narrower_key_has_no_room_for_is_named(void) {
    tmu_key_t key = {.match = 42};
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 256, 0, 0, &key), TMU_ERR_INVALID);
    EXPECT_TEXT(tmu_error_text(NULL),
                "context 256 has no room in the 8 bits that the unit keeps of it");
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 0, 1024, 0, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 0, 0, 1 << 23, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi_for(&narrow, 0, 0, -(1 << 23) - 1, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(tmu_key_mpi_for(NULL, 0, 0, 0, &key), TMU_ERR_INVALID);
    EXPECT_NUMBER(key.match, 42);
}

int main(void) {
    RUN(a_narrower_key_has_the_tags_sign_at_its_own_width_R2);
    RUN(what_a_narrower_key_has_no_room_for_is_named);
    RUN(context_and_tag_share_the_match_bits);
    RUN(wildcards_ignore_all_but_the_tags_sign_R2);
    RUN(values_out_of_range_leave_the_key_alone);
    return expect_summary();
}
