/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-isolation: what one endpoint's attacks do to others, a JSON line a cell. */
#include "cell.h"
#include "number_option.h"
#include "usage.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

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
            strcmp(attack_name(kind), name) == 0)
            return cell;
    }
    (void)fprintf(stderr, "tmu-isolation: found '%s', expected ATTACK:ENTRIES:OPERATIONS\n", word);
    exit(EXIT_USAGE);
}

static void print_spread(const char *name, const spread_t *s) {
    printf(", \"%s\": {\"p50\": %u, \"p99\": %u, \"max\": %u}", name, s->p50, s->p99, s->max);
}

static void print_counts(const cell_counts_t *c) {
    printf(", \"counts\": {\"commands\": %" PRIu64 ", \"flushes\": %" PRIu64
           ", \"post_refused\": %" PRIu64 ", \"arrive_stalled\": %" PRIu64
           ", \"malformed\": %" PRIu64 ", \"cancel_late\": %" PRIu64
           ", \"doorbell_errors\": %" PRIu64 ", \"disabled_drops\": %" PRIu64
           ", \"queue_overruns\": %" PRIu64 ", \"ring_overruns\": %" PRIu64
           ", \"filter_false\": %" PRIu64 ", \"spill_deferred\": %" PRIu64 "}",
           c->commands, c->flushes, c->post_refused, c->arrive_stalled, c->malformed,
           c->cancel_late, c->doorbell_errors, c->disabled_drops, c->queue_overruns,
           c->ring_overruns, c->filter_false, c->spill_deferred);
}

static void print(const cell_t *cell, uint32_t victims, bool memory, const cell_result_t *r) {
    printf("{\"attack\": \"%s\", \"entries\": %" PRIu64 ", \"memory\": %s, \"victims\": %" PRIu32
           ", \"verdicts\": %" PRIu64 ", \"clocks\": %" PRIu64 ", \"clocks_per_verdict\": %.4f",
           attack_name(cell->kind), cell->entries, memory ? "true" : "false", victims, r->verdicts,
           r->clocks, (double)r->clocks / (double)r->verdicts);
    print_spread("host_latency_clocks", &r->host);
    print_spread("unit_latency_clocks", &r->unit);
    printf(", \"longest_wait\": %" PRIu64 ", \"mismatches\": %" PRIu64 ", \"attempts\": %" PRIu64,
           r->longest, r->mismatches, r->attempts);
    if (cell->kind == ATTACK_LIVES)
        printf(", \"lives\": {\"count\": %" PRIu64 ", \"open\": %" PRIu64 ", \"flush\": %" PRIu64
               ", \"close\": %" PRIu64 "}",
               r->times.lives, r->times.open, r->times.flush, r->times.close);
    if (cell->kind == ATTACK_STUCK)
        printf(", \"ring_patience\": %d", CELL_RING_PATIENCE);
    print_counts(&r->counts);
    printf("}\n");
    (void)fflush(stdout);
}

static int run(session_t *session, const cell_t *cell, const char *error, cell_result_t *result) {
    const char *name = attack_name(cell->kind);
    if (session_run(session, cell, result) != 0) {
        (void)fprintf(stderr, "tmu-isolation: %s:%" PRIu64 ": %s\n", name, cell->entries, error);
        return EXIT_DIFFERENCE;
    }
    if (result->mismatches > 0) {
        (void)fprintf(stderr,
                      "tmu-isolation: %s:%" PRIu64 ": %" PRIu64 " verdicts are not the model's\n",
                      name, cell->entries, result->mismatches);
        return EXIT_DIFFERENCE;
    }
    return EXIT_WELL;
}

int main(int count, char **values) {
    static const struct option options[] = {
        {"uri", required_argument, NULL, 'u'},
        {"victims", required_argument, NULL, 'v'},
        {"memory", no_argument, NULL, 'm'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *uri = NULL;
    uint32_t victims = 2;
    bool memory = false;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'u':
            uri = optarg;
            break;
        case 'v':
            victims = (uint32_t)number_option("tmu-isolation", "--victims", optarg, 1, 1024);
            break;
        case 'm':
            memory = true;
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
        (void)fprintf(stderr, "tmu-isolation: %s\n", tmu_error_text(NULL));
        return EXIT_USAGE;
    }
    char error[400] = "";
    session_t *session = session_open(device, victims, memory, error, sizeof error);
    int status = session ? EXIT_WELL : EXIT_DIFFERENCE;
    if (!session)
        (void)fprintf(stderr, "tmu-isolation: %s\n", error);
    for (int i = optind; i < count && status == EXIT_WELL; i++) {
        const cell_t cell = cell_of(values[i]);
        cell_result_t result;
        status = run(session, &cell, error, &result);
        if (status == EXIT_WELL)
            print(&cell, victims, memory, &result);
    }
    session_close(session);
    if (status == EXIT_WELL) /* else its queues may still be open, see session_run */
        tmu_close(device);
    return status;
}
