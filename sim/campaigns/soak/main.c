/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-soak: every endpoint with a queue of its own, all at work at once, and what can happen. */
#include "canary.h"
#include "program_device.h"
#include "soak.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

static const program_t program = {"tmu-soak", usage, NULL};

static void canary_option(void *kind_p, const char *name) {
    const canary_t kind = canary_named(name);
    if (kind == CANARY_NONE) {
        exit(program_fails(&program, EXIT_USAGE,
                           "found --canary '%s', expected verdict, lost or doubled", name));
    }
    *(uint32_t *)kind_p = kind;
}

static void read_options(int count, char **values, options_t *options) {
    soak_shape_t *shape = &options->shape;
    const program_option_t table[] = {
        OPTION_NEEDED("uri", options->uri),
        OPTION_NUMBER("seed", shape->seed, 0, UINT64_MAX),
        OPTION_NUMBER("operations", shape->operations, 0, OPERATIONS_MAX),
        OPTION_NUMBER("spill", shape->segments, 0, 128),
        OPTION_NUMBER("kills", shape->kill_every, 0, OPERATIONS_MAX),
        OPTION_NUMBER("resets", shape->reset_every, 0, OPERATIONS_MAX),
        OPTION_NUMBER("limits", shape->limit_every, 0, OPERATIONS_MAX),
        OPTION_FLAG("flood", shape->flood),
        OPTION_OTHER("canary", canary_option, shape->canary_kind),
        {0},
    };
    (void)program_options(&program, table, count, values);
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
    printf(", \"unit\": {");
    counter_set_print(&soak->counters, soak_counters);
    printf("}}\n");
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
    if (soak.error[0] != '\0') {
        (void)program_fails(&program, EXIT_DIFFERENCE, "%s", soak.error);
    }
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
    soak_shape_t *shape = &options.shape;
    shape->canary = shape->canary_kind == CANARY_NONE ? 0 : 1 + shape->operations / 2;
    tmu_info_t info = {0};
    tmu_t *device = program_device(&program, options.uri, &info);
    if (!device) {
        return EXIT_USAGE;
    }
    if (shape->segments > info.spill_segments) {
        shape->segments = info.spill_segments;
    }
    const int status = work(device, shape);
    if (status == EXIT_WELL) { /* else a queue may never come to rest */
        tmu_close(device);
    }
    return status;
}
