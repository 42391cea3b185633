/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-spill: queues that outgrow the tables of a device, a JSON line a cell. */
#include "cell.h"
#include "number_option.h"
#include "usage.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: tmu-spill --uri URI [--window N] KIND:POSITION:DEPTH:STEPS...\n"
    "  --uri URI   device: "
    "sim:LIBRARY?memory_latency=CLOCKS&memory_spread=CLOCKS&memory_gap=CLOCKS\n"
    "  --window N  operations of an endpoint in flight, 1 to 256 (default 32)\n"
    "  KIND        posted, unexpected: a queue of DEPTH entries; a step appends one and takes one\n"
    "              beside: a few receives of another endpoint beside posted, which does the same\n"
    "              alone: the same, and the deep queue rests\n"
    "  POSITION    oldest, youngest, random: what is taken of the deep queue; fifo: oldest\n";

static const char *const kinds[] = {
    [CELL_POSTED] = "posted",
    [CELL_UNEXPECTED] = "unexpected",
    [CELL_ALONE] = "alone",
    [CELL_BESIDE] = "beside",
};
static const char *const positions[] = {
    [POSITION_OLDEST] = "oldest",
    [POSITION_YOUNGEST] = "youngest",
    [POSITION_RANDOM] = "random",
    [POSITION_FIFO] = "fifo",
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static size_t find(const char *const *names, size_t count, const char *name) {
    size_t i = 0;
    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static cell_t cell_of(const char *word) {
    char kind[16] = "";
    char position[16] = "";
    char rest = '\0';
    cell_t cell = {0};
    const int found = sscanf(word, "%15[a-z]:%15[a-z]:%" SCNu64 ":%" SCNu64 "%c", kind, position,
                             &cell.depth, &cell.steps, &rest);
    const size_t k = find(kinds, COUNT(kinds), kind);
    const size_t p = find(positions, COUNT(positions), position);
    if (found != 4 || k == COUNT(kinds) || p == COUNT(positions) || cell.depth < 2 ||
        cell.depth > UINT64_C(1) << 24 || cell.steps == 0 || cell.steps > UINT64_C(1) << 24) {
        (void)fprintf(stderr, "tmu-spill: found '%s', expected KIND:POSITION:DEPTH:STEPS\n", word);
        exit(EXIT_USAGE);
    }
    cell.kind = (cell_kind_t)k;
    cell.name = kinds[k];
    cell.position = (position_t)p;
    cell.position_name = positions[p];
    return cell;
}

static void print_spread(const char *name, const spread_t *s, const char *end) {
    printf("\"%s\": {\"p50\": %u, \"p99\": %u, \"max\": %u}%s", name, s->p50, s->p99, s->max, end);
}

static void print_latency(const char *name, const cell_latency_t *latency) {
    printf(", \"%s\": {", name);
    print_spread("take", &latency->take_host, ", ");
    print_spread("take_unit", &latency->take_unit, ", ");
    print_spread("append", &latency->append_host, ", ");
    print_spread("append_unit", &latency->append_unit, "}");
}

static void print_counts(const char *name, const cell_counts_t *c) {
    printf(", \"%s\": {\"operations\": %" PRIu64 ", \"deferred\": %" PRIu64
           ", \"appended\": %" PRIu64 ", \"taken\": %" PRIu64 ", \"refilled\": %" PRIu64
           ", \"wrong_candidates\": %" PRIu64 ", \"reads\": %" PRIu64 ", \"writes\": %" PRIu64 "}",
           name, c->operations, c->deferred, c->appended, c->taken, c->refilled,
           c->wrong_candidates, c->reads, c->writes);
}

static void print(const cell_t *cell, const cell_result_t *r) {
    printf("{\"queue\": \"%s\", \"position\": \"%s\", \"depth\": %" PRIu64
           ", \"verdicts\": %" PRIu64 ", \"clocks\": %" PRIu64 ", \"clocks_per_verdict\": %.4f",
           cell->name, cell->position_name, cell->depth, r->verdicts, r->clocks,
           (double)r->clocks / (double)r->verdicts);
    printf(", \"lone_verdicts\": %" PRIu64 ", \"lone_clocks\": %" PRIu64, r->lone_verdicts,
           r->lone_clocks);
    printf(", \"rival_verdicts\": %" PRIu64 ", \"mismatches\": %" PRIu64, r->rival_verdicts,
           r->mismatches);
    print_counts("counts", &r->counts);
    print_counts("lone_counts", &r->lone_counts);
    print_latency("latency_clocks", &r->busy);
    print_latency("lone_latency_clocks", &r->one);
    printf("}\n");
    (void)fflush(stdout);
}

static int run(session_t *session, const char *word, const char *error) {
    const cell_t cell = cell_of(word);
    cell_result_t result;
    if (session_run(session, &cell, &result) != 0) {
        (void)fprintf(stderr, "tmu-spill: %s: %s\n", word, error);
        return EXIT_DIFFERENCE;
    }
    print(&cell, &result);
    if (result.mismatches > 0) {
        (void)fprintf(stderr, "tmu-spill: %s: %" PRIu64 " verdicts are not the law's\n", word,
                      result.mismatches);
        return EXIT_DIFFERENCE;
    }
    return EXIT_WELL;
}

int main(int count, char **values) {
    static const struct option options[] = {
        {"uri", required_argument, NULL, 'u'},
        {"window", required_argument, NULL, 'w'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *uri = NULL;
    uint32_t window = 32;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'u':
            uri = optarg;
            break;
        case 'w':
            window = (uint32_t)number_option("tmu-spill", "--window", optarg, 1, 256);
            break;
        default:
            usage_option(option, usage);
        }
    }
    if (!uri || optind == count) {
        (void)fputs(usage, stderr);
        return EXIT_USAGE;
    }
    for (int i = optind; i < count; i++)
        (void)cell_of(values[i]);
    tmu_t *device = NULL;
    if (tmu_open(uri, &device) != TMU_OK) {
        (void)fprintf(stderr, "tmu-spill: %s\n", tmu_error_text(NULL));
        return EXIT_USAGE;
    }
    char error[400] = "";
    session_t *session = session_open(device, window, error, sizeof error);
    int status = session ? EXIT_WELL : EXIT_DIFFERENCE;
    if (!session)
        (void)fprintf(stderr, "tmu-spill: %s\n", error);
    for (int i = optind; i < count && status == EXIT_WELL; i++)
        status = run(session, values[i], error);
    session_close(session);
    tmu_close(device);
    return status;
}
