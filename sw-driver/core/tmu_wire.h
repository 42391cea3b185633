/* SPDX-License-Identifier: Apache-2.0
 *
 * Commands and completions as eight 64-bit words.  All positions come from the generated header.
 */
#ifndef TMU_WIRE_H
#define TMU_WIRE_H

#include <stdint.h>

#include "tmu/tmu.h"

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
#define TMU_REGISTER_BITS(FIELD, value) (((uint32_t)(value)&FIELD##_MASK) << FIELD##_SHIFT)

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

/** The selective fields of a search: post, probe, claim, flush. */
void tmu_wire_key(tmu_record_t *command, const tmu_key_t *key);

/** Decodes every field of a completion; handles stay as the unit gave them. */
void tmu_wire_completion(const tmu_record_t *record, tmu_completion_t *completion_p);

/** Decodes the answer to an inspect command (status entry). */
void tmu_wire_entry(const tmu_record_t *record, tmu_entry_t *entry_p);

/** Decodes an entry as it lies in memory; which queue it is of, the chunk's list knows. */
void tmu_wire_spilled(const tmu_record_t *record, tmu_entry_t *entry_p);

#endif
