/* SPDX-License-Identifier: Apache-2.0 */
#include "switch_run.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

static const struct {
    const char *name;
    size_t offset;
} columns[] = {
#define COLUMN(name) {#name, offsetof(link_counts_t, name)}
    COLUMN(received),   COLUMN(received_bytes), COLUMN(dropped),    COLUMN(runts),
    COLUMN(filtered),   COLUMN(forwarded),      COLUMN(flooded),    COLUMN(held),
    COLUMN(duplicated), COLUMN(reordered),      COLUMN(corrupted),  COLUMN(copies),
    COLUMN(sent),       COLUMN(sent_bytes),     COLUMN(overflowed), COLUMN(lost),
    COLUMN(waiting),
#undef COLUMN
};

#define COLUMNS (sizeof columns / sizeof columns[0])

static uint64_t value(const link_counts_t *counts, size_t column) {
    return *(const uint64_t *)(const void *)((const char *)counts + columns[column].offset);
}

static void print_json(const switch_options_t *options, const link_counts_t *counts) {
    (void)printf("{\"seed\": %" PRIu64 ", \"ports\": [", options->shape.impairments.seed);
    for (unsigned port = 0; port < options->shape.ports; port++) {
        (void)printf("%s{\"port\": %u", port ? ", " : "", port);
        for (size_t column = 0; column < COLUMNS; column++) {
            (void)printf(", \"%s\": %" PRIu64, columns[column].name, value(&counts[port], column));
        }
        (void)printf("}");
    }
    (void)puts("]}");
}

/* A counter a line, for there are more of them than of most switches' ports. */
static void print_words(const switch_options_t *options, const link_counts_t *counts) {
    (void)printf("%-15s", "port");
    for (unsigned port = 0; port < options->shape.ports; port++) {
        (void)printf(" %14u", port);
    }
    for (size_t column = 0; column < COLUMNS; column++) {
        (void)printf("\n%-15s", columns[column].name);
        for (unsigned port = 0; port < options->shape.ports; port++) {
            (void)printf(" %14" PRIu64, value(&counts[port], column));
        }
    }
    (void)putchar('\n');
}

void switch_print(const switch_options_t *options, const link_counts_t *counts) {
    (options->json ? print_json : print_words)(options, counts);
    (void)fflush(stdout);
}
