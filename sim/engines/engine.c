/* SPDX-License-Identifier: Apache-2.0 */
#include "engine.h"

#include <string.h>

#include "fuzzy_queue.h"

const engine_ops_t *list_engine(void);

const engine_ops_t *engine_find(const char *name) {
    if (strcmp(name, "fuzzy") == 0) {
        const engine_ops_t *wide = fuzzy_avx512();
        return wide != NULL ? wide : fuzzy_portable();
    }
    if (strcmp(name, "fuzzy-avx512") == 0) {
        return fuzzy_avx512();
    }
    if (strcmp(name, "fuzzy-portable") == 0) {
        return fuzzy_portable();
    }
    return strcmp(name, "list") == 0 ? list_engine() : NULL;
}
