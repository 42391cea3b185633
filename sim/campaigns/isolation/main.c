/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-isolation: what one endpoint's attacks do to others, a JSON line a cell. */
#include "cell.h"
#include "cells.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_MAX TMU_QUOTA_MAX
#define OPERATIONS_MAX 100000000

static const char usage[] =
    "usage: tmu-isolation --uri URI [--victims N] [--memory] ATTACK:ENTRIES:OPERATIONS...\n"
    "  --uri URI      device: sim:LIBRARY\n"
    "  --victims N    endpoints with steady mixed traffic (default 2)\n"
    "  --memory       registers all the memory that the device takes\n"
    "  ATTACK         what another endpoint does, of ENTRIES in each queue where it fills them:\n"
    "                 full, wild, stuck, lives; so many queues in crowd; else 0:\n"
    "                 none, malformed, cancels, doorbells, unread, flushes\n"
    "  OPERATIONS     of all victims together, measured\n";

static const program_t program = {"tmu-isolation", usage, "ATTACK:ENTRIES:OPERATIONS"};

static uint32_t victims = 2;
static bool memory;
static session_t *session;
static cells_t campaign;

static cell_t cell_of(const char *word) {
    char name[16] = "";
    char rest = '\0';
    cell_t cell = {0};
    const int count = sscanf(word, "%15[a-z]:%" SCNu64 ":%" SCNu64 "%c", name, &cell.entries,
                             &cell.operations, &rest);
    for (attack_kind_t kind = ATTACK_NONE; count == 3 && attack_name(kind); kind++) {
        cell.kind = kind;
        const bool fits = attack_is_sized(kind) ? cell.entries > 0 && cell.entries <= ENTRIES_MAX
                                                : cell.entries == 0;
        if (fits && cell.operations > 0 && cell.operations <= OPERATIONS_MAX &&
            strcmp(attack_name(kind), name) == 0) {
            return cell;
        }
    }
    exit(program_fails(&program, EXIT_USAGE, "found '%s', expected %s", word, program.words));
}

static void print(const cell_t *cell, const cell_result_t *r) {
    printf("{\"attack\": \"%s\", \"entries\": %" PRIu64 ", \"memory\": %s, \"victims\": %" PRIu32
           ", \"verdicts\": %" PRIu64 ", \"clocks\": %" PRIu64 ", \"clocks_per_verdict\": %.4f, ",
           attack_name(cell->kind), cell->entries, memory ? "true" : "false", victims, r->verdicts,
           r->clocks, (double)r->clocks / (double)r->verdicts);
    spread_print("host_latency_clocks", &r->host);
    printf(", ");
    spread_print("unit_latency_clocks", &r->unit);
    printf(", \"longest_wait\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", \"attempts\": %" PRIu64,
           r->longest, r->mismatches, r->attempts);
    if (cell->kind == ATTACK_LIVES) {
        printf(", \"lives\": {\"count\": %" PRIu64 ", \"open\": %" PRIu64 ", \"flush\": %" PRIu64
               ", \"close\": %" PRIu64 "}",
               r->times.lives, r->times.open, r->times.flush, r->times.close);
    }
    if (cell->kind == ATTACK_STUCK) {
        printf(", \"ring_patience\": %d", CELL_RING_PATIENCE);
    }
    printf(", \"counts\": {");
    counter_set_print(&r->counts, cell_counters);
    printf("}}\n");
}

static void check(const char *word) { (void)cell_of(word); }

static bool open_session(tmu_t *device) {
    session = session_open(device, victims, memory, campaign.error, sizeof campaign.error);
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
    const program_option_t options[] = {OPTION_NEEDED("uri", uri),
                                        OPTION_NUMBER("victims", victims, 1, 1024),
                                        OPTION_FLAG("memory", memory),
                                        {0}};
    const int first = program_options(&program, options, count, values);
    campaign =
        (cells_t){.check = check, .open = open_session, .measure = measure, .close = close_session};
    return cells_run(&program, &campaign, uri, values + first);
}
