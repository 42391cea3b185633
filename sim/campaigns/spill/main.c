/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-spill: queues that outgrow the tables of a device, a JSON line a cell. */
#include "cell.h"
#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tmu-spill --uri URI [--window N] KIND:POSITION:DEPTH:STEPS...\n"
    "  --uri URI   device: "
    "sim:LIBRARY?memory_latency=CLOCKS&memory_spread=CLOCKS&memory_gap=CLOCKS\n"
    "  --window N  operations of an endpoint in flight, 1 to 256 (default 32)\n"
    "  KIND        posted, unexpected: a queue of DEPTH entries; a step appends one and takes one\n"
    "              beside: a few receives of another endpoint beside posted, which does the same\n"
    "              alone: the same, and the deep queue rests\n"
    "  POSITION    oldest, youngest, random: what is taken of the deep queue; fifo: oldest\n";

static const program_t program = {"tmu-spill", usage, "KIND:POSITION:DEPTH:STEPS"};

static uint32_t window = 32;
static session_t *session;
static cells_t campaign;

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
    while (i < count && strcmp(names[i], name) != 0) {
        i++;
    }
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
        exit(program_fails(&program, EXIT_USAGE, "found '%s', expected %s", word, program.words));
    }
    cell.kind = (cell_kind_t)k;
    cell.name = kinds[k];
    cell.position = (position_t)p;
    cell.position_name = positions[p];
    return cell;
}

static void print_latency(const char *name, const cell_latency_t *latency) {
    printf(", \"%s\": {", name);
    spread_print("take", &latency->take_host);
    printf(", ");
    spread_print("take_unit", &latency->take_unit);
    printf(", ");
    spread_print("append", &latency->append_host);
    printf(", ");
    spread_print("append_unit", &latency->append_unit);
    printf("}");
}

static void print_counts(const char *name, const counter_set_t *counts) {
    printf(", \"%s\": {", name);
    counter_set_print(counts, cell_counters);
    printf("}");
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
}

static void check(const char *word) { (void)cell_of(word); }

static bool open_session(tmu_t *device) {
    session = session_open(device, window, campaign.error, sizeof campaign.error);
    return session;
}

static bool measure(tmu_t *device, const char *word, uint64_t *mismatches_p) {
    (void)device; /* the session's */
    const cell_t cell = cell_of(word);
    cell_result_t result;
    if (session_run(session, &cell, &result) != 0) {
        return false;
    }
    print(&cell, &result);
    *mismatches_p = result.mismatches;
    return true;
}

static void close_session(void) { session_close(session); }

int main(int count, char **values) {
    const char *uri = NULL;
    const program_option_t options[] = {
        OPTION_NEEDED("uri", uri), OPTION_NUMBER("window", window, 1, 256), {0}};
    const int first = program_options(&program, options, count, values);
    campaign =
        (cells_t){.check = check, .open = open_session, .measure = measure, .close = close_session};
    return cells_run(&program, &campaign, uri, values + first);
}
