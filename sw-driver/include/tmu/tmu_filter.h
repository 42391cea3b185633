/* SPDX-License-Identifier: Apache-2.0
 *
 * Windows of the filter ids, a part of tmu/tmu.h.
 *
 * Entries beyond a queue's array are found by filter ids.  The windows of a new device suit MPI;
 * others observe their traffic, choose, and set.
 */
#ifndef TMU_TMU_FILTER_H
#define TMU_TMU_FILTER_H

#include "tmu/tmu.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Which key bits a filter id is folded from.
 *
 * An id has three pieces, each the remainder of the key bits in its window; of 32 bits, 12 are
 * `low`, 10 `high` and 10 `source`.
 * A piece is not compared when either key ignores any bit in its window.
 * Windows decide how many wrong entries are read and rejected, never which entry matches.
 * They may overlap; a window of 0 filters nothing; bits that the device does not keep are ignored.
 */
typedef struct tmu_filter_windows {
    uint64_t low;    /**< of the match bits; at first 31..0, MPI's tag */
    uint64_t high;   /**< of the match bits; at first 63..32, MPI's context */
    uint32_t source; /**< of the source bits; at first all */
} tmu_filter_windows_t;

/** Different sets of ignored bits that a sample tells apart; further ones are counted as one. */
#define TMU_FILTER_MASKS 4

/** A set of ignored bits, and how many keys had it. */
typedef struct tmu_filter_mask {
    uint64_t ignore;
    uint64_t keys;
} tmu_filter_mask_t;

/** Statistics of observed keys; starts with all fields 0 and belongs to the caller. */
typedef struct tmu_filter_sample {
    uint64_t keys;
    uint64_t match_ones;  /**< bits that were 1 in a key that compares them */
    uint64_t match_zeros; /**< bits that were 0 in a key that compares them */
    uint32_t source_ones;
    uint32_t source_zeros;
    tmu_filter_mask_t match_masks[TMU_FILTER_MASKS];
    tmu_filter_mask_t source_masks[TMU_FILTER_MASKS];
} tmu_filter_sample_t;

/**
 * Sets the windows; allowed at any time, opening a device sets those of MPI again.
 * The unit takes new windows over while no entry lies beyond the arrays and keeps the old ones
 * until then.
 * A device without a filter (`filter_lanes` 0) keeps them without any effect: TMU_OK.
 * Errors: TMU_ERR_INVALID for NULL, TMU_ERR_DEVICE.
 */
tmu_result_t tmu_filter_set(tmu_t *device, const tmu_filter_windows_t *windows);

/** Reads the windows that were set last, taken over or not.  Errors: as tmu_filter_set. */
tmu_result_t tmu_filter_get(tmu_t *device, tmu_filter_windows_t *windows_p);

/**
 * Adds one key of a receive, probe, claim or message (which ignores nothing) to a sample; a few
 * operations and no lock, so threads need samples of their own.
 */
void tmu_filter_observe(tmu_filter_sample_t *sample, uint64_t match, uint64_t ignore,
                        uint32_t source, uint32_t source_ignore);

/**
 * Windows for traffic like that of the sample, by the least number of wrong entries to reject.
 *
 * Bits that never varied are left out.  Bits that the same wildcards ignore stay together, apart
 * from those that remain compared; the larger piece goes where it tells more keys apart.
 * If no wildcard ignores match bits, both windows have every bit that varied: together the two
 * pieces tell all keys apart that differ within 22 bits, wherever these lie.
 * Fields without a bit that varied in the sample keep the windows of a new device.
 * Errors: TMU_ERR_INVALID for NULL.
 */
tmu_result_t tmu_filter_choose(const tmu_filter_sample_t *sample, tmu_filter_windows_t *windows_p);

#ifdef __cplusplus
}
#endif

#endif
