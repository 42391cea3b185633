/* SPDX-License-Identifier: Apache-2.0 */
/* Counts what is not as it has to be, and says where. */
#ifndef TMU_TESTS_WRONG_H
#define TMU_TESTS_WRONG_H

#include <stdio.h>

static int wrong;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            ++wrong;                                                                               \
            fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

#endif
