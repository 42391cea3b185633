/* SPDX-License-Identifier: Apache-2.0 */
/* One run: a workload through the driver and a device, every verdict checked. */
#ifndef TMU_REPLAY_REPLAY_H
#define TMU_REPLAY_REPLAY_H

#include "result.h"

#include <stdio.h>

#define REPLAY_SPILL_MOST UINT64_MAX

typedef struct {
    uint32_t quota;   /* per endpoint and queue; 0 = none */
    uint32_t reserve; /* per endpoint and queue, beside a quota */
    uint64_t spill;   /* segments to register; REPLAY_SPILL_MOST = all that the unit takes */
    bool timed;       /* keep the trace's times */
    double clock_mhz; /* what a clock is worth when times are kept */
    bool progress;    /* `progress DONE TOTAL` lines on stderr */
    FILE *verdicts;   /* where the log goes, or NULL */
} replay_options_t;

/*
 * Registers the memory that the options ask for with the device; it stays so for all later runs.
 * 0, or -1 and a sentence in `error`.
 */
int replay_spill(tmu_t *device, const replay_options_t *options, char *error, size_t error_size);

/*
 * Runs the workload on the device, which it resets first.
 * 0, or -1 and a sentence in `error` when the device or the machine fails; differences are no
 * failure but are counted in the result.
 */
int replay_run(tmu_t *device, const workload_t *workload, const replay_options_t *options,
               replay_result_t *result, char *error, size_t error_size);

#endif
