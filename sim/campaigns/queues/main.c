/* SPDX-License-Identifier: Apache-2.0 */
/* tmu-queues: many submission queues of one device at work at once, a JSON line a cell. */
#include "load.h"
#include "number_option.h"
#include "usage.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_WELL = 0, EXIT_DIFFERENCE = 1, EXIT_USAGE = 2 };

static const char usage[] =
    "usage: tmu-queues --uri URI [--operations N] KIND:QUEUES:WINDOW...\n"
    "  --uri URI       device: sim:LIBRARY\n"
    "  --operations N  measured in a cell, a fifth of them where one queue is (default 20000)\n"
    "  KIND            pairs: all queues alike, all are measured\n"
    "                  flood, cancels, refused, unread, bad: what all queues but the first do, "
    "which\n"
    "                  is measured with one operation at a time\n";

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
    for (size_t i = 0; count == 3 && i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0 && queues > 0 && window > 0)
            return (load_cell_t){kinds[i].name, kinds[i].rivals, kinds[i].watched, queues, window};
    (void)fprintf(stderr, "tmu-queues: found '%s', expected KIND:QUEUES:WINDOW\n", word);
    exit(EXIT_USAGE);
}

static void print(const load_cell_t *cell, const load_result_t *r) {
    printf("{\"kind\": \"%s\", \"queues\": %" PRIu32 ", \"window\": %" PRIu32
           ", \"verdicts\": %" PRIu64 ", \"clocks\": %" PRIu64
           ", \"clocks_per_verdict\": %.4f, \"least\": %" PRIu64 ", \"most\": %" PRIu64
           ", \"latency_clocks\": {\"p50\": %u, \"p99\": %u, \"max\": %u}, \"mismatches\": %" PRIu64
           ", \"overruns\": %" PRIu64 ", \"malformed\": %" PRIu64 "}\n",
           cell->name, cell->queues, cell->window, r->verdicts, r->clocks,
           (double)r->clocks / (double)r->verdicts, r->least, r->most, r->latency.p50,
           r->latency.p99, r->latency.max, r->wrong, r->overruns, r->malformed);
    (void)fflush(stdout);
}

int main(int count, char **values) {
    static const struct option options[] = {
        {"uri", required_argument, NULL, 'u'},
        {"operations", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const char *uri = NULL;
    uint64_t operations = 20000;
    int option;
    while ((option = getopt_long(count, values, "", options, NULL)) != -1) {
        switch (option) {
        case 'u':
            uri = optarg;
            break;
        case 'o':
            operations = number_option("tmu-queues", "--operations", optarg, 50, 100000000);
            break;
        default:
            usage_option(option, usage);
        }
    }
    if (!uri || optind == count) {
        (void)fputs(usage, stderr);
        return EXIT_USAGE;
    }
    tmu_t *device = NULL;
    if (tmu_open(uri, &device) != TMU_OK) {
        (void)fprintf(stderr, "tmu-queues: %s\n", tmu_error_text(NULL));
        return EXIT_USAGE;
    }
    int status = EXIT_WELL;
    for (int i = optind; i < count && status == EXIT_WELL; i++) {
        const load_cell_t cell = cell_of(values[i]);
        load_result_t result;
        char error[400];
        /* Who is watched has one operation at a time, and waits for the others. */
        const uint64_t measured = cell.watched ? operations / 5 : operations;
        if (load_run(device, &cell, measured, &result, error, sizeof error) != 0) {
            (void)fprintf(stderr, "tmu-queues: %s: %s\n", values[i], error);
            status = EXIT_DIFFERENCE;
        } else {
            print(&cell, &result);
            if (result.wrong > 0) {
                (void)fprintf(stderr, "tmu-queues: %s: %" PRIu64 " verdicts are not the law's\n",
                              values[i], result.wrong);
                status = EXIT_DIFFERENCE;
            }
        }
    }
    if (status == EXIT_WELL) /* else its queues may still be open, see load_run */
        tmu_close(device);
    return status;
}
