/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>

#include "tmu_internal.h"

/* Bits of a field of so many, 0 to 64. */
static uint64_t ones(uint32_t bits) { return bits == 0 ? 0 : UINT64_MAX >> (64 - bits); }

static tmu_result_t no_room(const char *field, int64_t value, uint32_t bits) {
    return tmu_error_set(TMU_ERR_INVALID,
                         "%s %" PRId64 " has no room in the %u bits that the unit keeps of it",
                         field, value, bits);
}

tmu_result_t tmu_key_mpi_for(const tmu_info_t *info, uint32_t context, int64_t source, int64_t tag,
                             tmu_key_t *key_p) {
    if (!info || !key_p || info->tag_bits < 1 || info->tag_bits > 32 ||
        info->match_bits < info->tag_bits || info->match_bits > 64 || info->source_bits > 32) {
        return TMU_ERR_INVALID;
    }
    const bool any_source = source == TMU_ANY_SOURCE;
    const bool any_tag = tag == TMU_ANY_TAG;
    const uint32_t context_bits = info->match_bits - info->tag_bits;
    const int64_t sign = INT64_C(1) << (info->tag_bits - 1);
    const uint64_t sources = ones(info->source_bits);
    if (context > ones(context_bits)) {
        return no_room("context", context, context_bits);
    }
    if (!any_source && (source < 0 || (uint64_t)source > sources)) {
        return no_room("source", source, info->source_bits);
    }
    if (!any_tag && (tag < -sign || tag >= sign)) {
        return no_room("tag", tag, info->tag_bits);
    }
    /* A tag's sign bit stays compared: ANY_TAG never takes a library-internal message (R2). */
    *key_p = (tmu_key_t){
        .match = (uint64_t)context << info->tag_bits |
                 (any_tag ? 0 : (uint64_t)tag & ones(info->tag_bits)),
        .ignore = any_tag ? (uint64_t)sign - 1 : 0,
        .source = any_source ? 0 : (uint32_t)source,
        .source_ignore = any_source ? (uint32_t)sources : 0,
    };
    return TMU_OK;
}

tmu_result_t tmu_key_mpi(uint32_t context, int64_t source, int64_t tag, tmu_key_t *key_p) {
    static const tmu_info_t full = {.match_bits = 64, .tag_bits = 32, .source_bits = 32};
    return tmu_key_mpi_for(&full, context, source, tag, key_p);
}
