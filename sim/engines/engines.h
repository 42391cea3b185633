/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The software engines, each in one line: its name on a command line, the function that has it, and
 * whether it is OFFERED (by ./tmu run, and by tmu-engine-bench unless told) or a VARIANT of such a
 * one, for comparisons.  The function returns NULL where processor or compiler have not what the
 * engine needs.
 *
 * All who name engines read this table: the C programs, the device `ref:PRESET?engine=NAME`, and
 * Python (tools/opentmu/replay/engine.py).
 */
#ifndef TMU_ENGINES_H
#define TMU_ENGINES_H

#include "engine.h"

/* clang-format off */
#define ENGINES(X) \
    X("fuzzy", fuzzy_engine, OFFERED) \
    X("fuzzy-portable", fuzzy_portable, VARIANT) \
    X("fuzzy-avx512", fuzzy_avx512, VARIANT) \
    X("list", list_engine, OFFERED)
/* clang-format on */

#define ENGINE_DECLARE(name, find, kind) const engine_ops_t *find(void);
ENGINES(ENGINE_DECLARE)
#undef ENGINE_DECLARE

/* For lists of names: a member of an array, and a word of a text. */
#define ENGINE_MEMBER(name, find, kind) name,
#define ENGINE_WORD(name, find, kind) " " name
#define ENGINE_NAMES ENGINES(ENGINE_WORD)

/* The words of those that are offered. */
#define ENGINE_IF_OFFERED(name) " " name
#define ENGINE_IF_VARIANT(name)
#define ENGINE_OFFERED(name, find, kind) ENGINE_IF_##kind(name)
#define ENGINE_NAMES_OFFERED ENGINES(ENGINE_OFFERED)

#endif
