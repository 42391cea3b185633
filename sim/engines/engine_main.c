/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-engine: a trace through a software matching engine, every verdict checked by the model. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine_replay.h"
#include "engines.h"
#include "number_option.h"
#include "tmu_model_trace.h"
#include "usage.h"

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

/* The trace is timed so often; the median counts. */
#define REPETITIONS 5
#define DIFFERENCES_TOLD 10

typedef struct {
    const char *engine;
    const char *preset;
    const char *trace;
    const char *verdicts;
    bool refuse_endpoints; /* operations at endpoints that are not there are wanted */
    engine_config_t config;
} arguments_t;

typedef struct {
    engine_replay_t replay; /* its ns: the median */
    tmu_model_stats_t model;
    uint64_t mismatches;
    uint64_t by_verdict[TMU_LOG_HELD + 1];
} result_t;

static const char usage[] =
    "usage: tmu-engine --engine NAME --trace FILE [--verdicts FILE] [--preset NAME]\n"
    "                  [--endpoints N [--refuse-endpoints]] [--posted N] [--unexpected N]\n"
    "                  [--quota N]\n"
    "  --engine NAME    one of" ENGINE_NAMES "\n"
    "  --trace FILE     replay this trace\n"
    "  --verdicts FILE  write the verdict log here\n"
    "  --preset NAME    only named in the report\n"
    "  --endpoints N    how many there are (default 2048)\n"
    "  --refuse-endpoints\n"
    "                   replay a trace with more: operations at the others are refused\n"
    "  --posted N, --unexpected N\n"
    "                   entries of a queue over all endpoints; 0, the default, is no limit\n"
    "  --quota N        entries of each queue of each endpoint; 0, the default, is no limit\n";

static uint64_t number(const char *option, const char *text, uint64_t low, uint64_t high) {
    return number_option("tmu-engine", option, text, low, high);
}

static void check_complete(const arguments_t *arguments, bool more) {
    if (more || !arguments->engine || !arguments->trace) {
        usage_wrong("tmu-engine",
                    more                 ? "a word that is no option"
                    : !arguments->engine ? "no --engine"
                                         : "no --trace",
                    usage);
    }
}

static arguments_t parse(int count, char **values) {
    static const struct option options[] = {
        {"engine", required_argument, NULL, 'e'},
        {"preset", required_argument, NULL, 'p'},
        {"trace", required_argument, NULL, 't'},
        {"verdicts", required_argument, NULL, 'v'},
        {"endpoints", required_argument, NULL, 'n'},
        {"posted", required_argument, NULL, 'o'},
        {"unexpected", required_argument, NULL, 'u'},
        {"quota", required_argument, NULL, 'q'},
        {"refuse-endpoints", no_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    arguments_t arguments = {.preset = "none", .config = {.endpoints = 2048}};
    engine_config_t *config = &arguments.config;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'e':
            arguments.engine = optarg;
            break;
        case 'p':
            arguments.preset = optarg;
            break;
        case 't':
            arguments.trace = optarg;
            break;
        case 'v':
            arguments.verdicts = optarg;
            break;
        case 'n':
            config->endpoints = (uint32_t)number("--endpoints", optarg, 1, UINT32_MAX);
            break;
        case 'o':
            config->posted_capacity = number("--posted", optarg, 0, UINT64_MAX);
            break;
        case 'u':
            config->unexpected_capacity = number("--unexpected", optarg, 0, UINT64_MAX);
            break;
        case 'q':
            config->quota_posted = config->quota_unexpected =
                number("--quota", optarg, 0, UINT64_MAX);
            break;
        case 'f':
            arguments.refuse_endpoints = true;
            break;
        default:
            usage_option(option, usage);
        }
    }
    check_complete(&arguments, optind < count);
    return arguments;
}

static bool same(const tmu_log_record_t *a, const tmu_log_record_t *b) {
    return a->verdict == b->verdict && a->truncated == b->truncated && a->other == b->other &&
           a->removed_posted == b->removed_posted && a->removed_unexpected == b->removed_unexpected;
}

static void difference(uint64_t *mismatches, const tmu_trace_op_t *op,
                       const tmu_log_record_t *found, const tmu_log_record_t *expected) {
    char lines[2][TMU_LOG_LINE_MAX] = {"no verdict\n", "no verdict\n"};
    (void)tmu_log_format(lines[0], sizeof lines[0], op, found);
    (void)tmu_log_format(lines[1], sizeof lines[1], op, expected);
    if (++*mismatches <= DIFFERENCES_TOLD) {
        (void)fprintf(stderr, "line %" PRIu64 ": found %sline %" PRIu64 ": expected %s", op->line,
                      lines[0], op->line, lines[1]);
    }
}

/* The model's verdicts for the same limits; each that differs counts. */
static int check(const arguments_t *arguments, const tmu_trace_t *trace,
                 const tmu_log_record_t *records, result_t *result) {
    const engine_config_t *config = &arguments->config;
    const tmu_model_config_t limits = {
        .endpoints = config->endpoints,
        .posted_capacity = config->posted_capacity,
        .unexpected_capacity = config->unexpected_capacity,
        .quota_posted = config->quota_posted,
        .quota_unexpected = config->quota_unexpected,
    };
    const size_t count = tmu_trace_count(trace);
    tmu_model_verdict_t *verdicts = calloc(count + 1, sizeof *verdicts);
    if (!verdicts ||
        tmu_model_replay(&limits, trace, NULL, verdicts, &result->model) != TMU_MODEL_OK) {
        free(verdicts);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        tmu_log_record_t expected = {0};
        (void)tmu_model_log_record(&verdicts[i], &expected);
        if (!same(&records[i], &expected)) {
            difference(&result->mismatches, &tmu_trace_ops(trace)[i], &records[i], &expected);
        }
        result->by_verdict[records[i].verdict] += 1;
    }
    const engine_stats_t *stats = &result->replay.stats;
    result->mismatches += stats->posted_max != result->model.posted_max;
    result->mismatches += stats->unexpected_max != result->model.unexpected_max;
    free(verdicts);
    return 0;
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static int write_log(const char *path, const tmu_trace_t *trace, const tmu_log_record_t *records,
                     bool right) {
    FILE *file = fopen(path, "w");
    if (!file) {
        (void)fprintf(stderr, "%s: cannot be written (%s)\n", path, strerror(errno));
        return EXIT_USAGE;
    }
    bool written = true;
    for (size_t i = 0; i < tmu_trace_count(trace); i++) {
        written =
            (tmu_log_write(file, &tmu_trace_ops(trace)[i], &records[i]) == 0 || !right) && written;
    }
    written = fclose(file) == 0 && written;
    if (!written) {
        (void)fprintf(stderr, "%s: cannot be written\n", path);
    }
    return written ? EXIT_WELL : EXIT_DIFFERENCE;
}

static void string_json(const char *text) {
    (void)putchar('"');
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            (void)printf("\\%c", c);
        } else if (c < 0x20) {
            (void)printf("\\u%04x", c);
        } else {
            (void)putchar(c);
        }
    }
    (void)putchar('"');
}

static void print_json(const arguments_t *arguments, const engine_ops_t *engine, size_t operations,
                       const result_t *result) {
    const engine_replay_t *replay = &result->replay;
    const uint64_t *by = result->by_verdict;
    (void)printf("{\"engine\": \"%s\", \"variant\": \"%s\", \"preset\": ", arguments->engine,
                 engine->variant);
    string_json(arguments->preset);
    (void)printf(", \"trace\": ");
    string_json(arguments->trace);
    (void)printf(
        ", \"operations\": %zu, \"matches\": %" PRIu64 ", \"refused\": %" PRIu64
        ", \"refused_endpoint\": %" PRIu64 ", \"held\": %" PRIu64 ", \"mismatches\": %" PRIu64,
        operations, by[TMU_LOG_MATCHED], by[TMU_LOG_REFUSED_QUOTA] + by[TMU_LOG_REFUSED_ENDPOINT],
        by[TMU_LOG_REFUSED_ENDPOINT], replay->held, result->mismatches);
    (void)printf(", \"ns_per_operation\": ");
    if (operations == 0) {
        (void)printf("null");
    } else {
        (void)printf("%.2f", replay->ns / (double)operations);
    }
    (void)printf(", \"clocks\": null, \"clocks_per_operation\": null"
                 ", \"latency_clocks\": {\"p50\": null, \"p99\": null, \"max\": null}"
                 ", \"depth_max\": {\"posted\": %" PRIu64 ", \"unexpected\": %" PRIu64 "}",
                 replay->stats.posted_max, replay->stats.unexpected_max);
    (void)printf(", \"endpoint_depth_max\": {\"posted\": %" PRIu64 ", \"unexpected\": %" PRIu64 "}",
                 result->model.endpoint_posted_max, result->model.endpoint_unexpected_max);
    (void)printf(", \"counters\": {\"posted_depth_max\": %" PRIu64
                 ", \"unexpected_depth_max\": %" PRIu64 ", \"verified\": %" PRIu64
                 ", \"false_positives\": %" PRIu64 ", \"compactions\": %" PRIu64
                 ", \"held_max\": %" PRIu64 "}",
                 replay->stats.posted_max, replay->stats.unexpected_max, replay->stats.verified,
                 replay->stats.false_positives, replay->stats.compactions, replay->held_max);
    (void)printf(", \"model_counters\": {\"posted_depth_max\": %" PRIu64
                 ", \"unexpected_depth_max\": %" PRIu64 "}}\n",
                 result->model.posted_max, result->model.unexpected_max);
}

/* R13: unless refusals are wanted, a trace with more endpoints than there are is refused. */
static bool has_endpoints(const arguments_t *arguments, const tmu_trace_t *trace) {
    const uint64_t needed = tmu_trace_endpoints(trace);
    if (needed <= arguments->config.endpoints || arguments->refuse_endpoints) {
        return true;
    }
    (void)fprintf(stderr,
                  "tmu-engine: %s: found operations at %" PRIu64
                  " endpoints, expected at most the %" PRIu32
                  " of --endpoints; --refuse-endpoints has the others refused\n",
                  arguments->trace, needed, arguments->config.endpoints);
    return false;
}

static int run(const arguments_t *arguments, const engine_ops_t *engine, const tmu_trace_t *trace) {
    const size_t count = tmu_trace_count(trace);
    tmu_log_record_t *records = calloc(count + 1, sizeof *records);
    result_t result = {0};
    double ns[REPETITIONS];
    bool done = records;
    for (int i = 0; done && i < REPETITIONS; i++) {
        done = engine_replay(engine, &arguments->config, trace, records, &result.replay) == 0;
        ns[i] = result.replay.ns;
    }
    int status = EXIT_DIFFERENCE;
    if (!done || check(arguments, trace, records, &result) != 0) {
        (void)fprintf(stderr, "tmu-engine: no memory for %zu operations\n", count);
    } else {
        qsort(ns, REPETITIONS, sizeof ns[0], compare);
        result.replay.ns = ns[REPETITIONS / 2];
        status = EXIT_WELL;
        if (arguments->verdicts) {
            status = write_log(arguments->verdicts, trace, records, result.mismatches == 0);
        }
        if (status == EXIT_WELL) {
            print_json(arguments, engine, count, &result);
            status = result.mismatches == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
        }
    }
    free(records);
    return status;
}

int main(int count, char **values) {
    const arguments_t arguments = parse(count, values);
    const engine_ops_t *engine = engine_find(arguments.engine);
    if (!engine) {
        (void)fprintf(stderr,
                      "tmu-engine: found --engine '%s', expected one that this machine has "
                      "of" ENGINE_NAMES "\n",
                      arguments.engine);
        return EXIT_USAGE;
    }
    tmu_trace_t *trace = NULL;
    char error[TMU_TRACE_ERROR_MAX];
    if (tmu_trace_read(arguments.trace, &trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        return EXIT_USAGE;
    }
    const int status =
        has_endpoints(&arguments, trace) ? run(&arguments, engine, trace) : EXIT_USAGE;
    tmu_trace_free(trace);
    return status;
}
