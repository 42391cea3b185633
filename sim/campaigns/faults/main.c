/* SPDX-License-Identifier: Apache-2.0
 *
 * tmu-faults: flips bits of stored words while a unit works, and judges what it answers.
 *
 * Prints a table of place and outcome as JSON.  A trial whose outcome is silent or uncontained is
 * named with its seed, and makes the exit code 1.
 */
#include "program_device.h"
#include "trial.h"

#include <inttypes.h>

static const char usage[] =
    "usage: tmu-faults --uri URI [--trials N] [--seed S] [--place P] [--progress]\n"
    "  --uri URI     device: sim:LIBRARY[?pauses=SEED&memory_latency=CLOCKS]\n"
    "  --trials N    bits to flip, spread over all places (default 400)\n"
    "  --seed S      of the first trial; trial n has seed S + n (default 1)\n"
    "  --place P     only this place, by its number (default: all)\n"
    "  --progress    print `progress DONE TOTAL` lines to standard error\n";

static const program_t program = {"tmu-faults", usage, NULL};

static const char *const place_names[] = {
#define PLACE_ROW(name, number) [number] = #name,
    TMU_FAULT_TABLE(PLACE_ROW)
#undef PLACE_ROW
};

#define PLACES (sizeof place_names / sizeof place_names[0])

typedef struct arguments {
    const char *uri;
    uint64_t trials;
    uint64_t seed;
    uint64_t place; /* 0 = all */
    bool progress;
} arguments_t;

static void parse(int count, char **values, arguments_t *arguments) {
    *arguments = (arguments_t){.trials = 400, .seed = 1};
    const program_option_t options[] = {
        OPTION_NEEDED("uri", arguments->uri),
        OPTION_NUMBER("trials", arguments->trials, 1, 1000000000),
        OPTION_NUMBER("seed", arguments->seed, 0, UINT64_MAX / 2),
        OPTION_NUMBER("place", arguments->place, 1, PLACES - 1),
        OPTION_FLAG("progress", arguments->progress),
        {0},
    };
    (void)program_options(&program, options, count, values);
}

typedef struct table {
    uint64_t outcomes[PLACES][TRIAL_OUTCOMES];
    uint64_t withheld[PLACES];
} table_t;

static uint64_t sum(const table_t *table, trial_outcome_t outcome) {
    uint64_t trials = 0;
    for (unsigned place = 1; place < PLACES; place++) {
        trials += table->outcomes[place][outcome];
    }
    return trials;
}

static void print(const arguments_t *arguments, const table_t *table) {
    static const char *const outcomes[TRIAL_OUTCOMES] = {
        "not_stored", "unread", "made_up", "withheld", "spread", "uncontained", "silent"};
    (void)printf("{\"trials\": %" PRIu64 ", \"seed\": %" PRIu64 ", \"silent\": %" PRIu64
                 ", \"uncontained\": %" PRIu64 ", \"places\": {",
                 arguments->trials, arguments->seed, sum(table, TRIAL_SILENT),
                 sum(table, TRIAL_UNCONTAINED));
    const char *comma = "";
    for (unsigned place = 1; place < PLACES; place++) {
        (void)printf("%s\"%s\": {", comma, place_names[place]);
        for (unsigned o = 0; o < TRIAL_OUTCOMES; o++) {
            (void)printf("\"%s\": %" PRIu64 ", ", outcomes[o], table->outcomes[place][o]);
        }
        (void)printf("\"answers_withheld\": %" PRIu64 "}", table->withheld[place]);
        comma = ", ";
    }
    (void)puts("}}");
}

/* Says why a trial makes the program fail, and how to run it again. */
static void complain(const trial_t *trial, unsigned place, uint64_t seed) {
    if (trial->outcome == TRIAL_SILENT) {
        (void)fprintf(stderr, "tmu-faults: silent:");
    } else if (trial->outcome == TRIAL_UNCONTAINED) {
        (void)fprintf(stderr,
                      "tmu-faults: uncontained: found answers of %" PRIu32
                      " endpoints withheld, expected %" PRIu32 " at most:",
                      trial->judged.endpoints, trial->limit);
    } else {
        return;
    }
    (void)fprintf(stderr, " --place %u --trials 1 --seed %" PRIu64 "\n", place, seed);
}

static void run(tmu_t *device, tmu_queue_t *queue, uint32_t endpoints, const arguments_t *arguments,
                table_t *table) {
    for (uint64_t n = 0; n < arguments->trials; n++) {
        unsigned place =
            arguments->place > 0 ? (unsigned)arguments->place : (unsigned)(1 + n % (PLACES - 1));
        const trial_t trial = trial_run(device, queue, endpoints, place, arguments->seed + n);
        table->outcomes[place][trial.outcome]++;
        table->withheld[place] += trial.judged.withheld;
        complain(&trial, place, arguments->seed + n);
        if (arguments->progress && n % 20 == 19) {
            (void)fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", n + 1, arguments->trials);
        }
    }
}

int main(int count, char **values) {
    arguments_t arguments;
    tmu_queue_t *queue = NULL;
    const tmu_queue_attr_t attr = {.endpoint = TMU_ENDPOINT_ANY, .ring_log2 = 8};
    table_t table = {0};
    tmu_info_t info;
    parse(count, values, &arguments);
    tmu_t *device = program_device(&program, arguments.uri, &info);
    if (!device) {
        return EXIT_USAGE;
    }
    if (info.endpoints < JUDGE_ENDPOINTS) {
        return program_fails(&program, EXIT_USAGE, "%s: found %" PRIu32 " endpoints, expected %d",
                             arguments.uri, info.endpoints, JUDGE_ENDPOINTS);
    }
    if (tmu_queue_open(device, &attr, &queue) != TMU_OK || tmu_spill_add(device, 1) != TMU_OK) {
        return program_fails(&program, EXIT_DIFFERENCE,
                             "opening a queue and registering memory: %s", tmu_error_text(device));
    }
    run(device, queue, info.endpoints, &arguments, &table);
    print(&arguments, &table);
    tmu_close(device);
    return sum(&table, TRIAL_SILENT) + sum(&table, TRIAL_UNCONTAINED) > 0;
}
