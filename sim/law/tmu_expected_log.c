/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tmu-expected-log: the verdict log that the law demands for a trace, from the reference model
 * alone.  Driver, device and checker have no part in it, so it can judge them.
 */
#include <stdlib.h>
#include <string.h>

#include "number_option.h"
#include "tmu_model_trace.h"

enum { EXIT_BAD_INPUT = 2 };

static const char usage[] =
    "usage: tmu-expected-log [--endpoints N] [--posted N] [--unexpected N]\n"
    "                        [--quota-posted N] [--quota-unexpected N] TRACE\n"
    "Prints the verdict log of TRACE.  --posted and --unexpected limit a queue over all\n"
    "endpoints, the quotas limit it in each; 0, the default, is no limit.\n";

/* Fills config and *path_p; false if the command line is not as in `usage`. */
static bool read_arguments(int count, char **argument, tmu_model_config_t *config,
                           const char **path_p) {
    uint64_t endpoints = 2048;
    const struct {
        const char *name;
        uint64_t limit;
        uint64_t *value;
    } options[] = {
        {"--endpoints", UINT32_MAX, &endpoints},
        {"--posted", UINT64_MAX, &config->posted_capacity},
        {"--unexpected", UINT64_MAX, &config->unexpected_capacity},
        {"--quota-posted", UINT64_MAX, &config->quota_posted},
        {"--quota-unexpected", UINT64_MAX, &config->quota_unexpected},
    };
    int next = 1;
    for (; next + 1 < count && argument[next][0] == '-'; next += 2) {
        size_t i = 0;
        while (i < sizeof options / sizeof options[0] &&
               strcmp(options[i].name, argument[next]) != 0) {
            i++;
        }
        if (i == sizeof options / sizeof options[0] ||
            !read_number(argument[next + 1], 0, options[i].limit, options[i].value)) {
            return false;
        }
    }
    config->endpoints = (uint32_t)endpoints;
    *path_p = argument[count - 1];
    return next + 1 == count && endpoints > 0;
}

static int print_log(const tmu_trace_t *trace, const tmu_model_verdict_t *verdicts) {
    for (size_t i = 0; i < tmu_trace_count(trace); i++) {
        tmu_log_record_t record;
        if (!tmu_model_log_record(&verdicts[i], &record) ||
            tmu_log_write(stdout, &tmu_trace_ops(trace)[i], &record) != 0) {
            return EXIT_FAILURE;
        }
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int count, char **argument) {
    tmu_model_config_t config = {0};
    const char *path = NULL;
    tmu_trace_t *trace = NULL;
    char error[TMU_TRACE_ERROR_MAX];
    if (!read_arguments(count, argument, &config, &path)) {
        (void)fputs(usage, stderr);
        return EXIT_BAD_INPUT;
    }
    if (tmu_trace_read(path, &trace, error, sizeof error) != 0) {
        (void)fprintf(stderr, "%s\n", error);
        return EXIT_BAD_INPUT;
    }
    tmu_model_verdict_t *verdicts = calloc(tmu_trace_count(trace) + 1, sizeof *verdicts);
    tmu_model_status_t status = TMU_MODEL_NO_MEMORY;
    if (verdicts) {
        status = tmu_model_replay(&config, trace, NULL, verdicts, NULL);
    }
    int result = EXIT_FAILURE;
    if (status == TMU_MODEL_OK) {
        result = print_log(trace, verdicts);
    }
    if (result != EXIT_SUCCESS) {
        (void)fprintf(stderr, "tmu-expected-log: no log: %s\n",
                      status == TMU_MODEL_OK ? "it could not be written"
                                             : tmu_model_status_text(status));
    }
    free(verdicts);
    tmu_trace_free(trace);
    return result;
}
