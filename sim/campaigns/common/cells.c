/* SPDX-License-Identifier: Apache-2.0 */
#include "cells.h"

#include <inttypes.h>
#include <stdio.h>

static int measure(const program_t *program, cells_t *cells, tmu_t *device, const char *word) {
    uint64_t mismatches = 0;
    if (!cells->measure(device, word, &mismatches)) {
        return program_fails(program, EXIT_DIFFERENCE, "%s: %s", word, cells->error);
    }
    (void)fflush(stdout);
    if (mismatches > 0) {
        return program_fails(program, EXIT_DIFFERENCE, "%s: %" PRIu64 " verdicts are not the law's",
                             word, mismatches);
    }
    return EXIT_WELL;
}

int cells_run(const program_t *program, cells_t *cells, const char *uri, char *const *words) {
    for (char *const *word = words; *word; word++) {
        cells->check(*word);
    }
    tmu_t *device = program_device(program, uri, NULL);
    if (!device) {
        return EXIT_USAGE;
    }
    int status = EXIT_WELL;
    if (cells->open && !cells->open(device)) {
        status = program_fails(program, EXIT_DIFFERENCE, "%s", cells->error);
    }
    for (; *words && status == EXIT_WELL; words++) {
        status = measure(program, cells, device, *words);
    }
    if (cells->close) {
        cells->close();
    }
    if (status == EXIT_WELL) { /* else queues of a cell may still be open */
        tmu_close(device);
    }
    return status;
}
