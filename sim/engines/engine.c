/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <string.h>

#include "engines.h"

#define ENGINE_ENTRY(name, find, kind) {name, find},
static const struct {
    const char *name;
    const engine_ops_t *(*find)(void);
} engines[] = {ENGINES(ENGINE_ENTRY)};

const engine_ops_t *fuzzy_engine(void) {
    const engine_ops_t *wide = fuzzy_avx512();
    return wide ? wide : fuzzy_portable();
}

const engine_ops_t *engine_find(const char *name) {
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++) {
        if (strcmp(engines[i].name, name) == 0) {
            return engines[i].find();
        }
    }
    return NULL;
}
