/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-replay: traffic through the driver and a device, every verdict checked by the model. */
#include "fit.h"
#include "program.h"
#include "replay.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ERROR_MAX TMU_TRACE_ERROR_MAX
/* Random operations after which the unit is reset and the next seed taken; where quotas hold
 * arrivals back, each operation costs many attempts, and fewer do. */
#define SEGMENT 20000u
#define QUOTA_SEGMENT 2000u
/* Times as many entries as on chip, at most, in random workloads for queues that go on in memory.
 */
#define OUTGROWN 8u
#define CLOCK_MHZ 300.0

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

static const program_t program = {"tmu-replay", usage, NULL};

static void megahertz(void *value_p, const char *text) {
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value > 0.0) || value > 100000.0) {
        exit(program_fails(&program, EXIT_USAGE,
                           "found --clock-mhz '%s', expected megahertz above 0, at most 100000",
                           text));
    }
    *(double *)value_p = value;
}

/* Complaint about arguments that contradict each other, or NULL. */
static const char *contradiction(const arguments_t *arguments, bool clock_given) {
    if ((!arguments->trace) == (arguments->random == 0)) {
        return "not exactly one of --trace and --random";
    }
    if (arguments->verdicts && !arguments->trace) {
        return "--verdicts without --trace";
    }
    if (arguments->check && !arguments->trace) {
        return "--check without --trace";
    }
    if (arguments->soak && arguments->random == 0) {
        return "--soak without --random";
    }
    if (clock_given && !arguments->replay.timed) {
        return "--clock-mhz without --timed";
    }
    if (arguments->refuse_endpoints && !arguments->trace) {
        return "--refuse-endpoints without --trace";
    }
    return NULL;
}

static void parse(int count, char **values, arguments_t *arguments) {
    replay_options_t *replay = &arguments->replay;
    *arguments = (arguments_t){.seed = 1, .replay = {.spill = REPLAY_SPILL_MOST}};
    const program_option_t options[] = {
        OPTION_NEEDED("uri", arguments->uri),
        OPTION_TEXT("trace", arguments->trace),
        OPTION_TEXT("verdicts", arguments->verdicts),
        OPTION_NUMBER("random", arguments->random, 1, UINT64_MAX / 2),
        OPTION_NUMBER("seed", arguments->seed, 0, UINT64_MAX),
        OPTION_FLAG("soak", arguments->soak),
        OPTION_NUMBER("quota", replay->quota, 1, TMU_QUOTA_MAX),
        OPTION_NUMBER("spill", replay->spill, 0, UINT32_MAX),
        OPTION_FLAG("timed", replay->timed),
        OPTION_OTHER("clock-mhz", megahertz, replay->clock_mhz),
        OPTION_FLAG("refuse-endpoints", arguments->refuse_endpoints),
        OPTION_FLAG("check", arguments->check),
        OPTION_FLAG("progress", replay->progress),
        {0},
    };
    (void)program_options(&program, options, count, values);
    const char *problem = contradiction(arguments, replay->clock_mhz > 0);
    if (problem) {
        program_usage(&program, problem);
    }
    if (!(replay->clock_mhz > 0)) {
        replay->clock_mhz = CLOCK_MHZ;
    }
}

static int replay_trace(tmu_t *device, const tmu_info_t *info, arguments_t *arguments,
                        const workload_t *workload) {
    char error[ERROR_MAX] = "";
    if (arguments->verdicts) {
        arguments->replay.verdicts = fopen(arguments->verdicts, "w");
        if (!arguments->replay.verdicts) {
            return program_fails(&program, EXIT_USAGE, "%s: cannot be written (%s)",
                                 arguments->verdicts, strerror(errno));
        }
    }
    replay_result_t result;
    int outcome = replay_run(device, workload, &arguments->replay, &result, error, sizeof error);
    if (arguments->replay.verdicts && fclose(arguments->replay.verdicts) != 0 && outcome == 0) {
        (void)snprintf(error, sizeof error, "%s: cannot be written", arguments->verdicts);
        outcome = -1;
    }
    if (outcome != 0) {
        return program_fails(&program, EXIT_DIFFERENCE, "%s", error);
    }
    report_json(stdout, info, arguments->trace, &result, false);
    return result.mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}

/* R13: operations at endpoints that the device lacks would be refused one by one, and the run would
 * end well: unless that is wanted, the trace is refused as a whole. */
static bool has_endpoints(const tmu_info_t *info, const arguments_t *arguments,
                          const workload_t *workload) {
    const uint64_t needed = tmu_trace_endpoints(workload->trace);
    if (needed <= info->endpoints || arguments->refuse_endpoints) {
        return true;
    }
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

/* Slots of each table that endpoints can have in reserve, if the device was built for that. */
static uint32_t reserves_of(const tmu_info_t *info) {
    const bool has =
        (info->capabilities >> TMU_CAPABILITIES_RESERVE_SHIFT & TMU_CAPABILITIES_RESERVE_MASK) != 0;
    return has ? smaller_table(info) : 0;
}

/* A random workload for the smaller table; where queues go on in memory, every other one outgrows
 * it, so that both the route there and the route back are taken. */
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

/* Length of a workload; that of a soak is enough to fill the tables between two resets. */
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
    if (tmu_spill_stats(device, &spill) != TMU_OK) {
        return program_fails(&program, EXIT_DIFFERENCE, "%s", tmu_error_text(device));
    }
    replay_options_t options = arguments->replay;
    options.progress = false;
    uint64_t seed = arguments->seed;
    for (uint64_t done = 0; done < arguments->random && sum.mismatches == 0; ++seed) {
        const uint64_t left = arguments->random - done;
        /* Every fourth workload has quotas, unless the caller wants one for all; and with quotas
         * most have reserves, up to the whole tables.  A soak has its own. */
        options.quota = arguments->replay.quota;
        options.reserve = 0;
        if (options.quota == 0 && !arguments->soak && seed % 4 == 3) {
            options.quota = 1 + (uint32_t)(seed % 29);
        }
        if (options.quota != 0 && !arguments->soak) {
            options.reserve = (uint32_t)(seed / 4 % (reserves_of(info) / info->endpoints + 1));
        }
        const uint64_t segment =
            segment_of(info, arguments->soak, spill.segments > 0, options.quota);
        workload_shape_t shape = shape_of(info, arguments, spill.segments > 0, seed);
        shape.count = (size_t)(left < segment ? left : segment);
        workload_t workload;
        if (workload_make(&workload, &shape) != 0) {
            return program_fails(&program, EXIT_DIFFERENCE, "no memory for a random workload");
        }
        replay_result_t part;
        const int outcome = replay_run(device, &workload, &options, &part, error, sizeof error);
        if (outcome != 0 || part.mismatches != 0) {
            (void)fprintf(stderr, "replay it with --random %zu --seed %" PRIu64 "\n", shape.count,
                          shape.seed);
        }
        workload_free(&workload);
        if (outcome != 0) {
            return program_fails(&program, EXIT_DIFFERENCE, "%s", error);
        }
        result_add(&sum, &part);
        done += shape.count;
        if (arguments->replay.progress) {
            (void)fprintf(stderr, "progress %" PRIu64 " %" PRIu64 "\n", done, arguments->random);
        }
    }
    report_json(stdout, info, "random", &sum, arguments->soak);
    return sum.mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}

int main(int count, char **values) {
    arguments_t arguments;
    parse(count, values, &arguments);

    char error[ERROR_MAX] = "";
    workload_t workload = {0};
    if (arguments.trace && workload_read(&workload, arguments.trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    tmu_t *device = NULL;
    tmu_info_t info;
    int status;
    if (tmu_open(arguments.uri, &device) != TMU_OK) {
        status = program_fails(&program, EXIT_USAGE, "%s", tmu_error_text(NULL));
    } else if (tmu_query(device, &info) != TMU_OK) {
        status = program_fails(&program, EXIT_DIFFERENCE, "%s", tmu_error_text(device));
    } else if (info.shared && arguments.random != 0) {
        status =
            program_fails(&program, EXIT_USAGE,
                          "random operations name endpoints that are not there, which a session "
                          "cannot; replay a trace");
    } else if (arguments.trace && !has_endpoints(&info, &arguments, &workload)) {
        status = EXIT_USAGE;
    } else if (arguments.trace &&
               fit_trace(&workload, arguments.trace, &info, error, sizeof error) != 0) {
        status = program_fails(&program, EXIT_USAGE, "%s", error);
    } else if (arguments.check) {
        status = EXIT_WELL;
    } else if (replay_spill(device, &arguments.replay, error, sizeof error) != 0) {
        status = program_fails(&program, EXIT_USAGE, "%s", error);
    } else if (arguments.trace) {
        status = replay_trace(device, &info, &arguments, &workload);
    } else {
        status = replay_random(device, &info, &arguments);
    }
    tmu_close(device);
    workload_free(&workload);
    return status;
}
