/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder's handle table against a plain array, through growth and removals. */
#include <stdint.h>
#include <stdlib.h>

#include "expect.h"
#include "rec_table.h"

enum { KEYS = 300, STEPS = 20000 };

static char keys[KEYS * 16]; /* addresses as MPI hands them out: close together and aligned */

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static void test_an_empty_table_has_nothing(void) {
    struct rec_table table = {0};
    EXPECT(!rec_table_get(&table, keys));
    EXPECT(!rec_table_remove(&table, keys));
    rec_table_put(&table, keys, keys);
    EXPECT(!rec_table_get(&table, NULL));
    EXPECT(!rec_table_get(&table, keys + 1));
    free(table.slots);
}

static void test_a_second_value_replaces_the_first(void) {
    struct rec_table table = {0};
    rec_table_put(&table, keys, keys + 1);
    rec_table_put(&table, keys, keys + 2);
    EXPECT(table.used == 1);
    EXPECT(rec_table_get(&table, keys) == keys + 2);
    free(table.slots);
}

static void test_it_keeps_what_an_array_keeps(void) {
    struct rec_table table = {0};
    void *expected[KEYS] = {0};
    size_t used = 0;
    uint64_t state = 1;
    for (int step = 0; step < STEPS; step++) {
        size_t at = (size_t)(next_random(&state) % KEYS);
        const void *key = &keys[at * 16];
        if (next_random(&state) % 2 == 0) {
            void *value = &keys[next_random(&state) % sizeof keys];
            used += !expected[at];
            expected[at] = value;
            rec_table_put(&table, key, value);
        } else {
            used -= expected[at] ? 1 : 0;
            EXPECT(rec_table_remove(&table, key) == expected[at]);
            expected[at] = NULL;
        }
        EXPECT(table.used == used);
        size_t other = (size_t)(next_random(&state) % KEYS);
        EXPECT(rec_table_get(&table, &keys[other * 16]) == expected[other]);
    }
    EXPECT(table.size >= 2 * table.used);
    free(table.slots);
}

int main(void) {
    RUN(test_an_empty_table_has_nothing);
    RUN(test_a_second_value_replaces_the_first);
    RUN(test_it_keeps_what_an_array_keeps);
    return expect_summary();
}
