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

int main(void) {
    RUN(context_and_tag_share_the_match_bits);
    RUN(wildcards_ignore_all_but_the_tags_sign_R2);
    RUN(values_out_of_range_leave_the_key_alone);
    return expect_summary();
}
