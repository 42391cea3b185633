/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-soak: every endpoint with a queue of its own, all at work at once, and what can happen. */
#include "canary.h"
#include "number_option.h"
#include "soak.h"
#include "usage.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

#define OPERATIONS_MAX UINT64_C(100000000000)

static const char usage[] =
    "usage: tmu-soak --uri URI [OPTION...]\n"
    "  --uri URI       device: sim:LIBRARY or ref:PRESET\n"
    "  --operations N  that owners ask for (default 100000)\n"
    "  --seed N        of everything random but the pauses (default 1)\n"
    "  --spill N       segments of memory to register (default all that the device takes)\n"
    "  --kills N       operations between two ends of owners, on average; 0: none (default 4000)\n"
    "  --resets N      the same of resets of the device (default 200000)\n"
    "  --limits N      the same of changes of quotas and reserves (default 400)\n"
    "  --flood         queues are deep all the time, rather than now and then\n"
    "  --canary KIND   one answer is changed on its way: verdict, lost or doubled; the run must\n"
    "                  fail\n";

typedef struct options {
    const char *uri;
    soak_shape_t shape;
} options_t;

static canary_t canary_option(const char *name) {
    const canary_t kind = canary_named(name);
    if (kind == CANARY_NONE) {
        (void)fprintf(stderr, "tmu-soak: found --canary '%s', expected verdict, lost or doubled\n",
                      name);
        exit(EXIT_USAGE);
    }
    return kind;
}

static uint64_t count_option(const char *name, const char *text) {
    return number_option("tmu-soak", name, text, 0, OPERATIONS_MAX);
}

static void read_options(int count, char **values, options_t *options) {
    static const struct option names[] = {
        {"uri", required_argument, NULL, 'u'},
        {"seed", required_argument, NULL, 's'},
        {"operations", required_argument, NULL, 'o'},
        {"spill", required_argument, NULL, 'm'},
        {"kills", required_argument, NULL, 'k'},
        {"resets", required_argument, NULL, 'r'},
        {"limits", required_argument, NULL, 'l'},
        {"canary", required_argument, NULL, 'c'},
        {"flood", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    soak_shape_t *shape = &options->shape;
    int option;
    while ((option = getopt_long(count, values, "", names, NULL)) != -1) {
        switch (option) {
        case 'u':
            options->uri = optarg;
            break;
        case 'o':
            shape->operations = count_option("--operations", optarg);
            break;
        case 's':
            shape->seed = number_option("tmu-soak", "--seed", optarg, 0, UINT64_MAX);
            break;
        case 'm':
            shape->segments = (uint32_t)number_option("tmu-soak", "--spill", optarg, 0, 128);
            break;
        case 'k':
            shape->kill_every = count_option("--kills", optarg);
            break;
        case 'r':
            shape->reset_every = count_option("--resets", optarg);
            break;
        case 'l':
            shape->limit_every = count_option("--limits", optarg);
            break;
        case 'f':
            shape->flood = true;
            break;
        case 'c':
            shape->canary_kind = canary_option(optarg);
            break;
        default:
            usage_option(option, usage);
        }
    }
}

static void print_units(const soak_units_t *u) {
    printf(", \"unit\": {\"commands\": %" PRIu64 ", \"completions\": %" PRIu64
           ", \"disabled_drops\": %" PRIu64 ", \"queue_overruns\": %" PRIu64
           ", \"ring_overruns\": %" PRIu64 ", \"malformed\": %" PRIu64
           ", \"refused_endpoint\": %" PRIu64 ", \"spill_deferred\": %" PRIu64
           ", \"spill_appended\": %" PRIu64 ", \"spill_taken\": %" PRIu64
           ", \"spill_refilled\": %" PRIu64 "}",
           u->commands, u->completions, u->disabled_drops, u->queue_overruns, u->ring_overruns,
           u->malformed, u->refused_endpoint, u->spill_deferred, u->spill_appended, u->spill_taken,
           u->spill_refilled);
}

static void print_ledger(const ledger_counts_t *l) {
    printf(", \"ledger\": {\"sent\": %" PRIu64 ", \"answered\": %" PRIu64 ", \"let_go\": %" PRIu64
           ", \"dropped\": %" PRIu64 ", \"waiting\": %" PRIu64 ", \"queued\": %" PRIu64
           ", \"given_back\": %" PRIu64 ", \"forgotten\": %" PRIu64 ", \"left\": %" PRIu64 "}",
           l->sent, l->answered, l->let_go, l->dropped, l->waiting, l->queued, l->returned,
           l->forgotten, l->left);
}

static void print_judged(const judge_counts_t *j) {
    printf(", \"verdicts\": %" PRIu64 ", \"matched\": %" PRIu64 ", \"stalls\": %" PRIu64
           ", \"refused\": %" PRIu64 ", \"cancelled\": %" PRIu64 ", \"late\": %" PRIu64
           ", \"flushes\": %" PRIu64 ", \"removed\": %" PRIu64 ", \"deepest\": %" PRIu64
           ", \"unseen\": %" PRIu64 ", \"unjudged\": %" PRIu64,
           j->verdicts, j->matched, j->stalls, j->refused, j->cancelled, j->late, j->flushes,
           j->removed, j->deepest, j->unseen, j->unjudged);
}

static void print(const soak_t *soak, uint64_t clocks, double seconds, uint64_t mismatches) {
    const market_t *market = &soak->market;
    const judge_counts_t judged = judge_counts(market->judge);
    const ledger_counts_t ledger = ledger_counts(market->ledger);
    printf("{\"operations\": %" PRIu64 ", \"seed\": %" PRIu64 ", \"endpoints\": %" PRIu32
           ", \"mismatches\": %" PRIu64 ", \"clocks\": %" PRIu64
           ", \"clocks_per_operation\": %.3f, \"seconds\": %.1f",
           market->handles, soak->shape.seed, market->endpoints, mismatches, clocks,
           market->handles ? (double)clocks / (double)market->handles : 0, seconds);
    print_judged(&judged);
    printf(", \"resumes\": %" PRIu64 ", \"held_max\": %" PRIu32 ", \"injected\": %" PRIu64
           ", \"kills\": %" PRIu64 ", \"killed_in_flight\": %" PRIu64 ", \"resets\": %" PRIu64
           ", \"reset_in_flight\": %" PRIu64 ", \"quota_changes\": %" PRIu64
           ", \"quota_changes_under_way\": %" PRIu64 ", \"reserve_changes\": %" PRIu64
           ", \"high_tides\": %" PRIu64 ", \"ebbs\": %" PRIu32 ", \"entries_mean\": %.1f",
           market->resumes, market->held_most, market->injected, soak->kills, soak->kills_in_flight,
           soak->resets, soak->reset_in_flight, soak->quota_changes, soak->quota_under_way,
           soak->reserve_changes, soak->tides, soak->ebbs,
           soak->turns ? (double)soak->entries / (double)soak->turns : 0);
    print_ledger(&ledger);
    print_units(&soak->units);
    printf("}\n");
}

static int work(tmu_t *device, const soak_shape_t *shape) {
    static soak_t soak;
    struct timespec start;
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    bool well = soak_open(&soak, device, shape, stderr);
    const uint64_t clock = tmu_clock(device);
    well = well && soak_run(&soak);
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    if (soak.error[0] != '\0')
        (void)fprintf(stderr, "tmu-soak: %s\n", soak.error);
    uint64_t mismatches = !well;
    if (soak.market.judge) {
        mismatches +=
            judge_counts(soak.market.judge).differences + ledger_complaints(soak.market.ledger);
        print(&soak, tmu_clock(device) - clock,
              (double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9,
              mismatches);
    }
    soak_close(&soak);
    return mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}

int main(int count, char **values) {
    options_t options = {.shape = {.operations = 100000,
                                   .seed = 1,
                                   .segments = UINT32_MAX,
                                   .kill_every = 4000,
                                   .reset_every = 200000,
                                   .limit_every = 400}};
    read_options(count, values, &options);
    if (!options.uri || optind != count) {
        (void)fputs(usage, stderr);
        return EXIT_USAGE;
    }
    soak_shape_t *shape = &options.shape;
    shape->canary = shape->canary_kind == CANARY_NONE ? 0 : 1 + shape->operations / 2;
    tmu_t *device = NULL;
    tmu_info_t info = {0};
    if (tmu_open(options.uri, &device) != TMU_OK || tmu_query(device, &info) != TMU_OK) {
        (void)fprintf(stderr, "tmu-soak: %s\n", tmu_error_text(NULL));
        return EXIT_USAGE;
    }
    if (shape->segments > info.spill_segments)
        shape->segments = info.spill_segments;
    const int status = work(device, shape);
    if (status == EXIT_WELL) /* else a queue may never come to rest */
        tmu_close(device);
    return status;
}
