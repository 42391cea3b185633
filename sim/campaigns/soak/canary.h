/* SPDX-License-Identifier: Apache-2.0 */
/* One answer is changed on its way, to see that it is noticed. */
#ifndef SOAK_CANARY_H
#define SOAK_CANARY_H

#include "tmu/tmu.h"

#include <string.h>

typedef enum canary { CANARY_NONE, CANARY_VERDICT, CANARY_LOST, CANARY_DOUBLED } canary_t;

/* CANARY_NONE for a name that is none. */
static inline canary_t canary_named(const char *name) {
    static const char *const names[] = {"", "verdict", "lost", "doubled"};
    for (uint32_t i = 1; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return (canary_t)i;
        }
    }
    return CANARY_NONE;
}

#endif
