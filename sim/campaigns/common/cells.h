/* SPDX-License-Identifier: Apache-2.0 */
/* A campaign of cells: a device, and one word of the command line after another measured on it. */
#ifndef CELLS_H
#define CELLS_H

#include "program_device.h"

typedef struct cells {
    /* Ends the program with exit code 2 where a word is no cell. */
    void (*check)(const char *word);
    /* Prepares the device once; false and a sentence in `error`.  May be NULL, as `close`. */
    bool (*open)(tmu_t *device);
    /* Measures a cell and prints its line; false and a sentence in `error`. */
    bool (*measure)(tmu_t *device, const char *word, uint64_t *mismatches_p);
    void (*close)(void);
    char error[400];
} cells_t;

/*
 * Runs all words, until NULL; the exit code: that of a difference after a failure, and after a
 * cell in which verdicts were not the law's.  Both end the campaign.
 */
int cells_run(const program_t *program, cells_t *cells, const char *uri, char *const *words);

#endif
