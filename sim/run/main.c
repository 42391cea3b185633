// SPDX-License-Identifier: Apache-2.0
/* tmu-replay: traffic through the driver and a device, every verdict checked by the model. */
#include "fit.h"
#include "number_option.h"
#include "replay.h"
#include "report.h"
#include "usage.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

#define ERROR_MAX TMU_TRACE_ERROR_MAX
/* Random operations after which the unit is reset and the next seed taken; where quotas hold
 * arrivals back, each operation costs many attempts, and fewer do. */
#define SEGMENT 20000u
#define QUOTA_SEGMENT 2000u
/* Times as many entries as on chip, at most, in random workloads for queues that go on in memory.
 */
#define OUTGROWN 8u

typedef struct {
    const char *uri;
    const char *trace;
    const char *verdicts;
    uint64_t random; /* operations; 0 = a trace */
    uint64_t seed;
    bool soak;
    bool refuse_endpoints; /* operations at endpoints that the device lacks are wanted */
    bool check;
    replay_options_t replay;
} arguments_t;

static const char usage[] =
    "usage: tmu-replay --uri URI (--trace FILE [--verdicts FILE] |\n"
    "                  --random N [--seed S] [--soak])\n"
    "                  [--quota N] [--spill N] [--timed [--clock-mhz X]] [--progress]\n"
    "                  [--refuse-endpoints] [--check]\n"
    "  --uri URI        device: ref:PRESET,\n"
    "                   sim:LIBRARY[?pauses=SEED&wave=FILE&memory_latency=CLOCKS],\n"
    "                   vfu:SOCKET of a device in another process, vfio:PCI_ADDRESS,\n"
    "                   dev:FILE[?endpoints=N] of a kernel driver,\n"
    "                   or share:SOCKET[?endpoints=N] of tmu-share\n"
    "  --trace FILE     replay this trace\n"
    "  --verdicts FILE  write the verdict log here\n"
    "  --random N       replay N random operations instead\n"
    "  --seed S         of the random operations (default 1)\n"
    "  --soak           the random operations go to up to 256 endpoints; quotas and reserves\n"
    "                   change and the unit is reset among them, and all that is left comes\n"
    "                   back at the end\n"
    "  --quota N        entries allowed per endpoint and queue\n"
    "  --spill N        segments of memory registered with the unit, 0 = none (default: all)\n"
    "  --timed          keep the trace's times\n"
    "  --clock-mhz X    clock that times are kept by (default 300)\n"
    "  --refuse-endpoints\n"
    "                   replay a trace with more endpoints than the device has: operations at\n"
    "                   the others are refused\n"
    "  --check          only say whether the trace has room in the keys of the device\n"
    "  --progress       print `progress DONE TOTAL` lines to standard error\n";

static uint64_t number(const char *option, const char *text, uint64_t low, uint64_t high) {
    return number_option("tmu-replay", option, text, low, high);
}

static double megahertz(const char *text) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0.0) || value > 100000.0) {
        (void)fprintf(
            stderr,
            "tmu-replay: found --clock-mhz '%s', expected megahertz above 0, at most 100000\n",
            text);
        exit(EXIT_USAGE);
    }
    return value;
}

static const struct option options[] = {
    {"uri", required_argument, NULL, 'u'},
    {"trace", required_argument, NULL, 't'},
    {"verdicts", required_argument, NULL, 'v'},
    {"random", required_argument, NULL, 'r'},
    {"seed", required_argument, NULL, 's'},
    {"soak", no_argument, NULL, 'e'},
    {"quota", required_argument, NULL, 'q'},
    {"spill", required_argument, NULL, 'm'},
    {"timed", no_argument, NULL, 'k'},
    {"clock-mhz", required_argument, NULL, 'c'},
    {"refuse-endpoints", no_argument, NULL, 'f'},
    {"check", no_argument, NULL, 'n'},
    {"progress", no_argument, NULL, 'p'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/** What contradicts itself among the arguments; NULL if nothing does. */
static const char *contradiction(const arguments_t *arguments, bool clock_given) {
    if (arguments->uri == NULL) {
        return "no --uri";
    }
    if ((arguments->trace == NULL) == (arguments->random == 0)) {
        return "not exactly one of --trace and --random";
    }
    if (arguments->verdicts != NULL && arguments->trace == NULL) {
        return "--verdicts without --trace";
    }
    if (arguments->check && arguments->trace == NULL) {
        return "--check without --trace";
    }
    if (arguments->soak && arguments->random == 0) {
        return "--soak without --random";
    }
    if (clock_given && !arguments->replay.timed) {
        return "--clock-mhz without --timed";
    }
    if (arguments->refuse_endpoints && arguments->trace == NULL) {
        return "--refuse-endpoints without --trace";
    }
    return NULL;
}

static void parse(int count, char **values, arguments_t *arguments) {
    *arguments =
        (arguments_t){.seed = 1, .replay = {.spill = REPLAY_SPILL_MOST, .clock_mhz = 300.0}};
    bool clock_given = false;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'u':
            arguments->uri = optarg;
            break;
        case 't':
            arguments->trace = optarg;
            break;
        case 'v':
            arguments->verdicts = optarg;
            break;
        case 'r':
            arguments->random = number("--random", optarg, 1, UINT64_MAX / 2);
            break;
        case 's':
            arguments->seed = number("--seed", optarg, 0, UINT64_MAX);
            break;
        case 'e':
            arguments->soak = true;
            break;
        case 'q':
            arguments->replay.quota = (uint32_t)number("--quota", optarg, 1, TMU_QUOTA_MAX);
            break;
        case 'm':
            arguments->replay.spill = number("--spill", optarg, 0, UINT32_MAX);
            break;
        case 'k':
            arguments->replay.timed = true;
            break;
        case 'c':
            arguments->replay.clock_mhz = megahertz(optarg);
            clock_given = true;
            break;
        case 'f':
            arguments->refuse_endpoints = true;
            break;
        case 'p':
            arguments->replay.progress = true;
            break;
        case 'n':
            arguments->check = true;
            break;
        default:
            usage_option(option, usage);
        }
    }
    const char *problem =
        optind < count ? "a word that is no option" : contradiction(arguments, clock_given);
    if (problem != NULL)
        usage_wrong("tmu-replay", problem, usage);
}

static int failed(const char *message, int status) {
    (void)fprintf(stderr, "tmu-replay: %s\n", message);
    return status;
}

static int replay_trace(tmu_t *device, const tmu_info_t *info, arguments_t *arguments,
                        const workload_t *workload) {
    char error[ERROR_MAX] = "";
    if (arguments->verdicts != NULL) {
        arguments->replay.verdicts = fopen(arguments->verdicts, "w");
        if (arguments->replay.verdicts == NULL) {
            (void)snprintf(error, sizeof error, "%s: cannot be written (%s)", arguments->verdicts,
                           strerror(errno));
            return failed(error, EXIT_USAGE);
        }
    }
    replay_result_t result;
    int outcome = replay_run(device, workload, &arguments->replay, &result, error, sizeof error);
    if (arguments->replay.verdicts != NULL && fclose(arguments->replay.verdicts) != 0 &&
        outcome == 0) {
        (void)snprintf(error, sizeof error, "%s: cannot be written", arguments->verdicts);
        outcome = -1;
    }
    if (outcome != 0)
        return failed(error, EXIT_DIFFERENCE);
    report_json(stdout, info, arguments->trace, &result, false);
    return result.mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}

/* R13: operations at endpoints that the device lacks would be refused one by one, and the run would
 * end well: unless that is wanted, the trace is refused as a whole. */
static bool has_endpoints(const tmu_info_t *info, const arguments_t *arguments,
                          const workload_t *workload) {
    const uint64_t needed = tmu_trace_endpoints(workload->trace);
    if (needed <= info->endpoints || arguments->refuse_endpoints)
        return true;
    (void)fprintf(stderr,
                  "tmu-replay: %s: found operations at %" PRIu64
                  " endpoints, and the device has %" PRIu32
                  ", expected no more; --refuse-endpoints has the others refused\n",
                  arguments->trace, needed, info->endpoints);
    return false;
}

static uint32_t smaller_table(const tmu_info_t *info) {
    return info->posted_entries < info->unexpected_entries ? info->posted_entries
                                                           : info->unexpected_entries;
}

/* Places of each table that endpoints can have in reserve, if the device was built for that. */
static uint32_t reserves_of(const tmu_info_t *info) {
    const bool has =
        (info->capabilities >> TMU_CAPABILITIES_RESERVE_SHIFT & TMU_CAPABILITIES_RESERVE_MASK) != 0;
    return has ? smaller_table(info) : 0;
}

/* A random workload for the smaller table; where queues go on in memory, every other one outgrows
 * it, so that both the way there and back are taken. */
static workload_shape_t shape_of(const tmu_info_t *info, const arguments_t *arguments, bool spills,
                                 uint64_t seed) {
    const bool outgrows = spills && seed % 2 == 1;
    const uint32_t least = smaller_table(info);
    return (workload_shape_t){
        .seed = seed,
        .soak = arguments->soak,
        .unit = info,
        .endpoints = info->endpoints,
        .reserves = reserves_of(info),
        .entries = outgrows ? least * OUTGROWN : least,
        .outgrows = outgrows,
    };
}

/* Operations that a workload has at most: each has a handle of its own, and where queues go on in
 * memory each receive can need an id as long as the workload lasts. */
static uint64_t most_of(const tmu_info_t *info, bool spills) {
    const uint64_t handles =
        info->handle_bits >= 32 ? UINT32_MAX : UINT64_C(1) << info->handle_bits;
    const uint64_t ids = (UINT64_C(1) << info->id_bits) - 1;
    return spills && ids < handles ? ids : handles;
}

/* How long a workload is; that of a soak is long enough to fill the tables between two resets. */
static uint64_t segment_of(const tmu_info_t *info, bool soak, bool spills, uint64_t quota) {
    const uint64_t deep = UINT64_C(4) * info->posted_entries;
    const uint64_t usual = quota != 0 ? QUOTA_SEGMENT : soak && deep > SEGMENT ? deep : SEGMENT;
    const uint64_t most = most_of(info, spills);
    return usual < most ? usual : most;
}

/* Many workloads one after another, each with a seed of its own on a unit that was reset. */
static int replay_random(tmu_t *device, const tmu_info_t *info, const arguments_t *arguments) {
    replay_result_t sum = {0};
    char error[ERROR_MAX] = "";
    (void)fprintf(stderr, "random operations, seed %" PRIu64 "\n", arguments->seed);
    tmu_spill_stats_t spill;
    if (tmu_spill_stats(device, &spill) != TMU_OK)
        return failed(tmu_error_text(device), EXIT_DIFFERENCE);
    replay_options_t options = arguments->replay;
    options.progress = false;
    uint64_t seed = arguments->seed;
    for (uint64_t done = 0; done < arguments->random && sum.mismatches == 0; ++seed) {
        const uint64_t left = arguments->random - done;
        /* Every fourth workload has quotas, unless the caller wants one for all; and with quotas
         * most have reserves, up to the whole tables.  A soak has its own. */
        options.quota = arguments->replay.quota;
        options.reserve = 0;
        if (options.quota == 0 && !arguments->soak && seed % 4 == 3)
            options.quota = 1 + (uint32_t)(seed % 29);
        if (options.quota != 0 && !arguments->soak)
            options.reserve = (uint32_t)(seed / 4 % (reserves_of(info) / info->endpoints + 1));
        const uint64_t segment =
            segment_of(info, arguments->soak, spill.segments > 0, options.quota);
        workload_shape_t shape = shape_of(info, arguments, spill.segments > 0, seed);
        shape.count = (size_t)(left < segment ? left : segment);
        workload_t workload;
        if (workload_make(&workload, &shape) != 0)
            return failed("no memory for a random workload", EXIT_DIFFERENCE);
        replay_result_t part;
        const int outcome = replay_run(device, &workload, &options, &part, error, sizeof error);
        if (outcome != 0 || part.mismatches != 0)
            (void)fprintf(stderr, "replay it with --random %zu --seed %" PRIu64 "\n", shape.count,
                          shape.seed);
        workload_free(&workload);
        if (outcome != 0)
            return failed(error, EXIT_DIFFERENCE);
        result_add(&sum, &part);
        done += shape.count;
        if (arguments->replay.progress)
            (void)fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", done, arguments->random);
    }
    report_json(stdout, info, "random", &sum, arguments->soak);
    return sum.mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}

int main(int count, char **values) {
    arguments_t arguments;
    parse(count, values, &arguments);

    char error[ERROR_MAX] = "";
    workload_t workload = {0};
    if (arguments.trace != NULL &&
        workload_read(&workload, arguments.trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    tmu_t *device = NULL;
    tmu_info_t info;
    int status;
    if (tmu_open(arguments.uri, &device) != TMU_OK)
        status = failed(tmu_error_text(NULL), EXIT_USAGE);
    else if (tmu_query(device, &info) != TMU_OK)
        status = failed(tmu_error_text(device), EXIT_DIFFERENCE);
    else if (info.shared && arguments.random != 0)
        status = failed("random operations name endpoints that are not there, which a session "
                        "cannot; replay a trace",
                        EXIT_USAGE);
    else if (arguments.trace != NULL && !has_endpoints(&info, &arguments, &workload))
        status = EXIT_USAGE;
    else if (arguments.trace != NULL &&
             fit_trace(&workload, arguments.trace, &info, error, sizeof error) != 0)
        status = failed(error, EXIT_USAGE);
    else if (arguments.check)
        status = EXIT_WELL;
    else if (replay_spill(device, &arguments.replay, error, sizeof error) != 0)
        status = failed(error, EXIT_USAGE);
    else if (arguments.trace != NULL)
        status = replay_trace(device, &info, &arguments, &workload);
    else
        status = replay_random(device, &info, &arguments);
    tmu_close(device);
    workload_free(&workload);
    return status;
}
