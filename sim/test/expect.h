/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks for C test programs.  A test is a function without arguments; main runs each with
 * RUN(test) and ends with `return expect_summary();`, which prints "N passed, N failed" and is 0
 * only if tests ran and all passed.  A failed check prints both values and the test goes on.
 */
#ifndef EXPECT_H
#define EXPECT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned expect_failures; /* of the running test */
static unsigned expect_passed;
static unsigned expect_failed;

static inline void expect_note(const char *file, int line, const char *what) {
    expect_failures += 1;
    (void)fprintf(stderr, "%s:%d: %s\n", file, line, what);
}

static inline void expect_number(const char *file, int line, const char *what, uint64_t found,
                                 uint64_t expected) {
    if (found != expected) {
        expect_note(file, line, what);
        (void)fprintf(stderr, "    found    %" PRIu64 "\n    expected %" PRIu64 "\n", found,
                      expected);
    }
}

static inline void expect_text(const char *file, int line, const char *what, const char *found,
                               const char *expected) {
    if (!found || strcmp(found, expected) != 0) {
        expect_note(file, line, what);
        (void)fprintf(stderr, "    found    %s\n    expected %s\n", !found ? "(nothing)" : found,
                      expected);
    }
}

static inline void expect_run(const char *name, void (*test)(void)) {
    expect_failures = 0;
    test();
    if (expect_failures == 0) {
        expect_passed += 1;
    } else {
        expect_failed += 1;
        (void)fprintf(stderr, "FAILED: %s\n", name);
    }
}

/* The seed of a random test, which it prints: that of TMU_SEED, else `otherwise`. */
static inline uint64_t expect_seed(uint64_t otherwise) {
    const char *given = getenv("TMU_SEED");
    const uint64_t seed = !given ? otherwise : strtoull(given, NULL, 10);
    (void)printf("seed %" PRIu64 "; TMU_SEED=%" PRIu64 " replays this run\n", seed, seed);
    return seed;
}

static inline int expect_summary(void) {
    (void)printf("%u passed, %u failed\n", expect_passed, expect_failed);
    return expect_passed > 0 && expect_failed == 0 ? 0 : 1;
}

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            expect_note(__FILE__, __LINE__, "not true: " #condition);                              \
        }                                                                                          \
    } while (0)

#define EXPECT_NUMBER(found, expected)                                                             \
    expect_number(__FILE__, __LINE__, #found, (uint64_t)(found), (uint64_t)(expected))

#define EXPECT_TEXT(found, expected) expect_text(__FILE__, __LINE__, #found, (found), (expected))

#define RUN(test) expect_run(#test, test)

#endif
