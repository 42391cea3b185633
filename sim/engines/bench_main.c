/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-engine-bench: nanoseconds a verdict of the software engines, hot cache, one pinned core. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_cell.h"
#include "engines.h"
#include "number_option.h"
#include "usage.h"

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

#define LIST_MAX 16

typedef struct {
    unsigned count;
    unsigned value[LIST_MAX];
} choice_t;

typedef struct {
    const char *engines;
    choice_t kinds;
    choice_t positions;
    choice_t depths;
    unsigned batches; /* 0 = by depth */
    int cpu;          /* -1 = where it happens to be */
} arguments_t;

/* Between names of engines. */
#define SEPARATORS ", "

static const char usage[] =
    "usage: tmu-engine-bench [--engine LIST] [--kind LIST] [--position LIST] [--depth LIST]\n"
    "                        [--batches N] [--cpu N]\n"
    "Lists are separated by commas; the default is everything.\n"
    "  --engine    of" ENGINE_NAMES "\n"
    "              (default:" ENGINE_NAMES_OFFERED ")\n"
    "  --kind      exact, any_source, any_tag, both, mixed, equal_mod256, equal_mod65536, fifo,\n"
    "              hole_workload, paired\n"
    "  --position  oldest, youngest, random\n"
    "  --depth     receives that stand before each pair, at most 65536,\n"
    "              and 32000 of equal_mod65536\n"
    "              (default 0,1,16,64,256,1024,4096,16384)\n"
    "  --batches N repetitions that are timed (default by depth)\n"
    "  --cpu N     processor to stay on (default: the one it starts on)\n";

static void refuse(const char *option, const char *text, const char *expected) {
    (void)fprintf(stderr, "tmu-engine-bench: found %s '%s', expected %s\n", option, text, expected);
    exit(EXIT_USAGE);
}

static unsigned number(const char *option, const char *text, unsigned high) {
    uint64_t value = 0;
    if (!read_number(text, 0, high, &value)) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "numbers from 0 to %u", high);
        refuse(option, text, expected);
    }
    return (unsigned)value;
}

/* Words of a list by their index in `names`, or numbers where that is NULL. */
static choice_t read_list(const char *option, char *text, const char *const *names,
                          unsigned count) {
    choice_t choice = {0};
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        unsigned value = 0;
        if (!names) {
            value = number(option, word, count);
        } else {
            while (value < count && strcmp(names[value], word) != 0) {
                value++;
            }
            if (value == count) {
                refuse(option, word, "a word that --help names");
            }
        }
        if (choice.count == LIST_MAX) {
            refuse(option, word, "at most 16 in a list");
        }
        choice.value[choice.count++] = value;
    }
    if (choice.count == 0) {
        refuse(option, "", "at least one in the list");
    }
    return choice;
}

static choice_t all_of(unsigned count) {
    choice_t choice = {.count = count};
    for (unsigned i = 0; i < count; i++) {
        choice.value[i] = i;
    }
    return choice;
}

/* Deeper queues have more receives than there are tags of this kind. */
static void check_tags(const arguments_t *arguments) {
    bool few = false;
    for (unsigned i = 0; i < arguments->kinds.count; i++) {
        few = few || arguments->kinds.value[i] == BENCH_MOD65536;
    }
    for (unsigned i = 0; few && i < arguments->depths.count; i++) {
        if (arguments->depths.value[i] > BENCH_DEPTH_MAX_MOD65536) {
            char found[16];
            (void)snprintf(found, sizeof found, "%u", arguments->depths.value[i]);
            refuse("--depth", found, "at most 32000 with --kind equal_mod65536");
        }
    }
}

static arguments_t parse(int count, char **values) {
    static const struct option options[] = {
        {"engine", required_argument, NULL, 'e'},   {"kind", required_argument, NULL, 'k'},
        {"position", required_argument, NULL, 'p'}, {"depth", required_argument, NULL, 'd'},
        {"batches", required_argument, NULL, 'b'},  {"cpu", required_argument, NULL, 'c'},
        {"help", no_argument, NULL, 'h'},           {NULL, 0, NULL, 0},
    };
    arguments_t arguments = {
        .engines = ENGINE_NAMES_OFFERED,
        .kinds = all_of(BENCH_KINDS),
        .positions = all_of(BENCH_POSITIONS),
        .depths = {8, {0, 1, 16, 64, 256, 1024, 4096, 16384}},
        .cpu = -1,
    };
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'e':
            arguments.engines = optarg;
            break;
        case 'k':
            arguments.kinds = read_list("--kind", optarg, bench_kind_names, BENCH_KINDS);
            break;
        case 'p':
            arguments.positions =
                read_list("--position", optarg, bench_position_names, BENCH_POSITIONS);
            break;
        case 'd':
            arguments.depths = read_list("--depth", optarg, NULL, BENCH_DEPTH_MAX);
            break;
        case 'b':
            arguments.batches = number("--batches", optarg, 100000);
            break;
        case 'c':
            arguments.cpu = (int)number("--cpu", optarg, CPU_SETSIZE - 1);
            break;
        default:
            usage_option(option, usage);
        }
    }
    if (optind < count) {
        refuse("the word", values[optind], "only options");
    }
    check_tags(&arguments);
    return arguments;
}

/* Stays on one processor, or says why not; figures of a process that wanders are worth less. */
static int pin(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    const int chosen = cpu >= 0 ? cpu : sched_getcpu();
    CPU_SET((size_t)chosen, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        (void)fprintf(stderr,
                      "tmu-engine-bench: found --cpu %d that cannot be had (%s), expected "
                      "a processor of this machine\n",
                      chosen, strerror(errno));
        exit(EXIT_USAGE);
    }
    return chosen;
}

/* The processor's name as the system tells it. */
static void processor(char *name, size_t size) {
    (void)snprintf(name, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon) {
            (void)snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\"\\\n"), colon + 2);
            break;
        }
    }
    if (file) {
        (void)fclose(file);
    }
}

/* Few pairs a batch keep its operations in the first cache; deep queues of a list take long. */
static bench_shape_t shape_of(unsigned kind, unsigned position, unsigned depth, unsigned batches) {
    const unsigned batch = depth <= 1024 ? 256 : depth <= 4096 ? 64 : 32;
    const unsigned usual = depth <= 1024 ? 201 : 101;
    return (bench_shape_t){(bench_kind_t)kind, (bench_position_t)position, depth, batch,
                           batches != 0 ? batches : usual};
}

static void print_cell(const char *name, const engine_ops_t *engine, const bench_shape_t *shape,
                       const bench_result_t *result, bool first) {
    (void)printf("%s\n  {\"engine\": \"%s\", \"variant\": \"%s\", \"kind\": \"%s\", "
                 "\"position\": \"%s\", \"depth\": %u, "
                 "\"ns_per_pair\": {\"median\": %.2f, \"p10\": %.2f, \"p90\": %.2f, "
                 "\"min\": %.2f}, \"ns_per_verdict\": %.2f, \"verdicts_per_second\": %.0f, "
                 "\"verdicts_checked\": %" PRIu64 ", \"wrong\": %" PRIu64
                 ", \"false_positives\": %" PRIu64 ", \"compactions\": %" PRIu64 "}",
                 first ? "" : ",", name, engine->variant, bench_kind_names[shape->kind],
                 bench_position_names[shape->position], shape->depth, result->median, result->p10,
                 result->p90, result->least, result->median / 2, 2e9 / result->median,
                 result->checked, result->wrong, result->stats.false_positives,
                 result->stats.compactions);
}

/* Every engine under one workload; the number of wrong verdicts. */
static uint64_t run_cell(const char *engines, const bench_shape_t *shape, bool *first) {
    bench_workload_t workload;
    if (bench_workload_make(shape, &workload) != 0) {
        (void)fprintf(stderr, "tmu-engine-bench: the model does not answer as the workload means "
                              "it, or there is no memory\n");
        exit(EXIT_DIFFERENCE);
    }
    uint64_t wrong = 0;
    char names[256];
    (void)snprintf(names, sizeof names, "%s", engines);
    for (char *name = strtok(names, SEPARATORS); name; name = strtok(NULL, SEPARATORS)) {
        const engine_ops_t *engine = engine_find(name);
        bench_result_t result;
        if (bench_cell(engine, &workload, &result) != 0) {
            (void)fprintf(stderr, "tmu-engine-bench: no memory\n");
            exit(EXIT_DIFFERENCE);
        }
        print_cell(name, engine, shape, &result, *first);
        *first = false;
        wrong += result.wrong;
    }
    bench_workload_free(&workload);
    return wrong;
}

static void check_engines(const char *engines) {
    char names[256];
    if ((size_t)snprintf(names, sizeof names, "%s", engines) >= sizeof names ||
        strspn(names, SEPARATORS) == strlen(names)) {
        refuse("--engine", engines, "names of engines");
    }
    for (char *name = strtok(names, SEPARATORS); name; name = strtok(NULL, SEPARATORS)) {
        if (!engine_find(name)) {
            refuse("--engine", name, "an engine of this machine that --help names");
        }
    }
}

int main(int count, char **values) {
    const arguments_t arguments = parse(count, values);
    check_engines(arguments.engines);
    const int cpu = pin(arguments.cpu);
    char name[128];
    processor(name, sizeof name);
    (void)printf("{\"machine\": {\"processor\": \"%s\", \"cpu\": %d, \"core_ghz\": %.2f},\n"
                 " \"cells\": [",
                 name, cpu, bench_core_ghz());
    bool first = true;
    uint64_t wrong = 0;
    for (unsigned k = 0; k < arguments.kinds.count; k++) {
        for (unsigned p = 0; p < arguments.positions.count; p++) {
            const unsigned kind = arguments.kinds.value[k];
            const unsigned position = arguments.positions.value[p];
            for (unsigned d = 0; d < arguments.depths.count; d++) {
                const unsigned depth = arguments.depths.value[d];
                if (bench_exists((bench_kind_t)kind, (bench_position_t)position)) {
                    const bench_shape_t shape = shape_of(kind, position, depth, arguments.batches);
                    wrong += run_cell(arguments.engines, &shape, &first);
                }
            }
        }
    }
    (void)printf("\n ]}\n");
    if (wrong != 0) {
        (void)fprintf(stderr, "tmu-engine-bench: %" PRIu64 " verdicts are wrong\n", wrong);
    }
    return wrong == 0 ? EXIT_WELL : EXIT_DIFFERENCE;
}
