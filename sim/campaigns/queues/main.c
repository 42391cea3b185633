/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-queues: many submission queues of one device at work at once, a JSON line a cell. */
#include "cells.h"
#include "load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: tmu-queues --uri URI [--operations N] KIND:QUEUES:WINDOW...\n"
    "  --uri URI       device: sim:LIBRARY\n"
    "  --operations N  measured in a cell, a fifth of them where one queue is (default 20000)\n"
    "  KIND            pairs: all queues alike, all are measured\n"
    "                  flood, cancels, refused, unread, bad: what all queues but the first do, "
    "which\n"
    "                  is measured with one operation at a time\n";

static const program_t program = {"tmu-queues", usage, "KIND:QUEUES:WINDOW"};

static uint64_t operations = 20000;
static cells_t campaign;

static const struct {
    const char *name;
    worker_kind_t rivals;
    bool watched;
} kinds[] = {
    {"pairs", WORKER_PAIRS, false},    {"flood", WORKER_PAIRS, true},
    {"cancels", WORKER_CANCELS, true}, {"refused", WORKER_REFUSED, true},
    {"unread", WORKER_UNREAD, true},   {"bad", WORKER_BAD, true},
};

static load_cell_t cell_of(const char *word) {
    char name[16] = "";
    uint32_t queues = 0;
    uint32_t window = 0;
    char rest = '\0';
    const int count =
        sscanf(word, "%15[a-z]:%" SCNu32 ":%" SCNu32 "%c", name, &queues, &window, &rest);
    for (size_t i = 0; count == 3 && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].name, name) == 0 && queues > 0 && window > 0) {
            return (load_cell_t){kinds[i].name, kinds[i].rivals, kinds[i].watched, queues, window};
        }
    }
    exit(program_fails(&program, EXIT_USAGE, "found '%s', expected %s", word, program.words));
}

static void print(const load_cell_t *cell, const load_result_t *r) {
    printf("{\"kind\": \"%s\", \"queues\": %" PRIu32 ", \"window\": %" PRIu32
           ", \"verdicts\": %" PRIu64 ", \"clocks\": %" PRIu64
           ", \"clocks_per_verdict\": %.4f, \"least\": %" PRIu64 ", \"most\": %" PRIu64 ", ",
           cell->name, cell->queues, cell->window, r->verdicts, r->clocks,
           (double)r->clocks / (double)r->verdicts, r->least, r->most);
    spread_print("latency_clocks", &r->latency);
    printf(", \"mismatches\": %" PRIu64 ", ", r->wrong);
    counter_set_print(&r->counters, load_counters);
    printf("}\n");
}

static void check(const char *word) { (void)cell_of(word); }

static bool measure(tmu_t *device, const char *word, uint64_t *mismatches_p) {
    const load_cell_t cell = cell_of(word);
    load_result_t result;
    /* A watched queue has one operation at a time, and waits for the others. */
    const uint64_t measured = cell.watched ? operations / 5 : operations;
    if (load_run(device, &cell, measured, &result, campaign.error, sizeof campaign.error) != 0) {
        return false;
    }
    print(&cell, &result);
    *mismatches_p = result.wrong;
    return true;
}

int main(int count, char **values) {
    const char *uri = NULL;
    const program_option_t options[] = {
        OPTION_NEEDED("uri", uri), OPTION_NUMBER("operations", operations, 50, 100000000), {0}};
    const int first = program_options(&program, options, count, values);
    campaign = (cells_t){.check = check, .measure = measure};
    return cells_run(&program, &campaign, uri, values + first);
}
