/* SPDX-License-Identifier: Apache-2.0 */
/* The fuzzy engine with AVX-512: 32 ids of a cache line at a time. */
#include "fuzzy_queue.h"

#ifdef __AVX512BW__

#include <immintrin.h>

#define CORE_NAME "fuzzy"
#define CORE_VARIANT "AVX-512BW"
#define CORE_FUNCTION fuzzy_avx512
#define CORE_USABLE                                                                                \
    (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&                    \
     __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2"))

static inline __m512i line_at(const uint16_t *column, size_t index) {
    return _mm512_load_si512((const void *)(column + index));
}

static inline __mmask32 equal(const uint16_t *column, size_t index, __m512i wanted) {
    return _mm512_cmpeq_epi16_mask(line_at(column, index), wanted);
}

/* Writes the whole line: a load of a line cannot be served from a narrower store that is still on
 * its way to the cache, and the next search may load it at once. */
static inline void set_id(uint16_t *column, size_t index, uint16_t id) {
    uint16_t *line = column + (index & ~(size_t)(FUZZY_LINE - 1));
    __mmask32 lane = (__mmask32)1 << (index % FUZZY_LINE);
    _mm512_store_si512((void *)line, _mm512_mask_set1_epi16(line_at(line, 0), lane, (short)id));
}

/* The hits of the line at `index` that are before `end`. */
static inline __mmask32 before(__mmask32 hits, size_t index, size_t end) {
    return end - index < FUZZY_LINE ? _bzhi_u32(hits, (unsigned)(end - index)) : hits;
}

static inline size_t first_of(size_t index, __mmask32 lanes) {
    return index + (size_t)__builtin_ctz(lanes);
}

static inline size_t scan_one(const uint16_t *column, size_t from, size_t end, uint16_t id) {
    if (from >= end) {
        return SIZE_MAX;
    }
    const __m512i wanted = _mm512_set1_epi16((short)id);
    size_t index = from & ~(size_t)(FUZZY_LINE - 1);
    __mmask32 hit = equal(column, index, wanted) & (~(__mmask32)0 << (from % FUZZY_LINE));
    hit = before(hit, index, end);
    if (hit != 0) {
        return first_of(index, hit);
    }
    index += FUZZY_LINE;
    for (; index + 4 * FUZZY_LINE <= end; index += 4 * FUZZY_LINE) {
        __mmask32 a = equal(column, index, wanted);
        __mmask32 b = equal(column, index + FUZZY_LINE, wanted);
        __mmask32 c = equal(column, index + 2 * FUZZY_LINE, wanted);
        __mmask32 d = equal(column, index + 3 * FUZZY_LINE, wanted);
        if (!_kortestz_mask32_u8(_kor_mask32(a, b), _kor_mask32(c, d))) {
            const uint64_t low = (uint64_t)b << 32 | a;
            const uint64_t high = (uint64_t)d << 32 | c;
            return low != 0 ? index + (size_t)__builtin_ctzll(low)
                            : index + 2 * FUZZY_LINE + (size_t)__builtin_ctzll(high);
        }
    }
    for (; index < end; index += FUZZY_LINE) {
        hit = before(equal(column, index, wanted), index, end);
        if (hit != 0) {
            return first_of(index, hit);
        }
    }
    return SIZE_MAX;
}

/* The same for several ids; `count` is a constant wherever this is put in line. */
static inline __attribute__((always_inline)) size_t scan_count(const uint16_t *column, size_t from,
                                                               size_t end, const uint16_t *id,
                                                               unsigned count) {
    __m512i wanted[FUZZY_PATTERNS + 1];
    for (unsigned i = 0; i < count; i++) {
        wanted[i] = _mm512_set1_epi16((short)id[i]);
    }
    __mmask32 allowed = ~(__mmask32)0 << (from % FUZZY_LINE);
    for (size_t index = from & ~(size_t)(FUZZY_LINE - 1); index < end; index += FUZZY_LINE) {
        const __m512i line = line_at(column, index);
        __mmask32 hit = _mm512_cmpeq_epi16_mask(line, wanted[0]);
        for (unsigned i = 1; i < count; i++) {
            hit = _kor_mask32(hit, _mm512_cmpeq_epi16_mask(line, wanted[i]));
        }
        hit = before(hit & allowed, index, end);
        if (hit != 0) {
            return first_of(index, hit);
        }
        allowed = ~(__mmask32)0;
    }
    return SIZE_MAX;
}

static size_t scan_any(const uint16_t *column, size_t from, size_t end, const uint16_t *id,
                       unsigned count) {
    switch (count) {
    case 2:
        return scan_count(column, from, end, id, 2);
    case 3:
        return scan_count(column, from, end, id, 3);
    case 4:
        return scan_count(column, from, end, id, 4);
    default:
        return scan_count(column, from, end, id, count);
    }
}

#include "fuzzy_core.h"

#else

const engine_ops_t *fuzzy_avx512(void) { return NULL; }

#endif
