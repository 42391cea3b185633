/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace-mutants TRACE: which mistakes of the law a trace notices, the name of each on a line.
 *
 * The model is linked as tests/record/test_trace_mutants.py has changed it: what it does wrong is
 * in the variables below, and with all of them 0 it is the law.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tmu_model_trace.h"

#define ENDPOINTS 16

/* Key bits that are not compared, and which of the named mistakes is made. */
uint64_t mutant_match;
uint32_t mutant_source;
uint32_t mutant_endpoint;
int mutant;

static const char *const names[] = {
#define MUTANT(name) name,
#include "mutants.inc"
#undef MUTANT
};
#define NAMES (sizeof names / sizeof names[0])

typedef struct {
    tmu_trace_t *trace;
    tmu_log_record_t *law;
    tmu_model_verdict_t *verdicts;
} run_t;

static void fail(const char *what) {
    (void)fprintf(stderr, "trace-mutants: %s\n", what);
    exit(2);
}

/* Replays the trace and stops at the first record that is not the law's; true if there is one. */
static bool differs(const run_t *run) {
    const tmu_model_config_t config = {.endpoints = ENDPOINTS};
    if (tmu_model_replay(&config, run->trace, NULL, run->verdicts, NULL) != TMU_MODEL_OK) {
        fail("the model cannot replay the trace");
    }
    for (size_t i = 0; i < tmu_trace_count(run->trace); i++) {
        tmu_log_record_t record = {0};
        if (!tmu_model_log_record(&run->verdicts[i], &record)) {
            fail("a verdict that has no record");
        }
        const tmu_log_record_t *law = &run->law[i];
        if (record.verdict != law->verdict || record.other != law->other ||
            record.truncated != law->truncated) {
            return true;
        }
    }
    return false;
}

static void try_bits(const run_t *run, const char *field, unsigned bits, unsigned at) {
    for (unsigned bit = 0; bit < bits; bit++) {
        const uint64_t one = UINT64_C(1) << (at + bit);
        uint32_t *narrow = strcmp(field, "source") == 0 ? &mutant_source : &mutant_endpoint;
        const bool match = strcmp(field, "context") == 0 || strcmp(field, "tag") == 0;
        mutant_match = match ? one : 0;
        *narrow = match ? 0 : (uint32_t)one;
        if (differs(run)) {
            (void)printf("%s bit %u\n", field, bit);
        }
        mutant_match = 0;
        *narrow = 0;
    }
}

int main(int count, char **argument) {
    run_t run = {0};
    char error[TMU_TRACE_ERROR_MAX];
    if (count != 2 || tmu_trace_read(argument[1], &run.trace, error, sizeof error) != 0) {
        fail(count == 2 ? error : "usage: trace-mutants TRACE");
    }
    const size_t size = tmu_trace_count(run.trace) + 1;
    run.law = calloc(size, sizeof *run.law);
    run.verdicts = calloc(size, sizeof *run.verdicts);
    if (!run.law || !run.verdicts) {
        fail("no memory");
    }
    (void)differs(&run);
    for (size_t i = 0; i + 1 < size; i++) {
        (void)tmu_model_log_record(&run.verdicts[i], &run.law[i]);
    }
    if (differs(&run)) {
        fail("two replays of the law differ");
    }
    try_bits(&run, "context", 32, 32);
    try_bits(&run, "source", 32, 0);
    try_bits(&run, "tag", 32, 0);
    try_bits(&run, "endpoint", 2, 0);
    for (size_t i = 0; i < NAMES; i++) {
        mutant = (int)i + 1;
        if (differs(&run)) {
            (void)printf("%s\n", names[i]);
        }
    }
    free(run.law);
    free(run.verdicts);
    tmu_trace_free(run.trace);
    return 0;
}
