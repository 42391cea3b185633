/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The key as engines keep and compare it: here alone its fields are listed.
 *
 * Entries keep the values and the masks of a key apart where a set of ignored bits is shared.
 */
#ifndef TMU_ENGINE_KEY_H
#define TMU_ENGINE_KEY_H

#include <stdbool.h>
#include <stdint.h>

/* A mask bit of 1 = that bit is not compared (R2). */
typedef struct {
    uint64_t match;
    uint64_t ignore;
    uint32_t source;
    uint32_t source_ignore;
} engine_key_t;

/* Copies the values alone. */
#define ENGINE_KEY_COPY_VALUES(to, from)                                                           \
    ((void)((to).match = (from).match), (void)((to).source = (from).source))

/* Copies the masks alone. */
#define ENGINE_KEY_COPY_MASKS(to, from)                                                            \
    ((void)((to).ignore = (from).ignore), (void)((to).source_ignore = (from).source_ignore))

/* R1: what has the values of `a` and of `b` is equal in every bit that `masks` does not ignore. */
#define ENGINE_KEY_EQUAL(a, b, masks)                                                              \
    (((((a).match ^ (b).match) & ~(masks).ignore) |                                                \
      (((a).source ^ (b).source) & ~(masks).source_ignore)) == 0)

#define ENGINE_KEY_SAME_MASKS(a, b)                                                                \
    ((a).ignore == (b).ignore && (a).source_ignore == (b).source_ignore)

#define ENGINE_KEY_IGNORES(key) (((key).ignore | (key).source_ignore) != 0)

/* A number of the values' bits that the masks leave; other bits of it change when one of them does.
 */
#define ENGINE_KEY_MIXED(values, masks)                                                            \
    (((values).match & ~(masks).ignore) ^                                                          \
     ((values).source & ~(masks).source_ignore) * UINT64_C(0xd6e8feb86659fd93))

#endif
