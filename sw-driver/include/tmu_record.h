/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and completions as eight 64-bit words, for either side of the unit's interface.
 *
 * A field is named by the generated header (tmu/tmu_regs.h), without its _WORD, _SHIFT and _MASK.
 */
#ifndef TMU_RECORD_H
#define TMU_RECORD_H

#include <stdint.h>

#define TMU_RECORD_WORDS 8

/** One 64-byte record in host byte order. */
typedef struct tmu_record {
    uint64_t word[TMU_RECORD_WORDS];
} tmu_record_t;

#define TMU_FIELD_GET(record, FIELD)                                                               \
    (((record)->word[FIELD##_WORD] >> FIELD##_SHIFT) & (uint64_t)FIELD##_MASK)

#define TMU_FIELD_SET(record, FIELD, value)                                                        \
    ((record)->word[FIELD##_WORD] =                                                                \
         ((record)->word[FIELD##_WORD] & ~((uint64_t)FIELD##_MASK << FIELD##_SHIFT)) |             \
         (((uint64_t)(value) & (uint64_t)FIELD##_MASK) << FIELD##_SHIFT))

#define TMU_REGISTER_GET(value, FIELD) (((value) >> FIELD##_SHIFT) & FIELD##_MASK)
#define TMU_REGISTER_BITS(FIELD, value) (((uint32_t)(value) & FIELD##_MASK) << FIELD##_SHIFT)

/** Little-endian to host order and back. */
static inline uint64_t tmu_le64(uint64_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap64(word);
#endif
}

/** The same for the 32-bit consumer index. */
static inline uint32_t tmu_le32(uint32_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return word;
#else
    return __builtin_bswap32(word);
#endif
}

#endif
