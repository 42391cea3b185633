/* SPDX-License-Identifier: Apache-2.0 */
#include "tmu/tmu.h"

/* A tag's sign bit stays compared, so that ANY_TAG never takes a library-internal message (R2). */
#define TAG_ALL_BUT_SIGN UINT64_C(0x7fffffff)

tmu_result_t tmu_key_mpi(uint32_t context, int64_t source, int64_t tag, tmu_key_t *key_p) {
    bool any_source = source == TMU_ANY_SOURCE;
    bool any_tag = tag == TMU_ANY_TAG;
    if (!key_p || (!any_source && (source < 0 || source > UINT32_MAX)) ||
        (!any_tag && (tag < INT32_MIN || tag > INT32_MAX))) {
        return TMU_ERR_INVALID;
    }
    *key_p = (tmu_key_t){
        .match = (uint64_t)context << 32 | (any_tag ? 0 : (uint32_t)(int32_t)tag),
        .ignore = any_tag ? TAG_ALL_BUT_SIGN : 0,
        .source = any_source ? 0 : (uint32_t)source,
        .source_ignore = any_source ? UINT32_MAX : 0,
    };
    return TMU_OK;
}
